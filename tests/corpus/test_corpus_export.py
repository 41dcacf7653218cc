"""What is written is read back as it was; what a layout cannot hold is refused."""

from __future__ import annotations

import csv
import tempfile
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pseudovoice.corpus import (
    Corpus,
    Utterance,
    read_corpus,
    write_audiofolder,
    write_kaldi,
    write_table,
)
from pseudovoice.errors import InputError


def composed(text: str) -> str:
    """As names are read: however an accent was spelt, it is one and the same name."""
    return unicodedata.normalize("NFC", text)


names = st.from_regex(r"[\wäß\-,;\"'=+@#][\w .,;\"'=+@#|\-]{0,12}[\w\-]", fullmatch=True).map(
    composed
)
kaldi_names = st.from_regex(r"[\wäß\-,;\"'=+@#][\w.,;\"'=+@#|\-]{0,12}", fullmatch=True).map(
    composed
)
FILES = ("a.wav", "b c.wav", "d,e.wav", "sub/f.wav", "-g.wav", "=h()/i.wav")
texts = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zs", "Zl", "Zp")), min_size=1).map(
    composed
)
times = st.tuples(st.floats(0, 10), st.floats(0.001, 10)).map(lambda t: (t[0], t[0] + t[1]))


@st.composite
def corpora(draw: st.DrawFn, name: st.SearchStrategy[str] = names) -> list[Utterance]:
    """Utterances of one file each, over up to five files."""
    genders = draw(st.dictionaries(name, st.sampled_from(["f", "m", "other", None]), min_size=1))
    ids = draw(st.lists(name, min_size=1, max_size=8, unique=True))
    utterances = []
    for identity in ids:
        speaker = draw(st.sampled_from(sorted(genders)))
        start, end = draw(st.one_of(st.just((None, None)), times))
        utterances.append(
            Utterance(
                identity,
                speaker,
                Path(draw(st.sampled_from(FILES))),
                start,
                end,
                draw(st.none() | name),
                genders[speaker],
                draw(st.none() | texts),
            )
        )
    return utterances


def placed(utterances: list[Utterance], root: Path) -> Corpus:
    """The corpus with its files, empty, below a folder; reading opens no audio."""
    for utterance in utterances:
        (root / utterance.path).parent.mkdir(exist_ok=True)
        (root / utterance.path).touch()
    kept = tuple(replace(u, path=root / u.path) for u in utterances)
    return Corpus(root.name, root, kept)


@settings(max_examples=60, deadline=None)
@given(corpora(), st.sampled_from(["t.csv", "t.parquet", "audiofolder"]))
def test_tables_and_audiofolders_come_back_unchanged(
    utterances: list[Utterance], layout: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        corpus = placed(utterances, Path(folder).resolve())
        if layout == "audiofolder":
            write_audiofolder(corpus, corpus.root)
            again = read_corpus(corpus.root)
        else:
            write_table(corpus, corpus.root / layout)
            again = read_corpus(corpus.root / layout)
        assert again.problems == ()
        assert again.utterances == corpus.utterances


@settings(max_examples=60, deadline=None)
@given(corpora(kaldi_names))
def test_kaldi_comes_back_unchanged_but_for_sessions(utterances: list[Utterance]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        corpus = placed(utterances, Path(folder).resolve())
        write_kaldi(corpus, corpus.root / "data")
        again = read_corpus(corpus.root / "data", layout="kaldi")
        assert again.problems == ()
        plain = [replace(u, session=None) for u in again]
        expected = sorted(corpus.utterances, key=lambda u: u.id.encode())
        assert plain == [replace(u, session=None) for u in expected]


def test_kaldi_files_are_sorted_and_keep_recordings(tmp_path: Path, record: Callable) -> None:
    wav = record(tmp_path / "r.wav")
    corpus = Corpus(
        "x",
        tmp_path,
        (
            Utterance("b", "ben", wav, 0.25, None, "tape", "m", "SO\nLONG"),
            Utterance("a", "anna", wav, 0.0, 0.25, "tape", "f"),
            Utterance("B", "ben", wav, None, None, "tape", "m", command="cat r.wav"),
        ),
    )
    write_kaldi(corpus, tmp_path / "data")
    written = {path.name: path.read_text() for path in (tmp_path / "data").iterdir()}
    # "tape" names two sources here, so neither can have it as its recording.
    assert written == {
        "wav.scp": f"B cat r.wav |\na {wav}\n",
        "segments": "B B 0.0 -1\na a 0.0 0.25\nb a 0.25 -1\n",
        "utt2spk": "B ben\na anna\nb ben\n",
        "spk2utt": "anna a\nben B b\n",
        "spk2gender": "anna f\nben m\n",
        "text": "b SO LONG\n",
    }


def test_session_names_the_recording_where_it_can(tmp_path: Path, record: Callable) -> None:
    wav = record(tmp_path / "r.wav")
    parts = [("u1", 0.0, 0.25), ("u2", 0.25, 0.5)]
    utterances = tuple(Utterance(i, "anna", wav, s, e, "tape") for i, s, e in parts)
    write_kaldi(Corpus("x", tmp_path, utterances), tmp_path / "data")
    assert read_corpus(tmp_path / "data").utterances == utterances


def test_relative_inside_absolute_outside(tree: Path) -> None:
    corpus = read_corpus(tree)
    write_table(corpus, tree / "in.csv")
    write_table(corpus, tree.parent / "out" / "out.csv")
    with (tree / "in.csv").open() as stream:
        assert [row["path"] for row in csv.DictReader(stream)] == ["anna/a1.wav", "ben/b1.flac"]
    assert read_corpus(tree.parent / "out" / "out.csv").utterances == corpus.utterances


def refused(corpus: Corpus, write: Callable, target: Path) -> str:
    with pytest.raises(InputError) as caught:
        write(corpus, target)
    return str(caught.value)


def test_what_a_layout_cannot_hold_is_refused(tree: Path) -> None:
    corpus = read_corpus(tree)
    a1, b1 = corpus.utterances
    spaced = replace(corpus, utterances=(replace(a1, id="a 1"), b1))
    assert (
        "with utterances that have a space in the id or speaker, which Kaldi cannot hold (1 of 2: "
        in (refused(spaced, write_kaldi, tree.parent / "data"))
    )
    piped = replace(corpus, utterances=(replace(a1, path=Path("/x|")), b1))
    assert "have a path that wav.scp cannot hold (1 of 2: 'a1'); leave them out" in refused(
        piped, write_kaldi, tree.parent / "data"
    )
    outside = tree / "anna"
    assert "lie outside it (1 of 2: 'b1')" in refused(corpus, write_audiofolder, outside)
    command = replace(corpus, utterances=(replace(a1, command="cat x"), b1))
    assert "are made by a command (1 of 2: 'a1')" in refused(command, write_audiofolder, tree)
    assert "are made by a command (1 of 2: 'a1')" in refused(command, write_table, tree / "t.csv")
    assert "a table is written as .csv or .parquet; rename it." in refused(
        corpus, write_table, tree / "t.xlsx"
    )
    assert not (tree.parent / "data").exists()
    assert not (tree / "metadata.csv").exists()


def test_a_path_that_is_not_utf8_is_refused_by_a_table(tree: Path, tmp_path: Path) -> None:
    corpus = read_corpus(tree)
    odd = replace(corpus.utterances[0], path=tree / "a\udcff.wav")
    with pytest.raises(InputError, match="a path that is not UTF-8"):
        write_table(replace(corpus, utterances=(odd,)), tmp_path / "list.csv")
