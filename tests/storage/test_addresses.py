"""Addresses and paths of this machine; for these nothing is loaded and nothing changes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pseudovoice.errors import UsageError
from pseudovoice.storage import address_of, near, present


@pytest.mark.parametrize("place", ["corpus", "/a/b", "C:/speech", "a:/b", "./s3/x", "S3://b"])
def test_paths_stay_what_they_are(place: str) -> None:
    assert address_of(place) is None
    assert near(place) == Path(place)
    with present(Path(place)) as there:
        assert there == Path(place)


def test_an_address_survives_being_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("s3://bucket/a b/c", Path("s3://bucket/a b/c"), "s3://bucket/a b/c/"):
        assert str(address_of(place)) == "s3://bucket/a b/c"
    # A folder of this machine comes first, whatever it is called.
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s3:" / "bucket").mkdir(parents=True)
    assert address_of("s3://bucket") is None


@pytest.mark.parametrize("place", ["s3://b/../c", "s3://b//c", "s3://b/./c", "sftp://me:pw@host/x"])
def test_what_is_no_good_address(place: str) -> None:
    with pytest.raises(UsageError) as told:
        address_of(place)
    assert "pw" not in str(told.value)


def test_fsspec_is_not_loaded_for_paths_of_this_machine(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from pseudovoice.cli.main import app\n"
        "try:\n"
        f"    app(['inspect', {str(tmp_path)!r}])\n"
        "except SystemExit:\n"
        "    pass\n"
        "loaded = {'fsspec', 's3fs', 'botocore'} & {*sys.modules}\n"
        "assert not loaded, loaded\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
