"""`POST /v1/whatif`: the answer of `voicepipe whatif`, by a process that holds up no call."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.server.harness import running_server
from tests.virtual_time import run_virtual
from tests.whatif.users import run, users
from voicepipe.dialog.options import TurnOptions
from voicepipe.server import what_if
from voicepipe.whatif.comparison import compare
from voicepipe.whatif.recorded import read_recording

Rows = list[dict[str, Any]]
CHANGE = ["turns.endpoint_complete_ms=+150", "llm.first_token_ms=*2"]


@pytest.fixture(scope="module")
def rows() -> Rows:
    return run_virtual(run(users(4, 2, 5), TurnOptions()))


def children() -> set[str]:
    """Ids of the processes that this one has."""
    return {
        child
        for thread in Path("/proc/self/task").iterdir()
        for child in (thread / "children").read_text().split()
    }


@contextmanager
def no_process_left() -> Iterator[None]:
    before = children()
    yield
    assert children() <= before


async def ask(address: str, body: object, **headers: str) -> httpx.Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    async with httpx.AsyncClient(timeout=60) as client:
        return await client.post(f"{address}/v1/whatif", content=content, headers=headers)


async def test_it_says_what_the_command_says(rows: Rows) -> None:
    async with running_server() as server:
        with no_process_left():
            told = await ask(server.http, {"set": CHANGE, "turns": rows})
    assert told.status_code == 200, told.text
    text = "\n".join(json.dumps(row) for row in rows)
    expected = compare(read_recording(text, "turns"), CHANGE)
    assert told.json() == json.loads(json.dumps(expected))
    assert told.json()["trust"]["given"]


async def test_where_the_unchanged_replay_is_off_nothing_is_predicted(rows: Rows) -> None:
    wrong = copy.deepcopy(rows)
    for row in wrong:
        if row["critical_ms"]:
            row["critical_ms"]["endpoint"] *= 1.5
    async with running_server() as server:
        told = (await ask(server.http, {"set": CHANGE, "turns": wrong})).json()
    assert not told["trust"]["given"]
    assert told["replayed"]["v2v_ms"]["p50"] < told["recorded"]["v2v_ms"]["p50"]
    assert [told[name] for name in ("predicted", "predicted_v2v_ms", "p50_change_ms")] == [None] * 3


async def test_it_asks_for_the_servers_own_key(rows: Rows) -> None:
    async with running_server(server={"api_key": "right"}) as server:
        body = {"set": CHANGE, "turns": rows[:1]}
        assert (await ask(server.http, body)).status_code == 401
        assert (await ask(server.http, body, Authorization="Bearer wrong")).status_code == 401
        known = await ask(server.http, body, Authorization="Bearer right")
        assert known.status_code == 200, known.text


async def test_what_is_wrong_is_named(rows: Rows) -> None:
    bent = copy.deepcopy(rows[:1])
    bent[0]["trace"]["options"]["endpoint_complete_ms"] = "soon"
    async with running_server() as server:
        for body, problem in (
            (b"{", "not JSON"),
            ([], "must be a JSON object"),
            ({"set": "turns.eager_end_ms=80", "turns": rows}, "set must be a list of texts"),
            ({"set": [], "turns": [1]}, "turns must be a list of turns"),
            ({"set": [], "turns": []}, "nothing to replay"),
            ({"set": [], "turns": [{"origin": "text"}]}, "1 typed or pushed to talk"),
            ({"set": ["turns.eager_ends_ms=80"], "turns": rows}, "did you mean turns.eager_end_ms"),
            ({"set": ["turns.endpoint_complete_ms=+1"], "turns": bent}, "cannot be replayed"),
        ):
            told = await ask(server.http, body)
            assert told.status_code == 400, told.text
            assert problem in told.json()["error"]["message"]
        large = b" " * (what_if.MAX_BODY + 1)
        assert (await ask(server.http, large)).status_code == 413


async def test_a_replay_that_takes_too_long_is_ended(
    rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(what_if, "DEADLINE_S", 0.05)
    async with running_server() as server:
        with no_process_left():
            told = await ask(server.http, {"set": CHANGE, "turns": rows})
    assert told.status_code == 503
    assert "send fewer turns" in told.json()["error"]["message"]
