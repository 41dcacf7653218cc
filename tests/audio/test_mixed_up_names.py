"""PROTECTED that is ORIGINAL with the names of two random halves of the speakers swapped."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from pseudovoice.attacks.assess import AudioAssessment, assess_audio
from pseudovoice.attacks.material import Material
from pseudovoice.attacks.mixup import mixed_up
from pseudovoice.cli.main import app
from pseudovoice.corpus import Corpus, Utterance, pair, read_corpus
from pseudovoice.embeddings.embeddings import Embeddings
from pseudovoice.embeddings.store import EmbeddingStore
from pseudovoice.encoders import Encoder, load_encoder
from pseudovoice.errors import PseudovoiceError

EACH, SECONDS = 3, 3.0


@pytest.fixture(scope="module")
def dev(shared: Path) -> Corpus:
    """Three seconds of three utterances of each of the 40 speakers of LibriSpeech dev."""
    place = shared / "speech" / "dev"
    if not place.is_dir():
        pytest.skip(f"there is no speech at {place}")
    whole = read_corpus(place)
    picked = [
        Utterance(f"{speaker}-{k}", speaker, group[k * len(group) // EACH].path, 0.0, SECONDS)
        for speaker, group in whole.speakers.items()
        for k in range(EACH)
    ]
    return Corpus("dev", whole.root, tuple(picked))


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    try:
        return load_encoder("ge2e")
    except PseudovoiceError as error:
        pytest.skip(f"the recogniser is not here: {error}")


@pytest.fixture(scope="module")
def halves(dev: Corpus) -> dict[str, str]:
    """Whose voice each name gets: that of a speaker of the other half, who gets this one's."""
    names = list(dev.speakers)
    random.Random(2).shuffle(names)
    one, other = names[: len(names) // 2], names[len(names) // 2 :]
    return {**dict(zip(one, other, strict=True)), **dict(zip(other, one, strict=True))}


def swapped(dev: Corpus, voices: dict[str, str]) -> Corpus:
    """The same ids and speakers, spoken by others."""
    utterances = [
        Utterance(u.id, u.speaker, of.path, of.start, of.end)
        for u in dev
        for of in [dev.by_id[u.id.replace(u.speaker, voices.get(u.speaker, u.speaker), 1)]]
    ]
    return Corpus("swapped", dev.root, tuple(utterances))


@pytest.fixture(scope="module")
def assess(
    dev: Corpus, encoder: Encoder, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[Corpus], AudioAssessment]:
    store = EmbeddingStore(tmp_path_factory.mktemp("store") / "e.sqlite")

    def run(protected: Corpus) -> AudioAssessment:
        material = Material(dev, protected)
        return assess_audio(
            material, [encoder], store=store, by_gender=False, replicates=40, permutations=40
        )

    return run


@pytest.mark.weights
def test_two_swapped_halves_are_named_one_by_one(
    dev: Corpus, halves: dict[str, str], assess: Callable[[Corpus], AudioAssessment]
) -> None:
    found = assess(swapped(dev, halves))
    # This is why the warning matters: the figures are those of a splendid safeguard.
    (attack,) = found.attacks
    assert attack.disclosure.chance
    assert float(attack.disclosure.value) < 0.05 * float(attack.control.value)
    (warning,) = [text for text in found.whole.warnings if "sound exactly like" in text]
    named = ", ".join(f"{speaker} for {halves[speaker]}" for speaker in sorted(halves))
    assert warning.startswith(f"ge2e: 40 protected speaker(s) sound exactly like another original "
                              f"speaker ({named}): check that both corpora")  # fmt: skip


@pytest.mark.weights
def test_two_swapped_speakers_among_forty_are_named_and_nobody_else(
    dev: Corpus, halves: dict[str, str], assess: Callable[[Corpus], AudioAssessment]
) -> None:
    one = min(halves)
    two = {one: halves[one], halves[one]: one}
    (warning,) = [
        text for text in assess(swapped(dev, two)).whole.warnings if "sound exactly like" in text
    ]
    a, b = sorted(two)
    assert f"2 protected speaker(s) sound exactly like another original speaker ({a} for {b}, " in (
        warning
    )
    assert f"{b} for {a})" in warning


@pytest.mark.weights
def test_right_names_are_no_mix_up(
    dev: Corpus, assess: Callable[[Corpus], AudioAssessment]
) -> None:
    assert "sound exactly like" not in " ".join(assess(swapped(dev, {})).whole.warnings)


def test_swapped_folders_with_old_file_names_contradict_the_ids(
    dev: Corpus, halves: dict[str, str], tmp_path: Path
) -> None:
    def table(name: str, voices: dict[str, str]) -> Path:
        rows = [f"{u.id},{u.path},{voices.get(u.speaker, u.speaker)}" for u in dev]
        (tmp_path / name).write_text("\n".join(["utt,path,speaker", *rows]))
        return tmp_path / name

    o, p = table("o.csv", {}), table("p.csv", halves)
    ran = CliRunner().invoke(app, ["assess", "audio", str(o), str(p)])
    assert ran.exit_code == 2
    assert "give every common utterance different speakers" in " ".join(ran.stderr.split())
    one = min(halves)
    some = table("some.csv", {one: halves[one], halves[one]: one})
    pairing = pair(read_corpus(o), read_corpus(some))
    (problem,) = pairing.problems
    assert len(pairing.other_speaker) == 2 * EACH
    assert "6 utterances here are under another speaker than in the original" in str(problem)


def test_one_utterance_each_is_enough_for_equal_voices() -> None:
    vectors = np.eye(4, dtype=np.float32)
    names, ids = ["a", "b", "c", "d"], ["1", "2", "3", "4"]
    o = Embeddings(vectors, ids, names)
    assert mixed_up(o, o) == []
    (warning,) = mixed_up(o, Embeddings(vectors[[1, 0, 2, 3]], ids, names))
    assert "2 protected speaker(s)" in warning
    assert "(a for b, b for a)" in warning
