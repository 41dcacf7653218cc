"""How well people are told apart in composed conversations, and what a wrong turn gives away.

``der``: conversations of ``benchmarks/conversations.py`` are diarised, with the number of people
found and given, and compared with the truth. Then the halves of each are taken for two recordings,
and their people are matched.

``disclosure``: somebody's turn is given to somebody else by mistake, so that some seconds of A are
spoken in B's pseudo-voice. An attacker who has A in clear compares it with ten seconds of B's
pseudo-voice, as a whole and window by window (the best of them counts). The control has as much of
a third person, C, in the place of A. If A's seconds gave nothing away, A's scores would not be
higher than the control's: an AUC of 0.5.

Run: python benchmarks/diarisation.py der WORK [--speech FOLDER] [--take clean|room]
     python benchmarks/diarisation.py disclosure [--safeguard mcadams-random] [--pairs 20]
"""

from __future__ import annotations

import argparse
import json
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from conversations import RATE, conversations
from pseudovoice.corpus import Corpus, load, read_corpus
from pseudovoice.diarisation import DiarisationError, Turn, Turns, diarisation_error
from pseudovoice.diarisation.activity import SECONDS, load_activity, speech
from pseudovoice.diarisation.diarise import turns_from
from pseudovoice.diarisation.matching import matched
from pseudovoice.diarisation.windows import Windows, embed_windows, window_spans
from pseudovoice.encoders import Encoder, load_encoder
from pseudovoice.keys import Key
from pseudovoice.protection.apply import prepared, protect_channel, voices_for
from pseudovoice.protection.protect import unseen
from pseudovoice.safeguards import Chain, parse_chain
from pseudovoice.safeguards.channel import Channel, whole

SHARED = Path(__file__).resolve().parents[2] / "shared" / "speech"
KEY = Key(b"benchmark of diarisation".ljust(32))
Floats = NDArray[np.float64]


def heard(work: Path, folder: Path, take: str) -> list[tuple[Turns, float, NDArray, Windows]]:
    """Every conversation as the networks hear it, kept in a folder since that takes long."""
    work.mkdir(parents=True, exist_ok=True)
    encoder, activity = None, None
    found = []
    for one in conversations(folder, room=take == "room"):
        file = work / f"{folder.name}-{take}-{one.name}.npz"
        if not file.exists():
            encoder, activity = encoder or load_encoder(), activity or load_activity()
            samples = one.samples.astype(np.float32)
            probabilities = activity.probabilities([samples])
            spans = window_spans(speech(probabilities))
            windows = embed_windows([samples], spans, encoder, 1, lambda _: None)
            np.savez(
                file,
                probabilities=probabilities,
                spans=np.array(windows.spans),
                directions=windows.directions,
            )
            print("heard", file.name, flush=True)
        kept = np.load(file)
        windows = Windows(tuple(map(tuple, kept["spans"].tolist())), kept["directions"])
        found.append((one.truth, one.samples.size / RATE, speech(kept["probabilities"]), windows))
    return found


def overlap_found(truth: Turns, system: Turns, seconds: float) -> tuple[float, float, float]:
    """Seconds of overlap in the truth, found, and both."""
    step = 0.01
    told, found = np.zeros((2, round(seconds / step)), bool)
    for turns, flags in ((truth, told), (system, found)):
        for strip in turns.strips(seconds):
            flags[round(strip.start / step) : round(strip.end / step)] = len(strip.people) > 1
    return tuple(float(step * f.sum()) for f in (told, found, told & found))  # type: ignore


