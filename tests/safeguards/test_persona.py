"""persona: the voice that is asked for comes out, is kept for a session, and hides the speaker."""

import json
import shutil
import stat
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr
from scipy.fft import dct, idct
from scipy.signal import lfilter

from pseudovoice.corpus import Corpus, read_corpus
from pseudovoice.errors import UsageError
from pseudovoice.keys import Key
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.safeguards import parse_chain
from pseudovoice.safeguards.given import read_state
from pseudovoice.safeguards.hearing import HeardSpeaker
from pseudovoice.safeguards.persona import PseudoVoice
from pseudovoice.safeguards.persona.by_world import ByWorld, directions
from pseudovoice.safeguards.persona.pseudovoice import (
    BEND,
    LEAST_F1_DOWN,
    MOST_F1_DOWN,
    MOST_F1_UP,
    SLIGHTEST_BEND,
    TILT_TERMS,
    draw,
    rises,
)
from pseudovoice.safeguards.persona.safeguard import Persona
from pseudovoice.safeguards.persona.search import Judged, choose
from pseudovoice.safeguards.persona.shape import SPREAD, TERMS, reshape
from pseudovoice.safeguards.safeguard import Voice
from pseudovoice.safeguards.world import (
    BINS,
    RATE,
    Floats,
    Speech,
    analyse,
    pitch_of,
    synthesise,
)

KEY = Key(b"k" * 32)
PLAIN = parse_chain("persona:candidates=1")
NEUTRAL = PseudoVoice(0.0, 1.0, 120.0, 1.0, 1.0, 0.0, 0.0, ())


def vowel(pitch: float, formants: tuple[float, ...], seconds: float, rate: int = RATE) -> Floats:
    """A source with a moving pitch through resonances; nothing of WORLD in it."""
    time = np.arange(int(seconds * rate)) / rate
    f0 = pitch * 2 ** (0.15 * np.sin(2 * np.pi * 1.5 * time))
    pulses = np.diff(np.floor(np.cumsum(f0) / rate), prepend=0.0)
    x = lfilter([1.0], [1.0, -0.95], pulses)
    for f in formants:
        r = np.exp(-np.pi * 80 / rate)
        x = lfilter([1.0], [1.0, -2 * r * np.cos(2 * np.pi * f / rate), r * r], x)
    noise = 1e-4 * np.random.default_rng(0).standard_normal(x.size)
    out: Floats = 0.3 * x / np.abs(x).max() + noise
    return out


def make_corpus(folder: Path, speakers: dict[str, float], each: int = 2) -> Corpus:
    for k, (name, pitch) in enumerate(speakers.items()):
        (folder / name).mkdir(parents=True, exist_ok=True)
        for u in range(each):
            sound = vowel(pitch, (500 + 40 * k + 90 * u, 1500 - 60 * k, 2500 + 30 * k), 1.3)
            soundfile.write(folder / name / f"{name}-{u}.wav", sound, RATE)
    return read_corpus(folder)


