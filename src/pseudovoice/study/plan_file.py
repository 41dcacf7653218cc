"""Read a plan from YAML: every field checked, every fault said at once."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import yaml

from pseudovoice.asr.registry import DEFAULT_RECOGNISER, RECOGNISER_NAMES
from pseudovoice.attacks.registry import DEFAULT, attackers
from pseudovoice.choices import (
    BACKENDS,
    LAYOUTS,
    MEASURES,
    REFERENCES,
    REPLICATES,
    SAMPLES,
    SIMILARITIES,
    UTTERANCES,
    UTTERANCES_MEASURED,
)
from pseudovoice.encoders.registry import DEFAULT_ENCODER, encoder_names
from pseudovoice.errors import InputError, PseudovoiceError
from pseudovoice.safeguards import parse_chain
from pseudovoice.study.fields import Faults, Fields
from pseudovoice.study.language_model import is_arpa
from pseudovoice.study.plan import (
    ComparisonPlan,
    Plan,
    SafeguardPlan,
    SetPlan,
    SlicesPlan,
    UtilityPlan,
)

FIELDS = (
    "title",
    "paths",
    "sets",
    "safeguards",
    "attackers",
    "attacker_training",
    "encoders",
    "comparison",
    "utility",
    "slices",
    "genders",
    "similarity",
    "replicates",
    "permutations",
    "seed",
    "key_file",
    "key_session",
    "figures",
    "clips",
    "include_originals",
    "note",
)
LEFT_OUT = "allow_commands"
"""Once a field. Plans that were written with it say false, which asks for nothing."""

BLANK = re.compile(r"\$\{([^}]*)\}")
MERGE = "tag:yaml.org,2002:merge"
MOST_BYTES = 1 << 20
"""A plan is a page of text; what is larger is something else."""
MOST_REFERENCES, MOST_FIELDS = 1000, 1000
"""Of ``*names`` in a plan, and of fields of one mapping: each may stand for many of the other."""


class PlanError(InputError):
    """A plan with faults, all of them."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = tuple(faults)


class _Loader(yaml.SafeLoader):  # type: ignore[misc]  # PyYAML has no types
    """Safe YAML that refuses a field written twice: the second would silently win.

    Nor does a page of text that takes over fields of fields of fields grow without end.
    """

    references = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            self.references += 1
            if self.references > MOST_REFERENCES:
                mark = self.peek_event().start_mark
                raise yaml.composer.ComposerError(None, None, "too many references", mark)
        return super().compose_node(parent, index)

    def flatten_mapping(self, node: Any) -> None:
        super().flatten_mapping(node)
        if len(node.value) > MOST_FIELDS:
            raise yaml.constructor.ConstructorError(
                None, None, f"a mapping of more than {MOST_FIELDS} fields", node.start_mark
            )

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[Any] = set()
        for name, _ in node.value:
            if name.tag == MERGE:  # fields taken over from elsewhere may be written again
                continue
            key = self.construct_object(name, deep=True)
            if isinstance(key, Hashable) and key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the field {key!r} is written twice", name.start_mark
                )
            if isinstance(key, Hashable):
                seen.add(key)
        made: dict[Hashable, Any] = super().construct_mapping(node, deep)
        return made


def read_plan(path: Path, *, paths: Mapping[str, str] | None = None) -> Plan:
    """The plan in a file. ``paths`` fills in, or overrides, what the file leaves open as ``${…}``.

    Relative paths count from the folder of the plan. Whatever is wrong raises one `PlanError`
    with a sentence for every fault.
    """
    return plan_from(_load(path), str(path), path.resolve().parent, paths)


