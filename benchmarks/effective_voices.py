"""How many voices a safeguard has for somebody who tries them: draws that can be told apart.

    python benchmarks/effective_voices.py CORPUS --safeguard persona --encoder ge2e [--draws 16]

People say two sentences under each of N draws of a safeguard, everybody under the same ones, as the
attacker `adaptive` tries them on. One sentence under draw d is what was released; on the other, all
N draws are tried, and the attacker believes the one that is most alike. If it names d, the draws
can be told apart, and trying has to find the right one; if it names any, one try is as good as
another.

How sure it is follows from its scores s: p(k) = exp(βs_k) / Σ_j exp(βs_j), with β learnt on all
other people. H, the mean of −log2 p(d), is what it does not know of the draw:

- 2^H draws cannot be told apart: so many tries are as good as one;
- N / 2^H is the number of effective voices. It is 1 if draws do not differ to the encoder and N if
  it always names the right one, surely. Draws are finite: the number is one of voices as long as it
  stays well below N, and the lines for fewer draws show whether it still grows.

Plain entropy of the confusion matrix would be too low by far with so few people. Intervals are 95 %
over people.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

from pseudovoice.cores import usable_cores
from pseudovoice.corpus import Corpus, load, read_corpus
from pseudovoice.encoders import Encoder, load_encoder
from pseudovoice.engines import in_threads
from pseudovoice.keys import Key
from pseudovoice.safeguards import Chain, parse_chain
from pseudovoice.safeguards.channel import Channel
from pseudovoice.safeguards.one_voice import with_one_voice
from pseudovoice.safeguards.safeguard import Samples, Voice

RATE = 16_000
SECONDS = 5
KEY = Key(b"v" * 32)
Floats = NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--safeguard", default="persona")
    parser.add_argument("--encoder", action="append", required=True, help="repeat it for several")
    parser.add_argument("--draws", type=int, default=16)
    parser.add_argument("--people", type=int, default=10)
    parser.add_argument("--workers", type=int, default=usable_cores())
    options = parser.parse_args()
    encoders = [load_encoder(name) for name in options.encoder]
    said = spoken(
        sentences(read_corpus(options.corpus), options.people),
        with_one_voice(parse_chain(options.safeguard)),
        options.draws,
        encoders,
        options.workers,
    )
    print(f"{options.safeguard}, {options.people} people")
    for encoder in encoders:
        scores = tried(said[encoder.name])
        counts = [2**k for k in range(1, 30) if 2**k < options.draws]
        for draws in (*counts, options.draws):
            print(f"{encoder.name}, {draws} draws: {told(scores[..., :draws, :draws])}")


def sentences(corpus: Corpus, people: int) -> list[list[Samples]]:
    """Two sentences of each of some people, women and men in turn as far as that is known."""
    by_gender: dict[str | None, list[str]] = {}
    for name in sorted(corpus.speakers):
        if len(corpus.speakers[name]) > 1:
            by_gender.setdefault(corpus.genders[name], []).append(name)
    turns = [(k, name) for names in by_gender.values() for k, name in enumerate(names)]
    chosen = [name for _, name in sorted(turns)][:people]
    return [
        [load(u, sample_rate=RATE)[: SECONDS * RATE] for u in corpus.speakers[name][:2]]
        for name in chosen
    ]


def spoken(
    people: list[list[Samples]], chain: Chain, draws: int, encoders: list[Encoder], workers: int
) -> dict[str, Floats]:
    """Unit vectors by encoder: people × sentences × draws × dimensions."""
    place = [(p, s, d) for p in range(len(people)) for s in range(2) for d in range(draws)]

    def heard(task: int) -> list[Floats]:
        p, s, d = place[task]
        voices = [Voice(KEY, f"draw {d}", "everybody")] * len(chain.links)
        sound = chain(Channel(None, [people[p][s].astype(np.float64)]), RATE, voices)
        samples = sound.part(0, len(sound)).astype(np.float32)
        rows = (encoder.embed([samples])[0].astype(np.float64) for encoder in encoders)
        return [row / np.linalg.norm(row) for row in rows]

    made = dict(in_threads(heard, range(len(place)), workers))
    shape = (len(people), 2, draws, -1)
    return {
        encoder.name: np.stack([made[k][e] for k in range(len(place))]).reshape(shape)
        for e, encoder in enumerate(encoders)
    }


def tried(vectors: Floats) -> Floats:
    """Scores of each person: released sentence × its draw × the draw tried on the other one."""
    return np.stack([vectors[:, s] @ vectors[:, 1 - s].transpose(0, 2, 1) for s in (0, 1)], axis=1)


def told(scores: Floats) -> str:
    """How often the draw is named, and how many draws can(not) be told apart."""
    draws, people = scores.shape[-1], len(scores)
    right = scores.diagonal(axis1=-2, axis2=-1)[..., None]
    rank = 1 + (scores > right).sum(axis=-1)
    unknown = np.array(
        [_nats(_sharpness(np.delete(scores, p, axis=0)), scores[p]) for p in range(people)]
    ) / np.log(2)
    drawn = np.random.default_rng(0).integers(people, size=(1000, people))
    low, high = np.quantile(unknown[drawn].mean(axis=1), [0.025, 0.975])
    h = unknown.mean()
    return (
        f"named in {100 * (rank == 1).mean():.0f} % (chance {100 / draws:.0f} %), mean rank "
        f"{rank.mean():.1f}; {2**h:.1f} draws cannot be told apart, {draws / 2**h:.1f} "
        f"[{draws / 2**high:.1f}, {draws / 2**low:.1f}] effective voices"
    )


def _sharpness(scores: Floats) -> float:
    fit = minimize_scalar(lambda b: _nats(np.exp(b), scores), bounds=(-5.0, 8.0), method="bounded")
    return float(np.exp(fit.x))


def _nats(sharpness: float, scores: Floats) -> float:
    """What is not known of the draw, on average."""
    p = log_softmax(sharpness * scores, axis=-1).diagonal(axis1=-2, axis2=-1)
    return -float(p.mean())


if __name__ == "__main__":
    main()
