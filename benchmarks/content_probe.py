"""How much of the speaker is left in what a neural voice is told of content.

    python benchmarks/content_probe.py CORPUS [--voice FOLDER] [--each 6]

CORPUS has people with several recording sessions (chapters) each, such as `speech/voice`. Probes
learn who speaks from half of the sessions of everybody and are tried on the others, so that a room
or a day cannot stand for a person. They are told statistics of an utterance: mean and deviation of
each number over time, and how the leading numbers vary together.

Four places are probed, in the order in which content passes them: what the recogniser hears, the
same less its own mean in its own deviation, what enters the narrow place of the network, and what
leaves it, quantised. Behind the last nothing else of content is known to the voice.

- *named*: the share of utterances that get the right name, by a linear probe (logistic regression)
  and by a small network (one hidden layer); one in so many people is chance.
- *EER*: of the linear probe as a verifier of these people; and of cosines between utterances of
  different sessions, for which nothing was learnt but scales. 50 % is chance.

Intervals are 95 %, over people.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from pseudovoice.corpus import Corpus, Utterance, load, read_corpus
from pseudovoice.safeguards.xvector import targets
from pseudovoice.safeguards.xvector.frames import RATE
from pseudovoice.safeguards.xvector.neural_voice import GRAPH_FILE, SHIPPED, NeuralVoice, read_voice

Floats = NDArray[np.float64]

LONGEST = 10.0
"""Seconds of an utterance that are heard, from its beginning."""
LEADING = 24
"""Directions whose covariance is told."""
REPLICATES = 500
HIDDEN = 64
SEEDS = 3
"""Of the small network, whose answers are averaged."""


def halves(corpus: Corpus, each: int) -> tuple[list[Utterance], list[Utterance]]:
    """Utterances to learn from and to try, of people with two sessions and more."""
    learnt: list[Utterance] = []
    tried: list[Utterance] = []
    for group in corpus.speakers.values():
        sessions: dict[str, list[Utterance]] = {}
        for utterance in group:
            sessions.setdefault(utterance.session or "", []).append(utterance)
        if len(sessions) < 2:
            continue
        for k, name in enumerate(sorted(sessions)):
            side = tried if k % 2 else learnt
            own = sessions[name]
            side += own[:: max(1, len(own) // each)][:each]
    return learnt, tried


def narrow_place(path: Path) -> Callable[[NDArray[np.float32]], tuple[Floats, Floats]]:
    """Content [T, n] to what enters the quantiser of a voice's graph, and what leaves it."""
    model = onnx.load(path)
    rounds = [node for node in model.graph.node if node.op_type == "Round"]
    if len(rounds) != 1:
        raise SystemExit(f"{path} has {len(rounds)} quantisers; this knows voices with one.")
    entering, rounded = rounds[0].input[0], rounds[0].output[0]
    del model.graph.output[:]
    for name in (entering, rounded):
        model.graph.output.append(onnx.helper.make_tensor_value_info(name, 1, None))
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    others = {entry.name: entry.shape[-1] for entry in session.get_inputs()}

    def pass_through(content: NDArray[np.float32]) -> tuple[Floats, Floats]:
        feeds = {
            "content": content[None],
            "prosody": np.zeros((1, 3 * len(content), others["prosody"]), np.float32),
            "target": np.zeros((1, others["target"]), np.float32),
        }
        entered, left = session.run(None, feeds)
        return entered[0].astype(np.float64), left[0].astype(np.float64)

    return pass_through


def frames_of(
    voice: NeuralVoice, graph: Path, utterances: list[Utterance]
) -> dict[str, list[Floats]]:
    """Frames of every utterance at the four places."""
    pass_through = narrow_place(graph)
    found: dict[str, list[Floats]] = {}
    for utterance in utterances:
        waveform = load(utterance, sample_rate=RATE)[: round(LONGEST * RATE)].astype(np.float32)
        heard = voice.content(waveform)
        normalised = voice.about.normalised(heard)
        entered, left = pass_through(normalised)
        places = {
            "what the recogniser hears": heard.astype(np.float64),
            "normalised": normalised.astype(np.float64),
            "before the quantiser": entered,
            "quantised": left,
        }
        for name, frames in places.items():
            found.setdefault(name, []).append(frames)
    return found


