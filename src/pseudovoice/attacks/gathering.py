"""Attackers who gather: several recordings of one pseudo-voice, and several releases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pseudovoice.attacks.attack import AttackScores
from pseudovoice.attacks.attacker import Attacker
from pseudovoice.attacks.had import Had
from pseudovoice.errors import UsageError

if TYPE_CHECKING:
    from pseudovoice.attacks.heard import Heard, Scores
    from pseudovoice.backends.gathered import Compared


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
        from pseudovoice.backends.best_of import both_ways

        undone = heard.undone if heard.tries else ()  # its own run has no inverse
        sessions = [
            both_ways(tries, heard.protected, heard.original, undone),
            *(both_ways(tries, release, None, ()) for release in heard.releases),
        ]
        return _along(self.attacker, heard, sessions, known=False)


@dataclass(frozen=True)
class KnowingSessions:
    """Compares a session with others of which it knows who spoke, each under another key.

    Nothing is tried on and no clear speech is needed: what is found is what pseudo-voices of one
    person have in common, which noe2020 §2 asks to be nothing.
    """

    attacker: Attacker

    def scores(self, heard: Heard) -> AttackScores | None:
        if not heard.releases or heard.trials.lists is not None:
            return None
        sessions = [[[(release, heard.protected)]] for release in heard.releases]
        return _along(self.attacker, heard, sessions, known=True)


def _along(
    who: Attacker,
    heard: Heard,
    sessions: Sequence[Sequence[Sequence[Compared]]],
    *,
    known: bool,
) -> AttackScores:
    """All that there is, and less of each thing: recordings of one side or both, and sessions."""
    from pseudovoice.backends.gathered import deal, gathered, most_gathered

    dealt = {n: deal(heard.protected, n) for n in _told(most_gathered(heard.protected))}
    most, backend = max(dealt), heard.backend
    found: dict[Had, Scores] = {}
    for enrolled, tried in _sizes(tuple(dealt)):
        some = sessions if enrolled == tried else sessions[:1]
        for n, scores in gathered(some, dealt[enrolled], dealt[tried], backend):
            counted = {"known": n} if known else {"sessions": n}
            found[Had(enrolled=enrolled, tried=tried, **counted)] = scores
    budget, whole = found.popitem()
    o = heard.original
    ((_, control),) = gathered([[[(o, o)]]], dealt[most], dealt[most], backend)
    return AttackScores({"oo": control, who.condition: whole}, {}, found, budget)


def _told(most: int) -> list[int]:
    from pseudovoice.backends.best_of import is_told

    return [n for n in range(1, most + 1) if is_told(n, most)]


def _sizes(sizes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Numbers of recordings of a person and of a voice: more of one, of the other, of both."""
    more = [n for n in sizes if n > 1]
    yield 1, 1
    yield from ((n, 1) for n in more)
    yield from ((1, n) for n in more)
    yield from ((n, n) for n in more)


def check_gathering(named: Iterable[Attacker], releases: Sequence[object], *, own: bool) -> None:
    """Say what whoever gathers lacks; and that nobody does, where there are releases to gather."""
    gatherers = [who for who in named if who.gathers]
    if any(who.protects for who in gatherers) and not own:
        raise UsageError(
            "Whoever gathers recordings protects its own, too: name the safeguard with "
            "`attacker_safeguard` and a key of the attacker's own with `attacker_key`, or its "
            "speech with `attacker_protected`."
        )
    if releases and not gatherers:
        raise UsageError(
            "`releases` are for whoever gathers: name the attacker gathering or known-sessions "
            "with `attackers`."
        )
    if not releases and any(not who.protects for who in gatherers):
        raise UsageError(
            "Whoever knows other sessions needs one at least: name the same people's speech as it "
            "was released at another time, under another key, with `releases`."
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
            "key, the scores of all releases are averaged. What fewer recordings of the person, "
            "of the pseudo-voice or of both, and fewer releases would have given stands beside it."
        ),
        reference="this project",
        condition="pq",
        enrolment="own key",
        tries=True,
        gathers=True,
        by_name=True,
    )
)

KNOWN_SESSIONS = KnowingSessions(
    Attacker(
        name="known-sessions",
        title="known sessions",
        knows="knows who spoke in other sessions of the same people, each under another key, and "
        "looks for them in this one",
        summary="An attacker who links sessions under different keys",
        explained=(
            "It needs neither the safeguard nor clear speech, only protected sessions of which it "
            "knows who spoke, each under another key. It compares their recordings with those of "
            "the session at hand, of which it does not, and averages over all it has of a person, "
            "of a pseudo-voice and of sessions: condition pq. What fewer would have given stands "
            "beside it."
        ),
        reference="noe2020 §2 and §6, noe2022 §8 (sessions)",
        condition="pq",
        enrolment="other sessions",
        gathers=True,
        by_name=True,
    )
)
