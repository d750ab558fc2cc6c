"""The engine started on a few sentences, and sound for it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np

from voicepipe.asr.contract import AsrOptions, Transcript
from voicepipe.asr.engines.pocketsphinx import PocketsphinxRecognizer
from voicepipe.asr.sphinx.utterance import SphinxUtterance
from voicepipe.audio import files
from voicepipe.audio.pcm import FRAME_SAMPLES, Int16, silence
from voicepipe.config import AsrSettings

ROOT = Path(__file__).parents[3]
WORDS = ROOT / "models" / "builtin" / "words"
QUESTIONS = ROOT / "tests" / "data" / "questions"
PHRASES = (
    "what time is it", "set a timer for [five|ten] minutes", "play some music please",
    "turn on the lights in the kitchen", "tell me a joke", "cancel all the timers",
    "i would like to book a table for two at seven", "what is the weather in paris",
    "remind me to call the doctor tomorrow", "how are you today", "order a pizza for me",
    "what day of the week is it",
)  # fmt: skip


@asynccontextmanager
async def started(
    model_dir: Path | None = WORDS, **settings: Any
) -> AsyncIterator[PocketsphinxRecognizer]:
    engine = PocketsphinxRecognizer(AsrSettings(**settings), model_dir, WORDS)
    await engine.start()
    try:
        yield engine
    finally:
        await engine.aclose()


def phrases_only() -> Any:
    """An engine that knows twelve sentences and no other English: loads at once."""
    return started(None, phrases=PHRASES, domain_share=1.0)


def question(name: str) -> Int16:
    sound = files.read(QUESTIONS / f"{name}.flac")
    return np.concatenate([sound, silence(300)])


def feed(utterance: SphinxUtterance, sound: Int16) -> None:
    for start in range(0, len(sound), FRAME_SAMPLES):
        utterance.feed(sound[start : start + FRAME_SAMPLES])


async def heard(engine: PocketsphinxRecognizer, sound: Int16) -> Transcript:
    utterance = engine.open(AsrOptions())
    feed(utterance, sound)
    try:
        return await utterance.final()
    finally:
        utterance.cancel()
