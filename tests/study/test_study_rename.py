"""A study with `rename`: whatever it writes, nobody in it has a name."""

from __future__ import annotations

import base64
import csv
import json
import re
import shutil
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
from studies import fresh_cache

from pseudovoice.corpus import load, read_corpus, write_audio
from pseudovoice.errors import InputError
from pseudovoice.keys import read_key
from pseudovoice.library.compare import compare
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.safeguards import parse_chain
from pseudovoice.study import Outcome, Plan, SafeguardPlan, SetPlan, read_plan, run_plan
from pseudovoice.study.forecast import dry_run
from pseudovoice.study.plan_text import plan_yaml

NAMES = ("Annelies", "Bartholome", "Crispina", "Desiderius", "Euphrosyne", "Ferdinando")


def named_speech(speech: Path, root: Path) -> Path:
    """The six people under names that stand nowhere else, with sessions; one file is broken."""
    rows = ["file_name,speaker,gender,session,transcript"]
    folders = sorted(path for path in speech.iterdir() if path.is_dir())
    for n, (folder, name) in enumerate(zip(folders, NAMES, strict=True)):
        (root / name).mkdir(parents=True)
        for k, recording in enumerate(sorted(folder.glob("*.flac"))):
            place = f"{name}/{name.lower()}-interview-{k}.flac"
            shutil.copy(recording, root / place)
            rows.append(f"{place},{name},{'fm'[n % 2]},visit-of-{name}-{k},spoken words")
    broken = root / NAMES[2] / f"{NAMES[2].lower()}-interview-0.flac"
    broken.write_bytes(broken.read_bytes()[:40])
    (root / "metadata.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def made(
    speech: Path, key_file: Path, weights: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, Path, Outcome]]:
    folder = tmp_path_factory.mktemp("renamed")
    corpus = named_speech(speech, folder / "speech")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PSEUDOVOICE_CACHE", str(fresh_cache(weights, folder / "cache")))
        outcome = compare(
            corpus,
            "mcadams-random",
            ["lazy", "adaptive", "gathering", "known-pairs", "semi"],
            "ge2e",
            out=folder / "out",
            attacker_training=corpus,
            tries=1,
            sessions=2,
            known_pairs=1,
            measures=("prosody",),
            measured_utterances=1,
            replicates=20,
            permutations=20,
            key=key_file,
            rename=True,
            workers=1,
        )
        yield corpus, folder / "out", outcome


def unpacked(data: bytes) -> Iterator[bytes]:
    """A file as it is, and what is packed or spelt otherwise in it."""
    yield data
    for packed in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", data, re.DOTALL):  # of PDF
        try:
            yield zlib.decompress(packed)
        except zlib.error:
            continue
    for text in re.findall(rb"[A-Za-z0-9+/]{64,}={0,2}", data):
        whole = base64.b64decode(text[: len(text) - len(text) % 4])
        yield whole
        for window in (15, 31):  # zlib and gzip
            try:
                yield zlib.decompress(whole, window)
            except zlib.error:
                continue


def test_nothing_that_is_written_names_anybody(made: tuple[Path, Path, Outcome]) -> None:
    corpus, out, _ = made
    secret = [name.lower() for name in NAMES]
    assert any(name.encode() in b"".join(unpacked(b"x annelies")) for name in secret)  # can fail
    files = list(out.rglob("*"))
    kinds = {path.suffix for path in files}
    assert {".html", ".csv", ".json", ".tex", ".flac", ".sqlite", ".yaml", ".svg"} <= kinds
    for path in files:
        place = path.relative_to(out).as_posix().lower()
        assert not [name for name in secret if name in place], place
        if path.is_file():
            for data in unpacked(path.read_bytes()):
                for text in (data.lower(), data.lower().replace(b"\0", b"")):
                    found = [name for name in secret if name.encode() in text]
                    assert not found, f"{place} names {found}"
    assert corpus.name not in NAMES


