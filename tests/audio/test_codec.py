"""Wire bytes to samples and back, for every format a wire may carry."""

from __future__ import annotations

import numpy as np
import pytest

from voicepipe.audio import pcm
from voicepipe.audio.codec import Decoder, Encoder
from voicepipe.audio.formats import PCM_16K, PCM_24K, PCMA_8K, PCMU_8K, AudioFormat
from voicepipe.audio.pcm import SAMPLE_RATE, Int16

FORMATS = pytest.mark.parametrize(
    "wire", [PCM_16K, PCM_24K, PCMU_8K, PCMA_8K], ids=lambda f: f"{f.encoding}-{f.rate}"
)


def speechlike(rate: int, seconds: float = 0.5) -> Int16:
    """A sum of tones inside the telephone band."""
    at = 2 * np.pi * np.arange(round(rate * seconds)) / rate
    wave = sum(4000 * np.sin(hz * at) / n for n, hz in enumerate((350, 900, 2100), 1))
    return np.rint(wave).astype(np.int16)


@FORMATS
def test_speech_survives_the_wire_and_back(wire: AudioFormat) -> None:
    sent = speechlike(SAMPLE_RATE)
    encoder, decoder = Encoder(SAMPLE_RATE, wire), Decoder(wire, SAMPLE_RATE)
    heard = decoder.decode(encoder.encode(sent) + encoder.flush()).astype(float)
    hops = 0 if wire.rate == SAMPLE_RATE else 2
    delay = round(hops * 2.0 * SAMPLE_RATE / 1000)
    middle = slice(400, 7000)
    error = heard[delay:][middle] - sent[middle]
    snr_db = 10 * np.log10(np.mean(sent[middle].astype(float) ** 2) / max(np.mean(error**2), 1e-9))
    assert snr_db > (33 if wire.bytes_per_sample == 1 else 45)


@FORMATS
def test_chunks_make_no_difference(wire: AudioFormat) -> None:
    sent = speechlike(SAMPLE_RATE, 0.1)
    whole = Encoder(SAMPLE_RATE, wire)
    cut = Encoder(SAMPLE_RATE, wire)
    pieces = [cut.encode(piece) for piece in np.split(sent, [1, 7, 320, 900])]
    assert b"".join([*pieces, cut.flush()]) == whole.encode(sent) + whole.flush()


@FORMATS
def test_byte_arithmetic(wire: AudioFormat) -> None:
    encoder = Encoder(wire.rate, wire)
    data = encoder.encode(speechlike(wire.rate, 0.25))
    assert wire.ms(len(data)) == 250.0
    assert encoder.flush() == b""


def test_pcm_bytes_are_little_endian() -> None:
    assert pcm.to_bytes(np.array([1, -2], dtype=np.int16)) == b"\x01\x00\xfe\xff"
    assert pcm.from_bytes(b"\x00\x80\xff\x7f").tolist() == [-32768, 32767]


def test_half_a_sample_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="even number of bytes, got 3"):
        Decoder(PCM_24K, SAMPLE_RATE).decode(b"abc")


def test_durations() -> None:
    assert pcm.duration_ms(480, 24_000) == 20.0
    assert pcm.silence(12.5, 16_000).size == 200
    assert not pcm.silence(20).any()
