"""The x-vector safeguard with the voice and the pool that come with the package, on real speech."""

from __future__ import annotations

import shutil
import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr

from pseudovoice.corpus import Corpus, read_corpus
from pseudovoice.encoders import load_encoder
from pseudovoice.errors import InputError, UsageError
from pseudovoice.keys import Key, new_key, write_key
from pseudovoice.library.attacker_speech import protect_as_attacker
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.safeguards import Voice, XVector, blocks, parse_chain
from pseudovoice.safeguards.channel import Channel, whole
from pseudovoice.safeguards.safeguard import Samples
from pseudovoice.safeguards.with_voices import WithVoices
from pseudovoice.safeguards.xvector import neural_voice, targets, voice_files
from pseudovoice.safeguards.xvector.frames import (
    FRAME,
    RATE,
    SHARED,
    content_of,
    energy_of,
    pitch_of,
    spoken_of,
    steps,
    waveform_of,
)
from pseudovoice.safeguards.xvector.neural_voice import (
    ABOUT_FILE,
    GRAPH_FILE,
    read_voice,
    shipped_voice,
    write_voice,
)
from pseudovoice.safeguards.xvector.targets import shipped_pool

KEY = Key(bytes(range(32)))


@pytest.fixture(scope="module")
def speech(shared: Path) -> Samples:
    """Eight seconds of a man."""
    files = sorted((shared / "speech" / "dev" / "1272").rglob("*.flac"))
    return np.concatenate([soundfile.read(file)[0] for file in files])[: 8 * RATE]


def _voice(name: str = "ann", session: str = "default") -> Voice:
    return Voice(KEY, session, name)


def test_frames_are_counted_alike_by_all_parts() -> None:
    rng = np.random.default_rng(0)
    for length in (900, 16_000, 16_001, 16_383, 16_384, 20_000):
        x = (0.1 * rng.standard_normal(length)).astype(np.float32)
        count = SHARED * steps(length)
        assert pitch_of(x).size == energy_of(x).size == count
        assert len(spoken_of(x, pitch_of(x))) == count
        assert count * FRAME >= length


def test_content_of_a_stretched_recording_is_in_the_time_of_the_original() -> None:
    """A recogniser of one number, the loudness around a frame: steps stay where they were."""

    def loudness(x: np.ndarray) -> np.ndarray:
        frames = np.lib.stride_tricks.sliding_window_view(x, 895)[::384]
        return np.sqrt(np.square(frames).mean(axis=1, keepdims=True)).astype(np.float32)

    x = np.where(np.arange(32_000) < 16_000, 0.1, 0.5).astype(np.float32)
    plain = content_of(loudness, x)[:, 0]
    assert plain.size == steps(32_000)
    for factor in (0.8, 1.25):
        longer = soxr.resample(x, RATE, RATE * factor)
        moved = content_of(loudness, longer, stretch=longer.size / x.size)[:, 0]
        assert abs(moved.size - plain.size) <= 1
        step = np.flatnonzero(np.diff(np.sign(moved - 0.3)))[0]
        assert abs(step - np.flatnonzero(np.diff(np.sign(plain - 0.3)))[0]) <= 1


def test_speech_taken_apart_and_put_together_is_the_same_speech(speech: Samples) -> None:
    x = speech.astype(np.float32)
    f0 = pitch_of(x)
    again = waveform_of(spoken_of(x, f0), f0)[: x.size]
    one, other = (20 * np.log10(_spectrum(s) + 1e-3) for s in (speech, again))
    assert np.corrcoef(one.ravel(), other.ravel())[0, 1] > 0.9


def _spectrum(samples: Samples) -> Samples:
    frames = np.lib.stride_tricks.sliding_window_view(samples, 512)[::256]
    magnitude: Samples = np.abs(np.fft.rfft(frames * np.hanning(512)))
    return magnitude


@pytest.mark.parametrize("rate", [8_000, 16_000, 44_100])
def test_as_many_samples_come_out_as_went_in(speech: Samples, rate: int) -> None:
    samples = soxr.resample(speech[: 2 * RATE], RATE, rate)
    made = XVector()(samples, rate, _voice())
    assert made.size == samples.size
    level = 10 * np.log10(np.square(made).mean() / np.square(samples).mean())
    assert abs(level) < 6
    assert np.abs(made).max() <= 1.0


def test_silence_stays_silence_and_what_is_too_short_too() -> None:
    for samples in (np.zeros(RATE), np.full(300, 0.1), np.zeros(0)):
        made = XVector()(samples, RATE, _voice())
        assert made.size == samples.size
        assert not made.any()


