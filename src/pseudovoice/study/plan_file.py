"""Read a plan from YAML: every field checked, every fault said at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pseudovoice.asr.languages import language_code
from pseudovoice.attacks.ensemble import lacks_others
from pseudovoice.attacks.registry import DEFAULT, attackers
from pseudovoice.choices import MEASURES
from pseudovoice.encoders.registry import DEFAULT_ENCODER
from pseudovoice.errors import InputError, PseudovoiceError, UsageError
from pseudovoice.fields import ABSENT, Faults, fault_of, read_fields
from pseudovoice.safeguards import parse_chain
from pseudovoice.storage import address_of
from pseudovoice.study.language_model import is_arpa
from pseudovoice.study.plan import (
    AsrTrainingPlan,
    ComparisonPlan,
    Plan,
    SafeguardPlan,
    SetPlan,
    SlicesPlan,
    UtilityPlan,
)
from pseudovoice.study.written import (
    ENCODER,
    ENGINE,
    Encoder,
    Engine,
    WrittenAsrTraining,
    WrittenComparison,
    WrittenPlan,
    WrittenSafeguard,
    WrittenSet,
    WrittenSlices,
    WrittenUtility,
)
from pseudovoice.study.yaml_tree import yaml_tree

LEFT_OUT = "allow_commands"
"""Once a field. Plans that were written with it say false, which asks for nothing."""

AS_WRITTEN = (
    "tries",
    "known_pairs",
    "sessions",
    "genders",
    "similarity",
    "replicates",
    "permutations",
    "seed",
    "figures",
    "empirical_prior",
    "clips",
    "include_originals",
    "rename",
)
BLANK = re.compile(r"\$\{([^}]*)\}")


class PlanError(InputError):
    """A plan with faults, all of them."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = tuple(faults)


def read_plan(path: Path, *, paths: Mapping[str, str] | None = None) -> Plan:
    """The plan in a file. ``paths`` fills in, or overrides, what the file leaves open as ``${…}``.

    Relative paths count from the folder of the plan; addresses such as ``s3://…`` stay as they
    are. Whatever is wrong raises one `PlanError` with a sentence for every fault.
    """
    return plan_from(yaml_tree(path), str(path), path.resolve().parent, paths)


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
    good = read_fields(content, WrittenPlan, "", faults)
    said = WrittenPlan(**{"title": "", "sets": {}, "safeguards": (), **good})
    plan = _Reader(said, folder, paths or {}, faults).plan()
    if not faults.found:
        check_plan(plan, faults)
    if faults.found:
        raise PlanError(faults.found)
    return plan


