"""The model waits for keys: what ends an entry, from when time counts, and who else may speak."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.session.harness import Conversation, conversation
from tests.virtual_time import LoopClock
from voicepipe.config import LimitSettings, Settings
from voicepipe.conversation.items import FunctionOutputItem, MessageItem
from voicepipe.dialog.options import TurnOptions
from voicepipe.llm.contract import Message
from voicepipe.llm.engines.simulated import Answer, SimulatedModel
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.dtmf_entry import MAX_KEYS
from voicepipe.session.dtmf_gather import (
    LONGEST_DELAY_S,
    MAX_IN_VAIN,
    MAX_TIMEOUT_S,
    STRAY_S,
    TIMEOUT_S,
    Wait,
    Wanted,
    read_wanted,
)

pytestmark = pytest.mark.virtual_time

QUESTION = "Please enter your number now."
SPOKEN_S = len(QUESTION) / 15  # the simulated voice speaks 15 characters a second
THANKS = "Thank you."


def asks(question: str = QUESTION, **arguments: Any) -> Answer:
    return Answer(question, tool=("get_digits", json.dumps(arguments)))


class Call:
    """A session whose user has a keypad, and has just been asked."""

    def __init__(self, talk: Conversation) -> None:
        self.talk, self.session = talk, talk.session

    @property
    def model(self) -> SimulatedModel:
        model = self.talk.engines.model
        assert isinstance(model, SimulatedModel)
        return model

    def press(self, *keys: str) -> None:
        for key in keys:
            self.session.handle(cmd.Dtmf(key))

    async def until(self, what: Any, limit_s: float = 30.0) -> float:
        """When `what()` has come true; to 10 ms."""
        async with asyncio.timeout(limit_s):
            while not what():
                await asyncio.sleep(0.01)
        return LoopClock().now()

    async def requests(self, count: int) -> float:
        return await self.until(lambda: self.model.started_requests >= count)

    async def asked(self) -> float:
        """When the question has been played."""
        await self.until(lambda: self.talk.of(ev.OutputAudioStarted))
        return await self.until(lambda: self.talk.of(ev.OutputAudioStopped))

    async def answered(self) -> None:
        await self.until(lambda: self.session.at_rest)

    @property
    def results(self) -> list[dict[str, str]]:
        """What the conversation holds of entries."""
        items = self.session.conversation.items
        return [json.loads(item.output) for item in items if isinstance(item, FunctionOutputItem)]

    @property
    def texts(self) -> list[str]:
        items = self.session.conversation.items
        return [f"{i.role}: {i.text}" for i in items if isinstance(i, MessageItem)]

    def prompt(self) -> tuple[Message, ...]:
        return self.model.requests[-1].messages


@asynccontextmanager
async def call(
    answers: Sequence[Answer | str],
    heard: Sequence[str] = ("I want to pay",),
    config: Settings | None = None,
) -> AsyncIterator[Call]:
    """The user has said the first of `heard`, and its answer has been begun."""
    async with conversation(heard=heard, answers=answers, lead_ms=200, config=config) as talk:
        talk.session.offer_digits()
        await talk.speak(400)
        await talk.quiet(1200)
        yield Call(talk)


def entry(digits: str, ended_by: str) -> dict[str, str]:
    return {"digits": digits, "ended_by": ended_by}


async def test_digits_after_the_question_go_to_the_model_as_the_calls_result() -> None:
    async with call([asks(max_digits=4), THANKS]) as caller:
        await caller.asked()
        for key in "1234":
            caller.press(key)
            await asyncio.sleep(0.3)
        await caller.answered()
        assert caller.results == [entry("1234", "count")]
        *_, asked, result = caller.prompt()
        assert asked.content == QUESTION
        assert [(c.name, json.loads(c.arguments)) for c in asked.tool_calls] == [
            ("get_digits", {"max_digits": 4})
        ]
        assert json.loads(result.content) == entry("1234", "count")
        assert caller.texts[1:] == [f"assistant: {QUESTION}", f"assistant: {THANKS}"]


async def test_an_agent_that_is_heard_to_listen_goes_on_waiting_for_keys() -> None:
    heard = ("I want to pay", "one moment I look for the")
    config = Settings(turns=TurnOptions(listening_after_ms=500))
    async with call([asks(max_digits=4), THANKS], heard, config) as caller:
        await caller.asked()
        await caller.talk.speak(800)
        await caller.talk.quiet(800)
        asides = [e for e in caller.talk.of(ev.ResponseCreated) if not e.response.conversation_id]
        assert len(asides) == 1
        caller.press(*"1234")
        assert caller.results == [entry("1234", "count")]
        await caller.talk.quiet(3000)


@pytest.mark.parametrize(
    ("arguments", "keys", "found"),
    [
        ({}, "12#", entry("12", "end_key")),
        ({}, "#", entry("", "end_key")),
        ({"end_key": "*"}, "1#2*", entry("1#2", "end_key")),
        ({"end_key": "", "max_digits": 3}, "1#2", entry("1#2", "count")),
        ({"max_digits": 1}, "A", entry("A", "count")),
        ({}, "7" * MAX_KEYS, entry("7" * MAX_KEYS, "count")),
        ({"max_digits": 4}, "12", entry("12", "timeout")),
        ({"max_digits": None, "end_key": None, "timeout_s": None}, "", entry("", "timeout")),
    ],
)
async def test_what_ends_an_entry(
    arguments: dict[str, Any], keys: str, found: dict[str, str]
) -> None:
    async with call([asks(**arguments), THANKS]) as caller:
        await caller.asked()
        caller.press(*keys)
        await caller.answered()
        assert caller.results == [found]


@pytest.mark.parametrize("timeout_s", [1, 2.5])
async def test_time_counts_from_the_end_of_the_question_and_anew_from_each_key(
    timeout_s: float,
) -> None:
    long = QUESTION * 4
    async with call([asks(long, timeout_s=timeout_s), THANKS]) as caller:
        began = LoopClock().now()
        over = await caller.asked()
        assert over - began > 3 * SPOKEN_S > 2 * timeout_s
        assert caller.results == []
        await asyncio.sleep(timeout_s - 0.1)
        caller.press("5")
        pressed = LoopClock().now()
        told = await caller.requests(2)
        assert told - pressed == pytest.approx(timeout_s, abs=0.02)
        assert caller.results == [entry("5", "timeout")]


async def test_key_in_the_midst_of_the_question_ends_it_and_counts() -> None:
    async with call([asks(QUESTION * 4, max_digits=3), THANKS]) as caller:
        await caller.until(lambda: caller.talk.of(ev.OutputAudioStarted))
        await asyncio.sleep(1.0)
        heard_ms = caller.talk.phone.heard_ms
        caller.press("1")
        await asyncio.sleep(1.0)
        assert caller.talk.phone.heard_ms == pytest.approx(heard_ms, abs=20), "it fell silent"
        caller.press("2", "3")
        await caller.answered()
        assert caller.results == [entry("123", "count")]
        question = caller.texts[1].removeprefix("assistant: ")
        assert question
        assert (QUESTION * 4).startswith(question), "history as heard"
        assert len(question) < len(QUESTION * 2)
        assert caller.texts[2:] == [f"assistant: {THANKS}"], "and no [keypad]"


@pytest.mark.parametrize(("before", "after"), [("12", "34"), ("1234", "")])
async def test_keys_from_before_the_wait_belong_to_it(before: str, after: str) -> None:
    answers: list[Answer | str] = [asks(max_digits=4), THANKS]
    async with conversation(answers=answers, lead_ms=200) as talk:
        talk.session.offer_digits()
        await talk.speak(400)
        await talk.quiet(100)
        caller = Call(talk)
        caller.press(*before)  # the turn is not over yet, nobody has been asked
        await talk.quiet(1000)
        caller.press(*after)
        await caller.answered()
        assert caller.results == [entry("1234", "count")]
        assert "[keypad]" not in str(caller.texts)


async def test_words_instead_of_keys_are_answered_and_end_the_wait() -> None:
    answers: list[Answer | str] = [asks(timeout_s=20), "Then tell me.", THANKS]
    async with call(answers, ("I want to pay", "I do not have it here")) as caller:
        await caller.asked()
        await caller.talk.speak(600)
        await caller.talk.quiet(1200)
        await caller.answered()
        assert caller.results == []
        assert caller.texts[-2:] == ["user: I do not have it here", "assistant: Then tell me."]
        caller.press("7", "#")  # nobody waits now: as ever
        await caller.answered()
        assert caller.texts[-2:] == ["user: [keypad] 7", f"assistant: {THANKS}"]
        await asyncio.sleep(60)
        assert caller.model.started_requests == 3


async def test_words_behind_keys_are_answered_with_the_keys_in_sight() -> None:
    answers: list[Answer | str] = [asks(timeout_s=20), "Fine."]
    async with call(answers, ("I want to pay", "that was it")) as caller:
        await caller.asked()
        caller.press("1", "2")
        await caller.talk.speak(600)
        await caller.talk.quiet(1200)
        await caller.answered()
        assert caller.results == [entry("12", "speech")]
        *_, result, said = caller.prompt()
        assert json.loads(result.content) == entry("12", "speech")
        assert said.content == "that was it"


async def test_reading_the_number_aloud_while_pressing_it_ends_nothing() -> None:
    async with call([asks(max_digits=4), THANKS], ("I want to pay", "one two three")) as caller:
        await caller.asked()
        for key in "1234":
            await caller.talk.speak(300)
            caller.press(key)
            await caller.talk.quiet(100)
        await caller.answered()
        assert caller.results == [entry("1234", "count")]
        assert caller.texts[-1] == f"assistant: {THANKS}"
        assert not any("one two three" in text for text in caller.texts)


async def test_a_client_that_knows_of_speech_is_told_when_keys_drop_it() -> None:
    async with call([asks(max_digits=2), THANKS], ("I want to pay", "one")) as caller:
        await caller.asked()
        caller.press("1")
        await asyncio.sleep(0.1)
        assert not caller.talk.of(ev.AudioCleared), "nothing was said"
        await caller.talk.speak(600)
        caller.press("2")
        await caller.answered()
        started, stopped = caller.talk.of(ev.SpeechStarted), caller.talk.of(ev.SpeechStopped)
        assert (len(started), len(stopped), len(caller.talk.of(ev.AudioCleared))) == (2, 1, 1)


async def test_cough_ends_nothing() -> None:
    async with call([asks(timeout_s=4), THANKS], ("I want to pay", "")) as caller:
        await caller.asked()
        caller.press("1")
        await caller.talk.speak(200)
        await caller.talk.quiet(1500)
        caller.press("2", "#")
        await caller.answered()
        assert caller.results == [entry("12", "end_key")]


async def test_timeout_waits_for_who_speaks() -> None:
    async with call([asks(timeout_s=1), THANKS], ("I want to pay", "")) as caller:
        over = await caller.asked()
        await caller.talk.speak(1600)
        assert caller.results == [], "somebody speaks"
        await caller.talk.quiet(1000)
        told = await caller.requests(2)
        assert 2.0 < told - over < 4.0
        assert caller.results == [entry("", "timeout")]


async def test_speech_without_end_does_not_delay_the_end_for_ever() -> None:
    ended: list[tuple[str, float]] = []
    clock = LoopClock()
    began = clock.now()
    Wait(Wanted(), "", lambda: True, lambda by: ended.append((by, clock.now() - began)))
    await asyncio.sleep(LONGEST_DELAY_S + 20)
    [(ended_by, after_s)] = ended
    assert ended_by == "timeout"
    assert after_s == pytest.approx(TIMEOUT_S + LONGEST_DELAY_S)


async def test_hash_behind_a_complete_entry_neither_stops_the_answer_nor_becomes_one() -> None:
    async with call([asks(max_digits=2), THANKS * 4]) as caller:
        await caller.asked()
        caller.press("1", "2")
        await asyncio.sleep(STRAY_S - 2.0)
        caller.press("#")
        await caller.answered()
        assert caller.model.started_requests == 2
        assert caller.texts[1:] == [f"assistant: {QUESTION}", f"assistant: {THANKS * 4}"]
        caller.press("#")  # once only
        await caller.requests(3)
        assert "user: [keypad] #" in caller.texts


async def test_no_prompt_and_no_announcement_while_keys_are_awaited() -> None:
    async with call([asks(timeout_s=20), THANKS]) as caller:
        await caller.asked()
        await asyncio.sleep(5)
        assert not caller.session.at_rest
        assert not caller.session.say("Are you still there?")


async def test_model_that_asks_without_a_word_is_asked_for_some() -> None:
    silent = asks("", max_digits=2)
    async with call([silent, QUESTION, THANKS]) as caller:
        await caller.asked()
        assert "say it now" in caller.prompt()[-1].content
        caller.press("1", "2")
        await caller.answered()
        assert caller.results == [entry("12", "count")]
        assert caller.texts[1:] == [f"assistant: {QUESTION}", f"assistant: {THANKS}"]


async def test_model_that_asks_again_and_again_is_stopped_until_somebody_speaks() -> None:
    ask = asks(timeout_s=1)
    answers: list[Answer | str] = [*[ask] * (MAX_IN_VAIN + 1), "Are you there?", ask, THANKS]
    async with call(answers, ("I want to pay", "yes I am")) as caller:
        await caller.until(lambda: caller.texts[-1].endswith("Are you there?"), 60)
        assert caller.results == [entry("", "timeout")] * MAX_IN_VAIN
        assert "last 3 times" in caller.prompt()[-1].content
        await caller.answered()
        await asyncio.sleep(60)
        assert len(caller.results) == MAX_IN_VAIN
        await caller.talk.speak(600)
        await caller.talk.quiet(1200)
        await caller.until(lambda: len(caller.results) > MAX_IN_VAIN)


@pytest.mark.parametrize("keys", ["", "12"])
async def test_hang_up_leaves_nothing_running(keys: str) -> None:
    errors: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: errors.append(context))
    async with call([asks(), THANKS]) as caller:
        await caller.asked()
        caller.press(*keys)
        await caller.session.aclose()
        assert caller.session.task_count == 0
        await asyncio.sleep(80)
        assert caller.model.started_requests == 1
        assert not errors, "a timer ran out after the end"


async def test_keys_displace_the_oldest_of_a_full_conversation() -> None:
    full = Settings(limits=LimitSettings(max_items=3))
    async with call([asks(max_digits=2), THANKS], config=full) as caller:
        await caller.asked()
        caller.press("1", "2")
        await caller.requests(2)
        assert any('"digits": "12"' in message.content for message in caller.prompt())
        assert not caller.talk.of(ev.SessionError)


async def test_keys_without_any_room_are_told_and_break_nothing() -> None:
    full = Settings(limits=LimitSettings(max_items=1))
    async with call([asks(max_digits=2), THANKS], config=full) as caller:
        await caller.asked()
        caller.press("1", "2")
        await asyncio.sleep(10)
        assert caller.talk.of(ev.SessionError)
        assert not caller.session._keys.awaited


async def test_keys_without_the_function_are_what_they_were() -> None:
    async with conversation(answers=[asks(), THANKS], lead_ms=200) as talk:
        assert all(t.name != "get_digits" for t in talk.session._context.tools.declarations)
        caller = Call(talk)
        caller.press("1", "2", "#")
        await caller.requests(1)
        assert caller.texts[0] == "user: [keypad] 12"


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"max_digits": 0}, "max_digits: 0 is less than the minimum of 1"),
        ({"max_digits": MAX_KEYS + 1}, f"greater than the maximum of {MAX_KEYS}"),
        ({"max_digits": "4"}, "max_digits"),
        ({"max_digits": 4.0}, "max_digits"),
        ({"max_digits": True}, "max_digits"),
        ({"end_key": "##"}, "end_key: '##' is not one of ['0'"),
        ({"end_key": "x"}, "end_key: 'x' is not one of"),
        ({"end_key": 5}, "end_key"),
        ({"timeout_s": 0.9}, "timeout_s: 0.9 is less than the minimum of 1"),
        ({"timeout_s": MAX_TIMEOUT_S + 0.1}, "timeout_s"),
        ({"timeout_s": float("nan")}, "not JSON"),
        ({"timeout_s": "5"}, "timeout_s"),
        ({"timeout_s": True}, "timeout_s"),
        ({"num_digits": 4}, "no argument 'num_digits'; there are: max_digits, end_key, timeout_s"),
    ],
    ids=str,
)
async def test_wrong_arguments_are_told_to_the_model_and_nothing_waits(
    arguments: dict[str, Any], named: str
) -> None:
    async with call([asks(**arguments), "Sorry."]) as caller:
        await caller.answered()
        assert named in json.loads(caller.prompt()[-1].content)["error"]
        assert not caller.session._keys.awaited


def test_limits_themselves_are_allowed() -> None:
    assert read_wanted({"max_digits": 1, "timeout_s": 1}) == Wanted(1, "#", 1.0)
    assert read_wanted({"max_digits": MAX_KEYS, "timeout_s": 60}) == Wanted(MAX_KEYS, "#", 60.0)
    assert read_wanted({}) == Wanted()


async def test_the_end_key_that_was_pressed_before_the_model_waits_ends_the_entry() -> None:
    answers: list[Answer | str] = [asks(end_key="*"), THANKS]
    async with conversation(heard=("I want to pay",), answers=answers, lead_ms=200) as talk:
        talk.session.offer_digits()
        caller = Call(talk)
        await talk.speak(400)
        caller.press("1", "2", "*")
        await talk.quiet(1200)
        await caller.answered()
        assert caller.results == [entry("12", "end_key")]


async def test_silence_in_which_keys_are_awaited_is_not_taken_for_nobody_being_there() -> None:
    idle = Settings(turns=TurnOptions(idle_timeout_ms=5000))
    async with call([asks(max_digits=2, timeout_s=20), THANKS], config=idle) as caller:
        await caller.asked()
        await caller.talk.quiet(8000)
        assert not caller.talk.of(ev.IdleTimeout)
        caller.press("1", "2")
        await caller.answered()
        assert caller.results == [entry("12", "count")]
        await caller.talk.quiet(8000)
        assert len(caller.talk.of(ev.IdleTimeout)) == 1, "and then it is"
