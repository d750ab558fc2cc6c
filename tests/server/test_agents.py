"""Agents answer: by query, by path, by number; and hand the caller over to one another."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest
from openai import AsyncOpenAI
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus

from tests.server.harness import RunningServer, running_server, simulated_engines
from tests.server.telephony.harness import call, phone_server, tone
from tests.server.test_limits import nothing_left
from voicepipe.conversation.items import MessageItem
from voicepipe.lab.carriers.dialect import CallDetails
from voicepipe.llm.contract import ChatRequest
from voicepipe.llm.engines.simulated import Answer
from voicepipe.server.realtime import LARGE_MESSAGE
from voicepipe.session.engines import Engines
from voicepipe.session.session import Session

ANSWER_S = 20.0
AGENTS: dict[str, Any] = {
    "bar": {
        "instructions": "You serve {{place}}. The caller is {{caller}}.",
        "model": "barista-7b",
        "variables": {"place": "the coffee bar"},
        "greeting": "Welcome to {{place}}.",
        "tools": ["get_time"],
        "numbers": ["+15550100"],
        "hand_over": ["desk"],
        "turns": {"endpoint_complete_ms": 250},
        "budget": {"llm_ms": 55},
    },
    "desk": {"instructions": "You are the desk.", "greeting": "", "hand_over": []},
}
OVER = Answer("The desk will help you.", tool=("hand_over", '{"to": "desk"}'))


def prompts(engines: Engines) -> list[ChatRequest]:
    requests: list[ChatRequest] = engines.model.requests  # type: ignore[attr-defined]
    return requests


async def session_of(server: RunningServer, path: str) -> dict[str, Any]:
    async with connect(f"ws://127.0.0.1:{server.port}{path}") as socket:
        created = json.loads(await socket.recv())
    await nothing_left(server)
    session: dict[str, Any] = created["session"]
    return session


@pytest.mark.parametrize("path", ["/v1/realtime?agent=bar", "/agents/bar/v1/realtime?model=x"])
async def test_a_client_names_its_agent(path: str) -> None:
    async with running_server(agents=AGENTS) as server:
        session = await session_of(server, path)
        assert session["instructions"] == "You serve the coffee bar. The caller is ."
        assert (await session_of(server, "/v1/realtime"))["instructions"] != session["instructions"]


async def test_the_default_answers_who_names_nobody() -> None:
    async with running_server(agents=AGENTS, server={"agent": "desk"}) as server:
        session = await session_of(server, "/v1/realtime")
        assert session["instructions"] == "You are the desk."


@pytest.mark.parametrize("path", ["/v1/realtime?agent=brr", "/agents/brr/v1/realtime"])
async def test_an_unknown_agent_is_refused_before_the_upgrade(path: str) -> None:
    async with running_server(agents=AGENTS) as server:
        with pytest.raises(InvalidStatus) as refused:
            await session_of(server, path)
        body = json.loads(refused.value.response.body or b"{}")
        assert body["error"]["code"] == "agent_not_found"
        assert "did you mean bar?" in body["error"]["message"]


async def test_the_official_sdk_talks_to_an_agent_by_its_base_url() -> None:
    async with running_server(agents=AGENTS) as server:
        base = f"{server.http}/agents/bar/v1"
        async with AsyncOpenAI(api_key="none", base_url=base) as client:
            async with client.realtime.connect(model="voicepipe") as connection:
                event = await connection.recv()
                assert event.type == "session.created"
                assert "coffee bar" in event.session.to_json()


async def test_a_number_has_an_agent_with_its_greeting_options_and_tools() -> None:
    engines = simulated_engines()
    async with phone_server(engines, agents=AGENTS) as server:
        details = CallDetails(caller="+15550123", called="+1 555 0100")
        async with call(server, "telnyx", details=details) as phone:
            heard = await phone.sound(phone.clock.now(), ANSWER_S)
            await phone.silence(heard, 500, ANSWER_S)
            (session,) = server.service.sessions
            assert session.conversation.items[0].text == "Welcome to the coffee bar."  # type: ignore[union-attr]
            assert session.settings.turns is not None
            assert session.settings.turns.endpoint_complete_ms == 250
            assert session.settings.budget is not None
            assert session.settings.budget.llm_ms == 55
            await phone.sound(await phone.say(tone(400)), ANSWER_S)
        await nothing_left(server)
    assert prompts(engines)[-1].messages[0].content == (
        "You serve the coffee bar. The caller is +15550123."
    )
    assert prompts(engines)[-1].model == "barista-7b"
    names = {tool.name for tool in prompts(engines)[-1].tools}
    assert names == {"get_time", "hand_over", "hang_up", "get_digits"}


async def test_a_webhooks_path_names_the_agent_of_its_call() -> None:
    engines = simulated_engines()
    async with phone_server(engines, agents=AGENTS) as server:
        async with httpx.AsyncClient(base_url=server.http) as client:
            form = {"From": "+15550123", "To": "+15550999"}
            answer = await client.post("/agents/desk/telephony/twilio/voice", data=form)
            wrong = await client.post("/agents/dsk/telephony/twilio/voice", data=form)
        assert wrong.status_code == 404
        ticket = answer.text.partition("/telephony/twilio/")[2].partition('"')[0]
        admitted = server.app.state.telephony.tickets.redeem("twilio", ticket)
        assert admitted.agent == "desk"


async def test_a_caller_is_handed_over_and_the_conversation_stays() -> None:
    engines = simulated_engines(heard=("I lost my key",), answers=(OVER, "Desk speaking."))
    async with phone_server(engines, agents=AGENTS) as server:
        async with call(server, "telnyx", details=CallDetails(called="+15550100")) as phone:
            heard = await phone.sound(phone.clock.now(), ANSWER_S)
            await phone.silence(heard, 500, ANSWER_S)
            await phone.say(tone(400))
            async with asyncio.timeout(ANSWER_S):
                while len(prompts(engines)) < 2:
                    await asyncio.sleep(0.02)
            (session,) = server.service.sessions
            assert session.settings.agent == "desk"
        await nothing_left(server)
    before, after = prompts(engines)[0], prompts(engines)[-1]
    assert before.messages[0].content.startswith("You serve")
    assert after.messages[0].content == "You are the desk."
    assert after.model == ""
    texts = [message.content for message in after.messages]
    assert "I lost my key" in texts
    assert "The desk will help you." in texts
    assert "hand_over" not in [tool.name for tool in after.tools]


async def test_the_colleagues_first_words_may_be_in_the_settings() -> None:
    """No model is asked for them, and the caller is told by whom they are served now."""
    engines = simulated_engines(heard=("I lost my key",), answers=(OVER, "unasked"))
    desk = {
        **AGENTS["desk"],
        "taking_over": "Desk of {{place}}, yes please?",
        "variables": {"place": "the bar"},
    }
    async with phone_server(engines, agents={**AGENTS, "desk": desk}) as server:
        async with call(server, "telnyx", details=CallDetails(called="+15550100")) as phone:
            heard = await phone.sound(phone.clock.now(), ANSWER_S)
            await phone.silence(heard, 500, ANSWER_S)
            await phone.say(tone(400))
            (session,) = server.service.sessions
            async with asyncio.timeout(ANSWER_S):
                while "Desk of the bar, yes please?" not in words_of(session):
                    await asyncio.sleep(0.02)
            assert session.settings.agent == "desk"
        await nothing_left(server)
    assert len(prompts(engines)) == 1


def words_of(session: Session) -> list[str]:
    """What the agent has said so far, as heard."""
    items = session.conversation.items
    return [item.text for item in items if isinstance(item, MessageItem)]


async def until(socket: ClientConnection, kind: str) -> dict[str, Any]:
    async with asyncio.timeout(ANSWER_S):
        while (event := json.loads(await socket.recv()))["type"] != kind:
            pass
    found: dict[str, Any] = event
    return found


async def test_a_client_is_told_of_a_hand_over_and_keeps_its_own_settings() -> None:
    engines = simulated_engines(answers=(OVER, "Desk speaking."))
    silent = {**AGENTS, "bar": {**AGENTS["bar"], "greeting": ""}}
    async with running_server(engines, agents=silent) as server:
        async with connect(f"{server.ws}/realtime?agent=bar") as socket:
            session = {"type": "realtime", "output_modalities": ["text"]}
            for message in (
                {"type": "session.update", "session": session},
                {
                    "type": "conversation.item.create",
                    "item": {
                        "type": "message",
                        "role": "user",
                        "content": [{"type": "input_text", "text": "my key"}],
                    },
                },
                {"type": "response.create"},
            ):
                await socket.send(json.dumps(message))
            await until(socket, "session.updated")
            updated = await until(socket, "session.updated")
            assert updated["session"]["instructions"] == "You are the desk."
            assert updated["session"]["output_modalities"] == ["text"]
            said = await until(socket, "response.output_text.done")
            assert said["text"] == "Desk speaking."
        await nothing_left(server)


async def test_a_hand_over_leaves_the_client_what_is_the_clients() -> None:
    """Push to talk stays push to talk, and an MCP server of the client's is not lost."""
    engines = simulated_engines(answers=(OVER, "Desk speaking."))
    silent = {**AGENTS, "bar": {**AGENTS["bar"], "greeting": ""}}
    wanted = {
        "type": "realtime",
        "output_modalities": ["text"],
        "parallel_tool_calls": False,
        "truncation": {"type": "retention_ratio", "retention_ratio": 0.5},
        "include": ["item.input_audio_transcription.segments"],
        "audio": {
            "input": {"turn_detection": None, "noise_reduction": {"type": "near_field"}},
            "output": {"speed": 1.25},
        },
        "tools": [
            {
                "type": "mcp",
                "server_label": "theirs",
                "server_url": "http://127.0.0.1:9/mcp",
                "require_approval": "never",
            }
        ],
    }
    mine = ("parallel_tools", "truncation", "details", "turn_detection", "noise_reduction")
    client_mcp = {"client_mcp": ["http://127.0.0.1:9/"]}
    async with running_server(engines, agents=silent, tools=client_mcp) as server:
        async with connect(f"{server.ws}/realtime?agent=bar") as socket:
            await socket.send(json.dumps({"type": "session.update", "session": wanted}))
            before = await until(socket, "session.updated")
            (session,) = server.service.sessions
            asked = session.settings
            assert asked.mcp
            assert asked.turn_detection is None
            assert asked.speed == 1.25
            await socket.send(json.dumps({"type": "response.create"}))
            after = await until(socket, "session.updated")
            assert after["session"]["instructions"] == "You are the desk."
            for name in (*mine, "mcp", "speed"):
                assert getattr(session.settings, name) == getattr(asked, name), name
            for name in ("tools", "include", "truncation", "parallel_tool_calls"):
                assert after["session"][name] == before["session"][name]
            shown = [one["session"]["audio"]["input"] for one in (before, after)]
            assert shown[1] == shown[0]
            back = {"type": "realtime", "truncation": None}
            await socket.send(json.dumps({"type": "session.update", "session": back}))
            assert (await until(socket, "session.updated"))["session"]["truncation"] == "auto"
        await nothing_left(server)


