"""A listener whose connection is cut misses nothing, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from unittest.mock import patch

import pytest

from tests.session.harness import SIMULATED, Conversation, conversation
from voicepipe.audio.formats import PCM_16K
from voicepipe.config import Settings
from voicepipe.dialog.options import TurnOptions
from voicepipe.lab.timed_sink import TimedSink
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev

pytestmark = pytest.mark.virtual_time

LONG = "One two three four five six seven. " * 4


async def heard_ms(cut_s: float | None, unheard_ms: float = 0.0) -> float:
    """How much of the answer comes out of the phone; the line is cut for three seconds."""
    async with conversation(answers=(LONG,), lead_ms=100) as talk:
        talk.session.handle(cmd.CreateResponse())
        if cut_s is not None:
            await asyncio.sleep(cut_s)
            talk.session.listener_left(unheard_ms)
            at_ms = talk.phone.heard_ms
            await asyncio.sleep(3)
            assert talk.phone.heard_ms == at_ms
            assert not talk.of(ev.OutputAudioStopped)
            talk.session.listener_back()
        await asyncio.sleep(15)
        (stopped,) = talk.of(ev.OutputAudioStopped)
        (done,) = talk.of(ev.ResponseDone)
        assert done.response.status == "completed"
        assert stopped.response_id == done.response.id
        (item,) = talk.session.conversation.items
        assert item.text.strip() == LONG.strip()  # type: ignore[union-attr]
        return PCM_16K.ms(len(talk.phone.heard))


async def test_the_answer_waits_and_goes_on_where_it_was_heard_last() -> None:
    whole = await heard_ms(None)

    assert await heard_ms(1.5) == pytest.approx(whole, abs=1)
    assert await heard_ms(1.5, unheard_ms=700) == pytest.approx(whole + 700, abs=1)
    assert await heard_ms(0.05) == pytest.approx(whole, abs=1)  # before the first sound


async def test_an_interruption_that_is_judged_meanwhile_lets_nothing_out() -> None:
    """The dialog resumes what it held: still nobody listens."""
    async with conversation(answers=(LONG,), lead_ms=100) as talk:
        talk.session.handle(cmd.CreateResponse())
        await talk.quiet(1500)
        await talk.speak(100)
        talk.session.listener_left(0.0)
        at_ms = talk.phone.heard_ms
        await talk.quiet(2000)
        assert talk.phone.heard_ms == at_ms
        talk.session.listener_back()
        await talk.quiet(1000)
        assert talk.phone.heard_ms > at_ms


async def test_the_end_of_an_answer_that_was_over_before_anybody_noticed_is_said_again() -> None:
    async with conversation(answers=(LONG,), lead_ms=100) as talk:
        talk.session.handle(cmd.CreateResponse())
        while not talk.of(ev.OutputAudioStopped):
            await asyncio.sleep(0.01)
        whole = talk.phone.heard
        await asyncio.sleep(0.3)
        talk.session.listener_left(700.0)
        await asyncio.sleep(30)
        assert talk.phone.heard == whole
        talk.session.listener_back()
        await asyncio.sleep(3)
        again = talk.phone.heard[len(whole) :]
        assert PCM_16K.ms(len(again)) == pytest.approx(400, abs=15)
        assert again == whole[-len(again) :]
        assert len(talk.of(ev.OutputAudioStopped)) == 1


@asynccontextmanager
async def end_said_again(
    unheard_ms: float, *answers: str, interruptible: bool = True
) -> AsyncIterator[Conversation]:
    """`LONG` was over when the line was cut; its last `unheard_ms` are being said again."""
    config = Settings(simulated=SIMULATED, turns=TurnOptions(interruptible=interruptible))
    async with conversation(answers=(LONG, *answers), config=config, lead_ms=100) as talk:
        talk.session.handle(cmd.CreateResponse())
        while not talk.of(ev.OutputAudioStopped):
            await asyncio.sleep(0.01)
        talk.session.listener_left(unheard_ms)
        for _ in answers:
            talk.session.handle(cmd.CreateResponse())
        await asyncio.sleep(1)
        talk.session.listener_back()
        yield talk


@pytest.mark.parametrize("by", ["speech", "clear", "key"])
async def test_an_end_that_is_said_again_gives_way(by: str) -> None:
    async with end_said_again(3000) as talk:
        await talk.quiet(500)
        before_ms = talk.phone.heard_ms
        if by == "speech":
            await talk.speak(600)
        elif by == "clear":
            talk.session.handle(cmd.ClearOutput())
        else:
            talk.session.handle(cmd.Dtmf("1"))
        await asyncio.sleep(0.3)
        at_ms = talk.phone.heard_ms
        assert at_ms - before_ms <= 100
        (cut,) = talk.of(ev.ItemTruncated)
        (item, *_) = talk.said_by_agent()
        assert cut.item_id == item.id
        assert cut.audio_end_ms == pytest.approx(at_ms - 3000, abs=25)
        assert len(item.text) < len(LONG) - 20


async def test_who_may_not_be_interrupted_says_the_end_again_to_its_end() -> None:
    async with end_said_again(2000, interruptible=False) as talk:
        before_ms = talk.phone.heard_ms
        await talk.speak(2500)
        assert talk.phone.heard_ms - before_ms == pytest.approx(2000, abs=25)
        assert not talk.of(ev.ItemTruncated)


async def test_an_end_that_was_said_again_is_cut_no_more() -> None:
    async with end_said_again(500) as talk:
        await talk.quiet(1000)
        await talk.speak(600)
        assert not talk.of(ev.ItemTruncated)


async def test_an_end_that_is_said_again_is_held_for_what_is_no_interruption() -> None:
    async with end_said_again(3000, "And that is all.") as talk:
        first_ms = talk.phone.heard_ms
        await talk.quiet(500)
        await talk.speak(40)
        await talk.quiet(6000)
        assert len(talk.of(ev.OutputResumed)) == 1
        _, second = talk.said_by_agent()
        assert second.text.strip() == "And that is all."
        assert not talk.of(ev.ItemTruncated)
        assert len(talk.of(ev.OutputAudioStopped)) == 2
        spoken_ms = second.content[0].duration_ms  # type: ignore[union-attr]
        assert talk.phone.heard_ms - first_ms == pytest.approx(3000 + spoken_ms, abs=25)


async def test_an_end_that_is_said_again_waits_where_the_line_is_cut_once_more() -> None:
    async with end_said_again(3000, "And that is all.") as talk:
        first_ms = talk.phone.heard_ms
        await asyncio.sleep(1)
        talk.session.listener_left(400.0)
        await asyncio.sleep(8)
        talk.session.listener_back()
        await asyncio.sleep(8)
        _, second = talk.said_by_agent()
        spoken_ms = second.content[0].duration_ms  # type: ignore[union-attr]
        assert len(talk.of(ev.OutputAudioStopped)) == 2
        assert talk.phone.heard_ms - first_ms == pytest.approx(3400 + spoken_ms, abs=25)


async def test_an_answer_that_was_over_long_before_is_not() -> None:
    async with conversation(answers=(LONG,), lead_ms=100) as talk:
        talk.session.handle(cmd.CreateResponse())
        while not talk.of(ev.OutputAudioStopped):
            await asyncio.sleep(0.01)
        await asyncio.sleep(2)
        heard_ms = talk.phone.heard_ms
        talk.session.listener_left(700.0)
        talk.session.listener_back()
        await asyncio.sleep(3)
        assert talk.phone.heard_ms == heard_ms


async def test_an_answer_whose_end_was_never_played_is_cut_once() -> None:
    """Its phone stands still, and the rest is given up: none of it is said again."""
    async with conversation(answers=("One two three four.",), lead_ms=10_000) as talk:
        talk.session.handle(cmd.CreateResponse())
        await asyncio.sleep(0.5)
        with patch.object(TimedSink, "heard_ms", return_value=talk.phone.heard_ms):
            await asyncio.sleep(8)
            assert talk.of(ev.OutputAudioStopped)
            await talk.speak(1000)
            await talk.quiet(200)
            assert len(talk.of(ev.ItemTruncated)) == 1
