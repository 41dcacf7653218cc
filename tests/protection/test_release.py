"""What a release gives away besides its sound, and whether all of it is there."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unicodedata
from pathlib import Path

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner, Result

from pseudovoice.cli.main import app
from pseudovoice.corpus import read_corpus
from pseudovoice.errors import InputError, UsageError
from pseudovoice.keys import Key
from pseudovoice.protection.protect import Protected, protect_corpus
from pseudovoice.safeguards import parse_chain

KEY = Key(b"k" * 32)
RANDOM = parse_chain("mcadams-random")
PLAIN = parse_chain("mcadams")


def noise(seed: int, frames: int = 2_000) -> np.ndarray:
    return 0.1 * np.random.default_rng(seed).normal(size=frames).clip(-3, 3)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Sixteen utterances of four people, each of its own length."""
    for k in range(16):
        folder = tmp_path / "c" / "abcd"[k // 4]
        folder.mkdir(parents=True, exist_ok=True)
        soundfile.write(folder / f"{folder.name}{k:02d}.wav", noise(k, 2_000 + 37 * k), 16_000)
    return tmp_path / "c"


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, ["protect", *map(str, words)])


def said(result: Result) -> str:
    return " ".join(result.output.split())


def sounds(folder: Path) -> dict[str, bytes]:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes()
        for p in sorted(folder.rglob("*"))
        if p.suffix in (".wav", ".flac", ".ogg")
    }


def renamed(corpus: Path, out: Path, session: str = "s", **more: object) -> Protected:
    return protect_corpus(
        read_corpus(corpus),
        out,
        RANDOM,
        key=KEY,
        key_session=session,
        rename=True,
        **more,  # type: ignore[arg-type]
    )


# What links two releases.


def test_two_sessions_of_a_key_share_nothing(corpus: Path, tmp_path: Path) -> None:
    for session in ("one", "two"):
        renamed(corpus, tmp_path / session, session)
    words = []
    for session in ("one", "two"):
        found = set()
        # The release, and the owner's state besides, should it be handed on by mistake.
        for folder in (tmp_path / session, tmp_path / f"{session}.pseudovoice"):
            for path in folder.rglob("*"):
                relative = path.relative_to(folder).as_posix()
                found |= set(relative.replace("/", " ").replace(".", " ").split())
        record = json.loads((tmp_path / session / "protection.json").read_text())
        found |= {str(record["key"])} | set(stamps(tmp_path / f"{session}.pseudovoice"))
        words.append(found)
    shared = {word for word in words[0] & words[1] if any(c.isdigit() for c in word)}
    assert shared == set()
    assert KEY.identifier not in words[0] | words[1]


def stamps(state: Path) -> list[str]:
    import sqlite3

    rows = sqlite3.connect(state / "journal.sqlite")
    try:
        return [stamp for (stamp,) in rows.execute("SELECT stamp FROM made")]
    finally:
        rows.close()


def test_the_owner_s_state_lies_beside_the_release_and_is_the_owner_s(
    corpus: Path, tmp_path: Path
) -> None:
    renamed(corpus, tmp_path / "p")
    inside = {p.name for p in (tmp_path / "p").rglob("*") if p.is_file() and p.suffix != ".wav"}
    assert inside == {"protection.json", "metadata.csv"}
    assert (tmp_path / "p.pseudovoice").stat().st_mode & 0o777 == 0o700
    assert len(stamps(tmp_path / "p.pseudovoice")) == 16


def test_a_folder_moved_with_its_state_resumes(corpus: Path, tmp_path: Path) -> None:
    renamed(corpus, tmp_path / "p")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "p").rename(tmp_path / "elsewhere" / "q")
    (tmp_path / "p.pseudovoice").rename(tmp_path / "elsewhere" / "q.pseudovoice")
    again = renamed(corpus, tmp_path / "elsewhere" / "q")
    assert (again.done, again.resumed, again.problems) == (0, 16, ())


def test_a_folder_of_an_earlier_version_gets_a_sentence(corpus: Path, tmp_path: Path) -> None:
    protect_corpus(read_corpus(corpus), tmp_path / "p", PLAIN, key=None)
    (tmp_path / "p" / ".protected.jsonl").write_text("[]\n")
    result = run(corpus, tmp_path / "p", "--safeguard", "mcadams")
    assert result.exit_code == 2
    assert "never release that file" in said(result)


