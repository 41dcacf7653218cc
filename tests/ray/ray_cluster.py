"""A Ray cluster of several nodes on this one machine, each a raylet with its own object store."""

from __future__ import annotations

import os
import socket
from typing import Any

# Nobody is told of these runs, and a machine under load may take its time.
os.environ |= {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_raylet_start_wait_time_s": "60",
    "RAY_agent_register_timeout_ms": "120000",
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_timeout_ms": "5000",
    "RAY_health_check_failure_threshold": "3",
    # The tests' own nodes share one small machine.
    "RAY_memory_usage_threshold": "0.99",
}

from ray.cluster_utils import Cluster  # noqa: E402

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


def node(cluster: Cluster) -> Any:
    """Another node of one core."""
    return cluster.add_node(num_cpus=1, object_store_memory=STORE, **ports())


def cluster_of(nodes: int) -> Cluster:
    """A head without cores, and so many nodes with one each: any of them may be killed."""
    head = {
        "num_cpus": 0,
        "object_store_memory": STORE,
        "include_dashboard": False,
        **ports(),
    }
    cluster = Cluster(initialize_head=True, head_node_args=head)
    for _ in range(nodes):
        node(cluster)
    return cluster
