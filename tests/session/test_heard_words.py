"""History as heard: whenever the user breaks in, the agent's message holds the words whose sound
had been played, and none that were still to come.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator

import numpy as np
import pytest

from tests.session.harness import SIMULATED, Conversation, conversation
from tests.virtual_time import run_virtual
from voicepipe.config import FillerSettings, LatencySettings, Settings
from voicepipe.conversation.heard import heard_text, spoken_evenly
from voicepipe.conversation.items import AudioPart, FunctionCallItem, MessageItem
from voicepipe.llm.contract import ChatRequest, Delta, Finish, TextDelta, Tool, ToolCall
from voicepipe.llm.contract import ToolCallDelta as Call
from voicepipe.llm.engines.simulated import Answer
from voicepipe.session import events as ev
from voicepipe.session.settings import SessionSettings, Transcription
from voicepipe.tts.contract import Speech, Voice
from voicepipe.tts.engines.simulated import CHARS_PER_S, SimulatedSynthesizer

pytestmark = pytest.mark.virtual_time

LONG = (
    "Tomorrow morning it will be sunny and warm all over the northern part of the country with a "
    "little wind from the west."
)
WITH_A_TOOL = SessionSettings(
    tools=(Tool("note", "", {"type": "object"}),), transcription=Transcription()
)


async def break_in_after(talk: Conversation, ms: float) -> float:
    """Ask, let so much of the answer be played, speak over it; gives what was heard, in ms."""
    await talk.speak(600)
    while talk.phone.heard_ms < ms:
        await talk.quiet(20)
    await talk.speak(600)
    return talk.phone.heard_ms


def words_in(text: str) -> int:
    return len(text.split())


def words_said_in(ms: float) -> int:
    """Of `LONG`, at the simulated voice's pace."""
    return words_in(heard_text(LONG, spoken_evenly(LONG, len(LONG) / CHARS_PER_S * 1000), ms))


@pytest.mark.parametrize("after_ms", [300, 1100, 2050, 3000, 4500])
@pytest.mark.parametrize("lead_ms", [20.0, 60.0, 200.0])
async def test_clause_under_way_is_cut_at_the_word(lead_ms: float, after_ms: float) -> None:
    async with conversation(answers=(LONG,), lead_ms=lead_ms) as talk:
        heard_ms = await break_in_after(talk, after_ms)
        (item,) = talk.said_by_agent()
        assert abs(words_in(item.text) - words_said_in(heard_ms)) <= 1
        assert item.status == "incomplete"


async def one_piece(clause: str, voice: Voice) -> AsyncGenerator[Speech]:
    """A voice that gives a whole clause at once and tells no word times."""
    yield Speech(np.full(round(len(clause) / CHARS_PER_S * 24_000), 9, dtype=np.int16))


async def as_it_speaks(clause: str, voice: Voice) -> AsyncGenerator[Speech]:
    """A voice that is no faster than its listener, and tells no word times."""
    for _ in range(round(len(clause) / CHARS_PER_S * 10)):
        yield Speech(np.full(2400, 9, dtype=np.int16))
        await asyncio.sleep(0.1)


@pytest.mark.parametrize("after_ms", [1100, 3000, 4500])
@pytest.mark.parametrize("voice", [one_piece, as_it_speaks])
async def test_voice_without_word_times_is_cut_by_its_pace(voice: object, after_ms: float) -> None:
    async with conversation(answers=(LONG,), lead_ms=60) as talk:
        talk.engines.synthesizer.stream = voice  # type: ignore[assignment]
        heard_ms = await break_in_after(talk, after_ms)
        (item,) = talk.said_by_agent()
        assert abs(words_in(item.text) - words_said_in(heard_ms)) <= 2


@pytest.mark.parametrize("lead_ms", [None, 60.0])
async def test_text_whose_sound_never_came_is_not_in_the_history(lead_ms: float | None) -> None:
    slow = SIMULATED.model_copy(update={"tts": LatencySettings(mean_ms=1500)})
    async with conversation(answers=(LONG,), simulated=slow, lead_ms=lead_ms) as talk:
        await talk.speak(600)
        await talk.quiet(500)
        assert talk.of(ev.TextDelta), "the wire has the text of the first clause"
        await talk.speak(300)
        (item,) = talk.said_by_agent()
        assert item.text == ""


@pytest.mark.parametrize("lead_ms", [None, 60.0])
async def test_user_who_speaks_up_in_a_gap_has_not_heard_what_follows(
    lead_ms: float | None,
) -> None:
    async with conversation(
        answers=("One two three four. Five six seven eight nine ten.",), lead_ms=lead_ms
    ) as talk:
        synthesizer = talk.engines.synthesizer
        assert isinstance(synthesizer, SimulatedSynthesizer)
        synthesizer.script.extend(("speak", "hang"))
        await talk.speak(600)
        await talk.quiet(3000)  # the first clause takes 1.3 s; then nothing comes
        assert len(talk.of(ev.TextDelta)) == 2
        await talk.speak(600)
        (item,) = talk.said_by_agent()
        assert item.text == "One two three four."
        assert item.status == "incomplete"


