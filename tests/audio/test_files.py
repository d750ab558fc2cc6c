"""Sound files in and out; a file that cannot be read is named."""

from __future__ import annotations

import json
import wave
from pathlib import Path

import numpy as np
import pytest

from voicepipe.audio import files
from voicepipe.audio.files import AudioFileError
from voicepipe.audio.pcm import Int16

QUESTIONS = Path(__file__).parents[1] / "data" / "questions"


def tone(hz: float, rate: int, seconds: float = 0.5) -> Int16:
    at = np.arange(round(rate * seconds)) / rate
    samples: Int16 = np.rint(9000 * np.sin(2 * np.pi * hz * at)).astype(np.int16)
    return samples


def test_wav_comes_back_as_it_was_written(tmp_path: Path) -> None:
    path, samples = tmp_path / "a.wav", tone(440, 16_000)
    files.write_wav(path, samples, 16_000)
    assert np.array_equal(files.read(path), samples)
    with wave.open(str(path)) as written:
        assert (written.getnchannels(), written.getsampwidth()) == (1, 2)
        assert (written.getframerate(), written.getnframes()) == (16_000, samples.size)


def test_flac_is_read_whole() -> None:
    for line in (QUESTIONS / "manifest.jsonl").read_text().splitlines():
        entry = json.loads(line)
        samples = files.read(QUESTIONS / entry["file"])
        assert samples.dtype == np.int16
        assert samples.size / 16_000 == pytest.approx(entry["speech_end_s"], abs=0.001)


def test_stereo_at_another_rate_becomes_mono_at_ours(tmp_path: Path) -> None:
    path = tmp_path / "stereo.wav"
    left, right = tone(500, 44_100), tone(1500, 44_100)
    with wave.open(str(path), "wb") as out:
        out.setnchannels(2)
        out.setsampwidth(2)
        out.setframerate(44_100)
        out.writeframes(np.stack((left, right), axis=1).astype("<i2").tobytes())
    samples = files.read(path, 24_000)
    assert samples.size == 12_000
    spectrum = np.abs(np.fft.rfft(samples.astype(float))) / (samples.size / 2)
    by_hz = {hz: spectrum[round(hz / 2)] for hz in (500, 1500)}
    assert by_hz[500] == pytest.approx(4500, rel=0.02), "each channel counts half"
    assert by_hz[1500] == pytest.approx(4500, rel=0.02)


def test_sound_stays_where_it_was(tmp_path: Path) -> None:
    path, samples = tmp_path / "click.wav", np.zeros(44_100, dtype=np.int16)
    samples[22_050] = 30_000
    files.write_wav(path, samples, 44_100)
    assert abs(int(np.abs(files.read(path)).argmax()) - 8000) <= 1


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(AudioFileError, match=r"nowhere\.wav: no such file"):
        files.read(tmp_path / "nowhere.wav")


@pytest.mark.parametrize("content", [b"", b"not sound at all", b"RIFF\x00\x00\x00\x00WAVE"])
def test_file_that_holds_no_sound_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.wav"
    path.write_bytes(content)
    with pytest.raises(AudioFileError, match=r"broken\.wav: not a sound file that can be read"):
        files.read(path)


def test_picture_without_a_sound_track_is_named(tmp_path: Path) -> None:
    path = tmp_path / "film.png"
    path.write_bytes(_png())
    with pytest.raises(AudioFileError, match=r"film\.png"):
        files.read(path)


def _png() -> bytes:
    """One black pixel."""
    import struct
    import zlib

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    pixels = zlib.compress(b"\x00\x00")
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    )
