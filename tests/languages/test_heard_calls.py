"""A call in a language that is not English, its words heard by pocketsphinx as the agent's phrases.

Nothing is scripted but the model's answer: espeak-ng's voice asks, the voice detector and the
recognizer hear it, the agent answers in the language's voice, and "stop" stops it. In real time,
since the recognizer's work takes some; so without the hesitation of test_calls.py, which a busy
machine would take for the end.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.languages.test_calls import (
    SIMULATED,
    Espeak,
    espeak,  # noqa: F401 (a fixture)
    loudest,
    remark,
    sentence,
)
from tests.languages.test_clauses import CASES
from tests.languages.test_finished import GOLDEN
from voicepipe.asr.engines.pocketsphinx import PocketsphinxRecognizer
from voicepipe.audio import pcm
from voicepipe.audio.formats import PCM_16K
from voicepipe.audio.frames import Framer
from voicepipe.audio.pcm import FRAME_MS, FRAME_SAMPLES, SAMPLE_RATE, Int16
from voicepipe.config import AsrSettings, Settings, VadSettings
from voicepipe.languages.known import LANGUAGES
from voicepipe.languages.language import Language
from voicepipe.ledger.log import TurnLog
from voicepipe.llm.engines.simulated import SimulatedModel
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.engines import Engines
from voicepipe.session.session import Session
from voicepipe.session.settings import SessionSettings, Transcription
from voicepipe.tts.by_language import VoicePlan, VoicesByLanguage
from voicepipe.vad.engines import create_detector

BUILTIN = Path(__file__).parents[2] / "models" / "builtin" / "words"


def golden_phrases(language: Language) -> tuple[str, ...]:
    lines = (GOLDEN / f"{language.code}.txt").read_text(encoding="utf-8").splitlines()
    return tuple(line.replace(" | ", " ") for line in lines)


class Caller:
    """Sends sound in real time and keeps what the session says."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.events: list[ev.SessionEvent] = []

    async def listen(self) -> None:
        while (event := await self.session.outbox.get()) is not None:
            self.events.append(event)
            self.session.sent(event)

    async def say(self, sound: Int16) -> None:
        now = asyncio.get_running_loop().time
        due = now()
        for frame in Framer().push(sound):
            due += FRAME_MS / 1000
            await asyncio.sleep(max(0.0, due - now()))
            self.session.handle(cmd.AppendAudio(pcm.to_bytes(frame)))

    async def until(self, kind: type[Any], count: int = 1, deadline_ms: int = 20_000) -> None:
        for _ in range(deadline_ms // FRAME_MS):
            if self.count(kind) >= count:
                return
            await self.say(np.zeros(FRAME_SAMPLES, dtype=np.int16))
        raise AssertionError(f"no {kind.__name__} within {deadline_ms} ms")

    def count(self, kind: type[Any]) -> int:
        return sum(isinstance(event, kind) for event in self.events)


@pytest.mark.slow
@pytest.mark.parametrize("code", ["de", "fr", "hi", "zh"])
async def test_a_call_with_heard_words(
    code: str,
    espeak: Espeak,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    language, config = LANGUAGES[code], Settings(simulated=SIMULATED)
    begun, rest = sentence(language)
    answer = max((marked for one, marked in CASES if one == code), key=len)
    phrases = (*golden_phrases(language), *(f"{word} {word}" for word in language.stops))
    hearing = AsrSettings(engine="pocketsphinx", model="", language=code, phrases=phrases)
    engines = Engines(
        recognizer=PocketsphinxRecognizer(hearing, None, BUILTIN),
        model=SimulatedModel(SIMULATED, [answer.replace("|", "")]),
        synthesizer=VoicesByLanguage(espeak, VoicePlan("espeak", {}), lambda name: espeak, 1),
        new_detector=lambda: create_detector(VadSettings()),
    )
    await engines.start()
    stop = remark(language.stops, espeak, language, times=2).samples
    asked = f"{begun}{' ' if language.spaced else ''}{rest}"
    before = np.zeros(SAMPLE_RATE // 2, dtype=np.int16)
    question = np.concatenate([before, espeak.sound(asked, language)])
    wanted = SessionSettings(
        transcription=Transcription(language=code),
        input_format=PCM_16K,
        output_format=PCM_16K,
    )
    session = Session(engines, config, wanted, MonotonicClock(), TurnLog())
    caller = Caller(session)
    listening = asyncio.create_task(caller.listen())
    try:
        await caller.say(question)
        await caller.until(ev.AudioDelta)

        heard = [one.transcript for one in caller.events if isinstance(one, ev.UserTranscript)]
        assert heard == [asked.lower()]
        assert caller.count(ev.SpeechStarted) == 1
        await caller.say(stop)
        await caller.until(ev.SpeechStarted, 2)
        assert loudest(caller.events) > 3000
        assert {voice.name.split("+")[0] for _, voice in espeak.said} >= {language.voice}
    finally:
        await session.aclose()
        await listening
        await engines.recognizer.aclose()
