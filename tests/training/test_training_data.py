"""Features, split, pieces and augmentation: none of this needs torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soxr

from pseudovoice.corpus import Corpus, load
from pseudovoice.errors import InputError, UsageError
from pseudovoice.signal.fbank import kaldi_fbank
from pseudovoice.training import Recipe, augment, features
from pseudovoice.training.data import LONGEST_PIECE, SHORTEST_PIECE, TrainingSet
from pseudovoice.training.features import TrainingRecording, cached_features
from pseudovoice.training.held_out import error_rate, held_out_scores
from pseudovoice.training.split import split_speakers


@pytest.fixture
def recordings(voices: Corpus) -> list[TrainingRecording]:
    return cached_features(voices)[0]


def as_set(recordings: list[TrainingRecording], **choices: object) -> TrainingSet:
    recipe = Recipe(batch=7, crops=2, **choices)  # type: ignore[arg-type]
    return TrainingSet(split_speakers(recordings, "corpus").training, recipe)


def test_features_are_the_encoders_own(voices: Corpus, recordings: list[TrainingRecording]) -> None:
    wanted = kaldi_fbank(load(voices.utterances[3], sample_rate=16_000))
    np.testing.assert_allclose(recordings[3].features(), wanted, atol=0.01)


def test_features_are_computed_once(voices: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    first, _ = cached_features(voices)
    monkeypatch.delattr(features, "load")
    seen: list[tuple[str, int, int]] = []
    again, _ = cached_features(voices, progress=lambda *said: seen.append(said))
    assert again == first
    assert seen[-1] == ("features", len(voices), len(voices))


def test_damaged_features_are_computed_again(
    voices: Corpus, recordings: list[TrainingRecording]
) -> None:
    whole = recordings[0].path.read_bytes()
    recordings[0].path.write_bytes(whole[: len(whole) // 2])
    cached_features(voices)
    assert recordings[0].path.read_bytes() == whole


def test_bad_audio_is_listed_and_the_rest_used(
    tmp_path: Path, write_voices: Callable[..., Corpus]
) -> None:
    corpus = write_voices(tmp_path / "c", speakers=2, utterances=2)
    corpus.utterances[1].path.write_bytes(b"no audio at all")
    found, problems = cached_features(corpus)
    assert [r.id for r in found] == [u.id for k, u in enumerate(corpus) if k != 1]
    assert [problem.where for problem in problems] == [corpus.utterances[1].place]


def test_held_out_speakers_hang_on_names_alone(recordings: list[TrainingRecording]) -> None:
    split = split_speakers(recordings, "corpus")
    other = split_speakers(recordings[::-1], "corpus")
    assert other == split
    out = {recording.speaker for recording in split.held_out}
    assert len(out) == 4
    assert out.isdisjoint(split.training)
    assert len(split.training) == 6


@pytest.mark.parametrize(("speakers", "utterances"), [(7, 4), (10, 1)])
def test_too_few_speakers_is_a_sentence(
    recordings: list[TrainingRecording], speakers: int, utterances: int
) -> None:
    some = [r for r in recordings if int(r.speaker[1:]) < speakers]
    some = [r for r in some if int(r.id.rsplit("-", 1)[1]) < utterances]
    with pytest.raises(InputError, match=r"talks: has \d+ usable speaker\(s\).* at least 8"):
        split_speakers(some, "talks")


def test_an_epoch_is_balanced_and_has_one_length_a_batch(
    recordings: list[TrainingRecording],
) -> None:
    training = as_set(recordings)
    batches = list(training.batches(1))
    assert len(batches) == training.steps == 2
    labels = np.concatenate([batch.labels for batch in batches]) // len(augment.SPEEDS)
    np.testing.assert_array_equal(np.bincount(labels), [2] * 6)
    for batch in batches:
        assert SHORTEST_PIECE <= batch.features.shape[1] <= LONGEST_PIECE
        assert batch.features.dtype == np.float32
        assert np.isfinite(batch.features).all()
        assert batch.labels.max() < training.classes


def test_pieces_hang_on_seed_and_epoch_alone(recordings: list[TrainingRecording]) -> None:
    def first(seed: int, epoch: int, some: list[TrainingRecording]) -> np.ndarray:
        return next(as_set(some, seed=seed).batches(epoch)).features

    np.testing.assert_array_equal(first(3, 2, recordings), first(3, 2, recordings[::-1]))
    for other in (first(3, 1, recordings), first(4, 2, recordings)):
        assert other.shape != first(3, 2, recordings).shape or (
            np.abs(other - first(3, 2, recordings)).max() > 0.1
        )


def test_without_augmentation_pieces_are_the_recordings(
    recordings: list[TrainingRecording],
) -> None:
    training = as_set(recordings, augment=False)
    assert training.classes == 6
    batch = next(training.batches(1))
    np.testing.assert_allclose(batch.features.mean(axis=1), 0.0, atol=1e-3)
    speaker = training.speakers[batch.labels[0]]
    # Some recording of that speaker holds this very stretch, up to the mean that was removed.
    frames = np.diff(batch.features[0][:150], axis=0)
    gaps = []
    for recording in training.recordings[speaker]:
        whole = np.diff(recording.features().astype(np.float32), axis=0)
        gaps += [np.abs(whole[k : k + 149] - frames).max() for k in range(len(whole) - 148)]
    assert min(gaps) < 1e-3


@pytest.mark.parametrize("speed", [0.9, 1.1])
def test_speed_of_features_is_speed_of_sound(voices: Corpus, speed: float) -> None:
    """Against Kaldi's way: resample the waveform and compute features anew."""
    sound = load(voices.utterances[0], sample_rate=16_000)
    faster = kaldi_fbank(soxr.resample(sound, 16_000 * speed, 16_000, quality="HQ"))
    source = kaldi_fbank(sound)
    whole = int(len(source) / speed) - 2
    warped = augment.change_speed(source, whole, speed)
    frames = min(whole, len(source))
    # What a slowed recording lacks at the top is filled on purpose.
    bands = slice(2, 72)
    wanted, got = (f[:frames, bands] - f[:frames, bands].mean(0) for f in (faster, warped))
    still = source[:frames, bands] - source[:frames, bands].mean(0)
    long_term = np.corrcoef(faster[:, bands].mean(0), warped[:, bands].mean(0))[0, 1]
    unwarped = np.corrcoef(faster[:, bands].mean(0), source[:, bands].mean(0))[0, 1]
    assert long_term > max(0.99, unwarped)
    assert np.abs(wanted - got).mean() < 0.75 * np.abs(wanted - still).mean()