async def test_an_agent_with_a_voice_that_is_not_there_speaks_with_the_default(
    caplog: pytest.LogCaptureFixture,
) -> None:
    agents = {"bar": {"voice": "carla", "greeting": "Welcome."}}
    async with phone_server(agents=agents, server={"agent": "bar"}) as server:
        assert "agents.bar.voice: there is no voice 'carla' here" in caplog.text
        async with call(server) as phone:
            await phone.sound(phone.clock.now(), ANSWER_S)


async def test_tools_that_an_agent_names_and_nobody_has_are_told_at_start(
    caplog: pytest.LogCaptureFixture,
) -> None:
    agents = {"bar": {"tools": ["get_time", "transfer_call", "ordr", "book"]}}
    async with running_server(agents=agents):
        pass
    assert "agents.bar.tools: there is no book, ordr here" in caplog.text


async def test_agents_are_loaded_anew_and_a_running_call_keeps_its_own() -> None:
    engines = simulated_engines(answers=(OVER, "Desk speaking."))
    async with phone_server(engines, agents=AGENTS) as server:
        async with call(server, "telnyx", details=CallDetails(called="+15550100")) as phone:
            heard = await phone.sound(phone.clock.now(), ANSWER_S)
            await phone.silence(heard, 500, ANSWER_S)
            server.service.agents.load({})
            await phone.say(tone(400))
            async with asyncio.timeout(ANSWER_S):
                while len(prompts(engines)) < 2:
                    await asyncio.sleep(0.02)
        await nothing_left(server)
    assert prompts(engines)[-1].messages[0].content == "You are the desk."


async def test_a_hand_over_while_a_large_update_is_parsed_is_not_undone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    in_thread = asyncio.to_thread

    async def handed_over_meanwhile(work: Any, *given: Any) -> Any:
        found = await in_thread(work, *given)
        (call,) = server.service.live_calls
        call._agent.hand_over("desk")  # type: ignore[union-attr]
        return found

    async with running_server(simulated_engines(), agents=AGENTS) as server:
        async with connect(f"{server.ws}/realtime?agent=bar", max_size=None) as socket:
            await until(socket, "session.created")
            monkeypatch.setattr(asyncio, "to_thread", handed_over_meanwhile)
            session = {"type": "realtime", "output_modalities": ["text"]}
            update = json.dumps({"type": "session.update", "session": session})
            await socket.send(update + " " * LARGE_MESSAGE)
            for _ in range(2):
                await until(socket, "session.updated")
            (running,) = server.service.sessions
            assert (running.settings.agent, running.settings.modality) == ("desk", "text")
            assert running.settings.instructions == "You are the desk."
            monkeypatch.undo()
        await nothing_left(server)
