"""The acoustic model of our own: a small network that says of each 10 ms of sound how badly it fits
each state of each phone. Made by `scripts/training/train_acoustics.py`.

The network is causal and carries what it needs of the past from call to call, so sound may come in
pieces of any size and nothing is computed twice. Its answers are late by a fixed number of frames,
since what a sound is depends on what follows."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from voicepipe.audio.pcm import Int16
from voicepipe.runtime.errors import EngineUnavailable
from voicepipe.runtime.onnx import open_network

Floats = np.ndarray[Any, np.dtype[np.float32]]
Costs = np.ndarray[Any, np.dtype[np.int16]]

HOP = 160  # samples from frame to frame: 10 ms
WINDOW = 400  # samples of a frame
FFT = 512
STACK = 3  # frames that the network takes at once

_HANN: Floats = np.hanning(WINDOW + 1)[:-1].astype(np.float32)


class AcousticModel:
    """The network; any number of threads and streams may use it."""

    def __init__(self, path: Path) -> None:
        """Load it. Raises EngineUnavailable."""
        try:
            self._session = open_network(path)
            told = self._session.get_modelmeta().custom_metadata_map
            self.late = int(told["late"])  # frames, a multiple of STACK
            self.states = int(told["states"])
            _, frames, channels = self._session.get_inputs()[1].shape
        except Exception as error:  # see `open_network`
            raise EngineUnavailable(
                f"the acoustic model {path} does not open: {error}", stage="asr"
            ) from None
        self._past = np.zeros((1, frames, channels), np.float32)

    def open(self) -> AcousticStream:
        """A stream of its own for an utterance."""
        return AcousticStream(self)

    def begin(self) -> Floats:
        """What the network remembers before any sound."""
        return self._past

    def run(self, power: Floats, past: Floats) -> tuple[Costs, Floats]:
        """Costs [T, states] of power spectra [T, 257], T a multiple of STACK; and the next past.
        The best state of a frame costs 0; the unit is pocketsphinx's, a tenth of a nat."""
        costs, past = self._session.run(None, {"power": power[None], "past": past})
        return costs[0].astype(np.int16), past


class AcousticStream:
    """The costs of one utterance. Blocking: 2 ms for a second of sound."""

    def __init__(self, model: AcousticModel) -> None:
        self._model = model
        self._past = model.begin()
        self._rest = np.zeros(0, np.int16)  # samples of frames that are not complete
        self._skip = model.late  # frames of before the sound
        self._owed = 0  # samples fed, less those of the frames answered

    def feed(self, pcm: Int16) -> Costs:
        """Costs [n, states] of the frames that are known now, after int16 [n] more."""
        self._owed += len(pcm)
        return self._advance(pcm)

    def finish(self) -> Costs:
        """Those of the frames left."""
        left = max(0, self._owed // HOP)  # once they were told there are none
        silence = np.zeros((self._model.late + STACK) * HOP + WINDOW, np.int16)
        return self._advance(silence)[:left]

    def _advance(self, pcm: Int16) -> Costs:
        sound = np.concatenate([self._rest, pcm])
        frames = max(0, (len(sound) - WINDOW) // HOP + 1) // STACK * STACK
        self._rest = sound[frames * HOP :]
        if not frames:
            return np.zeros((0, self._model.states), np.int16)
        costs, self._past = self._model.run(power(sound, frames), self._past)
        costs, self._skip = costs[self._skip :], max(0, self._skip - frames)
        self._owed -= len(costs) * HOP
        return costs


def power(pcm: Int16, frames: int) -> Floats:
    """Power spectra [frames, 257] of int16 [n]."""
    cut = np.lib.stride_tricks.sliding_window_view(pcm, WINDOW)[::HOP][:frames]
    spectrum = np.fft.rfft(cut * (_HANN / 32768), FFT, axis=-1)
    return (spectrum.real**2 + spectrum.imag**2).astype(np.float32)


@cache
def acoustic_model(path: Path) -> AcousticModel:
    """The model of a file, loaded once a process."""
    return AcousticModel(path)