def _load(path: Path) -> Any:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputError(
            f"{path}: there is no such plan; `pseudovoice run --list` names those that come along."
        ) from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check the path.") from None
    if len(data) > MOST_BYTES:
        raise InputError(f"{path}: is {len(data):,} bytes long, which no plan is; check the path.")
    try:
        # A subclass of SafeLoader: it makes plain texts, numbers, lists and mappings only.
        return yaml.load(data.decode("utf-8"), _Loader)
    except UnicodeDecodeError:
        raise InputError(f"{path}: this is not UTF-8 text; convert the file to UTF-8.") from None
    # What PyYAML raises for a value that is not of the kind its tag says, such as !!bool maybe.
    except (yaml.YAMLError, RecursionError, ValueError, LookupError, AttributeError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f":{mark.line + 1}" if mark is not None else ""
        what = getattr(error, "problem", None) or type(error).__name__
        raise InputError(
            f"{path}{where}: this is not the YAML of a plan ({what}); correct the line."
        ) from None


def plan_from(
    content: Any, file: str, folder: Path, paths: Mapping[str, str] | None = None
) -> Plan:
    """The plan in what YAML held; ``file`` names it in sentences, ``folder`` is where it lies."""
    faults = Faults(file)
    if isinstance(content, dict) and LEFT_OUT in content:
        if content[LEFT_OUT] is not False:
            faults.say(
                LEFT_OUT,
                "a plan cannot allow commands",
                "remove the line; if you trust whoever wrote the commands of the corpus, pass "
                "`allow_commands=True` each time",
            )
        content = {name: value for name, value in content.items() if name != LEFT_OUT}
    top = Fields(content, "", faults, FIELDS)
    places = _Places(top, folder, paths or {}, faults)
    plan = Plan(
        title=top.text("title", what="a title for the report"),
        sets=_sets(top, places, faults),
        safeguards=_safeguards(top, faults),
        attackers=top.names("attackers", DEFAULT, attackers()),
        attacker_training=places.one(top, "attacker_training"),
        encoders=_encoders(top),
        comparison=_comparison(top, places, faults),
        utility=_utility(top, faults),
        genders=top.flag("genders", True),
        similarity=top.choice("similarity", "geometric", SIMILARITIES),
        replicates=top.number("replicates", REPLICATES),
        permutations=top.number("permutations", REPLICATES),
        seed=top.number("seed", 0),
        key_file=places.one(top, "key_file"),
        key_session=top.text("key_session", "default"),
        figures=top.flag("figures", True),
        clips=top.flag("clips", True),
        include_originals=top.flag("include_originals", False),
        note=top.text("note", ""),
        slices=_slices(top, places, faults),
    )
    places.report()
    if not faults.found:
        check_plan(plan, faults)
    if faults.found:
        raise PlanError(faults.found)
    return plan


def check_plan(plan: Plan, faults: Faults) -> None:
    """What no single field tells: fields that need each other, and names that must differ."""
    for field, named in (("sets", plan.sets), ("safeguards", plan.safeguards)):
        names = [one.name for one in named]
        if not names:
            faults.say(field, "is empty", "name at least one")
        for name in dict.fromkeys(name for name in names if names.count(name) > 1):
            faults.say(field, f"{name!r} is there twice", "give each its own name")
    everybody = attackers()
    trains = [name for name, who in everybody.items() if who.trains]
    for name in plan.attackers:
        if name in trains and plan.attacker_training is None:
            faults.say(
                "attacker_training",
                "is missing",
                f"the attacker {name} trains on speech of other people: write the path of a corpus",
            )
    if plan.attacker_training is not None and not set(trains) & set(plan.attackers):
        faults.say(
            "attacker_training",
            "nobody trains on it",
            f"add {' or '.join(trains)} to attackers, or remove it",
        )
    learns = plan.comparison.backend == "plda" or plan.comparison.as_norm
    if learns and plan.comparison.training is None:
        faults.say(
            "comparison.training",
            "is missing",
            "PLDA and AS-norm learn from speech of other people: write the path of a corpus",
        )
    if plan.include_originals and not plan.clips:
        faults.say("include_originals", "there are no clips", "write clips: true, or remove it")
    texts = plan.slices.language_model
    if texts and not plan.sliced:
        faults.say(
            "slices.language_model",
            "there are no slices to read",
            "end a safeguard in slice, such as mcadams+slice:duration=1.0, or remove it",
        )
    if len(texts) > 1 and any(map(is_arpa, texts)):
        faults.say(
            "slices.language_model",
            "an ARPA file is a whole model",
            "name it alone, or name texts only",
        )


class _Places:
    """Paths of a plan: from its folder on, ``${…}`` filled in; what is open is said once."""

    def __init__(self, top: Fields, folder: Path, given: Mapping[str, str], faults: Faults) -> None:
        self._folder, self._faults = folder, faults
        self._open: dict[str, list[str]] = {}
        named = top.raw("paths")
        if named is not None and not isinstance(named, dict):
            top.wrong("paths", "is not a mapping", "write a name and a path, or nothing, a line")
            named = {}
        self._named = {str(k): str(v) for k, v in (named or {}).items() if v is not None}
        known = {str(name) for name in named or {}}
        for name, value in given.items():
            if name not in known:
                there = ", ".join(sorted(known)) or "none"
                faults.say("paths", f"there is no path {name!r} to fill in", f"it has {there}")
            # What is typed counts from where it is typed, not from where the plan lies.
            self._named[name] = str(Path(value).expanduser().absolute())

    def one(self, fields: Fields, name: str) -> Path | None:
        return self.of(fields, name, fields.raw(name)) if name in fields else None

    def of(self, fields: Fields, name: str, value: Any) -> Path | None:
        if not isinstance(value, str) or not value.strip() or "\0" in value:
            fields.wrong(name, "is not a path", "write a path")
            return None
        missing = [n for n in BLANK.findall(value) if n not in self._named]
        for blank in missing:
            self._open.setdefault(blank, []).append(fields.at(name))
        if missing:
            return None
        filled = BLANK.sub(lambda match: self._named[match[1]], value)
        try:
            return self._folder / Path(filled).expanduser()
        except RuntimeError:  # ~ of somebody whom this machine does not know
            fields.wrong(name, "begins in the home of nobody here", "write a path")
            return None

    def report(self) -> None:
        """One sentence for each path that nobody has filled in."""
        for blank, used in self._open.items():
            need = f" and {len(used) - 1} more need it" if len(used) > 1 else " needs it"
            given = {blank: "FOLDER"}
            self._faults.say(
                f"paths.{blank}",
                f"is not filled in, and {used[0]}{need}",
                f"write where it lies on your machine there, or pass `paths={given}`",
            )


def _sets(top: Fields, places: _Places, faults: Faults) -> tuple[SetPlan, ...]:
    value = top.raw("sets")
    if not isinstance(value, dict) or not value:
        top.wrong("sets", "names no data set", "write a name and the path of a corpus a line")
        return ()
    found = []
    for name, content in value.items():
        path = f"sets.{name}"
        fields = Fields(
            {"corpus": content} if isinstance(content, str | list) else content,
            path,
            faults,
            ("corpus", "layout", "only", "enrols", "trials"),
        )
        corpora = [
            places.of(fields, f"corpus[{k}]" if k else "corpus", item)
            for k, item in enumerate(fields.items("corpus"))
        ]
        if "corpus" not in fields:
            fields.wrong("corpus", "is missing", "write the path of a corpus, or a list of paths")
        enrols, trials = places.one(fields, "enrols"), places.one(fields, "trials")
        if "enrols" in fields and "trials" not in fields:
            fields.wrong("trials", "is missing", "an enrolment list goes with a list of trials")
        found.append(
            SetPlan(
                str(name),
                tuple(p for p in corpora if p is not None),
                fields.choice("layout", "auto", LAYOUTS),
                fields.text("only", "*", what="a pattern of utterance ids such as *_mic2"),
                enrols,
                trials,
            )
        )
    return tuple(found)


def _safeguards(top: Fields, faults: Faults) -> tuple[SafeguardPlan, ...]:
    items = top.items("safeguards")
    if "safeguards" not in top:
        top.wrong("safeguards", "is missing", "list safeguards such as mcadams, a line each")
    found: list[SafeguardPlan] = []
    for k, item in enumerate(items):
        at = f"safeguards[{k}]"
        content = {"safeguard": item} if isinstance(item, str) else item
        fields = Fields(content, at, faults, ("name", "safeguard"))
        chain = fields.text("safeguard", what="a safeguard, name:param=value,…")
        name = fields.text("name", chain)
        try:
            if chain:
                parse_chain(chain)
        except PseudovoiceError as error:
            fields.wrong("safeguard", str(error).rstrip("."), "see `pseudovoice list safeguards`")
        if name in [one.name for one in found]:
            fields.wrong("name", f"{name} is there already", "give each its own name")
        found.append(SafeguardPlan(name, chain))
    return tuple(found)


def _encoders(top: Fields) -> tuple[str, ...]:
    found = top.names("encoders", (DEFAULT_ENCODER,), ())
    for k, name in enumerate(found):
        parts = name.removeprefix("fusion:").split("+") if name.startswith("fusion:") else [name]
        for part in parts:
            if part not in encoder_names() and not part.startswith(("onnx:", "hf:")):
                top.wrong(
                    f"encoders[{k}]",
                    f"there is no encoder {part!r}",
                    f"choose from {', '.join(encoder_names())}, fusion:a+b, onnx:PATH, hf:org/name",
                )
    return found


def _comparison(top: Fields, places: _Places, faults: Faults) -> ComparisonPlan:
    if "comparison" not in top:
        return ComparisonPlan()
    fields = Fields(top.raw("comparison"), "comparison", faults, ("backend", "training", "as_norm"))
    return ComparisonPlan(
        fields.choice("backend", BACKENDS[0], BACKENDS),
        places.one(fields, "training"),
        fields.flag("as_norm", False),
    )


def _utility(top: Fields, faults: Faults) -> UtilityPlan | None:
    value = top.raw("utility")
    if value is None or value is True:
        return UtilityPlan()
    if value is False:
        return None
    known = ("measures", "utterances", "recogniser", "reference")
    fields = Fields(value, "utility", faults, known)
    every = fields.raw("utterances") == "all"
    return UtilityPlan(
        fields.names("measures", MEASURES, MEASURES),  # type: ignore[arg-type]
        None if every else fields.whole("utterances", UTTERANCES_MEASURED, 1),
        fields.choice("recogniser", DEFAULT_RECOGNISER, RECOGNISER_NAMES),
        fields.choice("reference", "auto", REFERENCES),  # type: ignore[arg-type]
    )


def _slices(top: Fields, places: _Places, faults: Faults) -> SlicesPlan:
    if "slices" not in top:
        return SlicesPlan()
    known = ("language_model", "samples", "utterances")
    fields = Fields(top.raw("slices"), "slices", faults, known)
    texts = [
        places.of(fields, f"language_model[{k}]" if k else "language_model", item)
        for k, item in enumerate(fields.items("language_model"))
    ]
    return SlicesPlan(
        tuple(path for path in texts if path is not None),
        fields.number("samples", SAMPLES, 1),
        fields.number("utterances", UTTERANCES, 2),
    )
