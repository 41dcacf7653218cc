"""How well slices are linked to people, against their duration: the layout of maouche2022 Fig. 3.

    python benchmarks/slice_linkability.py WORK [--encoder ge2e] [--durations 1 1.5 2 3 4]

Clear and protected speech of LibriSpeech dev, cut between words (Algorithm 1, silence split in the
middle), shortened to its first seconds, and whole. Per person two fifths of the utterances, of
other sessions as far as there are any, are the attacker's and the rest is tried. Enrolment is a
model of all that the attacker has of a person, cut like the trials or whole. PLDA is trained on
pieces of the same duration of other people's speech, clear or protected by the attacker. The
picture has one slice of each utterance, the table also all of them.
Embeddings are kept in WORK, so a killed run goes on; the table and the picture are
WORK/slice_linkability-ENCODER.csv and .png.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from soundfile import write

from pseudovoice.alignment import SphinxAligner, Word, align_corpus
from pseudovoice.backends import train_plda
from pseudovoice.corpus import Corpus, Utterance, load, read_corpus
from pseudovoice.embeddings.embed import embed_corpus
from pseudovoice.embeddings.embeddings import Embeddings
from pseudovoice.encoders import load_encoder
from pseudovoice.encoders.encoder import Encoder
from pseudovoice.figures.draw import render
from pseudovoice.figures.specs import FigureSpec
from pseudovoice.figures.style import BLUE, DOUBLE, GREY, plain_legend
from pseudovoice.figures.tidy import Columns, to_csv
from pseudovoice.keys import Key
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.reidentification import Linked, link, split_utterances
from pseudovoice.safeguards import parse_chain
from pseudovoice.slicing.algorithm import Slice, fixed, shorten, slice_words

SPEECH = Path(__file__).resolve().parents[2] / "shared" / "speech"
SHARE, MOST, RATE = 0.4, 8.0, 16_000
# Whoever has the attacker's key has nothing of ours: any two keys do.
OURS, THEIRS = Key(b"o" * 32), Key(b"t" * 32)


def evenly(corpus: Corpus, per_speaker: int) -> Corpus:
    """As many utterances of each person, spread over the sessions."""
    kept: list[Utterance] = []
    for mine in corpus.speakers.values():
        step = max(1, len(mine) // per_speaker)
        kept += mine[::step][:per_speaker]
    return replace(corpus, utterances=tuple(kept), problems=())


def beginnings(corpus: Corpus, every: int, folder: Path) -> Corpus:
    """The first seconds of each utterance of every n-th person, at 16 kHz; more is not heard."""
    short = []
    for utterance in corpus.subset(speakers=list(corpus.speakers)[::every]):
        path = folder / utterance.speaker / f"{utterance.id}.wav"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path, load(utterance, sample_rate=RATE)[: round(MOST * RATE)], RATE)
        short.append(replace(utterance, path=path))
    return replace(corpus, root=folder, utterances=tuple(short), layout="folder")


def aligned(corpus: Corpus, place: Path) -> dict[str, tuple[Word, ...]]:
    """Word times, kept as CTM lines."""
    if not place.exists():
        found = align_corpus(corpus, SphinxAligner(), workers=1)
        lines = [
            f"{name} 1 {word.start:.6f} {word.end - word.start:.6f} {word.word}"
            for name, alignment in found.alignments.items()
            for word in alignment.words
        ]
        place.write_text("\n".join(lines) + "\n", encoding="utf-8")
    words: dict[str, list[Word]] = {}
    for line in place.read_text(encoding="utf-8").splitlines():
        name, _, start, length, word = line.split(" ", 4)
        words.setdefault(name, []).append(Word(word, float(start), float(start) + float(length)))
    return {name: tuple(some) for name, some in words.items()}


class Speech:
    """Everything that is embedded, each once."""

    def __init__(
        self, work: Path, encoder: Encoder, safeguard: str, per_speaker: int, every: int
    ) -> None:
        self._work, self._encoder = work, encoder
        dev = evenly(read_corpus(SPEECH / "dev"), per_speaker)
        self.words = aligned(dev, work / f"dev-{per_speaker}.ctm")
        dev = dev.subset(ids=list(self.words))
        training = beginnings(evenly(read_corpus(SPEECH / "train"), 2), every, work / "training")
        protect = parse_chain(safeguard)
        # Each training utterance has its own draw, where there are draws, as in the paper.
        joint = "," if ":" in safeguard else ":"
        drawn = "" if protect.deterministic else f"{joint}level=utterance"
        per_utterance = parse_chain(safeguard + drawn)
        self.corpora = {
            "clear": dev,
            "protected": self._protected(dev, protect, OURS, "ours"),
            "clear training": training,
            "protected training": self._protected(training, per_utterance, THEIRS, "training"),
        }
        self.corpora["attacker"] = (
            self.corpora["protected"]
            if protect.deterministic
            else self._protected(dev, protect, THEIRS, "theirs")
        )
        rows = ((u.speaker, u.session or "", u.id) for u in dev)
        self.enrolled, self.tried = split_utterances(rows, SHARE)
        self._tag = f"{safeguard}-{per_speaker}-{every}".replace("/", "-")

    def _protected(self, corpus: Corpus, chain: Any, key: Key, name: str) -> Corpus:
        folder = self._work / f"{chain.name}-{name}"
        return protect_corpus(corpus, folder, chain, key=key, workers=1).corpus

    def segments(self, which: str, method: str, duration: float) -> Embeddings:
        """The pieces of a corpus; those of deterministic twins are the same file."""
        corpus = self.corpora[which]
        source = next(name for name, other in self.corpora.items() if other is corpus)
        name = f"{self._encoder.name}-{self._tag}-{source}-{method}-{duration:g}.npz"
        place = self._work / name.replace(" ", "_")
        if not place.exists():
            made = embed_corpus(
                corpus, self._encoder, cut=self._cut(which, method, duration), workers=1
            )
            np.savez(
                place, v=made.vectors, s=np.array(made.speakers), u=np.array(made.ids),
                d=np.array(made.seconds),
            )  # fmt: skip
        with np.load(place, allow_pickle=False) as held:
            return Embeddings(
                held["v"], *(tuple(held[k].tolist()) for k in "us"), tuple(held["d"].tolist())
            )

    def _cut(
        self, which: str, method: str, duration: float
    ) -> Callable[[Utterance, float], Sequence[Slice]] | None:
        if "training" in which:
            if method == "whole":
                return None
            # Two pieces of each utterance are enough, and cost less than all.
            return lambda _, length: fixed((), length, duration)[:2]
        if method == "whole":
            # One piece, whose duration is told as that of every piece is.
            return lambda _, length: shorten((), length, length)
        if method == "shorten":
            return lambda _, length: shorten((), length, duration)
        return lambda u, length: slice_words(self.words[u.id], length, duration)


def attacks(speech: Speech, method: str, duration: float, replicates: int) -> list[dict[str, Any]]:
    """All attackers on one kind of pieces."""
    rows = []
    backends = {}
    for kind in ("clear", "protected"):
        theirs = speech.segments(f"{kind} training", "whole" if method == "whole" else "pieces",
                                 duration)  # fmt: skip
        backends[kind] = train_plda(theirs.vectors, theirs.speakers)
    kinds = {"shorten": ("sliced", "whole"), "words": ("sliced", "whole", "one slice")}
    for enrolment in kinds.get(method, ("whole", "one utterance")):
        how, length = ("whole", 0.0) if enrolment == "whole" else (method, duration)
        # One piece against one piece is the weakest attack, and the most flattering to slices.
        models = "segment" if enrolment.startswith("one") else "speaker"
        for trial, attacker, source, backend in (
            ("clear", "clear, cosine", "clear", None),
            ("clear", "clear, plda", "clear", backends["clear"]),
            ("protected", "ignorant", "clear", None),
            ("protected", "lazy", "attacker", None),
            ("protected", "semi", "attacker", backends["protected"]),
        ):
            mine = speech.segments(source, how, length).of(speech.enrolled)
            tried = speech.segments(trial, method, duration).of(speech.tried)
            # D_sys counts scores on bins, more of them the more trials there are: all slices of
            # an utterance cannot be set against one whole utterance, but one of them can.
            several = {method: tried} | ({"one slice": middle(tried)} if method == "words" else {})
            if models == "segment":
                mine = middle(mine)
                several.pop("words", None)
            for name, some in several.items():
                found = link(mine, some, backend, models=models, replicates=replicates)
                rows.append(row(trial, attacker, name, duration, enrolment, some, found))
                print(*(f"{k}={v}" for k, v in rows[-1].items()), flush=True)
    return rows


def middle(segments: Embeddings) -> Embeddings:
    """The middle one of the pieces of each utterance."""
    mine: dict[str, list[int]] = {}
    for k, name in enumerate(segments.ids):
        mine.setdefault(name, []).append(k)
    return segments.take([some[len(some) // 2] for some in mine.values()])


def row(
    trial: str, attacker: str, method: str, duration: float, enrolment: str, tried: Embeddings,
    found: Linked,
) -> dict[str, Any]:  # fmt: skip
    seconds = np.array(tried.seconds)
    facts: dict[str, Any] = {
        "speech": trial, "attacker": attacker, "method": method, "target_s": duration or None,
        "enrolment": enrolment, "mean_s": round(float(seconds.mean()), 3),
        "sd_s": round(float(seconds.std(ddof=1)), 3), "segments": len(tried),
    }  # fmt: skip
    for name in ("d_sys", "eer"):
        figure = getattr(found, name)
        for part in ("value", "low", "high", "null"):
            value = getattr(figure, part)
            key = name if part == "value" else f"{name}_{part}"
            facts[key] = None if value is None else round(float(value), 4)
    return facts


def draw(figure: Figure, rows: Sequence[dict[str, Any]]) -> None:
    """Curves of shortened speech, bars of slices and of whole utterances, as in the paper."""
    axes = figure.subplots(1, 2, sharey=True)
    looks = {"clear, plda": (GREY, "s", (0, (5, 1.5))), "semi": (BLUE, "o", "-")}
    names = {"clear, plda": "clear", "semi": "protected, semi-informed"}
    handles, labels = [], []
    for ax, enrolment in zip(axes, ("sliced", "whole"), strict=True):
        for attacker, (colour, marker, dash) in looks.items():
            mine = [r for r in rows if r["attacker"] == attacker]
            here = [r for r in mine if r["enrolment"] == enrolment]
            curve = sorted((r["target_s"], r["d_sys"]) for r in here if r["method"] == "shorten")
            lines = ax.plot(*zip(*curve, strict=True), color=colour, ls=dash, lw=1.0)
            kinds = {"one slice": marker, "whole": "D"}
            bars = [r for r in here if r["method"] == "one slice"]
            # Whole utterances have one kind of enrolment only, and stand in both panels.
            bars += [r for r in mine if (r["method"], r["enrolment"]) == ("whole", "whole")]
            for r in bars:
                ends = [r["d_sys"] if r[k] is None else r[k] for k in ("d_sys_low", "d_sys_high")]
                points = ax.errorbar(
                    r["mean_s"], r["d_sys"], xerr=r["sd_s"],
                    yerr=[[r["d_sys"] - ends[0]], [ends[1] - r["d_sys"]]],
                    color=colour, marker=kinds[r["method"]], ms=4, lw=0.8, ls="none", capsize=1.5,
                )  # fmt: skip
                name = f"{names[attacker]}, {'slices' if r['method'] == 'one slice' else 'whole'}"
                if name not in labels:
                    handles.append(points)
                    labels.append(name)
            if lines and (name := f"{names[attacker]}, shortened") not in labels:
                handles += lines
                labels.append(name)
        ax.set(xlabel="duration [s]", ylim=(0, 1), xlim=(0, None))
        ax.set_title(f"enrolment {'cut like the trials' if enrolment == 'sliced' else 'whole'}")
    axes[0].set_ylabel(r"linkability $D_\mathrm{sys}$")
    plain_legend(axes[1], handles, labels, loc="lower right", fontsize=6)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", type=Path)
    parser.add_argument("--encoder", default="ge2e")
    parser.add_argument("--safeguard", default="mcadams")
    parser.add_argument("--durations", type=float, nargs="+", default=[1.0, 1.5, 2.0, 3.0, 4.0])
    parser.add_argument("--methods", nargs="+", default=["words", "shorten"])
    parser.add_argument("--per-speaker", type=int, default=5)
    parser.add_argument("--training-every", type=int, default=1)
    parser.add_argument("--replicates", type=int, default=200)
    given = parser.parse_args()
    if not SPEECH.is_dir():
        print(f"skipped: there is no {SPEECH}")
        return
    given.work.mkdir(parents=True, exist_ok=True)
    begin = process_time()
    speech = Speech(
        given.work,
        load_encoder(given.encoder),
        given.safeguard,
        given.per_speaker,
        given.training_every,
    )
    stem = f"slice_linkability-{given.encoder}" + (
        "" if given.safeguard == "mcadams" else f"-{parse_chain(given.safeguard).name}"
    )
    rows = attacks(speech, "whole", 0.0, given.replicates)
    for duration in given.durations:
        for method in given.methods:
            rows += attacks(speech, method, duration, given.replicates)
        # After each duration, so that a run that is stopped has something to show.
        write_figure(given.work / stem, rows, f"{given.encoder}, {given.safeguard}")
    print(f"{process_time() - begin:.0f} s of one core")


def write_figure(stem: Path, rows: Sequence[dict[str, Any]], what: str) -> None:
    """The tidy table and the picture."""
    table: Columns = {name: [r[name] for r in rows] for name in rows[0]}
    stem.with_suffix(".csv").write_text(to_csv(table), encoding="utf-8")
    spec = FigureSpec(
        stem.name, "Linkability against duration", (DOUBLE, 2.8),
        lambda figure: draw(figure, rows), table, f"{what}; 95 % intervals over speakers",
    )  # fmt: skip
    stem.with_suffix(".png").write_bytes(render(spec, ["png"])["png"])


if __name__ == "__main__":
    main()
