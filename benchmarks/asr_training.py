"""Table 1 of maouche2022 at the scale of the corpora at hand: is sliced speech good to learn from?

    python benchmarks/asr_training.py TRAIN TEST WORK --text SENTENCES … [--recipe head]

Protects both corpora with B2 (``mcadams``), cuts clear and protected TRAIN into slices, trains an
acoustic model on each, and counts its word errors in whole utterances of TEST, clear and protected.
For train-clean-360 name its folder. Everything is kept in WORK: a killed run goes on where it was.
Words are aligned once, on clear speech, since McAdams leaves their times alone. Needs the extra
``[train]``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np

from pseudovoice.alignment import ReadAlignments, align_corpus, read_alignments
from pseudovoice.asr.ctc import learn_language, load_ctc
from pseudovoice.asr.ctc.front_end import FrontEnd, load_front_end
from pseudovoice.asr.recogniser import Float32
from pseudovoice.atomic import write_atomic
from pseudovoice.choices import UTILITY_REPLICATES
from pseudovoice.corpus import Corpus, read_corpus
from pseudovoice.keys import new_key, read_key, write_key
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.safeguards import parse_chain
from pseudovoice.slicing import Slicing, slice_corpus
from pseudovoice.text.ngram import NGram
from pseudovoice.training.ctc_recipe import RECIPES, SHAPES, CtcRecipe
from pseudovoice.training.ctc_train import train_recogniser
from pseudovoice.utility.assess import UtilityAssessment, assess_utility
from pseudovoice.utility.interval import Interval, Ratio, draws, interval
from pseudovoice.utility.store import MeasureStore

SAFEGUARD = "mcadams"
CONDITIONS = ("clear", "protected")
SIDES = {"clear": "original", "protected": "protected"}
NONE = "none"
TOO_WEAK = 0.5
"""WER of the clear, unsliced cell above which a recipe shows nothing."""

NEGLIGIBLE = 0.1
"""Relative rise of the WER that still counts as none."""


@dataclass(frozen=True)
class Bench:
    """Where everything is, and how much of it is used."""

    train: Path
    test: Path
    work: Path
    text: tuple[Path, ...]
    durations: tuple[float, ...]
    left_out: tuple[str, ...]
    limit: int
    workers: int

    def prepare(self) -> dict[tuple[str, str], Corpus]:
        """The corpora to learn from: clear and protected, whole and sliced."""
        clear = transcribed(read_corpus(self.train), self.left_out)
        guarded = self._protected(clear, "train-b2")
        corpora = {("clear", NONE): clear, ("protected", NONE): guarded}
        aligner = self._aligned(clear)
        key_file = self.work / "slices.key"
        if not key_file.exists():
            write_key(new_key(), key_file)
        for condition in CONDITIONS:
            for duration in self.durations:
                done = slice_corpus(
                    corpora[condition, NONE],
                    self.work / f"train-{condition}-{duration:g}s",
                    Slicing(duration),
                    key=read_key(key_file),
                    key_session=condition,
                    aligner=aligner,
                    workers=self.workers,
                )
                say(f"{condition}, {duration:g} s: {done.summary}")
                corpora[condition, f"{duration:g} s"] = done.corpus
        return corpora

    def tested(self) -> tuple[Corpus, Corpus]:
        """Whole utterances, clear and protected; as many of each speaker as are asked for."""
        whole = transcribed(read_corpus(self.test), ())
        chosen = whole.subset(
            ids=[
                own[k * len(own) // min(self.limit, len(own))].id
                for own in whole.speakers.values()
                for k in range(min(self.limit, len(own)))
            ]
        )
        return chosen, self._protected(chosen, "test-b2")

    def language(self) -> NGram | None:
        """From the named text, without any sentence of the whole test corpus."""
        if not self.text:
            return None
        sentences = [u.transcript or "" for u in read_corpus(self.test)]
        model = learn_language(self.text, tested=sentences)
        say(f"language model of {len(model.words):,} words")
        return model

    def _protected(self, corpus: Corpus, name: str) -> Corpus:
        chain = parse_chain(SAFEGUARD)
        done = protect_corpus(corpus, self.work / name, chain, key=None, workers=self.workers)
        say(f"{name}: {len(done.corpus)} of {len(corpus)} protected")
        return done.corpus

    def _aligned(self, corpus: Corpus) -> ReadAlignments:
        path = self.work / "alignments.json"
        if not path.exists():
            found = align_corpus(corpus, workers=self.workers, progress=Counter(len(corpus)))
            say(f"aligned {len(found.alignments)}, not {len(found.problems)}")
            times = {
                name: [[w.word, w.start, w.end, w.confidence] for w in alignment.words]
                for name, alignment in found.alignments.items()
            }
            write_atomic(path, json.dumps(times))
        return read_alignments(path)


def run(bench: Bench, choices: Sequence[CtcRecipe]) -> list[dict[str, Any]]:
    """Every cell, as rows for a table."""
    corpora, (clear, guarded) = bench.prepare(), bench.tested()
    language = bench.language()
    store = MeasureStore(bench.work / "words.sqlite")
    rows: list[dict[str, Any]] = []
    for recipe in choices:
        front_end = remembering(load_front_end(SHAPES[recipe.recipe].front_end))
        whole: dict[str, UtilityAssessment] = {}
        for (condition, slicing), corpus in corpora.items():
            folder = bench.work / f"{named(recipe)}-{condition}-{slicing.replace(' ', '')}"
            learnt = train_recogniser(corpus, folder, recipe, threads=1, progress=Now())
            heard = assess_utility(
                clear,
                guarded,
                recogniser=load_ctc(folder, language=language, front_end=front_end),
                measures=["words"],
                reference="transcripts",
                store=store,
                workers=bench.workers,
                by_gender=False,
            )
            if slicing == NONE:
                whole[condition] = heard
            row = {
                "recipe": recipe.recipe,
                "training": condition,
                "slicing": slicing,
                "hours": learnt.hours,
                "pieces": learnt.utterances,
                "epoch": learnt.best_epoch,
                "held_out_cer": learnt.cer,
                "seconds": learnt.seconds,
                **{side: cell(heard, whole[condition], side) for side in CONDITIONS},
            }
            rows.append(row)
            say(f"{folder.name}: {learnt.seconds:.0f} s, {shown(row)}")
            name = "-".join(("table", *map(named, choices)))
            write_atomic(bench.work / f"{name}.json", json.dumps(rows, indent=1) + "\n")
    return rows


def named(recipe: CtcRecipe) -> str:
    return recipe.recipe + (f"-seed{recipe.seed}" if recipe.seed else "")


def cell(heard: UtilityAssessment, whole: UtilityAssessment, side: str) -> dict[str, Any]:
    """WER on one kind of test speech, and how much more that is than without slicing."""
    row = heard.value("wer", SIDES[side])
    more = relative(heard, whole, SIDES[side])
    return {
        "wer": (row.value, row.low, row.high),
        "cer": heard.value("cer", SIDES[side]).value,
        "relative": None if heard is whole else (more.value, more.low, more.high),
    }


def relative(heard: UtilityAssessment, whole: UtilityAssessment, side: str) -> Interval:
    """Errors over errors of the same words, less one; speakers are drawn for both at once."""
    by_speaker: dict[str, list[int]] = {}
    for at, assessed in enumerate((heard, whole)):
        for item in assessed.items:
            by_speaker.setdefault(item.speaker, [0, 0])[at] += getattr(item, side).errors
    counts = np.array([by_speaker[name] for name in sorted(by_speaker)], dtype=np.float64)
    ratio = Ratio(counts[:, 0], counts[:, 1])
    found = interval(ratio, drawn=draws(len(counts), UTILITY_REPLICATES, 0))
    low, high = found.low, found.high
    return Interval(
        found.value - 1.0,
        None if low is None else low - 1.0,
        None if high is None else high - 1.0,
    )


def verdict(rows: Sequence[dict[str, Any]], row: dict[str, Any], side: str) -> str:
    """What a cell says of the paper's claim."""
    first = next(r for r in rows if r["recipe"] == row["recipe"])
    if first["clear"]["wer"][0] > TOO_WEAK:
        return "too weak to conclude"
    if row[side]["relative"] is None:
        return ""
    _, low, high = row[side]["relative"]
    if high <= NEGLIGIBLE:
        return "within 10 %"
    return "more than 10 %" if low > NEGLIGIBLE else "cannot be told"


