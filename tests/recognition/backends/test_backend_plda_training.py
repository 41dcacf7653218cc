"""Training PLDA: what it needs, what it chooses, and that a small training set does not hurt."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from two_covariance_world import pairwise_eer, world

from pseudovoice.backends import Cosine, train_cosine, train_plda
from pseudovoice.backends.labelled import labelled, moments
from pseudovoice.backends.plda_training import CAUTIOUS, choose_shrinkage
from pseudovoice.errors import InputError


def eer_of(backend, vectors, speakers):
    segments = backend.prepare(vectors)
    return pairwise_eer(backend.score(segments, segments), speakers)


@pytest.fixture(scope="module")
def unlike():
    """Nuisance in few directions: what PLDA is for. 100 training and 60 unseen speakers, 64-d."""
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((160, 1, 64)) + 0.6 * rng.standard_normal((160, 5, 64))
    nuisance = 4 * rng.standard_normal((160, 5, 6)) @ rng.standard_normal((6, 64))
    speakers = [f"s{k:03d}" for k in range(160) for _ in range(5)]
    return (vectors + nuisance).reshape(-1, 64), speakers


def test_plda_learns_what_varies_within_speakers(unlike):
    x, s = unlike
    plda = train_plda(x[:500], s[:500])
    assert (plda.speakers, plda.utterances) == (100, 500)
    cosine = eer_of(train_cosine(x[:500]), x[500:], s[500:])
    assert cosine > 15
    assert eer_of(plda, x[500:], s[500:]) < 0.3 * cosine


def test_lda_then_plda_learns_it_too(unlike):
    x, s = unlike
    plda = train_plda(x[:500], s[:500], dimension=50)
    assert plda.front_end.projection.shape == (64, 50)
    assert eer_of(plda, x[500:], s[500:]) < 0.5 * eer_of(Cosine(), x[500:], s[500:])


@pytest.mark.parametrize("dimension", [None, 5])
def test_front_end_whitens_and_normalises(dimension):
    drawn = world(14, [4] * 50, 8)
    plda = train_plda(drawn.vectors, drawn.speakers, dimension=dimension, shrinkage=0.0)
    front, k = plda.front_end, dimension or 8
    unit = train_cosine(drawn.vectors).prepare(drawn.vectors)
    np.testing.assert_allclose(front.centre, drawn.vectors.mean(axis=0))
    np.testing.assert_allclose(front.mean, unit.mean(axis=0))
    total = moments(labelled(unit, drawn.speakers)).total
    np.testing.assert_allclose(
        front.projection.T @ total @ front.projection, np.eye(k), rtol=0, atol=1e-9
    )
    ready = (unit - front.mean) @ front.projection
    ready *= k**0.5 / np.linalg.norm(ready, axis=1, keepdims=True)
    np.testing.assert_allclose(front(drawn.vectors), ready)


def test_shrinkage_follows_what_the_training_set_can_tell():
    """Many speakers in few dimensions are trusted; few in many, with nothing to learn, are not."""
    rich = world(0, [6] * 300, 4, loudness=0.3, decay=1.5)
    assert choose_shrinkage(labelled(rich.vectors, rich.speakers)) <= 0.3
    poor = world(1, [5] * 12, 100, loudness=0.3, decay=0)
    assert choose_shrinkage(labelled(poor.vectors, poor.speakers)) >= 0.9


def test_with_all_shrinkage_the_ranking_is_that_of_centred_cosine():
    drawn = world(3, [4] * 20, 30)
    plda = train_plda(drawn.vectors, drawn.speakers, shrinkage=1 - 1e-9)
    cosine = train_cosine(drawn.vectors)
    new = world(4, [2] * 15, 30, truth=drawn.truth).vectors
    a, b = plda.prepare(new), cosine.prepare(new)
    above = np.triu_indices(30, 1)
    llr, angle = plda.score(a, a)[above], cosine.score(b, b)[above]
    # Not the same numbers, but nearly one increasing function of them.
    assert np.corrcoef(llr.argsort().argsort(), angle.argsort().argsort())[0, 1] > 0.98


def test_a_few_hundred_speakers_of_256_dimensions_do_not_hurt():
    """Real embeddings have falling spectra; here speakers and nuisance share most directions."""
    train = world(5, [5] * 200, 256, loudness=1.0, decay=0.3)
    test = world(6, [5] * 40, 256, truth=train.truth)
    plda = train_plda(train.vectors, train.speakers)
    cosine = eer_of(train_cosine(train.vectors), test.vectors, test.speakers)
    assert eer_of(plda, test.vectors, test.speakers) <= cosine


def test_order_and_names_of_the_training_set_do_not_matter():
    drawn = world(7, [2, 3, 4, 5] * 6, 6)
    order = np.random.default_rng(0).permutation(len(drawn.speakers))
    plain = train_plda(drawn.vectors, drawn.speakers)
    shuffled = train_plda(drawn.vectors[order], [drawn.speakers[k] for k in order])
    assert shuffled.shrinkage == plain.shrinkage
    x = drawn.vectors[:10]
    np.testing.assert_allclose(
        shuffled.score(shuffled.prepare(x), shuffled.prepare(x)),
        plain.score(plain.prepare(x), plain.prepare(x)),
        rtol=1e-6,
        atol=1e-6,
    )


def test_scale_and_shift_of_the_embeddings_do_not_matter():
    drawn = world(8, [3] * 25, 6)
    turn, _ = np.linalg.qr(np.random.default_rng(1).standard_normal((6, 6)))
    plain = train_plda(drawn.vectors, drawn.speakers)
    seen = train_plda(5 * drawn.vectors @ turn + 3, drawn.speakers)
    x = drawn.vectors[:10]
    a, b = plain.prepare(x), seen.prepare(5 * x @ turn + 3)
    np.testing.assert_allclose(seen.score(b, b), plain.score(a, a), rtol=1e-5, atol=1e-5)


def test_speakers_with_one_utterance_are_used():
    drawn = world(9, [3] * 10 + [1] * 30, 5)
    assert train_plda(drawn.vectors, drawn.speakers).speakers == 40


def test_too_few_speakers_to_leave_any_out_are_met_with_caution():
    drawn = world(10, [3, 3, 3, 1, 1], 5)
    assert train_plda(drawn.vectors, drawn.speakers).shrinkage == CAUTIOUS


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ([1, 1, 1], "Only 0 of the 3 training speakers have two or more utterances"),
        ([5], "Only 1 of the 1 training speakers"),
        ([5, 1, 1, 1], "Only 1 of the 4 training speakers"),
    ],
)
def test_too_small_training_sets_get_a_sentence(counts, sentence):
    drawn = world(11, counts, 4)
    with pytest.raises(InputError, match=sentence):
        train_plda(drawn.vectors, drawn.speakers)


def test_training_sets_that_say_nothing_get_a_sentence():
    speakers = ["a", "a", "b", "b"]
    with pytest.raises(InputError, match="All training vectors are the same"):
        train_plda(np.ones((4, 3)), speakers)
    with pytest.raises(InputError, match="each training speaker have the same vector"):
        train_plda(np.repeat(np.random.default_rng(0).standard_normal((2, 3)), 2, 0), speakers)
    with pytest.raises(InputError, match="4 training vectors but 3 speaker labels"):
        train_plda(np.ones((4, 3)), speakers[1:])
    with pytest.raises(InputError, match="not finite"):
        train_plda(np.full((4, 3), np.inf), speakers)


def test_impossible_settings_get_a_sentence():
    drawn = world(12, [2] * 8, 6)
    with pytest.raises(InputError, match=r"LDA to 7 dimensions is not possible.*allow 1 to 6"):
        train_plda(drawn.vectors, drawn.speakers, dimension=7)
    with pytest.raises(InputError, match="For 1 use centred cosine"):
        train_plda(drawn.vectors, drawn.speakers, shrinkage=1)
    small = world(13, [2] * 8, 20)
    with pytest.raises(InputError, match="do not span their 20 dimensions"):
        train_plda(small.vectors, small.speakers, shrinkage=0)


def test_real_x_vectors_of_half_the_speakers_help_with_the_other_half(shared: Path):
    """Ten training speakers, 512 dimensions: textbook PLDA fails here, shrinkage must save it."""
    folder = shared / "golden" / "libri_test_trials_f"
    if not (folder / "xvectors.npz").is_file():
        pytest.skip(f"there is no {folder / 'xvectors.npz'}")
    speaker_of = dict(line.split() for line in (folder / "utt2spk").read_text().splitlines())
    with np.load(folder / "xvectors.npz") as file:
        speakers = [speaker_of[utt] for utt in file["utt"].tolist()]
        x = file["original"].astype(np.float64)
    first = np.isin(speakers, sorted(set(speakers))[:10])
    mine = [s for s, f in zip(speakers, first, strict=True) if f]
    other = [s for s, f in zip(speakers, first, strict=True) if not f]
    cosine = eer_of(Cosine(), x[~first], other)
    assert eer_of(train_plda(x[first], mine), x[~first], other) <= cosine + 0.25
    # The default is what makes the difference, not the test set.
    assert eer_of(train_plda(x[first], mine, dimension=9, shrinkage=0.1), x[~first], other) > 5
