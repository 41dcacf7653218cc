"""How hard slices are to put back: Tables 2 and 3 of Maouche et al. (2022) on speech at hand.

    python benchmarks/reassembly_tables.py [--speech FOLDER] [--text FOLDER] [--work FOLDER]

The speech has the corpora ``dev``, which is sliced and attacked, and ``train``, with which the
attacker learns; the text has the attacker's sentences. Alignments, slices, networks and results
are kept in the work folder, and what is there is not done again. Networks are trained where torch
is installed (extra ``train``); without them their rows are missing. Everything runs on one core.
Print the tables alone with --show.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterable, Sequence
from hashlib import sha256
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from pseudovoice.alignment import align_corpus, read_alignments
from pseudovoice.alignment.readers import ReadAlignments
from pseudovoice.atomic import write_atomic
from pseudovoice.corpus import Corpus, decode, read_corpus
from pseudovoice.encoders import load_encoder
from pseudovoice.keys import Key
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.reassembly import (
    Ends,
    NGram,
    SpeechSuccessor,
    attack_samples,
    attack_text,
    learn_fusions,
    listen,
    load_successor,
    succession,
    tokens,
    train,
    without,
)
from pseudovoice.reassembly.attack import draw_samples, rank_samples
from pseudovoice.reassembly.cues import shared_samples
from pseudovoice.reassembly.waveform import continuity
from pseudovoice.safeguards import parse_chain
from pseudovoice.slicing import Origin, Slicing, read_table, slice_corpus, slice_words
from pseudovoice.training import train_successor

SHARED = Path(__file__).resolve().parents[2] / "shared"
WORK = Path(__file__).resolve().parents[1] / "build" / "reassembly"

TEXT_SECONDS = (1.0, 1.5, 3.0, 4.0)
SOUND_SECONDS = (1.0, 1.5)
PROTECTIONS = {"clear": "", "B2": "mcadams", "persona": "persona:candidates=1"}
WORDS, SENTENCES = 3, 2_150
"""Slices of three words of so many sentences, about as many slices as the paper has."""

TRIMMED = Slicing(1.0, trim=0.03)
OVERLAP = Slicing(1.0, overlap=True)
ENCODER = "ge2e"
WIDTH, EPOCHS = 32, 15
FUSION_SHARE = 0.2
"""Speakers of the attacker's whose slices say how much each cue counts; no network hears them."""
FUSION_SAMPLES = 2

