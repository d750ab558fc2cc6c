"""An utterance on a decoding engine: audio in, hypotheses and transcripts out. The decisions are
`policy.StreamPolicy`'s, the order of work is `scheduler.DecodeScheduler`'s; this is the shell."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace

import numpy as np

from voicepipe.asr.contract import AsrOptions, Hypothesis, Transcript
from voicepipe.asr.decoding import Decoded, DecodeRequest
from voicepipe.asr.filters import FilterLimits, token_cap
from voicepipe.asr.language import SURE_S
from voicepipe.asr.pcm_buffer import PcmBuffer
from voicepipe.asr.policy import DecodePlan, StreamPolicy
from voicepipe.asr.scheduler import DecodeScheduler, Outcome, Ticket
from voicepipe.asr.windows import WindowLimits, first_pause, frame_energy, quietest_point
from voicepipe.audio.pcm import FRAME_SAMPLES, SAMPLE_RATE, Int16
from voicepipe.runtime.errors import EngineError
from voicepipe.runtime.streams import Latest

logger = logging.getLogger(__name__)

Scheduler = DecodeScheduler[DecodeRequest, Decoded]


@dataclass(frozen=True, slots=True)
class StreamSettings:
    """What all utterances of an engine share."""

    windows: WindowLimits
    filters: FilterLimits = field(default_factory=FilterLimits)
    partial_ms: int = 240  # new audio between two partial decodes; 0 = none
    tokens_per_s: float = 8.0
    max_tokens: int = 224  # of one decode; half of Whisper's text positions
    max_utterance_s: float = 120.0  # audio beyond is dropped, and said so once


class StreamingUtterance:
    """Implements `contract.Utterance`."""

    def __init__(self, options: AsrOptions, settings: StreamSettings, scheduler: Scheduler) -> None:
        partial_ms = settings.partial_ms if options.partials else 0
        self._options = options
        self._settings = settings
        self._scheduler = scheduler
        self._policy = StreamPolicy(
            settings.windows,
            settings.filters,
            partial_samples=partial_ms * SAMPLE_RATE // 1000,
            timed=options.word_times,
        )
        self._buffer = PcmBuffer()
        self._scanned = 0  # whole frames before it were searched for sound
        self._limit = round(settings.max_utterance_s * SAMPLE_RATE)
        self._hypotheses: Latest[Hypothesis] = Latest()
        self._partial: tuple[DecodePlan, Ticket[DecodeRequest, Decoded]] | None = None
        self._final: Ticket[DecodeRequest, Decoded] | None = None
        self._final_turn = asyncio.Lock()
        self._known: tuple[int, Transcript] | None = None  # transcript of so many samples
        self._cancelled = False
        self.dropped_samples = 0  # audio beyond the limit

    def feed(self, pcm: Int16) -> None:
        """See the contract. After `cancel` audio is ignored."""
        room = self._limit - self._buffer.total
        if self._cancelled or len(pcm) == 0:
            return
        if len(pcm) > room:
            if not self.dropped_samples:
                logger.warning(
                    "an utterance passed %g s; what comes after is not recognized",
                    self._settings.max_utterance_s,
                )
            self.dropped_samples += len(pcm) - room
            pcm = pcm[:room]
        self._buffer.append(pcm)
        self._scan(self._buffer.total // FRAME_SAMPLES * FRAME_SAMPLES)
        self._ask_partial()

    async def hypotheses(self) -> AsyncIterator[Hypothesis]:
        """See the contract; a slow reader gets the newest, not all."""
        async for hypothesis in self._hypotheses.read():
            yield hypothesis

    async def final(self) -> Transcript:
        """See the contract. Nothing is decoded twice: what was fed since the last decode, if it is
        more than silence, is what makes the engine work again."""
        end = self._buffer.total
        async with self._final_turn:
            if self._known is None or self._known[0] < end:
                self._known = (end, await self._decode_until(end))
            return self._known[1]

    def cancel(self) -> None:
        """See the contract."""
        if self._cancelled:
            return
        self._cancelled = True
        if self._partial is not None:
            self._scheduler.cancel(self._partial[1])
        if self._final is not None:
            self._scheduler.cancel(self._final)
        self._hypotheses.close()
        self._buffer.clear()

    # --- audio ---

    def _scan(self, end: int) -> None:
        """Look for sound in the audio up to `end` that was not looked at yet. Always on the same
        frame grid, so that the pieces in which audio comes make no difference."""
        new = self._buffer.slice(self._scanned, end)
        loud = np.flatnonzero(frame_energy(new) >= self._settings.filters.silence_energy)
        sound = None
        if len(loud):
            first, last = int(loud[0]), int(loud[-1])
            sound = (
                self._scanned + first * FRAME_SAMPLES,
                self._scanned + (last + 1) * FRAME_SAMPLES,
            )
        self._scanned = end
        self._policy.heard(self._buffer.total, sound)
        self._buffer.free_before(min(self._policy.needed_from, self._scanned))

    def _scan_rest(self) -> None:
        """Before a final: the part of a frame at the end counts as sound (it is shorter than
        20 ms), if sound comes right before it."""
        rest = self._buffer.slice(self._scanned, self._buffer.total)
        if len(rest) and np.square(rest / 32768.0).mean() >= self._settings.filters.silence_energy:
            self._policy.heard(self._buffer.total, (self._scanned, self._buffer.total))

    def quietest(self, low: int, high: int) -> int:
        """For the policy (`policy.Listener`)."""
        return low + quietest_point(self._buffer.slice(low, high))

    def pause(self, low: int, high: int, pause_s: float) -> int | None:
        """For the policy (`policy.Listener`)."""
        found = first_pause(self._buffer.slice(low, high), pause_s)
        return None if found is None else low + found

    def _request(self, plan: DecodePlan, *, final: bool) -> DecodeRequest:
        settings = self._settings
        language, kept = self._language(plan, final)
        return DecodeRequest(
            pcm=self._buffer.slice(plan.start, plan.end),
            window=plan.window,
            max_tokens=token_cap(
                (plan.end - plan.start) / SAMPLE_RATE, settings.tokens_per_s, settings.max_tokens
            ),
            language=language,
            kept_language=kept,
            prompt=self._options.prompt,
            timed=plan.timed,
        )

    def _language(self, plan: DecodePlan, final: bool) -> tuple[str | None, str | None]:
        """(given, kept): as asked for, else as the session's earlier speech was heard. A final that
        is long enough to tell detects anew, and may hear that the language has changed."""
        code = self._options.spoken.code if self._options.spoken else None
        if self._options.language or code is None:
            return self._options.language, None
        tells = final and plan.end - plan.start >= SURE_S * SAMPLE_RATE
        return (None, code) if tells else (code, None)

    def _absorb(self, plan: DecodePlan, outcome: Outcome[Decoded], asked: DecodeRequest) -> None:
        hypothesis = self._policy.absorb(plan, outcome.result)
        spoken = self._options.spoken if asked.language is None else None
        if spoken is not None and hypothesis is not None and hypothesis.text:
            spoken.heard(outcome.result, (plan.end - plan.start) / SAMPLE_RATE)
        self._buffer.free_before(min(self._policy.needed_from, self._scanned))
        if hypothesis is not None and self._options.partials:
            self._hypotheses.put(hypothesis)

    # --- partials ---

    def _ask_partial(self) -> None:
        """Queue a partial decode if one is due and none of ours is running."""
        if self._partial is not None and self._partial[1].started:
            return  # when it ends we look again
        if self._final is not None or not self._policy.partial_due():
            return
        plan = self._policy.plan_partial(self)
        if plan is None:
            return
        try:
            ticket = self._scheduler.submit(
                self._request(plan, final=False), owner=self, final=False
            )
        except EngineError:
            return  # overloaded: the final will say so, a partial is only a courtesy
        self._partial = (plan, ticket)
        ticket.future.add_done_callback(lambda future: self._partial_done(plan, ticket))

    def _partial_done(self, plan: DecodePlan, ticket: Ticket[DecodeRequest, Decoded]) -> None:
        if self._partial is not None and self._partial[1] is ticket:
            self._partial = None
        if ticket.future.cancelled() or self._cancelled:
            return
        if (error := ticket.future.exception()) is not None:
            self._scheduler.say_partial_lost(error)
            return
        self._absorb(plan, ticket.future.result(), ticket.request)
        self._ask_partial()

    # --- finals ---

    async def _decode_until(self, end: int) -> Transcript:
        """Decode until nothing is left to hear of the audio before `end`."""
        queue_s = work_s = 0.0
        self._check()
        self._scan_rest()
        while plan := self._policy.plan(end, self, timed=self._options.word_times):
            outcome = await self._decode(plan)
            queue_s += outcome.queue_s
            work_s += outcome.result.work_s
        return replace(self._policy.transcript(end), queue_s=queue_s, work_s=work_s)

    async def _decode(self, plan: DecodePlan) -> Outcome[Decoded]:
        """One decode, absorbed: the partial that does just this if it runs already, else ours."""
        if self._partial is not None:
            partial_plan, partial = self._partial
            if partial.started and partial_plan == plan:
                await asyncio.wait((partial.future,))
                self._check()
                if not partial.future.cancelled() and partial.future.exception() is None:
                    return partial.future.result()  # absorbed by its own callback
            else:
                self._scheduler.cancel(partial)  # the final covers it
        return await self._decode_now(plan)

    async def _decode_now(self, plan: DecodePlan) -> Outcome[Decoded]:
        ticket = self._final = self._scheduler.submit(
            self._request(plan, final=True), owner=self, final=True
        )
        try:
            await asyncio.wait((ticket.future,))  # not the future itself: whether it or the
            # awaiting task was cancelled must be told apart
        finally:
            self._final = None
            self._scheduler.cancel(ticket)
        self._check()
        if ticket.future.cancelled():
            raise EngineError("the speech recognizer was shut down", stage="asr")
        outcome = ticket.future.result()
        self._absorb(plan, outcome, ticket.request)
        return outcome

    def _check(self) -> None:
        if self._cancelled:
            raise EngineError("the utterance was cancelled", stage="asr")
