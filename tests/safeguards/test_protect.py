import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner, Result

from pseudovoice.cli.main import app
from pseudovoice.corpus import read_corpus
from pseudovoice.errors import UsageError
from pseudovoice.keys import Key
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.release.record import RECORD, check_record
from pseudovoice.safeguards import available, parse_chain
from pseudovoice.safeguards.loudness import Gain, level_of

KEY = Key(b"k" * 32)
RANDOM = parse_chain("mcadams-random")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    for speaker in "abc":
        (tmp_path / "c" / speaker).mkdir(parents=True)
        for k in range(3):
            sound = 0.1 * np.cumsum(rng.normal(size=(8000 + 37 * k, 1 + (speaker == "b"))), axis=0)
            sound = 0.1 * sound / np.abs(sound).max()
            kind = ".flac" if speaker == "c" else ".wav"
            rate = 22_050 if speaker == "b" else 16_000
            soundfile.write(tmp_path / "c" / speaker / f"{speaker}{k}{kind}", sound, rate)
    return tmp_path / "c"


def audio(folder: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes()
        for p in sorted(folder.rglob("*"))
        if p.suffix in (".wav", ".flac")
    }


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, ["protect", *map(str, words)])


def test_rate_channels_length_and_level_stay(corpus: Path, tmp_path: Path) -> None:
    protect_corpus(read_corpus(corpus), tmp_path / "p", RANDOM, key=KEY)
    for name in audio(corpus):
        before, rate = soundfile.read(corpus / name, always_2d=True)
        after, other = soundfile.read(tmp_path / "p" / name, always_2d=True)
        assert (before.shape, rate) == (after.shape, other)
        assert (
            soundfile.info(corpus / name).subtype == soundfile.info(tmp_path / "p" / name).subtype
        )
        assert np.abs(after).max() <= 1.0
        assert not np.allclose(before, after, atol=1e-3)
        assert np.square(after).sum() == pytest.approx(np.square(before).sum(), rel=0.02)


def test_workers_order_subset_and_resuming_change_no_bit(corpus: Path, tmp_path: Path) -> None:
    whole = read_corpus(corpus)
    protect_corpus(whole, tmp_path / "one", RANDOM, key=KEY, workers=1)
    reference = audio(tmp_path / "one")
    protect_corpus(whole, tmp_path / "two", RANDOM, key=KEY, workers=2)
    assert audio(tmp_path / "two") == reference
    backwards = type(whole)(whole.name, whole.root, whole.utterances[::-1])
    protect_corpus(backwards, tmp_path / "three", RANDOM, key=KEY)
    assert audio(tmp_path / "three") == reference
    part = whole.subset(speakers=["b"])
    protect_corpus(part, tmp_path / "four", RANDOM, key=KEY)
    assert audio(tmp_path / "four") == {n: b for n, b in reference.items() if n.startswith("b/")}
    resumed = protect_corpus(whole, tmp_path / "four", RANDOM, key=KEY)
    assert (resumed.done, resumed.resumed) == (6, 3)
    assert audio(tmp_path / "four") == reference


def test_sessions_and_keys_give_other_voices(corpus: Path, tmp_path: Path) -> None:
    whole = read_corpus(corpus)
    for name, key, session in (
        ("1", KEY, "s1"),
        ("2", KEY, "s2"),
        ("3", Key(b"x" * 32), "s1"),
        ("4", KEY, "s1"),
    ):
        protect_corpus(whole, tmp_path / name, RANDOM, key=key, key_session=session)
    a, b, c, d = (audio(tmp_path / name) for name in "1234")
    assert a == d
    assert all(a[k] != b[k] != c[k] != a[k] for k in a)


def test_renaming_leaves_no_old_name_and_is_keyed(corpus: Path, tmp_path: Path) -> None:
    done = protect_corpus(read_corpus(corpus), tmp_path / "p", RANDOM, key=KEY, rename=True)
    everything = [str(p.relative_to(tmp_path / "p")) for p in (tmp_path / "p").rglob("*")]
    text = "".join(everything) + (tmp_path / "p" / "metadata.csv").read_text()
    for name in ("a0", "b1", "c2"):
        assert f"/{name}." not in text
        assert f"{name}," not in text
    again = read_corpus(tmp_path / "p")
    assert len(again.speakers) == 3
    assert len(again) == 9
    other = protect_corpus(
        read_corpus(corpus), tmp_path / "q", RANDOM, key=Key(b"z" * 32), rename=True
    )
    assert not set(done.corpus.speakers) & set(other.corpus.speakers)


def test_no_trace_of_key_or_originals_in_the_output(corpus: Path, tmp_path: Path) -> None:
    protect_corpus(read_corpus(corpus), tmp_path / "p", RANDOM, key=KEY, rename=True)
    written = b"".join(p.read_bytes() for p in (tmp_path / "p").rglob("*") if p.is_file())
    assert KEY.secret not in written
    assert KEY.secret.hex().encode() not in written
    from pseudovoice.corpus import audio_hash

    for utterance in read_corpus(corpus):
        assert audio_hash(utterance)[:16].encode() not in written


