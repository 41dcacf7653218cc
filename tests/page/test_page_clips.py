"""Clips: the same stretch of each voice, small, playable, with its picture."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
import soundfile
from PIL import Image

from pseudovoice.corpus import Corpus, read_corpus
from pseudovoice.page.clips import MIME, RATE, make_clips
from pseudovoice.page.spectrogram import BANDS, FRAMES_PER_SECOND, grey_png, spectrogram_png


def tone(hertz: float, seconds: float, rate: int = RATE) -> np.ndarray:
    return 0.3 * np.sin(2 * np.pi * hertz * np.arange(int(seconds * rate)) / rate)


@pytest.fixture
def corpora(tmp_path: Path) -> tuple[Corpus, Corpus]:
    """Three speakers, the second with a broken first recording; protected is an octave up."""
    for folder, factor in (("o", 1), ("p", 2)):
        for k, name in enumerate(("anna", "bert", "cleo")):
            place = tmp_path / folder / name
            place.mkdir(parents=True)
            for take in range(2):
                sound = tone(factor * (200 + 100 * k), 6.0 + take, 8_000)
                soundfile.write(place / f"{name}{take}.wav", sound, 8_000)
        (tmp_path / folder / "bert" / "bert0.wav").write_bytes(b"RIFF not a sound")
    return read_corpus(tmp_path / "o"), read_corpus(tmp_path / "p")


def test_one_clip_per_speaker_of_the_same_utterance(corpora: tuple[Corpus, Corpus]) -> None:
    original, protected = corpora
    before, after = make_clips(original, None), make_clips(protected, "octave")
    assert [c.speaker for c in before] == ["anna", "bert", "cleo"]
    assert [c.utterance for c in before] == [c.utterance for c in after]
    assert before[1].utterance.endswith("bert1")  # the broken one is passed over
    assert {c.safeguard for c in before} == {None}
    assert {c.safeguard for c in after} == {"octave"}


def test_a_clip_sounds_like_its_beginning(corpora: tuple[Corpus, Corpus]) -> None:
    clip = make_clips(corpora[0], None, seconds=2.0)[0]
    assert clip.mime == MIME
    assert clip.seconds == pytest.approx(2.0)
    samples, rate = soundfile.read(io.BytesIO(clip.audio))
    assert rate == RATE
    assert samples.size / rate == pytest.approx(2.0, abs=0.2)  # MP3 pads to whole frames
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(samples.size)))
    assert np.fft.rfftfreq(samples.size, 1 / rate)[spectrum.argmax()] == pytest.approx(200, abs=5)
    assert len(clip.audio) < 10_000


def test_the_worst_protected_come_first_and_the_size_is_bounded(
    corpora: tuple[Corpus, Corpus],
) -> None:
    wanted = ["cleo", "nobody", "anna", "bert"]
    everybody = make_clips(corpora[0], None, speakers=wanted)
    assert [c.speaker for c in everybody] == ["cleo", "anna", "bert"]
    size = sum(len(c.audio) + len(c.spectrogram) for c in everybody[:2])
    some = make_clips(corpora[0], None, speakers=wanted, most_bytes=size)
    assert [c.speaker for c in some] == ["cleo", "anna"]


def test_a_tone_is_a_dark_line_at_its_height() -> None:
    low, high = (picture(tone(hertz, 1.0)) for hertz in (500, 3000))
    assert low.shape == (BANDS, FRAMES_PER_SECOND)
    rows = [int(p[:, 10:30].mean(axis=1).argmin()) for p in (low, high)]
    assert rows[0] > rows[1] > 0  # higher pitch, nearer to the top
    mel = [2595 * np.log10(1 + f / 700) for f in (60, 500, 8000)]
    place = BANDS - (mel[1] - mel[0]) / (mel[2] - mel[0]) * BANDS
    assert rows[0] == pytest.approx(place, abs=2)
    assert low[0].min() == pytest.approx(1.0)  # silence is white


def picture(samples: np.ndarray) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(spectrogram_png(samples, RATE)))) / 255


@pytest.mark.parametrize("width", [1, 2, 7])
def test_every_pixel_survives(width: int) -> None:
    pixels = np.arange(3 * width, dtype=np.uint8).reshape(3, width) % 16
    read = np.asarray(Image.open(io.BytesIO(grey_png(pixels)))) / 255
    np.testing.assert_allclose(read, pixels / 15, atol=1e-6)


def test_the_shortest_sound_has_a_picture() -> None:
    assert picture(tone(300, 0.001)).shape[0] == BANDS
