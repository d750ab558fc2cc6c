"""A call changes its language model while it runs: to one named in the settings, or to one that the
first engine's own server lists."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect

from tests.llm.chat_server import ChatServer, chat_server
from tests.server.harness import RunningServer, running_server, simulated_engines
from voicepipe.config import Settings
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import ConfigError
from voicepipe.server.assembly import build_engines

DEADLINE_S = 20.0


@asynccontextmanager
async def serving(first: ChatServer, **llm: Any) -> AsyncIterator[RunningServer]:
    """A server whose language models are real ones, and the rest simulated."""
    said = {"engine": "openai", "base_url": first.base_url, **llm}
    settings = Settings.model_validate({"llm": said})
    built = build_engines(settings, MonotonicClock())
    engines = simulated_engines()
    engines.model, engines.offered_models = built.model, built.offered_models
    async with running_server(engines, llm=said) as server:
        yield server


class Caller:
    """A client that types."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    async def send(self, kind: str, **fields: Any) -> None:
        await self._socket.send(json.dumps({"type": kind, **fields}))

    async def until(self, kind: str) -> dict[str, Any]:
        async with asyncio.timeout(DEADLINE_S):
            while (event := json.loads(await self._socket.recv()))["type"] != kind:
                assert event["type"] != "error" or kind == "error", event
            found: dict[str, Any] = event
            return found

    async def choose(self, model: str | None) -> dict[str, Any]:
        """The session as it is then."""
        session = {"type": "realtime", "voicepipe": {"model": model, "turn_events": True}}
        await self.send("session.update", session=session)
        updated: dict[str, Any] = (await self.until("session.updated"))["session"]
        return updated

    async def ask(self) -> dict[str, Any]:
        """The turn's record."""
        content = [{"type": "input_text", "text": "hello"}]
        item = {"type": "message", "role": "user", "content": content}
        await self.send("conversation.item.create", item=item)
        await self.send("response.create")
        turn: dict[str, Any] = (await self.until("voicepipe.turn"))["turn"]
        return turn


@asynccontextmanager
async def calling(server: RunningServer) -> AsyncIterator[Caller]:
    async with connect(f"{server.ws}/realtime") as socket:
        caller = Caller(socket)
        await caller.until("session.created")
        yield caller
    async with asyncio.timeout(DEADLINE_S):
        while server.service.sessions:
            await asyncio.sleep(0.01)


async def test_the_next_turn_goes_to_the_chosen_model() -> None:
    async with chat_server() as first, chat_server() as second:
        first.models, second.models = ("tiny", "large"), ("other",)
        big = {"engine": "openai", "base_url": second.base_url, "model": "other"}
        async with serving(first, others={"big": big}) as server, calling(server) as caller:
            assert (await caller.choose(""))["voicepipe"]["model"] == ""
            assert "model" not in (await caller.ask())["route"]
            assert (await caller.choose("large"))["voicepipe"]["model"] == "large"
            assert (await caller.ask())["route"]["model"] == "large"
            assert [body["model"] for body in first.bodies] == ["tiny", "large"]
            await caller.choose("big")
            assert (await caller.ask())["route"]["model"] == "big"
            assert [body["model"] for body in second.bodies] == ["other"]
            await caller.choose(None)  # back to what the server has
            await caller.ask()
            assert [body["model"] for body in first.bodies] == ["tiny", "large", "tiny"]


async def test_the_page_is_told_what_there_is() -> None:
    async with chat_server() as first:
        first.models = ("tiny", "large")
        big = {"engine": "simulated"}
        async with serving(first, others={"big": big}, use="big") as server:
            async with httpx.AsyncClient() as client:
                told = (await client.get(f"{server.http}/web/server")).json()
            assert told["choices"]["model"] == [
                {"value": "big", "setting": "llm.use"},
                {"value": "", "setting": "llm.use"},
                {"value": "large", "setting": "llm.model"},
            ]
            assert {"value": "fused"} in told["choices"]["endpointing"]
            assert {"value": "smart_turn"} not in told["choices"]["endpointing"]
            assert told["voicepipe"]["model"] == "big"


