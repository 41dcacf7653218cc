"""Studies and releases of speech in an object store: the same as on a disk, and sent whole."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from object_store import content, held, run, said

from pseudovoice.keys import new_key

QUICK = (
    "--encoder", "prosody", "--attacker", "lazy", "--measure", "prosody", "--replicates", "5",
    "--permutations", "5", "--no-figures", "--no-gender",
)  # fmt: skip
SAFEGUARDS = (
    "--safeguard",
    "mcadams-random",
    "--safeguard",
    "mcadams+slice:duration=0.5,method=fixed",
)


def without(found: dict[str, bytes], *names: str) -> dict[str, bytes]:
    """What others may read, and what does not say where it came from."""
    return {
        name: data
        for name, data in found.items()
        if name not in names and not name.startswith("work/") and ".pseudovoice/" not in name
    }


def test_compare_from_there_to_there(afar: Any, corpus: Path, key: Path, tmp_path: Path) -> None:
    how = (*SAFEGUARDS, *QUICK, "--key-file", key)
    done = run("compare", "s3://speech/corpus", *how, "-o", "s3://speech/report")
    assert "The report is in s3://speech/report/report.html" in said(done), done.output
    assert "pseudovoice-near" not in done.output
    assert run("compare", corpus, *how, "-o", tmp_path / "here" / "report").exit_code == 1
    assert done.exit_code == 1, "an utterance has too little melody, here and there"
    there, here = held(afar, "speech/report"), content(tmp_path / "here" / "report")
    # The plan says where the speech lies, and what follows from the plan has its hash.
    said_so = ("plan.yaml", "provenance.json", "report.html")
    assert without(there, *said_so) == without(here, *said_so)
    assert {*said_so} < {*there}
    assert any(name.endswith(".wav") for name in there)
    assert any(name.startswith("tables/") for name in there)
    # What only the owner needs stays here; nothing tells of this machine.
    assert not [name for name in there if name.startswith("work") or ".pseudovoice" in name]
    assert not [name for name, data in there.items() if b"pseudovoice-near" in data]
    assert b"s3://speech/corpus" in there["plan.yaml"]
    # The same again makes nothing anew, and a plan of there runs from here.
    (tmp_path / "plan.yaml").write_bytes(there["plan.yaml"])
    foretold = run("check", tmp_path / "plan.yaml", "-o", "s3://speech/report")
    # Whose these few slices are, nobody can tell here either: that is tried each time.
    assert "7 of 8 steps are done" in said(foretold), foretold.output
    again = run("run", tmp_path / "plan.yaml", "-o", "s3://speech/report", "--json")
    assert again.exit_code == 1, again.output
    told = json.loads(again.stdout)
    assert told["report"] == told["pages"][0] == "s3://speech/report/report.html"
    assert held(afar, "speech/report") == there


def test_the_record_of_a_study_comes_last(
    afar: Any, key: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pseudovoice.storage.store import Store

    sent: list[str] = []
    send = Store.send

    def noted(self: Store, source: Path, place: str) -> None:
        sent.append(place)
        if place == "provenance.json" and len(sent) < 1000:
            raise KeyboardInterrupt
        send(self, source, place)

    how = ("--safeguard", "mcadams", *QUICK, "--key-file", key, "-o", "s3://speech/report")
    with monkeypatch.context() as patched:
        patched.setattr(Store, "send", noted)
        assert run("compare", "s3://speech/corpus", *how).exit_code == 130
    assert sent[-1] == "provenance.json"
    assert sent[-2].endswith("/protection.json")
    assert "provenance.json" not in held(afar, "speech/report")
    assert run("compare", "s3://speech/corpus", *how).exit_code <= 1
    assert "provenance.json" in held(afar, "speech/report")


def test_a_plan_of_several_places(afar: Any, corpus: Path, tmp_path: Path) -> None:
    """Addresses and folders side by side, a list among them, and one that is filled in."""
    trials = "\n".join(f"a00 {who}{k:02d} {'target' if who == 'a' else 'nontarget'}"
                       for who, k in (("a", 1), ("b", 3), ("c", 6), ("d", 9)))  # fmt: skip
    afar.pipe_file("speech/lists/trials", f"{trials}\n".encode())
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "title: Places\n"
        "sets:\n"
        "  afar: ${speech}\n"
        "  here:\n"
        f"    corpus: {corpus}\n"
        "safeguards:\n"
        "  - {name: theirs, protected: s3://speech/protected}\n"
        "encoders: prosody\nutility: false\ngenders: false\nfigures: false\nclips: false\n"
        "replicates: 0\npermutations: 0\n"
        "paths: {speech: }\n"
    )
    assert run("protect", corpus, "s3://speech/protected", "--safeguard", "mcadams").exit_code == 0
    done = run("run", plan, "--path", "speech=s3://speech/corpus", "-o", tmp_path / "report")
    assert done.exit_code <= 1, done.output
    text = (tmp_path / "report" / "plan.yaml").read_text()
    assert "s3://speech/corpus" in text
    assert "s3://speech/protected" in text
    wrong = run("run", plan, "--path", "speech=s3://nowhere/corpus", "-o", tmp_path / "other")
    assert wrong.exit_code == 2
    assert "s3://nowhere/corpus: cannot be reached" in said(wrong)
    plan.write_text(plan.read_text().replace("s3://speech/protected", "s3://speech/../other"))
    wrong = run("run", plan, "--path", "speech=s3://speech/corpus", "-o", tmp_path / "other")
    assert "is no address of a folder" in said(wrong)


def test_release_from_there_to_there(afar: Any, corpus: Path, key: Path, tmp_path: Path) -> None:
    how = ("--safeguard", "mcadams-random", "--key-file", key, "--rename")
    assert run("protect", "s3://speech/corpus", "s3://speech/out", *how).exit_code == 0
    assert run("protect", corpus, tmp_path / "out", *how).exit_code == 0
    more = ("--key-file", key)
    done = run("release", "s3://speech/out", "s3://speech/out.zip", *more,
               "--originals", "s3://speech/corpus")  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "s3://speech/out.zip" in said(done)
    here = run("release", tmp_path / "out", tmp_path / "out.zip", *more, "--originals", corpus)
    assert here.exit_code == 0, here.output
    assert afar.cat_file("speech/out.zip") == (tmp_path / "out.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        assert sum(name.endswith(".wav") for name in archive.namelist()) == 12
    # What would undo it is found there as it is here, and named by its address.
    new_key(tmp_path / "other.key")
    afar.put_file(str(tmp_path / "other.key"), "speech/out/mine.key")
    refused = run("release", "s3://speech/out", "s3://speech/bad.zip", *more)
    assert refused.exit_code == 3
    assert "s3://speech/out/mine.key" in said(refused) or "mine.key" in said(refused)
    assert not afar.exists("speech/bad.zip")
