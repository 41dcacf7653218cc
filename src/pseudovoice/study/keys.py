"""The keys of a study: the user's, and one of the attacker's own.

The attacker's key is derived from the user's, so that a study can be repeated from one key file;
without the user's key nobody can tell that the two belong together.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pseudovoice.errors import UsageError
from pseudovoice.keys import Key, key_at, key_beside, read_key
from pseudovoice.release.pseudonyms import Pseudonyms
from pseudovoice.study.plan import Plan


@dataclass(frozen=True)
class StudyKeys:
    """Both keys, or none where no safeguard of the plan draws anything.

    ``file`` is that of the user's key, beside which some safeguards keep what they gave;
    ``new`` says that it was made just now.
    """

    ours: Key | None = None
    file: Path | None = None
    new: bool = False

    def names(self, plan: Plan) -> Pseudonyms | None:
        """What people are called in the study; None where they keep their names."""
        if not plan.rename or self.ours is None:
            return None
        return Pseudonyms(self.ours, plan.key_session)

    @property
    def attacker(self) -> Key | None:
        """The key of the second run, and of the attackers who protect speech themselves."""
        return None if self.ours is None else Key(self.ours.derive("", "study", "another run"))


def key_place(plan: Plan, out: Path) -> Path | None:
    """Where the key of a plan lies, or would be made; None if nothing is drawn."""
    drawn = plan.rename or plan.asr_training is not None
    if not drawn and all(one.deterministic for one in plan.safeguards):
        return None
    return key_beside(out) if plan.key_file is None else plan.key_file


def study_keys(plan: Plan, out: Path) -> StudyKeys:
    """The keys; a new one is made beside ``out`` if the plan names none and none is there."""
    place = key_place(plan, out)
    if place is None:
        return StudyKeys()
    if place.resolve().is_relative_to(out.resolve()):
        raise UsageError(f"{place}: a key must not lie in the folder of the speech it protects.")
    key, new = key_at(place) if plan.key_file is None else (read_key(place), False)
    return StudyKeys(key, place, new)
