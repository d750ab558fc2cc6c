"""A conversation from a sound file, in process."""

from __future__ import annotations

import time

import numpy as np

from tests.server.harness import simulated_engines
from tests.server.telephony.harness import tone
from voicepipe.audio.pcm import SAMPLE_RATE
from voicepipe.config import Settings
from voicepipe.lab.bench.local import hold_conversation
from voicepipe.server.service import Service


async def test_a_long_recording_that_is_fed_at_once_keeps_nobody_waiting_for_its_length() -> None:
    quiet = np.zeros(12 * SAMPLE_RATE, dtype=np.int16)
    service = Service(Settings(), simulated_engines(answers=("Yes, it is.",)))
    await service.start()
    began = time.monotonic()
    heard = await hold_conversation(service, np.concatenate((quiet, tone(400))), realtime=False)
    took_s = time.monotonic() - began
    await service.aclose()
    assert heard.answers == ["Yes, it is."]
    assert took_s < 8
