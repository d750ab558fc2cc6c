"""A number keyed in on a carrier's line reaches the function that waits for it."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tests.call_log.harness import call_settings, stored_calls
from tests.server.harness import RunningServer, simulated_engines
from tests.server.telephony.harness import call, phone_server, tone
from tests.server.test_limits import nothing_left
from voicepipe.config import Settings
from voicepipe.conversation.items import FunctionOutputItem, MessageItem
from voicepipe.lab.carriers.call import EmulatedCall
from voicepipe.llm.contract import ChatRequest
from voicepipe.llm.engines.simulated import Answer
from voicepipe.session.engines import Engines
from voicepipe.session.settings import SessionSettings

ANSWER_S = 20.0
SHORT = "Your number please."
LONG = "Please key in the ten digits that stand on the back of your card, one by one."
NUMBER = "9035580174"


def clerk(question: str, digits: int) -> Engines:
    """A model that asks for so many digits and answers with what it was given."""
    engines = simulated_engines(heard=("I want to pay",))

    def answer(request: ChatRequest) -> Answer:
        last = request.messages[-1]
        if last.role == "tool":
            found = json.loads(last.content)
            return Answer(f"You entered {' '.join(found['digits'])}.")
        return Answer(question, tool=("get_digits", json.dumps({"max_digits": digits})))

    engines.model._answers = answer  # type: ignore[attr-defined]
    return engines


async def until_answered(phone: EmulatedCall, server: RunningServer) -> list[str]:
    """The agent's messages, when an answer to the digits is among them and has been heard."""
    (session,) = server.service.sessions
    async with asyncio.timeout(ANSWER_S):
        while not any("You entered" in text for text in said(server)):
            await asyncio.sleep(0.02)
    await phone.silence(phone.clock.now(), 500, ANSWER_S)
    assert session.at_rest
    return said(server)


def said(server: RunningServer) -> list[str]:
    (session,) = server.service.sessions
    items = session.conversation.items
    return [i.text for i in items if isinstance(i, MessageItem) and i.role == "assistant"]


@pytest.mark.parametrize("name", ["twilio", "vonage", "audiosocket", "plain"])
async def test_keys_after_the_question_are_used_in_the_answer(name: str) -> None:
    async with phone_server(clerk(SHORT, 4)) as server, call(server, name) as phone:
        heard_at = await phone.sound(await phone.say(tone(400)), ANSWER_S)
        await phone.silence(heard_at + len(SHORT) / 15 * 0.8, 500, ANSWER_S)
        await phone.press("4711")
        assert await until_answered(phone, server) == [SHORT, "You entered 4 7 1 1."]
        assert phone.problems == []
        (session,) = server.service.sessions
        outputs = [i for i in session.conversation.items if isinstance(i, FunctionOutputItem)]
        assert [json.loads(item.output) for item in outputs] == [
            {"digits": "4711", "ended_by": "count"}
        ]
    await nothing_left(server)


async def test_keys_in_the_midst_of_the_question_and_after_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """As most people do it: they know what is coming. What they press is logged and written down
    nowhere."""
    caplog.set_level(logging.INFO)
    records = call_settings(tmp_path).calls
    calls: dict[str, Any] = {
        **records.model_dump(),
        "database": records.database.get_secret_value(),
    }
    async with phone_server(clerk(LONG, len(NUMBER)), calls=calls) as server:
        async with call(server, "twilio") as phone:
            heard_at = await phone.sound(await phone.say(tone(400)), ANSWER_S)
            await phone.silence(heard_at + 1.5, 0, ANSWER_S)
            pressed = phone.clock.now()
            await phone.press(NUMBER[:4])
            assert await phone.silence(pressed, 600, ANSWER_S) - pressed < 0.4, "the agent stops"
            await phone.press(NUMBER[4:] + "#")
            question, answer = await until_answered(phone, server)
            assert LONG.startswith(question.rstrip(". "))
            assert 2 <= len(question.split()) <= 8, f"1.5 s were heard, the history says {question}"
            assert answer == f"You entered {' '.join(NUMBER)}."
            (session,) = server.service.sessions
            assert not any("[keypad]" in getattr(i, "text", "") for i in session.conversation)
            assert phone.problems == []
        await nothing_left(server)
    assert caplog.records
    logged = [record.getMessage() for record in caplog.records]
    assert not [line for line in logged if NUMBER in line or NUMBER[4:] in line]
    (stored,) = stored_calls(tmp_path)
    assert [turn["user_text"] for turn in stored.turns] == ["I want to pay", ""]


async def test_hang_up_while_keys_are_awaited_leaves_nothing() -> None:
    async with phone_server(clerk(LONG, 4)) as server:
        async with call(server) as phone:
            heard_at = await phone.sound(await phone.say(tone(400)), ANSWER_S)
            await phone.silence(heard_at + 0.3, 0, ANSWER_S)
            await phone.press("1")
        await nothing_left(server)


async def test_it_is_offered_on_calls_and_nowhere_else_and_can_be_left_out() -> None:
    def offered(server: RunningServer) -> set[str]:
        (session,) = server.service.sessions
        return {tool.name for tool in session._context.tools.declarations}

    async with phone_server() as server:
        async with call(server, "plain"):
            async with asyncio.timeout(ANSWER_S):
                while not server.service.sessions:
                    await asyncio.sleep(0.02)
            assert {"hang_up", "get_digits"} <= offered(server)
        await nothing_left(server)
        session = server.service.open_session(SessionSettings())  # as any other door
        assert "get_digits" not in offered(server)
        await server.service.close_session(session)
    async with phone_server(telephony={"tools": ["hang_up"]}) as server, call(server, "plain"):
        async with asyncio.timeout(ANSWER_S):
            while not server.service.sessions:
                await asyncio.sleep(0.02)
        assert "hang_up" in offered(server)
        assert "get_digits" not in offered(server)


def test_function_that_there_is_not_is_named_with_those_there_are() -> None:
    with pytest.raises(ValidationError, match=r"(?s)telephony\.tools.*get_digits"):
        Settings.model_validate({"telephony": {"tools": ["get_digit"]}})
