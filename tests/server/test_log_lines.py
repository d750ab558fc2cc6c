"""A line a turn, in words and in JSON, and none of what was said."""

from __future__ import annotations

import json
import logging
import re

import pytest

from tests.server.harness import running_server
from tests.server.test_limits import next_of, raw, send
from tests.server.test_sdk import quiet, tone
from voicepipe.server.log_lines import JsonLines, whole_lines


async def test_a_turn_is_a_line_that_adds_up_and_holds_no_words(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    async with running_server() as server, raw(server) as ws:
        told = {"type": "realtime", "voicepipe": {"turn_events": True}}
        await send(ws, type="session.update", session=told)
        await send(ws, type="input_audio_buffer.append", audio=tone(600))
        await send(ws, type="input_audio_buffer.append", audio=quiet(1000))
        turn = (await next_of(ws, "voicepipe.turn"))["turn"]
    (record,) = (r for r in caplog.records if r.name == "voicepipe.turns")
    line = record.getMessage()
    assert line.startswith(f"{turn['turn_id']} of {turn['session_id']}: ")
    assert f"{turn['voice_to_voice_ms']:.0f} ms = endpoint " in line
    assert ", completed" in line
    found = json.loads(JsonLines().format(record))
    assert found["message"] == line
    assert found["level"] == "info"
    assert sum(found["critical_ms"].values()) == pytest.approx(found["voice_to_voice_ms"])
    for words in ("half past seven", "what time"):
        assert words not in caplog.text


def test_tracebacks_stay_on_their_line() -> None:
    try:
        raise ValueError("no\nway")
    except ValueError:
        logger = logging.getLogger("x")
        record = logger.makeRecord("x", 40, "f", 1, "it failed", (), _exc_info())
    line = JsonLines().format(record)
    assert "\n" not in line
    assert "ValueError" in json.loads(line)["traceback"]


def test_a_line_in_a_file_is_whole_and_says_when_how_bad_and_who() -> None:
    record = logging.getLogger("x").makeRecord(
        "x", 30, "f", 1, "said %s", ("a " * 100 + "b",), None
    )
    record.from_process = "[2] "
    line = whole_lines().format(record)
    assert re.fullmatch(r"\[\d\d:\d\d:\d\d\] WARNING  \[2\] said (a ){100}b", line)


def _exc_info() -> tuple[type[BaseException], BaseException, None]:
    error = ValueError("no\nway")
    return ValueError, error, None
