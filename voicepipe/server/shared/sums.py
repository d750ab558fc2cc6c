"""The figures of several gateways as those of one: counters and histograms are added up, gauges
too where that makes sense. What a dead gateway had counted when it was scraped last stays in the
sums: a sum that fell would be a restart to Prometheus, and the next rate a lie.

prometheus_client has a mode for several processes; it knows no exemplars and no figures that are
read at scrape time, which are half of ours.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from prometheus_client import CollectorRegistry
from prometheus_client.core import Metric
from prometheus_client.registry import Collector
from prometheus_client.samples import Exemplar, Sample

Family = dict[str, Any]
"""A metric as JSON: `name`, `about`, `kind`, and `samples` of (name, labels, value, exemplar)."""

DEPARTED = ""
"""The row of all gateways that are no more."""

_GAUGES: Mapping[str, Callable[[float, float], float]] = {
    "voicepipe_engine_ready": min,
    "voicepipe_breaker_state": max,
    "voicepipe_calls_failing": max,
    "voicepipe_loop_lag_seconds": max,
    "voicepipe_loop_lag_ms": max,
    "voicepipe_turn_stage_drift_ratio": max,
    "voicepipe_pool_replicas": max,  # all gateways see the same ones, with the calls of all
    "voicepipe_pool_calls": max,
    "voicepipe_pool_waiting": max,
    "voicepipe_pool_queue_seconds": max,
}
"""Those that do not add up: the worst gateway's, or what all of them see."""


def families(registry: CollectorRegistry) -> list[Family]:
    """All that this gateway has counted."""
    return [
        {
            "name": metric.name,
            "about": metric.documentation,
            "kind": metric.type,
            "samples": [_as_json(sample) for sample in metric.samples],
        }
        for metric in registry.collect()
    ]


def added_up(parts: Iterable[Sequence[Family]]) -> list[Family]:
    """One family for each name, in the order of the first part."""
    found: dict[str, tuple[Family, dict[tuple[str, str], list[Any]]]] = {}
    for part in parts:
        for family in part:
            _, sums = found.setdefault(family["name"], (family, {}))
            for sample in family["samples"]:
                _add(sums, family["name"], sample)
    return [{**family, "samples": list(sums.values())} for family, sums in found.values()]


def only_growing(part: Iterable[Family]) -> list[Family]:
    """Counters and histograms: what a gateway leaves behind."""
    return [family for family in part if family["kind"] != "gauge"]


def as_registry(part: Sequence[Family]) -> CollectorRegistry:
    """For an encoder."""
    registry = CollectorRegistry()
    registry.register(_Given(part))
    return registry


def fold(departed: str | None, gateway: str, left: str) -> str:
    """For the parent: the row of the departed, with one more."""
    before = departed_of(departed)
    return json.dumps(
        {
            "gateways": [*before["gateways"], gateway],
            "families": added_up([before["families"], json.loads(left)]),
        }
    )


def departed_of(row: str | None) -> dict[str, Any]:
    """What `fold` has written: `gateways`, their ids, and `families`."""
    found: dict[str, Any] = json.loads(row) if row else {"gateways": [], "families": []}
    return found


def _as_json(sample: Sample) -> list[Any]:
    seen = sample.exemplar
    exemplar = None if seen is None else [seen.labels, seen.value, seen.timestamp]
    return [sample.name, sample.labels, sample.value, exemplar]


def _add(sums: dict[tuple[str, str], list[Any]], family: str, sample: Sequence[Any]) -> None:
    name, labels, value, exemplar = sample
    key = (name, json.dumps(labels, sort_keys=True))
    before = sums.get(key)
    if before is None:
        sums[key] = [name, labels, value, exemplar]
        return
    both = _GAUGES.get(family)
    before[2] = before[2] + value if both is None else both(before[2], value)
    if exemplar is not None and (before[3] is None or before[3][2] < exemplar[2]):
        before[3] = exemplar  # the newer one


class _Given(Collector):
    def __init__(self, part: Sequence[Family]) -> None:
        self._part = part

    def collect(self) -> Iterator[Metric]:
        for family in self._part:
            metric = Metric(family["name"], family["about"], family["kind"])
            metric.samples = [
                Sample(name, labels, value, None, None if seen is None else Exemplar(*seen))
                for name, labels, value, seen in family["samples"]
            ]
            yield metric
