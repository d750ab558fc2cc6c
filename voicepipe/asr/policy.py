"""When to decode which stretch of an utterance, and what to make of the answers. Pure: samples and
decodes go in, plans, hypotheses and the transcript come out. Positions are sample indices from the
utterance's first sample.

An utterance is decoded as one *piece* as long as it fits the model's window. A longer one is cut
at the quietest point of the later half of the window (or at pauses, for models that want it). The
piece before the cut is decoded once more on its own and its words are fixed, so every sample
belongs to one final decode and no word is lost or doubled. Trailing silence is never decoded: a
decode that heard all sound still stands when only silence has come since."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from voicepipe.asr.agreement import LocalAgreement
from voicepipe.asr.contract import Hypothesis, Transcript, Word
from voicepipe.asr.decoding import UNSPACED, Decoded
from voicepipe.asr.filters import FilterLimits, Refusal, is_noise, without_loops
from voicepipe.asr.windows import WindowLimits, cut_range
from voicepipe.audio.pcm import FRAME_SAMPLES, SAMPLE_RATE

_LEAD = round(0.4 * SAMPLE_RATE)  # of silence before the first sound so much is kept (pre-roll)

_PAUSE = round(0.1 * SAMPLE_RATE)  # silence that ends a word; stops inside words are shorter


class Listener(Protocol):
    """What the policy asks of the audio: positions in [low, high)."""

    def quietest(self, low: int, high: int) -> int:
        """The quietest position."""
        ...

    def pause(self, low: int, high: int, pause_s: float) -> int | None:
        """The middle of the first pause between sounds that lasts `pause_s`."""
        ...


@dataclass(frozen=True, slots=True)
class DecodePlan:
    """Decode samples [start, end) in a window of `window` samples."""

    start: int
    end: int
    window: int
    closes: bool  # the piece ends here and its words are fixed
    timed: bool  # with measured word times


@dataclass(frozen=True, slots=True)
class _Heard:
    """A decode of one piece, after the filters."""

    end: int
    words: tuple[Word, ...]  # times from the utterance's first sample
    tokens: int
    logprob: float  # sum over tokens
    refused: Refusal | None
    language: str | None
    timed: bool


def _confidence(pieces: Sequence[_Heard]) -> float:
    """The mean over the tokens of all pieces that hold words; less where others were refused, for
    something was said there that the model did not understand."""
    spoken = [piece for piece in pieces if piece.words] or pieces
    tokens = sum(piece.tokens for piece in spoken)
    logprob = sum(piece.logprob for piece in spoken)
    share = len(spoken) / len(pieces) if pieces else 1.0
    return share * min(1.0, math.exp(logprob / tokens)) if tokens else 1.0


class StreamPolicy:
    """The decisions of one utterance."""

    def __init__(
        self,
        windows: WindowLimits,
        filters: FilterLimits,
        *,
        partial_samples: int,
        timed: bool = False,
    ) -> None:
        self._windows = windows
        self._filters = filters
        self._partial_samples = partial_samples  # 0: no partials
        self._timed = timed  # word times are wanted: of a piece that ends, nobody asks again
        self._fixed: list[_Heard] = []
        self._start = 0  # of the current piece
        self._latest: _Heard | None = None  # newest decode of the current piece
        self._total = 0
        self._loud_end = 0  # end of the last sound above the silence level
        self._asked_end = 0  # where the newest partial decode that was asked for ends
        self._agreement = LocalAgreement()

    @property
    def needed_from(self) -> int:
        """Audio before this position will not be asked for again."""
        silent_from = self._total - _LEAD - FRAME_SAMPLES  # sound is found frame by frame
        return max(self._start, silent_from) if self._silent else self._start

    @property
    def _silent(self) -> bool:
        return self._loud_end <= self._start  # the piece holds no sound yet

    def heard(self, total: int, sound: tuple[int, int] | None) -> None:
        """Audio has grown to `total` samples; what is new has its first sound and the end of its
        last one at `sound` (None: it is silent)."""
        self._total = total
        if sound is not None:
            if self._silent:
                self._start = max(self._start, sound[0] - _LEAD)
            self._loud_end = max(self._loud_end, sound[1])

    def partial_due(self) -> bool:
        """Enough new sound for another look."""
        if not self._partial_samples or self._loud_end <= max(self._asked_end, self._start):
            return False
        return self._total - max(self._asked_end, self._start) >= self._partial_samples

    def plan_partial(self, audio: Listener) -> DecodePlan | None:
        """The decode that would update the hypothesis."""
        self._asked_end = self._total
        return self.plan(self._total, audio, timed=False)

    def plan(self, upto: int, audio: Listener, *, timed: bool) -> DecodePlan | None:
        """The next decode on the way to a transcript of the audio before `upto`, None when nothing
        of it is left to hear."""
        start, end = self._start, min(self._loud_end, upto)
        if end <= start:
            return None
        cut = self._cut(start, end, audio)
        if cut is not None:
            timed = timed or self._timed
            return DecodePlan(start, cut, self._windows.window(cut - start), True, timed)
        if self._latest and self._latest.end >= end and (self._latest.timed or not timed):
            return None
        return DecodePlan(start, end, self._windows.window(end - start), False, timed)

    def _cut(self, start: int, end: int, audio: Listener) -> int | None:
        """Where the piece has to end, if it has to."""
        cut = None
        within = min(end, start + self._windows.capacity)
        if self._windows.pause_s is not None:
            cut = audio.pause(start, within, self._windows.pause_s)
        if cut is None and end > within:
            cut = audio.quietest(*cut_range(self._windows, start))
        return None if cut is None else min(max(cut, start + 1), end)

    def absorb(self, plan: DecodePlan, decoded: Decoded) -> Hypothesis | None:
        """Take a decode. None if a newer one or a cut has overtaken it, and for a piece that ends
        (what came after the cut is decoded next; without it the text would shrink for a moment)."""
        if plan.start != self._start:
            return None
        if not plan.closes and self._latest and self._latest.end > plan.end:
            return None
        heard = self._filter(plan, decoded)
        words = [word.text for word in heard.words]
        if plan.closes:
            self._fixed.append(heard)
            self._start = self._asked_end = plan.end
            self._latest = None
            self._agreement.close(words)
            return None
        if self._latest is None or self._latest.end < plan.end:  # the same audio proves nothing
            self._agreement.update(words, ended=self._pause_after(plan.end))
        self._latest = heard
        return self.hypothesis(plan.end)

    def hypothesis(self, end: int) -> Hypothesis:
        """What is known of the audio up to `end`."""
        space = self._space()
        return Hypothesis(
            stable=space.join(self._agreement.stable),
            tentative=space.join(self._agreement.tentative),
            audio_s=end / SAMPLE_RATE,
            space=space,
            confidence=_confidence([*self._fixed, *([self._latest] if self._latest else [])]),
        )

    def transcript(self, upto: int) -> Transcript:
        """All that was decoded; covers the audio before `upto` once `plan` gives None for it. Queue
        and engine times are the caller's to add."""
        pieces = [*self._fixed, *([self._latest] if self._latest else [])]
        words = tuple(word for piece in pieces for word in piece.words)
        reasons = [piece.refused for piece in pieces if piece.refused]
        return Transcript(
            text=self._space().join(word.text for word in words),
            words=words,
            language=next((piece.language for piece in pieces if piece.language), None),
            confidence=_confidence(pieces),
            audio_s=upto / SAMPLE_RATE,
            refused=None if words else (reasons[0] if reasons else "silence"),
        )

    def _pause_after(self, end: int) -> bool:
        return self._loud_end <= end <= self._total - _PAUSE

    def _space(self) -> str:
        newest = self._latest or (self._fixed[-1] if self._fixed else None)
        return "" if newest and newest.language in UNSPACED else " "

    def _filter(self, plan: DecodePlan, decoded: Decoded) -> _Heard:
        offset_s = plan.start / SAMPLE_RATE
        words = tuple(
            replace(word, start_s=word.start_s + offset_s, end_s=word.end_s + offset_s)
            for word in decoded.words
        )
        refused: Refusal | None = None
        kept, mostly_loop = without_loops([word.text for word in words])
        if is_noise(decoded.avg_logprob, decoded.no_speech_prob, self._filters) or not words:
            kept, refused = [], "noise"
        elif mostly_loop:
            kept, refused = [], "loop"
        return _Heard(
            end=plan.end,
            words=tuple(words[index] for index in kept),
            tokens=decoded.tokens,
            logprob=decoded.avg_logprob * decoded.tokens,
            refused=refused,
            language=decoded.language,
            timed=plan.timed,
        )
