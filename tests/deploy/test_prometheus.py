"""Prometheus itself (Debian's) reads our metrics and proves our alert rules."""

from __future__ import annotations

import asyncio
import contextlib
import re
import shutil
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml  # type: ignore[import-untyped]

from tests.server.harness import running_server
from tests.server.test_limits import next_of, raw, send
from tests.server.test_sdk import quiet, tone
from tests.serving import free_port

DEPLOY = Path(__file__).parents[2] / "deploy" / "prometheus"
RULES = "voicepipe.rules.yaml"
TESTS = "voicepipe.rules.test.yaml"
KEY = "k3y"


def promtool(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["promtool", *arguments],
        input=text,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )


@contextlib.asynccontextmanager
async def prometheus(
    folder: Path, target: str, alarms_to: str = ""
) -> AsyncIterator[httpx.AsyncClient]:
    """One that scrapes `target` once a second with our rules; a client at its API. `alarms_to`: an
    Alertmanager that has each alarm at once."""
    rules = (DEPLOY / RULES).read_text()
    if alarms_to:
        rules = re.sub(r"for: \d+m", "for: 0s", rules)
    (folder / RULES).write_text(rules)
    config: dict[str, Any] = yaml.safe_load((DEPLOY / "prometheus.yml").read_text())
    config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    (scrape,) = config["scrape_configs"]
    scrape["static_configs"] = [{"targets": [target]}]
    scrape["authorization"]["credentials_file"] = str(folder / "key")
    told = config["alerting"]["alertmanagers"][0]["static_configs"]
    told[0]["targets"] = [alarms_to] if alarms_to else []
    (folder / "key").write_text(KEY)
    (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
    port = free_port()
    process = await asyncio.create_subprocess_exec(
        "prometheus",
        f"--config.file={folder}/prometheus.yml",
        f"--storage.tsdb.path={folder}/data",
        f"--web.listen-address=127.0.0.1:{port}",
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{port}/api/v1", trust_env=False
        ) as api:
            yield api
    finally:
        process.terminate()
        await process.wait()


async def query(api: httpx.AsyncClient, expression: str) -> list[Any]:
    """Its result as soon as there is one."""
    async with asyncio.timeout(30):
        while True:
            with contextlib.suppress(httpx.TransportError):
                answer = await api.get("/query", params={"query": expression})
                if answer.status_code == 200 and (found := answer.json()["data"]["result"]):
                    return list(found)
            await asyncio.sleep(0.3)


async def test_prometheus_reads_a_turn_and_promtool_has_nothing_to_say(tmp_path: Path) -> None:
    bearer = {"Authorization": f"Bearer {KEY}"}
    async with running_server(server={"old_metric_names": False, "api_key": KEY}) as server:
        async with raw(server, additional_headers=bearer) as ws:
            told = {"type": "realtime", "voicepipe": {"turn_events": True}}
            await send(ws, type="session.update", session=told)
            await send(ws, type="input_audio_buffer.append", audio=tone(600))
            await send(ws, type="input_audio_buffer.append", audio=quiet(1000))
            await next_of(ws, "voicepipe.turn")
        async with httpx.AsyncClient(base_url=server.http, headers=bearer) as http:
            text = (await http.get("/metrics")).text
            rich = await http.get(
                "/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"}
            )
        checked = await asyncio.to_thread(promtool, "check", "metrics", text=text)
        assert (checked.returncode, checked.stderr) == (0, "")
        assert "_ms" not in text
        assert rich.text.endswith("# EOF\n")
        assert '# {turn_id="' in rich.text
        async with prometheus(tmp_path, f"127.0.0.1:{server.port}") as api:
            (turns,) = await query(api, 'voicepipe_turns_total{end="completed"}')
            assert turns["value"][1] == "1"
            (equal,) = await query(
                api,
                "sum(voicepipe_turn_stage_seconds_sum)"
                " - on() sum(voicepipe_turn_voice_to_voice_seconds_sum)",
            )
            assert abs(float(equal["value"][1])) < 1e-9, "the stages add up to voice to voice"
            rules = (await api.get("/rules")).json()["data"]["groups"][0]["rules"]
            assert {rule["health"] for rule in rules} <= {"ok", "unknown"}


async def test_old_names_are_there_for_this_release() -> None:
    async with running_server() as server, httpx.AsyncClient(base_url=server.http) as http:
        text = (await http.get("/metrics")).text
        assert "voicepipe_turn_voice_to_voice_ms_count" in text
        assert "voicepipe_turn_voice_to_voice_seconds_count" in text


def test_alert_rules_are_proved() -> None:
    checked = promtool("check", "rules", str(DEPLOY / RULES))
    assert checked.returncode == 0, checked.stdout + checked.stderr
    proved = promtool("test", "rules", str(DEPLOY / TESTS))
    assert proved.returncode == 0, proved.stdout + proved.stderr


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("p99_5m > 0.8", "p99_5m > 8"),
        ("voicepipe_engine_ready) == 0", "voicepipe_engine_ready) == 2"),
        ("14.4 * 0.001", "144 * 0.001"),
        ("ratio30m > 0.05", "ratio30m > 0.5"),
        ("ratio30m > 0.6", "ratio30m > 0.06"),
        ("p95_5m > 0.1", "p95_5m > 10"),
        ("drift_ratio > 1", "drift_ratio > 3"),
        ("turns:rate5m == 0", "turns:rate5m >= 0"),
    ],
)
def test_a_wrong_rule_does_not_pass_its_test(tmp_path: Path, right: str, wrong: str) -> None:
    rules = (DEPLOY / RULES).read_text()
    assert right in rules
    (tmp_path / RULES).write_text(rules.replace(right, wrong))
    shutil.copy(DEPLOY / TESTS, tmp_path)
    assert promtool("test", "rules", str(tmp_path / TESTS)).returncode != 0
