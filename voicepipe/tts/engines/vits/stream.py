"""Speaks with a voice cut in three: the first sound after a fraction of the work.

The sentence's prior comes whole; flow and vocoder then run on overlapping windows, and of each
window only the frames whose whole reach lay inside it are kept. What comes out is what the uncut
graph gives, bit for bit where onnxruntime sums in the same order: it does if a product has at least
65 columns, since MLAS, its matrix library, chooses other blocks below that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from voicepipe.tts.engines.vits.reach import Reach

Float32 = npt.NDArray[np.float32]
Feeds = Mapping[str, npt.NDArray[Any]]

FIRST_FRAMES = 16
"""Of the first chunk: 186 ms at 22.05 kHz, time enough to make the next on a busy core."""

MOST_FRAMES = 64
"""Of any chunk: 740 ms. Longer ones cost less per second but are longer under way when cancelled
or when another session waits."""

FLOW_FRAMES = 128
"""How much further the flow goes at a time: its windows overlap by 73 frames."""

EXACT_FRAMES = 65
"""The shortest window of the flow, see above."""


class Session(Protocol):
    """The part of onnxruntime's `InferenceSession` used here."""

    def run(self, outputs: list[str] | None, feeds: Feeds) -> list[npt.NDArray[Any]]: ...

    def get_inputs(self) -> list[Any]: ...


@dataclass(frozen=True, slots=True)
class Layout:
    """What connects the three parts: tensor names, and how far each windowed part sees."""

    prior: str
    mask: str
    frames: str
    rise: str  # what the flow gives and the vocoder takes
    flow_reach: Reach  # in frames
    vocoder_reach: Reach  # in 1/flow_reach.rate frames

    @property
    def hop(self) -> int:
        """Samples in a frame."""
        return self.flow_reach.rate * self.vocoder_reach.rate


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence being spoken. `chunks` does the work, float samples in -1..1 as they come.

    `samples`: how long each phoneme id lasts, where the voice says so.
    """

    samples: npt.NDArray[np.int64] | None
    chunks: Iterator[Float32]


class VitsVoice(Protocol):
    """A voice that turns phoneme ids into sound."""

    def speak(self, feeds: Feeds) -> Sentence:
        """`feeds`: `input` [1, P] and `input_lengths` [1] int64, `scales` [3] float32 = noise,
        length, noise of the durations; `sid` [1] int64 for voices with several speakers."""
        ...


class WholeVoice:
    """An uncut voice: a sentence is one chunk. `hop` is for voices whose second output, if there
    is one, counts the frames of each id."""

    def __init__(self, session: Session, hop: int) -> None:
        self._session = session
        self._hop = hop

    def speak(self, feeds: Feeds) -> Sentence:
        """See `VitsVoice`."""
        results = self._session.run(None, feeds)
        samples = _samples(results[1], self._hop) if len(results) > 1 else None
        return Sentence(samples, iter((results[0].reshape(-1),)))


class CutVoice:
    """A voice in three parts."""

    def __init__(self, text: Session, flow: Session, vocoder: Session, layout: Layout) -> None:
        self._text, self._flow, self._vocoder = text, flow, vocoder
        self._layout = layout
        self._flow_inputs = {given.name for given in flow.get_inputs()}
        self._vocoder_inputs = {given.name for given in vocoder.get_inputs()}

    def speak(self, feeds: Feeds) -> Sentence:
        """See `VitsVoice`."""
        names = [self._layout.prior, self._layout.mask, self._layout.frames]
        prior, mask, frames = self._text.run(names, feeds)
        sid = {"sid": feeds["sid"]} if "sid" in feeds else {}
        return Sentence(_samples(frames, self._layout.hop), self._chunks(prior, mask, sid))

    def _chunks(self, prior: Float32, mask: Float32, sid: Feeds) -> Iterator[Float32]:
        rising = _Rising(self, prior, mask, sid)
        total = prior.shape[2]
        begin, size = 0, FIRST_FRAMES
        while begin < total:
            end = begin + size if total - begin - size >= FIRST_FRAMES else total  # no crumbs
            yield self._sound(rising, begin, end, total, sid)
            begin, size = end, min(2 * size, MOST_FRAMES)

    def _sound(self, rising: _Rising, begin: int, end: int, total: int, sid: Feeds) -> Float32:
        rate, hop = self._layout.flow_reach.rate, self._layout.hop
        first = max(0, begin - -(-self._layout.vocoder_reach.left // rate))
        last = min(total, end + -(-self._layout.vocoder_reach.right // rate))
        feeds = {self._layout.rise: rising.between(first, last), **sid}
        wave = self._vocoder.run(None, _only(feeds, self._vocoder_inputs))[0].reshape(-1)
        return wave[(begin - first) * hop : (end - first) * hop]

    def flow(self, prior: Float32, mask: Float32, sid: Feeds) -> Float32:
        """One window of the flow: [1, channels, rate * frames]."""
        feeds = {self._layout.prior: prior, self._layout.mask: mask, **sid}
        return self._flow.run(None, _only(feeds, self._flow_inputs))[0]

    @property
    def flow_reach(self) -> Reach:
        return self._layout.flow_reach


class _Rising:
    """What the flow has given so far; goes on when asked for more, forgets what is behind."""

    def __init__(self, voice: CutVoice, prior: Float32, mask: Float32, sid: Feeds) -> None:
        self._voice, self._prior, self._mask, self._sid = voice, prior, mask, sid
        self._reach = voice.flow_reach
        self._begin = self._end = 0  # frames kept
        self._kept: Float32 | None = None

    def between(self, first: int, last: int) -> Float32:
        """Frames `first` to `last`; `first` never goes back."""
        while self._kept is None or self._end < last:
            self._go_on(last)
        rate = self._reach.rate
        self._kept = self._kept[:, :, (first - self._begin) * rate :]
        self._begin = first
        return self._kept[:, :, : (last - first) * rate]

    def _go_on(self, wanted: int) -> None:
        total, reach = self._prior.shape[2], self._reach
        goal = max(wanted, self._end + FLOW_FRAMES) if self._end else wanted
        first = max(0, self._end - reach.left)
        last = min(total, max(goal + reach.right, first + EXACT_FRAMES))
        first = max(0, min(first, last - EXACT_FRAMES))
        window = slice(first, last)
        wave = self._voice.flow(self._prior[:, :, window], self._mask[:, :, window], self._sid)
        good = last if last == total else last - reach.right
        fresh = wave[:, :, (self._end - first) * reach.rate : (good - first) * reach.rate]
        self._kept = fresh if self._kept is None else np.concatenate((self._kept, fresh), axis=2)
        self._end = good


def _samples(frames: npt.NDArray[Any], hop: int) -> npt.NDArray[np.int64]:
    return (frames.reshape(-1) * hop).astype(np.int64)


def _only(feeds: Feeds, names: set[str]) -> Feeds:
    return {name: value for name, value in feeds.items() if name in names}
