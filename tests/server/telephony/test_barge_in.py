"""Speech over the agent's speech: silence at the caller's ear, or, for nothing, no sample lost."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from itertools import pairwise

import numpy as np
import pytest

from tests.server.harness import FAST, simulated_engines
from tests.server.telephony.harness import call, phone_server, tone
from tests.server.test_limits import nothing_left
from voicepipe.audio.codec import Decoder, Encoder
from voicepipe.audio.formats import AudioFormat
from voicepipe.audio.pcm import Int16
from voicepipe.conversation.items import MessageItem
from voicepipe.lab.carriers.call import EmulatedCall
from voicepipe.tts.contract import Speech, Voice
from voicepipe.tts.engines.simulated import SimulatedSynthesizer

ANSWER_S = 20.0
LONG = "One two three four five six seven eight nine ten eleven twelve thirteen fourteen."
FLUSHING = ("twilio", "signalwire", "telnyx", "plivo", "vonage", "asterisk", "plain")


class Rustle(SimulatedSynthesizer):
    """Noise of 4 s, in which no two stretches are alike."""

    samples: Int16 = np.random.default_rng(5).integers(-9000, 9000, 96_000).astype(np.int16)

    async def stream(self, clause: str, voice: Voice) -> AsyncGenerator[Speech]:
        for start in range(0, self.samples.size, 2400):
            yield Speech(self.samples[start : start + 2400])


def over_the_wire(samples: Int16, wire: AudioFormat) -> Int16:
    """What a telephone makes of them, as samples at 8 kHz; without zeros, which a carrier that ran
    dry on a busy machine fills in."""
    encoder, decoder = Encoder(24_000, wire), Decoder(wire, wire.rate)
    return without_zeros(decoder.decode(encoder.encode(samples) + encoder.flush()))


def without_zeros(samples: Int16) -> Int16:
    kept: Int16 = samples[samples != 0]
    return kept


async def until_answered(phone: EmulatedCall) -> float:
    """Ask; returns when the answer is first heard."""
    return await phone.sound(await phone.say(tone(400)), ANSWER_S)


@pytest.mark.parametrize("name", [*FLUSHING, "audiosocket"])
async def test_barge_in_is_silence_at_the_callers_ear(name: str) -> None:
    engines = simulated_engines(answers=(LONG, "Yes?"))
    async with phone_server(engines) as server, call(server, name) as phone:
        heard_at = await until_answered(phone)
        await phone.silence(heard_at + 1.0, 0, ANSWER_S)  # a second of the answer goes by
        began = phone.clock.now()
        await phone.say(tone(500))
        silent_at = await phone.silence(began, 200, ANSWER_S)
        # 40 ms of evidence, a frame's wait at either end and the way; the margin is the machine's.
        assert silent_at - began < 0.4
        clears = [h for h in phone.heard.time_line if h.what == "clear" and h.at >= began]
        assert bool(clears) == (name in FLUSHING)
        assert phone.problems == []
        (session,) = server.service.sessions
        said = [
            item.text
            for item in session.conversation.items
            if isinstance(item, MessageItem) and item.role == "assistant"
        ]
        assert LONG.startswith(said[0].rstrip(". "))
        assert 3 <= len(said[0].split()) <= 9, f"a second was heard, the history says: {said[0]}"
    await nothing_left(server)


@pytest.mark.parametrize("name", ["twilio", "plivo", "asterisk", "audiosocket"])
async def test_false_alarm_loses_no_sample(name: str) -> None:
    heard_by_asr = ("what time is it", "mhm")
    engines = simulated_engines(heard=heard_by_asr, answers=("It rustles.",))  # one clause
    engines.synthesizer = Rustle(FAST)
    async with phone_server(engines) as server, call(server, name) as phone:
        heard_at = await until_answered(phone)
        await phone.silence(heard_at + 1.0, 0, ANSWER_S)
        coughed_at = await phone.say(tone(60))
        resumed_at = await phone.sound(coughed_at + 0.6, ANSWER_S)
        await phone.silence(resumed_at, 700, ANSWER_S)
        heard = phone.heard
    spans = heard.spans(gap_ms=60)
    gaps = [(after[0] - before[1], before[1]) for before, after in pairwise(spans)]
    _, pause_at = max(gaps)  # a busy machine makes shorter ones
    first = without_zeros(heard.between(heard_at - 0.1, pause_at))
    second = without_zeros(heard.between(pause_at, heard.until))
    wire = over_the_wire(Rustle.samples, phone.dialect.downlink)
    assert first.size > 4000, "half a second and more was heard before the cough"
    assert np.array_equal(first, wire[: first.size])
    again = wire.size - second.size  # where the second begins
    assert np.array_equal(second, wire[again:])
    assert 0 <= first.size - again <= 0.3 * 8000, "nothing lost, little said twice"
