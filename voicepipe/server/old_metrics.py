"""The metrics' names of the release before, in milliseconds. They go with the next one; until then
`server.old_metric_names = false` leaves them out.
"""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Histogram
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from voicepipe.ledger.records import SEGMENTS, TurnRecord
from voicepipe.server.service import Service

_BUCKETS_MS = {
    "endpoint": (100, 200, 300, 400, 500, 600, 800, 1000, 1500),
    "asr": (5, 10, 20, 40, 60, 100, 150, 250, 500, 1000),
    "llm": (5, 10, 20, 40, 60, 100, 150, 250, 500, 1000),
    "clause": (1, 2, 5, 10, 20, 50, 100, 200, 500),
    "tts": (2, 5, 10, 20, 40, 80, 120, 200, 500, 1000),
    "output": (1, 2, 5, 10, 20, 30, 50, 100, 200),
    "voice_to_voice": (200, 300, 400, 500, 600, 700, 800, 1000, 1500, 3000),
    "network": (5, 10, 20, 40, 80, 120, 200, 400, 800),
}


class OldNames:
    """`observe` is told of each turn."""

    def __init__(self, registry: CollectorRegistry, service: Service) -> None:
        stages = (*(name for name, _ in SEGMENTS), "voice_to_voice", "network")
        self._of = {
            name: Histogram(
                f"voicepipe_turn_{name}_ms",
                "Deprecated: see the name in seconds.",
                buckets=_BUCKETS_MS[name],
                registry=registry,
            )
            for name in stages
        }
        registry.register(_OldLag(service))

    def observe(self, record: TurnRecord) -> None:
        if record.critical is None or record.voice_to_voice_us is None:
            return
        self._of["voice_to_voice"].observe(record.voice_to_voice_us / 1000)
        if record.network_us is not None:
            self._of["network"].observe(record.network_us / 1000)
        for name, us in record.critical.items():
            if name in self._of:  # tools are younger than these names
                self._of[name].observe(us / 1000)


class _OldLag(Collector):
    def __init__(self, service: Service) -> None:
        self._service = service

    def collect(self) -> Iterator[Metric]:
        if self._service.admission.watches_loop:
            yield GaugeMetricFamily(
                "voicepipe_loop_lag_ms",
                "Deprecated: see the name in seconds.",
                value=self._service.admission.loop_lag_ms.p95() or 0.0,
            )
