"""The neural voice: content, prosody and a target in, WORLD's envelope and aperiodicity out."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

from pseudovoice.safeguards.xvector.frames import SHARED, SPOKEN, Float32
from pseudovoice.safeguards.xvector.neural_voice import TOLD
from pseudovoice.training.draws import torch_seed
from pseudovoice.training.learner import STEEPEST, Learner
from pseudovoice.training.voice_critic import Critic
from pseudovoice.training.voice_listener import Listener, Recall
from pseudovoice.training.voice_recipe import (
    COARSE_DILATIONS,
    FINE_DILATIONS,
    FINE_KERNEL,
    VoiceRecipe,
)


class Modulated(nn.Module):  # type: ignore[misc, unused-ignore]
    """A residual layer of frames, scaled and shifted by who is to speak (FiLM)."""

    def __init__(self, width: int, voice: int, kernel: int, dilation: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.layer = nn.Conv1d(
            width, width, kernel, padding=dilation * (kernel // 2), dilation=dilation
        )
        self.voice = nn.Linear(voice, 2 * width)
        self.exit = nn.Conv1d(width, width, 1)

    def forward(self, hidden: torch.Tensor, voice: torch.Tensor) -> torch.Tensor:
        scale, shift = self.voice(voice)[:, None].chunk(2, dim=-1)
        more = self.norm(hidden) * (1 + scale) + shift
        more = nn.functional.silu(self.layer(more.transpose(1, 2)))
        return hidden + self.exit(more).transpose(1, 2)


class VoiceNet(nn.Module):  # type: ignore[misc, unused-ignore]
    """Frames of content [n, T, c], prosody [n, 3T, 2] and a target [n, s] to [n, 3T, spoken].

    What is spoken is standardised: ``mean`` and ``deviation`` of the training speech undo it.
    Content passes a narrow place of a few numbers with a few levels each (finite scalar
    quantisation, Mentzer et al. 2023): what does not help to speak is lost there.
    """

    mean: torch.Tensor
    deviation: torch.Tensor

    def __init__(
        self, recipe: VoiceRecipe, content: int, target: int, mean: Float32, deviation: Float32
    ) -> None:
        super().__init__()
        coarse, fine, narrow, voice = recipe.width, recipe.fine, recipe.narrow, recipe.voice
        self.half = (recipe.levels - 1) / 2
        self.register_buffer("mean", torch.from_numpy(mean.copy()))
        self.register_buffer("deviation", torch.from_numpy(deviation.copy()))
        self.narrow = nn.Linear(content, narrow)
        self.entry = nn.Conv1d(narrow + SHARED * TOLD, coarse, 3, padding=1)
        self.target = nn.Linear(target, voice)
        self.coarse = nn.ModuleList(Modulated(coarse, voice, 3, d) for d in COARSE_DILATIONS)
        self.finer = nn.Linear(coarse, SHARED * fine)
        self.told = nn.Linear(TOLD, fine)
        self.fine = nn.ModuleList(Modulated(fine, voice, FINE_KERNEL, d) for d in FINE_DILATIONS)
        self.norm = nn.LayerNorm(fine)
        self.exit = nn.Linear(fine, SPOKEN)

    def forward(
        self, content: torch.Tensor, prosody: torch.Tensor, target: torch.Tensor
    ) -> torch.Tensor:
        return self.say(self.passed(content), prosody, target)

    def passed(self, content: torch.Tensor) -> torch.Tensor:
        """What of content passes the narrow place [n, T, narrow]."""
        squeezed = self.half * torch.tanh(self.narrow(content))
        # Rounded, with the gradient of what was not.
        return (squeezed + (squeezed.round() - squeezed).detach()) / self.half

    def say(
        self, passed: torch.Tensor, prosody: torch.Tensor, target: torch.Tensor
    ) -> torch.Tensor:
        count, times = passed.shape[:2]
        entered = torch.cat([passed, prosody.reshape(count, times, SHARED * TOLD)], dim=-1)
        hidden = self.entry(entered.transpose(1, 2)).transpose(1, 2)
        voice = nn.functional.silu(self.target(target))
        for layer in self.coarse:
            hidden = layer(hidden, voice)
        hidden = self.finer(hidden).reshape(count, SHARED * times, -1) + self.told(prosody)
        for layer in self.fine:
            hidden = layer(hidden, voice)
        spoken: torch.Tensor = self.exit(self.norm(hidden))
        return spoken


@dataclass(frozen=True)
class VoiceLearner(Learner):
    """The network, those who learn beside it and stay behind, and the optimiser of all."""

    net: VoiceNet
    critic: Critic
    listener: Listener
    recall: Recall
    optimiser: torch.optim.AdamW

    @property
    def modules(self) -> dict[str, nn.Module]:
        return {
            "network": self.net,
            "critic": self.critic,
            "listener": self.listener,
            "recall": self.recall,
        }

    def tame(self) -> None:
        """Each by itself: how the others learn must not change how the voice does."""
        for module in self.modules.values():
            nn.utils.clip_grad_norm_(module.parameters(), STEEPEST)

    @property
    def size(self) -> int:
        """How many numbers speak."""
        return sum(parameter.numel() for parameter in self.net.parameters())


def build_voice(
    recipe: VoiceRecipe,
    content: int,
    target: int,
    mean: Float32,
    deviation: Float32,
    people: int,
) -> VoiceLearner:
    """A network with random weights that depend on the seed alone, for so many people."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(torch_seed(recipe.seed, "weights"))
        net = VoiceNet(recipe, content, target, mean, deviation)
        critic = Critic(recipe.narrow, people)
        listener, recall = Listener(content), Recall(recipe.narrow, content)
    optimiser = torch.optim.AdamW(
        [p for module in (net, critic, listener, recall) for p in module.parameters()],
        betas=(0.9, 0.98),
        weight_decay=recipe.weight_decay,
    )
    return VoiceLearner(net, critic, listener, recall, optimiser)
