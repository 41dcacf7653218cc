"""Age, accent, language and emotion of a listing reach the utterances, and no release."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pseudovoice.corpus import (
    Corpus,
    Labels,
    read_corpus,
    write_audio,
    write_audiofolder,
    write_table,
)
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.safeguards import parse_chain

KNOWN = Labels(age="25", accent="mandarin", emotion="joy")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    noise = np.random.default_rng(0).normal(size=8_000) / 20
    for name in ("a/a1", "b/b1"):
        (tmp_path / "c" / name).parent.mkdir(parents=True, exist_ok=True)
        write_audio(tmp_path / "c" / f"{name}.wav", noise, 16_000)
    return tmp_path / "c"


def labels(corpus: Corpus) -> dict[str, dict[str, str]]:
    return {u.id: dict(u.labels) for u in corpus}


def test_a_table_has_columns_for_them(folder: Path) -> None:
    rows = [
        "path,speaker,Age,accents,emo,locale",
        "a/a1.wav,a,25, Mandarin ,joy,",
        "b/b1.wav,b,n/a,,,en",
    ]
    (folder / "list.csv").write_text("\n".join(rows) + "\n")
    found = read_corpus(folder / "list.csv")
    assert labels(found) == {"a1": dict(KNOWN), "b1": {"language": "en"}}


def test_metadata_beside_a_tree_tells_them_by_utterance_or_by_speaker(folder: Path) -> None:
    (folder / "metadata.tsv").write_text("utt\tage\temotion\na1\t25\tjoy\n")
    assert labels(read_corpus(folder)) == {"a1": {"age": "25", "emotion": "joy"}, "b1": {}}
    (folder / "metadata.tsv").write_text("speaker\taccent\nb\tscottish\n")
    assert labels(read_corpus(folder)) == {"a1": {}, "b1": {"accent": "scottish"}}


def test_kaldi_has_files_for_them(folder: Path, tmp_path: Path) -> None:
    data = tmp_path / "kaldi"
    data.mkdir()
    (data / "wav.scp").write_text(f"a1 {folder}/a/a1.wav\nb1 {folder}/b/b1.wav\n")
    (data / "utt2spk").write_text("a1 a\nb1 b\n")
    (data / "utt2lang").write_text("a1 english\nb1 dutch\n")
    (data / "spk2age").write_text("b 61\n")
    (data / "utt2emotion").write_text("b1 joy\n")
    assert labels(read_corpus(data)) == {
        "a1": {"language": "english"},
        "b1": {"age": "61", "language": "dutch", "emotion": "joy"},
    }


def test_lhotse_has_the_language_and_the_rest_in_custom(folder: Path, tmp_path: Path) -> None:
    recording = {
        "id": "r",
        "sources": [{"type": "file", "channels": [0], "source": str(folder / "a/a1.wav")}],
        "duration": 0.5,
    }
    said = {"id": "a1", "start": 0, "duration": 0.5, "channel": 0, "speaker": "a"}
    said |= {"language": "English", "custom": {"age": 25, "emotion": "joy"}}
    cut = {"id": "cut", "start": 0, "recording": recording, "supervisions": [said]}
    place = tmp_path / "cuts.jsonl"
    place.write_text(json.dumps(cut) + "\n")
    told = {"age": "25", "language": "english", "emotion": "joy"}
    assert labels(read_corpus(place)) == {"a1": told}


@pytest.mark.parametrize("kind", ["csv", "parquet", "audiofolder"])
def test_what_is_written_is_read_again(folder: Path, kind: str) -> None:
    corpus = read_corpus(folder)
    first, second = corpus.utterances
    corpus = replace(corpus, utterances=(replace(first, labels=KNOWN), second))
    if kind == "audiofolder":
        write_audiofolder(corpus, folder)
        found = read_corpus(folder, layout="audiofolder")
    else:
        write_table(corpus, folder / f"list.{kind}")
        found = read_corpus(folder / f"list.{kind}")
    assert labels(found) == {"a1": dict(KNOWN), "b1": {}}


def test_no_release_tells_them(folder: Path, tmp_path: Path) -> None:
    rows = ["path,speaker,age,emotion", "a/a1.wav,a,25,joy", "b/b1.wav,b,61,anger"]
    (folder / "list.csv").write_text("\n".join(rows) + "\n")
    protect_corpus(
        read_corpus(folder / "list.csv"), tmp_path / "out", parse_chain("mcadams"), key=None
    )
    listing = (tmp_path / "out" / "corpus.csv").read_text()
    assert "a1" in listing
    assert "joy" not in listing
    assert "25" not in listing