def table(rows: Sequence[dict[str, Any]]) -> str:
    """The layout of Table 1, in Markdown."""
    lines = [
        "| recipe | training data | slicing | test: clear | change | test: protected | change |",
        "|---|---|---|---|---|---|---|",
    ]
    # As the paper has it: all slicings of one kind of training data together.
    for row in sorted(rows, key=lambda r: (r["recipe"], r["training"])):
        cells = [row["recipe"], row["training"], row["slicing"]]
        for side in CONDITIONS:
            more = row[side]["relative"]
            said = verdict(rows, row, side)
            change = "" if more is None else f"{percent(more, '+')}: {said}"
            cells += [percent(row[side]["wer"]), change or said]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def percent(numbers: Sequence[float | None], sign: str = "") -> str:
    value, low, high = (None if x is None else f"{100 * x:{sign}.1f}" for x in numbers)
    return f"{value}" if low is None else f"{value} [{low}, {high}]"


def shown(row: dict[str, Any]) -> str:
    return ", ".join(f"{side} {percent(row[side]['wer'])}" for side in CONDITIONS)


def remembering(front_end: FrontEnd) -> FrontEnd:
    """The front end with a memory: every network of a recipe hears the same test utterances."""
    known: dict[bytes, Float32] = {}

    def frames(waveform: Float32) -> Float32:
        name = hashlib.sha256(waveform.tobytes()).digest()
        if name not in known:
            known[name] = front_end.frames(waveform)
        return known[name]

    return replace(front_end, frames=frames)


