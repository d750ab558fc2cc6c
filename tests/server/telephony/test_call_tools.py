"""The agent ends calls, puts them through, and hears keys."""

from __future__ import annotations

import asyncio
import logging
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.server.harness import simulated_engines
from tests.server.telephony.harness import call, phone_server, tone
from tests.server.telephony.rest_server import RestServer, rest_server
from tests.server.test_limits import nothing_left
from tests.server.test_live_calls import only_call
from voicepipe.config import Settings
from voicepipe.lab.carriers.call import EmulatedCall
from voicepipe.llm.contract import ChatRequest
from voicepipe.llm.engines.simulated import Answer
from voicepipe.protocols.telephony.carrier import Transfer
from voicepipe.protocols.telephony.carriers.twilio import TWILIO
from voicepipe.runtime.errors import ConfigError
from voicepipe.server.telephony.call_tools import transfer_targets
from voicepipe.server.telephony.controls import MAX_ORDERS, Controls
from voicepipe.server.telephony.rest import RestInterface
from voicepipe.session.session import Session

ANSWER_S = 20.0
GOODBYE = "Thank you for calling, goodbye."


def twilio(rest: RestServer) -> dict[str, Any]:
    account = {"account_sid": "AC1", "auth_token": "t", "api_url": rest.url}
    return {"twilio": account, "transfer_targets": ["sales=+15550100"]}


def heard_s(phone: EmulatedCall) -> float:
    """How long the agent was audible."""
    return sum(end - start for start, end in phone.heard.spans(gap_ms=500))


@pytest.mark.parametrize("name", ["twilio", "asterisk", "audiosocket"])
async def test_hang_up_comes_after_the_words_were_heard(name: str) -> None:
    engines = simulated_engines(answers=(Answer(GOODBYE, tool=("hang_up", "{}")),))
    async with rest_server() as rest, phone_server(engines, twilio(rest)) as server:
        async with call(server, name) as phone:
            await phone.say(tone(400))
            await asyncio.wait_for(phone.ended.wait(), ANSWER_S)
        assert heard_s(phone) > len(GOODBYE) / 15 * 0.9  # characters a second
        assert engines.model.started_requests == 1  # type: ignore[attr-defined]
        await nothing_left(server)
    forms = [asked.form for asked in rest.asked]
    assert forms == ([{"Status": "completed"}] if name == "twilio" else [])
    hung_up = any(h.what == "hangup" for h in phone.heard.time_line)
    assert hung_up == (name != "twilio"), "the dialects that have a word for it use it"
    if name == "twilio":
        assert rest.asked[0].path.endswith(f"/Calls/{phone.dialect.call_sid}.json")  # type: ignore[attr-defined]


async def test_hang_up_without_words_lets_the_model_say_some() -> None:
    answers = (Answer(tool=("hang_up", "{}")), GOODBYE)
    async with phone_server(simulated_engines(answers=answers)) as server:
        async with call(server) as phone:
            await phone.say(tone(400))
            await asyncio.wait_for(phone.ended.wait(), ANSWER_S)
        assert heard_s(phone) > len(GOODBYE) / 15 * 0.9


async def test_caller_who_interrupts_the_goodbye_goes_on_talking() -> None:
    long = Answer(GOODBYE * 3, tool=("hang_up", "{}"))
    engines = simulated_engines(heard=("bye", "wait one more thing"), answers=(long, "Yes?"))
    async with phone_server(engines) as server, call(server) as phone:
        heard_at = await phone.sound(await phone.say(tone(400)), ANSWER_S)
        await phone.silence(heard_at + 1.0, 0, ANSWER_S)
        said_at = await phone.say(tone(500))
        await phone.sound(said_at + 0.3, ANSWER_S)
        await phone.silence(phone.clock.now(), 500, ANSWER_S)
        assert not phone.ended.is_set()


async def test_transfer_is_asked_of_the_carrier_and_limited_to_names() -> None:
    asked: list[ChatRequest] = []

    def answer(request: ChatRequest) -> Answer:
        asked.append(request)
        if len(asked) == 1:
            return Answer(tool=("transfer_call", '{"to": "+1900555"}'))
        return Answer("I will put you through.", tool=("transfer_call", '{"to": "sales"}'))

    engines = simulated_engines()
    engines.model._answers = answer  # type: ignore[attr-defined]
    async with rest_server() as rest, phone_server(engines, twilio(rest)) as server:
        async with call(server) as phone:
            await phone.say(tone(400))
            await asyncio.wait_for(phone.ended.wait(), ANSWER_S)
        await nothing_left(server)
    (request,) = rest.asked
    assert "<Dial>+15550100</Dial>" in request.form["Twiml"]
    assert "'+1900555' is not one of ['sales']" in asked[1].messages[-1].content
    (tool,) = [t for t in asked[0].tools if t.name == "transfer_call"]
    assert "+15550100" not in str(tool), "the model knows names, no numbers"


async def test_failed_transfer_is_said_and_the_call_goes_on() -> None:
    words = Answer("I will put you through.", tool=("transfer_call", '{"to": "sales"}'))
    engines = simulated_engines(answers=(words,))
    async with rest_server(status=500) as rest, phone_server(engines, twilio(rest)) as server:
        async with call(server) as phone:
            await phone.say(tone(400))
            async with asyncio.timeout(ANSWER_S):
                while not rest.asked:
                    await asyncio.sleep(0.02)
            heard_at = await phone.sound(phone.clock.now(), ANSWER_S)
            await phone.silence(heard_at, 500, ANSWER_S)
            assert not phone.ended.is_set()
            (session,) = server.service.sessions
            assert "could not put you through" in session.conversation.items[-1].text  # type: ignore[union-attr]


