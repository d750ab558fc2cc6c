"""Named keys: whose they are, what they may do, and what was used of them."""

from __future__ import annotations

import asyncio
import json
import logging
from datetime import date
from typing import Any

import httpx
import pytest
from pydantic import SecretStr
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.server.harness import RunningServer, running_server
from tests.server.test_limits import nothing_left
from voicepipe.config import KeySettings
from voicepipe.runtime.clock import ManualClock
from voicepipe.runtime.errors import ConfigError, LimitExceeded
from voicepipe.server.keys import KeyHolder, Keys
from voicepipe.server.shared.seats import Seats
from voicepipe.server.shared.state import SharedState

OWNER = {"api_key": "the-owners-key"}
KEYS: dict[str, Any] = {
    "shop": {"key": "key-of-the-shop", "agent": "bar", "agents": ["bar"], "max_sessions": 1},
    "lab": {"key": "key-of-the-lab"},
}
AGENTS = {"bar": {"instructions": "You are the bar."}, "desk": {"instructions": "The desk."}}


def settings() -> dict[str, Any]:
    return {"server": OWNER, "keys": KEYS, "agents": AGENTS}


def socket(server: RunningServer, key: str, query: str = "") -> Any:
    return connect(
        f"{server.ws}/realtime{query}", additional_headers={"Authorization": f"Bearer {key}"}
    )


async def refused(server: RunningServer, key: str, query: str = "") -> tuple[int, str]:
    with pytest.raises(InvalidStatus) as raised:
        async with socket(server, key, query):
            pass
    body = json.loads(raised.value.response.body or b"{}")
    return raised.value.response.status_code, body["error"]["message"]


async def test_a_key_has_its_agent_its_limits_and_its_figures() -> None:
    async with running_server(**settings()) as server:
        async with socket(server, "key-of-the-shop") as first:
            created = json.loads(await first.recv())
            assert created["session"]["instructions"] == "You are the bar."
            status, why = await refused(server, "key-of-the-shop")
            assert (status, "keys.shop.max_sessions" in why) == (429, True)
            async with socket(server, "key-of-the-lab", "?agent=desk") as other:
                created = json.loads(await other.recv())
                assert created["session"]["instructions"] == "The desk."
        await nothing_left(server)
        status, why = await refused(server, "key-of-the-shop", "?agent=desk")
        assert (status, "keys.shop.agents" in why) == (400, True)
        assert (await refused(server, "key-of-nobody"))[0] == 401
        headers = {"Authorization": "Bearer the-owners-key"}
        async with httpx.AsyncClient(base_url=server.http) as client:
            text = (await client.get("/metrics", headers=headers)).text
            for path in ("/metrics", "/v1/turns"):
                theirs = {"Authorization": "Bearer key-of-the-shop"}
                assert (await client.get(path, headers=theirs)).status_code == 401
            minted = await client.post("/v1/realtime/client_secrets", headers=theirs)
            assert minted.status_code == 401
        assert 'voicepipe_key_sessions_total{key="shop"} 1.0' in text
        assert 'voicepipe_key_seconds_total{key="shop",what="connected"}' in text


async def test_a_key_opens_so_many_sessions_a_minute() -> None:
    keys = {"shop": {"key": "key-of-the-shop", "sessions_a_minute": 2}}
    async with running_server(server=OWNER, keys=keys) as server:
        for _ in range(2):
            async with socket(server, "key-of-the-shop") as one:
                await one.recv()
        status, why = await refused(server, "key-of-the-shop")
        assert (status, "keys.shop.sessions_a_minute" in why) == (429, True)
        async with socket(server, "the-owners-key") as owner:
            await owner.recv()
        await nothing_left(server)


def test_a_minute_later_it_may_open_more() -> None:
    now = [1000.0]
    seats = Seats(SharedState(), 100, lambda: now[0])
    seats.begin("shop", 1)
    seats.begin("lab", 1)
    with pytest.raises(LimitExceeded):
        seats.begin("shop", 1)
    now[0] += 60
    seats.begin("shop", 1)