def test_a_bad_file_is_listed_and_the_rest_protected(corpus: Path, tmp_path: Path) -> None:
    (corpus / "a" / "a0.wav").write_bytes(b"no audio at all")
    result = run(corpus, tmp_path / "p", "--safeguard", "mcadams")
    assert result.exit_code == 1
    assert "a0.wav" in result.stderr
    assert len(audio(tmp_path / "p")) == 8


def test_silence_stays_silence_and_nothing_clips() -> None:
    assert not Gain(level_of([np.ones(10)]), level_of([np.zeros(10)]))(np.ones(10)).any()
    click = np.array([0.0, 10.0, 0.0, 0.0])
    loud = Gain(level_of([click]), level_of([np.full(4, 0.9)]))(click)
    assert np.abs(loud).max() <= 1.0


def test_key_is_made_outside_and_said_once(corpus: Path, tmp_path: Path) -> None:
    words = (corpus, tmp_path / "p", "--safeguard", "mcadams-random")
    first, second = run(*words), run(*words)
    assert first.exit_code == second.exit_code == 0, first.output
    assert str(tmp_path / "p.key") in first.stderr
    assert "key" not in second.stderr
    assert not list((tmp_path / "p").rglob("*.key"))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--safeguard", "nope"], "There is no safeguard 'nope'"),
        (["--safeguard", "mcadams:beta=1"], "'beta=1' is no parameter of mcadams"),
        (["--safeguard", "mcadams:alpha=x"], "must be a number, not 'x'"),
        (["--safeguard", "mcadams", "--key-file", "{out}/k"], "must not lie in the folder"),
        (["--safeguard", "mcadams-random", "--key-file", "{out}.none"], "no such key file"),
    ],
)
def test_wrong_use_gets_a_sentence(
    corpus: Path, tmp_path: Path, words: list[str], sentence: str
) -> None:
    result = run(corpus, tmp_path / "p", *(w.format(out=tmp_path / "p") for w in words))
    assert result.exit_code == 2
    assert sentence in " ".join(result.output.split())


def test_folders_that_must_not_be_written(corpus: Path, tmp_path: Path) -> None:
    inside = run(corpus, corpus / "p", "--safeguard", "mcadams")
    assert "cannot lie inside the corpus" in " ".join(inside.output.split())
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "precious.txt").write_text("x")
    full = run(corpus, tmp_path / "full", "--safeguard", "mcadams")
    assert "the folder is not empty" in " ".join(full.output.split())
    run(corpus, tmp_path / "p", "--safeguard", "mcadams")
    other = run(corpus, tmp_path / "p", "--safeguard", "mcadams:alpha=0.9")
    assert "protected in another way" in " ".join(other.output.split())


def test_random_safeguards_need_a_key(corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="draws from a secret key"):
        protect_corpus(read_corpus(corpus), tmp_path / "p", RANDOM, key=None)


def test_chains_and_listing() -> None:
    chain = parse_chain("mcadams:alpha=0.9+mcadams-random:low=0.5,level=utterance")
    assert chain.name == "mcadams+mcadams-random"
    assert json.loads(json.dumps(chain.to_dict()))["chain"][1]["level"] == "utterance"
    listed = json.loads(CliRunner().invoke(app, ["list", "safeguards", "--json"]).stdout)
    assert {s["name"] for s in listed["safeguards"]} == set(available())


def test_kaldi_and_librispeech_layouts_are_kept(corpus: Path, tmp_path: Path) -> None:
    tree = tmp_path / "libri"
    for k, name in enumerate(("a0", "a1")):
        (tree / "12" / "34").mkdir(parents=True, exist_ok=True)
        sound, rate = soundfile.read(corpus / "a" / f"{name}.wav")
        soundfile.write(tree / "12" / "34" / f"12-34-000{k}.flac", sound, rate)
    (tree / "12" / "34" / "12-34.trans.txt").write_text("12-34-0000 HELLO\n12-34-0001 WORLD\n")
    kaldi: dict[str, Any] = {"wav.scp": "", "utt2spk": "", "text": ""}
    for name in ("c0", "c1"):
        kaldi["wav.scp"] += f"{name} {corpus / 'c' / name}.flac\n"
        kaldi["utt2spk"] += f"{name} c\n"
        kaldi["text"] += f"{name} some words\n"
    (tmp_path / "kaldi").mkdir()
    for name, text in kaldi.items():
        (tmp_path / "kaldi" / name).write_text(text)
    for layout in ("libri", "kaldi"):
        before = read_corpus(tmp_path / layout)
        protect_corpus(before, tmp_path / f"{layout}-p", parse_chain("mcadams"), key=None)
        shutil.rmtree(tmp_path / layout)
        after = read_corpus(tmp_path / f"{layout}-p")
        assert after.layout == before.layout
        assert [(u.id, u.speaker, u.transcript) for u in after] == [
            (u.id, u.speaker, u.transcript) for u in before
        ]


def test_a_record_nested_without_end_is_another_protection(tmp_path: Path) -> None:
    (tmp_path / RECORD).write_bytes(b"[" * 5000)
    with pytest.raises(UsageError, match="protected in another way"):
        check_record(tmp_path, {"safeguard": "x"})
