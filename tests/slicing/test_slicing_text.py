"""Slices of text alone, and the attack by words on them (Table 2 of maouche2022)."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pseudovoice.cli.main import app
from pseudovoice.corpus import read_corpus
from pseudovoice.errors import InputError, UsageError
from pseudovoice.keys import Key
from pseudovoice.library.slices import slice_text
from pseudovoice.slicing import read_table
from pseudovoice.slicing.texts import read_sentences, read_texts, slice_texts, write_texts

KEY = Key(b"t" * 32)
SENTENCES = {
    "1": "The birch canoe slid on the smooth planks",
    "2": "=Glue the sheet",
    "3": "to the",
}


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def test_sentences_are_cut_every_three_words_and_ends_are_lost(tmp_path: Path) -> None:
    made = slice_texts(SENTENCES, key=KEY)
    assert [(o.utterance, o.position, o.text) for o in made.origins] == [
        ("1", 0, "The birch canoe"),
        ("1", 1, "slid on the"),
        ("2", 0, "=Glue the sheet"),
    ]
    assert (made.sentences, made.lost) == (3, 4)
    write_texts(made, tmp_path / "slices.csv", tmp_path / "undo.csv")
    public = (tmp_path / "slices.csv").read_text(encoding="utf-8")
    names = [line.split(",")[0] for line in public.splitlines()[1:]]
    assert names == sorted(names), "the order tells nothing"
    assert read_texts(tmp_path / "slices.csv") == {o.slice: o.text for o in made.origins}
    assert sorted(read_table(tmp_path / "undo.csv"), key=lambda o: o.slice) == sorted(
        made.origins, key=lambda o: o.slice
    )
    assert (tmp_path / "undo.csv").stat().st_mode & 0o077 == 0
    other = slice_texts(SENTENCES, key=KEY, key_session="another")
    assert not {o.slice for o in other.origins} & {o.slice for o in made.origins}
    with pytest.raises(InputError, match="No sentence has 20 words"):
        slice_texts(SENTENCES, words=20, key=KEY)


def test_a_table_of_common_voice_is_read(tmp_path: Path) -> None:
    rows = [("client_id", "path", "sentence"), ("x", "a.mp3", 'He said "no" to it'), ("x", "b", "")]
    file = tmp_path / "test.tsv"
    file.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    assert read_sentences(file) == {"1": 'He said "no" to it'}
    file.write_text("client_id\tpath\n", encoding="utf-8")
    with pytest.raises(InputError, match="has no column 'sentence'"):
        read_sentences(file)


def test_slices_of_text_and_of_transcripts_are_attacked_by_words(
    tmp_path: Path, shared: Path
) -> None:
    """Table 2 for both kinds of text: sentences of a file, and what a corpus says."""
    dev, train = (shared / "speech" / name for name in ("dev", "train"))
    if not (dev / "metadata.tsv").is_file() or not (train / "metadata.tsv").is_file():
        pytest.skip(f"there is no speech in {shared / 'speech'}")
    text, model = tmp_path / "sentences.txt", tmp_path / "model.txt"
    for place, file in ((dev, text), (train, model)):
        with (place / "metadata.tsv").open(encoding="utf-8", newline="") as listing:
            rows = csv.DictReader(listing, delimiter="\t", quoting=csv.QUOTE_NONE)
            spoken = [row["transcript"] for row in rows if len(row["transcript"].split()) > 3]
        file.write_text("\n".join(spoken[:150]) + "\n", encoding="utf-8")
    key = tmp_path / "k.key"
    assert run("key", "new", key).exit_code == 0
    out, undo = tmp_path / "sentences.csv", tmp_path / "sentences-undo.csv"
    cut = run("slice", text, out, "--text", "--key-file", key, "--undo-table", undo)
    assert cut.exit_code == 0, cut.output
    assert " slices of 3 words from 150 sentences" in cut.output
    found = run(
        "attack", "slices", out, "--table", undo, "--lm-text", model, "--replicates", "0", "--json"
    )
    assert found.exit_code == 0, found.output
    attacks = json.loads(found.stdout)["attacks"]
    assert attacks["text, Eq. 2"]["slices"] == len(read_texts(out))
    assert attacks["text, ratio"]["average"][0] < 0.5, "words tell something"
    some = read_corpus(dev)
    some = some.subset(ids=[u.id for u in some][:150])
    said = slice_text(some, tmp_path / "dev.csv", key=key, undo_table=tmp_path / "dev-undo.csv")
    assert said.sentences == 150
    assert {o.utterance for o in said.origins} <= set(some.by_id)
    heard = run("attack", "slices", out, "--table", undo, "--lm-text", model, "--sound")
    assert heard.exit_code == 2
    assert "these slices are text alone" in heard.output
    wrong = run("attack", "slices", out, "--table", tmp_path / "dev-undo.csv", "--lm-text", model)
    assert wrong.exit_code == 2
    assert "name the table that was written with them" in wrong.output


def test_nothing_else_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear all\n")
    with pytest.raises(UsageError, match="holds no slices of text"):
        write_texts(slice_texts(SENTENCES, key=KEY), tmp_path / "letter.txt", None)
