"""An utterance on a decoder of pocketsphinx. Audio is decoded as it comes, so partials cost nothing
and a final waits only for what is left. A second final after nothing but silence is the first one;
after more speech everything is decoded anew, since a decoder cannot take back its end."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

import numpy as np

from voicepipe.asr.agreement import LocalAgreement
from voicepipe.asr.contract import AsrOptions, Hypothesis, Transcript, Word
from voicepipe.asr.filters import FilterLimits, without_loops
from voicepipe.asr.pcm_buffer import PcmBuffer
from voicepipe.asr.sphinx.decoder import SphinxDecoder
from voicepipe.asr.sphinx.evidence import SpeechEvidence
from voicepipe.asr.sphinx.pool import DecoderPool
from voicepipe.asr.sphinx.verdict import (
    Doubts,
    PartsLimits,
    hopeless,
    is_noise,
    made_of_parts,
    mean_confidence,
    parts,
    plain_text,
    words,
)
from voicepipe.asr.windows import frame_energy
from voicepipe.audio.pcm import FRAME_SAMPLES, SAMPLE_RATE, Int16
from voicepipe.languages.known import ENGLISH
from voicepipe.languages.language import Language
from voicepipe.languages.transcript import join_words
from voicepipe.runtime.errors import EngineError
from voicepipe.runtime.streams import Latest

logger = logging.getLogger(__name__)

Result = TypeVar("Result")


class _NotBegun(Exception):
    """The utterance was cancelled while its work waited for a thread."""


@dataclass(frozen=True, slots=True)
class SphinxStream:
    """What all utterances of an engine share."""

    settle_s: float = 1.2  # of audio, from which the cepstral mean is taken before decoding begins
    again_s: float = 1.5  # sound so short is decoded anew as a whole for its final: the mean of all
    # of it makes much of the difference for single words (docs/hearing.md)
    margin_s: float = 0.15  # kept around the sound then; silence beyond would spoil the mean
    step_s: float = 0.24  # of new audio between two partials
    quiet_db: float = 30.0  # frames so far below the loudest one hold no speech
    filters: FilterLimits = field(default_factory=FilterLimits)
    doubts: Doubts = field(default_factory=Doubts)
    parts: PartsLimits = field(default_factory=PartsLimits)
    max_utterance_s: float = 120.0  # audio beyond is dropped, and said so once
    language: Language = ENGLISH  # of the words


class SphinxUtterance:
    """Implements `contract.Utterance`. One task at a time works for it, in `pool`'s threads."""

    def __init__(self, options: AsrOptions, settings: SphinxStream, pool: DecoderPool) -> None:
        self._options = options
        self._settings = settings
        self._pool = pool
        self._buffer = PcmBuffer()
        self._limit = round(settings.max_utterance_s * SAMPLE_RATE)
        self._loudest = 0.0  # energy of the loudest frame
        self._scanned = 0  # samples searched for sound
        self._sound_start: int | None = None  # first sample of the first loud frame
        self._sound_end = 0  # sample after the last loud frame
        self._decoder: SphinxDecoder | None = None
        self._decoded = 0  # samples that the decoder has had
        self._evidence = self._no_evidence()  # of the same samples
        self._wanted: int | None = None  # a final of so many samples is asked for
        self._known: tuple[int, Transcript] | None = None  # the transcript of so many samples
        self._agreement = LocalAgreement()
        self._hypotheses: Latest[Hypothesis] = Latest()
        self._final_turn = asyncio.Lock()
        self._answered = asyncio.Event()  # what is wanted is known, or will never be
        self._error: EngineError | None = None
        self._cancelled = False
        self._work_s = self._queue_s = 0.0
        self.task: asyncio.Task[None] | None = None
        self.dropped_samples = 0

    def feed(self, pcm: Int16) -> None:
        """See the contract. After `cancel` audio is ignored."""
        if self._cancelled or len(pcm) == 0:
            return
        room = self._limit - self._buffer.total
        if len(pcm) > room:
            self._drop(len(pcm) - room)
            pcm = pcm[:room]
        self._buffer.append(pcm)
        self._scan()
        if self._due():
            self._start_work()

    async def hypotheses(self) -> AsyncIterator[Hypothesis]:
        """See the contract; a slow reader gets the newest, not all."""
        async for hypothesis in self._hypotheses.read():
            yield hypothesis

    async def final(self) -> Transcript:
        """See the contract."""
        async with self._final_turn:
            if not self._heard_all():
                await self._ask_final()
            assert self._known is not None
            return self._known[1]

    def cancel(self) -> None:
        """See the contract. A decode that runs ends in its thread and is forgotten; one that waits
        for a thread never runs."""
        if self._cancelled:
            return
        self._cancelled = True
        self._hypotheses.close()
        self._buffer.clear()
        if self.task is None or self.task.done():
            self._release()

    # --- audio ---

    def _drop(self, samples: int) -> None:
        if not self.dropped_samples:
            logger.warning(
                "an utterance passed %g s; what comes after is not recognized",
                self._settings.max_utterance_s,
            )
        self.dropped_samples += samples

    def _scan(self) -> None:
        """Look for sound in the whole frames that were not looked at yet."""
        end = self._buffer.total // FRAME_SAMPLES * FRAME_SAMPLES
        energy = frame_energy(self._buffer.slice(self._scanned, end))
        if len(energy):
            self._loudest = max(self._loudest, float(energy.max()))
            loud = np.flatnonzero(energy >= self._quiet())
            if len(loud):
                if self._sound_start is None:
                    self._sound_start = self._scanned + int(loud[0]) * FRAME_SAMPLES
                self._sound_end = self._scanned + (int(loud[-1]) + 1) * FRAME_SAMPLES
        self._scanned = end

    def _quiet(self) -> float:
        settings = self._settings
        below = self._loudest * float(10.0 ** (-settings.quiet_db / 10))
        return max(settings.filters.silence_energy, below)

    def _due(self) -> bool:
        """Whether there is enough new speech to go on decoding."""
        settled = self._buffer.total >= self._settings.settle_s * SAMPLE_RATE
        fresh = self._buffer.total - self._decoded >= self._settings.step_s * SAMPLE_RATE
        new = self._sound_end > 0 and not self._heard_all()
        failed = self._error is not None  # a partial's error would come again with every frame
        return self._options.partials and settled and fresh and new and not failed

    def _heard_all(self) -> bool:
        """Whether nothing but silence has come since the last final."""
        return self._known is not None and self._sound_end <= self._known[0]

    # --- work ---

    def _start_work(self) -> None:
        if self.task is None or self.task.done():
            self.task = asyncio.create_task(self._work(), name="asr-sphinx")

    async def _ask_final(self) -> None:
        self._error = None  # what failed while nobody waited is tried again
        self._work_s = self._queue_s = 0.0
        self._check()
        if self._sound_end == 0:
            self._known = (self._buffer.total, Transcript("", refused="silence"))
            return
        self._wanted = self._buffer.total
        self._answered.clear()
        self._start_work()
        await self._answered.wait()  # not the task: that goes on with partials of what came since
        self._check()

    def _check(self) -> None:
        if self._cancelled:
            raise EngineError("the utterance was cancelled", stage="asr")
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    async def _work(self) -> None:
        """Decode until nothing is due. Errors are the final's that waits."""
        try:
            while not self._cancelled and (self._wanted is not None or self._due()):
                if (wanted := self._wanted) is not None:
                    await self._finish(wanted)
                    if self._wanted == wanted or self._heard_all():  # else more was asked for
                        self._wanted = None
                        self._answered.set()
                else:
                    await self._advance()
        except _NotBegun:
            pass
        except EngineError as error:
            logger.warning("a decode failed: %s", error)
            self._failed(error)
        except Exception:
            logger.exception("the speech recognizer failed")
            self._failed(EngineError("the speech recognizer failed", stage="asr"))
        finally:
            self._answered.set()
            if self._cancelled:
                self._release()

    def _failed(self, error: EngineError) -> None:
        self._error, self._wanted = error, None
        self._release()

    async def _advance(self) -> None:
        decoder = await self._begun()
        if self._cancelled or self._wanted is not None:  # a final of less than there is by now
            return
        end = self._buffer.total
        pcm = self._buffer.slice(self._decoded, end)

        def decode() -> str:
            self._evidence.feed(pcm)
            decoder.feed(pcm)
            return plain_text(decoder.text())

        text = await self._timed(decode)
        self._decoded = end
        self._show(text, end)

    async def _finish(self, end: int) -> None:
        decoder = await self._begun()
        if self._cancelled:
            return
        start, stop = self._spoken(end)
        again = stop - start <= self._settings.again_s * SAMPLE_RATE
        new, whole = self._buffer.slice(self._decoded, end), self._buffer.slice(start, stop)
        sound = whole if again else self._buffer.slice(0, end)  # `cancel` may clear it meanwhile

        def decode() -> tuple[tuple[Word, ...], bool]:
            self._evidence.feed(new)
            if again:
                decoder.begin(decoder.mean_of(whole))
                decoder.feed(whole, whole=True)
            else:
                decoder.feed(new)
            decoder.end()
            offset_s = start / SAMPLE_RATE if again else 0.0
            open_path = tuple(decoder.segments())
            made = self._as_parts(decoder, sound, offset_s)
            if made is not None:
                return made, True
            return words(open_path, self._settings.doubts, offset_s), False

        found, of_parts = await self._timed(decode)
        self._known = (end, self._transcript(found, end, may_repeat=of_parts))
        self._release()

    def _as_parts(
        self, decoder: SphinxDecoder, sound: Int16, offset_s: float
    ) -> tuple[Word, ...] | None:
        """The words, if it is a number or a single word that was said, in the sound that `decoder`
        has heard."""
        limits, decoders = self._settings.parts, self._pool.parts
        if decoders is None or len(sound) > limits.longest_s * SAMPLE_RATE:
            return None
        path = decoders.hear(sound, decoder.costs(), partial(hopeless, limits=limits))
        return parts(path, offset_s) if made_of_parts(path, limits) else None

    def _spoken(self, end: int) -> tuple[int, int]:
        """Where the sound is, of the samples before `end`."""
        margin = round(self._settings.margin_s * SAMPLE_RATE)
        start = max(0, (self._sound_start or 0) - margin)
        return start, min(end, self._sound_end + margin)

    async def _begun(self) -> SphinxDecoder:
        """The decoder, in the utterance."""
        if self._decoder is None:
            began = time.perf_counter()
            decoder = self._decoder = await self._pool.take()
            self._queue_s += time.perf_counter() - began
            self._decoded, self._evidence = 0, self._no_evidence()
            if not self._cancelled:
                sound = self._buffer.slice(0, self._buffer.total)
                await self._timed(lambda: decoder.begin(decoder.mean_of(sound)))
            return decoder
        return self._decoder

    async def _timed(self, work: Callable[[], Result]) -> Result:
        """Raises _NotBegun."""

        def unless_cancelled() -> Result:
            if self._cancelled:
                raise _NotBegun
            return work()

        began = time.perf_counter()
        try:
            return await self._pool.run(unless_cancelled)
        finally:
            self._work_s += time.perf_counter() - began

    def _release(self) -> None:
        decoder, self._decoder, self._decoded = self._decoder, None, 0
        if decoder is not None:
            self._pool.give_back(decoder)

    def _no_evidence(self) -> SpeechEvidence:
        return SpeechEvidence(self._settings.doubts.speech)  # enough for any words

    # --- results ---

    def _show(self, text: str, end: int) -> None:
        if not text or self._cancelled:
            return
        self._agreement.update(text.split())
        self._hypotheses.put(
            Hypothesis(
                stable=join_words(self._agreement.stable, self._settings.language),
                tentative=join_words(self._agreement.tentative, self._settings.language),
                audio_s=end / SAMPLE_RATE,
                space=" " if self._settings.language.spaced else "",
            )
        )

    def _transcript(self, found: tuple[Word, ...], end: int, *, may_repeat: bool) -> Transcript:
        """`may_repeat`: a number may well be eight times the same digit, a sentence is not."""
        sure = mean_confidence(found)
        kept, looped = list(range(len(found))), False
        if not may_repeat:
            kept, looped = without_loops([word.text for word in found])
        noise = is_noise(found, self._evidence.best, self._settings.doubts)
        refused = "noise" if noise else "loop" if looped else None
        shown = () if refused else tuple(found[n] for n in kept)
        return Transcript(
            text=join_words((word.text for word in shown), self._settings.language),
            words=shown,
            language=self._settings.language.code,
            confidence=sure,
            audio_s=end / SAMPLE_RATE,
            work_s=self._work_s,
            queue_s=self._queue_s,
            refused=refused,
        )
