"""What changes while training: networks and their optimiser, and their tensors as plain arrays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

import numpy as np
import torch
from torch import nn

from pseudovoice.errors import UsageError
from pseudovoice.training.archive import Arrays, put_under, under

_MOMENTS = ("step", "exp_avg", "exp_avg_sq")
STEEPEST = 5.0


class Learner(ABC):
    """Networks under training, by name, with the optimiser of all their parameters."""

    optimiser: torch.optim.AdamW

    @property
    @abstractmethod
    def modules(self) -> Mapping[str, nn.Module]: ...

    def parameters(self) -> dict[str, nn.Parameter]:
        """Every trained parameter by name, in a fixed order."""
        modules = self.modules.items()
        return {f"{part}/{n}": value for part, m in modules for n, value in m.named_parameters()}

    @property
    def size(self) -> int:
        """How many numbers are learnt."""
        return sum(parameter.numel() for parameter in self.parameters().values())

    def set_rate(self, rate: float) -> None:
        for group in self.optimiser.param_groups:
            group["lr"] = rate

    def descend(self, loss: torch.Tensor, epoch: int) -> None:
        """One step down the gradient, no further than a steep place lets it."""
        if not torch.isfinite(loss):
            raise UsageError(
                f"The training diverged in epoch {epoch}: begin anew (`resume=False`), at a lower "
                "`rate`."
            )
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call, unused-ignore]
        self.tame()
        self.optimiser.step()

    def tame(self) -> None:
        """Let no step be longer than the steepest place allows."""
        nn.utils.clip_grad_norm_(list(self.parameters().values()), STEEPEST)

    def state(self) -> Arrays:
        """Everything needed to go on exactly from here."""
        arrays: Arrays = {}
        for part, module in self.modules.items():
            arrays |= put_under(tensors(module), f"{part}/")
        for name, parameter in self.parameters().items():
            for moment, value in self.optimiser.state[parameter].items():
                arrays[f"optimiser/{moment}/{name}"] = value.detach().numpy().copy()
        return arrays

    def restore(self, arrays: Arrays) -> None:
        """The inverse of :meth:`state`."""
        for part, module in self.modules.items():
            load(module, under(arrays, f"{part}/"))
        for name, parameter in self.parameters().items():
            self.optimiser.state[parameter] = {
                moment: torch.from_numpy(arrays[f"optimiser/{moment}/{name}"].copy())
                for moment in _MOMENTS
            }


def tensors(module: nn.Module) -> Arrays:
    """A module's state dict as arrays of its own."""
    return {name: value.detach().numpy().copy() for name, value in module.state_dict().items()}


def load(module: nn.Module, arrays: Arrays) -> None:
    """Set a module's state dict; names and shapes must be its own."""
    module.load_state_dict({n: torch.from_numpy(np.array(a)) for n, a in arrays.items()})
