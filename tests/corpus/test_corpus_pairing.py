"""Pairing by id, subsets and fingerprints."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from pseudovoice.corpus import Corpus, Utterance, pair, read_corpus
from pseudovoice.errors import InputError


def corpus(name: str, *speech: str) -> Corpus:
    """A corpus of ``speaker/id`` names, without audio."""
    utterances = []
    for item in speech:
        speaker, _, identity = item.partition("/")
        utterances.append(Utterance(identity, speaker, Path("/x") / item))
    return Corpus(name, Path("/") / name, tuple(utterances))


def test_same_corpora_pair_completely() -> None:
    one = corpus("o", "anna/2", "anna/1", "ben/3")
    found = pair(one, replace(one, utterances=one.utterances[::-1]))
    assert found.ids == ("2", "1", "3")
    assert found.problems == ()


def test_what_is_missing_on_either_side_is_listed_with_its_count() -> None:
    original = corpus("o", "anna/1", *(f"ben/{i}" for i in range(10, 20)))
    protected = corpus("p", "anna/1", "carl/7")
    found = pair(original, protected)
    assert found.ids == ("1",)
    assert found.only_original == tuple(str(i) for i in range(10, 20))
    assert found.only_protected == ("7",)
    assert list(map(str, found.problems)) == [
        "/p: 10 utterances of the original corpus are missing here "
        "(10, 11, 12, 13, 14 and 5 more); add them; until then these are left out.",
        "/o: 1 utterance of the protected corpus is missing here "
        "(7); add them; until then these are left out.",
    ]


def test_other_speaker_is_left_out() -> None:
    found = pair(corpus("o", "anna/1", "ben/2"), corpus("p", "anna/1", "anna/2"))
    assert found.ids == ("1",)
    assert found.other_speaker == ("2",)
    assert "1 utterance here is under another speaker than in the original corpus (2)" in str(
        found.problems[0]
    )


def test_nothing_in_common_is_an_error() -> None:
    with pytest.raises(InputError, match=r"have no utterance id in common \(such as 1 against 2\)"):
        pair(corpus("o", "anna/1"), corpus("p", "anna/2"))
    with pytest.raises(InputError, match="give every common utterance different speakers"):
        pair(corpus("o", "anna/1"), corpus("p", "ben/1"))


def test_subset_by_speaker_and_id() -> None:
    one = corpus("o", "anna/1", "anna/2", "ben/3")
    assert list(one.subset(speakers=["anna"]).by_id) == ["1", "2"]
    assert list(one.subset(ids=["3", "1"]).by_id) == ["1", "3"]
    assert list(one.subset(speakers={"anna"}, ids={"2", "3"}).by_id) == ["2"]
    assert len(one.subset()) == 3
    with pytest.raises(InputError, match="has no speaker carl; the corpus was read as layout"):
        one.subset(speakers=["carl"])
    with pytest.raises(InputError, match="has no utterance 9; "):
        one.subset(ids=["9"])


def test_speakers_and_genders() -> None:
    one = corpus("o", "ben/1", "anna/2", "ben/3")
    one = replace(one, utterances=(*one.utterances[:2], replace(one.utterances[2], gender="m")))
    assert {name: [u.id for u in group] for name, group in one.speakers.items()} == {
        "anna": ["2"],
        "ben": ["1", "3"],
    }
    assert one.genders == {"anna": None, "ben": "m"}


def test_fingerprint_ignores_order_and_place_but_not_contents(tree: Path, tmp_path: Path) -> None:
    one = read_corpus(tree)
    moved = read_corpus(tree.rename(tmp_path / "moved"))
    backwards = replace(moved, utterances=moved.utterances[::-1])
    for content in (False, True):
        prints = {c.fingerprint(content=content) for c in (moved, backwards)}
        assert len(prints) == 1
    assert moved.fingerprint() == read_corpus(tmp_path / "moved").fingerprint()
    assert moved.fingerprint() != moved.subset(ids=["a1"]).fingerprint()

    path = moved.by_id["a1"].path
    before = moved.fingerprint(), moved.fingerprint(content=True)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(1, 1))
    assert moved.fingerprint() == before[0]
    assert moved.fingerprint(content=True) != before[1]

    with pytest.raises(InputError, match=r"cannot be opened any more .* so read it again"):
        one.fingerprint()