def test_a_person_renamed_in_the_listing_gets_another_voice(tmp_path: Path, corpus: Path) -> None:
    table = corpus / "metadata.csv"
    table.write_text("file_name,id,speaker\na/a00.wav,u1,a\na/a01.wav,u2,a\n")
    before = protect_corpus(read_corpus(corpus), tmp_path / "p", RANDOM, key=KEY)
    first = {u.id: u.path.read_bytes() for u in before.corpus}
    table.write_text("file_name,id,speaker\na/a00.wav,u1,a\na/a01.wav,u2,z\n")
    after = protect_corpus(read_corpus(corpus), tmp_path / "p", RANDOM, key=KEY)
    assert (before.done, after.done, after.resumed) == (2, 1, 1)
    assert after.corpus.by_id["u1"].path.read_bytes() == first["u1"]
    assert after.corpus.by_id["u2"].path.read_bytes() != first["u2"]


# The order of the originals.


def concordance(before: list[int], after: list[int]) -> float:
    """Share of pairs in the same order: one half if one tells nothing of the other."""
    pairs = [(i, j) for i in range(len(before)) for j in range(i)]
    same = sum((before[i] > before[j]) == (after[i] > after[j]) for i, j in pairs)
    return same / len(pairs)


def origins(corpus: Path, release: Path) -> dict[str, int]:
    """The number of each original, told by its length as an attacker would."""
    number = {soundfile.info(p).frames: k for k, p in enumerate(sorted(corpus.rglob("*.wav")))}
    return {p.stem: number[soundfile.info(p).frames] for p in release.rglob("*.wav")}


@pytest.mark.parametrize("workers", [1, 2])
def test_rows_times_and_inodes_follow_the_pseudonyms(
    corpus: Path, tmp_path: Path, workers: int
) -> None:
    part = sorted(corpus.rglob("*.wav"))[3:9]
    for path in part:
        path.rename(tmp_path / path.name)
    renamed(corpus, tmp_path / "p", workers=workers)
    for path in part:  # what is added later must not be told from the rest either
        (tmp_path / path.name).rename(path)
    done = renamed(corpus, tmp_path / "p", workers=workers)
    assert (done.done, done.resumed) == (6, 10)
    files = sorted((tmp_path / "p").rglob("*.wav"))
    assert len(files) == 16
    rows = [u.path for u in read_corpus(tmp_path / "p")]
    assert rows == files == [u.path for u in done.corpus]
    everything = [tmp_path / "p", *(tmp_path / "p").rglob("*")]
    assert len({path.stat().st_mtime for path in everything}) == 1
    number = origins(corpus, tmp_path / "p")
    made = sorted(files, key=lambda p: p.stat().st_ctime_ns)
    assert made == files
    # Four groups of four, shuffled within and among each other by a keyed hash; inodes follow
    # the names but for those that other programs free meanwhile.
    by_inode = sorted(files, key=lambda p: p.stat().st_ino)
    for order in (files, by_inode):
        assert 0.2 < concordance(list(range(16)), [number[p.stem] for p in order]) < 0.8


@pytest.mark.parametrize(
    ("suffix", "subtype"),
    [(".wav", "FLOAT"), (".aiff", "FLOAT"), (".ogg", "VORBIS"), (".opus", "OPUS")],
)
def test_containers_do_not_say_when_they_were_written(
    tmp_path: Path, suffix: str, subtype: str
) -> None:
    (tmp_path / "c" / "a").mkdir(parents=True)
    form = {".ogg": "OGG", ".opus": "OGG"}.get(suffix)
    for k in range(2):
        path = tmp_path / "c" / "a" / f"a{k}{suffix}"
        soundfile.write(path, noise(k, 16_000), 16_000, subtype=subtype, format=form)
    plain = protect_corpus(read_corpus(tmp_path / "c"), tmp_path / "o", RANDOM, key=KEY)
    done = [renamed(tmp_path / "c", tmp_path / "p", "default")]
    time.sleep(1.1)  # the time in a PEAK chunk counts seconds
    done += [renamed(tmp_path / "c", tmp_path / "q", "default")]
    for one, other in zip(done[0].corpus, done[1].corpus, strict=True):
        assert one.path.read_bytes() == other.path.read_bytes()
    # What is heard is not touched.
    heard = {soundfile.read(u.path)[0].tobytes() for u in plain.corpus}
    assert heard == {soundfile.read(u.path)[0].tobytes() for u in done[0].corpus}


def test_renaming_says_what_lengths_still_tell(corpus: Path, tmp_path: Path) -> None:
    words = (corpus, tmp_path / "p", "--safeguard", "mcadams", "--rename")
    shown = run(*words)
    assert shown.exit_code == 0, shown.output
    assert "16 of 16 utterances have a length that no other has" in said(shown)
    assert "--pad" in said(shown)
    facts = json.loads(run(*words, "--json").stdout)
    assert facts["singled_out_by_length"] == {
        "utterances": 16,
        "alone": 16,
        "with_fewer_than_two": 16,
    }


