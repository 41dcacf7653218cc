"""Three people walk through the product: an officer, a researcher, an engineer."""

from __future__ import annotations

import json
import shutil
import unicodedata
import zipfile
from pathlib import Path

import av
import numpy as np
import pytest
from studies import fresh_cache
from walks import walked

import pseudovoice as pv
from pseudovoice.corpus import load, read_corpus, write_audio
from pseudovoice.diarisation import Turn, Turns
from pseudovoice.diarisation.formats import write_turns

RATE = 44_100


@pytest.fixture
def here(weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(fresh_cache(weights, tmp_path / "cache")))
    return tmp_path


def interview(speech: Path, path: Path) -> Turns:
    """A woman and a man in turn, as a phone keeps it: stereo, AAC, 44.1 kHz. Who speaks when."""
    corpus = read_corpus(speech)
    first, *_, last = corpus.speakers.values()
    turns = [one for pair in zip(first, last, strict=True) for one in pair] * 2
    path.parent.mkdir()
    with av.open(path, "w") as out:
        stream = out.add_stream("aac", rate=RATE)
        stream.layout = "stereo"
        pause = np.zeros(RATE // 2, np.float32)
        parts = [np.concatenate([pause, load(u, sample_rate=RATE)]) for u in turns]
        samples = np.concatenate(parts)
        frame = av.AudioFrame.from_ndarray(
            np.ascontiguousarray(np.stack([samples, 0.8 * samples])), "fltp", "stereo"
        )
        frame.sample_rate = RATE
        for packet in (*stream.encode(frame), *stream.encode(None)):
            out.mux(packet)
    ends = np.cumsum([part.size for part in parts]) / RATE
    begun = [0.5, *(ends[:-1] + 0.5)]
    return Turns.of(
        path.stem, (Turn(*span, u.speaker) for *span, u in zip(begun, ends, turns, strict=True))
    )


def test_an_officer_with_an_interview(speech: Path, here: Path) -> None:
    truth = interview(speech, here / "interviews" / "Gespräch mit Jürgen.m4a")
    write_turns([truth], here / "truth.rttm")
    (here / "signed.pdf").write_bytes(b"%PDF-1.4\n% signed\n")
    told = walked("walks/interview.md", "--measure words --true-turns truth.rttm")
    assert list(told)[-1].startswith("pseudovoice release")
    assert all(result.exit_code == 0 for result in told.values())
    found = next(result.output for line, result in told.items() if " diarise " in line)
    assert "2 people" in found
    page = next(result.output for line, result in told.items() if " compare " in line)
    assert "too few speakers to conclude" in page
    report = (here / "study" / "report.html").read_text("utf-8")
    for said in ("Who speaks when: DER", '"deid"', '"wer"'):
        assert said in report, said
    with zipfile.ZipFile("release.zip") as pack:
        (recording,) = (name for name in pack.namelist() if name.endswith(".wav"))
        assert "annex/signed.pdf" in pack.namelist()
        for place in set(pack.namelist()) - {recording}:
            data = unicodedata.normalize("NFC", pack.read(place).decode("utf-8", "replace"))
            assert "Jürgen" not in data, place


def test_a_researcher_with_a_system(speech: Path, here: Path) -> None:
    shutil.copytree(speech, here / "corpus")
    for run in "12":
        pv.protect("corpus", f"ours-{run}", "mcadams-random", key=pv.new_key(), key_session=run)
    told = walked("walks/own-system.md")
    assert all(result.exit_code == 0 for result in told.values())
    assessed = json.loads(next(r.stdout for line, r in told.items() if " --json" in line))
    metrics = {row["metric"] for row in assessed["rows"]}
    assert {"deid", "g_vd", "d_ece"} <= metrics
    assert any(name.startswith("c_ece") for name in metrics)
    again = next(result.output for line, result in told.items() if " check " in line)
    assert "takes seconds" in again


def test_an_engineer_with_a_pipeline(speech: Path, here: Path) -> None:
    shutil.copytree(speech, here / "calls")
    corpus = read_corpus("calls")
    write_audio(here / "call.wav", load(corpus.utterances[0], sample_rate=16_000), 16_000)
    told = walked("walks/pipeline.md")
    *_, failing = told.values()
    assert failing.exit_code == 3
    assert "required d_ece<0.05: NOT met" in failing.output
    assert (here / "call-protected.wav").stat().st_size == (here / "call.wav").stat().st_size
    log = (here / "protect.log").read_text("utf-8")
    assert log.count("exit code 0") == 2
