"""Runs on real speech without a browser: killed, resumed, dropped; what a listing names."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from loopback_client import Client

from pseudovoice.errors import InputError
from pseudovoice.serve.job import run
from pseudovoice.serve.plan import RunRequest
from pseudovoice.study.assessing import AssessWork

pytestmark = [pytest.mark.weights, pytest.mark.usefixtures("empty_cache")]


def until(client: Client, *wanted: str) -> dict[str, Any]:
    """The first state of these names."""
    return next(state for state in client.states() if state["state"] in wanted)


def test_a_killed_run_can_be_taken_up_by_the_next_server(serve: Any, speech: Path) -> None:
    client: Client = serve(speech)
    plan = {"original": "original", "protected": "protected", "encoders": ["ge2e"]}
    name = client.post("run/start", plan).tree["name"]
    for state in client.states():
        if state["progress"] is not None and state["progress"]["done"] >= 8:
            break
    os.kill(client.server.runs._child.process.pid, signal.SIGKILL)
    state = until(client, "failed", "finished")
    assert state["state"] == "failed"
    assert "while embedding original with ge2e" in state["message"]
    assert "SIGKILL" in state["message"]

    second: Client = serve(speech)
    assert second.get("report-list").tree["unfinished"] == [
        {"name": name, "title": "Protected speech, assessed", "safeguard": "mcadams"}
    ]
    assert second.post("run/resume", {"name": name}).status == 201
    for state in second.states():
        progress = state["progress"]
        if state["state"] != "running" or (progress is not None and progress["total"]):
            break
    assert progress["known"] >= 8, state
    # The server that stops takes its run along, and leaves it for the next one.
    child = second.server.runs._child.process
    second.server.server_close()
    assert child.poll() is not None
    assert client.get("report-list").tree["unfinished"][0]["name"] == name


def test_dropped_folders_are_assessed(serve: Any, speech: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "nobody chose this"
    elsewhere.mkdir()
    client: Client = serve(elsewhere)
    chosen = [path for who in ("1272", "1462") for path in (speech / "original" / who).iterdir()]
    asked = {}
    for kind in ("original", "protected"):
        place = client.post("drop", {}).tree["id"]
        for path in chosen:
            inside = path.relative_to(speech / "original")
            body = (speech / kind / inside).read_bytes()
            assert client.put(f"drop/{place}/{kind}/{inside.as_posix()}", body).status == 201
        asked[kind] = {"dropped": place}
    begun = client.post("run/start", {**asked, "encoders": ["ge2e"], "replicates": 0})
    assert begun.status == 201
    state = until(client, "failed", "finished")
    assert state["state"] == "finished", state["message"]
    page = client.get(f"report/{state['name']}/report.html")
    assert page.status == 200
    for place in (client.server.dropped.root, speech, tmp_path):
        assert str(place).encode() not in page.body
    assert (
        client.token.encode() not in (tmp_path / "out" / state["name"] / "report.html").read_bytes()
    )


def test_a_listing_cannot_name_what_nobody_chose(speech: Path, tmp_path: Path) -> None:
    chosen = [path for who in ("1272", "1462") for path in (speech / "original" / who).iterdir()]
    kaldi = tmp_path / "kaldi"
    kaldi.mkdir()
    (kaldi / "wav.scp").write_text("".join(f"{path.stem} {path}\n" for path in chosen))
    (kaldi / "utt2spk").write_text("".join(f"{path.stem} {path.parent.name}\n" for path in chosen))
    plan = RunRequest(kaldi, speech / "protected", "title", "mcadams", ("ge2e",))
    said: list[dict[str, Any]] = []
    with pytest.raises(InputError, match="lies outside the folders that may be read"):
        run(plan, tmp_path / "run", [kaldi], said.append, 1)
    assert [event["stage"] for event in said] == ["reading the original speech"]


def test_what_was_assessed_is_only_worded_anew(
    speech: Path, tmp_path: Path, empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def page(title: str, *, figures: bool = False) -> str:
        plan = RunRequest(
            speech / "original",
            speech / "protected",
            title,
            "mcadams",
            encoders=("ge2e",),
            replicates=20,
            figures=figures,
        )
        said: list[dict[str, Any]] = []
        run(plan, tmp_path / title, [speech], said.append, 1)
        assert said[-1]["event"] == "done"
        return str(said[-1]["headline"])

    first = page("first")
    assert len(list((empty_cache / "serve" / "stages").iterdir())) == 2
    computed = []
    compute = AssessWork.compute
    monkeypatch.setattr(AssessWork, "compute", lambda *given: computed.append(1) or compute(*given))
    assert page("second") == first
    assert not computed
    for name in ("table.csv", "speakers.csv", "table2.tex"):
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes()
    # Histograms want scores, which are not kept.
    assert page("third", figures=True) == first
    assert computed
    assert list((tmp_path / "third" / "figures").rglob("histograms.svg"))
