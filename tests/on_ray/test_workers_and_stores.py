"""Workers on another machine and speech in an object store: each fetches and sends by itself.

The other machine is a node in a mount namespace of its own: the folders in which the driver has its
stand-ins, its journals and its cache are not to be seen from there.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray", reason="Ray is not installed; `make test-ray` installs it")
pytest.importorskip("s3fs", reason="s3fs is not installed; `make test-ray` installs it")
pytest.importorskip("moto.server", reason="moto is not installed; `make test-ray` installs it")

from ray_cluster import OneMachine, ports

import pseudovoice as pv
from conftest import PEOPLE, UTTERANCES, tree
from pseudovoice.keys import new_key

OTHER_ADDRESS = "127.0.0.2"


@pytest.fixture(scope="module")
def store() -> Iterator[dict[str, str]]:
    """Variables by which a real store on loopback is found."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    running = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    yield {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7TESTING",
        "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMIK7MDENGbPxRfiCYSECRETVALUE",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    running.stop()


@pytest.fixture
def bucket(store: dict[str, str], speech: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    import s3fs

    for name, value in store.items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    found = s3fs.S3FileSystem(skip_instance_cache=True)
    found.mkdir("speech")
    found.put(str(speech), "speech/", recursive=True)
    return found


@pytest.fixture
def elsewhere(
    machine: OneMachine, store: dict[str, str], tmp_path: Path
) -> Iterator[dict[str, str]]:
    """The cluster with one node on what is as good as another machine; the driver's variables."""
    drivers = tmp_path / "driver"
    (drivers / "tmp").mkdir(parents=True)
    theirs = tmp_path / "other"
    (theirs / "tmp").mkdir(parents=True)
    if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
        pytest.skip("another machine cannot be made here: `unshare -m` is not allowed")
    machine.empty()
    chosen = ports()
    words = [
        "ray", "start", "--address", machine.address, "--num-cpus", "1", "--block",
        "--node-ip-address", OTHER_ADDRESS, "--object-store-memory", str(80 * 2**20),
        "--metrics-export-port", str(chosen["metrics_export_port"]),
        "--runtime-env-agent-port", str(chosen["runtime_env_agent_port"]),
        "--dashboard-agent-listen-port", str(chosen["dashboard_agent_listen_port"]),
    ]  # fmt: skip
    hide = f'mount -t tmpfs none "{drivers}" && exec "$@"'
    variables = {
        **os.environ, **store, "TMPDIR": str(theirs / "tmp"),
        "PSEUDOVOICE_CACHE": str(theirs / "cache"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }  # fmt: skip
    log = (tmp_path / "node.txt").open("w")
    node = subprocess.Popen(
        ["unshare", "-m", "sh", "-c", hide, "sh", *words],
        env=variables, stdout=log, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        _wait_for_node(machine, node, tmp_path / "node.txt")
        yield {
            **os.environ, **store,
            "TMPDIR": str(drivers / "tmp"), "PSEUDOVOICE_CACHE": str(drivers / "cache"),
        }  # fmt: skip
    finally:
        node.terminate()
        node.wait(60)
        log.close()


def _wait_for_node(machine: OneMachine, node: subprocess.Popen[bytes], log: Path) -> None:
    from pseudovoice.engines.ray import OnRay

    engine = OnRay(machine.address)
    until = time.monotonic() + 120
    try:
        while not _alone_with_cores(engine._ray.nodes()):
            assert node.poll() is None, log.read_text()
            assert time.monotonic() < until, log.read_text()
            time.sleep(0.5)
        assert not engine.alone
    finally:
        engine.close()


def _alone_with_cores(nodes: list[dict[str, Any]]) -> bool:
    """Whether the node that is elsewhere has come, and those that were here have gone."""
    able = [n for n in nodes if n["Alive"] and n["Resources"].get("CPU", 0) > 0]
    return [n["NodeManagerAddress"] for n in able] == [OTHER_ADDRESS]


def run(variables: dict[str, str], *words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pseudovoice", *map(str, words)]
    return subprocess.run(command, env=variables, capture_output=True, text=True, timeout=300)


def test_workers_elsewhere_fetch_and_send_by_themselves(
    machine: OneMachine, elsewhere: dict[str, str], bucket: Any, speech: Path, tmp_path: Path
) -> None:
    new_key(tmp_path / "a.key")
    how = ("--safeguard", "mcadams-random", "--key-file", tmp_path / "a.key")
    there = ("--engine", machine.engine)
    done = run(elsewhere, "protect", "s3://speech/dev", "s3://speech/out", *how, *there)
    assert done.returncode == 0, done.stderr
    pv.protect(speech, tmp_path / "here" / "out", "mcadams-random", key=tmp_path / "a.key")
    bucket.invalidate_cache()
    found = {n.removeprefix("speech/out/"): bucket.cat_file(n) for n in bucket.find("speech/out")}
    assert found == tree(tmp_path / "here" / "out")
    # Nothing but stand-ins has been on the driver's machine: no audio went through it.
    kept = [*(tmp_path / "driver").rglob("*.flac")]
    assert len(kept) == PEOPLE * UTTERANCES
    assert all(path.stat().st_blocks * 512 <= 4096 for path in kept)
    again = run(elsewhere, "protect", "s3://speech/dev", "s3://speech/out", *how, *there)
    assert f"{PEOPLE * UTTERANCES} of them before" in " ".join(
        (again.stdout + again.stderr).split()
    )

    quick = ("--encoder", "prosody", "--replicates", 0, "--permutations", 0, "--no-cache", "--json")
    told = run(elsewhere, "assess", "audio", "s3://speech/dev", "s3://speech/out", *quick, *there)
    assert told.returncode == 0, told.stderr
    known = run(elsewhere, "assess", "audio", speech, tmp_path / "here" / "out", *quick)
    assert known.returncode == 0, known.stderr
    numbers = [{**json.loads(one.stdout), "provenance": None} for one in (told, known)]
    assert numbers[0] == numbers[1]

    # What has to be put in order on one machine says so, before anything is made.
    for words in (
        ("protect", "s3://speech/dev", "s3://speech/renamed", *how, "--rename"),
        ("slice", "s3://speech/dev", "s3://speech/slices", "--key-file", tmp_path / "a.key"),
        ("compare", "s3://speech/dev", *how, "-o", "s3://speech/report"),
    ):
        refused = run(elsewhere, *words, *there)
        assert refused.returncode == 2, refused.stderr
        assert "name a folder that all machines see" in " ".join(refused.stderr.split())
    shutil.rmtree(tmp_path / "driver")
