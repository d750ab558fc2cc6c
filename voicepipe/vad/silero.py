"""Silero v6, streaming: the network file ships inside faster-whisper (MIT), about 60 us a window.

faster-whisper's own wrapper starts from a zero state at each call; here state and context are
carried from window to window, which equals the batch result exactly.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from voicepipe.audio.pcm import Int16
from voicepipe.config import VadSettings
from voicepipe.config.engines import EngineContext
from voicepipe.runtime.errors import EngineUnavailable
from voicepipe.runtime.onnx import open_network

WINDOW = 512  # samples at 16 kHz, 32 ms
CONTEXT = 64  # samples of the window before


@cache
def _session() -> Any:
    """The network, loaded once per process and shared: it keeps no state itself."""
    import faster_whisper

    assets = Path(faster_whisper.__file__).parent / "assets"
    models = sorted(assets.glob("silero_vad_v*.onnx"))
    if not models:
        raise EngineUnavailable(
            f"Silero VAD: no silero_vad_v*.onnx in {assets}; reinstall faster-whisper or set "
            'vad.engine to "webrtc"',
            stage="vad",
        )
    return open_network(models[-1])


class SileroVad:
    """Probability of the newest whole 32 ms window; a frame that completes none repeats it."""

    def __init__(self) -> None:
        self._network = _session()
        self.reset()

    def reset(self) -> None:
        self._state = np.zeros((1, 1, 128), dtype=np.float32)
        self._cell = np.zeros((1, 1, 128), dtype=np.float32)
        self._input = np.zeros((1, CONTEXT + WINDOW), dtype=np.float32)
        self._filled = 0  # new samples already in the input, after the context
        self._last = 0.0

    def probability(self, frame: Int16) -> float:
        start = 0
        while start < frame.size:
            take = min(WINDOW - self._filled, frame.size - start)
            at = CONTEXT + self._filled
            self._input[0, at : at + take] = frame[start : start + take]
            self._input[0, at : at + take] *= 1 / 32768
            self._filled += take
            start += take
            if self._filled == WINDOW:
                self._run()
        return self._last

    def _run(self) -> None:
        output, self._state, self._cell = self._network.run(
            None, {"input": self._input, "h": self._state, "c": self._cell}
        )
        self._last = float(output.reshape(-1)[0])
        self._input[0, :CONTEXT] = self._input[0, -CONTEXT:]
        self._filled = 0


def make(context: EngineContext[VadSettings, None]) -> SileroVad:
    """See `Engine.make`."""
    return SileroVad()
