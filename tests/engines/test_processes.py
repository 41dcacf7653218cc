"""Work in other processes: the same bytes as in threads, and the key stays where it was read."""

from __future__ import annotations

import base64
import multiprocessing
import os
import pickle
import shutil
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import pseudovoice as pv
from pseudovoice.corpus import Utterance, read_corpus
from pseudovoice.embeddings.embed import embed_corpus
from pseudovoice.embeddings.store import EmbeddingStore
from pseudovoice.encoders import load_encoder
from pseudovoice.engines import in_parallel, shipped, using
from pseudovoice.engines.chosen import engine_of
from pseudovoice.errors import InputError, UsageError
from pseudovoice.keys import Key, new_key
from pseudovoice.slicing import Slice
from pseudovoice.utility.assess import assess_utility
from pseudovoice.utility.store import MeasureStore

PEOPLE, UTTERANCES = 2, 2


@pytest.fixture(scope="module")
def speech(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few utterances of a few people, as LibriSpeech lays them out."""
    folder = tmp_path_factory.mktemp("speech") / "dev"
    for person in sorted((shared / "speech/dev").iterdir())[:PEOPLE]:
        for chapter in sorted(person.iterdir())[:1]:
            to = folder / person.name / chapter.name
            to.mkdir(parents=True)
            files = sorted(chapter.glob("*.flac"), key=lambda file: file.stat().st_size)
            for file in [*files[:UTTERANCES], *chapter.glob("*.txt")]:
                shutil.copy(file, to)
    return folder


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPoolExecutor]:
    # Not forked: a process that begins anew has nothing but what it is sent.
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Everything that was handed to other processes."""
    seen: list[bytes] = []
    submit = ProcessPoolExecutor.submit

    def spy(self, work, /, *args, **kwargs):  # type: ignore[no-untyped-def]
        seen.append(pickle.dumps((work, args, kwargs)))
        return submit(self, work, *args, **kwargs)

    monkeypatch.setattr(ProcessPoolExecutor, "submit", spy)
    return seen


def files(folder: Path) -> dict[str, bytes]:
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def spellings(key: Key) -> list[bytes]:
    secret = key.secret
    plain = base64.b64encode(secret)
    # Whatever stands before it moves base64 by up to two bytes.
    moved = [base64.b64encode(b"x" * k + secret)[4:-4] for k in (1, 2)]
    return [
        secret,
        secret.hex().encode(),
        secret.hex().upper().encode(),
        plain.rstrip(b"="),
        *moved,
    ]


@pytest.mark.parametrize(
    "safeguard",
    [
        "mcadams-random",
        # Asks the key for more than a dozen numbers for every utterance.
        "persona:level=utterance",
        "mcadams-random:level=utterance+mcadams-random",
    ],
)
def test_protected_speech_is_the_same_and_the_key_stays(
    speech: Path, tmp_path: Path, pool: ProcessPoolExecutor, sent: list[bytes], safeguard: str
) -> None:
    key = new_key()
    here = pv.protect(speech, tmp_path / "here", safeguard, key=key, pad=1.0, rename=True)
    there = pv.protect(
        speech, tmp_path / "there", safeguard, key=key, pad=1.0, rename=True, engine=pool
    )
    assert not here.problems
    assert not there.problems
    assert there.done == PEOPLE * UTTERANCES
    assert files(tmp_path / "here") == files(tmp_path / "there")
    assert len(sent) >= PEOPLE * UTTERANCES
    for spelling in spellings(key):
        assert not any(spelling in message for message in sent)


def test_slices_are_the_same(
    speech: Path, tmp_path: Path, pool: ProcessPoolExecutor, sent: list[bytes]
) -> None:
    key = new_key()
    for name, engine in (("here", None), ("there", pool)):
        table = tmp_path / f"{name}.csv"
        pv.slice_corpus(speech, tmp_path / name, key=key, undo_table=table, engine=engine)
    assert files(tmp_path / "here") == files(tmp_path / "there")
    assert (tmp_path / "here.csv").read_bytes() == (tmp_path / "there.csv").read_bytes()
    assert not any(spelling in message for spelling in spellings(key) for message in sent)


@pytest.mark.weights
def test_embeddings_are_the_same_and_kept_here(
    speech: Path, tmp_path: Path, pool: ProcessPoolExecutor, sent: list[bytes]
) -> None:
    corpus, encoder = read_corpus(speech), load_encoder("ge2e")
    store = EmbeddingStore(tmp_path / "embeddings.sqlite")
    here = embed_corpus(corpus, encoder)
    with using(pool):
        there = embed_corpus(corpus, encoder, store)
        before = len(sent)
        again = embed_corpus(corpus, encoder, store)
    assert any(b"_Ear" in message for message in sent)
    assert len(sent) == before, "what is kept is not sent again"
    assert np.array_equal(here.vectors, there.vectors)
    assert np.array_equal(here.vectors, again.vectors)
    assert max(map(len, sent)) < 100_000, "a network travels by name"


@dataclass(frozen=True)
class Halves:
    """Cuts an utterance in the middle."""

    def __call__(self, _utterance: Utterance, seconds: float) -> list[Slice]:
        return [Slice(0.0, seconds / 2, 0, 0), Slice(seconds / 2, seconds, 0, 0)]


@pytest.mark.weights
def test_pieces_are_kept_here_too(
    speech: Path, tmp_path: Path, pool: ProcessPoolExecutor, sent: list[bytes]
) -> None:
    corpus, encoder = read_corpus(speech), load_encoder("ge2e")
    store = EmbeddingStore(tmp_path / "embeddings.sqlite")
    here = embed_corpus(corpus, encoder, cut=Halves())
    with using(pool):
        there = embed_corpus(corpus, encoder, store, cut=Halves())
        before = len(sent)
        again = embed_corpus(corpus, encoder, store, cut=Halves())
    assert len(here.ids) == 2 * PEOPLE * UTTERANCES
    assert len(sent) == before, "what is kept is not sent again"
    for one in (there, again):
        assert np.array_equal(here.vectors, one.vectors)
        assert (here.ids, here.seconds) == (one.ids, one.seconds)


def test_measurements_are_the_same_and_kept_here(
    speech: Path, tmp_path: Path, pool: ProcessPoolExecutor, sent: list[bytes]
) -> None:
    pv.protect(speech, tmp_path / "out", "mcadams")
    original, protected = read_corpus(speech), read_corpus(tmp_path / "out")
    store = MeasureStore(tmp_path / "measures.sqlite")
    here = assess_utility(original, protected, measures=("prosody",))
    with using(pool):
        there = assess_utility(original, protected, measures=("prosody",), store=store)
        before = len(sent)
        again = assess_utility(original, protected, measures=("prosody",), store=store)
    assert sum(b"_Measuring" in message for message in sent) == PEOPLE * UTTERANCES
    assert len(sent) == before, "what is kept is not sent again"
    assert here.rows == there.rows == again.rows


def test_a_bad_file_is_one_problem(speech: Path, tmp_path: Path, pool: ProcessPoolExecutor) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(speech, broken)
    bad = next(broken.rglob("*.flac"))
    bad.write_bytes(bad.read_bytes()[:2000])
    here = pv.protect(broken, tmp_path / "here", "mcadams")
    there = pv.protect(broken, tmp_path / "there", "mcadams", engine=pool)
    assert [str(problem) for problem in there.problems] == [str(p) for p in here.problems]
    assert len(there.problems) == 1


def test_what_cannot_be_sent_is_a_sentence(pool: ProcessPoolExecutor) -> None:
    with using(pool), pytest.raises(UsageError, match="cannot be handed to other processes"):
        list(in_parallel(lambda number: number, [1]))


def test_a_key_cannot_be_sent() -> None:
    with pytest.raises(TypeError, match="never pickled"):
        pickle.dumps(new_key())
    with pytest.raises(UsageError, match="never pickled"):
        shipped.packed(new_key().uniform)  # type: ignore[arg-type]


def test_an_executor_that_breaks_is_a_sentence() -> None:
    with (
        ProcessPoolExecutor(1) as pool,
        using(pool),
        pytest.raises(InputError, match="ended before its work was done"),
    ):
        list(in_parallel(os._exit, [1]))


def test_errors_arrive_as_they_were(pool: ProcessPoolExecutor) -> None:
    with using(pool), pytest.raises(UsageError, match="There is no encoder 'nobody'"):
        list(in_parallel(load_encoder, ["nobody"]))


def test_an_engine_that_nobody_knows() -> None:
    with pytest.raises(UsageError, match="There is no engine 'cloud'"):
        engine_of("cloud")
    with pytest.raises(UsageError, match="on a machine of the cluster"):
        engine_of("ray:ray://head:10001")


def test_whoever_already_works_asks_for_no_others(pool: ProcessPoolExecutor) -> None:
    with using(pool):
        assert dict(in_parallel(_ships, [0]))[0] is False


def _ships(_: int) -> bool:
    from pseudovoice.engines import chosen

    return chosen().ships
