"""Drift is said in the log, in the metrics and at /readyz, and its week outlives the process."""

from __future__ import annotations

import logging
from pathlib import Path

import httpx
import pytest

from tests.ledger.test_drift import turn
from tests.server.harness import running_server
from voicepipe.config import Settings
from voicepipe.ledger.drift import HOUR_S
from voicepipe.server.drift import Drifting


class Wall:
    def __init__(self) -> None:
        self.s = 100 * HOUR_S

    def __call__(self) -> float:
        return self.s


def drifting(file: Path | None, wall: Wall) -> Drifting:
    return Drifting(Settings.model_validate({"drift": {"file": file}}), lambda: 2, wall)


def hours(drift: Drifting, wall: Wall, count: int, llm_ms: float) -> None:
    for _ in range(count):
        for _ in range(100):
            drift.observe(turn(llm_ms))
            wall.s += HOUR_S / 100


async def test_it_is_said_once_and_once_when_it_is_over(caplog: pytest.LogCaptureFixture) -> None:
    wall = Wall()
    drift = drifting(None, wall)
    with caplog.at_level(logging.INFO, "voicepipe.server.drift"):
        hours(drift, wall, 10, 100)
        hours(drift, wall, 3, 200)
        hours(drift, wall, 4, 100)
    assert [record.message.partition(":")[0] for record in caplog.records] == [
        "llm is slower than last week",
        "llm is again as fast as last week",
    ]
    await drift.aclose()


async def test_the_week_outlives_the_process(tmp_path: Path) -> None:
    wall, file = Wall(), tmp_path / "state" / "drift.json"
    before = drifting(file, wall)
    await before.start()
    hours(before, wall, 10, 100)
    await before.aclose()
    after = drifting(file, wall)
    await after.start()
    hours(after, wall, 2, 200)
    assert [one.stage for one in after.findings] == ["llm"]
    await after.aclose()


async def test_a_process_that_never_came_to_read_the_week_leaves_it(tmp_path: Path) -> None:
    """The calls' database was away at the start, say, and the server ended."""
    wall, file = Wall(), tmp_path / "drift.json"
    before = drifting(file, wall)
    await before.start()
    hours(before, wall, 10, 100)
    await before.aclose()
    week = file.read_text()
    await drifting(file, wall).aclose()
    assert file.read_text() == week


@pytest.mark.parametrize(
    "kept",
    [
        *("", "[]", '{"hours": [{}]}', '{"hours": [{"hour": "x"}]}', "\xff"),
        *('{"hours": [{"hour": Infinity}]}', "[" * 100_000),
    ],
)
async def test_a_file_that_is_none_is_said_and_begun_anew(
    kept: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "drift.json"
    file.write_bytes(kept.encode("latin-1"))
    drift = drifting(file, Wall())
    await drift.start()
    assert "cannot be read" in caplog.text
    hours(drift, Wall(), 1, 100)
    await drift.aclose()
    assert '"hours"' in file.read_text()


async def test_a_folder_that_cannot_be_written_costs_a_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    drift = drifting(tmp_path / "file" / "drift.json", Wall())
    await drift.start()
    await drift.aclose()
    assert "cannot be written" in caplog.text


async def test_metrics_and_readyz_tell_it() -> None:
    async with running_server() as server, httpx.AsyncClient(base_url=server.http) as http:
        assert (await http.get("/readyz")).json()["drift"] == []
        wall = Wall()
        server.service.drift._wall_s = wall
        hours(server.service.drift, wall, 10, 100)
        hours(server.service.drift, wall, 3, 200)
        (told,) = (await http.get("/readyz")).json()["drift"]
        assert told["stage"] == "llm"
        assert told["now_ms"] == pytest.approx(200, rel=0.06)
        lines = (await http.get("/metrics")).text.splitlines()
        ratio = {
            line.split('"')[1]: float(line.split()[-1])
            for line in lines
            if line.startswith("voicepipe_turn_stage_drift_ratio{")
        }
        assert ratio["llm"] == pytest.approx(2, rel=0.1)
        assert ratio["tts"] == 1
