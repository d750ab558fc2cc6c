"""`/metrics` of the recognizer's decode queue."""

from __future__ import annotations

import numpy as np

from voicepipe.asr.contract import AsrOptions
from voicepipe.server.metrics import Metrics
from voicepipe.server.service import Service
from voicepipe.settings_io import load_settings


async def test_decodes_are_counted() -> None:
    service = Service(load_settings("builtin", environ={}))
    metrics, recognizer = Metrics(service), service.engines.recognizer
    assert b'voicepipe_asr_decodes_total{engine="primary"} 0.0' in metrics.render()
    await recognizer.start()
    utterance = recognizer.open(AsrOptions(partials=False))
    utterance.feed(np.random.default_rng(1).integers(-3000, 3000, 16_000).astype(np.int16))
    await utterance.final()
    utterance.cancel()
    text = metrics.render().decode()
    for name in ("decodes", "final_decodes", "batches"):
        assert f'voicepipe_asr_{name}_total{{engine="primary"}} 1.0' in text
    for name in ("shared_decodes", "decode_failures", "stale_partials"):
        assert f'voicepipe_asr_{name}_total{{engine="primary"}} 0.0' in text
    assert 'voicepipe_asr_queued{engine="primary"} 0.0' in text
    await service.aclose()


async def test_a_recognizer_and_its_fallback_are_told_apart() -> None:
    overrides = {"asr.fallback.engine": "faster_whisper"}
    service = Service(load_settings("builtin", environ={}, overrides=overrides))
    text = Metrics(service).render().decode()
    for role in ("primary", "fallback"):
        assert f'voicepipe_asr_batches_total{{engine="{role}"}} 0.0' in text
    await service.aclose()


async def test_engines_without_a_queue_have_no_samples() -> None:
    service = Service(load_settings("simulated", environ={}))
    assert b"voicepipe_asr_decodes_total{" not in Metrics(service).render()
    await service.aclose()
