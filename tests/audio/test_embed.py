from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from artificial_voices import voice, write_corpus

from pseudovoice.corpus import read_corpus
from pseudovoice.embeddings.embed import embed_corpus
from pseudovoice.embeddings.store import EmbeddingStore
from pseudovoice.encoders.registry import load_encoder
from pseudovoice.errors import InputError


class Counting:
    """An encoder that counts its calls and may be told to die."""

    def __init__(self, inner: Any, dies_after: int | None = None) -> None:
        self.inner, self.calls, self.dies_after = inner, 0, dies_after

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def embed(self, batch: Sequence[Any]) -> Any:
        self.calls += len(batch)
        if self.dies_after is not None and self.calls > self.dies_after:
            raise KeyboardInterrupt
        return self.inner.embed(batch)


@pytest.fixture
def encoder(tiny_model: Path) -> Any:
    return load_encoder(f"onnx:{tiny_model}")


def test_workers_and_order_change_nothing(original: Path, encoder: Any) -> None:
    corpus = read_corpus(original)
    one, three = (embed_corpus(corpus, encoder, workers=n) for n in (1, 3))
    assert list(one.ids) == [u.id for u in corpus]
    np.testing.assert_array_equal(one.vectors, three.vectors)
    backwards = type(corpus)(corpus.name, corpus.root, corpus.utterances[::-1])
    np.testing.assert_array_equal(embed_corpus(backwards, encoder).vectors[::-1], one.vectors)


def test_nothing_is_embedded_twice(original: Path, encoder: Any, tmp_path: Path) -> None:
    corpus, store = read_corpus(original), EmbeddingStore(tmp_path / "e.sqlite")
    first, again = Counting(encoder), Counting(encoder)
    a = embed_corpus(corpus, first, store)
    b = embed_corpus(corpus, again, store)
    assert (first.calls, again.calls) == (len(corpus), 0)
    np.testing.assert_array_equal(a.vectors, b.vectors)


def test_a_changed_file_is_embedded_again(tmp_path: Path, encoder: Any) -> None:

    folder = write_corpus(tmp_path / "c", 2, 2)
    store = EmbeddingStore(tmp_path / "e.sqlite")
    embed_corpus(read_corpus(folder), encoder, store)
    soundfile.write(folder / "spk00" / "spk00_0.wav", voice(99, 0), 16_000)
    counting = Counting(encoder)
    embed_corpus(read_corpus(folder), counting, store)
    assert counting.calls == 1


def test_an_interrupted_run_goes_on_where_it_was(
    original: Path, encoder: Any, tmp_path: Path
) -> None:
    corpus, store = read_corpus(original), EmbeddingStore(tmp_path / "e.sqlite")
    with pytest.raises(KeyboardInterrupt):
        embed_corpus(corpus, Counting(encoder, dies_after=12), store, workers=1)
    rest = Counting(encoder)
    resumed = embed_corpus(corpus, rest, store)
    assert 0 < rest.calls < len(corpus)
    np.testing.assert_array_equal(resumed.vectors, embed_corpus(corpus, encoder).vectors)


def test_bad_files_are_listed_and_the_rest_is_embedded(tmp_path: Path, encoder: Any) -> None:

    folder = write_corpus(tmp_path / "c", 3, 2)
    (folder / "spk00" / "spk00_0.wav").write_bytes(b"RIFF but not really")
    soundfile.write(folder / "spk01" / "spk01_0.wav", np.zeros(16_000), 16_000)
    soundfile.write(folder / "spk02" / "spk02_0.wav", np.zeros(100) + 0.1, 16_000)
    done: list[int] = []
    embedded = embed_corpus(read_corpus(folder), encoder, progress=done.append)
    assert set(embedded.ids) == {"spk00_1", "spk01_1", "spk02_1"}
    said = " ".join(map(str, embedded.problems))
    assert len(embedded.problems) == 3
    assert "silent" in said
    assert "shorter than" in said
    assert sum(done) == 6


def test_a_corpus_of_nothing_usable_says_why(tmp_path: Path, encoder: Any) -> None:

    (tmp_path / "c" / "a").mkdir(parents=True)
    soundfile.write(tmp_path / "c" / "a" / "a1.wav", np.zeros(16_000), 16_000)
    with pytest.raises(InputError, match=r"none of the 1 utterances could be embedded.*silent"):
        embed_corpus(read_corpus(tmp_path / "c"), encoder)
