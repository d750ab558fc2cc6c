"""One decoder of pocketsphinx: one utterance at a time, blocking, in any one thread at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from ctypes import POINTER, byref, c_int, c_int16
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from voicepipe.asr.sphinx.acoustics import HOP, AcousticModel, Costs
from voicepipe.asr.sphinx.blend import Blend
from voicepipe.asr.sphinx.library import Library
from voicepipe.audio.pcm import SAMPLE_RATE, Int16
from voicepipe.runtime.errors import EngineError, EngineUnavailable

FRAME_S = 0.01
SCORE_NATS = 0.1024
"""The unit of a path's score: 1024 steps of the library's logarithms, of base 1.0001."""
PIECE = SAMPLE_RATE
"""Samples that the library is given at once, but for whole utterances. It crashes on a stretch of
more than 2.56 s where a longer one was measured before (its buffer of features wraps wrongly), and
a machine that is late hands over what has piled up."""
QUIET = "FATAL"
"""The least the library says; its warnings quote what callers said. `ps_init` sets it for all."""
OPTIONS: Mapping[str, float | int] = {
    # What follows was chosen on recordings that judge nothing (docs/hearing.md).
    "samprate": SAMPLE_RATE,
    "dither": 1,  # digital silence has no logarithm
}
SENTENCES: Mapping[str, float | int] = {**OPTIONS, "lw": 4.5, "topn": 2, "ds": 2}
"""For a model of sentences: the network is sure enough to need the language less; and of the
Gaussians no more than the best two of a codebook, chosen in every other frame."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of the best path: a word, or a filler such as silence (in `<>` or `[]`). Scores are
    logarithms in the library's base; `acoustic` counts from the best that any sound had."""

    word: str
    start: int  # frames
    end: int  # exclusive
    acoustic: int
    language: int

    @property
    def filler(self) -> bool:
        return self.word[0] in "<[+("


