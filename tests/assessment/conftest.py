"""Golden score sets, read with a few lines of plain Python so that no reader is trusted here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pseudovoice import score_embeddings
from pseudovoice.scores.scoreset import ScoreSet, named_scores


@pytest.fixture(scope="session")
def libri(shared: Path) -> Path:
    """The folder of libri_test_trials_f."""
    return shared / "golden" / "libri_test_trials_f"


@pytest.fixture(scope="session")
def speaker_of(libri: Path) -> dict[str, str]:
    return dict(line.split() for line in (libri / "utt2spk").read_text().splitlines())


@pytest.fixture(scope="session")
def golden(libri: Path, speaker_of: dict[str, str]) -> dict[str, ScoreSet]:
    """The golden scores of oo, op and pp."""
    trials = [line.split() for line in (libri / "trials").read_text().splitlines()]
    names = sorted({t[0] for t in trials} | {speaker_of[t[1]] for t in trials})
    enrol = np.array([names.index(t[0]) for t in trials], np.int32)
    trial = np.array([names.index(speaker_of[t[1]]) for t in trials], np.int32)
    target = np.array([t[2] == "target" for t in trials])
    sets = {}
    for condition in ("oo", "op", "pp"):
        lines = [line.split() for line in (libri / f"{condition}.scores").read_text().splitlines()]
        assert [line[:2] for line in lines] == [t[:2] for t in trials]
        score = np.array([float(line[2]) for line in lines])
        sets[condition] = named_scores(score, enrol, trial, tuple(names))
        assert np.array_equal(sets[condition].mated, target)
    return sets


@pytest.fixture(scope="session")
def cosine(libri: Path, speaker_of: dict[str, str]) -> Callable[[str], dict[str, ScoreSet]]:
    """Cosine scores of the golden x-vectors in each condition, by pairing."""
    archive = np.load(libri / "xvectors.npz")
    speakers = [speaker_of[utterance] for utterance in archive["utt"]]
    o, p = archive["original"], archive["protected"]

    def score(pairing: str) -> dict[str, ScoreSet]:
        return {
            "oo": score_embeddings(o, o, speakers, pairing=pairing),
            "op": score_embeddings(o, p, speakers, pairing=pairing),
            "pp": score_embeddings(p, p, speakers, pairing=pairing),
        }

    return score
