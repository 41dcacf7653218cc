"""Every InputError of these rooms: its sentence, and that none is left without a test."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from simulated import simulate

import pseudovoice
from pseudovoice import (
    InputError,
    assess_scores,
    calibrate,
    d_sys,
    score_embeddings,
    similarity_matrix,
)
from pseudovoice.assessment.similarity import deid, diagonal_dominance, g_vd
from pseudovoice.calibration.maps import map_from_dict
from pseudovoice.scores.binned import BinnedScores
from pseudovoice.scores.scoreset import named_scores

EYE = np.eye(4)
CODES = np.zeros(2, np.int32)


def counted_scores(speakers: tuple[str, ...]) -> BinnedScores:
    """Counted scores of two people, with next to nothing in them."""
    square = np.zeros((2, 2))
    one = np.ones(1)
    return BinnedScores(
        speakers,
        -1.0,
        1.0,
        one,
        one,
        np.zeros(1, np.int32),
        np.ones((2, 2, 1), np.float32),
        None,
        "geometric",
        square,
        square,
        square,
        square,
    )


CASES: dict[str, Callable[[], object]] = {
    r"There is no non-mated score; both classes are needed .* check the key": lambda: calibrate(
        [1.0], []
    ),
    r"2 mated score\(s\) are not finite \(first at index 1: nan\); rescore or remove": (
        lambda: calibrate([1.0, np.nan, np.inf], [0.0])
    ),
    r"This is no calibration map \('map' is None\); expected linear or isotonic": lambda: (
        map_from_dict({})
    ),
    r"D_sys needs at least 10 mated scores and there are 9; use more utterances": lambda: d_sys(
        np.arange(9.0), [0.0]
    ),
    r"There is no similarity 'harmonic'; choose one of geometric, arithmetic": lambda: (
        similarity_matrix(EYE, "aabb", "aabb", similarity="harmonic")
    ),
    r"LLR matrix has shape \(4, 4\) but there are 4 row and 3 column speakers": lambda: (
        similarity_matrix(EYE, list("aabb"), list("aab"))
    ),
    r"rows and the columns do not hold the same speakers; .* leave out speakers": lambda: (
        similarity_matrix(EYE, list("aabb"), list("aacc"))
    ),
    r"Speakers b and b have no trial with each other; .* at least two segments": lambda: (
        similarity_matrix(EYE, list("aaab"), list("aaab"))
    ),
    r"Diagonal dominance compares speakers and there is one only; add more": lambda: (
        diagonal_dominance(np.ones((1, 1)))
    ),
    r"D_diag\(M_OO\) is 0: the recogniser cannot tell .* use a stronger recogniser": lambda: deid(
        0.0, 0.1
    ),
    r"There are no scores to assess; give at least one condition": lambda: assess_scores({}),
    r"There is no condition 'xx'; choose from oo, op, pp, pq": lambda: assess_scores(
        {"xx": simulate(0)}
    ),
    r"Counted scores of oo cover other speakers than the other conditions": lambda: assess_scores(
        {"oo": counted_scores(("a", "c")), "op": simulate(0, speakers=2)}
    ),
    r"The mated scores are not all numbers, or not of one length; give a flat list": lambda: (
        calibrate(["a"], [0.0])
    ),
    r"This linear calibration map has no slope and no offset; learn it again": lambda: (
        map_from_dict({"map": "linear"})
    ),
    r"with same_segment row k and column k are one segment, so it must be square": lambda: (
        similarity_matrix(np.zeros((4, 6)), list("aabb"), list("aabbbb"))
    ),
    r"Some LLRs are NaN; a similarity needs a score for every trial": lambda: similarity_matrix(
        np.full((4, 4), np.nan), list("aabb"), list("aabb")
    ),
    r"seed is -1; it cannot be below 0": lambda: assess_scores({"oo": simulate(0)}, seed=-1),
    r"A run f0 is given for 'pp', but no run f1 of that condition": lambda: assess_scores(
        {"op": simulate(0)}, f0={"pp": simulate(1)}
    ),
    r"The scores of oo were counted for geometric similarity; assess them so": lambda: (
        assess_scores({"oo": counted_scores(("a", "b"))}, similarity="arithmetic")
    ),
    r"A speaker is named twice in the list of speakers; name each once": lambda: named_scores(
        np.zeros(2), CODES, CODES, ("a", "a")
    ),
    r"The enrolment speakers are numbered 0 to 1 but there are 1, numbered from 0": lambda: (
        named_scores(np.zeros(2), np.array([0, 1], np.int32), CODES, ("a",))
    ),
    r"There are 3 scores but 2 enrolment and 2 trial speakers; each trial needs one": lambda: (
        named_scores(np.zeros(3), CODES, CODES, ("a",))
    ),
    r"There is no pairing 'lower'; choose one of all, upper": lambda: score_embeddings(
        EYE, EYE, "aabb", pairing="lower"
    ),
    r"There are 4 row and 3 column segments; paired segments must be equally many": lambda: (
        score_embeddings(EYE, EYE[:3], "aabb")
    ),
    r"must be a matrix of numbers, a row per segment; these are float64 of shape \(4,\)": lambda: (
        score_embeddings(EYE[0], EYE, "aabb")
    ),
    r"The row segments have 4 dimensions and the column segments 3; use one encoder": lambda: (
        score_embeddings(EYE, EYE[:, :3] + 1.0, "aabb")
    ),
    r"There are 3 and 3 speakers for 4 row and 4 column segments; each segment needs one": (
        lambda: score_embeddings(EYE, EYE, "aab")
    ),
    r"1 embedding\(s\) are zero or not finite \(first: row 2\); leave these segments out": lambda: (
        score_embeddings(np.diag([1.0, 1.0, 0.0, 1.0]), EYE, "aabb")
    ),
}


@pytest.mark.parametrize("sentence", CASES)
def test_sentence(sentence: str) -> None:
    with pytest.raises(InputError, match=sentence) as caught:
        CASES[sentence]()
    assert str(caught.value).endswith((".", "?"))


def test_both_ratios_refuse_a_recogniser_that_knows_nothing() -> None:
    with pytest.raises(InputError, match=r"D_diag\(M_OO\) is 0"):
        g_vd(0.0, 0.1)


def test_no_sentence_is_left_out() -> None:
    """Each `raise InputError` of these modules is reached by one of the cases above."""
    package = Path(pseudovoice.__file__).parent
    files = [
        *(package / "assessment").glob("*.py"),
        *(package / "calibration").glob("*.py"),
        package / "scores" / "scoreset.py",
        package / "scores" / "embeddings.py",
    ]
    written = {
        (path.name, node.lineno)
        for path in files
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Raise) and "InputError" in ast.unparse(node.exc or ast.Constant(""))
    }
    assert written
    reached = set()
    for case in CASES.values():
        with pytest.raises(InputError) as caught:
            case()
        last = caught.traceback[-1]
        reached.add((Path(last.path).name, last.frame.code.raw.co_firstlineno, last.lineno + 1))
    # A raise may span lines: the traceback names one of them, the tree its first.
    missing = [
        (name, line)
        for name, line in sorted(written)
        if not any(name == n and first <= line <= at <= line + 12 for n, first, at in reached)
    ]
    assert missing == []


def test_modules_import_alone() -> None:
    for name in ("calibration", "assessment.evaluate", "scores.scoreset", "scores.embeddings"):
        assert importlib.import_module(f"pseudovoice.{name}")