async def test_what_was_heard_to_its_end_is_whole_though_a_clause_had_no_sound() -> None:
    async with conversation(answers=("One two three four. \U0001f642",)) as talk:
        await talk.speak(600)
        await talk.quiet(4000)
        (item,) = talk.said_by_agent()
        assert item.text == "One two three four. \U0001f642"
        assert item.status == "completed"


async def filler_call_words(request: ChatRequest) -> AsyncIterator[Delta]:
    await asyncio.sleep(2)
    yield Call(ToolCall("call_1", "note", "{}"))
    yield TextDelta("One two three four five six seven eight nine ten eleven twelve.")
    yield Finish("stop")


async def test_message_behind_a_filler_and_a_call_is_counted_from_its_own_first_sample() -> None:
    config = Settings(
        simulated=SIMULATED,
        filler=FillerSettings(after_ms=200, phrases=("Let me have a look at that.",)),
    )
    async with conversation(lead_ms=60, settings=WITH_A_TOOL, config=config) as talk:
        talk.engines.model.stream = filler_call_words  # type: ignore[method-assign]
        await talk.speak(600)
        await talk.quiet(4700)
        await talk.speak(600)
        filler, message = talk.said_by_agent()
        (cut,) = talk.of(ev.ItemTruncated)
        assert cut.item_id == message.id
        part = filler.content[0]
        assert isinstance(part, AudioPart)
        assert part.duration_ms > 1500
        assert talk.phone.heard_ms == pytest.approx(part.duration_ms + cut.audio_end_ms, abs=2)
        said = heard_text(
            "One two three four five six seven eight nine ten eleven twelve.",
            spoken_evenly("x" * 63, 63 / CHARS_PER_S * 1000),
            cut.audio_end_ms,
        )
        assert abs(words_in(message.text) - words_in(said)) <= 1


async def words_then_call(request: ChatRequest) -> AsyncIterator[Delta]:
    yield TextDelta("One two three four five six.")
    yield Call(ToolCall("call_1", "note", "{}"))
    yield Finish("tool_calls")


@pytest.mark.parametrize("lead_ms", [None, 60.0])
async def test_call_behind_words_is_the_last_item(lead_ms: float | None) -> None:
    """The resampler's last samples belong to the words before the call."""
    async with conversation(lead_ms=lead_ms, settings=WITH_A_TOOL) as talk:
        talk.engines.model.stream = words_then_call  # type: ignore[method-assign]
        await talk.speak(600)
        await talk.quiet(4000)
        _, message, call = talk.session.conversation.items
        assert isinstance(message, MessageItem)
        assert message.text == "One two three four five six."
        assert isinstance(call, FunctionCallItem)
        (done,) = talk.of(ev.ResponseDone)
        assert len(done.response.output) == 2


async def test_answer_after_a_tools_result_is_parted_from_the_words_before_it() -> None:
    answers = (Answer("Let me check.", ("get_time", "{}")), "It is noon.")
    async with conversation(answers=answers) as talk:
        await talk.speak(600)
        await talk.quiet(6000)
        before, after = talk.said_by_agent()
        assert (before.text, after.text) == ("Let me check.", "It is noon.")
        kinds = [type(item).__name__ for item in talk.session.conversation.items[1:]]
        assert kinds == ["MessageItem", "FunctionCallItem", "FunctionOutputItem", "MessageItem"]


async def tell(story: str, config: Settings) -> None:
    async with conversation(answers=(story,), lead_ms=60, config=config) as talk:
        await talk.speak(600)
        await talk.quiet(240_000)
        (done,) = talk.of(ev.ResponseDone)
        assert done.response.status == "completed"
        assert [item.text for item in talk.said_by_agent()] == [story]


def test_long_story_is_told_to_its_end_however_long_it_takes_to_say() -> None:
    """`llm.total_timeout_ms` is the model's, and the model is done long before the voice."""
    config = Settings.model_validate({"llm": {"max_tokens": 2000}})
    story = " ".join(f"And then came number {n} of them." for n in range(100))
    assert len(story) / CHARS_PER_S * 1000 > 2 * config.llm.total_timeout_ms
    run_virtual(tell(story, config))


async def test_end_that_a_dead_line_did_not_play_is_not_in_the_history() -> None:
    async with conversation(answers=(LONG,), lead_ms=3000) as talk:
        await talk.speak(600)
        while talk.phone.heard_ms < 5000:
            await talk.quiet(20)
        assert talk.of(ev.ResponseDone), "all of it is in the sink's hands"
        stuck_ms = talk.phone.sink.heard_ms()
        talk.phone.sink.heard_ms = lambda: stuck_ms  # type: ignore[method-assign]
        await talk.quiet(12_000)
        (item,) = talk.said_by_agent()
        assert abs(words_in(item.text) - words_said_in(stuck_ms)) <= 1