async def test_what_a_session_used_is_in_the_log_and_in_the_figures(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    greeting = {"text": "Good day."}
    async with running_server(server=OWNER, keys=KEYS, agents=AGENTS, greeting=greeting) as server:
        async with socket(server, "key-of-the-lab") as one:
            await one.recv()
            session = {"type": "realtime"}
            await one.send(json.dumps({"type": "session.update", "session": session}))
            async with asyncio.timeout(20):
                while json.loads(await one.recv())["type"] != "response.done":
                    pass
                await one.send(json.dumps({"type": "response.create"}))
                while json.loads(await one.recv())["type"] != "response.done":
                    pass
        await nothing_left(server)
        used = server.service.keys.holder("key-of-the-lab").used  # type: ignore[union-attr]
        said = "Good day.It is half past seven. Can I do more for you?"
        assert used.spoken_chars == len(said)
        assert used.completion_tokens > 0
        headers = {"Authorization": "Bearer the-owners-key"}
        async with httpx.AsyncClient(base_url=server.http) as client:
            text = (await client.get("/metrics", headers=headers)).text
    assert f'voicepipe_key_spoken_characters_total{{key="lab"}} {len(said)}.0' in text
    (line,) = [r.getMessage() for r in caplog.records if "has used" in r.getMessage()]
    assert line.startswith("keys.lab: session sess_")
    assert f"{len(said)} characters spoken" in line
    assert "key-of-the-lab" not in caplog.text


@pytest.mark.parametrize("written", ["utf-8", "latin-1"])
async def test_a_key_may_have_any_letters(written: str) -> None:
    """Programs send them as UTF-8, a page's `fetch` as Latin-1."""
    keys = {"shop": {"key": "Schlüssel-des-Ladens"}}
    async with running_server(server={"api_key": "Schlüssel-1"}, keys=keys) as server:
        async with httpx.AsyncClient(base_url=server.http) as client:
            for key, path in (("Schlüssel-1", "/v1/models"), (keys["shop"]["key"], "/web/sample")):
                headers = {b"Authorization": f"Bearer {key}".encode(written)}
                assert (await client.get(path, headers=headers)).status_code == 200


WRONG = [
    ({"a": {"key": "12345678"}}, False, "server.api_key"),
    ({"a": {"key": "12345678"}, "b": {"key": "12345678"}}, True, "keys.b.key: a has the same"),
    ({"a": {"key": "12345678", "agents": ["bra"]}}, True, "keys.a: there is no agent 'bra'"),
    ({"a": {"key": "owner-12345678"}}, True, "keys.a.key: server.api_key is the same"),
]


@pytest.mark.parametrize(("keys", "owned", "told"), WRONG)
def test_what_is_wrong_is_said_without_the_key(
    keys: dict[str, Any], owned: bool, told: str
) -> None:
    named = {name: KeySettings(**one) for name, one in keys.items()}
    owner = SecretStr("owner-12345678") if owned else None
    with pytest.raises(ConfigError) as raised:
        Keys(named, ManualClock(), owner=owner, agents=("bar",))
    assert told in str(raised.value)
    assert "12345678" not in str(raised.value) + repr(named)


def test_minutes_of_a_day_are_counted_from_midnight() -> None:
    clock, day = ManualClock(), [date(2026, 11, 22)]
    limits = KeySettings.model_validate({"key": "12345678", "minutes_a_day": 2})
    one = KeyHolder("shop", limits, clock, lambda: day[0])
    one.check()
    one.opened("sess_1")
    clock.advance(100)
    one.check()
    one.closed("sess_1")
    one.opened("sess_2")
    clock.advance(20)
    with pytest.raises(LimitExceeded, match=r"keys\.shop\.minutes_a_day"):
        one.check()
    one.closed("sess_2")
    day[0] = date(2026, 11, 23)
    one.check()
    assert one.used.connected_s == 120


def test_a_clock_that_was_set_back_keeps_nobody_out_for_longer() -> None:
    now = [1000.0]
    seats = Seats(SharedState(), 100, lambda: now[0])
    seats.begin("shop", 1)
    now[0] -= 500
    seats.begin("shop", 1)


async def test_a_refused_session_is_none_that_was_opened() -> None:
    keys = {"shop": {"key": "key-of-the-shop", "sessions_a_minute": 2, "max_sessions": 1}}
    async with running_server(server=OWNER, keys=keys) as server:
        async with socket(server, "key-of-the-shop") as one:
            await one.recv()
            for _ in range(2):
                status, why = await refused(server, "key-of-the-shop")
                assert (status, "keys.shop.max_sessions" in why) == (429, True)
        await nothing_left(server)
        async with socket(server, "key-of-the-shop") as one:
            await one.recv()
        await nothing_left(server)
        assert "sessions_a_minute" in (await refused(server, "key-of-the-shop"))[1]
        assert not len(server.service.seats), "the seat of who was refused is free again"
