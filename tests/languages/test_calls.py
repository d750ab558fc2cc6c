"""A call in each language, through every stage of a real session.

The caller's voice is espeak-ng's, heard by the real voice detector; the words come from a script
when they are spoken. The caller hesitates in the midst of the sentence, where its golden case has
the bar, is answered at its end, says the language's "mhm" over the answer, which goes on, and then
"stop", which ends it. The agent's voice is espeak-ng's too. Time is virtual, the two engines' work
is real.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pytest

from tests.languages.test_clauses import CASES
from tests.languages.test_finished import GOLDEN
from tests.virtual_time import LoopClock
from voicepipe.audio import pcm
from voicepipe.audio.formats import PCM_16K
from voicepipe.audio.frames import Framer
from voicepipe.audio.pcm import FRAME_MS, FRAME_SAMPLES, SAMPLE_RATE, Int16
from voicepipe.audio.resample import resample
from voicepipe.config import LatencySettings, Settings, SimulatedSettings, TtsSettings, VadSettings
from voicepipe.lab.bench.endpoint.turns import MarkedTurn, Segment
from voicepipe.lab.bench.preemption.recognizer import MarkedRecognizer
from voicepipe.lab.bench.preemption.script import Script
from voicepipe.languages.finished import finished
from voicepipe.languages.known import LANGUAGES
from voicepipe.languages.language import Language, Verdict
from voicepipe.languages.transcript import split_words
from voicepipe.ledger.log import TurnLog
from voicepipe.llm.engines.simulated import SimulatedModel
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.engines import Engines
from voicepipe.session.session import Session
from voicepipe.session.settings import SessionSettings, Transcription
from voicepipe.tts.by_language import VoicePlan, VoicesByLanguage
from voicepipe.tts.contract import Speech, Voice
from voicepipe.tts.engines.espeak import EspeakSynthesizer
from voicepipe.vad.engines import create_detector

T = TypeVar("T")
HESITATION_MS = 700
SIMULATED = SimulatedSettings(
    asr=LatencySettings(mean_ms=60),
    llm_first_token=LatencySettings(mean_ms=80),
    llm_per_token=LatencySettings(mean_ms=5),
)


class Espeak:
    """espeak-ng in its worker, on a loop of its own: a session in virtual time waits for it, and
    none of its time passes."""

    name = "espeak"

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="espeak", daemon=True)
        self._thread.start()
        self._engine = EspeakSynthesizer(TtsSettings(), MonotonicClock())
        self._do(self._engine.start())
        self.sample_rate = self._engine.sample_rate
        self.said: list[tuple[str, Voice]] = []

    async def start(self) -> None:
        """It runs."""

    async def stream(self, clause: str, voice: Voice) -> AsyncIterator[Speech]:
        self.said.append((clause, voice))
        for speech in self._do(self._speech(clause, voice)):
            await asyncio.sleep(0.03)
            yield speech

    def voices(self) -> tuple[str, ...]:
        return self._engine.voices()

    async def aclose(self) -> None:
        """The next call needs it."""

    def close(self) -> None:
        self._do(self._engine.aclose())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()

    def sound(self, text: str, language: Language) -> Int16:
        """`text` as a caller says it: int16 [n], 16 kHz."""
        chunks = [s.pcm for s in self._do(self._speech(text, Voice(language.voice)))]
        return resample(np.concatenate(chunks), self.sample_rate, SAMPLE_RATE)

    async def _speech(self, clause: str, voice: Voice) -> list[Speech]:
        return [speech async for speech in self._engine.stream(clause, voice)]

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        future: Future[T] = asyncio.run_coroutine_threadsafe(work, self._loop)
        return future.result(60)


@pytest.fixture(scope="module")
def espeak() -> Iterator[Espeak]:
    engine = Espeak()
    yield engine
    engine.close()


def turn(name: str, *parts: tuple[str, Int16, int], language: Language) -> MarkedTurn:
    """(words, sound, silence behind it in ms) as one recording."""
    track = [np.zeros(SAMPLE_RATE // 2, dtype=np.int16)]
    segments, at = [], track[0].size
    for text, sound, silence_ms in parts:
        words = tuple(split_words(text, language))
        start, at = at, at + sound.size
        segments.append(Segment(start * 1000 / SAMPLE_RATE, at * 1000 / SAMPLE_RATE, words))
        silence = np.zeros(SAMPLE_RATE * silence_ms // 1000, dtype=np.int16)
        track += [sound, silence]
        at += silence.size
    return MarkedTurn(name, "caller", np.concatenate(track), tuple(segments), language.code)


def sentence(language: Language) -> tuple[str, str]:
    """A golden sentence that the table judges as the caller means it, and a long one: whether it
    does so for all is measured in test_finished.py."""
    space = " " if language.spaced else ""
    for line in (GOLDEN / f"{language.code}.txt").read_text(encoding="utf-8").splitlines():
        begun, rest = line.split(" | ")
        whole = finished(f"{begun}{space}{rest}", language)
        if finished(begun, language) is Verdict.INCOMPLETE and whole is Verdict.COMPLETE:
            return begun, rest
    raise AssertionError(f"no case of {language.name}")


@dataclass
class Call:
    """A session, and a caller who speaks recordings to it in real time."""

    session: Session
    script: Script
    events: list[ev.SessionEvent]

    async def say(self, recording: MarkedTurn) -> None:
        self.script.begin(recording)
        detector = create_detector(VadSettings())
        for frame in Framer().push(recording.samples):
            await self._send(frame, detector.probability(frame))

    async def silence(self, ms: int) -> None:
        for _ in range(ms // FRAME_MS):
            await self._send(np.zeros(FRAME_SAMPLES, dtype=np.int16), 0.0)

    async def until(self, kind: type[Any], deadline_ms: int = 4000) -> None:
        for _ in range(deadline_ms // FRAME_MS):
            if self.count(kind):
                return
            await self._send(np.zeros(FRAME_SAMPLES, dtype=np.int16), 0.0)
        raise AssertionError(f"no {kind.__name__} within {deadline_ms} ms")

    def count(self, kind: type[Any]) -> int:
        return sum(isinstance(event, kind) for event in self.events)

    async def _send(self, frame: Int16, probability: float) -> None:
        self.script.position_ms += FRAME_MS
        self.script.voiced = probability
        await asyncio.sleep(FRAME_MS / 1000)
        self.session.handle(cmd.AppendAudio(pcm.to_bytes(frame)))


@pytest.mark.virtual_time
@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda one: one.name)
async def test_a_call(language: Language, espeak: Espeak) -> None:
    begun, rest = sentence(language)
    answer = max((marked for code, marked in CASES if code == language.code), key=len)
    agent_text = answer.replace("|", "")
    script, config = Script(), Settings(simulated=SIMULATED)
    model = SimulatedModel(SIMULATED, [agent_text])
    plan = VoicePlan("espeak", {})
    engines = Engines(
        recognizer=MarkedRecognizer(script, config),
        model=model,
        synthesizer=VoicesByLanguage(espeak, plan, lambda name: espeak, 1),
        new_detector=lambda: script,
    )
    await engines.start()
    wanted = SessionSettings(
        transcription=Transcription(language=language.code),
        input_format=PCM_16K,
        output_format=PCM_16K,
    )
    session = Session(engines, config, wanted, LoopClock(), TurnLog())
    call = Call(session, script, [])
    espeak.said.clear()

    async def collect() -> None:
        while (event := await session.outbox.get()) is not None:
            call.events.append(event)
            session.sent(event)

    collector = asyncio.create_task(collect())
    try:
        question = turn(
            "question",
            (begun, espeak.sound(begun, language), HESITATION_MS),
            (rest, espeak.sound(rest, language), 0),
            language=language,
        )
        await call.say(question)
        assert call.count(ev.AudioCommitted) == 0, "the caller was cut off"
        await call.until(ev.AudioCommitted, 700)  # finished: 300 ms, and the detector's lag
        await call.until(ev.AudioDelta)

        space = " " if language.spaced else ""
        transcripts = [event for event in call.events if isinstance(event, ev.UserTranscript)]
        assert [event.transcript for event in transcripts] == [f"{begun}{space}{rest}"]
        line = f"The caller speaks {language.name}. Answer in {language.name}."
        asked = str(model.requests[-1].messages[0])
        assert (line in asked) is (language.code != "en")

        await call.silence(200)
        await call.say(remark(language.backchannels, espeak, language, times=1))
        await call.silence(300)
        assert call.count(ev.SpeechStarted) == 1, "a backchannel interrupted the agent"
        await call.say(remark(language.stops, espeak, language, times=2))
        await call.silence(200)
        assert call.count(ev.SpeechStarted) == 2, "the agent did not stop"

        expected = answer.split("|")
        clauses = spoken_last([clause for clause, _ in espeak.said], expected[0])
        assert clauses == expected[: len(clauses)]
        assert {voice.name.split("+")[0] for _, voice in espeak.said} == {language.voice}
        assert {voice.language for _, voice in espeak.said} == {language.code}
        assert loudest(call.events) > 3000
    finally:
        await session.aclose()
        await collector


def remark(words: frozenset[str], espeak: Espeak, language: Language, *, times: int) -> MarkedTurn:
    """The one of the table that takes nearest to 350 ms; as "stop, stop!" if twice, of 450 ms."""
    sounds = {word: espeak.sound(word, language) for word in sorted(words) if len(word) > 1}
    word = min(sounds, key=lambda one: abs(sounds[one].size / SAMPLE_RATE - 0.25 - times / 10))
    space = " " if language.spaced else ""
    sound = np.concatenate([sounds[word]] * times)
    return turn("remark", (space.join([word] * times), sound, 0), language=language)


def spoken_last(clauses: list[str], first: str) -> list[str]:
    """Those of the reply that was heard: the one prepared at the hesitation was thrown away."""
    begins = max(at for at, clause in enumerate(clauses) if clause == first)
    return clauses[begins:]


def loudest(events: list[ev.SessionEvent]) -> int:
    sounds = [pcm.from_bytes(one.audio) for one in events if isinstance(one, ev.AudioDelta)]
    return int(np.abs(np.concatenate(sounds).astype(np.int32)).max())
