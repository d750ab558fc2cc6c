"""A real Ray cluster of two nodes on this machine, in a process of its own, told what to do by JSON
lines on stdin. The tests are gateways: they know nothing of Ray. What its control service knows is
kept in a real Redis, so that it may come back.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, TextIO

MEMORY = 80 * 2**20
"""Of each node's object store, in bytes: the least that Ray takes."""


def _start_redis(home: str, port: int) -> subprocess.Popen[bytes]:
    """In memory alone; Ray finds it by its environment."""
    os.environ["RAY_REDIS_ADDRESS"] = f"127.0.0.1:{port}"
    where = ["--port", str(port), "--bind", "127.0.0.1", "--dir", home]
    return subprocess.Popen(
        ["redis-server", *where, "--save", "", "--appendonly", "no", "--loglevel", "warning"],
        stdout=subprocess.DEVNULL,
    )


def _quiet(home: str) -> None:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_AUTH_TOKEN_PATH"] = str(Path(home, "token"))
    os.environ["RAY_TMPDIR"] = home


class TwoNodes:
    """The head, which has the controller and a proxy, and a second node."""

    def __init__(self, home: str, port: int) -> None:
        import ray
        from ray import serve
        from ray.cluster_utils import Cluster

        self.cluster: Any = Cluster(
            initialize_head=True,
            head_node_args={
                "num_cpus": 1,
                "object_store_memory": MEMORY,
                "include_dashboard": False,
                "resources": {"first": 1},
            },
        )
        self.second = self._add()
        ray.init(address=self.cluster.address, log_to_driver=False, logging_level=logging.ERROR)
        serve.start(http_options={"host": "127.0.0.1", "port": port})

    def _add(self) -> Any:
        return self.cluster.add_node(num_cpus=1, object_store_memory=MEMORY)

    def deploy(self, file: str) -> None:
        """The application, or a new version of it; returns when it is there."""
        self._run(file, wait=True)

    def begin_deploy(self, file: str) -> None:
        """As `deploy`; does not wait for it."""
        self._run(file, wait=False)

    def _run(self, file: str, *, wait: bool) -> None:
        from ray import serve

        from voicepipe.config.loading import load_settings
        from voicepipe.server.ray_pools import APP, ROUTE, application

        settings = load_settings(None, Path(file), {})
        serve._run(application(settings), name=APP, route_prefix=ROUTE, _blocking=wait)

    def nodes(self) -> list[str]:
        """Ids, the head's first."""
        return [self.cluster.head_node.node_id[:8], self.second.node_id[:8]]

    def kill_second(self) -> None:
        """Its raylet; whoever asks kills the processes of its replicas."""
        self.cluster.remove_node(self.second, allow_graceful=False)

    def kill_control(self) -> None:
        """The head's control service (GCS)."""
        self.cluster.head_node.kill_gcs_server(check_alive=False)

    def start_control(self) -> None:
        """It comes back, and reads what it knew."""
        self.cluster.head_node.start_gcs_server()

    def stop(self) -> None:
        import ray
        from ray import serve

        from voicepipe.server.ray_pools import take_down

        take_down()
        serve.shutdown()  # type: ignore[no-untyped-call]
        ray.shutdown()
        self.cluster.shutdown()


def main(home: str, port: int, redis_port: int) -> None:
    """Answer each line with one; end with stdin."""
    _quiet(home)
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # whatever Ray prints
    redis = _start_redis(home, redis_port)
    try:
        _serve(TwoNodes(home, port), answers)
    finally:
        redis.kill()


def _serve(nodes: TwoNodes, answers: TextIO) -> None:
    try:
        print(json.dumps({"ok": True}), file=answers)
        for line in sys.stdin:
            told = json.loads(line)
            try:
                result = getattr(nodes, told["do"])(*told.get("with", ()))
            except Exception as error:
                print(json.dumps({"error": f"{type(error).__name__}: {error}"}), file=answers)
            else:
                print(json.dumps({"ok": result}), file=answers)
    finally:
        nodes.stop()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