def test_key_session_and_name_give_the_voice(speech: Samples) -> None:
    short, safeguard = speech[: 2 * RATE], XVector()
    made = safeguard(short, RATE, _voice())
    np.testing.assert_array_equal(made, safeguard(short, RATE, _voice()))
    for other in (
        _voice("bob"),
        _voice(session="another"),
        Voice(Key(bytes(32)), "default", "ann"),
    ):
        assert np.abs(safeguard(short, RATE, other) - made).max() > 0.01


def test_the_speaker_is_not_heard_any_more_and_the_target_is(speech: Samples) -> None:
    encoder = load_encoder("ecapa")  # no part of the safeguard

    def heard(samples: Samples) -> np.ndarray:
        row = encoder.embed([samples.astype(np.float32)])[0]
        unit: np.ndarray = row / np.linalg.norm(row)
        return unit

    halves = speech[: 4 * RATE], speech[4 * RATE :]
    own = heard(halves[0]) @ heard(halves[1])
    ann = [heard(XVector()(half, RATE, _voice("ann"))) for half in halves]
    bob = heard(XVector()(halves[1], RATE, _voice("bob")))
    assert own > 0.5
    assert ann[0] @ heard(halves[1]) < 0.3
    assert ann[0] @ ann[1] > max(0.5, ann[0] @ bob + 0.1)


def test_words_are_kept(shared: Path) -> None:
    from pseudovoice.asr.registry import load_recogniser
    from pseudovoice.text.normalise import normalise
    from pseudovoice.utility.words import total, word_errors

    corpus = read_corpus(shared / "speech" / "dev" / "metadata.tsv")
    recogniser = load_recogniser("moonshine-base")
    said = [u for u in corpus if u.speaker in ("84", "1462")][:6]
    errors = []
    for utterance in said:
        samples = soundfile.read(utterance.path)[0]
        made = XVector()(samples, RATE, _voice(utterance.speaker))
        text = recogniser.transcribe(made.astype(np.float32))
        errors.append(word_errors(normalise(utterance.transcript or ""), normalise(text)))
    assert total(errors).wer < 0.35


