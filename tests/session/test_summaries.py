"""What leaves the prompt is summed up: ahead, while nobody speaks, in one step."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from importlib.metadata import EntryPoint
from itertools import pairwise
from typing import Any

import pytest

from tests.session.harness import SIMULATED, Conversation, conversation
from tests.session.test_truncation import TURNS, WORDS, requests
from voicepipe.config import LimitSettings, Settings
from voicepipe.conversation.items import MessageItem, TextPart
from voicepipe.llm.contract import ChatRequest
from voicepipe.llm.engines.simulated import Answer
from voicepipe.runtime.errors import ConfigError
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session import summaries
from voicepipe.session.prompting import SUMMARY_HEAD
from voicepipe.session.settings import SessionSettings, Truncation

pytestmark = pytest.mark.virtual_time

SUM_UP = "Sum it up."
SMALL = Truncation(retention=0.5, max_tokens=250)
"""Ten turns of about 100 characters each."""
IN_FORCE = f"Be kind.\n\n{SUMMARY_HEAD}\n"


def is_summary(request: ChatRequest) -> bool:
    return request.messages[0].content == SUM_UP


def answering(summed: Callable[[int], Answer | str]) -> Callable[[ChatRequest], Answer]:
    """`summed(n)`: the n-th summary, from 1."""
    made = 0

    def answer(request: ChatRequest) -> Answer:
        nonlocal made
        if not is_summary(request):
            return Answer("Yes.")
        made += 1
        given = summed(made)
        return given if isinstance(given, Answer) else Answer(given)

    return answer


def settings(by: str = "llm", **more: object) -> Settings:
    summary = {"by": by, "instructions": SUM_UP, **more}
    return Settings.model_validate({"simulated": SIMULATED, "llm": {"summary": summary}})


async def say(talk: Conversation, number: int, pause_s: float = 2.0) -> None:
    said = MessageItem(f"u{number}", "user", (TextPart(f"{number} {WORDS}"),))
    talk.session.handle(cmd.CreateItem(said))
    talk.session.handle(cmd.CreateResponse())
    await asyncio.sleep(pause_s)


@asynccontextmanager
async def talking(
    summed: Callable[[int], Answer | str],
    config: Settings | None = None,
    truncation: Truncation = SMALL,
) -> AsyncIterator[Conversation]:
    own = SessionSettings(truncation=truncation, modality="text", instructions="Be kind.")
    answers: Any = answering(summed)
    config = config or settings()
    async with conversation(answers=answers, settings=own, config=config) as talk:
        yield talk


async def talked(
    summed: Callable[[int], Answer | str],
    config: Settings | None = None,
    truncation: Truncation = SMALL,
) -> Conversation:
    async with talking(summed, config, truncation) as talk:
        for number in range(TURNS):
            await say(talk, number)
    return talk


def prompts(talk: Conversation) -> list[ChatRequest]:
    return [request for request in requests(talk) if not is_summary(request)]


async def test_the_oldest_turns_become_one_summary_that_grows_in_steps() -> None:
    talk = await talked(lambda n: f"Summary {n}.", settings())

    asked = [request for request in requests(talk) if is_summary(request)]
    assert len(asked) >= 3
    assert {request.priority for request in asked} == {2}
    assert all(not request.tools and request.session_id.endswith("/summary") for request in asked)
    first, second = asked[0].messages[1].content, asked[1].messages[1].content
    assert first.startswith("User: 0 one two")
    assert "Agent: Yes." in first
    assert second.startswith("The summary so far:\nSummary 1.\n\nWhat was said since:\nUser:")
    heads = [request.messages[0].content for request in prompts(talk)]
    assert heads[0] == "Be kind."
    assert list(dict.fromkeys(heads))[:3] == [
        "Be kind.",
        f"{IN_FORCE}Summary 1.",
        f"{IN_FORCE}Summary 2.",
    ]
    for before, after in pairwise(prompts(talk)):  # a prefix cache misses at a step, and only there
        grown = after.messages[: len(before.messages)] == before.messages
        assert grown == (before.messages[0] == after.messages[0])


async def test_nothing_is_lost_between_the_summary_and_the_words() -> None:
    talk = await talked(lambda n: f"Summary {n}.", settings())
    summed = [request for request in requests(talk) if is_summary(request)]
    lines = [line for r in summed for line in r.messages[1].content.splitlines()]
    known = {line.split()[1] for line in lines if line.startswith("User:")}
    last = prompts(talk)[-1]
    verbatim = {m.content.split()[0] for m in last.messages if m.role == "user"}
    steps = sum(head != "Be kind." for head in {r.messages[0].content for r in prompts(talk)})
    assert len(summed) - steps <= 1, "one may be made, and not yet in force"
    assert {str(number) for number in range(TURNS)} <= known | verbatim


def instructions(talk: Conversation) -> list[MessageItem]:
    items = (item for item in talk.session.conversation if isinstance(item, MessageItem))
    return [item for item in items if item.role == "system"]


async def test_it_is_an_item_that_the_client_sees_and_may_delete() -> None:
    async with talking(lambda n: f"Summary {n}.") as talk:
        number = 0
        while not instructions(talk):
            await say(talk, number)
            number += 1
        (item,) = instructions(talk)
        assert item.text == "Summary 1."
        assert [e.previous_item_id for e in talk.of(ev.ItemAdded) if e.item.id == item.id] == [None]
        talk.session.handle(cmd.DeleteItem(item.id))
        await say(talk, number)
        assert prompts(talk)[-1].messages[0].content == "Be kind."
        assert len(prompts(talk)[-1].messages) > 8, "what it covered, as far as it fits"


async def test_what_a_deleted_one_covered_is_summed_up_anew() -> None:
    """It is deleted while an answer is being made: the next summary is made right behind that."""
    async with talking(lambda n: f"Summary {n}.") as talk:
        number, asked = 0, 0
        while asked < 2:
            before = [item.id for item in instructions(talk)]
            said = MessageItem(f"u{number}", "user", (TextPart(f"{number} {WORDS}"),))
            talk.session.handle(cmd.CreateItem(said))
            talk.session.handle(cmd.CreateResponse())
            await asyncio.sleep(0.05)
            if before and talk.session._summaries._fullness() > summaries.MAKE_AT - 0.1:
                talk.session.handle(cmd.DeleteItem(before[0]))
            await asyncio.sleep(2)
            number += 1
            asked = sum(map(is_summary, requests(talk)))
        second = [request for request in requests(talk) if is_summary(request)][1]
        assert second.messages[1].content.startswith("User: 0 one two")


@pytest.mark.parametrize(
    ("by", "truncation"), [("", SMALL), ("llm", Truncation(enabled=False, max_tokens=250))]
)
async def test_off_by_default_and_where_nothing_may_go(by: str, truncation: Truncation) -> None:
    talk = await talked(lambda n: "Never.", settings(by), truncation)
    assert not [request for request in requests(talk) if is_summary(request)]


async def test_who_begins_to_speak_ends_it_and_it_is_made_later() -> None:
    slow = Answer(" ".join(["word"] * 150))  # 1.6 s
    async with talking(lambda n: slow if n == 1 else "Summary.") as talk:
        model: Any = talk.engines.model
        number = 0
        while not any(is_summary(request) for request in requests(talk)):
            await say(talk, number, 0.5)
            number += 1
        assert model.active_requests == 1
        await talk.speak(400)
        assert model.active_requests == 0, "the caller's turn finds the model free"
        await talk.quiet(3000)
        await say(talk, number)
        assert sum(is_summary(request) for request in requests(talk)) == 2


@pytest.mark.parametrize(
    ("summed", "told"),
    [
        (Answer("One two.", fail_after_tokens=1), "failed after 1 token"),
        (Answer("One two.", hang_after_tokens=0), "not made within 1000 ms"),
        (Answer(""), "it is empty"),
    ],
)
async def test_one_that_fails_is_told_and_after_three_there_are_no_more(
    summed: Answer, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    talk = await talked(lambda n: summed, settings(deadline_ms=1000))
    assert caplog.text.count(told) == 3
    done = [event.response.status for event in talk.of(ev.ResponseDone)]
    assert done == ["completed"] * TURNS
    assert {request.messages[0].content for request in prompts(talk)} == {"Be kind."}


async def test_a_full_conversation_is_told_and_not_tried_for_ever(
    caplog: pytest.LogCaptureFixture,
) -> None:
    config = settings().model_copy(update={"limits": LimitSettings(max_items=20)})
    async with talking(lambda n: "Summary.", config) as talk:
        for number in range(10):  # two items each
            await say(talk, number)
    assert caplog.text.count("no room for it (limits.max_items)") == 3
    assert sum(is_summary(request) for request in requests(talk)) == 3


async def by_rule(transcript: str, before: str) -> str:
    await asyncio.sleep(0.01)
    return f"{before} {transcript.count('User:')} turns.".strip()


no_function = "text"


def offer(monkeypatch: pytest.MonkeyPatch, **named: str) -> None:
    points = {name: EntryPoint(name, f"{__name__}:{value}", "x") for name, value in named.items()}
    monkeypatch.setattr(summaries, "installed", lambda group: points)
    summaries.load.cache_clear()


async def test_a_function_of_ones_own_sums_up(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, rule="by_rule")
    talk = await talked(lambda n: "Never.", settings(by="rule"))
    assert not [request for request in requests(talk) if is_summary(request)]
    heads = dict.fromkeys(request.messages[0].content for request in prompts(talk))
    assert [*heads][1:3] == [f"{IN_FORCE}5 turns.", f"{IN_FORCE}5 turns. 5 turns."]


async def test_a_function_of_ones_own_is_told_no_personal_data(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    heard: list[str] = []

    async def own(said: str, before: str) -> str:
        heard.append(said)
        return "It found 4111 1111 1111 1111."

    monkeypatch.setattr(summaries, "load", lambda name: own)
    config = settings(by="own")
    config = config.model_copy(update={"llm": config.llm.model_copy(update={"redact": ("card",)})})
    async with conversation(config=config) as talk:
        made = await talk.session._summaries._summarize("User: 4111 1111 1111 1111", "")
    assert heard == ["User: [card]"]
    assert made == "It found [card]."


def test_what_there_is_not_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, rule="by_rule", odd="no_function")
    with pytest.raises(ConfigError, match=r"llm.summary.by: there is no 'rul'.*odd, rule"):
        summaries.load("rul")
    with pytest.raises(ConfigError, match="is no async function"):
        summaries.load("odd")


async def test_a_summary_that_made_way_for_callers_is_made_later_however_often() -> None:
    """More often than failures are borne: it is none."""

    class Busy:
        """A model that has no time for what nobody waits for, at first."""

        def __init__(self, inner: Any) -> None:
            self._inner, self.refused = inner, 0

        async def stream(self, request: ChatRequest) -> AsyncIterator[Any]:
            if is_summary(request) and self.refused < 2 * summaries.MAX_FAILURES:
                self.refused += 1
                return
            async for delta in self._inner.stream(request):
                yield delta

        def __getattr__(self, name: str) -> Any:
            return getattr(self._inner, name)

    async with talking(lambda n: f"Summary {n}.", settings()) as talk:
        context = talk.session._context
        busy = Busy(context.engines.model)
        context.engines = replace(context.engines, model=busy)
        for number in range(TURNS):
            await say(talk, number)
    assert busy.refused == 2 * summaries.MAX_FAILURES
    assert prompts(talk)[-1].messages[0].content.startswith(IN_FORCE)
