"""Small simulated assessments, one of them with names that mean something to a renderer."""

from __future__ import annotations

import numpy as np
import pytest

from pseudovoice import assess_scores, score_embeddings
from pseudovoice.assessment.assess import Assessment
from pseudovoice.scores.scoreset import ScoreSet

NASTY = (
    "$x_1$",
    "<b>&amp;--",
    "=1+1|cmd",
    "张三",
    "../../etc/passwd",
    "_x",
    "line\nbreak",
    "\\frac{1}$",
)


def make_scores(names: tuple[str, ...], *, seed: int = 0) -> tuple[dict[str, ScoreSet], ScoreSet]:
    """Cosine scores of all conditions, and OP of another run."""
    rng = np.random.default_rng(seed)
    voice = rng.normal(size=(len(names), 16))
    label = np.repeat(np.arange(len(names)), 4)
    o = voice[label] + 0.8 * rng.normal(size=(label.size, 16))
    p, q = (0.3 * o + rng.normal(size=o.shape) for _ in range(2))
    who = [names[k] for k in label]
    pairs = {"oo": (o, o), "op": (o, p), "pp": (p, p), "pq": (p, q)}
    return {k: score_embeddings(*v, who) for k, v in pairs.items()}, score_embeddings(o, q, who)


def make_assessment(
    names: tuple[str, ...], *, replicates: int = 30, without: str | None = None
) -> Assessment:
    scores, f0 = make_scores(names)
    scores.pop(without or "", None)
    return assess_scores(scores, f0={"op": f0}, replicates=replicates, permutations=replicates)


@pytest.fixture(scope="session")
def nasty() -> Assessment:
    return make_assessment(NASTY)


@pytest.fixture(scope="session")
def three() -> Assessment:
    """As `nasty` without PQ: three panels draw faster than four."""
    return make_assessment(NASTY, without="pq")


@pytest.fixture(scope="session")
def nasty_f0() -> ScoreSet:
    return make_scores(NASTY)[1]


@pytest.fixture(scope="session")
def many() -> Assessment:
    names = tuple(f"speaker-{k:03d}" for k in range(40))
    return make_assessment(names, replicates=20, without="pq")
