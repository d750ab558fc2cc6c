"""What the user is likely to say next is answered before they say it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import pytest

from tests.session.harness import SIMULATED, Conversation, conversation
from tests.virtual_time import LoopClock
from voicepipe.config import (
    AnticipationSettings,
    LatencySettings,
    LlmSettings,
    Settings,
    SimulatedSettings,
)
from voicepipe.ledger.records import TurnRecord
from voicepipe.llm.contract import (
    ChatRequest,
    Delta,
    Finish,
    Message,
    TextDelta,
    Tool,
    ToolCall,
    ToolCallDelta,
)
from voicepipe.llm.engines.simulated import Answer
from voicepipe.session import commands as cmd
from voicepipe.session.settings import SessionSettings, Transcription
from voicepipe.tools.contract import Output, ServerTool, ToolError, ToolOptions
from voicepipe.tools.toolbox import FRESH_S, ToolBox

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
        monkeypatch.setattr(talk.engines.model, "stream", self._stream)

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


def reading_tool(clock: LoopClock, *, fails: bool = False) -> tuple[ToolBox, list[float]]:
    """A box with `stock`, which takes 2 s and changes nothing, and when that ran."""
    ran: list[float] = []

    async def stock(arguments: object, facts: object) -> Output:
        ran.append(clock.now())
        await asyncio.sleep(2)
        if fails:
            raise ToolError("the stock cannot be counted now")
        return Output(json.dumps({"left": 3}))

    tool = ServerTool(
        declaration=Tool("stock", "How many are left.", {"type": "object", "properties": {}}),
        run=stock,
        options=ToolOptions(read_only=True),
    )
    return ToolBox(tuple, clock, own=(tool,)), ran


STOCK_CALL = ToolCall("call_1", "stock", "{}")


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


async def test_an_answer_that_is_dropped_behind_the_gate_is_no_hit() -> None:
    """It was prepared in a pause, and the user went on."""
    async with conversation(config=expecting("What time is it?")) as talk:
        await talk.quiet(3000)
        await talk.speak(1000)
        await talk.quiet(260)
        await talk.speak(400)
        assert talk.session.preemption.discards == {"user_went_on": 1}
        assert (talk.log.anticipation.hits, talk.log.anticipation.used_tokens) == (0, 0)
        await talk.quiet(4000)
        assert last(talk).route["cache"] == "foreseen"
        assert talk.log.anticipation.hits == 1
        assert talk.log.anticipation.used_tokens == talk.log.anticipation.tokens // 2, "one of two"


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


async def test_figures_in_a_sentence_are_no_list_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = "1. A table for 4\n2) 2.5 litres please.\n* **Gate 12**\n4 - Tea - hot\n5) \n"
    config = expecting(ask_model=True)
    async with conversation(config=config, answers=(listed, "Yes.")) as talk:
        asked = Asked(talk, monkeypatch)
        await talk.quiet(5000)
        _, *sentences = [words for _, words in asked.words]
        assert sentences == ["A table for 4", "2.5 litres please", "Gate 12", "Tea - hot"]


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
    tools, ran = reading_tool(LoopClock())
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


async def test_a_result_that_a_dropped_reply_was_given_is_there_for_the_next_one() -> None:
    """Who asks in two breaths has the first reply thrown away; the service is not asked again."""
    tools, ran = reading_tool(LoopClock())
    call = ToolCall("call_1", "stock", "{}")
    await tools.foresee(call)
    results = [await tools.call(call) for _ in range(2)]
    assert len(ran) == 1
    assert results[0] == results[1]
    await asyncio.sleep(FRESH_S + 1)
    await tools.call(call)
    assert len(ran) == 2, "it is old by now"


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


async def test_what_no_caller_would_have_been_told_is_not_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of a cascade whose small model was not sure."""
    async with conversation() as talk:
        end = Finish("stop", route={"cascade": "small_unsure"})
        monkeypatch.setattr(talk.engines.model, "stream", GivesWay(TextDelta("Hm."), end).stream)
        question = ChatRequest((Message("user", "why"),))
        answers = talk.session._context.answers
        assert await answers.foresee(question) == ()
        assert not answers.knows(question)


class GivesWay:
    """Leaves what nobody waits for unfinished, as llama.cpp does for a caller."""

    def __init__(self, *deltas: Delta) -> None:
        self.deltas, self.asked = deltas, 0

    async def stream(self, request: ChatRequest) -> AsyncIterator[Delta]:
        self.asked += request.idle
        for delta in self.deltas:
            yield delta