def der(work: Path, folder: Path, take: str) -> None:
    rows = []
    totals: dict[tuple[str, float], DiarisationError] = {}
    marked = np.zeros(3)
    for truth, seconds, spoken, windows in heard(work, folder, take):
        row = {"name": truth.recording, "people": len(truth.people)}
        for how, people in (("found", None), ("given", len(truth.people))):
            turns = turns_from(truth.recording, windows, spoken, people, seconds).turns
            for collar in (0.0, 0.25):
                error = diarisation_error(truth, turns, collar=collar)
                known = totals.get((how, collar))
                totals[how, collar] = error if known is None else known + error
                row[f"{how}, collar {collar:g}"] = round(100 * error.rate, 2)
            if how == "found":
                row["people found"] = len(turns.people)
                marked += overlap_found(truth, turns, seconds)
        rows.append(row)
        print(row, flush=True)
    for (how, collar), error in totals.items():
        parts = [100 * x / error.speech for x in (error.missed, error.false_alarm, error.confusion)]
        print(
            f"{take}, people {how}, collar {collar:g}: DER {100 * error.rate:.2f} % = missed "
            f"{parts[0]:.2f} + false alarm {parts[1]:.2f} + confusion {parts[2]:.2f}"
        )
    right = sum(row["people"] == row["people found"] for row in rows)
    print(f"number of people right in {right} of {len(rows)}")
    there, found, rightly = marked
    print(f"overlap: {there:.1f} s there, {found:.1f} s marked, {rightly:.1f} s of them rightly")
    (work / f"{folder.name}-{take}.json").write_text(json.dumps(rows, indent=1))


def across(work: Path, folder: Path, take: str) -> None:
    """Each conversation as two recordings, its halves: who is found in both?"""
    halves, truths = [], []
    for truth, seconds, spoken, windows in heard(work, folder, take):
        for low, high in ((0.0, seconds / 2), (seconds / 2, seconds)):
            kept = [k for k, (a, b) in enumerate(windows.spans) if a >= low and b <= high]
            part = Windows(tuple(windows.spans[k] for k in kept), windows.directions[kept])
            times = np.arange(spoken.size) * SECONDS
            found = turns_from(
                truth.recording, part, spoken & (times >= low) & (times < high), None, seconds
            )
            told = [
                Turn(max(low, t.start), min(high, t.end), t.person)
                for t in truth.turns
                if t.start < high and t.end > low
            ]
            named = diarisation_error(Turns.of(truth.recording, told), found.turns).names
            halves.append(found.voices)
            truths.append(named)
    numbers = matched(halves)
    pairs = {"same": [0, 0], "other": [0, 0]}
    everybody = [(k, n) for k, half in enumerate(halves) for n in half if n in truths[k]]
    for (a, n), (b, m) in combinations(everybody, 2):
        if a != b:
            kind = pairs["same" if truths[a][n] == truths[b][m] else "other"]
            kind[0] += 1
            kind[1] += numbers[a][n] == numbers[b][m]
    print(f"{take}: of {pairs['same'][0]} people in two halves {pairs['same'][1]} are matched, of")
    print(f"{pairs['other'][0]} pairs of other people {pairs['other'][1]}")


def speech_of(corpus: Corpus, speaker: str, first: int, seconds: float) -> Floats:
    """So much of a speaker from an utterance on, from the middle of it."""
    samples = np.zeros(0)
    for utterance in corpus.speakers[speaker][first:]:
        samples = np.append(samples, load(utterance, sample_rate=RATE))
        if samples.size >= seconds * RATE:
            break
    start = (samples.size - round(seconds * RATE)) // 2
    return samples[start : start + round(seconds * RATE)]


def in_voice(samples: Floats, speaker: str, chain: Chain, corpus: Corpus) -> Floats:
    said = corpus.speakers[speaker][0]
    voices = voices_for(chain, said, KEY, "default")
    return whole(protect_channel(Channel(None, [samples]), RATE, chain, voices, speaker))


def directions(encoder: Encoder, waveforms: list[Floats]) -> Floats:
    rows = encoder.embed([w.astype(np.float32) for w in waveforms]).astype(np.float64)
    unit: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def windowed(samples: Floats) -> list[Floats]:
    length, hop = round(1.5 * RATE), round(0.75 * RATE)
    return [samples[k : k + length] for k in range(0, samples.size - length + 1, hop)]