def test_people_are_told_apart_by_the_pseudonyms_of_a_release(
    made: tuple[Path, Path, Outcome], key_file: Path, tmp_path: Path
) -> None:
    corpus, out, outcome = made
    released = protect_corpus(
        read_corpus(corpus),
        tmp_path / "p",
        parse_chain("mcadams-random"),
        key=read_key(key_file),
        rename=True,
    )
    (found,) = outcome.found
    assert found.protected is not None
    assert set(found.protected.speakers) == set(released.corpus.speakers)
    rows = {row.speaker for row in found.assessed.whole.speakers}
    assert rows == set(released.corpus.speakers)
    # What was assessed is what is released, sample by sample.
    for utterance in released.corpus:
        ours, _ = soundfile.read(utterance.path)
        theirs, _ = soundfile.read(found.protected.by_id[utterance.id].path)
        assert (ours == theirs).all()
    page = (out / "report.html").read_text(encoding="utf-8")
    assert next(iter(released.corpus.speakers)) in page


def test_whoever_runs_it_reads_which_file_is_bad(made: tuple[Path, Path, Outcome]) -> None:
    corpus, out, outcome = made
    bad = corpus / NAMES[2] / f"{NAMES[2].lower()}-interview-0.flac"
    assert [problem for problem in outcome.problems if str(bad) in problem.where]
    kept = [path.read_text("ascii") for path in (out / "work/stages").glob("assess-*.json")]
    assert any("utt-" in json.dumps(json.loads(text)["problems"]) for text in kept)


def test_it_resumes_and_is_foretold(made: tuple[Path, Path, Outcome], key_file: Path) -> None:
    _, out, outcome = made
    plan = replace(read_plan(out / "plan.yaml"), key_file=key_file)
    assert plan.rename
    told = dry_run(plan, out, workers=1)
    assert all(step.done for step in told.steps)
    again = run_plan(plan, out, workers=1)
    assert again.headlines == outcome.headlines
    assert again.problems == outcome.problems


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"include_originals": True}, "whoever hears original voices knows who bears"),
        ({"safeguards": (SafeguardPlan("s", "mcadams+slice"),)}, "slices bear nobody's name"),
        (
            {"sets": (SetPlan("x", (Path("x"),), enrols=Path("e"), trials=Path("t")),)},
            "an enrolment list names people",
        ),
    ],
)
def test_what_would_bring_names_back_is_refused(
    change: dict[str, object], sentence: str, tmp_path: Path
) -> None:
    plan = Plan("t", (SetPlan("x", (Path("x"),)),), (SafeguardPlan("m", "mcadams"),), rename=True)
    with pytest.raises(InputError, match=sentence):
        run_plan(replace(plan, **change), tmp_path / "out")  # type: ignore[arg-type]
    assert "rename: true" in plan_yaml(plan)
    assert "rename" not in plan_yaml(replace(plan, rename=False))


def test_utterances_that_were_cut_out_of_recordings_give_the_same_numbers(
    speech: Path, key_file: Path, weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(fresh_cache(weights, tmp_path / "cache")))
    corpus = read_corpus(speech)
    for n, (_, mine) in enumerate(sorted(corpus.speakers.items())):
        pause = np.zeros(8_000, np.float32)
        parts = [np.concatenate([load(u, sample_rate=16_000), pause]) for u in mine]
        (tmp_path / "talks" / NAMES[n]).mkdir(parents=True)
        path = tmp_path / "talks" / NAMES[n] / f"{NAMES[n]}.wav"
        write_audio(path, np.concatenate(parts), 16_000)
    numbers = []
    for rename in (False, True):
        out = tmp_path / f"renamed-{rename}"
        compare(
            tmp_path / "talks",
            "mcadams-random",
            "ignorant",
            "ge2e",
            out=out,
            measures=(),
            replicates=0,
            permutations=0,
            key=key_file,
            rename=rename,
            figures=False,
            workers=1,
        )
        table = (out / "tables" / "results.csv").read_text("utf-8")
        rows = [row for row in csv.DictReader(table.splitlines()) if row["metric"] != "tag"]
        numbers.append(
            {(r["metric"], r["condition"], r["group"], r["method"]): r["value"] for r in rows}
        )
    assert len(numbers[0]) > 20
    for name, value in numbers[0].items():
        assert float(numbers[1][name] or "nan") == pytest.approx(
            float(value or "nan"), nan_ok=True
        ), name
    written = b"".join(path.read_bytes() for path in out.rglob("*") if path.is_file())
    assert not [name for name in NAMES if name.encode() in written]
