"""One conversation without a socket: a recording goes in, the answers come out. The same session
code as the server's, fed in real time or as fast as it takes the audio.
"""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import dataclass, field, replace

import numpy as np

from voicepipe.audio import pcm
from voicepipe.audio.formats import PCM_16K, PCM_24K
from voicepipe.audio.pcm import FRAME_MS, FRAME_SAMPLES, Int16
from voicepipe.conversation.items import MessageItem
from voicepipe.ledger.records import TurnRecord
from voicepipe.runtime.clock import Clock
from voicepipe.server.service import Service
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.ids import new_id
from voicepipe.session.session import Session
from voicepipe.session.settings import Transcription

OUT_RATE = PCM_24K.rate
ANSWER_DEADLINE_S = 30.0
"""From the end of the recording to the end of the last answer."""

SETTLE_MS = 1500
"""Silence after the recording in which its last turn must have ended: over any endpoint wait."""


@dataclass(slots=True)
class Heard:
    """What came of a recording."""

    questions: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    audio: Int16 = field(default_factory=lambda: np.zeros(0, dtype=np.int16))  # 24 kHz
    records: list[TurnRecord] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


async def hold_conversation(service: Service, recording: Int16, *, realtime: bool = True) -> Heard:
    """Speak `recording` (int16, 16 kHz) to a fresh session; returns when the last answer was
    played. Not real time: the endpoint's wait shrinks to nothing, since it is counted in audio.
    """
    settings = replace(
        service.session_defaults(),
        input_format=PCM_16K,
        output_format=PCM_24K,
        transcription=Transcription(),
        turn_events=True,
    )
    session = service.open_session(settings, session_id=new_id("sess"))
    heard = Heard()
    chunks: list[bytes] = []
    collector = asyncio.create_task(_collect(session, heard, chunks), name="collect")
    try:
        await _speak(session, recording, service.clock, realtime=realtime)
        heard.answers = [
            item.text
            for item in session.conversation.items
            if isinstance(item, MessageItem) and item.role == "assistant"
        ]
    finally:
        await service.close_session(session)  # which forgets what was said
        await collector
    if chunks:
        heard.audio = pcm.from_bytes(b"".join(chunks))
    return heard


async def _collect(session: Session, heard: Heard, chunks: list[bytes]) -> None:
    while (event := await session.outbox.get()) is not None:
        session.sent(event)
        match event:
            case ev.AudioDelta(audio=audio):
                chunks.append(audio)
            case ev.UserTranscript(transcript=text):
                heard.questions.append(text)
            case ev.UserTranscriptFailed(message=message):
                heard.failures.append(message)
            case ev.ResponseDone(response) if response.error:
                heard.failures.append(response.error)
            case ev.TurnMeasured(record):
                heard.records.append(record)
            case _:
                pass


async def _speak(session: Session, recording: Int16, clock: Clock, *, realtime: bool) -> None:
    """The recording, then silence until every turn that was started is in the ledger. Frames go
    out on an absolute schedule: a late one does not make the rest late.
    """
    began = clock.now()
    spoken = recording.size // FRAME_SAMPLES + 1
    for number in itertools.count():
        quiet = number - spoken
        if quiet * FRAME_MS >= SETTLE_MS and session.at_rest:
            return
        if clock.now() - began > spoken * FRAME_MS / 1000 + ANSWER_DEADLINE_S:
            return
        if realtime or quiet * FRAME_MS > SETTLE_MS:
            due = began + (number + 1) * FRAME_MS / 1000
            await asyncio.sleep(max(0.0, due - clock.now()))
        else:
            await asyncio.sleep(0)
            began = clock.now() - (number + 1) * FRAME_MS / 1000  # as if it had been real time
        frame = recording[number * FRAME_SAMPLES : (number + 1) * FRAME_SAMPLES]
        if frame.size < FRAME_SAMPLES:
            frame = np.concatenate((frame, np.zeros(FRAME_SAMPLES - frame.size, dtype=np.int16)))
        session.handle(cmd.AppendAudio(pcm.to_bytes(frame)))