@pytest.mark.parametrize("asks_model", [False, True])
@pytest.mark.parametrize("begun", [(), (TextDelta("It is"), ToolCallDelta(STOCK_CALL))])
async def test_an_answer_that_made_way_is_none(
    begun: tuple[Delta, ...],
    asks_model: bool,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    sentences = () if asks_model else ("one", "two")
    tools, ran = reading_tool(LoopClock())
    async with conversation(config=expecting(*sentences, ask_model=asks_model), tools=tools) as t:
        model = GivesWay(*begun)
        monkeypatch.setattr(t.engines.model, "stream", model.stream)
        await t.quiet(3000)
        assert model.asked == 1, "the round is over"
        assert not t.session._context.answers._answers
        assert (t.log.anticipation.made, ran) == (0, [])
    assert not caplog.records


async def test_the_model_is_asked_for_sentences_once_for_each_state(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers = ("What time is it?", "Half past seven.")
    async with conversation(config=expecting(ask_model=True), answers=answers) as talk:
        asked = Asked(talk, monkeypatch)
        await talk.quiet(3000)
        talk.session._turns.changed()  # the prompt is looked at again, and is the same
        await talk.quiet(3000)
        assert [("most likely" in words) for _, words in asked.words] == [True, False]
        assert len(talk.session._context.answers._answers) == 1, "the list is no answer"


async def test_the_model_is_not_asked_for_sentences_when_the_share_is_used_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = expecting(ask_model=True, engine_share=0.01)
    async with conversation(config=config) as talk:
        asked = Asked(talk, monkeypatch)
        talk.session._context.anticipation.worked(10.0)
        await talk.quiet(3000)
        assert asked.words == []


async def test_a_tool_that_failed_ends_the_sentence_and_is_tried_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tools, ran = reading_tool(LoopClock(), fails=True)
    answers = (Answer(tool=("stock", "{}")), "I could not look.")
    async with conversation(
        config=expecting("what time is it"), answers=answers, tools=tools
    ) as talk:
        asked = Asked(talk, monkeypatch)
        await talk.quiet(5000)
        assert (len(ran), len(asked.words)) == (1, 1)
        assert talk.log.anticipation.made == 0
        assert talk.log.anticipation.engine_s < 1, "the tool's 2 s are not the engines'"
        await talk.speak(1000)
        await talk.quiet(4000)
        assert len(ran) >= 2, "it is asked again when it is wanted"


async def test_engines_are_waited_for_as_long_as_a_reply_waits() -> None:
    """A model that hangs does not hold the idle time for ever."""
    config = expecting("one").model_copy(update={"llm": LlmSettings(total_timeout_ms=1000)})
    answers = (Answer("Yes", hang_after_tokens=0),)
    async with conversation(config=config, answers=answers) as talk:
        await talk.quiet(5000)
        assert talk.log.anticipation.engine_s == pytest.approx(1.0, abs=0.05)


async def test_nothing_outlives_the_session() -> None:
    tools, ran = reading_tool(LoopClock())
    answers = (Answer(tool=("stock", "{}")), "Three are left.")
    async with conversation(config=expecting("one"), answers=answers, tools=tools) as talk:
        await talk.quiet(5000)
        kept = talk.session._context.answers._answers
        assert kept
        assert tools._foreseen
        assert ran
    assert not kept
    assert not tools._foreseen


@pytest.mark.parametrize(
    ("expected", "said", "same"),
    [
        ("What time is it?", "what time is it", True),
        ("Yes, please – now!", "yes please now", True),
        ("no, 5", "No, 5 ", True),
        ("a table for 4", "A table for 4.", True),
        ("is it 5%", "Is it 5%?", True),
        ("is it 5%", "Is it 5?", False),
        ("no, 5", "no -5", False),
        ("C++", "C", False),
        ("C#", "c", False),
    ],
)
async def test_what_is_more_than_words_must_be_said_as_it_is_expected(
    expected: str, said: str, same: bool
) -> None:
    async with conversation() as talk:
        answers = talk.session._context.answers
        await answers.foresee(ChatRequest((Message("user", expected),)))
        assert answers.knows(ChatRequest((Message("user", said),))) is same