def check_plan(plan: Plan, faults: Faults) -> None:
    """What no single field tells: fields that need each other, and names that must differ."""
    for field, names in (
        ("sets", [one.name for one in plan.sets]),
        ("safeguards", [one.name for one in plan.safeguards]),
    ):
        if not names:
            faults.say(field, "is empty", "name at least one")
        for k, name in enumerate(names):
            if name in names[:k]:
                faults.say(
                    f"{field}[{k}].name", f"{name} is there already", "give each its own name"
                )
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
    if plan.sessions > 1 and not plan.gathering:
        gatherers = [name for name, who in everybody.items() if who.gathers]
        faults.say(
            "sessions",
            "nobody gathers them",
            f"add {' or '.join(gatherers)} to attackers, or remove it",
        )
    linking = [n for n in plan.attackers if everybody[n].enrolment == "other sessions"]
    if linking and plan.sessions < 2:
        faults.say(
            "sessions",
            "is 1",
            f"the attacker {linking[0]} knows other sessions than this one: write 2 or more",
        )
    if lacks_others([everybody[name] for name in plan.attackers]):
        faults.say(
            "attackers",
            "there is nobody whose scores the ensemble could fuse",
            "add others who know the safeguard, such as lazy",
        )
    learns = plan.comparison.backend == "plda" or plan.comparison.as_norm
    if learns and plan.comparison.training is None:
        faults.say(
            "comparison.training",
            "is missing",
            "PLDA and AS-norm learn from speech of other people: write the path of a corpus",
        )
    if plan.asr_training is not None:
        _check_asr_training(plan, plan.asr_training, faults)
    if plan.include_originals and not plan.clips:
        faults.say("include_originals", "there are no clips", "write clips: true, or remove it")
    if plan.rename:
        _check_rename(plan, faults)
    texts = plan.slices.language_model
    if texts and not plan.sliced:
        faults.say(
            "slices.language_model",
            "there are no slices to read",
            "end a safeguard in slice, such as mcadams+slice:duration=1.0, or remove it",
        )
    trained_on = plan.asr_training is not None and bool(plan.asr_training.durations)
    if plan.slices.check_words and not (plan.sliced or trained_on):
        faults.say(
            "slices.check_words",
            "there are no slices to cut between words",
            "end a safeguard in slice, such as mcadams+slice:duration=1.0, or remove it",
        )
    if plan.slices.successors and not plan.sliced:
        faults.say(
            "slices.successors",
            "there are no slices to put together",
            "end a safeguard in slice, such as mcadams+slice:duration=1.0, or remove it",
        )
    if len(texts) > 1 and any(map(is_arpa, texts)):
        faults.say(
            "slices.language_model",
            "an ARPA file is a whole model",
            "name it alone, or name texts only",
        )


def _check_asr_training(plan: Plan, wanted: AsrTrainingPlan, faults: Faults) -> None:
    if all(one.slices or one.elsewhere for one in plan.safeguards):
        faults.say(
            "asr_training",
            "there is no safeguard to protect it with",
            "name one that does not end in slice: durations say what is cut",
        )
    if len(set(wanted.durations)) < len(wanted.durations):
        faults.say("asr_training.durations", "one is there twice", "name each once")
    if plan.rename:
        faults.say(
            "asr_training",
            "goes with no pseudonyms: speech that is trained on keeps its names",
            "train in a study of its own, without rename",
        )


def _check_rename(plan: Plan, faults: Faults) -> None:
    """What would bring names or voices back that pseudonyms take away."""
    if plan.include_originals:
        faults.say(
            "include_originals",
            "whoever hears original voices knows who bears the pseudonyms",
            "remove it, or remove rename",
        )
    if plan.sliced:
        faults.say(
            "rename",
            "slices bear nobody's name, and what tells whose they are bears all",
            "assess chains that end in slice in a study of their own, without rename",
        )
    if any(one.elsewhere for one in plan.safeguards):
        faults.say(
            "rename",
            "speech that was protected elsewhere bears the names that it has",
            "assess it in a study of its own, without rename",
        )
    for one in plan.sets:
        if one.enrols is not None:
            faults.say(
                f"sets.{one.name}.enrols",
                "an enrolment list names people",
                "remove it, or remove rename",
            )


