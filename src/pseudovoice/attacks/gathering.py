"""The attacker who gathers: several recordings of one pseudo-voice, and several releases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pseudovoice.attacks.attack import AttackScores
from pseudovoice.attacks.attacker import Attacker
from pseudovoice.errors import UsageError

if TYPE_CHECKING:
    from pseudovoice.attacks.heard import Heard, Scores


def released_sessions(session: str, releases: int) -> list[str]:
    """Sessions of further releases, each with other voices for the same people."""
    return [f"{session}, release {n}" for n in range(2, releases + 1)]


@dataclass(frozen=True)
class Gathering:
    """Compares several utterances of a person with several of a pseudo-voice, in all releases.

    A release tells which utterances share a pseudo-voice: they lie in one folder, or under one
    pseudonym. Where the attacker tries voices on, the scores of a try are averaged over all of
    them before the best try is chosen; where it does not, its run with a key of its own stands for
    a single try.
    """

    attacker: Attacker

    def scores(self, heard: Heard) -> AttackScores | None:
        own = () if heard.own is None else (heard.own,)
        tries = heard.tries or own
        if not tries or heard.trials.lists is not None:
            return None
        from pseudovoice.backends.best_of import is_told
        from pseudovoice.backends.gathered import deal, gathered, most_gathered

        o, released = heard.original, (heard.protected, *heard.releases)
        most = most_gathered(heard.protected)
        undone = heard.undone if heard.tries else ()  # its own run has no inverse
        found: dict[str, Scores] = {}
        for size in (n for n in range(1, most + 1) if is_told(n, most)):
            groups = deal(heard.protected, size)
            for sessions, scores in gathered(
                tries, released, groups, heard.backend, clear=o, undone=undone
            ):
                found[_had(size, sessions)] = scores
        budget, whole = found.popitem()
        ((_, control),) = gathered([o], [o], groups, heard.backend)
        return AttackScores({"oo": control, self.attacker.condition: whole}, {}, found, budget)


def _had(utterances: int, sessions: int) -> str:
    much = f"{utterances} utterance{'' if utterances == 1 else 's'}"
    return much if sessions == 1 else f"{much}, {sessions} sessions"


def check_gathering(named: Iterable[Attacker], releases: Sequence[object], *, own: bool) -> None:
    """Say what whoever gathers lacks; and that nobody does, where there are releases to gather."""
    gatherers = [who.name for who in named if who.gathers]
    if gatherers and not own:
        raise UsageError(
            "Whoever gathers recordings protects its own, too: name the safeguard with "
            "`attacker_safeguard` and a key of the attacker's own with `attacker_key`, or its "
            "speech with `attacker_protected`."
        )
    if releases and not gatherers:
        raise UsageError(
            "`releases` are for whoever gathers: name the attacker gathering with `attackers`."
        )


GATHERING = Gathering(
    Attacker(
        name="gathering",
        title="gathering",
        knows="knows the safeguard, has several recordings of each person and of each "
        "pseudo-voice, and tries voices on all of them at once",
        summary="An attacker who has several recordings of everybody",
        explained=(
            "It knows which protected utterances share a pseudo-voice, as folders or pseudonyms "
            "tell, and has several recordings of each person it looks for. The scores of all of "
            "one with all of the other are averaged under each voice that it tries on, and the "
            "best is taken: condition pq. If the same people are released again under another "
            "key, the scores of all releases are averaged. What fewer utterances and fewer "
            "releases would have given stands beside it."
        ),
        reference="this project",
        condition="pq",
        enrolment="own key",
        tries=True,
        gathers=True,
        by_name=True,
    )
)
