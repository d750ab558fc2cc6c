"""The spectrogram against the one that faster-whisper computes."""

from __future__ import annotations

import time

import numpy as np
import pytest
from faster_whisper.feature_extractor import FeatureExtractor

from voicepipe.asr.mel import LogMel
from voicepipe.audio.pcm import Int16


def sound(samples: int, seed: int = 1, level: float = 3000.0) -> Int16:
    rng = np.random.default_rng(seed)
    tone = np.sin(np.arange(samples) * 0.05) * level
    pcm: Int16 = (rng.standard_normal(samples) * level / 4 + tone).astype(np.int16)
    return pcm


@pytest.mark.parametrize("mels", [80, 128])
@pytest.mark.parametrize(("samples", "window"), [(30_000, 40_000), (16_000, 16_000), (0, 32_000)])
def test_it_is_what_faster_whisper_computes(mels: int, samples: int, window: int) -> None:
    pcm = sound(samples)
    whole = np.concatenate([pcm, np.zeros(window - samples, np.int16)]) / np.float32(32768)
    expected = FeatureExtractor(feature_size=mels)(whole.astype(np.float32), padding=0)
    (found,) = LogMel(mels)([pcm], window)
    assert found.shape == (mels, window // 160)
    assert found.dtype == np.float32
    assert np.abs(found - expected).max() < 1e-3


def test_stretches_do_not_touch_each_other() -> None:
    mel = LogMel(80)
    loud, soft = sound(20_000), sound(9_000, seed=2, level=20.0)
    both = mel([loud, soft], 24_000)
    assert np.array_equal(both[0], mel([loud], 24_000)[0])
    assert np.array_equal(both[1], mel([soft], 24_000)[0])


@pytest.mark.parametrize("mels", [80, 128])
def test_it_uses_no_other_thread(mels: int) -> None:
    """Other threads' CPU, spinning BLAS workers', would show in the process but not in this one. In
    every round, that is: those that an earlier test woke spin on for a moment."""
    mel, pcm = LogMel(mels), sound(80_000)

    def others_share() -> float:
        process, thread = time.process_time(), time.thread_time()
        for _ in range(20):
            mel([pcm], 80_000)
        return (time.process_time() - process) / (time.thread_time() - thread) - 1

    assert min(others_share() for _ in range(10)) < 0.1