async def test_failed_transfer_is_said_to_a_caller_who_speaks_just_then() -> None:
    """As soon as they have had their answer: else they wait for somebody who does not come."""
    words = Answer("I will put you through.", tool=("transfer_call", '{"to": "sales"}'))
    engines = simulated_engines(heard=("sales please", "thank you"), answers=(words, "Welcome."))
    async with rest_server(status=500) as rest, phone_server(engines, twilio(rest)) as server:
        rest.answers.clear()
        async with call(server) as phone:
            await phone.say(tone(400))
            async with asyncio.timeout(ANSWER_S):
                while not rest.asked:
                    await asyncio.sleep(0.02)
            speaking = asyncio.create_task(phone.say(tone(1500)), name="Task-speaking")
            await asyncio.sleep(0.8)
            rest.answers.set()
            await speaking
            (session,) = server.service.sessions
            async with asyncio.timeout(ANSWER_S):
                while "could not put you through" not in str(session.conversation.items[-1]):
                    await asyncio.sleep(0.05)


async def test_call_is_hung_up_however_many_transfers_wait() -> None:
    """A model in a loop may order them faster than a carrier refuses them."""
    async with rest_server(status=500) as rest:
        settings = Settings.model_validate({"telephony": twilio(rest)}).telephony
        controls = Controls(settings, RestInterface(TWILIO, settings), Transfer)
        (transfer,) = [t for t in controls.tools() if t.declaration.name == "transfer_call"]
        for _ in range(MAX_ORDERS + 1):
            ordered = await transfer.run({"to": "sales"}, {})
            assert ordered.afterwards is not None
            ordered.afterwards()
        controls.hang_up_now("the owner's wish")
        session = cast(Session, SimpleNamespace(id="sess_1", say=lambda text: True))
        reason = await asyncio.wait_for(controls.execute(session, "CA1"), ANSWER_S)
        assert reason == "the owner's wish"
        assert len(rest.asked) <= MAX_ORDERS


@pytest.mark.parametrize("by", ["agent", "program"])
async def test_transfer_is_told_as_one_though_the_stream_ends_before_the_carrier_answers(
    by: str, caplog: pytest.LogCaptureFixture
) -> None:
    """It takes the call from the stream first."""
    caplog.set_level(logging.INFO)
    words = Answer("I will put you through.", tool=("transfer_call", '{"to": "sales"}'))
    engines = simulated_engines(answers=(words,))
    async with rest_server() as rest, phone_server(engines, twilio(rest)) as server:
        rest.answers.clear()
        async with call(server) as phone:
            live = await only_call(server)
            await live.connected()
            if by == "agent":
                await phone.say(tone(400))
            else:
                referring = asyncio.create_task(live.refer("+15550100"), name="Task-referring")
            async with asyncio.timeout(ANSWER_S):
                while not rest.asked:
                    await asyncio.sleep(0.02)
            await phone.hang_up()
            await asyncio.sleep(0.2)
            rest.answers.set()
            if by == "program":
                await referring
        await nothing_left(server)
    assert len(rest.asked) == 1
    ends = [told for told in caplog.messages if told.startswith("twilio call ended")]
    assert ends == [f"twilio call ended: transferred{' to sales' if by == 'agent' else ''}"]
    assert "15550100" not in caplog.text, "no numbers in the log"


@pytest.mark.parametrize("text", ["sales", "=+1555", "sales="])
def test_transfer_target_that_is_none_is_named(text: str) -> None:
    with pytest.raises(ConfigError, match=r"telephony\.transfer_targets"):
        transfer_targets((text,))


@pytest.mark.parametrize("name", ["twilio", "vonage", "audiosocket"])
async def test_keys_become_one_item_that_is_answered(name: str) -> None:
    engines = simulated_engines(answers=("Thank you.",))
    async with phone_server(engines) as server, call(server, name) as phone:
        if name == "audiosocket":
            await phone.say(tone(20))  # its calls begin with audio
        await phone.press("12*#")
        await phone.sound(phone.clock.now(), ANSWER_S)
        (session,) = server.service.sessions
        assert session.conversation.items[0].text == "[keypad] 12*"  # type: ignore[union-attr]
        request = engines.model.requests[-1]  # type: ignore[attr-defined]
        assert request.messages[-1].content == "[keypad] 12*"


async def test_keys_without_an_end_are_taken_after_a_pause() -> None:
    async with phone_server(telephony={"keypad_pause_ms": 200}) as server:
        async with call(server, "plain") as phone:
            await phone.press("42")
            await phone.sound(phone.clock.now(), ANSWER_S)
            (session,) = server.service.sessions
            assert session.conversation.items[0].text == "[keypad] 42"  # type: ignore[union-attr]


async def test_key_stops_the_agent() -> None:
    long = "One two three four five six seven eight nine ten. " * 4
    async with phone_server(simulated_engines(answers=(long,))) as server, call(server) as phone:
        heard_at = await phone.sound(await phone.say(tone(400)), ANSWER_S)
        await phone.silence(heard_at + 0.5, 0, ANSWER_S)
        pressed = phone.clock.now()
        await phone.press("1")
        assert await phone.silence(pressed, 300, ANSWER_S) - pressed < 0.4
