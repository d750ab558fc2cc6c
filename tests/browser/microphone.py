"""What the fake microphone hears: recordings and silence, one after the other, in a WAV file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.e2e.speaking import recording_of
from voicepipe.audio import files, pcm
from voicepipe.audio.pcm import Int16
from voicepipe.audio.resample import resample

RATE = 48_000
"""Chromium's own rate: it need not resample."""

LEAD_S = 2.0
"""Silence before the first word: the microphone runs while the page still connects."""


def write_microphone(path: Path, *pieces: str | float) -> Path:
    """Write `path` (48 kHz, mono): after `LEAD_S`, each piece is the words of a recording in
    tests/data/questions, or a pause in seconds."""
    sound = [_silence(LEAD_S)]
    for piece in pieces:
        if isinstance(piece, str):
            said = files.read(recording_of(piece))
            sound.append(resample(said, pcm.SAMPLE_RATE, RATE))
        else:
            sound.append(_silence(piece))
    files.write_wav(path, np.concatenate(sound), RATE)
    return path


def _silence(seconds: float) -> Int16:
    return pcm.silence(1000 * seconds, RATE)
