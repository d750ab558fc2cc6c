"""The detection_audio that turns are decided with, on real sound."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest

from scripts.bench_vad import load_clip
from scripts.echo_line import Echo, Line
from tests.e2e.speaking import recording_of
from tests.human_speech import needs_people, recordings
from voicepipe.audio import echo_canceller, g711
from voicepipe.audio.formats import PCMU_8K
from voicepipe.audio.pcm import FRAME_MS, FRAME_SAMPLES, SAMPLE_RATE, Int16
from voicepipe.audio.resample import resample
from voicepipe.config import AudioSettings, VadSettings
from voicepipe.runtime.clock import ManualClock
from voicepipe.session.cleaning import Cleaning, cleaning_for
from voicepipe.session.settings import SessionSettings
from voicepipe.session.turn_detection_audio import TurnDetectionAudio
from voicepipe.vad.contract import AttentiveDetector
from voicepipe.vad.engines import create_detector

SIGN = 0.1  # `telephony.turns.pause_threshold`
AGENT = ("what day of the week is it", "tell me a joke", "cancel all the timers")
USER = "order a pizza for me"


@pytest.fixture(autouse=True)
def _library() -> None:
    assert echo_canceller.load()


def said(*texts: str) -> Int16:
    clips = [load_clip(Path(recording_of(text))) for text in texts]
    sound = np.concatenate([clip.samples[clip.start : clip.end] for clip in clips])
    return np.clip(sound, -32768, 32767).astype(np.int16)


class Call:
    """The agent speaks over a line that returns it; the user may speak over that."""

    def __init__(self, echo: Echo | None, cleaning: Cleaning) -> None:
        self.clock = ManualClock(100.0)
        self.line = Line(echo, 1)
        self.detection_audio = TurnDetectionAudio(self.clock, cleaning, PCMU_8K)
        self.detector = create_detector(VadSettings())
        assert isinstance(self.detector, AttentiveDetector)
        self.detector.attend(True)
        self.room = np.random.default_rng(1)

    def hear(self, agent: Int16, user: Int16 | None = None, at_ms: int = 0) -> list[float]:
        """The probability of speech, frame after frame; the user begins at `at_ms`."""
        audio = g711.encode(resample(agent, SAMPLE_RATE, 8000), "pcmu")
        self.line.play(audio)
        self.detection_audio.played(audio)
        spoken = self.room.normal(0, 8, agent.size // FRAME_SAMPLES * FRAME_SAMPLES)
        if user is not None:
            start = at_ms * SAMPLE_RATE // 1000
            spoken[start : start + user.size] += user[: spoken.size - start]
        return [self._frame(f) for f in spoken.astype(np.int16).reshape(-1, FRAME_SAMPLES)]

    def _frame(self, user: Int16) -> float:
        self.clock.advance(FRAME_MS / 1000)
        probability = self.detector.probability(self.detection_audio.hear(self.line.frame(user)))
        self.detection_audio.settle(probability >= SIGN)
        return probability


def signs(probabilities: list[float]) -> int:
    return sum(p >= SIGN for p in probabilities)


ECHOES = [
    *(Echo(40), Echo(30), Echo(20), Echo(20, clip=3000)),
    *(Echo(30, jump_ms=80), Echo(30, drift_ppm=200)),
]


@pytest.mark.parametrize("echo", ECHOES, ids=lambda echo: echo.name)
def test_the_agents_own_voice_is_not_taken_for_speech(echo: Echo) -> None:
    agent = said(*AGENT, *AGENT)
    assert signs(Call(echo, Cleaning()).hear(agent)) > 50
    assert signs(Call(echo, Cleaning(echo=True)).hear(agent)) == 0


@needs_people()
def test_nor_is_a_persons() -> None:
    agent = np.concatenate([one.pcm for one in recordings("librispeech", 3)])
    assert signs(Call(Echo(30), Cleaning()).hear(agent)) > 50
    assert signs(Call(Echo(30), Cleaning(echo=True)).hear(agent)) == 0


@pytest.mark.parametrize("echo", [None, Echo(30), Echo(20)])
def test_a_user_who_speaks_over_the_agent_is_heard_as_soon(echo: Echo | None) -> None:
    agent, user, at_ms = said(*AGENT, *AGENT), said(USER), 3000
    alone = Call(None, Cleaning()).hear(np.zeros_like(agent), user, at_ms)
    over = Call(echo, Cleaning(echo=True)).hear(agent, user, at_ms)
    first, same = (next(n for n, p in enumerate(ps) if p >= SIGN) for ps in (alone, over))
    later_ms = (same - first) * FRAME_MS
    assert 0 <= later_ms <= (20 if echo is None else 60)


def test_an_ear_that_cleans_nothing_gives_frames_as_they_are() -> None:
    detection_audio = TurnDetectionAudio(ManualClock(), Cleaning(), PCMU_8K)
    frame = said(USER)[:FRAME_SAMPLES]
    detection_audio.played(bytes(1600))
    assert detection_audio.hear(frame) is frame


def test_while_the_agent_is_silent_there_is_nothing_to_take_out() -> None:
    clock = ManualClock()
    detection_audio = TurnDetectionAudio(clock, Cleaning(echo=True), PCMU_8K)
    frame = said(USER)[:FRAME_SAMPLES]
    assert detection_audio.hear(frame) is frame


def test_noise_is_taken_out_where_a_client_asks() -> None:
    detection_audio = TurnDetectionAudio(ManualClock(), Cleaning(noise=True), PCMU_8K)
    hiss = np.random.default_rng(1).normal(0, 500, (150, FRAME_SAMPLES)).astype(np.int16)
    cleaned = np.concatenate([detection_audio.hear(frame) for frame in hiss])[-SAMPLE_RATE:]
    assert np.square(cleaned.astype(float)).mean() < np.square(hiss.astype(float)).mean() / 4


async def test_the_library_is_loaded_beside_the_loop() -> None:
    echo_canceller.load.cache_clear()
    detection_audio = TurnDetectionAudio(ManualClock(), Cleaning(echo=True), PCMU_8K)
    agent, frame = bytes(range(160)), said(USER)[:FRAME_SAMPLES]
    detection_audio.played(agent)
    detection_audio.hear(frame)
    async with asyncio.timeout(20):
        while not echo_canceller.loaded():
            await asyncio.sleep(0.01)
    detection_audio.played(agent)
    assert detection_audio.hear(frame).size == FRAME_SAMPLES
    detection_audio.close()
    assert detection_audio.hear(frame) is frame


def test_where_the_library_cannot_be_had_frames_stay_as_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(echo_canceller, "load", lambda: False)
    monkeypatch.setattr(echo_canceller, "loaded", lambda: True)
    agent = said(*AGENT)
    as_it_is = Call(Echo(30), Cleaning()).hear(agent)
    assert Call(Echo(30), Cleaning(echo=True)).hear(agent) == as_it_is


@pytest.mark.parametrize(
    ("telephone", "asked", "setting", "wanted"),
    [
        (True, None, "auto", Cleaning(echo=True)),
        (True, None, "off", Cleaning()),
        (False, None, "auto", Cleaning()),
        (False, None, "on", Cleaning(echo=True)),
        (False, "near_field", "auto", Cleaning(noise=True)),
        (False, "far_field", "auto", Cleaning(echo=True, noise=True)),
        (False, "far_field", "off", Cleaning(noise=True)),
    ],
)
def test_what_is_taken_out(telephone: bool, asked: str, setting: str, wanted: Cleaning) -> None:
    settings = SessionSettings(telephone=telephone, noise_reduction=asked)  # type: ignore[arg-type]
    audio = AudioSettings.model_validate({"echo_cancellation": setting})
    assert cleaning_for(settings, audio.echo_cancellation) == wanted
