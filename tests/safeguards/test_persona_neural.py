"""persona with the neural voice: keys, sessions, state, search and draws as with WORLD."""

from __future__ import annotations

import json
import shutil
import stat
from pathlib import Path

import numpy as np
import pytest
import soundfile

from pseudovoice.corpus import Corpus, read_corpus
from pseudovoice.encoders import load_encoder
from pseudovoice.errors import InputError, UsageError
from pseudovoice.keys import Key, write_key
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.safeguards import Persona, Voice, XVector, parse_chain
from pseudovoice.safeguards.fitted import can_be_fitted
from pseudovoice.safeguards.given import tag_of
from pseudovoice.safeguards.hearing import embed, listen, material, mean_direction
from pseudovoice.safeguards.persona.by_network import ByNetwork
from pseudovoice.safeguards.safeguard import Samples
from pseudovoice.safeguards.undone import undone
from pseudovoice.safeguards.with_voices import WithVoices
from pseudovoice.safeguards.xvector import neural_voice, targets
from pseudovoice.safeguards.xvector.target import Target

KEY = Key(bytes(range(32)))
RATE = 16_000
SPEAKERS = ("84", "1272", "1462", "174")
PLAIN = Persona(candidates=1, engine="neural")


@pytest.fixture(scope="module")
def corpus(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Two women and two men, a short utterance each."""
    folder = tmp_path_factory.mktemp("corpus")
    for speaker in SPEAKERS:
        file = min(
            (shared / "speech" / "dev" / speaker).rglob("*.flac"), key=lambda p: p.stat().st_size
        )
        (folder / speaker).mkdir()
        shutil.copy(file, folder / speaker)
    return read_corpus(folder)


@pytest.fixture(scope="module")
def speech(corpus: Corpus) -> Samples:
    samples: Samples = soundfile.read(corpus.utterances[0].path)[0][: 2 * RATE]
    return samples


def _given(
    safeguard: Persona, corpus: Corpus, key_file: Path | None, session: str = "s"
) -> dict[str, Target]:
    done = safeguard.prepared(corpus, KEY, session, str, key_file, 1, lambda *_: lambda _: None)
    assert isinstance(done, WithVoices)
    return dict(done.voices)


def test_utterances_have_draws_of_their_own_by_key_session_and_name(speech: Samples) -> None:
    safeguard = Persona(engine="neural", level="utterance")
    made = safeguard(speech, RATE, Voice(KEY, "s", "u1"))
    assert made.size == speech.size
    np.testing.assert_array_equal(made, safeguard(speech, RATE, Voice(KEY, "s", "u1")))
    for other in (
        Voice(KEY, "s", "u2"),
        Voice(KEY, "t", "u1"),
        Voice(Key(bytes(32)), "s", "u1"),
    ):
        assert np.abs(safeguard(speech, RATE, other) - made).max() > 0.01


def test_a_voice_once_given_stays_and_sessions_share_nothing(
    corpus: Corpus, tmp_path: Path
) -> None:
    key_file = tmp_path / "k.key"
    write_key(KEY, key_file)
    few = _given(PLAIN, corpus.subset(speakers=SPEAKERS[:2]), key_file)
    everybody = _given(PLAIN, corpus, key_file)
    assert {name: everybody[name] for name in few} == few
    assert len(set(everybody.values())) == 4
    (state,) = tmp_path.glob("k.key.persona-*.jsonl")
    assert stat.S_IMODE(state.stat().st_mode) == 0o600
    first = {json.loads(line)["speaker"] for line in state.read_text().splitlines()}
    # From the state alone, without listening again.
    assert _given(PLAIN, corpus, key_file) == everybody
    again = _given(PLAIN, corpus, key_file, "another")
    assert not set(again.values()) & set(everybody.values())
    (other,) = set(tmp_path.glob("k.key.persona-*.jsonl")) - {state}
    assert not first & {json.loads(line)["speaker"] for line in other.read_text().splitlines()}


def test_voices_of_both_engines_are_kept_apart(corpus: Corpus, tmp_path: Path) -> None:
    key_file = tmp_path / "k.key"
    write_key(KEY, key_file)
    one = corpus.subset(speakers=SPEAKERS[:1])
    _given(PLAIN, one, key_file)
    world = Persona(candidates=1)
    _given(world, one, key_file)
    assert len(list(tmp_path.glob("k.key.persona-*.jsonl"))) == 2
    # What was given before there were engines is found again.
    assert "engine" not in world.to_dict()
    assert PLAIN.to_dict()["engine"] == "neural"


def test_half_of_either_sex_become_women_and_a_sex_that_is_asked_for_is_had(
    corpus: Corpus,
) -> None:
    density = targets.chooser_of("", "", "synthetic", "any").density

    def women(given: dict[str, Target]) -> int:
        return sum(density.sex_of(np.array(t.place), t.pitch) == "F" for t in given.values())

    assert women(_given(PLAIN, corpus, None)) == 2
    for target, count in (("female", 4), ("male", 0)):
        given = _given(Persona(candidates=1, engine="neural", target=target), corpus, None)
        assert women(given) == count


def test_the_candidate_that_sounds_least_like_its_speaker_is_given(corpus: Corpus) -> None:
    """Whoever is first has nobody to keep away from, and two others make no cohort."""
    three = corpus.subset(speakers=SPEAKERS[:3])
    chosen = Persona(candidates=4, engine="neural", encoders="ge2e", target="female")
    given = _given(chosen, three, None)
    encoder = load_encoder("ge2e")
    tags = {s: tag_of("persona", KEY, "s", s) for s in SPEAKERS[:3]}
    first = listen(three, tags, [encoder], 1, lambda _: None)[0]
    speaking = ByNetwork("female")
    candidates = speaking.candidates(
        [first], {}, 4, lambda h, purpose: KEY.uniform("s", f"persona/{purpose}", h.speaker)
    )(first)
    waveforms = [material(utterance) for utterance in first.material]
    likeness = [
        float(np.mean(embed(encoder, said) @ mean_direction(embed(encoder, waveforms))))
        for said in speaking.tried(waveforms, candidates)
    ]
    assert given[first.speaker] == candidates[int(np.argmin(likeness))]
    assert max(likeness) - min(likeness) > 0.01


def test_a_corpus_is_protected_by_name(corpus: Corpus, tmp_path: Path) -> None:
    two = corpus.subset(speakers=SPEAKERS[:2])
    chain = parse_chain("persona:engine=neural,candidates=2,encoders=ge2e")
    protected = protect_corpus(two, tmp_path / "out", chain, key=KEY)
    assert not protected.problems
    for before, after in zip(two, read_corpus(tmp_path / "out"), strict=True):
        one, other = (soundfile.read(u.path)[0] for u in (before, after))
        assert one.size == other.size
        assert np.abs(np.corrcoef(one, other)[0, 1]) < 0.3


def test_what_a_network_says_is_neither_undone_nor_told_from_pairs() -> None:
    neural, world = parse_chain("persona:engine=neural"), parse_chain("persona")
    assert undone(neural) is None
    assert not can_be_fitted(neural)
    assert undone(world) is not None
    assert can_be_fitted(world)
    assert XVector.caution in neural.caution
    assert XVector.caution not in world.caution


def test_strength_has_no_meaning_for_a_network() -> None:
    with pytest.raises(UsageError, match="leave strength out"):
        parse_chain("persona:engine=neural,strength=1.5")
    with pytest.raises(UsageError, match="engine is one of world, neural"):
        parse_chain("persona:engine=vocoder")


def test_without_weights_there_is_a_sentence(
    speech: Samples, monkeypatch: pytest.MonkeyPatch
) -> None:
    caches = (neural_voice.shipped_voice, targets.voice_of, targets.chooser_of)
    monkeypatch.setattr(neural_voice, "SHIPPED", "nowhere")
    for cached in caches:
        cached.cache_clear()
    try:
        with pytest.raises(InputError, match="install pseudovoice again"):
            Persona(engine="neural", level="utterance")(speech, RATE, Voice(KEY, "s", "u"))
    finally:
        for cached in caches:
            cached.cache_clear()
