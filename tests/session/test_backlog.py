"""A long append is heard slice by slice; a failure in it holds nothing up."""

from __future__ import annotations

import asyncio

import pytest

from tests.session.harness import SILENT, LoudnessDetector, conversation
from voicepipe.audio import pcm
from voicepipe.audio.pcm import Int16
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev

pytestmark = pytest.mark.virtual_time


async def test_a_failure_in_a_long_append_does_not_block_what_comes_later(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(self: LoudnessDetector, frame: Int16) -> float:
        raise RuntimeError("the model's file is gone")

    async with conversation() as talk:
        with monkeypatch.context() as patch:
            patch.setattr(LoudnessDetector, "probability", broken)
            talk.session.handle(cmd.AppendAudio(pcm.to_bytes(SILENT) * 100))
            talk.session.handle(cmd.ClearAudio())  # waits behind it
            await asyncio.sleep(1)
        assert "audio could not be worked off" in caplog.text
        await talk.speak(600)
        await talk.quiet(6000)
        assert len(talk.of(ev.ResponseDone)) == 1
