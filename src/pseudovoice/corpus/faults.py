"""What can be bad in a corpus: one listed item, a whole listing, or the audio of one utterance.

Readers turn the first into a :class:`~pseudovoice.errors.Problem` and go on. The other two are
InputErrors that carry their Problem, for callers that can do without that file.
"""

from __future__ import annotations

from ..errors import InputError, Problem


class ItemFault(Exception):
    """One listed item cannot be used; never leaves the package ``corpus``."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what, remedy)
        self.what = what
        self.remedy = remedy


class Undecodable(ItemFault):
    """A file of sound cannot be decoded; whoever opens one by itself catches it."""


class ListingError(InputError):
    """A table or manifest cannot be read at all."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem = problem


class AudioError(InputError):
    """The audio of one utterance cannot be used.

    ``problem`` is the sentence in its three parts and ``kind`` one word for counting: missing,
    unreadable, empty, truncated, non-finite, scale, short, long, segment, channel, silent, command.
    """

    def __init__(self, kind: str, problem: Problem) -> None:
        # Both go to the base class, so that the error survives the way back from a worker process.
        super().__init__(kind, problem)
        self.kind = kind
        self.problem = problem

    def __str__(self) -> str:
        return str(self.problem)