class _Reader:
    """From what is written to what is meant: paths lead somewhere, chains can be made.

    Paths count from the plan's folder, and ``${…}`` is filled in; what is open is said once.
    """

    def __init__(
        self, said: WrittenPlan, folder: Path, given: Mapping[str, str], faults: Faults
    ) -> None:
        self._said, self._folder, self._faults = said, folder, faults
        self._open: dict[str, list[str]] = {}
        self._named = {name: str(path) for name, path in said.paths.items() if path is not None}
        for name, value in given.items():
            if name not in said.paths:
                there = ", ".join(sorted(said.paths)) or "none"
                faults.say("paths", f"there is no path {name!r} to fill in", f"it has {there}")
            # What is typed counts from where it is typed, not from where the plan lies.
            typed = Path(value).expanduser().absolute()
            self._named[name] = str(typed if address_of(value) is None else value)

    def plan(self) -> Plan:
        said = self._said
        plan = Plan(
            title=str(said.title),
            sets=tuple(self._set(f"sets.{name}", name, one) for name, one in said.sets.items()),
            safeguards=tuple(
                self._safeguard(at, one) for at, one in _each("safeguards", said.safeguards)
            ),
            attackers=self._names("attackers", said.attackers) or DEFAULT,
            attacker_training=self._path("attacker_training", said.attacker_training),
            encoders=self._encoders(said.encoders) or (DEFAULT_ENCODER,),
            comparison=self._comparison(said.comparison or WrittenComparison()),
            utility=self._utility(said.utility),
            key_file=self._path("key_file", said.key_file),
            key_session="default" if said.key_session is None else str(said.key_session),
            note="" if said.note is None else str(said.note),
            slices=self._slices(said.slices or WrittenSlices()),
            engine=self._engine(said.engine),
            asr_training=self._asr_training(said.asr_training),
            **{name: getattr(said, name) for name in AS_WRITTEN},
        )
        self._say_open()
        return plan

    def _set(self, at: str, name: str, one: Any) -> SetPlan:
        said = one if isinstance(one, WrittenSet) else WrittenSet(one)
        if said.enrols is not None and said.trials is None:
            self._faults.say(
                f"{at}.trials", "is missing", "an enrolment list goes with a list of trials"
            )
        if said.all_pairs and said.enrols is None:
            self._faults.say(
                f"{at}.all_pairs",
                "goes with listed trials",
                "name enrols and trials, or remove it: everything is then compared all with all",
            )
        if said.true_turns is not None and said.turns is None:
            self._faults.say(
                f"{at}.turns", "is missing", "true turns are what given ones are measured by"
            )
        if said.turns is not None and said.speaker_from is not None:
            self._faults.say(
                f"{at}.speaker_from", "goes with no turns", "remove it: turns say who speaks"
            )
        if said.turns is not None and said.trials is not None:
            self._faults.say(
                f"{at}.trials",
                "goes with no turns",
                "what is cut by turns is compared all with all",
            )
        return SetPlan(
            name,
            self._paths(f"{at}.corpus", said.corpus),
            said.layout,
            "*" if said.only is None else str(said.only),
            self._path(f"{at}.enrols", said.enrols),
            self._paths(f"{at}.trials", said.trials or ()),
            said.cut,
            self._path(f"{at}.turns", said.turns),
            self._path(f"{at}.true_turns", said.true_turns),
            said.all_pairs,
            None if said.speaker_from is None else str(said.speaker_from),
        )

    def _safeguard(self, at: str, one: Any) -> SafeguardPlan:
        said = one if isinstance(one, WrittenSafeguard) else WrittenSafeguard(one)
        if said.safeguard is None or said.protected is not None:
            return self._made_elsewhere(at, said)
        if said.another_run is not None:
            self._faults.say(
                f"{at}.another_run",
                "goes with speech that was protected elsewhere",
                "remove it: a safeguard is run again by itself",
            )
        try:
            parse_chain(said.safeguard)
        except PseudovoiceError as error:
            wrong = str(error).rstrip(".")
            self._faults.say(f"{at}.safeguard", wrong, "see `pseudovoice list safeguards`")
        return SafeguardPlan(
            said.safeguard if said.name is None else str(said.name), said.safeguard
        )

    def _made_elsewhere(self, at: str, said: WrittenSafeguard) -> SafeguardPlan:
        if said.safeguard is not None:
            self._faults.say(at, "names both a safeguard and protected speech", "write one of them")
        if said.protected is None:
            self._faults.say(
                f"{at}.safeguard", "is missing", "write a safeguard, or protected and a path"
            )
        elif said.name is None:
            self._faults.say(f"{at}.name", "is missing", "write what tables are to call it")
        return SafeguardPlan(
            str(said.name),
            "",
            self._paths(f"{at}.protected", said.protected or ()),
            self._paths(f"{at}.another_run", said.another_run or ()),
        )

    def _encoders(self, said: Any) -> tuple[str, ...]:
        for at, name in _each("encoders", said):
            if not re.match(ENCODER, name):
                self._faults.say(at, *fault_of(name, Encoder))
        return self._names("encoders", said)

    def _comparison(self, said: WrittenComparison) -> ComparisonPlan:
        training = self._path("comparison.training", said.training)
        return ComparisonPlan(said.backend, training, said.as_norm)

    def _utility(self, said: WrittenUtility | bool | None) -> UtilityPlan | None:
        if said is False:
            return None
        if not isinstance(said, WrittenUtility):
            return UtilityPlan()
        return UtilityPlan(
            self._names("utility.measures", said.measures) or MEASURES,
            None if said.utterances == "all" else said.utterances,
            said.recogniser,
            said.reference,
            self._language(said.language),
        )

    def _language(self, said: str) -> str:
        try:
            return language_code(said)
        except PseudovoiceError as error:
            wrong, _, remedy = str(error).rstrip(".").partition("; ")
            self._faults.say("utility.language", wrong, remedy)
            return said

    def _slices(self, said: WrittenSlices) -> SlicesPlan:
        texts = self._paths("slices.language_model", said.language_model or ())
        networks = self._paths("slices.successors", said.successors or ())
        return SlicesPlan(
            texts, said.samples, said.utterances, said.cut_training, networks, said.check_words
        )

    def _asr_training(self, said: WrittenAsrTraining | None) -> AsrTrainingPlan | None:
        if said is None:
            return None
        corpus = self._path("asr_training.corpus", said.corpus)
        return AsrTrainingPlan(
            corpus or Path(),
            tuple(float(one) for _, one in _each("asr_training.durations", said.durations)),
            said.recipe,
            said.width,
            said.epochs,
            float(said.batch),
            self._paths("asr_training.language_model", said.language_model or ()),
        )

    def _engine(self, said: str) -> str:
        if not re.match(ENGINE, said):
            self._faults.say("engine", *fault_of(said, Engine))
        return said

    def _names(self, path: str, items: Any) -> tuple[Any, ...]:
        found: dict[str, None] = {}
        for at, name in _each(path, items):
            if name in found:
                self._faults.say(at, f"{name} is listed twice", "name each once")
            found[name] = None
        return tuple(found)

    def _paths(self, path: str, items: Any) -> tuple[Path, ...]:
        read = [self._path(at, item) for at, item in _each(path, items)]
        return tuple(one for one in read if one is not None)

    def _path(self, at: str, value: str | None) -> Path | None:
        if value is None:
            return None
        if not value.strip() or "\0" in value:
            self._faults.say(at, "is not a path", "write a path")
            return None
        missing = [name for name in BLANK.findall(value) if name not in self._named]
        for blank in missing:
            self._open.setdefault(blank, []).append(at)
        if missing:
            return None
        filled = BLANK.sub(lambda match: self._named[match[1]], value)
        try:
            if address_of(filled) is not None:
                return Path(filled)
            return self._folder / Path(filled).expanduser()
        except UsageError as error:  # half an address
            wrong, _, remedy = str(error).rstrip(".").partition("; ")
            self._faults.say(at, wrong, remedy)
            return None
        except RuntimeError:  # ~ of somebody whom this machine does not know
            self._faults.say(at, "begins in the home of nobody here", "write a path")
            return None

    def _say_open(self) -> None:
        """One sentence for each path that nobody has filled in."""
        for blank, used in self._open.items():
            need = f" and {len(used) - 1} more need it" if len(used) > 1 else " needs it"
            given = {blank: "FOLDER"}
            self._faults.say(
                f"paths.{blank}",
                f"is not filled in, and {used[0]}{need}",
                f"write where it lies on your machine there, or pass `paths={given}`",
            )


def _each(path: str, items: Any) -> Iterator[tuple[str, Any]]:
    """The entries that are right, each with its path; a single text is a list of one."""
    if isinstance(items, tuple):
        yield from ((f"{path}[{k}]", one) for k, one in enumerate(items) if one is not ABSENT)
    elif items is not None:
        yield path, items