# Any keys will do, if the attacker's is another than the victim's.
KEYS = {
    "dev": Key(b"slices of a benchmark, no secret"),
    "own": Key(b"the attacker's, no secret either"),
}
DIGITS = {"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}
FIGURES = ("average", "median", "top_1", "top_10")
HEADINGS = {
    "slices": "slices",
    "average": "average rank %",
    "median": "median rank %",
    "top_1": "top-1 %",
    "top_10": "top-10% %",
    "recovered": "whole utterances %",
}


# ---- what both tables need


def aligned(corpus: Corpus, path: Path) -> dict[str, dict[str, Any]]:
    """Words and duration of each utterance, aligned once; also a file that slicing reads."""
    if not path.exists():
        found = align_corpus(corpus, workers=1)
        print(f"{corpus.name}: {len(found.alignments)} of {len(corpus)} utterances aligned")
        facts = {
            name: {
                "duration": a.duration,
                "words": [[w.word, w.start, w.end, w.confidence] for w in a.words],
            }
            for name, a in found.alignments.items()
        }
        write_atomic(path, json.dumps(facts))
    known: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return known


def sliced_words(corpus: Corpus, path: Path, seconds: float) -> list[Origin]:
    """The table that slicing at δ would write, without cutting any sound."""
    facts = aligned(corpus, path)
    words = read_alignments(path).words
    origins = []
    for u in corpus:
        if u.id not in words:
            continue
        for k, piece in enumerate(slice_words(words[u.id], facts[u.id]["duration"], seconds)):
            text = " ".join(word.word for word in words[u.id][piece.first : piece.last])
            name = f"{u.id}/{k}"
            origins.append(Origin(name, u.id, k, piece.start, piece.end, u.speaker, "", text))
    return origins


def sentences(path: Path) -> list[tuple[str, ...]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [words for line in lines if (words := tokens(line))]


def language_model(
    texts: Iterable[Sequence[tuple[str, ...]]], tested: Sequence[Sequence[str]]
) -> NGram:
    """Trained on all sentences that share no six words in a row with a tested one."""
    known = [words for text in texts for words in text]
    kept = list(without(known, tested))
    print(f"language model of {len(kept):,} of {len(known):,} sentences")
    return train(kept)


# ---- Table 2


def table_2(dev: Corpus, text: Path, work: Path) -> dict[str, Any]:
    books = sentences(text / "gutenberg_sentences.txt")
    voices = sentences(text / "common_voice_sentences.txt")
    model = language_model([books, voices], [tokens(u.transcript or "") for u in dev])
    found = {}
    for seconds in TEXT_SECONDS:
        origins = sliced_words(dev, work / "dev.json", seconds)
        found[f"dev, δ = {seconds:g} s"] = _by_text(origins, model)
    drawn = sorted(dict.fromkeys(voices))
    random.Random(0).shuffle(drawn)
    tested = [words for words in drawn if len(words) >= WORDS][:SENTENCES]
    origins = [
        Origin(f"{n}/{k}", str(n), k, 0, 1, "", "", " ".join(words[k * WORDS : (k + 1) * WORDS]))
        for n, words in enumerate(tested)
        for k in range(len(words) // WORDS)
    ]
    model = language_model([books, voices], tested)
    found["Common Voice, 3 words"] = _by_text(origins, model)
    return found


def _by_text(origins: list[Origin], model: NGram) -> dict[str, Any]:
    texts = [origin.text for origin in origins]
    rankings = attack_text(texts, succession(origins), model, workers=1)
    return {name: ranking.to_dict() for name, ranking in rankings.items()}


# ---- Table 3


class Sound:
    """The two corpora, clear and protected, sliced as asked for and heard."""

    def __init__(self, dev: Corpus, own: Corpus, work: Path) -> None:
        self.work = work
        self.dev, self.own = dev, own
        fewest = sorted(
            sliced_words(dev, work / "dev.json", max(SOUND_SECONDS)),
            key=lambda row: (row.utterance, row.position),
        )
        # The same utterances at every δ, hence the same samples.
        self.utterances = {origin.utterance for origin in fewest}
        drawn = draw_samples(succession(fewest))
        self.sampled = {fewest[k].utterance for _, at in drawn for k in at}
        self._encoder = load_encoder(ENCODER)

    def speech(self, which: str, protection: str) -> Corpus:
        """Only what is drawn is protected, sliced and heard."""
        corpus = self.dev.subset(ids=sorted(self.sampled)) if which == "dev" else self.own
        if protection == "clear":
            return corpus
        out = self.work / f"{which}-{protection}"
        chain = parse_chain(PROTECTIONS[protection])
        return protect_corpus(corpus, out, chain, key=KEYS[which], workers=1).corpus

    def slices(self, which: str, protection: str, slicing: Slicing) -> tuple[Corpus, list[Origin]]:
        name = f"{which}-{protection}-{named(slicing)}"
        out, table = self.work / "slices" / name, self.work / "slices" / f"{name}.csv"
        if not table.exists():
            aligner: ReadAlignments = read_alignments(self.work / f"{which}.json")
            done = slice_corpus(
                self.speech(which, protection),
                out,
                slicing,
                key=KEYS[which],
                aligner=aligner,
                table=table,
                workers=1,
            )
            print(f"{name}: {done.summary}; {len(done.problems)} left out")
        return read_corpus(out), list(read_table(table))

    def hear(self, corpus: Corpus, rows: Sequence[Origin]) -> dict[tuple[str, int], Ends]:
        wanted = corpus.subset(ids=[row.slice for row in rows])
        heard = listen(wanted, encoder=self._encoder, joining=True, workers=1)
        return {(row.utterance, row.position): heard.slices[row.slice] for row in rows}

    def drawn_from(self, rows: Sequence[Origin]) -> list[Origin]:
        """All utterances take part in the draws; those never drawn are there by name alone."""
        others = sorted(self.utterances - {row.utterance for row in rows})
        every = [*rows, *(Origin(f"{name}/0", name, 0, 0, 1, "", "", "") for name in others)]
        return sorted(every, key=lambda row: (row.utterance, row.position))


def named(slicing: Slicing) -> str:
    """For file names."""
    parts = [f"{slicing.duration:g}"]
    parts += ["overlap"] * slicing.overlap + [f"trim{slicing.trim:g}"] * (slicing.trim > 0)
    return "-".join(parts)


def titled(protection: str, slicing: Slicing) -> str:
    """For people."""
    parts = [protection, f"δ = {slicing.duration:g} s"]
    parts += ["overlap"] * slicing.overlap
    parts += [f"trim {1000 * slicing.trim:.0f} ms"] * (slicing.trim > 0)
    return ", ".join(parts)


def for_fusion(speaker: str) -> bool:
    return int.from_bytes(sha256(speaker.encode()).digest()[:4], "big") < FUSION_SHARE * 2**32


def network(sound: Sound, protection: str, slicing: Slicing, kind: str) -> list[SpeechSuccessor]:
    """Trained on the attacker's slices, cut and protected as the victim's are."""
    out = sound.work / f"network-{protection}-{named(slicing)}-{kind}"
    if not (out / "training.json").exists():
        if find_spec("torch") is None:
            return []
        corpus, origins = sound.slices("own", protection, slicing)
        rows = [row for row in origins if not for_fusion(row.speaker)]
        done = train_successor(
            corpus.subset(ids=[row.slice for row in rows]),
            rows,
            out,
            width=WIDTH,
            epochs=EPOCHS,
            threads=1,
            network=kind,
        )
        a = done.after
        print(
            f"network {titled(protection, slicing)}, {kind}: "
            f"{done.successive} successive pairs of {done.speakers} speakers, "
            f"{done.seconds:.0f} s, best epoch {done.best_epoch}; "
            f"{100 * a.value:.1f} % [{100 * (a.low or 0):.1f}, {100 * (a.high or 1):.1f}] right "
            f"({100 * a.successive:.0f} / {100 * a.same_speaker:.0f} / "
            f"{100 * a.other_speaker:.0f} %)"
        )
    return [load_successor(out / "model.onnx")]


def table_3(sound: Sound, model: NGram, kind: str, path: Path) -> None:
    """Fill in what the file has not; each cell is kept as soon as it is done."""
    found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    cuts = [*map(Slicing, SOUND_SECONDS), TRIMMED]
    for slicing, protection in product(cuts, PROTECTIONS):
        name = titled(protection, slicing)
        if name not in found:
            successors = network(sound, protection, slicing, kind)
            found[name] = _attacked(sound, protection, slicing, model, successors)
            keep(path, found)
    if kind != "cut":  # what follows has no network
        return
    for protection in PROTECTIONS:  # what Algorithm 1 to the letter gives away
        name = titled(protection, OVERLAP)
        if name not in found:
            found[name] = _matched(sound, protection, OVERLAP)
            keep(path, found)


def _attacked(
    sound: Sound,
    protection: str,
    slicing: Slicing,
    model: NGram,
    successors: Sequence[SpeechSuccessor],
) -> dict[str, Any]:
    """Every attack; what the attacker learns comes from slices of the same kind."""
    began = process_time()
    corpus, rows = sound.slices("dev", protection, slicing)
    ends = sound.hear(corpus, rows)
    own, own_rows = sound.slices("own", protection, slicing)
    own_rows = [row for row in own_rows if for_fusion(row.speaker)]
    own_ends = sound.hear(own, own_rows)
    fusions = learn_fusions(
        [own_ends[row.utterance, row.position] for row in own_rows],
        succession(own_rows),
        [row.text for row in own_rows],
        model,
        successors=successors,
        workers=1,
        samples=FUSION_SAMPLES,
    )
    every = sound.drawn_from(rows)
    results = attack_samples(
        [ends.get((row.utterance, row.position)) for row in every],  # type: ignore[misc]
        succession(every),
        [row.text for row in every],
        model,
        fusions=fusions,
        successors=successors,
        workers=1,
    )
    print(f"  {process_time() - began:.0f} s of processor time", flush=True)
    return {name: sampled.to_dict() for name, sampled in results.items()}


def _matched(sound: Sound, protection: str, slicing: Slicing) -> dict[str, Any]:
    """The two attacks that look at samples alone: the same ones twice, or going on."""
    corpus, rows = sound.slices("dev", protection, slicing)
    every = sound.drawn_from(rows)

    def attackers(at: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
        names = [every[k].slice for k in at]
        found = (decode(corpus.by_id[name]).samples[:, 0] for name in names)
        pieces = [np.rint(x * 32768.0).clip(-32768, 32767).astype(np.int16) for x in found]
        return {"silence": shared_samples(pieces), "waveform": continuity(pieces)}

    results = rank_samples(succession(every), attackers)
    return {name: sampled.to_dict() for name, sampled in results.items()}


# ---- showing


def show(found: dict[str, dict[str, Any]], figures: Sequence[str]) -> None:
    """A table of Markdown for each test set."""
    for name, attacks in found.items():
        first = next(iter(attacks.values()))
        print(f"\n**{name}** ({first['slices']:,.0f} slices)\n")
        print("| attacker | " + " | ".join(HEADINGS[f] for f in figures) + " |")
        print("|---" * (len(figures) + 1) + "|")
        for attacker, facts in attacks.items():
            cells = (_cell(*facts[f]) for f in figures)
            print(f"| {attacker} | " + " | ".join(cells) + " |")


def _cell(value: float, low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return f"{100 * value:.1f}"
    return f"{100 * value:.1f} ({100 * low:.1f}–{100 * high:.1f})"


def keep(path: Path, found: dict[str, Any]) -> None:
    write_atomic(path, json.dumps(found, indent=1, ensure_ascii=False) + "\n")


def natural(corpus: Corpus) -> Corpus:
    """Transcribed sentences; digits that were joined from single recordings have cuts already."""
    spoken = {u.id: set((u.transcript or "").lower().split()) for u in corpus}
    return corpus.subset(ids=[name for name, words in spoken.items() if words and words - DIGITS])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speech", type=Path, default=SHARED / "speech")
    parser.add_argument("--text", type=Path, default=SHARED / "text")
    parser.add_argument("--work", type=Path, default=WORK)
    parser.add_argument("--network", default="cut", help="cut, or xvector as in the paper")
    parser.add_argument("--show", action="store_true", help="only print what is there")
    options = parser.parse_args()
    work: Path = options.work
    tables = {2: work / "table2.json", 3: work / f"table3-{options.network}.json"}
    if not options.show:
        if not (options.speech / "dev").is_dir():
            raise SystemExit(f"{options.speech}: there is no corpus dev; name another --speech.")
        work.mkdir(parents=True, exist_ok=True)
        began = perf_counter()
        with threadpool_limits(1):
            _run(options, work, tables)
        print(f"{perf_counter() - began:.0f} s, of which {process_time():.0f} s of processor time")
    for number, figures in ((2, FIGURES), (3, (*FIGURES, "recovered"))):
        if tables[number].exists():
            print(f"\n## Table {number}")
            show(json.loads(tables[number].read_text(encoding="utf-8")), figures)


def _run(options: argparse.Namespace, work: Path, tables: dict[int, Path]) -> None:
    dev, own = read_corpus(options.speech / "dev"), natural(read_corpus(options.speech / "train"))
    for corpus, name in ((dev, "dev"), (own, "own")):
        aligned(corpus, work / f"{name}.json")
    if not tables[2].exists():
        keep(tables[2], table_2(dev, options.text, work))
    texts = [sentences(options.text / f"{x}_sentences.txt") for x in ("gutenberg", "common_voice")]
    model = language_model(texts, [tokens(u.transcript or "") for u in dev])
    table_3(Sound(dev, own, work), model, options.network, tables[3])


if __name__ == "__main__":
    main()
