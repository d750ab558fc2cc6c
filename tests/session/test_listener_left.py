"""A listener whose connection is cut misses nothing, in virtual time."""

from __future__ import annotations

import asyncio

import pytest

from tests.session.harness import conversation
from voicepipe.audio.formats import PCM_16K
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