def test_speed_one_changes_nothing_and_span_suffices() -> None:
    x = np.random.default_rng(0).normal(size=(400, 80)).astype(np.float32)
    np.testing.assert_array_equal(augment.change_speed(x, 250, 1.0), x[:250])
    for speed in augment.SPEEDS:
        needed = augment.span(250, speed)
        np.testing.assert_array_equal(
            augment.change_speed(x[:needed], 250, speed), augment.change_speed(x, 250, speed)
        )


def test_background_adds_its_energy_at_the_ratio_drawn(recordings: list[TrainingRecording]) -> None:
    speech, other = (r.features()[:200].astype(np.float32) for r in (recordings[0], recordings[8]))
    rng = np.random.default_rng(0)
    drawn = np.random.default_rng(0).uniform(*augment.VOICE_SNR_DB)
    energy = np.exp(speech.astype(float))
    added = np.exp(augment.add_voice(speech, other, rng).astype(float)) - energy
    assert 10 * np.log10(energy.mean() / added.mean()) == pytest.approx(drawn, abs=0.05)
    noisy = np.exp(augment.add_noise(speech, rng).astype(float)) - energy
    low, high = augment.NOISE_SNR_DB
    assert low - 0.1 <= 10 * np.log10(energy.mean() / noisy.mean()) <= high + 0.1


def test_masks_are_one_stretch_each_way() -> None:
    masked = augment.mask(np.ones((250, 80), np.float32), np.random.default_rng(5))
    frames, bands = (masked == 0).all(axis=1), (masked == 0).all(axis=0)
    assert 0 < frames.sum() <= augment.LONGEST_MASK
    assert 0 < bands.sum() <= augment.WIDEST_MASK
    assert (masked[~frames][:, ~bands] == 1).all()


def test_held_out_trials_stay_within_a_gender(recordings: list[TrainingRecording]) -> None:
    held_out = [replace(r, gender="f" if int(r.speaker[1:]) % 2 else "m") for r in recordings[:16]]
    vectors = np.random.default_rng(0).normal(size=(16, 5)).astype(np.float32)
    scores = held_out_scores(held_out, vectors)
    assert scores.mated.sum() == 4 * 6
    assert (~scores.mated).sum() == 2 * 16
    rate = error_rate(scores)
    assert rate.low is not None
    assert rate.high is not None
    assert rate.low <= rate.value <= rate.high
    # Where each speaker is the only one of a gender, trials across genders are all there is.
    lonely = [replace(r, gender=r.speaker) for r in recordings[:8]]
    assert (~held_out_scores(lonely, vectors[:8]).mated).sum() == 16


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        ({"model": "resnet"}, "There is no model 'resnet'; train xvector or ecapa"),
        ({"epochs": 0}, "epochs must be at least 1, not 0"),
        ({"width": 100}, "width must be a multiple of 8, not 100"),
        ({"margin": 1.5}, "margin must be from 0 to 1 radian"),
        ({"rate": 0.0}, "rate must be greater than 0"),
    ],
)
def test_a_wrong_recipe_is_a_sentence(choices: dict[str, object], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        Recipe(**choices)  # type: ignore[arg-type]
