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
        assert "AppendAudio could not be worked off" in caplog.text
        await talk.speak(600)
        await talk.quiet(6000)
        assert len(talk.of(ev.ResponseDone)) == 1


async def test_what_waits_behind_audio_that_fails_is_carried_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(self: LoudnessDetector, frame: Int16) -> float:
        raise RuntimeError("the model's file is gone")

    async with conversation() as talk:
        monkeypatch.setattr(LoudnessDetector, "probability", broken)
        session = talk.session
        for _ in range(2):
            session.handle(cmd.AppendAudio(pcm.to_bytes(SILENT) * 100))
            session.handle(cmd.AppendAudio(pcm.to_bytes(SILENT) * 100))
            session.handle(cmd.UpdateSession(session.settings))
        await asyncio.sleep(1)
        assert len(talk.of(ev.SessionError)) == 2, "once for what was sent in one piece"
        assert len(talk.of(ev.SessionUpdated)) == 2
        assert session.at_rest
        assert session._backlog.audio_ms == 0


async def test_a_command_that_fails_behind_audio_holds_nothing_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with conversation() as talk:
        session = talk.session
        session.handle(cmd.AppendAudio(pcm.to_bytes(SILENT) * 100))
        monkeypatch.setattr(type(session._items), "delete", None)
        session.handle(cmd.DeleteItem("item_1", event_id="mine"))
        session.handle(cmd.UpdateSession(session.settings))
        await asyncio.sleep(1)
        (failed,) = talk.of(ev.SessionError)
        assert (failed.event_id, failed.kind) == ("mine", "server_error")
        assert len(talk.of(ev.SessionUpdated)) == 1


async def test_a_thousand_crumbs_of_sound_wait_in_a_few_pieces() -> None:
    async with conversation() as talk:
        session, crumb = talk.session, pcm.to_bytes(SILENT)[:2]
        session.handle(cmd.AppendAudio(pcm.to_bytes(SILENT) * 20))
        few = len(session._backlog.waits)
        for _ in range(1000):
            session.handle(cmd.AppendAudio(crumb))
        session.handle(cmd.UpdateSession(session.settings))
        session.handle(cmd.AppendAudio(crumb))
        assert len(session._backlog.waits) <= few + 3
        await asyncio.sleep(1)
        assert session._backlog.audio_ms == 0
        assert session._turns._input.heard_ms == pytest.approx(400 + 1001 / 16, abs=1)
