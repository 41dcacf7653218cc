"""`pseudovoice key pseudonym` and `key person`: who is who in a release, from the key."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner, Result

from pseudovoice.cli.main import app
from pseudovoice.corpus import read_corpus
from pseudovoice.keys import Key, read_key, write_key
from pseudovoice.library.who import people_of, pseudonyms_of
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.safeguards import parse_chain


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("who") / "c"
    rng = np.random.default_rng(0)
    for name in ("Anna Müller", "ben", "cleo"):
        (root / name).mkdir(parents=True)
        for k in range(2):
            sound = 0.05 * rng.normal(size=8000)
            soundfile.write(root / name / f"{name[0]}{k}.wav", sound, 16_000)
    return root


@pytest.fixture(scope="module")
def key_file(corpus: Path) -> Path:
    path = corpus.parent / "speech.key"
    write_key(Key(b"w" * 32), path)
    return path


@pytest.fixture(scope="module")
def release(corpus: Path, key_file: Path) -> Path:
    out = corpus.parent / "released"
    chain = parse_chain("mcadams")
    key = read_key(key_file)
    protect_corpus(read_corpus(corpus), out, chain, key=key, key_session="2026", rename=True)
    return out


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, ["key", *map(str, words)])


def test_every_file_of_a_release_leads_to_its_person_and_back(
    corpus: Path, key_file: Path, release: Path
) -> None:
    asking = ("--key-file", key_file, "--session", "2026")
    for who in read_corpus(corpus).speakers:
        told = run("pseudonym", who, *asking)
        assert told.exit_code == 0, told.output
        name, pseudonym = told.stdout.strip().split("\t")
        assert name == who
        files = sorted((release / pseudonym).iterdir())
        assert len(files) == 2
        back = run("person", pseudonym, *asking, "--corpus", corpus)
        assert back.stdout == f"{pseudonym}\t{who}\n"
        for file in files:
            found = json.loads(run("person", file, *asking, "--corpus", corpus, "--json").stdout)[
                "found"
            ][0]
            original = Path(found["path"])
            assert (found["speaker"], found["kind"]) == (who, "utterance")
            assert original.parent.name == who
            # The same recording: the same length and loudness.
            before, after = (soundfile.read(path)[0] for path in (original, file))
            assert len(before) == len(after)
            assert np.square(after).sum() == pytest.approx(np.square(before).sum(), rel=0.02)


def test_all_recordings_of_somebody_who_withdraws(
    corpus: Path, key_file: Path, release: Path
) -> None:
    told = run("pseudonym", "ben", "--key-file", key_file, "--session", "2026", "--corpus", corpus)
    lines = [line.split("\t") for line in told.stdout.splitlines()]
    assert [name for name, _ in lines] == ["ben", "utterance b0 of ben", "utterance b1 of ben"]
    folder = release / lines[0][1]
    assert {path.stem for path in folder.iterdir()} == {pseudonym for _, pseudonym in lines[1:]}


def test_a_list_of_names_suffices_for_people(key_file: Path, release: Path, tmp_path: Path) -> None:
    names = tmp_path / "names.txt"
    # As another system spells it: the accent apart from its letter.
    names.write_text(unicodedata.normalize("NFD", "nobody\nAnna Müller\n"), encoding="utf-8")
    (anna,), _ = pseudonyms_of("Anna Müller", key=key_file, key_session="2026")
    (found,), problems = people_of(anna.pseudonym, key=key_file, key_session="2026", names=names)
    assert found.speaker == "Anna Müller"
    assert not problems
    utterance = next((release / anna.pseudonym).iterdir())
    told = run("person", utterance, "--key-file", key_file, "--session", "2026", "--names", names)
    assert told.exit_code == 2
    assert "name the originals with --corpus: a list of people knows no utterances" in told.stderr


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_name_has_one_pseudonym_however_it_is_typed(
    form: str, corpus: Path, key_file: Path, release: Path
) -> None:
    asking = ("--key-file", key_file, "--session", "2026")
    name = unicodedata.normalize(form, "Anna Müller")
    told = run("pseudonym", name, *asking)
    assert told.exit_code == 0, told.output
    shown, pseudonym = told.stdout.strip().split("\t")
    assert (release / pseudonym).is_dir(), "it is in the release"
    assert shown == "Anna Müller"
    assert run("pseudonym", name, *asking, "--corpus", corpus).stdout.startswith(told.stdout)


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8-sig", "utf-16"])
def test_a_list_may_be_an_office_program_s(encoding: str, key_file: Path, tmp_path: Path) -> None:
    names = tmp_path / "names.csv"
    names.write_bytes("Jörg Weiß\r\nAnna Müller\r\n".encode(encoding))
    (anna,), _ = pseudonyms_of("Anna Müller", key=key_file)
    told = run("person", anna.pseudonym, "--key-file", key_file, "--names", names)
    assert told.stdout == f"{anna.pseudonym}\tAnna Müller\n"


def test_what_cannot_be_told_is_a_sentence(
    corpus: Path, key_file: Path, release: Path, tmp_path: Path
) -> None:
    asking = ("--key-file", key_file, "--corpus", corpus)
    pseudonym = next(path.name for path in release.iterdir() if path.name.startswith("spk-"))
    other = run("person", pseudonym, *asking)  # another session
    assert other.exit_code == 2
    assert "check --key-file and --session" in other.stderr
    some = run("person", pseudonym, "xyz", *asking, "--session", "2026")
    assert some.exit_code == 1
    assert pseudonym in some.stdout
    assert "xyz: is no pseudonym" in some.stderr
    misspelt = run("pseudonym", "bne", *asking)
    assert misspelt.exit_code == 2
    assert "nobody in" in misspelt.stderr
    nothing = run("person", pseudonym, "--key-file", key_file)
    assert nothing.exit_code == 2
    assert "name the originals with --corpus, or a file of names with --names" in nothing.stderr
    empty = tmp_path / "empty.txt"
    empty.write_text("\n")
    assert (
        "holds no names"
        in run("person", pseudonym, "--key-file", key_file, "--names", empty).stderr
    )
    binary = tmp_path / "names.docx"
    binary.write_bytes(b"PK\x03\x81\xff\n")
    told = run("person", pseudonym, "--key-file", key_file, "--names", binary)
    assert "names.docx: is no text; save it as UTF-8, a name a line" in told.stderr
    for result in (other, some, misspelt, nothing, told):
        assert "Traceback" not in result.output
        assert read_key(key_file).secret.hex() not in result.output
