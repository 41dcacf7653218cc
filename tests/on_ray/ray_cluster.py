"""A Ray cluster of several nodes on this one machine, each a raylet with its own object store."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

# Nobody is told of these runs, and a machine under load may take its time. Workers import what the
# tests have them do.
os.environ |= {
    "PYTHONPATH": os.pathsep.join(
        filter(None, (str(Path(__file__).parent), os.environ.get("PYTHONPATH")))
    ),
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_raylet_start_wait_time_s": "25",
    "RAY_agent_register_timeout_ms": "120000",
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_timeout_ms": "5000",
    "RAY_health_check_failure_threshold": "3",
    # The nodes share one small machine, with others; elsewhere workers are nice to everybody.
    "RAY_memory_usage_threshold": "0.99",
    "RAY_worker_niceness": "0",
}

from ray.cluster_utils import Cluster

STORE = 80 * 2**20


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def ports() -> dict[str, Any]:
    """Named beforehand: a raylet that has to find out gives its agents fifteen seconds."""
    names = ("metrics_agent_port", "metrics_export_port", "dashboard_agent_listen_port")
    found = {name: free_port() for name in (*names, "runtime_env_agent_port")}
    return {**found, "include_log_monitor": False, "no_monitor": True}


NODES = 3
TRIES = 5


def node(cluster: Cluster, cores: int, variables: dict[str, str] | None = None) -> Any:
    """Another node; a raylet whose agents are not there after fifteen seconds gives up."""
    for attempt in range(TRIES):
        try:
            return cluster.add_node(
                num_cpus=cores,
                object_store_memory=STORE,
                include_dashboard=False,
                env_vars=variables or {},
                **ports(),
            )
        except Exception:  # Ray raises no other
            if attempt + 1 == TRIES:
                raise
    raise AssertionError


class OneMachine:
    """The cluster, whose nodes can be killed and come back."""

    def __init__(self, nodes: int) -> None:
        # A head without cores, and nodes with one each: any of them may be killed.
        self._cluster = Cluster()
        node(self._cluster, 0)
        self._nodes = [node(self._cluster, 1) for _ in range(nodes)]
        self._wanted = nodes
        self._other = False

    def __enter__(self) -> OneMachine:
        return self

    def __exit__(self, *_: object) -> None:
        self._cluster.shutdown()

    @property
    def engine(self) -> str:
        return f"ray:{self._cluster.address}"

    @property
    def address(self) -> str:
        return str(self._cluster.address)

    @property
    def session(self) -> str:
        """Where Ray writes."""
        return str(self._cluster.head_node.get_session_dir_path())

    def kill(self) -> None:
        """A node goes without a word, and all its processes with it."""
        self._cluster.remove_node(self._nodes.pop(), allow_graceful=False)

    def alone(self, variables: dict[str, str]) -> None:
        """In place of all nodes one, with variables of its own."""
        self.empty()
        self._nodes.append(node(self._cluster, 1, variables))
        self._other = True

    def empty(self) -> None:
        """Only the head is left, on which nobody works."""
        while self._nodes:
            self.kill()

    def mend(self) -> None:
        if self._other:
            self.empty()
            self._other = False
        while len(self._nodes) < self._wanted:
            self._nodes.append(node(self._cluster, 1))
