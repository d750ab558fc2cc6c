"""What a telephone's 8 kHz cost in time: at most 5 ms a hop, measured by an impulse."""

from __future__ import annotations

import numpy as np
import pytest

from voicepipe.audio import g711, pcm
from voicepipe.audio.codec import Decoder, Encoder
from voicepipe.audio.formats import PCM_8K, PCM_16K, PCM_24K, PCMA_8K, PCMU_8K, AudioFormat

WIRES = (PCMU_8K, PCMA_8K, PCM_8K, PCM_16K, PCM_24K)
HOP_MS = 5.0


def impulse(rate: int) -> pcm.Int16:
    """At 20 ms, of 60 ms."""
    samples = pcm.silence(60, rate)
    samples[rate // 50] = 30_000
    return samples


def delay_ms(samples: pcm.Int16, rate: int) -> float:
    return int(np.abs(samples.astype(int)).argmax()) * 1000 / rate - 20


@pytest.mark.parametrize("wire", WIRES)
def test_caller_to_ears(wire: AudioFormat) -> None:
    samples = impulse(wire.rate)
    coded = wire.encoding != "pcm16"
    data = g711.encode(samples, wire.encoding) if coded else pcm.to_bytes(samples)
    decoder = Decoder(wire, pcm.SAMPLE_RATE)
    pieces = [data[at : at + 40] for at in range(0, len(data), 40)]
    out = np.concatenate([decoder.decode(piece) for piece in pieces])
    assert 0 <= delay_ms(out, pcm.SAMPLE_RATE) <= HOP_MS


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("rate", [16_000, 22_050, 24_000])
def test_voice_to_caller(rate: int, wire: AudioFormat) -> None:
    encoder = Encoder(rate, wire)
    data = encoder.encode(impulse(rate))
    coded = wire.encoding != "pcm16"
    out = g711.decode(data, wire.encoding) if coded else pcm.from_bytes(data)
    assert 0 <= delay_ms(out, wire.rate) <= HOP_MS
