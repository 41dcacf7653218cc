"""A take compared with its recording: real speech, a real recogniser, nobody's name."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conversation import compose

from pseudovoice.diarisation import Turn, Turns
from pseudovoice.diarisation.formats import read_turns, write_turns
from pseudovoice.errors import InputError
from pseudovoice.library.protect import protect
from pseudovoice.protection.one_file import record_of
from pseudovoice.serve.compare_job import compare_take, how_right
from pseudovoice.serve.decision import decide, standing
from pseudovoice.serve.pace import Pace
from pseudovoice.serve.takes import Take
from pseudovoice.serve.tasks import Compare

SIGNED = {"name": "A. B.", "purpose": "research", "risk": "acceptable"}


def metrics_of(page: str) -> set[str]:
    return set(re.findall(r'"(deid|wer)"', page))


@pytest.mark.weights
def test_a_take_is_compared_and_the_report_names_nobody(shared: Path, tmp_path: Path) -> None:
    recording = tmp_path / "Gespräch mit Anna.wav"
    names = {"1272": "Anna", "1673": "Ben"}
    turns = Turns.of("x", compose(shared / "speech" / "dev", recording)).renamed(names)
    assert set(turns.people) == {"Anna", "Ben"}
    folder = tmp_path / "take"
    take = Take(folder, "id", "mcadams:alpha=0.7", "voice", turns.people, "Made.")
    take.sound.parent.mkdir(parents=True)
    protect(recording, take.sound, take.safeguard, turns={"x": turns}, workers=1)
    record_of(take.sound).rename(take.record)
    write_turns([turns], take.turns)
    take.write()
    decide(take, SIGNED)
    standing(take)
    said: list[dict[str, Any]] = []
    pace = Pace(lambda _: None)
    # As it was found, before somebody gave the first turn to whom it belongs.
    first, *rest = turns.turns
    found = tmp_path / "found.rttm"
    write_turns([Turns.of("x", [replace(first, person="Ben"), *rest])], found)
    task = Compare(str(recording), "mcadams", str(found), encoders=("ge2e",), replicates=10)
    compare_take(task, folder, said.append, pace, 1)
    assert said[-1]["event"] == "done"
    assert said[-1]["headline"].endswith(".")
    page = take.report
    assert page is not None
    text = page.read_text(encoding="utf-8")
    assert "person-2" in text
    for name in ("Anna", "Ben<", "Gespr", "1272", str(tmp_path)):
        assert name not in text
    assert "0.7" in text
    assert "measured against the corrected turns: DER 16.7 %" in text
    assert "moonshine" in text
    assert "too few speakers to conclude" in text
    assert {"deid", "wer"} <= metrics_of(text)
    # What was signed was signed without it.
    assert take.to_dict()["outdated"]
    with pytest.raises(InputError, match="changed since it was signed"):
        standing(take)


def test_the_report_says_how_right_the_turns_are(tmp_path: Path) -> None:
    def kept(name: str, *end: float) -> str:
        turns = [Turn(k, e, "AB"[k % 2]) for k, e in enumerate(end)]
        write_turns([Turns.of("x", turns)], tmp_path / name)
        return str(tmp_path / name)

    found, truth = kept("found.rttm", 0.5, 2.0), kept("truth.rttm", 1.0, 2.0, 3.0)
    (used,) = read_turns(Path(kept("used.rttm", 1.0, 2.0))).values()
    (heard,) = read_turns(Path(found)).values()

    def told(turns: Turns, found: str | None, truth: str | None) -> str:
        return how_right(Compare("x.wav", "mcadams", found, truth), turns)

    assert "how right that is is not known" in told(used, None, None)
    assert "its error rate (DER) is not known" in told(heard, found, None)
    assert "measured against the corrected turns: DER 25.0 %" in told(used, found, None)
    assert "measured against a reference: DER 33.3 %" in told(used, None, truth)
    both = told(used, found, truth)
    assert "measured against a reference: DER 33.3 %" in both
    assert "As it was found by ear, before it was corrected: DER 50.0 %" in both
    alike = told(heard, found, truth)
    assert "DER 50.0 %" in alike
    assert "As it was found" not in alike


def test_whoever_is_alone_cannot_be_mistaken(tmp_path: Path) -> None:
    take = Take(tmp_path, "id", "mcadams", None, (), "Made.")
    take.sound.parent.mkdir()
    take.sound.write_bytes(b"RIFF")
    take.write()
    with pytest.raises(InputError, match="alone"):
        compare_take(Compare("x.wav", "mcadams"), tmp_path, lambda _: None, Pace(lambda _: None), 1)
