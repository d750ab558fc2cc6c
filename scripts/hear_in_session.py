"""What a session hears of a recording: the voice detector decides what is speech, the endpoint when
it is over, as for a caller. Nothing is answered.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

import numpy as np

from voicepipe.audio.formats import PCM_16K
from voicepipe.audio.pcm import FRAME_MS, FRAME_SAMPLES, Int16, to_bytes
from voicepipe.server.service import Service
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.ids import new_id
from voicepipe.session.session import Session
from voicepipe.session.settings import Transcription

SILENCE_MS = 2000
"""After the recording: more than any endpoint waits."""

SETTLED_S = 20.0
"""Until the last transcript is written, on a busy machine."""


class Heard:
    """The turns of one session, by item."""

    def __init__(self) -> None:
        self._texts: dict[str, str | None] = {}  # None: committed, and not yet written
        self._written = asyncio.Event()
        self._written.set()

    def note(self, item: str, text: str | None) -> None:
        """`None`: the turn is over, its text is due."""
        self._texts[item] = text
        (self._written.clear if None in self._texts.values() else self._written.set)()

    async def text(self) -> str:
        """All that was said, once it is written. Raises TimeoutError."""
        async with asyncio.timeout(SETTLED_S):
            await self._written.wait()
        return " ".join(filter(None, self._texts.values()))


async def hear_in_session(service: Service, recording: Int16) -> str:
    """The transcripts of its turns, one after the other; int16, 16 kHz, at its own pace."""
    settings = replace(
        service.session_defaults(transcription_only=True),
        input_format=PCM_16K,
        transcription=Transcription(),
    )
    session = service.open_session(settings, session_id=new_id("sess"))
    heard = Heard()
    reader = asyncio.create_task(_read(session, heard), name="hear-in-session")
    try:
        await _speak(session, recording)
        return await heard.text()
    finally:
        await service.close_session(session)
        await reader


async def _read(session: Session, heard: Heard) -> None:
    while (event := await session.outbox.get()) is not None:
        session.sent(event)
        match event:
            case ev.AudioCommitted(item_id=item):
                heard.note(item, None)
            case ev.UserTranscript(item_id=item, transcript=text):
                heard.note(item, text)
            case ev.UserTranscriptFailed(item_id=item):
                heard.note(item, "")


async def _speak(session: Session, recording: Int16) -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()
    silence = np.zeros(SILENCE_MS * 16, np.int16)
    sound = np.concatenate((recording, silence))
    for number in range(sound.size // FRAME_SAMPLES):
        frame = sound[number * FRAME_SAMPLES : (number + 1) * FRAME_SAMPLES]
        session.handle(cmd.AppendAudio(to_bytes(frame)))
        await asyncio.sleep(max(0.0, began + (number + 1) * FRAME_MS / 1000 - loop.time()))
