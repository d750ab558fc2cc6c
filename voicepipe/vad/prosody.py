"""Our own end-of-turn model: how the last seconds sounded, and so whether the speaker goes on.

It ships with voicepipe (models/builtin/turns), hears the newest 3.2 s of a turn as they came, and
takes about 1 ms. What it hears is below 3.8 kHz, which a telephone has too.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from voicepipe.audio.pcm import Int16
from voicepipe.runtime.errors import EngineError, EngineUnavailable
from voicepipe.runtime.onnx import open_network


class Prosody:
    """One per process, shared by all sessions; safe to call from several threads."""

    def __init__(self, path: Path | None = None) -> None:
        """Load `path`, or the file that ships: some 20 ms. Raises EngineUnavailable, naming it."""
        shipped = files("voicepipe") / "models" / "shipped" / "builtin" / "turns" / "model.onnx"
        path = path or Path(str(shipped))
        try:
            self._network: Any = open_network(path)
        except Exception as error:  # see `open_network`
            raise EngineUnavailable(
                f"turns.endpointing: the built-in end-of-turn model {path} cannot be loaded "
                f"({error}); it ships with voicepipe, so install that again",
                stage="vad",
            ) from None
        self._samples = int(self._network.get_inputs()[0].shape[1])

    def probability(self, speech: Int16) -> float:
        """Probability, 0..1, that `speech` (int16 [n], 16 kHz, a turn with the silence after it)
        is over, for one who goes on as often as not. Raises EngineError(stage="vad")."""
        newest = speech[-self._samples :].astype(np.float32) / 32768
        try:
            heard = np.pad(newest, (self._samples - newest.size, 0))[None]
            (goes_on,) = self._network.run(None, {"sound": heard})
        except Exception as error:
            raise EngineError(f"the end-of-turn model failed: {error}", stage="vad") from error
        return float(1 - goes_on[0])
