"""Sound files in and out."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np

from voicepipe.audio import pcm
from voicepipe.audio.pcm import SAMPLE_RATE, Int16
from voicepipe.audio.resample import resample
from voicepipe.runtime.errors import VoicepipeError


class AudioFileError(VoicepipeError):
    """A sound file cannot be read; the message names it."""


def read(path: Path, rate: int = SAMPLE_RATE) -> Int16:
    """Any sound file (WAV, FLAC, MP3 ...) as mono int16 [n] at `rate` Hz.

    Raises AudioFileError naming the file.
    """
    import av
    import av.error

    if not path.is_file():
        raise AudioFileError(f"{path}: no such file")
    try:
        with av.open(str(path)) as container:
            stream_rate = container.streams.audio[0].rate
            converter = av.AudioResampler(format="s16", layout="mono", rate=stream_rate)
            chunks = [
                piece.to_ndarray().reshape(-1)
                for frame in [*container.decode(audio=0), None]
                for piece in converter.resample(frame)
            ]
    except (av.error.FFmpegError, IndexError, ValueError) as error:
        raise AudioFileError(f"{path}: not a sound file that can be read ({error})") from error
    samples = np.concatenate(chunks) if chunks else np.zeros(0, dtype=np.int16)
    return resample(samples.astype(np.int16, copy=False), stream_rate, rate)


def write_wav(path: Path, samples: Int16, rate: int) -> None:
    """Write mono 16-bit WAV."""
    with wave.open(str(path), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(rate)
        out.writeframes(pcm.to_bytes(samples))
