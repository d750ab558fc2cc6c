"""What a session does about lateness: route in the ledger, first clause, filler, greeting."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import numpy as np
import pytest

from tests.session.harness import SIMULATED, Conversation, conversation
from tests.virtual_time import LoopClock
from voicepipe.audio import pcm
from voicepipe.config import (
    BudgetSettings,
    FillerSettings,
    GreetingSettings,
    LatencySettings,
    Settings,
    SimulatedSettings,
)
from voicepipe.conversation.items import MessageItem
from voicepipe.dialog.options import TurnOptions
from voicepipe.llm.engines.simulated import Answer, SimulatedModel
from voicepipe.llm.routing.hedged import HedgedModel
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.settings import SessionSettings, Transcription

pytestmark = pytest.mark.virtual_time

SLOW = SIMULATED.model_copy(update={"llm_first_token": LatencySettings(mean_ms=2500)})
FILLER = FillerSettings(after_ms=500, phrases=("One moment please.",))


def config(simulated: SimulatedSettings = SIMULATED, **sections: object) -> Settings:
    return Settings(simulated=simulated, **sections)


@asynccontextmanager
async def filling(
    simulated: SimulatedSettings = SLOW,
    filler: FillerSettings = FILLER,
    answers: Sequence[Answer | str] = ("It is half past seven.",),
    lead_ms: float | None = None,
) -> AsyncIterator[Conversation]:
    async with conversation(
        simulated=simulated,
        config=config(simulated, filler=filler),
        answers=answers,
        lead_ms=lead_ms,
    ) as talk:
        yield talk


async def test_a_hedged_turn_says_so_in_the_ledger_and_costs_no_overhead() -> None:
    async with conversation() as talk:
        late = SimulatedModel(SLOW, ("The first.",))
        talk.engines.model = HedgedModel(late, talk.engines.model, 200, LoopClock())
        await talk.speak(800)
        await talk.quiet(5000)
        (record,) = talk.log.recent()
        assert record.route == {"llm": "fallback_late"}
        assert record.as_dict()["route"] == {"llm": "fallback_late"}
        assert record.overhead_us is not None
        assert abs(record.overhead_us) <= 21_000  # one frame: the hedge's wait is accounted for
        assert late.active_requests == 0


async def test_without_wrappers_there_is_no_route() -> None:
    async with conversation() as talk:
        await talk.speak(800)
        await talk.quiet(4000)
        assert talk.log.recent()[0].route == {}


# -- the first clause ----------------------------------------------------------------------------

RAMBLING = "Well my answer to that question would be about seven or maybe eight o'clock I think."


async def first_clause(act: bool, first_token_ms: float) -> str:
    simulated = SIMULATED.model_copy(
        update={"llm_first_token": LatencySettings(mean_ms=first_token_ms)}
    )
    settings = config(simulated, budget=BudgetSettings(act=act))
    async with conversation(simulated=simulated, config=settings, answers=(RAMBLING,)) as talk:
        await talk.speak(800)
        await talk.quiet(9000)
        return talk.of(ev.TextDelta)[0].delta


async def test_a_late_turn_cuts_its_first_clause_short() -> None:
    usual = await first_clause(act=True, first_token_ms=100)
    late = await first_clause(act=True, first_token_ms=1200)
    assert len(late.split()) < len(usual.split())
    assert await first_clause(act=False, first_token_ms=1200) == usual


async def test_a_reply_prepared_in_mid_speech_may_take_a_longer_one() -> None:
    """Stable text: the reply is begun while the user speaks, so nobody waits for its words."""
    simulated = SIMULATED.model_copy(update={"llm_first_token": LatencySettings(mean_ms=20)})
    lengths = []
    for act in (False, True):
        settings = config(
            simulated,
            budget=BudgetSettings(act=act),
            turns=TurnOptions(preemptive_generation="stable_text"),
        )
        async with conversation(
            heard=("what is the time now?",),
            simulated=simulated,
            config=settings,
            answers=(RAMBLING,),
        ) as talk:
            await talk.speak(2500)
            await talk.quiet(6000)
            lengths.append(len(talk.of(ev.TextDelta)[0].delta.split()))
            record = talk.log.recent()[-1]
            assert record.voice_to_voice_us is not None
            assert record.voice_to_voice_us <= 321_000  # the endpoint alone: it cost nothing
    assert lengths[1] > lengths[0]


# -- filler --------------------------------------------------------------------------------------


async def test_a_late_answer_is_bridged_and_the_filler_is_no_answer() -> None:
    async with filling() as talk:
        await talk.speak(800)
        await talk.quiet(6000)
        (record,) = talk.log.recent()
        assert record.marks["filler_out"] == pytest.approx(
            record.marks["endpoint"] + 620_000,
            abs=2000,  # after_ms, then 120 ms of synthesis, since there is no phrase cache
        )
        assert record.marks["audio_out"] > record.marks["filler_out"] + 1_000_000
        assert record.voice_to_voice_us == record.marks["audio_out"]
        assert record.note is None
        answers = [e for e in talk.of(ev.AudioDelta) if e.answer]
        assert record.audio_ms == pytest.approx(sum(len(e.audio) for e in answers) / 32, abs=1)
        texts = [i.text for i in talk.session.conversation.items if isinstance(i, MessageItem)]
        assert texts == ["what time is it", "It is half past seven."]
        assert "".join(e.delta for e in talk.of(ev.TextDelta)) == "It is half past seven."
        assert len(talk.of(ev.ResponseCreated)) == 1


async def test_an_answer_in_time_needs_no_filler() -> None:
    async with filling(SIMULATED) as talk:
        await talk.speak(800)
        await talk.quiet(4000)
        assert all(e.answer for e in talk.of(ev.AudioDelta))
        assert "filler_out" not in talk.log.recent()[0].marks


async def test_the_filler_stops_softly_where_the_answer_begins() -> None:
    long = FILLER.model_copy(update={"phrases": ("Let me have a very good look at that. " * 4,)})
    async with filling(filler=long) as talk:
        await talk.speak(800)
        await talk.quiet(9000)
        fillers = [e for e in talk.of(ev.AudioDelta) if not e.answer]
        sound = pcm.from_bytes(b"".join(e.audio for e in fillers))
        record = talk.log.recent()[0]
        bridged_ms = (record.marks["tts_first_audio"] - record.marks["filler_out"]) / 1000
        assert sound.size / 16 <= bridged_ms + 110  # its lead and its fade, and no more
        assert sound.size / 16 >= bridged_ms - 50
        assert np.abs(sound[-32:]).max() < 1500  # faded, not cut
        times = [t for e, t in zip(talk.events, talk.times, strict=True) if e in fillers]
        assert max(np.diff(times)) <= 0.041  # paced, not handed over at once


async def test_fillers_take_turns() -> None:
    two = FillerSettings(after_ms=300, phrases=("Hm.", "Let me see, one moment please."))
    async with filling(filler=two) as talk:
        lengths = []
        for _ in range(2):
            before = len(talk.of(ev.AudioDelta))
            await talk.speak(800)
            await talk.quiet(6000)
            new = talk.of(ev.AudioDelta)[before:]
            lengths.append(sum(len(e.audio) for e in new if not e.answer))
        assert 0 < lengths[0] < lengths[1] / 3


async def test_barge_in_on_a_filler_leaves_no_words_in_the_history() -> None:
    async with filling(lead_ms=60) as talk:
        await talk.speak(800)
        await talk.quiet(1300)
        assert talk.phone.heard
        await talk.speak(800)
        await talk.quiet(200)
        request = talk.engines.model.requests[-1]  # type: ignore[attr-defined]
        assert all(m.role != "assistant" for m in request.messages)
        assert talk.log.recent()[0].heard_ms == 0.0


async def test_a_filler_that_cannot_be_said_is_silence() -> None:
    async with filling() as talk:
        talk.engines.synthesizer.script.extend(["fail"])  # type: ignore[attr-defined]
        await talk.speak(800)
        await talk.quiet(6000)
        assert all(e.answer for e in talk.of(ev.AudioDelta))
        assert talk.log.recent()[0].end == "completed"


async def test_a_slow_fillers_synthesis_never_holds_up_the_answer() -> None:
    slow_voice = SLOW.model_copy(update={"tts": LatencySettings(mean_ms=1900)})
    async with filling(slow_voice) as talk:
        await talk.speak(800)
        await talk.quiet(9000)
        record = talk.log.recent()[0]
        assert record.overhead_us is not None
        assert record.overhead_us <= 100_000


async def test_text_replies_have_no_filler() -> None:
    settings = SessionSettings(transcription=Transcription(), modality="text")
    async with conversation(
        settings=settings, simulated=SLOW, config=config(SLOW, filler=FILLER)
    ) as talk:
        await talk.speak(800)
        await talk.quiet(6000)
        assert not talk.of(ev.AudioDelta)
        assert talk.of(ev.ResponseDone)


# -- greeting ------------------------------------------------------------------------------------

HELLO = GreetingSettings(text="Good morning, this is the desk. How can I help?")


async def test_a_greeting_is_said_once_and_is_part_of_the_conversation() -> None:
    async with conversation(config=config(greeting=HELLO)) as talk:
        talk.session.greet()
        talk.session.greet()
        await talk.quiet(5000)
        (done,) = talk.of(ev.ResponseDone)
        assert done.response.status == "completed"
        assert not any(e.answer for e in talk.of(ev.AudioDelta))
        assert talk.log.recent() == []  # nobody waited for it: no turn, no figure
        await talk.speak(800)
        await talk.quiet(4000)
        request = talk.engines.model.requests[-1]  # type: ignore[attr-defined]
        said = [m.content for m in request.messages if m.role == "assistant"]
        assert said == [HELLO.text]
        assert len(talk.log.recent()) == 1


async def test_a_greeting_can_be_interrupted_and_is_cut_to_what_was_heard() -> None:
    async with conversation(config=config(greeting=HELLO), lead_ms=60) as talk:
        talk.session.greet()
        await talk.quiet(1500)
        await talk.speak(1000)
        await talk.quiet(6000)
        greeting = next(i for i in talk.session.conversation.items if isinstance(i, MessageItem))
        assert greeting.status == "incomplete"
        assert HELLO.text.startswith(greeting.text)
        assert greeting.text != HELLO.text
        assert [r.end for r in talk.log.recent()] == ["completed"]


async def test_nobody_is_greeted_without_a_text_or_into_their_words() -> None:
    async with conversation() as talk:
        talk.session.greet()
        await talk.quiet(1000)
        assert talk.names() == []
    async with conversation(config=config(greeting=HELLO)) as talk:
        await talk.speak(500)
        talk.session.greet()
        await talk.quiet(5000)
        assert len(talk.of(ev.ResponseDone)) == 1
        assert talk.log.recent()[0].end == "completed"
        talk.session.handle(cmd.ClearAudio())
        talk.session.greet()  # too late for a greeting
        await talk.quiet(500)
        assert len(talk.of(ev.ResponseCreated)) == 1
