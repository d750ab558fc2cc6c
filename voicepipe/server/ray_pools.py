"""Pools of engines on Ray Serve: the application of `voicepipe cluster up` and `serve deploy`.

Ray places replicas, watches over them, adds and takes away; what is said goes from the gateways to
the replicas directly (`cluster/`), since each hop through Serve's own request path costs some
milliseconds and knows one direction only. Import this where Ray is installed (extra `cluster`).
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from ray import get_runtime_context, serve, util
from ray.serve.config import AutoscalingConfig, AutoscalingContext, AutoscalingPolicy
from ray.serve.handle import DeploymentHandle
from ray.serve.schema import LoggingConfig
from starlette.requests import Request
from starlette.responses import JSONResponse

from voicepipe.cluster.host import EngineHost
from voicepipe.cluster.listing import PATH
from voicepipe.cluster.served import ServedEngine
from voicepipe.config import PoolSettings, Settings
from voicepipe.config.loading import load_settings
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import ConfigError
from voicepipe.server.shared_engines import pooled_engines
from voicepipe.server.voices import local_engine

log = logging.getLogger(__name__)

APP = "voicepipe"
ROUTE = PATH
DIRECTORY = "directory"

QUIET = LoggingConfig(enable_access_log=False)
"""Every replica reports each second; that is no news."""

REPORT_S = 1.0
TELL_S = 5.0
NOTICE_S = 4.0
"""After that, gateways have asked again and are connected to a new replica."""

REPLACED_S = 60.0
"""A new replica may take so long to load before the one that it replaces goes all the same."""

FORGET_S = 4.0
"""A replica that has not reported for so long is listed no more."""


Verdict = Literal["stay", "others serve", "all go"]
"""What the directory tells a replica: whether it may be missed."""

_STAY: Verdict = "stay"


class Directory:
    """Answers gateways' question which replicas there are."""

    def __init__(self, *pools: DeploymentHandle[Any]) -> None:
        """`pools`: only so that they belong to the application."""
        self._told: dict[str, tuple[float, Mapping[str, Any]]] = {}
        self._closing = False

    async def close(self) -> None:
        """All will be taken away, and nobody comes."""
        self._closing = True

    async def tell(self, report: Mapping[str, Any]) -> Verdict:
        """A replica reports (`listing.Place` in JSON)."""
        self._told[report["replica"]] = (time.monotonic(), report)
        if self._closing:
            return "all go"
        others = (one for one in self._fresh() if one["replica"] != report["replica"])
        served = any(one["pool"] == report["pool"] and not one["leaving"] for one in others)
        return "others serve" if served else "stay"

    async def __call__(self, request: Request) -> JSONResponse:
        """`GET /voicepipe/pools`."""
        return JSONResponse({"replicas": self._fresh()})

    def _fresh(self) -> list[Mapping[str, Any]]:
        oldest = time.monotonic() - FORGET_S
        self._told = {name: told for name, told in self._told.items() if told[0] > oldest}
        return [report for _, report in self._told.values()]


class Replica:
    """One engine in a process of Ray's, served to gateways at a port of its own."""

    async def __init__(self, name: str, settings: Settings, its: Settings) -> None:  # type: ignore[misc]
        """`its`: the settings that make this engine. Raises EngineUnavailable, ConfigError."""
        pool = settings.cluster.pools.get(name, PoolSettings())
        key = settings.cluster.key
        self._name, self._drain_s = name, settings.cluster.drain_s
        self._address = str(util.get_node_ip_address())  # type: ignore[no-untyped-call]
        if key is None and not self._address.startswith("127."):
            raise ConfigError(
                f"cluster.key: the pools listen at {self._address}, where others reach them; set a "
                "key that gateways and pools share (VOICEPIPE_CLUSTER__KEY=...)"
            )
        engine = local_engine(name, its, MonotonicClock())
        self._host = EngineHost(
            [ServedEngine(name, engine, pool.at_once, pool.max_waiting)],
            replica=serve.get_replica_context().replica_id.unique_id,
            node=get_runtime_context().get_node_id()[:8],
            key="" if key is None else key.get_secret_value(),
        )
        self._leaving, self._verdict = False, _STAY
        await self._host.start()
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(self._host.accept, self._address, 0)
        self._reporting = asyncio.create_task(self._report(), name="report")

    async def check_health(self) -> None:
        """Ray replaces a replica whose engine cannot serve any more."""
        problem = getattr(self._host.engines[self._name].engine, "problem", None)
        if problem:
            raise RuntimeError(problem)

    async def record_autoscaling_stats(self) -> dict[str, float]:
        """The work that is here, for `ByWork`."""
        return {"work": float(self._host.engines[self._name].ongoing)}

    async def __del__(self) -> None:
        """Taken away: once gateways know of who is there instead, they send no more, and what is
        under way ends."""
        self._leaving = True
        await self._until_replaced()
        if not await self._host.drain(self._drain_s):
            log.warning("calls were cut after %g s (cluster.drain_s)", self._drain_s)
        self._reporting.cancel()
        self._server.close()
        await self._host.aclose()

    async def _report(self) -> None:
        while True:
            await self._tell()
            await asyncio.sleep(REPORT_S)

    async def _tell(self) -> Verdict:
        try:
            directory = serve.get_deployment_handle(DIRECTORY, APP)
            async with asyncio.timeout(TELL_S):
                self._verdict = await directory.tell.remote(self._place())
        except Exception as error:  # it is being replaced; the next one is told soon
            log.warning("the directory was not told: %s", type(error).__name__)
            if self._verdict != "all go":  # the directory may have gone first
                self._verdict = "stay"
        return self._verdict

    async def _until_replaced(self) -> None:
        """An update may take the only replica away before the next one is there."""
        if self._verdict == "all go":
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(REPLACED_S):
                while await self._tell() == "stay":  # noqa: ASYNC110
                    await asyncio.sleep(REPORT_S / 2)
        if self._verdict == "others serve":
            await asyncio.sleep(NOTICE_S)

    def _place(self) -> dict[str, Any]:
        one = self._host.engines[self._name]
        return {
            "replica": self._host.replica,
            "node": self._host.node,
            "host": self._address,
            "port": self._server.sockets[0].getsockname()[1],
            "pid": os.getpid(),
            "pool": self._name,
            "state": one.state,
            "leaving": self._leaving,
            "load": {**one.load(), "at_once": one.at_once, "max_ongoing": one.max_ongoing},
        }


