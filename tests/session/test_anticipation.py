"""What the user is likely to say next is answered before they say it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import pytest

from tests.session.harness import SIMULATED, Conversation, conversation
from tests.virtual_time import LoopClock
from voicepipe.config import AnticipationSettings, LatencySettings, Settings, SimulatedSettings
from voicepipe.ledger.records import TurnRecord
from voicepipe.llm.contract import ChatRequest, Delta, Message, Tool
from voicepipe.llm.engines.simulated import Answer
from voicepipe.session import commands as cmd
from voicepipe.session.settings import SessionSettings, Transcription
from voicepipe.tools.contract import Output, ServerTool, ToolOptions
from voicepipe.tools.toolbox import ToolBox

pytestmark = pytest.mark.virtual_time


def expecting(
    *sentences: str, simulated: SimulatedSettings = SIMULATED, **others: object
) -> Settings:
    wanted = AnticipationSettings(expect=sentences, **others)
    return Settings(simulated=simulated, anticipation=wanted)


def slow(first_token_ms: float) -> SimulatedSettings:
    first_token = LatencySettings(mean_ms=first_token_ms)
    return SIMULATED.model_copy(update={"llm_first_token": first_token})


class Asked:
    """What the language model is asked, and by whom it is waited for."""

    def __init__(self, talk: Conversation, monkeypatch: pytest.MonkeyPatch) -> None:
        self.requests: list[ChatRequest] = []
        self.broken_off = 0
        self._inner = talk.engines.model.stream
        monkeypatch.setattr(talk.session._context.answers, "_ask", self._stream)

    async def _stream(self, request: ChatRequest) -> AsyncIterator[Delta]:
        self.requests.append(request)
        try:
            async for delta in self._inner(request):
                yield delta
        except (asyncio.CancelledError, GeneratorExit):
            self.broken_off += 1
            raise

    @property
    def words(self) -> list[tuple[int, str]]:
        return [(request.priority, request.messages[-1].content) for request in self.requests]


def last(talk: Conversation) -> TurnRecord:
    return talk.log.recent()[-1]


async def test_an_expected_question_is_answered_at_the_endpoint(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = expecting("What time is it?", simulated=slow(2000))
    async with conversation(config=config, simulated=config.simulated) as talk:
        asked = Asked(talk, monkeypatch)
        await talk.quiet(4000)
        assert asked.words == [(2, "What time is it?")]
        await talk.speak(1000)
        await talk.quiet(3000)
    record = last(talk)
    assert record.route["cache"] == "foreseen"
    assert {priority for priority, _ in asked.words} == {2}, "nobody had to ask the model"
    assert record.critical is not None
    assert record.voice_to_voice_us is not None
    waited_us = record.voice_to_voice_us - record.critical["endpoint"]
    assert waited_us <= 20_000, "it was ready when the turn was over"
    assert talk.log.anticipation.as_dict()["hits"] == 1


async def test_other_words_are_answered_by_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    async with conversation(config=expecting("How much is that?")) as talk:
        asked = Asked(talk, monkeypatch)
        await talk.quiet(3000)
        await talk.speak(1000)
        await talk.quiet(2000)
        assert (0, "what time is it") in asked.words or (1, "what time is it") in asked.words
    assert "cache" not in last(talk).route
    counts = talk.log.anticipation
    assert (counts.made, counts.hits) == (2, 0), "before and after"
    assert counts.tokens > 0
    assert counts.as_dict()["wasted_tokens"] == counts.tokens


async def test_an_answer_holds_only_for_the_conversation_that_it_was_made_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with conversation(config=expecting("what time is it")) as talk:
        asked = Asked(talk, monkeypatch)
        await talk.quiet(2000)
        changed = replace(talk.session.settings, instructions="Say it in verse.")
        talk.session.handle(cmd.UpdateSession(changed))
        await talk.speak(1000)
        await talk.quiet(2000)
        told = [[m.content for m in request.messages] for request in asked.requests]
    assert "cache" not in last(talk).route
    assert told[0] == ["what time is it"]
    assert told[-1] != told[0]


async def test_who_speaks_is_not_held_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work for nobody ends with the first sound."""
    config = expecting("one", "two", "three", simulated=slow(5000))
    async with conversation(config=config, simulated=config.simulated) as talk:
        asked = Asked(talk, monkeypatch)
        await talk.quiet(1000)
        assert asked.words == [(2, "one")]
        await talk.speak(200)
        assert asked.broken_off == 1
        assert talk.log.anticipation.engine_s > 0.3, "it is counted all the same"


async def test_it_takes_its_share_of_the_engines_and_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = expecting("one", "two", "three", "four", simulated=slow(1500), engine_share=0.01)
    async with conversation(config=config, simulated=config.simulated) as talk:
        asked = Asked(talk, monkeypatch)
        await talk.quiet(20_000)
        assert [words for _, words in asked.words] == ["one", "two"], "2 s are free"


async def test_the_model_is_asked_what_may_come(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: Sequence[Answer | str] = ("1. What time is it?\n- Thank you.\n", "Half past seven.")
    async with conversation(config=expecting(ask_model=True), answers=answers) as talk:
        asked = Asked(talk, monkeypatch)
        await talk.quiet(3000)
        first, *others = asked.words
        assert "most likely to say next" in first[1]
        assert asked.requests[0].tool_choice == "none"
        assert [words for _, words in others] == ["What time is it?", "Thank you"]


async def test_off_unless_something_is_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    async with conversation() as talk:
        asked = Asked(talk, monkeypatch)
        await talk.quiet(3000)
        assert asked.words == []


async def test_an_agent_expects_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = SessionSettings(transcription=Transcription(), expect=("a flat white",))
    async with conversation(config=expecting("what time is it"), settings=settings) as talk:
        asked = Asked(talk, monkeypatch)
        await talk.quiet(3000)
        assert asked.words == [(2, "a flat white")]


async def test_a_tool_that_only_reads_is_asked_beforehand(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[float] = []
    clock = LoopClock()

    async def stock(arguments: object, facts: object) -> Output:
        ran.append(clock.now())
        await asyncio.sleep(2)
        return Output(json.dumps({"left": 3}))

    tool = ServerTool(
        declaration=Tool("stock", "How many are left.", {"type": "object", "properties": {}}),
        run=stock,
        options=ToolOptions(read_only=True),
    )
    tools = ToolBox(tuple, clock, own=(tool,))
    answers = (Answer(tool=("stock", "{}")), "Three are left.")
    async with conversation(
        config=expecting("what time is it"), answers=answers, tools=tools
    ) as talk:
        await talk.quiet(5000)
        assert len(ran) == 1
        await talk.speak(1000)
        await talk.quiet(3000)
        record = last(talk)
    assert record.route["cache"] == "foreseen"
    assert record.critical is not None
    assert record.critical["tool"] <= 20_000


async def test_what_was_cut_off_is_no_answer() -> None:
    """Half an answer is not played back as a whole one."""
    short = Settings(simulated=SIMULATED)
    async with conversation(config=short) as talk:
        answers = talk.session._context.answers
        question = ChatRequest((Message("user", "what time is it"),), max_tokens=2)
        await answers.foresee(question)
        assert not answers.knows(question)
        await answers.foresee(replace(question, max_tokens=200))
        assert answers.knows(replace(question, max_tokens=200))
