"""The shared speech is read as its README says."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from pseudovoice.corpus import examine, load, pair, read_corpus, write_kaldi


def test_dev(shared_speech: Path) -> None:
    corpus = read_corpus(shared_speech / "dev")
    assert (corpus.layout, corpus.problems) == ("librispeech", ())
    assert (len(corpus), len(corpus.speakers)) == (800, 40)
    assert Counter(corpus.genders.values()) == {"f": 20, "m": 20}
    assert corpus.by_id["84-121123-0000"].transcript == "GO DO YOU HEAR"
    assert corpus.by_id["84-121123-0000"].session == "121123"


def test_train(shared_speech: Path) -> None:
    corpus = read_corpus(shared_speech / "train")
    assert (corpus.layout, corpus.problems) == ("folder", ())
    assert (len(corpus), len(corpus.speakers)) == (1747, 409)
    assert set(corpus.genders.values()) == {"f", "m"}
    assert corpus.by_id["so0024-s1-000240010"].transcript == "IT WAS GOOD FOR ME"
    assert load(corpus.by_id["so0024-s1-000240010"], sample_rate=16000).size == pytest.approx(
        2.211 * 16000, abs=16
    )


def test_metadata_table_gives_the_same_corpus(shared_speech: Path) -> None:
    by_tree = read_corpus(shared_speech / "dev")
    by_table = read_corpus(shared_speech / "dev" / "metadata.tsv")
    assert by_table.problems == ()
    assert by_table.by_id == by_tree.by_id


def test_kaldi_copy_pairs_completely(shared_speech: Path, tmp_path: Path) -> None:
    original = read_corpus(shared_speech / "dev")
    write_kaldi(original, tmp_path)
    copy = read_corpus(tmp_path)
    found = pair(original, copy)
    assert found.ids == tuple(original.by_id)
    assert found.problems == ()
    assert copy.genders == original.genders
    assert copy.fingerprint() == original.fingerprint()


def test_some_of_dev_is_without_problems(shared_speech: Path) -> None:
    corpus = read_corpus(shared_speech / "dev")
    found = examine(corpus.subset(speakers=["84", "174", "1272"]))
    assert found.problems == ()
    assert found.sample_rates == {16000: 60}
    assert 0.05 < found.hours < 0.3