async def test_what_is_not_offered_is_refused() -> None:
    async with chat_server() as first:
        first.models = ("tiny", "large", "dear")
        async with serving(first, offered=["l*"]) as server, calling(server) as caller:
            session = {"type": "realtime", "voicepipe": {"model": "dear"}}
            await caller.send("session.update", session=session)
            error = (await caller.until("error"))["error"]
            assert error["param"] == "session.voicepipe.model"
            assert "'large'" in error["message"]
            assert (await caller.choose("large"))["voicepipe"]["model"] == "large"


async def refused(caller: Caller, model: str) -> str:
    session = {"type": "realtime", "voicepipe": {"model": model}}
    await caller.send("session.update", session=session)
    error = (await caller.until("error"))["error"]
    assert error["param"] == "session.voicepipe.model"
    message: str = error["message"]
    return message


async def test_the_first_model_is_chosen_back_only_where_it_is_offered() -> None:
    async with chat_server() as first:
        first.models = ("tiny",)
        mine = {"others": {"mine": {"engine": "simulated"}}, "use": "mine"}
        async with serving(first, api_key="sk-test", **mine) as server:
            async with calling(server) as caller:
                await refused(caller, "")
                assert (await caller.choose(None))["voicepipe"]["model"] == "mine"
        said = {"api_key": "sk-test", "model": "tiny", "offered": ["tiny"], **mine}
        async with serving(first, **said) as server, calling(server) as caller:
            assert (await caller.choose(""))["voicepipe"]["model"] == ""
            assert (await caller.choose("mine"))["voicepipe"]["model"] == "mine", "its own"


OTHERS = {
    "free": {"engine": "simulated"},
    "dear": {"engine": "openai", "base_url": "http://127.0.0.1:9/v1", "api_key": "sk-other"},
}


@pytest.mark.parametrize(
    ("offered", "there"),
    [(None, {"", "free"}), ([], set()), (["d*"], {"dear"}), (["*"], {"", "free", "dear"})],
)
async def test_what_is_offered_covers_the_models_with_names(
    offered: list[str] | None, there: set[str]
) -> None:
    llm = {"engine": "simulated", "others": OTHERS, "offered": offered}
    built = build_engines(Settings.model_validate({"llm": llm}), MonotonicClock())
    assert set(built.offered_models()) == there


async def test_a_server_with_a_key_costs_money_and_offers_nothing_unasked() -> None:
    async with chat_server() as first:
        first.models = ("tiny", "large")
        async with serving(first, api_key="sk-test") as server:
            assert list(server.service.engines.offered_models()) == []


def test_the_model_in_use_must_be_named() -> None:
    settings = Settings.model_validate(
        {"llm": {"engine": "simulated", "others": {"big": {"engine": "simulated"}}, "use": "bg"}}
    )
    with pytest.raises(ConfigError, match=r"llm\.use.*big"):
        build_engines(settings, MonotonicClock())


async def test_a_running_call_changes_its_endpointing_policy() -> None:
    async with running_server() as server, calling(server) as caller:
        for policy in ("fixed", "learned", "fused"):
            turns = {"endpointing": policy, "cut_off_cost_ms": 3000}
            session = {"type": "realtime", "voicepipe": {"turns": turns}}
            await caller.send("session.update", session=session)
            shown = (await caller.until("session.updated"))["session"]["voicepipe"]["turns"]
            assert shown["endpointing"] == policy
            (session_here,) = server.service.sessions
            assert session_here.settings.turns is not None
            assert session_here.settings.turns.endpointing == policy
        session = {"type": "realtime", "voicepipe": {"turns": {"endpointing": "smart_turn"}}}
        await caller.send("session.update", session=session)
        error = (await caller.until("error"))["error"]
        assert error["param"] == "session.voicepipe.turns.endpointing"
