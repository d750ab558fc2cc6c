"""`/v1/calls`: who may read what was written down, which calls are found, and how they go."""

from __future__ import annotations

import base64
import wave
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx
import pytest

from tests.call_log.harness import call_settings, files_in, info, set_columns, turn_record
from tests.server.harness import RunningServer, running_server
from voicepipe.call_log.open_call import OpenCall
from voicepipe.call_log.query import Known
from voicepipe.call_log.reader import RecordingFile
from voicepipe.ledger.records import TurnRecord
from voicepipe.server import recording_response

SECOND = b"\x01\x02" * 16_000
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@asynccontextmanager
async def keeping(
    folder: Path, encryption_key: str | None = None, **settings: Any
) -> AsyncIterator[tuple[RunningServer, httpx.AsyncClient]]:
    """A server that writes calls down and records them, and a client of its."""
    calls = call_settings(folder, record_audio=True).calls.model_dump()
    calls["encryption_key"] = encryption_key
    calls["database"] = calls["database"].get_secret_value()
    async with (
        running_server(calls=calls, **settings) as server,
        httpx.AsyncClient(base_url=server.http) as client,
    ):
        yield server, client


def begin(server: RunningServer, session_id: str, *turns: TurnRecord, **changes: Any) -> OpenCall:
    call = server.service.calls.begin(info(session_id, **changes))
    call.heard_from_caller(SECOND, server.service.clock.now())
    for turn in turns:
        call.turn(turn, "what time is it", "Half past seven.")
    return call


async def ended(server: RunningServer, session_id: str, *turns: TurnRecord, **changes: Any) -> str:
    call = begin(server, session_id, *turns, **changes)
    call.end("caller hung up")
    assert await server.service.calls.flush(10)
    return call.id


async def ids(client: httpx.AsyncClient, **query: Any) -> list[str]:
    answer = await client.get("/v1/calls", params=query)
    assert answer.status_code == 200, answer.text
    return [call["id"] for call in answer.json()["data"]]


async def test_a_call_is_listed_with_a_figure_for_each_turn(tmp_path: Path) -> None:
    async with keeping(tmp_path) as (server, client):
        slow = turn_record(2, network={"up": 3_000, "playout": 40_000}, end="interrupted")
        call_id = await ended(server, "sess_1", turn_record(1), slow, agent="desk", key="shop")
        answer = (await client.get("/v1/calls")).json()
        (call,) = answer["data"]
        assert (answer["kept"], answer["next_cursor"]) == (True, None)
        assert (call["id"], call["agent"], call["key"]) == (call_id, "desk", "shop")
        assert (call["p50_ms"], call["slowest_ms"], call["interrupted"]) == (302.0, 345.0, 1)
        assert call["turns"] == [
            {"number": 1, "end": "completed", "waited_ms": 302.0, "longest": "endpoint"},
            {"number": 2, "end": "interrupted", "waited_ms": 345.0, "longest": "endpoint"},
        ]
        assert call["recorded"] is True
        assert "what time" not in str(answer)


async def test_the_filters_choose(tmp_path: Path) -> None:
    async with keeping(tmp_path) as (server, client):
        slow = turn_record(1, network={"playout": 700_000})
        first = await ended(server, "sess_1", slow, agent="desk", transport="webrtc")
        second = await ended(server, "sess_2", turn_record(1), key="shop", caller="+4950")
        set_columns(tmp_path, first, started_at=NOON, end_reason="lost")
        set_columns(tmp_path, second, started_at=NOON + timedelta(hours=1))
        for query, found in (
            ({}, [second, first]),
            ({"agent": "desk"}, [first]),
            ({"key": "shop"}, [second]),
            ({"transport": "webrtc"}, [first]),
            ({"caller": "4950"}, [second]),
            ({"reason": "LOST"}, [first]),
            ({"text": "TIME is"}, [second, first]),
            ({"text": "10 % is_it"}, []),
            ({"slowest_ms": 1000}, [first]),
            ({"slowest_ms": 1003}, []),
            ({"since": "2026-11-20T12:30Z"}, [second]),
            ({"until": "2026-11-20T12:30:00+00:00"}, [first]),
            ({"agent": "desk", "key": "shop"}, []),
        ):
            assert await ids(client, **query) == found, query


