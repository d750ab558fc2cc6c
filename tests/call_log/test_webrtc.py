"""A browser's call is in the log, with its sound on both sides."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np

from tests.call_log.test_realtime import calls_section, ended_call
from tests.server.harness import running_server
from tests.server.webrtc.caller import RATE, call
from voicepipe.audio import files
from voicepipe.lab.bench import recordings


async def test_a_call_is_written_down_and_recorded(tmp_path: Path) -> None:
    question = files.read(recordings.QUESTIONS / "what_time_is_it.flac", RATE)
    section = calls_section(tmp_path, record_audio=True)
    async with running_server(calls=section) as server:
        async with call(server) as one:
            one.microphone.say(question)
            await one.until("output_audio_buffer.stopped")
        stored = await ended_call(server, tmp_path)
    assert stored.call["transport"] == "webrtc"
    assert "closed" in stored.call["end_reason"] or "hung up" in stored.call["end_reason"]
    (turn,) = stored.turns
    assert turn["agent_text"] == "It is half past seven. Can I do more for you?"
    with wave.open(str(tmp_path / "sound" / stored.call["recording"])) as recording:
        assert recording.getnchannels() == 2
        frames = recording.readframes(recording.getnframes())
    left, right = np.frombuffer(frames, dtype="<i2").reshape(-1, 2).T
    assert np.abs(left).max() > 1000, "the caller"
    assert np.abs(right).max() > 1000, "the agent"
