"""What can go wrong with a user's input, each as a sentence that names the place and the remedy.

Two shapes: an *error* stops the work because nothing sensible can follow (exit code 2); a
*problem* is one bad item among many, which is left out, listed at the end and makes the exit
code 1. Both carry where it is, what is wrong and what to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class PseudovoiceError(Exception):
    """Base of all errors this package raises on purpose; the message is a whole sentence."""


class InputError(PseudovoiceError):
    """A file or array that cannot be used at all."""


class UsageError(PseudovoiceError):
    """A wrong combination of options or arguments."""


class OutputError(PseudovoiceError):
    """A file that cannot be written; ``problem`` is the sentence in its three parts."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem = problem


class DiskError(OutputError):
    """A disk that is full, failing or gone: nothing after it could be written either."""


class MissingExtraError(PseudovoiceError):
    """An optional package is not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package {package}, which is not installed: "
            f"pip install 'pseudovoice[{extra}]'."
        )
        self._told = package, extra, purpose

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str, str]]:
        return MissingExtraError, self._told


@dataclass(frozen=True)
class Problem:
    """One bad item: left out of the work, never repaired silently.

    ``where`` is a file, ``file:line`` or an utterance id; ``what`` says what is wrong with it
    and ``remedy`` what the user can do, both without a final full stop.
    """

    where: str
    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}; {self.remedy}."


@dataclass(frozen=True)
class PassingProblem(Problem):
    """One that lies in the moment, not in the item: another run may not meet it.

    A file that the system would not give, though it was there. What was made without it must not
    be kept as if it were all there is.
    """


def out_of_memory(where: str) -> Problem:
    """One item for which the memory does not suffice."""
    return PassingProblem(
        where,
        "there is not enough memory for it",
        "take fewer `workers`, end other programs, or cut it into parts; it is left out",
    )


def few(items: Sequence[object], most: int = 5) -> str:
    """The first few of a list for a sentence: ``3, 17, 20 and 41 more``."""
    shown = ", ".join(str(item) for item in items[:most])
    rest = len(items) - most
    return shown if rest <= 0 else f"{shown} and {rest} more"