class Ear:
    """The network of one decoder: it hears the sound first, for its answers are late."""

    def __init__(self, model: AcousticModel, blend: Blend) -> None:
        self._model = model
        self._blend = blend
        self.begin()

    def begin(self) -> None:
        """A new utterance."""
        self._blend.begin()
        self._stream = self._model.open()
        self._held = np.zeros(0, np.int16)  # sound whose costs are not known yet

    def close_to_all(self) -> None:
        """Until the next utterance nothing is heard: who only measures sound pays for no words."""
        self._blend.begin(deaf=True)

    def hear(self, pcm: Int16, *, whole: bool) -> Int16:
        """The sound that may be decoded now, after int16 [n] more."""
        self._held = np.concatenate([self._held, pcm])
        costs = self._stream.feed(pcm)
        self._blend.add(costs)
        return self.rest() if whole else self._let_go(len(costs) * HOP)

    def rest(self) -> Int16:
        """All sound that is left; the utterance ends here."""
        self._blend.add(self._stream.finish())
        return self._let_go(len(self._held))

    def costs(self) -> Costs:
        """Of all that was heard in this utterance, int16 [frames, states]."""
        return self._blend.costs()

    def know(self, costs: Costs) -> None:
        """What another ear has heard of the same sound: it need not be heard again."""
        self._blend.add(costs)

    def set_alone(self, alone: bool) -> None:
        """Whether nothing but the network counts, from now on."""
        self._blend.alone = alone

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Meanwhile nothing but the network counts; what it said last is kept."""
        before, self._blend.alone = self._blend.alone, True
        try:
            yield
        finally:
            self._blend.alone = before

    def close(self) -> None:
        """Before the decoder is freed."""
        self._blend.close()

    def _let_go(self, samples: int) -> Int16:
        ready, self._held = self._held[:samples], self._held[samples:]
        return ready


class SphinxDecoder:
    """Holds 64 MB with the language model of the built-in domain, beside what all share."""

    def __init__(
        self,
        library: Library,
        language: Path,
        dictionary: Path,
        acoustics: AcousticModel | None = None,
        options: Mapping[str, float | int] = OPTIONS,
        *,
        network_only: bool = False,
    ) -> None:
        """Load the models; `acoustics` is heard beside the library's own, or instead of it. Raises
        EngineUnavailable."""
        self._calls = library.calls
        config = self._calls.ps_config_init(None)
        texts = {"hmm": library.acoustic, "lm": language, "dict": dictionary, "loglevel": QUIET}
        for name, text in texts.items():
            self._calls.ps_config_set_str(config, name.encode(), str(text).encode())
        for name, value in options.items():
            kind = "float" if isinstance(value, float) else "int"
            getattr(self._calls, f"ps_config_set_{kind}")(config, name.encode(), value)
        self._begun = False
        self._handle = self._calls.ps_init(config)
        self._calls.ps_config_free(config)
        if not self._handle:
            raise EngineUnavailable(
                f"pocketsphinx does not load the models {language} and {dictionary}", stage="asr"
            )
        self._ear = Ear(acoustics, Blend(self._calls, self._handle)) if acoustics else None
        if self._ear is not None:
            self._ear.set_alone(network_only)

    def mean_of(self, pcm: Int16) -> str:
        """The cepstral mean of a stretch of sound: what makes microphones and rooms alike."""
        self.abandon()
        if self._ear is not None:
            self._ear.close_to_all()
        self._calls.ps_start_stream(self._handle)
        self._start()
        self._process(pcm, search=False, whole=True)
        self._stop()
        mean: bytes = self._calls.ps_get_cmn(self._handle, 0)
        return mean.decode()

    def begin(self, mean: str | None = None) -> None:
        """Start an utterance; without a `mean` the last one's is taken."""
        self.abandon()
        self._calls.ps_start_stream(self._handle)  # forget the noise of another line
        if mean is not None:
            self._check(self._calls.ps_set_cmn(self._handle, mean.encode()))
        self._start()
        if self._ear is not None:
            self._ear.begin()

    def abandon(self) -> None:
        """End an utterance that nobody waits for any more, or that failed half-way, if there is
        one: the library begins no other before."""
        if self._begun:
            if self._ear is not None:
                self._ear.close_to_all()  # the later passes find silence: 8 ms instead of 240
            self._stop()

    def feed(self, pcm: Int16, *, whole: bool = False) -> None:
        """Decode more, int16 [n]; `whole`: there is nothing else in this utterance."""
        if self._ear is not None:
            pcm = self._ear.hear(pcm, whole=whole)
        self._process(pcm, search=True, whole=whole)

    def end(self) -> None:
        """Finish the utterance: the later passes run, the best path is known."""
        if self._ear is not None:
            self._process(self._ear.rest(), search=True, whole=False)
        self._stop()

    def costs(self) -> Costs:
        """What the network said of the utterance, int16 [frames, states]."""
        assert self._ear is not None
        return self._ear.costs()

    def heard_alone(
        self, pcm: Int16, costs: Costs, hopeless: Callable[[int, float], bool]
    ) -> tuple[Segment, ...]:
        """The best path of a whole utterance, int16 [n], by the network alone, which knows numbers
        and single words best and has said its `costs`. After each second `hopeless` is asked, with
        the frames of words so far and their misfit in nats a frame: then it is given up, and there
        is nothing."""
        assert self._ear is not None
        self.begin()
        self._ear.know(costs)
        with self._ear.alone():
            for start in range(0, len(pcm), PIECE):
                self._process(pcm[start : start + PIECE], search=True, whole=False)
                if hopeless(*self._fit_so_far()):
                    self.abandon()
                    return ()
            self._stop()
        return tuple(self.segments())

    def text(self) -> str:
        """The words so far, or of the ended utterance."""
        found: bytes | None = self._calls.ps_get_hyp(self._handle, None)
        return found.decode(errors="replace") if found else ""

    def segments(self) -> Iterator[Segment]:
        """The best path."""
        calls = self._calls
        start, end, acoustic, language, back = (c_int() for _ in range(5))
        piece = calls.ps_seg_iter(self._handle)
        while piece:
            calls.ps_seg_frames(piece, byref(start), byref(end))
            calls.ps_seg_prob(piece, byref(acoustic), byref(language), byref(back))
            word = (calls.ps_seg_word(piece) or b"<sil>").decode(errors="replace")
            yield Segment(word, start.value, end.value + 1, acoustic.value, language.value)
            piece = calls.ps_seg_next(piece)

    def close(self) -> None:
        """Free the models. Idempotent."""
        if self._handle:
            if self._ear is not None:
                self._ear.close()
            self._calls.ps_free(self._handle)
        self._handle = None

    def _fit_so_far(self) -> tuple[int, float]:
        """The frames of words on the best path, and how badly all of it fits, in nats for each of
        them. (Before the end its pieces do not say this themselves.)"""
        score = c_int()
        self._calls.ps_get_hyp(self._handle, byref(score))
        path = list(self.segments())
        frames = sum(piece.end - piece.start for piece in path if not piece.filler)
        misfit = sum(piece.language for piece in path) - score.value
        return frames, misfit * SCORE_NATS / max(frames, 1)

    def _start(self) -> None:
        self._check(self._calls.ps_start_utt(self._handle))
        self._begun = True

    def _stop(self) -> None:
        self._begun = False
        self._check(self._calls.ps_end_utt(self._handle))

    def _process(self, pcm: Int16, *, search: bool, whole: bool) -> None:
        size = max(len(pcm), 1) if whole else PIECE
        for start in range(0, len(pcm), size):
            piece = pcm[start : start + size]
            samples = piece.ctypes.data_as(POINTER(c_int16))
            done = self._calls.ps_process_raw(self._handle, samples, len(piece), not search, whole)
            self._check(done)

    def _check(self, result: int) -> None:
        if result < 0:
            raise EngineError("pocketsphinx failed on this audio", stage="asr")
