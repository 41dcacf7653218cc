"""Work on one recording: what is asked for, as a process of its own is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal, get_args

from pseudovoice.choices import REPLICATES
from pseudovoice.encoders.registry import DEFAULT_ENCODER
from pseudovoice.errors import InputError

MOST_PEOPLE = 50
Overlap = Literal["voice", "mute"]


@dataclass(frozen=True)
class _Told:
    """What is told to the process that does it."""

    kind: ClassVar[str]

    @property
    def shown(self) -> str:
        """The safeguard that is at work, if one is."""
        return str(getattr(self, "safeguard", ""))

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "task": asdict(self)}


@dataclass(frozen=True)
class Diarise(_Told):
    """Find who speaks when in ``recording``, and keep it in the file ``turns``.

    ``found`` is another file for it, which nobody corrects. ``people`` is how many speak, None
    where that is to be found.
    """

    recording: str
    turns: str
    found: str
    people: int | None = None

    kind: ClassVar[str] = "diarise"


@dataclass(frozen=True)
class Protect(_Told):
    """Give everybody in ``recording`` a pseudo-voice, by the file ``turns``, or as one person.

    ``identity`` is the recording's, by its content; ``key`` the file of the secret key.
    """

    recording: str
    identity: str
    turns: str | None
    safeguard: str
    overlap: Overlap
    key: str

    kind: ClassVar[str] = "protect"


@dataclass(frozen=True)
class Compare(_Told):
    """Have attackers listen to ``recording`` and to what a take made of it, and write a report.

    ``found`` is the file of who was found to speak when, before anybody corrected it,
    ``reference`` that of who really does.
    """

    recording: str
    safeguard: str
    found: str | None = None
    reference: str | None = None
    encoders: tuple[str, ...] = (DEFAULT_ENCODER,)
    replicates: int = REPLICATES

    kind: ClassVar[str] = "compare"


@dataclass(frozen=True)
class Release(_Told):
    """Look whether a signed take may go out, and pack it into ``archive``.

    ``recording`` is the original, whose speech must not be in it, ``key`` the file of the secret.
    """

    recording: str
    safeguard: str
    key: str
    archive: str

    kind: ClassVar[str] = "release"


Task = Diarise | Protect | Compare | Release


def read_people(said: object) -> int | None:
    """How many speak, from JSON."""
    if said is None:
        return None
    if type(said) is not int or not 1 <= said <= MOST_PEOPLE:
        raise InputError(f"People are a whole number from 1 to {MOST_PEOPLE}, or to be found.")
    return said


def read_overlap(said: object) -> Overlap:
    for one in get_args(Overlap):
        if said == one:
            return "mute" if one == "mute" else "voice"
    raise InputError("What becomes of several people at once is voice or mute.")


def safeguards_offered() -> list[dict[str, Any]]:
    """Safeguards that a recording can be protected with, each with the options a page may set."""
    from pseudovoice.safeguards.registry import available
    from pseudovoice.safeguards.safeguard import LastStep

    found = []
    for name, cls in sorted(available().items()):
        made: Any = cls()
        if isinstance(made, LastStep) or not getattr(made, "keeps_timing", True):
            continue
        found.append(
            {
                "name": name,
                "what": (cls.__doc__ or "").split("\n", 1)[0],
                "caution": getattr(made, "caution", ""),
                "secret": not made.deterministic,
                "options": [asdict(one) for one in _offered(made)],
            }
        )
    return found


def read_safeguard(name: object, options: object) -> str:
    """A safeguard with its options as a chain is written; raises a sentence."""
    from pseudovoice.safeguards.registry import available, parse_chain

    if not isinstance(name, str) or name not in available():
        raise InputError(f"Choose a safeguard of {', '.join(sorted(available()))}.")
    if not isinstance(options, Mapping):
        raise InputError("The options of a safeguard are a JSON object.")
    # Neither files nor models: the page sets only what has choices or limits.
    offered = {one.name: one for one in _offered(available()[name]())}
    said = []
    for option, value in options.items():
        if option not in offered:
            raise InputError(f"{name} has no option {str(option)[:60]!r} that can be set here.")
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise InputError(f"{name}: {option} is a number or one of its choices.")
        one = offered[option]
        if one.choices:
            one.check(name, value)
        elif isinstance(value, str):
            raise InputError(f"{name}: {option} is a number.")
        if value != one.default:
            said.append(f"{option}={value}")
    text = f"{name}:{','.join(said)}" if said else name
    parse_chain(text)
    return text


def _offered(safeguard: Any) -> list[Any]:
    from pseudovoice.safeguards.options import options_of

    # A recording has no sessions or utterances that could have voices of their own.
    return [
        one
        for one in options_of(safeguard)
        if not one.path and one.name != "level" and (one.choices or one.low is not None)
    ]
