"""The training of a voice, judged by utterances that it has not learnt from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from pseudovoice.progress import Progress
from pseudovoice.safeguards.xvector.frames import ENVELOPE, SHARED
from pseudovoice.safeguards.xvector.neural_voice import About, write_voice
from pseudovoice.training.draws import torch_seed
from pseudovoice.training.epochs import Training, one_cycle
from pseudovoice.training.learner import tensors
from pseudovoice.training.voice_critic import criticised
from pseudovoice.training.voice_data import VoiceBatch, VoiceData
from pseudovoice.training.voice_graph import voice_graph
from pseudovoice.training.voice_listener import listened, miss
from pseudovoice.training.voice_network import VoiceLearner
from pseudovoice.training.voice_outcome import VoiceEpoch, VoiceError
from pseudovoice.training.voice_recipe import VoiceRecipe


@dataclass(frozen=True)
class VoiceTraining(Training[VoiceError, VoiceEpoch]):
    learner: VoiceLearner
    recipe: VoiceRecipe
    data: VoiceData
    held_out: VoiceData
    about: About
    out: Path
    identity: dict[str, Any]
    threads: int
    progress: Progress

    @property
    def epochs(self) -> int:
        return self.recipe.epochs

    def learn(self, number: int) -> tuple[float, ...]:
        """One epoch: mean distance and flatness, and what :class:`VoiceEpoch` has besides."""
        with torch.random.fork_rng(devices=[]):
            # The noise of an epoch is its own, whether the run was resumed or not.
            torch.manual_seed(torch_seed(self.recipe.seed, "noise", number))
            return self._pass(number)

    def _pass(self, number: int) -> tuple[float, ...]:
        net, steps = self.learner.net, self.recipe.steps
        net.train()
        summed = np.zeros(4)
        for step, batch in enumerate(self.data.batches(number)):
            self.learner.set_rate(
                self.recipe.rate * one_cycle((number - 1 + step / steps) / self.epochs)
            )
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.recipe.half):
                content, told, target = _inputs(batch)
                passed = net.passed(content)
                spoken = net.say(passed, told, target)
                inside = torch.from_numpy(batch.weight[:, ::SHARED])
                people = torch.from_numpy(batch.speaker)
                lesson, opinion, right = criticised(self.learner.critic, passed, inside, people)
                others = torch.from_numpy(batch.other_told), torch.from_numpy(batch.other_target)
                converted = net.say(passed[: len(others[0])], *others)
                natural, again = torch.from_numpy(batch.spoken), torch.from_numpy(batch.again)
                learnt, misheard = listened(
                    self.learner.listener, natural, spoken, converted, again, inside
                )
                lost = miss(self.learner.recall(passed), again, inside)
            distance, flatness = self._errors(spoken.float(), batch)
            loss = distance + self.recipe.spread * flatness + self.recipe.unlearn * opinion
            loss = loss + self.recipe.hear * misheard + self.recipe.recall * lost
            self.learner.descend(loss + lesson + learnt, number)
            counted = (distance.detach(), flatness.detach(), right, misheard.detach())
            summed += [float(one) for one in counted]
            done = round(((number - 1) * steps + step + 1) * 100 / steps)
            self.progress("training", done, self.epochs * 100)
        return tuple(float(total) / steps for total in summed)

    def judge(self) -> VoiceError:
        net = self.learner.net
        net.eval()
        with torch.no_grad():
            found = [self._errors(net(*_inputs(b)), b) for b in self.held_out.judged()]
        return VoiceError(*(float(np.mean([pair[k] for pair in found])) for k in (0, 1)))

    def _errors(self, spoken: torch.Tensor, batch: VoiceBatch) -> tuple[torch.Tensor, torch.Tensor]:
        """Distance from what was spoken, and of the spread over time from its spread.

        Numbers of the envelope count by the root of their deviation: between what their size in
        the spectrum is, by which fine detail would count for nothing, and all alike.
        """
        wanted, inside = torch.from_numpy(batch.spoken), torch.from_numpy(batch.weight)[..., None]
        heavy = np.sqrt(self.data.scale.deviation)
        heavy = heavy / heavy.mean()
        heavy[ENVELOPE:] = 1.0
        price = torch.from_numpy(heavy.astype(np.float32))
        count = inside.sum()
        distance = ((spoken - wanted).abs() * price * inside).sum() / (count * len(price))
        flatness = ((_spread(spoken, inside) - _spread(wanted, inside)).abs() * price).mean()
        return distance, flatness

    def cost(self, judged: VoiceError) -> float:
        """All alike, so that the last epoch speaks: the rate has come down to nothing by then.

        What is asked of a voice besides its distance hangs on a listener and a critic who learn
        all the while: epochs cannot be compared by it, and by the distance alone the flattest wins.
        """
        del judged
        return 0.0

    def line(self, number: int, learnt: tuple[float, ...], judged: VoiceError) -> VoiceEpoch:
        *errors, right, misheard = learnt
        return VoiceEpoch(number, VoiceError(*errors), judged, right, misheard)

    def keep(self) -> None:
        """A voice that already speaks."""
        write_voice(
            self.out, voice_graph(tensors(self.learner.net), self.recipe.levels), self.about
        )

    def read(
        self, judged: dict[str, Any], lines: list[dict[str, Any]]
    ) -> tuple[VoiceError, list[VoiceEpoch]]:
        history = [
            VoiceEpoch(
                line["number"],
                VoiceError(**line["learnt"]),
                VoiceError(**line["held_out"]),
                line["told"],
                line["misheard"],
            )
            for line in lines
        ]
        return VoiceError(**judged), history


def _inputs(batch: VoiceBatch) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return (
        torch.from_numpy(batch.content),
        torch.from_numpy(batch.told),
        torch.from_numpy(batch.target),
    )


def _spread(spoken: torch.Tensor, inside: torch.Tensor) -> torch.Tensor:
    count = inside.sum(dim=1).clamp(min=1)
    mean = (spoken * inside).sum(dim=1) / count
    square = ((spoken - mean[:, None]).square() * inside).sum(dim=1) / count
    return (square + 1e-4).sqrt()
