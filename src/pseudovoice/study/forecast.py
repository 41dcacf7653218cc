"""What a plan would do, what of it is done already, and about how long the rest takes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from pseudovoice.cores import usable_cores
from pseudovoice.corpus import Corpus, read_corpus
from pseudovoice.keys import read_key
from pseudovoice.storage import home_of
from pseudovoice.study.given import read_given
from pseudovoice.study.graph import WORK, GraphBuilder
from pseudovoice.study.hours import unheard
from pseudovoice.study.keys import StudyKeys, key_place
from pseudovoice.study.plan import Plan, brought
from pseudovoice.study.rates import WRITE, hours_of, slowness
from pseudovoice.study.speech import SetSpeech, cut_set, read_set
from pseudovoice.study.stage import StageStore, Step, foretell


@dataclass(frozen=True)
class DryRun:
    """What a plan would do: facts about each set, and every stage in order.

    ``unheard`` counts utterances whose length is unknown because a command would print them;
    ``writing`` are the seconds that tables and page take in the end.
    """

    sets: tuple[str, ...]
    steps: tuple[Step, ...]
    notes: tuple[str, ...]
    unheard: int = 0
    writing: float = 0.0

    @property
    def seconds(self) -> float:
        left = sum(step.seconds for step in self.steps)
        return left if all(step.done for step in self.steps) else left + self.writing


def dry_run(plan: Plan, out: Path, *, workers: int | None = None) -> DryRun:
    """Look at corpora and results that are there; nothing is made, fetched, written or run.

    Speech is hashed to find out what is done, so that a large corpus takes a moment. Commands that
    corpora name in place of files are counted and left alone: what they would print, and so what
    is done of it, cannot be told.
    """
    keys, notes = _keys(plan, out)
    plan, out = brought(plan), home_of(out)
    content: dict[int, str | None] = {}

    def fingerprint(corpus: Corpus) -> str | None:
        if id(corpus) not in content:
            told = not _is_commanded(corpus)
            content[id(corpus)] = corpus.fingerprint(content=True) if told else None
        return content[id(corpus)]

    def read(path: Path | None) -> Corpus | None:
        return None if path is None else read_corpus(path, allow_commands=True)

    # Commands are listed, and nothing here decodes them.
    names = keys.names(plan)
    sets = [read_set(one, allow_commands=True) for one in plan.sets]
    sets = [one if _is_commanded(one.source) else cut_set(one) for one in sets]
    sets = [replace(one, names=names) for one in sets]
    training, backend_training = read(plan.attacker_training), read(plan.comparison.training)
    elsewhere = {
        one.name: read_given(one, allow_commands=True, speaker_from=plan.speaker_from)
        for one in plan.safeguards
        if one.elsewhere
    }
    learnt = read(None if plan.asr_training is None else plan.asr_training.corpus)
    graph = GraphBuilder(
        plan, out, keys, fingerprint, training, backend_training, elsewhere, learnt
    )
    for speech in sets:
        notes += [f"{speech.name}: {problem}" for problem in speech.source.problems]
        notes += [f"{speech.name}: {note}" for note in speech.notes]
    stages = [
        stage
        for speech in sets
        for safeguard in plan.safeguards
        for stage in graph.branch(speech, safeguard).stages()
    ]
    store = StageStore(out / WORK / "stages")
    steps = foretell(stages, store, workers or usable_cores(), slowness())
    named = [training, backend_training, learnt, *(one.corpus for one in sets)]
    corpora = [corpus for corpus in named if corpus is not None]
    notes += [note for corpus in corpora for note in _commands_of(corpus)]
    facts = tuple(_described(one) for one in sets)
    return DryRun(facts, tuple(steps), tuple(notes), sum(map(unheard, corpora)), slowness() * WRITE)


def _keys(plan: Plan, out: Path) -> tuple[StudyKeys, list[str]]:
    place = key_place(plan, out)
    if place is None:
        return StudyKeys(), ["No safeguard of the plan needs a key."]
    if place.exists():
        key = read_key(place)
        return StudyKeys(key, place), [f"The key {key.identifier} is in {place}."]
    if plan.key_file is not None:
        read_key(place)  # says that there is none, and how to make one
    return StudyKeys(), [f"A new secret key would be made in {place}."]


def _is_commanded(corpus: Corpus) -> bool:
    return any(u.command is not None for u in corpus)


def _commands_of(corpus: Corpus) -> list[str]:
    """A note about what a run would start, where it would start anything."""
    commands = sum(u.command is not None for u in corpus)
    if not commands:
        return []
    return [
        f"{corpus.name}: {commands:,} of {len(corpus):,} utterances are the output of commands, "
        "which are not run here: how long they are, and what is done of them, is unknown. A run "
        "needs `allow_commands=True` to hear them."
    ]


def _described(speech: SetSpeech) -> str:
    corpus = speech.corpus
    genders = [g for g in corpus.genders.values() if g]
    by_gender = ", ".join(f"{genders.count(g)} {g}" for g in sorted(set(genders)))
    how = "listed trials" if speech.lists is not None else "every utterance with every other"
    return (
        f"{speech.name} ({corpus.layout}): {len(corpus):,} utterances of "
        f"{len(corpus.speakers):,} speakers{f' ({by_gender})' if by_gender else ''}, "
        f"{hours_of(corpus):.2f} h; {how}"
    )


def in_words(seconds: float) -> str:
    """About how long: nobody needs the seconds."""
    if seconds < 60:
        return "less than a minute"
    if seconds < 5400:
        minutes = round(seconds / 60)
        return f"about {minutes} minute{'' if minutes == 1 else 's'}"
    return f"about {seconds / 3600:.1f} hours"