def transcribed(corpus: Corpus, left_out: Sequence[str]) -> Corpus:
    """Utterances with words, but for those whose ids fit one of the patterns."""
    told = [u.id for u in corpus if (u.transcript or "").strip()]
    return corpus.subset(ids=[i for i in told if not any(fnmatch(i, p) for p in left_out)])


class Now:
    """Says once a minute how far something is."""

    def __init__(self) -> None:
        self._said = time.monotonic()

    def __call__(self, what: str, done: int, total: int) -> None:
        if time.monotonic() - self._said > 60:
            self._said = time.monotonic()
            say(f"  {what}: {done} of {total}")


class Counter:
    """Says now and then how far something is."""

    def __init__(self, total: int) -> None:
        self._total, self._done = total, 0

    def __call__(self, count: int) -> None:
        self._done += count
        if self._done % 200 == 0:
            say(f"  {self._done} of {self._total}")


def say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("train", "test", "work"):
        parser.add_argument(name, type=Path, nargs="?")
    parser.add_argument("--text", type=Path, nargs="*", default=[])
    parser.add_argument("--duration", type=float, nargs="*", default=[1.0])
    parser.add_argument("--leave-out", nargs="*", default=[], help="patterns of training ids")
    parser.add_argument("--limit", type=int, default=4, help="test utterances a speaker")
    parser.add_argument("--recipe", nargs="*", choices=RECIPES, default=RECIPES)
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--width", type=int)
    parser.add_argument(
        "--seed", type=int, default=0, help="of the training; others vary by chance"
    )
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    if options.work is None:
        print("left out: it takes an hour and needs corpora; name TRAIN TEST WORK")
        return
    options.work.mkdir(parents=True, exist_ok=True)
    bench = Bench(
        options.train,
        options.test,
        options.work,
        tuple(options.text),
        tuple(options.duration),
        tuple(options.leave_out),
        options.limit,
        options.workers,
    )
    choices = [
        CtcRecipe(name, options.width, options.epochs, options.seed) for name in options.recipe
    ]
    print(table(run(bench, choices)))


if __name__ == "__main__":
    main()