async def test_pages_follow_each_other_and_calls_under_way_come_first(tmp_path: Path) -> None:
    async with keeping(tmp_path) as (server, client):
        open_one = begin(server, "sess_live")
        made = [await ended(server, f"sess_{n}") for n in range(5)]
        for n, call_id in enumerate(made):  # two of them in the same instant
            set_columns(tmp_path, call_id, started_at=NOON + timedelta(minutes=n // 2))
        seen, cursor = [], None
        while True:
            query = {"limit": 2} | ({"cursor": cursor} if cursor else {})
            answer = (await client.get("/v1/calls", params=query)).json()
            seen.append([call["id"] for call in answer["data"]])
            cursor = answer["next_cursor"]
            if cursor is None:
                break
        assert [len(page) for page in seen] == [3, 2, 1]
        assert seen[0][0] == open_one.id
        assert sorted([*seen[0][1:], *seen[1], *seen[2]]) == sorted(made)
        assert seen[0][1] == made[4]


async def test_one_call_has_its_words_ledgers_and_sound(tmp_path: Path) -> None:
    async with keeping(tmp_path) as (server, client):
        call_id = await ended(server, "sess_1", turn_record(1))
        call = (await client.get(f"/v1/calls/{call_id}")).json()
        (turn,) = call["turns"]
        assert (turn["user_text"], turn["agent_text"]) == ("what time is it", "Half past seven.")
        assert turn["ledger"]["voice_to_voice_ms"] == 302.0
        assert call["lasted_s"] >= 0
        about = call["recording"]
        whole = await client.get(about["url"])
        assert (whole.status_code, len(whole.content)) == (200, about["bytes"])
        assert whole.headers["cache-control"] == "no-store"
        with wave.open(BytesIO(whole.content)) as sound:
            assert (sound.getnchannels(), sound.getframerate()) == (2, about["rate"])
            assert sound.getnframes() / about["rate"] == pytest.approx(about["seconds"], abs=1e-3)
        part = await client.get(about["url"], headers={"Range": "bytes=44-143"})
        assert (part.status_code, part.content) == (206, whole.content[44:144])
        assert part.headers["content-range"] == f"bytes 44-143/{about['bytes']}"
        beyond = await client.get(about["url"], headers={"Range": "bytes=99999999-"})
        assert beyond.status_code == 416
        read: list[int] = []
        with patch.object(recording_response, "_pieces", lambda *_: counted(read)):
            asked = await client.head(about["url"])
        assert read == [1], "nobody gets more of it"
        assert (asked.headers["content-length"], asked.content) == (str(about["bytes"]), b"")


def counted(read: list[int]) -> Iterator[bytes]:
    """Pieces that tell how many of them were read."""
    for number in (1, 2, 3):
        read.append(number)
        yield b"piece"


async def test_a_deleted_call_leaves_nothing(tmp_path: Path) -> None:
    async with keeping(tmp_path) as (server, client):
        call_id = await ended(server, "sess_1", turn_record(1))
        answer = await client.delete(f"/v1/calls/{call_id}")
        assert answer.json() == {"id": call_id, "object": "call.deleted", "deleted": True}
        assert files_in(tmp_path / "sound") == []
        for gone in (
            await client.get(f"/v1/calls/{call_id}"),
            await client.get(f"/v1/calls/{call_id}/recording"),
            await client.delete(f"/v1/calls/{call_id}"),
        ):
            assert (gone.status_code, gone.json()["error"]["code"]) == (404, "call_not_found")


async def test_a_call_under_way_keeps_its_sound_and_stays(tmp_path: Path) -> None:
    async with keeping(tmp_path) as (server, client):
        call = begin(server, "sess_1", turn_record(1))
        assert await server.service.calls.flush(10)
        shown = (await client.get(f"/v1/calls/{call.id}")).json()
        assert (shown["ended_at"], shown["recording"]) == (None, None)
        for refused in (
            await client.get(f"/v1/calls/{call.id}/recording"),
            await client.delete(f"/v1/calls/{call.id}"),
        ):
            assert (refused.status_code, refused.json()["error"]["code"]) == (409, "call_not_ended")


async def test_a_recording_that_is_elsewhere_is_said_to_be_missing(tmp_path: Path) -> None:
    async with keeping(tmp_path) as (server, client):
        call_id = await ended(server, "sess_1", turn_record(1))
        for file in files_in(tmp_path / "sound"):
            file.unlink()
        assert (await client.get(f"/v1/calls/{call_id}")).json()["recording"] is None
        missing = await client.get(f"/v1/calls/{call_id}/recording")
        assert (missing.status_code, missing.json()["error"]["code"]) == (
            404,
            "recording_not_found",
        )


@pytest.mark.parametrize("key", [None, base64.b64encode(bytes(range(32))).decode()])
async def test_a_recording_that_is_deleted_just_then_is_said_to_be_missing(
    key: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with keeping(tmp_path, encryption_key=key) as (server, client):
        call_id = await ended(server, "sess_1", turn_record(1))
        reader = server.service.calls.reader
        assert reader is not None
        look = reader.recording

        async def too_early(call: Known) -> RecordingFile | None:
            found = await look(call)
            for file in files_in(tmp_path / "sound"):
                file.unlink()
            return found

        monkeypatch.setattr(reader, "recording", too_early)
        missing = await client.get(f"/v1/calls/{call_id}/recording")
        assert (missing.status_code, missing.json()["error"]["code"]) == (
            404,
            "recording_not_found",
        )


async def test_only_the_owner_reads(tmp_path: Path) -> None:
    keys = {"shop": {"key": "key-of-the-shop"}}
    owner = {"api_key": "the-owners-key"}
    async with keeping(tmp_path, server=owner, keys=keys) as (server, client):
        call_id = await ended(server, "sess_1", turn_record(1))
        paths = ["/v1/calls", f"/v1/calls/{call_id}", f"/v1/calls/{call_id}/recording"]
        right = {"Authorization": "Bearer the-owners-key"}
        for path in paths:
            for key in ("", "key-of-the-shop", "the-owners-keys"):
                headers = {"Authorization": f"Bearer {key}"} if key else {}
                assert (await client.get(path, headers=headers)).status_code == 401, (path, key)
            assert (await client.get(path, headers=right)).status_code == 200, path
        assert (await client.delete(paths[1])).status_code == 401
        strange = {**right, "Origin": "https://elsewhere.example"}
        assert (await client.delete(paths[1], headers=strange)).status_code == 403
        assert (await client.delete(paths[1], headers=right)).status_code == 200


@pytest.mark.parametrize(
    ("param", "value"),
    [
        ("limit", "0"),
        ("limit", "201"),
        ("limit", "3.5"),
        ("since", "yesterday"),
        ("until", "9" * 400),
        ("slowest_ms", "-1"),
        ("cursor", "abc"),
        ("cursor", "2026-11-20T12:00:00~x"),
        ("cursor", "0001-01-01T00:00:00+23:59~call_1"),
        ("agent", "x" * 201),
    ],
)
async def test_what_makes_no_sense_is_named(tmp_path: Path, param: str, value: str) -> None:
    async with keeping(tmp_path) as (_, client):
        answer = await client.get("/v1/calls", params={param: value})
        error = answer.json()["error"]
        assert (answer.status_code, error["param"]) == (400, param)
        assert len(error["message"]) < 200


async def test_where_no_calls_are_kept_the_list_is_empty_and_says_so() -> None:
    async with running_server() as server, httpx.AsyncClient(base_url=server.http) as client:
        answer = (await client.get("/v1/calls")).json()
        assert (answer["data"], answer["kept"]) == ([], False)
        one = await client.get("/v1/calls/call_1")
        assert (one.status_code, one.json()["error"]["code"]) == (404, "calls_not_kept")


async def test_a_database_that_is_away_is_told_without_a_traceback(tmp_path: Path) -> None:
    async with keeping(tmp_path) as (server, client):
        call_id = await ended(server, "sess_1", turn_record(1))
        (tmp_path / "calls.sqlite3").rename(tmp_path / "away.sqlite3")
        reader = server.service.calls.reader
        assert reader is not None
        reader._store._engine.dispose()  # else the open connection still reads it
        answer = await client.get(f"/v1/calls/{call_id}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "call_store_error")