# Two utterances, one place.


def test_utterances_that_would_share_a_file_get_their_own(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    folder.mkdir()
    soundfile.write(folder / "x.wav", noise(1), 16_000)
    soundfile.write(folder / "x.w64", noise(2), 16_000, format="W64", subtype="PCM_16")
    soundfile.write(folder / "y.wav", noise(3), 16_000)
    (folder / "corpus.csv").write_text(
        "utt,path,speaker\nu1,x.wav,a\nu2,x.w64,a\nu3,y.wav,a\nu4,y.wav,b\n"
        # Ids that some systems take for one name, for a file listed twice.
        "V5,y.wav,c\nv5,y.wav,c\n"
    )
    whole = read_corpus(folder / "corpus.csv")
    done = protect_corpus(whole, tmp_path / "p", RANDOM, key=KEY)
    assert done.problems == ()
    assert len({u.path for u in done.corpus}) == len(sounds(tmp_path / "p")) == 6
    again = read_corpus(tmp_path / "p" / "corpus.csv")
    assert [u.id for u in again] == [u.id for u in whole]
    folded = {str(u.path).casefold() for u in again}
    assert len(folded) == 6
    backwards = type(whole)(whole.name, whole.root, whole.utterances[::-1], layout="table")
    other = protect_corpus(backwards, tmp_path / "q", RANDOM, key=KEY).corpus
    for u in done.corpus:
        twin = other.by_id[u.id].path
        assert twin.relative_to(tmp_path / "q") == u.path.relative_to(tmp_path / "p")
        assert twin.read_bytes() == u.path.read_bytes()


def test_kaldi_recordings_of_one_name(tmp_path: Path) -> None:
    folder = tmp_path / "k"
    folder.mkdir()
    soundfile.write(folder / "r1.wav", noise(1), 16_000)
    soundfile.write(folder / "r1.rf64", noise(2), 16_000, format="RF64", subtype="PCM_16")
    (folder / "wav.scp").write_text(f"u1 {folder}/r1.wav\nu2 {folder}/r1.rf64\n")
    (folder / "utt2spk").write_text("u1 a\nu2 a\n")
    done = protect_corpus(read_corpus(folder), tmp_path / "p", PLAIN, key=None)
    assert len(sounds(tmp_path / "p")) == len(read_corpus(tmp_path / "p")) == 2
    assert len({u.path.read_bytes() for u in done.corpus}) == 2


def two_folders(corpus: Path, one: str, other: str) -> None:
    for k, name in enumerate((one, other)):
        try:
            (corpus / name).mkdir()
        except FileExistsError:
            pytest.skip("this file system does not tell the two apart either")
        soundfile.write(corpus / name / "x.wav", noise(k), 16_000)


def test_folders_that_are_one_on_other_systems_are_named(tmp_path: Path, corpus: Path) -> None:
    two_folders(corpus, "anna", "Anna")
    result = run(corpus, tmp_path / "p", "--safeguard", "mcadams", "--json")
    assert result.exit_code == 1, result.output
    facts = json.loads(result.stdout)
    assert facts["utterances"] == 16
    assert len(facts["problems"]) == 2
    assert all("anna/x.wav" in p and "Anna/x.wav" in p for p in facts["problems"])


def test_two_spellings_of_a_name_are_one_person(tmp_path: Path, corpus: Path) -> None:
    """Whose files of the same name are two of the same id: one is kept, and the other named."""
    two_folders(corpus, *(unicodedata.normalize(form, "josé") for form in ("NFC", "NFD")))
    result = run(corpus, tmp_path / "p", "--safeguard", "mcadams", "--json")
    assert result.exit_code == 1, result.output
    facts = json.loads(result.stdout)
    assert facts["utterances"] == 17
    (problem,) = facts["problems"]
    assert "x.wav" in problem


def test_pseudonyms_are_long(corpus: Path, tmp_path: Path) -> None:
    done = renamed(corpus, tmp_path / "p")
    assert all(len(u.id.removeprefix("utt-")) >= 24 for u in done.corpus)
    assert all(len(u.speaker.removeprefix("spk-")) >= 24 for u in done.corpus)


# What is there in the end.


@pytest.mark.parametrize("rename", [False, True])
def test_emptied_cut_and_removed_files_are_made_again(
    corpus: Path, tmp_path: Path, rename: bool
) -> None:
    whole = read_corpus(corpus)
    protect_corpus(whole, tmp_path / "p", RANDOM, key=KEY, rename=rename)
    reference = sounds(tmp_path / "p")
    emptied, cut, removed, flipped = (tmp_path / "p" / name for name in list(reference)[:4])
    emptied.write_bytes(b"")
    cut.write_bytes(cut.read_bytes()[:999])
    removed.unlink()
    data = bytearray(flipped.read_bytes())
    data[-1] ^= 1
    flipped.write_bytes(data)
    again = protect_corpus(whole, tmp_path / "p", RANDOM, key=KEY, rename=rename)
    assert (again.done, again.resumed, again.problems) == (4, 12, ())
    assert sounds(tmp_path / "p") == reference


def test_verify_reads_what_looks_alike(corpus: Path, tmp_path: Path) -> None:
    words = (corpus, tmp_path / "p", "--safeguard", "mcadams", "--json")
    run(*words)
    path = tmp_path / "p" / "a" / "a00.wav"
    good, times = path.read_bytes(), path.stat()
    path.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert json.loads(run(*words).stdout)["protected_now"] == 0
    assert json.loads(run(*words, "--verify").stdout)["protected_now"] == 1
    assert path.read_bytes() == good


@pytest.mark.parametrize("rename", [False, True])
def test_what_was_withdrawn_is_named_and_pruned(corpus: Path, tmp_path: Path, rename: bool) -> None:
    words = [corpus, tmp_path / "p", "--safeguard", "mcadams-random"]
    words += ["--rename"] if rename else []
    assert run(*words).exit_code == 0
    shutil.rmtree(corpus / "b")
    left = run(*words)
    assert left.exit_code == 1
    assert "4 files come from no utterance of this corpus" in said(left)
    assert len(sounds(tmp_path / "p")) == 16
    pruned = run(*words, "--prune")
    assert pruned.exit_code == 0, pruned.output
    assert "4 files removed" in said(pruned)
    assert len(sounds(tmp_path / "p")) == 12
    assert len([p for p in (tmp_path / "p").iterdir() if p.is_dir()]) == 3
    assert len(stamps(tmp_path / "p.pseudovoice")) == 12
    assert run(*words).exit_code == 0


def test_transcripts_of_the_withdrawn_go_and_other_files_stay(tmp_path: Path) -> None:
    for chapter in ("34", "35"):
        folder = tmp_path / "libri" / "12" / chapter
        folder.mkdir(parents=True)
        soundfile.write(folder / f"12-{chapter}-0000.flac", noise(int(chapter)), 16_000)
        (folder / f"12-{chapter}.trans.txt").write_text(f"12-{chapter}-0000 SECRET {chapter}\n")
    words = (tmp_path / "libri", tmp_path / "p", "--safeguard", "mcadams")
    assert run(*words).exit_code == 0
    (tmp_path / "p" / "README").write_text("mine")
    shutil.rmtree(tmp_path / "libri" / "12" / "35")
    pruned = run(*words, "--prune")
    assert pruned.exit_code == 1
    assert "1 file is none of ours (README)" in said(pruned)
    assert (tmp_path / "p" / "README").read_text() == "mine"
    rest = [p for p in (tmp_path / "p").rglob("*") if p.is_file()]
    assert not any(b"SECRET 35" in p.read_bytes() for p in rest)
    assert not (tmp_path / "p" / "12" / "35").exists()


@pytest.mark.parametrize("rename", [False, True])
def test_an_output_removed_in_mid_run_is_an_error(
    corpus: Path, tmp_path: Path, rename: bool
) -> None:
    out = tmp_path / "p"
    seen = []

    def remove(_: int) -> None:
        seen.append(1)
        if len(seen) == 4:
            out.rename(tmp_path / "gone")

    with pytest.raises(InputError, match="was removed or replaced while it was being filled"):
        protect_corpus(
            *(read_corpus(corpus), out, RANDOM),
            key=KEY, rename=rename, workers=1, progress=remove,
        )  # fmt: skip
    shutil.rmtree(out, ignore_errors=True)
    done = protect_corpus(read_corpus(corpus), out, RANDOM, key=KEY, rename=rename)
    assert done.problems == ()
    assert len(sounds(out)) == 16


def test_a_file_removed_in_mid_run_is_a_problem(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "p"
    seen = []

    def remove(_: int) -> None:
        seen.append(1)
        if len(seen) == 16:
            (out / "a" / "a01.wav").unlink()

    done = protect_corpus(read_corpus(corpus), out, PLAIN, key=None, progress=remove)
    assert [str(p) for p in done.problems] == [
        f"{out / 'a' / 'a01.wav'}: has gone or was changed while the run was under way; start "
        "again, and it is made anew."
    ]
    assert len(done.corpus) == 15
    assert protect_corpus(read_corpus(corpus), out, PLAIN, key=None).done == 1


SLOW = """
import sys, time
from pathlib import Path
from pseudovoice.corpus import read_corpus
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.safeguards import parse_chain

def wait(_):
    print("one", flush=True)
    time.sleep(60)

corpus, out = map(Path, sys.argv[1:])
protect_corpus(read_corpus(corpus), out, parse_chain("mcadams"), key=None, progress=wait, workers=1)
"""


def test_a_second_run_is_refused_and_a_killed_one_is_not_in_the_way(
    corpus: Path, tmp_path: Path
) -> None:
    words = [sys.executable, "-c", SLOW, str(corpus), str(tmp_path / "p")]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == b"one\n"
        refused = run(corpus, tmp_path / "p", "--safeguard", "mcadams")
        first.send_signal(signal.SIGKILL)
    assert refused.exit_code == 2
    assert "another run is filling this folder" in said(refused)
    after = run(corpus, tmp_path / "p", "--safeguard", "mcadams", "--json")
    assert after.exit_code == 0, after.output
    facts = json.loads(after.stdout)
    assert facts["utterances"] == 16
    assert facts["resumed"] >= 1


def test_a_refused_folder_is_left_as_it_was(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "precious.txt").write_text("x")
    with pytest.raises(UsageError, match="not empty"):
        protect_corpus(read_corpus(corpus), tmp_path / "full", PLAIN, key=None)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["c", "full"]


def test_an_owner_s_folder_that_cannot_be_made_is_a_sentence(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "p.pseudovoice").write_text("a file")
    result = run(corpus, tmp_path / "p", "--safeguard", "mcadams")
    assert result.exit_code == 2
    assert "what only you need is kept here" in said(result)
    (tmp_path / "p.pseudovoice").unlink()
    (tmp_path / "p.pseudovoice").mkdir()
    (tmp_path / "p.pseudovoice" / "journal.sqlite").write_bytes(b"no database" * 999)
    broken = run(corpus, tmp_path / "p", "--safeguard", "mcadams")
    assert broken.exit_code == 2
    assert "the journal of the protected files cannot be used" in said(broken)


def test_a_journal_of_a_hundred_thousand_rows_is_quick_and_small(tmp_path: Path) -> None:
    from pseudovoice.release.journal import Made, count_made, opened

    made = Made("s" * 32, 1, "h" * 64, 2, 3, 16_000)
    with opened(tmp_path / "j") as journal:
        begin = time.process_time()
        for k in range(2_000):
            journal.put(f"spk/{k:06d}.wav", made)
        early = time.process_time() - begin
        rows = ((f"spk/{k:06d}.wav", made) for k in range(2_000, 98_000))
        with journal._rows:
            journal._rows.executemany(
                "INSERT INTO made VALUES (?, ?, ?, ?, ?, ?, ?)",
                ((p, m.stamp, m.size, m.sha256, m.changed, m.frames, 16_000) for p, m in rows),
            )
        begin = time.process_time()
        for k in range(98_000, 100_000):
            journal.put(f"spk/{k:06d}.wav", made)
            assert journal.get(f"spk/{k - 50_000:06d}.wav") == made
        late = time.process_time() - begin
        assert late < 10 * early + 0.5
    assert count_made(tmp_path / "j") == 100_000


def test_a_run_killed_while_it_publishes_ends_alike(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pseudovoice.release import publish

    renamed(corpus, tmp_path / "whole")
    real, calls = publish.sha256_of, []

    class Killed(BaseException):
        pass

    def dying(path: Path) -> str:
        calls.append(path)
        if len(calls) == 7:
            raise Killed
        return real(path)

    with monkeypatch.context() as patched:
        patched.setattr(publish, "sha256_of", dying)
        with pytest.raises(Killed):
            renamed(corpus, tmp_path / "p")
    assert 0 < len(sounds(tmp_path / "p")) < 16
    done = renamed(corpus, tmp_path / "p")
    assert (done.done, done.resumed, done.problems) == (0, 16, ())
    assert sounds(tmp_path / "p") == sounds(tmp_path / "whole")
    files = sorted((tmp_path / "p").rglob("*.wav"))
    assert sorted(files, key=lambda p: p.stat().st_ctime_ns) == files
    assert not (tmp_path / "p.pseudovoice" / "files").exists()