def audio(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*.wav"))}


def test_formants_move_by_the_warp_and_pitch_to_its_median() -> None:
    speech = analyse(vowel(110.0, (700.0, 1220.0, 2600.0), 1.5))
    voice = replace(NEUTRAL, warp=0.25, pitch=180.0, intonation=0.5)
    spoken = analyse(synthesise(reshape(speech, voice), int(1.5 * RATE)))
    voiced = spoken.f0 > 0
    assert pitch_of(spoken.f0) == pytest.approx(180.0, rel=0.02)
    both = voiced & (speech.f0[: voiced.size] > 0)
    before, after = np.log(speech.f0[both]), np.log(spoken.f0[both])
    assert np.corrcoef(before, after)[0, 1] > 0.9
    assert np.polyfit(before, after, 1)[0] == pytest.approx(0.5, abs=0.1)
    # The common long-term spectrum bends the hills; the third formant stands alone and is checked.
    hills = np.arange(513) * RATE / 2 / 512
    band = (hills > 2300) & (hills < 4200)
    mean = spoken.envelope[voiced].mean(axis=0)
    line = np.polyval(np.polyfit(hills[band], mean[band], 1), hills[band])
    peak = hills[band][np.argmax(mean[band] - line)]
    assert peak == pytest.approx(2600 * np.exp(0.25), rel=0.06)


def test_all_envelopes_stray_equally_far() -> None:
    """People differ in how far each cosine term of their envelopes strays from its mean."""
    terms = np.zeros((400, BINS))
    terms[:, 0] = np.linspace(-300.0, -100.0, 400)
    terms[:, TERMS] = 1.2 * SPREAD * np.random.default_rng(0).standard_normal((400, SPREAD.size))
    speech = Speech(
        np.full(400, 120.0), idct(terms, axis=1, norm="ortho"), np.full((400, BINS), 0.1)
    )

    def strays(voice: PseudoVoice) -> Floats:
        after: Floats = dct(reshape(speech, voice).envelope, axis=1, norm="ortho")[160:, TERMS]
        return after.std(axis=0)

    np.testing.assert_allclose(strays(replace(NEUTRAL, evenness=1.0)), SPREAD, rtol=1e-6)
    np.testing.assert_allclose(strays(NEUTRAL), terms[160:, TERMS].std(axis=0), rtol=1e-6)


def test_a_voice_given_before_there_was_evenness_keeps_its_sound() -> None:
    kept = replace(NEUTRAL, tilt=(0.0,) * TILT_TERMS)
    numbers = {k: v for k, v in kept.to_dict().items() if k != "evenness"}
    assert PseudoVoice.from_dict(numbers) == kept


@pytest.mark.parametrize("rate", [8_000, 16_000, 22_050, 44_100])
def test_as_many_samples_come_out_as_went_in(rate: int) -> None:
    x = vowel(120.0, (600.0, 1400.0, 2400.0), 0.8, rate)
    y = Persona(level="utterance")(x, rate, Voice(KEY, "s", "u"))
    assert y.size == x.size
    assert np.isfinite(y).all()
    assert np.abs(y).max() > 0.01


def test_an_empty_band_is_not_blown_up_to_hiss() -> None:
    """A telephone recording at 16 kHz has nothing above 4 kHz, and must not get it."""
    narrow = vowel(120.0, (600.0, 1400.0, 2400.0), 1.5, 8_000)
    wide = soxr.resample(narrow, 8_000, RATE, quality="VHQ")
    spoken = Persona(level="utterance")(wide, RATE, Voice(KEY, "s", "telephone"))
    power = np.abs(np.fft.rfft(spoken)) ** 2
    above = int(power.size * 6_500 / 8_000)
    assert power[above:].sum() < 1e-3 * power.sum()


def test_silence_stays_silence_and_scraps_do_not_fail() -> None:
    persona, voice = Persona(level="utterance"), Voice(KEY, "s", "u")
    assert not persona(np.zeros(8000), RATE, voice).any()
    assert persona(np.ones(10) * 0.1, RATE, voice).size == 10
    x = vowel(120.0, (600.0, 1400.0, 2400.0), 1.0)
    x[6000:10000] = 0.0
    assert not persona(x, RATE, voice)[6500:9500].any()
    hiss = 0.1 * np.random.default_rng(0).standard_normal(RATE)  # unvoiced throughout
    assert np.isfinite(persona(hiss, RATE, voice)).all()


def test_draws_stay_within_what_people_have() -> None:
    for target, low, high in (("any", 80, 260), ("male", 85, 150), ("female", 165, 250)):
        for pitch in (90.0, 115.0, 150.0, 210.0, 260.0):
            for k in range(20):
                voice = Voice(KEY, "s", f"{target}{pitch}{k}")

                def uniform(purpose: str, voice: Voice = voice) -> float:
                    return voice.uniform(purpose, 0.0, 1.0)

                up = rises(pitch, target, uniform)
                drawn = draw(pitch, up, 1.0, target, uniform)
                assert low <= drawn.pitch <= high
                assert 0.2 <= abs(drawn.warp) <= 0.46
                assert pitch > 115 or abs(drawn.first_formant) > LEAST_F1_DOWN - 1e-9
                assert -MOST_F1_DOWN - 1e-9 <= drawn.first_formant <= MOST_F1_UP + 1e-9
                assert SLIGHTEST_BEND - 1e-9 <= abs(drawn.bend - 1) <= BEND[1] + 1e-9
                assert (drawn.warp > 0) == up
                assert target == "any" or up == (target == "female")


def test_as_many_rise_as_is_probable_and_who_is_a_matter_of_the_key() -> None:
    people = [
        HeardSpeaker(f"{n}", f"{n:024x}", (), pitch, {})
        for n, pitch in enumerate([105.0, 210.0] * 20)
    ]
    ways = set()
    for k in range(40):

        def uniform(h: HeardSpeaker, purpose: str, k: int = k) -> float:
            return KEY.uniform(f"session {k}", purpose, h.speaker)

        up = directions(people, {}, "any", uniform)
        ways.add(tuple(up.values()))
        men, women = (sum(up[h.tag] for h in people if (h.pitch > 150) is w) for w in (False, True))
        assert abs(men - 0.62 * 20) < 1
        assert abs(women - 0.50 * 20) < 1
        # Who has a voice keeps it, and a search that was stopped goes on to the same.
        half = {h.tag: replace(NEUTRAL, warp=0.3 if up[h.tag] else -0.3) for h in people[:17]}
        assert directions(people, half, "any", uniform) == up
        assert not any(directions(people, {}, "male", uniform).values())
        assert all(directions(people, {}, "female", uniform).values())
    assert len(ways) == 40


def test_same_bits_for_any_worker_count_order_and_subset(tmp_path: Path) -> None:
    corpus = make_corpus(tmp_path / "c", {"ann": 210.0, "bob": 105.0, "cy": 130.0})
    key_file = tmp_path / "k.key"
    one = protect_corpus(corpus, tmp_path / "1", PLAIN, key=KEY, workers=1, key_file=key_file)
    assert not one.problems
    shuffled = replace(corpus, utterances=corpus.utterances[::-1])
    protect_corpus(shuffled, tmp_path / "2", PLAIN, key=KEY, workers=2, key_file=key_file)
    part = replace(corpus, utterances=corpus.utterances[2:3])
    protect_corpus(part, tmp_path / "3", PLAIN, key=KEY, key_file=key_file)
    anew = protect_corpus(corpus, tmp_path / "4", PLAIN, key=KEY)  # without the state
    first = audio(tmp_path / "1")
    assert audio(tmp_path / "2") == first == audio(anew.corpus.root)
    assert audio(tmp_path / "3").items() <= first.items()
    other = protect_corpus(corpus, tmp_path / "5", PLAIN, key=KEY, key_session="next")
    assert not set(audio(other.corpus.root).values()) & set(first.values())


def test_the_sessions_voices_are_kept_and_never_change(tmp_path: Path) -> None:
    corpus = make_corpus(tmp_path / "c", {"ann": 210.0, "bob": 105.0})
    key_file = tmp_path / "k.key"
    protect_corpus(corpus, tmp_path / "1", PLAIN, key=KEY, key_file=key_file)
    (state,) = tmp_path.glob("k.key.persona-*.jsonl")
    assert stat.S_IMODE(state.stat().st_mode) == 0o600
    text = state.read_text()
    assert "ann" not in text
    assert "bob" not in text
    # Another recording of ann changes what is known of her, not the voice she was given.
    soundfile.write(tmp_path / "c/ann/ann-0a.wav", vowel(320.0, (400.0, 1900.0), 1.2), RATE)
    more = make_corpus(tmp_path / "c", {"cy": 140.0})
    assert len(more) == 7
    protect_corpus(more, tmp_path / "2", PLAIN, key=KEY, key_file=key_file)
    assert state.read_text().startswith(text)
    assert audio(tmp_path / "1").items() <= audio(tmp_path / "2").items()
    shutil.copy(state, tmp_path / "whole")
    with state.open("a") as file:
        file.write('{"speaker": "cut sh')  # a kill in the middle of a line
    known = read_state(state, PseudoVoice.from_dict)
    assert len(known.voices) == 3
    with known.alone():
        assert state.read_bytes() == (tmp_path / "whole").read_bytes()


def test_utterances_of_an_attackers_training_speech_have_draws_of_their_own(tmp_path: Path) -> None:
    corpus = make_corpus(tmp_path / "c", {"ann": 210.0}, each=1)
    sound = tmp_path / "c/ann/ann-0.wav"
    shutil.copy(sound, tmp_path / "c/ann/ann-1.wav")  # the same words twice
    corpus = read_corpus(tmp_path / "c")
    protect_corpus(corpus, tmp_path / "p", parse_chain("persona:level=utterance"), key=KEY)
    assert len(set(audio(tmp_path / "p").values())) == 2


def test_the_choice_is_unlike_the_speaker_and_unlike_what_is_taken() -> None:
    axes = np.eye(3, dtype=np.float32)
    judged = Judged(
        None,  # type: ignore[arg-type]
        (NEUTRAL, NEUTRAL, NEUTRAL),
        tuple({"e": axes[k], "f": axes[k]} for k in range(3)),
        {"e": np.array([2.0, 0.1, 0.3]), "f": np.array([0.0, 0.2, 0.1])},
        np.zeros(3),
    )
    alike = {"e": 0.3, "f": 0.3}
    assert choose(judged, [], alike, ["e", "f"]) == 1
    assert choose(judged, [], alike, ["f"]) == 0
    assert choose(judged, [{"e": axes[1], "f": axes[1]}], alike, ["e", "f"]) == 2


def test_of_voices_that_hide_alike_the_clearer_is_chosen() -> None:
    place = {"e": np.eye(1, dtype=np.float32)[0]}
    far, near = replace(NEUTRAL, warp=0.40), replace(NEUTRAL, warp=0.30)
    for voices in ((far, near), (replace(far, warp=-0.40), replace(near, warp=-0.26))):
        alike = Judged(
            None,  # type: ignore[arg-type]
            voices,
            (place, place),
            {"e": np.array([0.5, 0.6])},
            np.array([ByWorld(1.0, "any").strain(voice) for voice in voices]),
        )
        assert choose(alike, [], {"e": 1.0}, ["e"]) == 1
        assert (
            choose(replace(alike, likeness={"e": np.array([0.5, 2.0])}), [], {"e": 1.0}, ["e"]) == 0
        )


@pytest.mark.parametrize(
    "bad", ["strength=3", "target=child", "candidates=0", "level=session", "encoders=none"]
)
def test_a_wrong_parameter_gets_a_sentence(bad: str, tmp_path: Path) -> None:
    corpus = make_corpus(tmp_path / "c", {"ann": 210.0}, each=1)
    with pytest.raises(UsageError, match=r"persona|encoder"):
        protect_corpus(corpus, tmp_path / "p", parse_chain(f"persona:{bad}"), key=KEY)


@pytest.mark.weights
def test_searched_voices_hide_real_speakers_from_an_encoder_that_did_not_choose(
    shared: Path, tmp_path: Path
) -> None:
    """ge2e chooses, resnet34-lm listens: the protected voices are hardly nearer their own."""
    from pseudovoice.corpus import load
    from pseudovoice.encoders import load_encoder

    if not (shared / "speech/dev").is_dir():
        pytest.skip("there is no real speech beside the repository")
    whole = read_corpus(shared / "speech/dev")
    speakers = sorted({u.speaker for u in whole})[:8]
    few = tuple(u for s in speakers for u in [v for v in whole if v.speaker == s][4:16:6])
    corpus = replace(whole, utterances=few)
    chain = parse_chain("persona:candidates=3,encoders=ge2e")
    done = protect_corpus(corpus, tmp_path / "p", chain, key=KEY, key_file=tmp_path / "k")
    assert not done.problems
    states = [json.loads(x) for p in tmp_path.glob("k.*") for x in p.read_text().splitlines()]
    assert len(states) == 8
    assert all(list(s["place"]) == ["ge2e"] for s in states)
    encoder = load_encoder("resnet34-lm")

    def directions(of: Corpus) -> np.ndarray:
        rows = np.stack([encoder.embed([load(u, sample_rate=RATE)[: 4 * RATE]])[0] for u in of])
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    original, protected = directions(corpus), directions(done.corpus)
    same = np.equal.outer([u.speaker for u in corpus], [u.speaker for u in corpus])
    other = same & ~np.eye(len(few), dtype=bool)

    def gap(scores: np.ndarray) -> float:
        return float(scores[other].mean() - scores[~same].mean())

    assert gap(original @ original.T) > 0.4
    assert gap(original @ protected.T) < 0.35 * gap(original @ original.T)
    assert gap(protected @ protected.T) > 0.5 * gap(original @ original.T)
