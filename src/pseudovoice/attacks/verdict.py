"""What an attack comes to, in plain words; made of its numbers, after all of them are known."""

from __future__ import annotations

from collections.abc import Sequence

from pseudovoice.assessment.assess import Assessment
from pseudovoice.assessment.estimate import Estimate, Row
from pseudovoice.assessment.speakers import SpeakerRow
from pseudovoice.choices import FEWEST

WEAK_EER = 0.25
"""Above this error on unprotected speech a recogniser is too weak to conclude anything."""

TOO_FEW = (
    f"too few speakers to conclude: below {FEWEST}, shuffled names are too often the right ones"
)
NO_CONTROL = "how much of what unprotected speech tells cannot be said without its scores (OO)"


def is_conclusive(control: Row | Estimate, control_eer: Row | Estimate) -> bool:
    """Whether the same attack on unprotected speech succeeds."""
    return not control.chance and float(control_eer.value) <= WEAK_EER


def verdict(
    disclosure: Row | Estimate,
    control: Row | Estimate | None,
    *,
    conclusive: bool,
    speakers: int | None = None,
    what: str = "speech",
    tells: str = "tells",
) -> str:
    """In plain words; never that anybody is anonymous. ``what`` was attacked: speech, or slices.

    ``speakers`` is how many there are, None where nobody knows.
    """
    if speakers is not None and speakers < FEWEST:
        return TOO_FEW
    if not conclusive:
        return f"attack too weak to conclude: it fails on unprotected {what} too"
    if disclosure.chance and _rare(disclosure):
        # The test of shuffled names has found a leak; the interval only says how little is known.
        return (
            "this attacker seems to learn something, but the interval reaches chance: "
            "more speakers would tell how much"
        )
    if disclosure.chance:
        return "what this attacker learns cannot be told from chance"
    if control is None:
        return f"this attacker learns something; {NO_CONTROL}"
    kept = max(0.0, float(disclosure.value)) / float(control.value)
    return f"this attacker still learns {100 * kept:.0f} % of what unprotected {what} {tells} it"


def verdicts(assessment: Assessment) -> dict[str, str]:
    """The verdict on each condition of one safeguard that is an attack: OP, PQ.

    Scores that name no speakers tell nothing of chance; without OO there is no control.
    """
    said = {}
    for condition in ("op", "pq"):
        rows = {row.metric: row for row in assessment.rows if row.condition == condition}
        control = {row.metric: row for row in assessment.rows if row.condition == "oo"}
        if "d_ece" not in rows:
            continue
        able = not control or is_conclusive(control["d_ece"], control["eer"])
        said[condition] = verdict(
            rows["d_ece"],
            control.get("d_ece"),
            conclusive=able,
            speakers=people_in(assessment.speakers),
        )
    return said


def people_in(rows: Sequence[SpeakerRow]) -> int | None:
    """How many people rows of speakers are of; None where they name nobody."""
    return len({row.speaker for row in rows}) or None


def _rare(disclosure: Row | Estimate) -> bool:
    """Whether shuffled names give as much in fewer than one case in twenty."""
    return disclosure.null_95 is not None and float(disclosure.value) > disclosure.null_95
