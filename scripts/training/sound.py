"""How sound is held while the corpus is made: 16 kHz mono."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Int16 = npt.NDArray[np.int16]
Float32 = npt.NDArray[np.float32]

RATE = 16_000
