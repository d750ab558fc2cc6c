"""The agent is heard to listen: an "uh-huh" in the user's pause, which is no answer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import numpy as np
import pytest

from tests.session.harness import SIMULATED, Conversation, conversation
from voicepipe.audio import pcm
from voicepipe.config import FillerSettings, LatencySettings, Settings
from voicepipe.conversation.items import MessageItem
from voicepipe.dialog.options import TurnOptions
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.backchannels import METADATA
from voicepipe.session.settings import SessionSettings, Transcription

pytestmark = pytest.mark.virtual_time

AFTER_MS = 500
TURNS = TurnOptions(listening_after_ms=AFTER_MS)
HEARD = ("I would like to order a",)
LONG = FillerSettings(listening=("Yes yes yes I am listening.",))
SHORT = FillerSettings(listening=("Yes.",))


@asynccontextmanager
async def pausing(
    lead_ms: float | None = None,
    filler: FillerSettings | None = None,
    settings: SessionSettings | None = None,
) -> AsyncIterator[Conversation]:
    """What is heard up to the first pause is unfinished."""
    config = Settings(simulated=SIMULATED, turns=TURNS, filler=filler or FillerSettings())
    async with conversation(heard=HEARD, config=config, lead_ms=lead_ms, settings=settings) as talk:
        yield talk


def asides(talk: Conversation) -> list[ev.Response]:
    return [e.response for e in talk.of(ev.ResponseDone) if e.response.metadata == METADATA]


def sound(talk: Conversation) -> np.ndarray[tuple[int], np.dtype[np.int16]]:
    """What a client without a sink was given of it."""
    (aside,) = asides(talk)
    deltas = [e for e in talk.of(ev.AudioDelta) if e.ref.response_id == aside.id]
    assert not any(e.answer for e in deltas)
    return pcm.from_bytes(b"".join(e.audio for e in deltas))


async def test_it_is_heard_in_the_pause_and_the_answer_comes_as_ever() -> None:
    async with pausing() as talk:
        await talk.speak(800)
        await talk.quiet(980)
        (aside,) = asides(talk)
        assert aside.conversation_id is None
        assert "".join(e.delta for e in talk.of(ev.TextDelta)) == "Uh-huh."
        assert talk.log.recent() == []  # nothing was answered
        await talk.speak(800)
        await talk.quiet(4000)
        (record,) = talk.log.recent()
        assert record.end == "completed"
        assert record.note is None
        texts = [i.text for i in talk.session.conversation.items if isinstance(i, MessageItem)]
        assert texts == [HEARD[0], "It is half past seven. Can I do more for you?"]
        # It was over before the user went on, and the turn was not cut in two.
        assert len(talk.of(ev.SpeechStarted)) == len(talk.of(ev.SpeechStopped)) == 1
        pause_began_us = -(800 + 980) * 1000  # before the last word's end
        assert record.marks["backchannel_out"] == pytest.approx(
            pause_began_us + (AFTER_MS + 60) * 1000, abs=25_000
        ), "its synthesis, 60 ms, and a frame"


async def test_without_the_setting_nothing_is_heard() -> None:
    config = Settings(simulated=SIMULATED)
    async with conversation(heard=HEARD, config=config) as talk:
        await talk.speak(800)
        await talk.quiet(980)
        assert talk.of(ev.AudioDelta) == []


@pytest.mark.parametrize("lead_ms", [None, 60])
async def test_it_gives_way_to_the_user(lead_ms: float | None) -> None:
    async with pausing(lead_ms, LONG) as talk:
        await talk.speak(800)
        await talk.quiet(AFTER_MS + 200)
        await talk.speak(800)
        (aside,) = asides(talk)
        assert (aside.status, aside.reason) == ("cancelled", "turn_detected")
        assert 50 < aside.output_audio_ms < 400, "what was out, its lead and its fade"
        await talk.quiet(4000)
        (record,) = talk.log.recent()
        assert record.end == "completed"


async def test_the_answer_does_not_wait_for_it() -> None:
    """The user is silent after all: the endpoint comes while it is still being said."""
    times = []
    for filler in (LONG, FillerSettings(listening=())):
        async with pausing(60, filler) as talk:
            await talk.speak(800)
            await talk.quiet(6000)
            (record,) = talk.log.recent()
            assert record.marks["endpoint"] == pytest.approx(1_000_000, abs=25_000)
            assert record.voice_to_voice_us is not None
            times.append(record.voice_to_voice_us)
            assert record.heard_ms == pytest.approx(record.audio_ms, abs=1)
    assert times[0] - times[1] <= 140_000, "two slices and a fade are the most"


@pytest.mark.parametrize("lead_ms", [None, 20, 60])
async def test_no_piece_of_it_comes_between_those_of_the_answer(lead_ms: float | None) -> None:
    async with pausing(lead_ms, LONG) as talk:
        await talk.speak(800)
        await talk.quiet(6000)
        (aside,) = asides(talk)
        if lead_ms is None:
            order = [e.ref.response_id for e in talk.of(ev.AudioDelta)]
            mine = order.count(aside.id)
            assert 0 < mine < len(order)
            assert order[:mine] == [aside.id] * mine
        else:
            assert talk.time_of(ev.ResponseDone) <= talk.time_of(ev.OutputAudioStarted)


@pytest.mark.parametrize("step", ["cancel", "clear", "respond"])
async def test_a_client_can_silence_it(step: str) -> None:
    async with pausing(60 if step == "clear" else None, LONG) as talk:
        await talk.speak(800)
        await talk.quiet(AFTER_MS + 340)
        (aside,) = (e.response for e in talk.of(ev.ResponseCreated))
        talk.session.handle(
            {
                "cancel": cmd.CancelResponse(aside.id),
                "clear": cmd.ClearOutput(),
                "respond": cmd.CreateResponse(),
            }[step]
        )
        await talk.quiet(60)
        (aside,) = asides(talk)
        assert aside.output_audio_ms < 400
        assert aside.status == "cancelled"
        by_client = step in ("cancel", "clear")
        assert aside.reason == ("client_cancelled" if by_client else "turn_detected")
        assert talk.of(ev.SessionError) == []


async def test_on_a_line_that_the_server_paces_it_is_played_there() -> None:
    async with pausing(60, SHORT) as talk:
        await talk.speak(800)
        await talk.quiet(980)
        (aside,) = asides(talk)
        assert talk.of(ev.AudioDelta) == []
        heard_ms = len(talk.phone.heard) / 32
        assert heard_ms == pytest.approx(aside.output_audio_ms, abs=21)
        assert heard_ms > 100


@pytest.mark.parametrize("lead_ms", [20, 60, 200])
async def test_an_answer_that_is_held_right_behind_it_is_heard_whole(lead_ms: float) -> None:
    """What the sink dropped of it must not count as the answer's."""
    async with pausing(lead_ms, LONG) as talk:
        await talk.speak(800)
        await talk.quiet(1060)
        await talk.speak(40)
        assert talk.of(ev.OutputPaused), "the agent is held while that is judged"
        await talk.quiet(4500)
        (record,) = talk.log.recent()
        assert record.end == "completed"
        assert record.heard_ms == pytest.approx(record.audio_ms, abs=1)
        assert talk.session.at_rest