def test_long_recordings_are_spoken_in_blocks_that_fit(
    speech: Samples, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = XVector()(speech, RATE, _voice())
    monkeypatch.setattr(blocks, "SECONDS", 3.5)
    monkeypatch.setattr(blocks, "SEARCHED", 2.0)
    pieces = list(XVector().in_pieces(Channel(None, [speech]), RATE, _voice()))
    made = whole(pieces)
    assert made.size == at_once.size
    level = 10 * np.log10(np.square(made).sum() / np.square(at_once).sum())
    assert abs(level) < 1.5
    one, other = (np.log(_spectrum(s) + 1e-2) for s in (made, at_once))
    assert np.corrcoef(one.ravel(), other.ravel())[0, 1] > 0.9


@pytest.fixture(scope="module")
def corpus(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Four people, a short utterance each."""
    folder = tmp_path_factory.mktemp("corpus")
    for speaker in ("84", "1272", "1462", "174"):
        file = min(
            (shared / "speech" / "dev" / speaker).rglob("*.flac"), key=lambda p: p.stat().st_size
        )
        (folder / speaker).mkdir()
        shutil.copy(file, folder / speaker)
    return read_corpus(folder)


def _prepared(safeguard: XVector, corpus: Corpus, key: Path | None) -> dict[str, object]:
    given = safeguard.prepared(
        corpus, KEY, "default", lambda s: s, key, 2, lambda *_: lambda _: None
    )
    assert isinstance(given, WithVoices)
    return dict(given.voices)


def test_a_target_once_given_stays_whoever_comes_later(corpus: Corpus, tmp_path: Path) -> None:
    key = tmp_path / "secret.key"
    write_key(KEY, key)
    few = corpus.subset(speakers=["84", "1272"])
    first = _prepared(XVector(), few, key)
    everybody = _prepared(XVector(), corpus, key)
    assert {name: everybody[name] for name in first} == first
    assert len(set(map(repr, everybody.values()))) == 4
    (state,) = tmp_path.glob("secret.key.xvector-*")
    assert stat.S_IMODE(state.stat().st_mode) == 0o600
    assert not any(name in state.read_text() for name in ('"84"', '"1272"'))
    # Another way of choosing, another state; how the contour is made changes no target.
    assert _prepared(XVector(contour="smooth"), corpus, key) == everybody
    _prepared(XVector(target="random"), corpus, key)
    assert len(list(tmp_path.glob("secret.key.xvector-*"))) == 2


@pytest.fixture
def trained_further(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[], None]]:
    """Puts another version of the voice into the package's place."""
    folder = tmp_path / "weights"
    with neural_voice.shipped_folder() as own:
        shutil.copytree(own, folder)
    caches = (shipped_voice, voice_files._shipped_mark, targets.voice_of, targets.chooser_of)

    def put() -> None:
        about = shipped_voice().about
        told = {**about.told, "start": about.told["sha256"]}
        write_voice(folder, (folder / GRAPH_FILE).read_bytes(), replace(about, told=told))
        monkeypatch.setattr(neural_voice, "SHIPPED", str(folder))
        for cached in caches:
            cached.cache_clear()

    yield put
    for cached in caches:
        cached.cache_clear()


@pytest.mark.parametrize("name", ["xvector", "persona:engine=neural,candidates=1"])
def test_another_version_of_the_voice_does_not_go_on_where_one_stopped(
    corpus: Corpus, tmp_path: Path, trained_further: Callable[[], None], name: str
) -> None:
    """A run that an update came between must not end with two voices; targets stay, and attackers
    whose speech is kept make it anew."""
    key, chain = tmp_path / "secret.key", parse_chain(name)
    write_key(KEY, key)

    def protect(out: str) -> None:
        protect_corpus(corpus, tmp_path / out, chain, key=KEY, key_file=key)

    def attack() -> None:
        protect_as_attacker(corpus, name, KEY, False, tmp_path / "attacker")

    (tmp_path / "attacker").mkdir()
    protect("out")
    attack()
    given = {path: path.read_text() for path in tmp_path.glob("secret.key.*")}
    assert given
    trained_further()
    with pytest.raises(UsageError, match="protected in another way"):
        protect("out")
    protect("anew")
    attack()
    assert len([one for one in (tmp_path / "attacker").iterdir() if not one.suffix]) == 2
    assert given == {path: path.read_text() for path in tmp_path.glob("secret.key.*")}


@pytest.mark.parametrize("target", ["farthest", "nearest", "dense", "random"])
def test_every_strategy_has_targets_in_the_shipped_pool(corpus: Corpus, target: str) -> None:
    for gender in ("any", "same", "cross"):
        assert len(_prepared(XVector(target=target, gender=gender), corpus, None)) == 4


def test_a_corpus_is_protected_by_name(corpus: Corpus, tmp_path: Path) -> None:
    chain = parse_chain("xvector:target=random,contour=redraw")
    protected = protect_corpus(corpus, tmp_path / "out", chain, key=new_key())
    assert not protected.problems
    made = read_corpus(tmp_path / "out")
    assert len(made) == 4


def test_utterances_have_targets_of_their_own_at_that_level(speech: Samples) -> None:
    safeguard = XVector(level="utterance", target="farthest")
    short = speech[: 2 * RATE]
    one, other = (safeguard(short, RATE, _voice(name)) for name in ("u1", "u2"))
    assert np.abs(one - other).max() > 0.01


@pytest.mark.parametrize("name", ["target", "gender", "contour", "level"])
def test_a_parameter_that_cannot_be_is_said(name: str) -> None:
    with pytest.raises(UsageError, match=f"xvector: {name} is one of"):
        replace(XVector(), **{name: "nonsense"})


def test_a_voice_of_other_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        read_voice(tmp_path)
    weights = Path(__file__).parents[2] / "src/pseudovoice/safeguards/xvector/weights"
    for name in (ABOUT_FILE, GRAPH_FILE):
        shutil.copy(weights / name, tmp_path)
    (tmp_path / GRAPH_FILE).write_bytes((tmp_path / GRAPH_FILE).read_bytes()[:-1])
    with pytest.raises(InputError, match="is not the network that"):
        read_voice(tmp_path)
    (tmp_path / ABOUT_FILE).write_bytes(b"PK")
    with pytest.raises(InputError, match="describes no neural voice"):
        read_voice(tmp_path)


def test_a_pool_of_another_encoder_is_refused(tmp_path: Path) -> None:
    from pseudovoice.safeguards.xvector.pool import write_pool

    pool = shipped_pool()
    write_pool(replace(pool, told={"encoder": "ge2e"}), tmp_path / "pool.npz")
    with pytest.raises(UsageError, match="build the pool with the encoder resnet34-lm"):
        XVector(pool=str(tmp_path / "pool.npz"))(np.ones(RATE), RATE, _voice())


def test_the_shipped_pool_names_nobody_and_the_voice_its_sources() -> None:
    pool, told = shipped_pool(), shipped_voice().about.told
    assert min((pool.sex == sex).sum() for sex in "FM") >= 200
    assert pool.encoder == shipped_voice().about.space.encoder
    assert {"front_end", "front_end_identity", "sha256"} <= set(told)
    assert (shipped_voice().about.space.axes.shape[0]) == shipped_voice().dimensions
