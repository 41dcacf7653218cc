"""What every back-end promises: one linear form, blocks as good as the whole, safe storage."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from two_covariance_world import World, world

from pseudovoice.backends import (
    Backend,
    Cosine,
    Plda,
    backend_from_arrays,
    load_backend,
    save_backend,
    score_exhaustive,
    train_cosine,
    train_plda,
    with_as_norm,
)
from pseudovoice.errors import InputError
from pseudovoice.scores.embeddings import score_embeddings

KINDS = ("cosine", "centred-cosine", "plda", "cosine+as-norm", "plda+as-norm")
D = 8


@pytest.fixture(scope="module")
def training() -> World:
    return world(1, [3] * 40, D)


@pytest.fixture(scope="module")
def backends(training) -> dict[str, Backend]:
    plda = train_plda(training.vectors, training.speakers, shrinkage=0.2, dimension=6)
    cohort = training.vectors[::3]
    made = (
        Cosine(),
        train_cosine(training.vectors),
        plda,
        with_as_norm(Cosine(), cohort, 10),
        with_as_norm(plda, cohort, 10),
    )
    return {backend.name: backend for backend in made}


@pytest.fixture(scope="module")
def segments() -> np.ndarray:
    return world(2, [4] * 6, D).vectors


@pytest.fixture(params=KINDS)
def backend(request, backends) -> Backend:
    return backends[request.param]


def models_of(backend: Backend, segments: np.ndarray) -> np.ndarray:
    code = np.repeat(np.arange(3), [1, 3, 4]).astype(np.int32)
    return backend.enrol(backend.prepare(segments[:8]), code, 3)


def test_names_and_protocol(backends):
    assert tuple(backends) == KINDS
    assert all(isinstance(backend, Backend) for backend in backends.values())


@pytest.mark.parametrize("side", ["segments", "models"])
def test_linear_form_equals_score(backend, segments, side):
    rows = backend.prepare(segments[:9]) if side == "segments" else models_of(backend, segments)
    columns = backend.prepare(segments[8:])
    a, b, row_term, column_term = backend.linear_form(rows, columns)
    score = backend.score(rows, columns)
    assert score.shape == (len(rows), len(columns))
    np.testing.assert_allclose(
        a @ b.T + row_term[:, None] + column_term[None, :], score, rtol=1e-9, atol=1e-9
    )
    product = a.astype(np.float32) @ b.astype(np.float32).T
    single = product + row_term[:, None].astype(np.float32) + column_term.astype(np.float32)
    np.testing.assert_allclose(single, score, rtol=1e-3, atol=1e-3)


def test_listed_pairs_equal_the_matrix(backend, segments, monkeypatch):
    monkeypatch.setattr("pseudovoice.backends.backend._PAIRS_AT_ONCE", 7)
    rows, columns = models_of(backend, segments), backend.prepare(segments)
    row, column = np.divmod(np.arange(3 * len(columns))[::-2], len(columns))
    np.testing.assert_allclose(
        backend.linear_form(rows, columns).pairs(row, column),
        backend.score(rows, columns)[row, column],
        rtol=1e-9,
        atol=1e-9,
    )


def test_blocks_equal_the_whole(backend, segments):
    whole = backend.prepare(segments)
    parts = np.vstack([backend.prepare(segments[k : k + 5]) for k in range(0, len(segments), 5)])
    np.testing.assert_allclose(parts, whole, rtol=1e-12, atol=1e-12)
    score = backend.score(whole, whole)
    np.testing.assert_allclose(
        backend.score(whole[3:7], whole[10:12]), score[3:7, 10:12], rtol=1e-9, atol=1e-12
    )
    np.testing.assert_allclose(score, score.T, rtol=1e-9, atol=1e-9)


def test_a_model_of_one_segment_is_that_segment(backend, segments):
    prepared = backend.prepare(segments)
    alone = backend.enrol(prepared, np.arange(len(segments), dtype=np.int32), len(segments))
    np.testing.assert_allclose(alone, prepared, rtol=1e-9, atol=1e-12)


def test_order_of_enrolment_does_not_matter(backend, segments):
    prepared = backend.prepare(segments[:6])
    code = np.array([0, 0, 0, 1, 1, 1], np.int32)
    order = np.array([5, 2, 0, 4, 1, 3])
    np.testing.assert_allclose(
        backend.enrol(prepared[order], code[order], 2),
        backend.enrol(prepared, code, 2),
        rtol=1e-9,
        atol=1e-12,
    )


def test_storage_round_trip(backend, segments, tmp_path):
    save_backend(tmp_path / "b.npz", backend)
    again = load_backend(tmp_path / "b.npz")
    assert again.name == backend.name
    assert again.dimension == backend.dimension
    assert again.fingerprint == backend.fingerprint
    assert (models_of(again, segments) == models_of(backend, segments)).all()
    rows = backend.prepare(segments)
    assert (again.score(rows, rows) == backend.score(rows, rows)).all()


def test_fingerprints_tell_all_back_ends_apart(backends, training):
    prints = {backend.fingerprint for backend in backends.values()}
    assert len(prints) == len(KINDS)
    plda = backends["plda"]
    assert isinstance(plda, Plda)
    for name, array in plda.to_arrays().items():
        if name == "backend":
            continue
        changed = plda.to_arrays() | {name: array + 1e-9}
        assert backend_from_arrays(changed).fingerprint not in prints, name
    cohort = training.vectors[::3]
    prints |= {
        with_as_norm(plda, cohort, 11).fingerprint,
        with_as_norm(plda, cohort[1:], 10).fingerprint,
    }
    assert len(prints) == len(KINDS) + 2


def test_plain_cosine_equals_the_scores_of_embeddings(segments):
    speakers = [f"s{k // 4}" for k in range(len(segments))]
    everything = ({}, {"pairing": "upper"}, {"same_segment": False})
    for other, options in product((segments, segments[:, ::-1]), everything):
        mine = score_exhaustive(Cosine(), segments, other, speakers, **options)
        theirs = score_embeddings(segments, other, speakers, **options)
        np.testing.assert_allclose(mine.score, theirs.score, rtol=0, atol=1e-12)
        assert (mine.enrol == theirs.enrol).all()
        assert (mine.trial == theirs.trial).all()
        assert (mine.speakers, mine.method, mine.pairing) == (
            theirs.speakers,
            "exhaustive",
            theirs.pairing,
        )


def test_equal_pairs_tie_in_either_order(backend, segments):
    twice = np.vstack([segments, segments])
    speakers = [f"s{k // 4}" for k in range(24)] * 2
    scores = score_exhaustive(backend, twice, twice, speakers, same_segment=False)
    square = scores.score.reshape(48, 48)
    assert (square == square.T).all()
    assert (np.abs(square[:24, :24] - square[24:, 24:]) <= 1e-11).all()


def test_cosine_model_is_the_mean_of_unit_vectors(segments):
    prepared = Cosine().prepare(segments[:4] * np.array([[1], [100], [1e-3], [1]]))
    model = Cosine().enrol(prepared, np.zeros(4, np.int32), 1)[0]
    mean = (segments[:4] / np.linalg.norm(segments[:4], axis=1, keepdims=True)).mean(axis=0)
    np.testing.assert_allclose(model, mean / np.linalg.norm(mean))


@pytest.mark.parametrize(
    ("vectors", "sentence"),
    [
        (np.ones(D), "must be a matrix"),
        (np.full((2, D), "x"), "must be a matrix of numbers"),
        ([[1.0], [1.0, 2.0]], "must be a matrix of numbers"),
        (np.ones((2, D + 1)), rf"have {D + 1} dimensions but the back-end was trained on {D}"),
        (np.full((3, D), np.nan), r"3 embedding\(s\) are not finite \(first: row 0\)"),
    ],
)
def test_vectors_that_are_none_get_a_sentence(backends, vectors, sentence):
    for name in ("centred-cosine", "plda", "plda+as-norm"):
        with pytest.raises(InputError, match=sentence):
            backends[name].prepare(vectors)


def test_a_vector_without_direction_gets_a_sentence(backends, training):
    with pytest.raises(InputError, match=r"zero or not finite \(first: row 1\)"):
        Cosine().prepare(np.array([[1.0, 0.0], [0.0, 0.0]]))
    centre = training.vectors.mean(axis=0, keepdims=True)
    for name in ("centred-cosine", "plda"):
        with pytest.raises(InputError, match="zero or not finite"):
            backends[name].prepare(centre)


def test_enrolment_numbers_that_do_not_fit_get_a_sentence(backend, segments):
    prepared = backend.prepare(segments[:3])
    with pytest.raises(InputError, match=r"3 enrolment segments but 2 model numbers"):
        backend.enrol(prepared, np.array([0, 1], np.int32), 2)
    with pytest.raises(InputError, match="run from 0 to 5; 2 models are numbered from 0 to 1"):
        backend.enrol(prepared, np.array([0, 1, 5], np.int32), 2)
    with pytest.raises(InputError, match=r"1 enrolment model\(s\) have no segment .*model 1"):
        backend.enrol(prepared, np.array([0, 0, 2], np.int32), 3)


def test_exhaustive_scores_need_matching_sides(segments):
    with pytest.raises(InputError, match="paired segments must be equally many"):
        score_exhaustive(Cosine(), segments, segments[1:], ["s"] * 24, ["s"] * 23)
    with pytest.raises(InputError, match="23 row speakers"):
        score_exhaustive(Cosine(), segments, segments, ["s"] * 23)
    with pytest.raises(InputError, match="no pairing 'lower'"):
        score_exhaustive(Cosine(), segments, segments, ["s"] * 24, pairing="lower")


def test_files_that_hold_no_back_end_get_a_sentence(backends, tmp_path):
    path = tmp_path / "b.npz"
    with pytest.raises(InputError, match="no such file"):
        load_backend(path)
    path.write_bytes(b"not a zip")
    with pytest.raises(InputError, match="no npz file of plain arrays"):
        load_backend(path)
    np.savez(path, backend=np.array([{"a": 1}], object))
    with pytest.raises(InputError, match="no npz file of plain arrays"):
        load_backend(path)
    np.savez(path, vectors=np.ones(3))
    with pytest.raises(InputError, match=r"b\.npz: This is no back-end"):
        load_backend(path)
    whole = backends["plda"].to_arrays()
    for name, damaged in (
        ("ratio", whole["ratio"][1:]),
        ("projection", whole["projection"].astype("U")),
        ("directions", whole["directions"] * np.nan),
    ):
        np.savez(path, **(whole | {name: damaged}))
        with pytest.raises(InputError, match=rf"damaged: '{name}'"):
            load_backend(path)
    np.savez(path, **{name: array for name, array in whole.items() if name != "centre"})
    with pytest.raises(InputError, match=r"'centre' should be floats .* but is nothing"):
        load_backend(path)
    np.savez(path, **(backends["plda+as-norm"].to_arrays() | {"top": np.array([1e6])}))
    with pytest.raises(InputError, match="'top' is 1000000"):
        load_backend(path)