def statistics(learnt: list[Floats], tried: list[Floats]) -> tuple[Floats, Floats]:
    """A row of numbers for each utterance, in the scales of those that are learnt from."""
    everything = np.concatenate(learnt)
    mean = everything.mean(axis=0)
    _, _, axes = np.linalg.svd((everything - mean)[::10], full_matrices=False)
    axes = axes[:LEADING]
    above = np.triu_indices(len(axes))

    def row(frames: Floats) -> Floats:
        leading = (frames - frames.mean(axis=0)) @ axes.T
        together = (leading.T @ leading / len(frames))[above]
        return np.concatenate([frames.mean(axis=0), frames.std(axis=0), together])

    rows, others = (np.stack([row(f) for f in side]) for side in (learnt, tried))
    middle, scale = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    return (rows - middle) / scale, (others - middle) / scale


def eer(scores: Floats, mated: NDArray[np.bool_], weights: Floats) -> float:
    """Where both errors are equal, between the two thresholds around it; trials have weights."""
    order = np.argsort(-scores.ravel(), kind="stable")
    same, weight = mated.ravel()[order], weights.ravel()[order]
    misses = 1 - np.cumsum(weight * same) / (weight * same).sum()
    alarms = np.cumsum(weight * ~same) / (weight * ~same).sum()
    at = int(np.argmin(np.abs(misses - alarms)))
    return float((misses[at] + alarms[at]) / 2)


def over_people(measure: Callable[[Floats], float], people: int) -> str:
    """The measure of everybody, and its interval; ``measure`` takes how often each counts."""
    rng = np.random.default_rng(0)
    drawn = (rng.integers(0, people, people) for _ in range(REPLICATES))
    again = [measure(np.bincount(one, minlength=people).astype(float)) for one in drawn]
    low, high = np.quantile(again, [0.025, 0.975])
    return f"{100 * measure(np.ones(people)):.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def probed(
    learnt: Floats, tried: Floats, who: NDArray[np.intp], whose: NDArray[np.intp]
) -> Iterator[str]:
    """The cells of a row: named by both probes, EER of the linear one and of cosines."""
    people = int(who.max()) + 1
    linear = LogisticRegression(C=0.01, max_iter=500).fit(learnt, who)
    said = linear.decision_function(tried)
    networks = (
        MLPClassifier((HIDDEN,), alpha=1.0, max_iter=150, random_state=seed).fit(learnt, who)
        for seed in range(SEEDS)
    )
    small = np.mean([network.predict_proba(tried) for network in networks], axis=0)
    for right in (said.argmax(axis=1) == whose, small.argmax(axis=1) == whose):
        yield over_people(partial(_share, right, whose), people)
    everybody = np.arange(people)
    yield over_people(partial(_eer, said, whose, everybody), people)
    unit = [side / np.linalg.norm(side, axis=1, keepdims=True) for side in (learnt, tried)]
    yield over_people(partial(_eer, unit[1] @ unit[0].T, whose, who), people)


def _share(right: NDArray[np.bool_], whose: NDArray[np.intp], weights: Floats) -> float:
    return float(np.average(right, weights=weights[whose]))


def _eer(
    scores: Floats, rows: NDArray[np.intp], columns: NDArray[np.intp], weights: Floats
) -> float:
    """Of scores between people; those of a pair count as often as both do."""
    same = rows[:, None] == columns[None]
    both = np.where(same, weights[rows][:, None], weights[rows][:, None] * weights[columns][None])
    return eer(scores, same, both)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--voice", type=Path, help="a folder of `pseudovoice train voice`")
    parser.add_argument("--each", type=int, default=6, help="utterances of a session")
    options = parser.parse_args()
    folder = options.voice or Path(targets.__file__).parent / SHIPPED
    voice = read_voice(folder)
    learnt, tried = halves(read_corpus(options.corpus), options.each)
    names = sorted({u.speaker for u in learnt})
    who, whose = (np.array([names.index(u.speaker) for u in side]) for side in (learnt, tried))
    sides = [frames_of(voice, folder / GRAPH_FILE, side) for side in (learnt, tried)]
    print(
        f"{len(names)} people, {len(learnt)} utterances to learn from, {len(tried)} of other "
        f"sessions to try; chance {100 / len(names):.1f} %\n"
    )
    print(
        "| content | numbers | named, linear % | named, network % | EER, linear % | EER, cosine % |"
    )
    print("|---|---|---|---|---|---|")
    for place in sides[0]:
        before, after = (side[place] for side in sides)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            cells = probed(*statistics(before, after), who, whose)
            print(f"| {place} | {before[0].shape[1]} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
