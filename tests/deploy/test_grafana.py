"""The Grafana board: Grafana's types, and queries that a real Prometheus answers.

Grafana itself is NOT RUN: Debian has none, and no container engine can run where the tests do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import yaml  # type: ignore[import-untyped]
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard

from scripts.grafana_board import OUT, written
from tests.deploy.test_prometheus import KEY, prometheus, query
from tests.server.harness import running_server
from tests.server.test_limits import next_of, raw, send
from tests.server.test_sdk import quiet, tone

ROOT = Path(__file__).parents[2]
FILLED = ("Voice to voice", "Where the time goes", "Stages, p95", "Open calls", "Overhead")
"""Panels in which a server that has answered one turn shows something."""


def panels() -> list[dict[str, Any]]:
    found = json.loads(OUT.read_text())["panels"]
    return [panel for panel in found if panel["type"] != "row"]


def expressions(panel: Mapping[str, Any]) -> Iterator[str]:
    """As Grafana sends them with everything chosen."""
    for target in panel["targets"]:
        chosen = re.sub(r"\$(job|instance)", ".*", target["expr"])
        yield chosen.replace("$__rate_interval", "1m")


def test_the_file_is_what_the_script_writes_and_grafana_reads() -> None:
    text = OUT.read_text()
    assert text == written()
    board = Dashboard.from_json(json.loads(text))
    assert JSONEncoder(sort_keys=True, indent=1).encode(board) + "\n" == text
    numbers = [panel["id"] for panel in json.loads(text)["panels"]]
    assert len(numbers) == len(set(numbers))
    for panel in panels():
        assert panel["description"].endswith(".")
        names = [target["refId"] for target in panel["targets"]]
        assert len(names) == len(set(names)) > 0


async def test_prometheus_answers_every_query_and_a_turn_shows(tmp_path: Path) -> None:
    bearer = {"Authorization": f"Bearer {KEY}"}
    async with running_server(server={"api_key": KEY}) as server:
        async with prometheus(tmp_path, f"127.0.0.1:{server.port}") as api:
            await query(api, "voicepipe_sessions")  # from here on a turn is a change
            async with raw(server, additional_headers=bearer) as ws:
                await send(ws, type="input_audio_buffer.append", audio=tone(600))
                await send(ws, type="input_audio_buffer.append", audio=quiet(1000))
                await next_of(ws, "response.done")
            for panel in panels():
                for expression in expressions(panel):
                    if panel["title"] in FILLED:
                        assert await query(api, expression)
                    else:
                        await understood(api, expression)


async def understood(api: httpx.AsyncClient, expression: str) -> None:
    answer = await api.get("/query", params={"query": expression})
    assert answer.status_code == 200, answer.text


def test_every_metric_of_the_board_is_one_of_ours() -> None:
    source = "".join(path.read_text() for path in (ROOT / "voicepipe/server").glob("*metrics.py"))
    for panel in panels():
        for target in panel["targets"]:
            for name in re.findall(
                r"voicepipe_(\w+?)(?:_bucket|_sum|_count|_total)?\{", target["expr"]
            ):
                short = re.sub(r"^(turn_|speculation_)|_seconds$", "", name)
                assert name in source or short in source, name


def test_compose_brings_board_and_source() -> None:
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text())
    volumes = [volume.split(":") for volume in compose["services"]["grafana"]["volumes"]]
    mounted = {inside: ROOT / outside for outside, inside, *_ in volumes}
    provisioning = mounted["/etc/grafana/provisioning"]
    (provider,) = yaml.safe_load((provisioning / "dashboards/voicepipe.yaml").read_text())[
        "providers"
    ]
    assert mounted[f"{provider['options']['path']}/voicepipe.json"] == OUT
    (source,) = yaml.safe_load((provisioning / "datasources/prometheus.yaml").read_text())[
        "datasources"
    ]
    host = httpx.URL(source["url"]).host
    assert host in compose["services"]