def auc(mated: Floats, others: Floats) -> tuple[float, float, float]:
    """With a 95 % interval over pairs, by bootstrap."""
    rng = np.random.default_rng(0)

    def area(a: Floats, b: Floats) -> float:
        return float(np.mean((a[:, None] > b) + 0.5 * (a[:, None] == b)))

    draws = [rng.integers(0, len(mated), len(mated)) for _ in range(1000)]
    low, high = np.quantile([area(mated[d], others[d]) for d in draws], (0.025, 0.975))
    return area(mated, others), float(low), float(high)


def disclosure(safeguard: str, pairs: int, encoder_name: str) -> None:
    corpus = read_corpus(SHARED / "dev")
    encoder = load_encoder(encoder_name)
    rng = np.random.default_rng(0)
    by_sex = {
        g: [str(s) for s in rng.permutation([s for s, x in corpus.genders.items() if x == g])]
        for g in "fm"
    }
    # Whoever takes part; a safeguard that searches voices hears them first.
    taking_part = [s for people in by_sex.values() for s in people[: pairs // 2 + 3]]
    chain = prepared(
        parse_chain(safeguard), corpus.subset(speakers=taking_part), KEY, "default", None, 1, unseen
    )
    scores: dict[tuple[float, str, str], list[float]] = {}
    for k in range(pairs):
        people = by_sex["fm"[k % 2]]
        a, b, c = (people[(k // 2 + n) % len(people)] for n in (0, 1, 2))
        known = directions(encoder, [speech_of(corpus, a, 0, 8.0)])[0]
        own = in_voice(speech_of(corpus, b, 4, 10.0), b, chain, corpus)
        plain = directions(encoder, windowed(own)) @ known
        middle = own.size // 2
        scores.setdefault((0.0, "whole", "a"), []).append(
            float(directions(encoder, [own])[0] @ known)
        )
        scores.setdefault((0.0, "window", "a"), []).append(float(plain.max()))
        for seconds in (1.0, 2.0, 5.0):
            for who, speaker in (("a", a), ("c", c)):
                wrong = in_voice(speech_of(corpus, speaker, 10, seconds), b, chain, corpus)
                both = np.concatenate([own[:middle], wrong, own[middle:]])
                at = max(0, middle - RATE // 2)
                around = both[at : middle + wrong.size + RATE // 2]
                near = directions(encoder, windowed(around)) @ known
                scores.setdefault((seconds, "whole", who), []).append(
                    float(directions(encoder, [both])[0] @ known)
                )
                scores.setdefault((seconds, "window", who), []).append(
                    float(max(near.max(), plain.max()))
                )
        print(k, a, b, c, flush=True)
    for seconds in (1.0, 2.0, 5.0):
        for how in ("whole", "window"):
            mated, others = (np.array(scores[seconds, how, who]) for who in "ac")
            value, low, high = auc(mated, others)
            before = np.mean(scores[0.0, how, "a"])
            print(
                f"{safeguard}, {encoder_name}, {seconds:g} s, {how}: AUC {value:.2f} [{low:.2f}, "
                f"{high:.2f}]; cosine {before:.3f} without, {mated.mean():.3f} with A, "
                f"{others.mean():.3f} with C"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    first = verbs.add_parser("der")
    first.add_argument("work", type=Path)
    first.add_argument("--speech", type=Path, default=SHARED / "dev")
    first.add_argument("--take", choices=("clean", "room"), default="clean")
    second = verbs.add_parser("disclosure")
    second.add_argument("--safeguard", default="mcadams-random")
    second.add_argument("--pairs", type=int, default=20)
    second.add_argument("--encoder", default="resnet34-lm")
    given = parser.parse_args()
    if given.verb == "der":
        der(given.work, given.speech, given.take)
        across(given.work, given.speech, given.take)
    else:
        disclosure(given.safeguard, given.pairs, given.encoder)


if __name__ == "__main__":
    main()
