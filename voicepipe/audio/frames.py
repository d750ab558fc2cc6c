"""Cut a stream of samples of any chunk size into 20 ms frames."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from voicepipe.audio.pcm import FRAME_SAMPLES, Int16


class Framer:
    """Holds at most one unfinished frame."""

    def __init__(self, frame_samples: int = FRAME_SAMPLES) -> None:
        self._size = frame_samples
        self._rest: Int16 = np.zeros(0, dtype=np.int16)

    def push(self, samples: Int16) -> Sequence[Int16]:
        """Each whole frame, int16 [frame_samples]; the rest waits for more."""
        size = self._size
        if self._rest.size:
            samples = np.concatenate((self._rest, samples))
        elif samples.size == size:
            return (samples,)  # the rule
        whole = samples.size - samples.size % size
        self._rest = samples[whole:]
        return [samples[start : start + size] for start in range(0, whole, size)]

    def drain(self) -> Int16:
        """Take the unfinished frame, shorter than a frame, perhaps empty."""
        rest, self._rest = self._rest, np.zeros(0, dtype=np.int16)
        return rest
