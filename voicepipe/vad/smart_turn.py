"""smart-turn v3: does this speech sound like a whole turn? An audio model (BSD-2, 8 MB, 23
languages) whose weights the user installs; see docs/endpointing.md.

It hears the last 8 s of a turn as Whisper's log-mel spectrogram and answers with one probability,
within about 15 ms on a modern core. Its file has the input `input_features`, float32 [1, 80, 800].
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from voicepipe.audio.pcm import SAMPLE_RATE, Int16
from voicepipe.runtime.errors import EngineError, EngineUnavailable
from voicepipe.runtime.onnx import open_network

WINDOW_S = 8
WINDOW_SAMPLES = WINDOW_S * SAMPLE_RATE
MELS, FRAMES = 80, 800
INPUT = "input_features"

Float32 = npt.NDArray[np.float32]


class SmartTurn:
    """One per process, shared by all sessions; safe to call from several threads."""

    def __init__(self, path: Path) -> None:
        """Load the file, which takes some 100 ms. Raises EngineUnavailable, naming the file."""
        from faster_whisper.feature_extractor import FeatureExtractor

        if not path.is_file():
            raise EngineUnavailable(
                f"turns.smart_turn_model: no file {path}; get smart-turn v3's .onnx as "
                'docs/endpointing.md says, or set turns.endpointing to "text"',
                stage="vad",
            )
        try:
            self._network: Any = open_network(path)
        except Exception as error:  # see `open_network`
            raise EngineUnavailable(
                f"turns.smart_turn_model: {path} is no ONNX model that can be loaded ({error})",
                stage="vad",
            ) from None
        self._check_input(path)
        self._mel: Any = FeatureExtractor(feature_size=MELS, chunk_length=WINDOW_S)

    def probability(self, speech: Int16) -> float:
        """Probability, 0..1, that `speech` (int16 [n], 16 kHz, a turn up to the silence after it)
        is over. Blocks for the length of the computation. Raises EngineError(stage="vad").
        """
        try:
            outputs = self._network.run(None, {INPUT: self.features(speech)})
        except Exception as error:
            raise EngineError(f"smart-turn failed: {error}", stage="vad") from error
        return float(np.clip(np.asarray(outputs[0]).reshape(-1)[0], 0.0, 1.0))

    def features(self, speech: Int16) -> Float32:
        """What the model sees: float32 [1, 80, 800]. The end of the speech is the last column."""
        samples = np.zeros(WINDOW_SAMPLES, dtype=np.float32)
        newest = speech[-WINDOW_SAMPLES:].astype(np.float32) / 32768
        samples[WINDOW_SAMPLES - newest.size :] = newest
        # To zero mean and unit variance over the whole window, as in the model's training.
        samples = (samples - samples.mean()) / np.sqrt(samples.var() + 1e-7)
        mel = self._mel(samples, padding=0)
        return np.ascontiguousarray(mel[None, :, :FRAMES], dtype=np.float32)

    def _check_input(self, path: Path) -> None:
        found = [(i.name, list(i.shape)) for i in self._network.get_inputs()]
        fits = len(found) == 1 and found[0][0] == INPUT and found[0][1][1:] == [MELS, FRAMES]
        if not fits:
            raise EngineUnavailable(
                f"turns.smart_turn_model: {path} takes {found}, but smart-turn v3 takes "
                f"{INPUT} [1, {MELS}, {FRAMES}]",
                stage="vad",
            )