class ByWork:
    """Ray's autoscaling policy: as many replicas as give each `target` calls."""

    def __init__(self, target: float) -> None:
        self._target = target

    def __call__(self, context: AutoscalingContext) -> tuple[int, dict[str, Any]]:
        """The number wanted; Ray keeps it within min and max, and waits out the delays."""
        work = context.aggregated_metrics.get("work") if context.aggregated_metrics else None
        if not work:
            return context.target_num_replicas, {}
        return max(1, math.ceil(sum(work.values()) / self._target)), {}


def application(settings: Settings) -> serve.Application:
    """The directory and a deployment for each engine that belongs in a pool."""
    pools = [
        _deployment(name, settings.cluster.pools.get(name, PoolSettings()), settings).bind(
            name, settings, its
        )
        for name, its in pooled_engines(settings).items()
    ]
    if not pools:
        raise ConfigError(
            "none of the engines that the settings name needs a pool: they are light, and run in "
            "the gateways (name one in [cluster.pools.STAGE] to have it in a pool all the same)"
        )
    directory = serve.deployment(
        name=DIRECTORY,
        num_replicas=1,
        ray_actor_options={"num_cpus": 0},
        graceful_shutdown_wait_loop_s=0.1,
        logging_config=QUIET,
    )(Directory)
    return directory.bind(*pools)


def _deployment(name: str, pool: PoolSettings, settings: Settings) -> serve.Deployment:
    scaling: dict[str, Any] = {"num_replicas": pool.min_replicas}
    if pool.max_replicas > pool.min_replicas:
        policy = AutoscalingPolicy(  # type: ignore[no-untyped-call]
            policy_function="voicepipe.server.ray_pools:ByWork",
            policy_kwargs={"target": pool.target},
        )
        scaling = {
            "autoscaling_config": AutoscalingConfig(
                min_replicas=pool.min_replicas,
                max_replicas=pool.max_replicas,
                upscale_delay_s=pool.upscale_s,
                downscale_delay_s=pool.downscale_s,
                look_back_period_s=pool.look_back_s,
                policy=policy,
            )
        }
    return serve.deployment(
        name=name.replace(".", "-"),
        ray_actor_options={"num_cpus": pool.cpus, "num_gpus": pool.gpus},
        graceful_shutdown_timeout_s=settings.cluster.drain_s + REPLACED_S + NOTICE_S,
        graceful_shutdown_wait_loop_s=0.1,
        health_check_period_s=5,
        health_check_timeout_s=10,
        logging_config=QUIET,
        **scaling,
    )(Replica)


def take_down() -> None:
    """End the application; calls that are under way end first (`cluster.drain_s`)."""
    with suppress(Exception):  # without a directory the replicas wait their time
        serve.get_deployment_handle(DIRECTORY, APP).close.remote().result(timeout_s=TELL_S)
        time.sleep(2 * REPORT_S)  # by then every replica has heard it
    serve.delete(APP)


def build(args: Mapping[str, str]) -> serve.Application:
    """For `serve deploy`: `import_path: voicepipe.server.ray_pools:build`; `args` may have
    `profile` and `config` (a file's path). The environment's VOICEPIPE_... count too."""
    file = args.get("config")
    return application(load_settings(args.get("profile"), None if file is None else Path(file)))
