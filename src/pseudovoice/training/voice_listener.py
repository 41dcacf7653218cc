"""What is said must be heard: a listener that learns content from speech, and its price.

A voice that comes near the envelope of speech on the average blurs what words hang on. While it
learns, a small network learns to tell from natural speech what the recogniser heard in it; the
voice pays where that network hears something else in what it says, and where another voice is given
to it, too, for which no natural speech exists. No transcript is needed.

Whatever passes the narrow place must also still tell what the recogniser heard in *another* copy of
the same speech: content that words hang on is kept before what only belongs to one mouth.
"""

from __future__ import annotations

import torch
from torch import nn

from pseudovoice.safeguards.xvector.frames import SHARED, SPOKEN

WIDTH, FINE = 192, 128
DILATIONS = (1, 2, 4)
NOISE = 0.3
"""Deviations of noise on what is listened to: else a voice learns what fools a listener."""


class Listener(nn.Module):  # type: ignore[misc, unused-ignore]
    """What is spoken [n, 3T, 61] to content [n, T, c], and what it notices on the way."""

    def __init__(self, content: int) -> None:
        super().__init__()
        self.fine = nn.Conv1d(SPOKEN, FINE, 5, padding=2)
        self.coarse = nn.Conv1d(FINE, WIDTH, 5, stride=SHARED, padding=1)
        self.layers = nn.ModuleList(
            nn.Conv1d(WIDTH, WIDTH, 3, padding=d, dilation=d) for d in DILATIONS
        )
        self.exit = nn.Conv1d(WIDTH, content, 1)

    def forward(self, spoken: torch.Tensor) -> tuple[list[torch.Tensor], torch.Tensor]:
        noticed = [nn.functional.silu(self.fine(spoken.transpose(1, 2)))]
        noticed.append(nn.functional.silu(self.coarse(noticed[-1])))
        for layer in self.layers:
            noticed.append(noticed[-1] + nn.functional.silu(layer(noticed[-1])))
        return noticed, self.exit(noticed[-1]).transpose(1, 2)


class Recall(nn.Module):  # type: ignore[misc, unused-ignore]
    """Content that passed the narrow place [n, T, narrow] to content [n, T, c]."""

    def __init__(self, narrow: int, content: int) -> None:
        super().__init__()
        self.entry = nn.Conv1d(narrow, WIDTH, 5, padding=2)
        self.exit = nn.Conv1d(WIDTH, content, 1)

    def forward(self, passed: torch.Tensor) -> torch.Tensor:
        recalled: torch.Tensor = self.exit(nn.functional.silu(self.entry(passed.transpose(1, 2))))
        return recalled.transpose(1, 2)


def listened(
    listener: Listener,
    natural: torch.Tensor,
    made: torch.Tensor,
    converted: torch.Tensor,
    content: torch.Tensor,
    inside: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """What the listener has to learn, and what the voice pays for what is heard otherwise.

    ``made`` is what the voice says of ``natural`` speech, ``converted`` what it says of the first
    few in other voices. The first loss changes the listener alone, the second the voice alone.
    """
    noise = NOISE * torch.randn_like(natural)
    noticed, heard = listener(natural + noise)
    lesson = miss(heard, content, inside)
    fixed = {name: value.detach() for name, value in listener.named_parameters()}
    few = len(converted)
    both = torch.cat([made + noise, converted + noise[:few]])
    again, reheard = torch.func.functional_call(listener, fixed, (both,))
    price = miss(reheard[len(made) :], content[:few], inside[:few])
    for wanted, found in zip(noticed, again, strict=True):
        wanted, found = wanted.detach().float(), found[: len(made)].float()
        price = price + (found - wanted).abs().mean() / wanted.abs().mean()
    return lesson, price / (1 + len(noticed))


def miss(told: torch.Tensor, content: torch.Tensor, inside: torch.Tensor) -> torch.Tensor:
    """Mean square by which content is missed, over the frames that count."""
    square = (told.float() - content).square().mean(dim=-1)
    missed: torch.Tensor = (square * inside).sum() / inside.sum().clamp(min=1)
    return missed