async def test_a_sound_that_comes_late_is_not_made() -> None:
    slow = SIMULATED.model_copy(update={"tts": LatencySettings(mean_ms=300)})
    config = Settings(simulated=slow, turns=TURNS)
    async with conversation(heard=HEARD, config=config, simulated=slow) as talk:
        await talk.speak(800)
        await talk.quiet(980)
        assert talk.of(ev.ResponseCreated) == []


async def test_it_fades_where_it_gives_way() -> None:
    async with pausing(filler=LONG) as talk:
        await talk.speak(800)
        await talk.quiet(AFTER_MS + 200)
        await talk.speak(400)
        assert np.abs(sound(talk)[-32:]).max() < 1500


async def test_who_reads_hears_nothing() -> None:
    settings = SessionSettings(transcription=Transcription(), modality="text")
    async with pausing(settings=settings) as talk:
        await talk.speak(800)
        await talk.quiet(980)
        assert asides(talk) == []


async def test_a_voice_that_fails_is_silence() -> None:
    async with pausing() as talk:
        talk.engines.synthesizer.script.extend(["speak", "fail"])  # type: ignore[attr-defined]
        await talk.speak(800)
        await talk.quiet(980)
        assert asides(talk) == []
        await talk.speak(800)
        await talk.quiet(4000)
        assert talk.log.recent()[0].end == "completed"


async def test_a_session_may_ask_for_it_while_it_runs() -> None:
    async with conversation(heard=HEARD) as talk:
        before = talk.session.settings
        talk.session.handle(cmd.UpdateSession(replace(before, turns=TURNS)))
        await talk.speak(800)
        await talk.quiet(980)
        assert len(asides(talk)) == 1


async def test_a_call_that_ends_within_it_leaves_no_task() -> None:
    async with pausing() as talk:
        await talk.speak(800)
        await talk.quiet(AFTER_MS + 120)
