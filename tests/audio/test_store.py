from pathlib import Path

import numpy as np
import pytest

from pseudovoice.embeddings.store import EmbeddingStore, embedding_key
from pseudovoice.errors import InputError


def test_keys_tell_audio_encoder_and_preparation_apart() -> None:
    keys = {embedding_key(a, e, p) for a in "ab" for e in "cd" for p in "ef"}
    assert len(keys) == 8


def test_what_is_put_is_got_back_and_nothing_else(tmp_path: Path) -> None:
    store = EmbeddingStore(tmp_path / "new" / "e.sqlite")
    vectors = {f"k{i}": np.full(4, i, np.float32) for i in range(1200)}
    store.put(vectors)
    found = store.get([*vectors, "unknown"], 4)
    assert found.keys() == vectors.keys()
    assert all((found[k] == vectors[k]).all() for k in vectors)
    assert store.get(["k1"], 5) == {}  # another dimension is another encoder
    store.close()
    assert EmbeddingStore(tmp_path / "new" / "e.sqlite").get(["k7"], 4)["k7"][0] == 7


def test_a_file_that_is_no_store_gets_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "e.sqlite").write_bytes(b"this is no database" * 100)
    with pytest.raises(InputError, match=r"cannot be used .* delete it, or set PSEUDOVOICE_CACHE"):
        EmbeddingStore(tmp_path / "e.sqlite")
