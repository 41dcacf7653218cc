"""Who can be told from content: a critic that learns it, and what it costs a voice to be told.

While a voice learns to speak, a small network learns to name the speaker from nothing but the
content that passes the narrow place. The voice pays for what that network finds, so that numbers
which tell more of the person than of the words do not pass (after Ganin et al. 2016; the voice is
drawn to where the critic has no opinion, and not away from where it is right, for that has an end).
"""

from __future__ import annotations

import torch
from torch import nn

WIDTH = 96
KERNEL = 5


class Critic(nn.Module):  # type: ignore[misc, unused-ignore]
    """Content [n, T, c] that passed, and which frames count [n, T], to who it is [n, people]."""

    def __init__(self, narrow: int, people: int) -> None:
        super().__init__()
        self.entry = nn.Conv1d(narrow, WIDTH, KERNEL, padding=KERNEL // 2)
        self.layer = nn.Conv1d(WIDTH, WIDTH, KERNEL, padding=KERNEL // 2)
        self.norm = nn.LayerNorm(2 * WIDTH)
        self.exit = nn.Linear(2 * WIDTH, people)

    def forward(self, content: torch.Tensor, inside: torch.Tensor) -> torch.Tensor:
        hidden = nn.functional.silu(self.entry(content.transpose(1, 2)))
        hidden = nn.functional.silu(self.layer(hidden)).transpose(1, 2)
        weight = inside[..., None]
        count = weight.sum(dim=1).clamp(min=1)
        mean = (hidden * weight).sum(dim=1) / count
        square = ((hidden - mean[:, None]).square() * weight).sum(dim=1) / count
        pooled = self.norm(torch.cat([mean, (square + 1e-4).sqrt()], dim=-1))
        told: torch.Tensor = self.exit(pooled)
        return told


def criticised(
    critic: Critic, content: torch.Tensor, inside: torch.Tensor, people: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, float]:
    """What the critic has to learn, what its opinion costs the voice, and how often it is right.

    The first loss changes the critic alone, the second the voice alone: nat by which its opinion
    differs from none.
    """
    told = critic(content.detach(), inside)
    lesson = nn.functional.cross_entropy(told, people)
    fixed = {name: value.detach() for name, value in critic.named_parameters()}
    opinion = torch.func.functional_call(critic, fixed, (content, inside)).log_softmax(dim=-1)
    none = torch.tensor(float(opinion.shape[-1])).log()
    right = float((told.argmax(dim=-1) == people).float().mean())
    return lesson, -opinion.mean() - none, right
