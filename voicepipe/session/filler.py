"""A few words while the answer is late, or the user pauses. Not the answer: they have their own
mark, stand in no history, and stop where the answer begins.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import replace

import numpy as np

from voicepipe.audio.codec import Encoder
from voicepipe.audio.formats import AudioFormat
from voicepipe.audio.pcm import Int16
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import EngineError
from voicepipe.runtime.streams import closing
from voicepipe.session.context import Context
from voicepipe.tts.contract import Synthesizer, Voice

log = logging.getLogger(__name__)

SLICE_MS = 40
LEAD_MS = 80
"""A listener that buffers all by itself cannot be told to forget, so a filler goes out no further
ahead than this: so long the answer waits behind it at most."""

FADE_MS = 20
SYNTHESIS_DEADLINE_S = 2.0


class Filler:
    """A phrase, said until there is something better to hear."""

    def __init__(
        self,
        phrase: str,
        synthesizer: Synthesizer,
        voice: Voice,
        wire: AudioFormat,
        clock: Clock,
    ) -> None:
        self.phrase = phrase
        self._synthesizer, self._voice = synthesizer, voice
        self._encoder = Encoder(synthesizer.sample_rate, wire)
        self._clock = clock

    async def bridge(self, enough: asyncio.Event) -> AsyncIterator[bytes]:
        """Wire audio to play, until `enough` is set or the phrase has been said, whichever is
        first. An engine that cannot say it is no harm: then there is silence, as without a filler.
        """
        pcm = await self._speech(enough)
        if pcm is None or not pcm.size or enough.is_set():
            return
        rate = self._synthesizer.sample_rate
        size, began = rate * SLICE_MS // 1000, self._clock.now()
        for start in range(0, pcm.size, size):
            due_s = began + start / rate - (LEAD_MS - SLICE_MS) / 1000
            if await _set_within(enough, due_s - self._clock.now()):
                yield self._encoder.encode(_faded(pcm[start:], rate))
                break
            yield self._encoder.encode(pcm[start : start + size])
        yield self._encoder.flush()

    async def _speech(self, enough: asyncio.Event) -> Int16 | None:
        """The phrase, mostly from the phrase cache; None if the answer was quicker."""
        making = asyncio.create_task(self._synthesize(), name="filler-speech")
        ready = asyncio.create_task(enough.wait(), name="filler-answer")
        try:
            await asyncio.wait(
                {making, ready},
                timeout=SYNTHESIS_DEADLINE_S,
                return_when=asyncio.FIRST_COMPLETED,
            )
            there = making.done() and not making.cancelled() and not ready.done()
            return making.result() if there else None
        except EngineError as error:
            log.warning("no filler: %s", error)
            return None
        except Exception:  # a fault of the engine's: the answer may come all the same
            log.exception("no filler")
            return None
        finally:
            making.cancel()
            ready.cancel()
            await asyncio.gather(making, ready, return_exceptions=True)

    async def _synthesize(self) -> Int16:
        chunks: list[Int16] = []
        async with closing(self._synthesizer.stream(self.phrase, self._voice)) as stream:
            async for speech in stream:
                chunks.append(speech.pcm)
        return np.concatenate(chunks) if chunks else np.zeros(0, dtype=np.int16)


def filler_saying(context: Context, voice: Voice, phrase: str) -> Filler:
    """A filler with these words, in the language that is spoken by now."""
    return Filler(
        phrase,
        context.engines.synthesizer,
        replace(voice, language=context.language.reply_code),
        context.settings.output_format,
        context.clock,
    )


async def _set_within(event: asyncio.Event, seconds: float) -> bool:
    if seconds <= 0 or event.is_set():
        return event.is_set()
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return event.is_set()
    return True


def _faded(pcm: Int16, rate: int) -> Int16:
    """The next few milliseconds, falling silent: speech cut off sharply clicks."""
    tail = pcm[: rate * FADE_MS // 1000]
    faded: Int16 = (tail * np.linspace(1.0, 0.0, tail.size)).astype(np.int16)
    return faded
