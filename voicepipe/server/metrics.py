"""Prometheus metrics of one process: turns by segment, sessions, engine states, calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import get_args

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from voicepipe.asr.fallback import FallbackRecognizer
from voicepipe.asr.scheduler import SchedulerStats
from voicepipe.call_log.log import CallLog
from voicepipe.ledger.preemption import DiscardReason, PreemptionCounts
from voicepipe.ledger.records import SEGMENTS, TurnRecord
from voicepipe.resilience.breaker import BreakerState
from voicepipe.server.service import Service

_BUCKETS_MS = {
    "endpoint": (100, 200, 300, 400, 500, 600, 800, 1000, 1500),
    "asr": (5, 10, 20, 40, 60, 100, 150, 250, 500, 1000),
    "llm": (5, 10, 20, 40, 60, 100, 150, 250, 500, 1000),
    "clause": (1, 2, 5, 10, 20, 50, 100, 200, 500),
    "tts": (2, 5, 10, 20, 40, 80, 120, 200, 500, 1000),
    "output": (1, 2, 5, 10, 20, 30, 50, 100, 200),
    "voice_to_voice": (200, 300, 400, 500, 600, 700, 800, 1000, 1500, 3000),
}
"""Each segment has buckets around its own budget: shared ones would blur the fast stages."""


class Metrics:
    """Registers with the service's turn log; `render` gives the exposition text."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self.registry = CollectorRegistry()
        names = [name for name, _ in SEGMENTS]
        self._segments = {
            name: Histogram(
                f"voicepipe_turn_{name}_ms",
                f"Critical part of the {name} segment of a turn, ms.",
                buckets=_BUCKETS_MS[name],
                registry=self.registry,
            )
            for name in names
        }
        self._voice_to_voice = Histogram(
            "voicepipe_turn_voice_to_voice_ms",
            "Arrival of the user's last voiced frame to first answer sample out, ms.",
            buckets=_BUCKETS_MS["voice_to_voice"],
            registry=self.registry,
        )
        self._network = Histogram(
            "voicepipe_turn_network_ms",
            "Round trip and the listener's buffer, where they are reported, ms.",
            buckets=(5, 10, 20, 40, 80, 120, 200, 400, 800),
            registry=self.registry,
        )
        self._turns = Counter(
            "voicepipe_turns", "Turns by how they ended.", ["end"], registry=self.registry
        )
        self._over = Counter(
            "voicepipe_turn_over_budget",
            "Segments that took longer than their budget.",
            ["segment"],
            registry=self.registry,
        )
        self._speculation = Counter(
            "voicepipe_speculation",
            "Turns by what became of the reply prepared before the endpoint.",
            ["result"],
            registry=self.registry,
        )
        self._routes = Counter(
            "voicepipe_route",
            "Turns by what the engines' wrappers decided: fallback, cascade, cache.",
            ["stage", "decision"],
            registry=self.registry,
        )
        self.registry.register(_Gauges(service))
        service.turn_log.watch(self.observe)

    def observe(self, record: TurnRecord) -> None:
        self._turns.labels(record.end).inc()
        self._speculation.labels(record.preemption).inc()
        for stage, decision in record.route.items():
            self._routes.labels(stage, decision).inc()
        for segment in record.over_budget:
            self._over.labels(segment).inc()
        if record.critical is None or record.voice_to_voice_us is None:
            return
        self._voice_to_voice.observe(record.voice_to_voice_us / 1000)
        if record.network_us is not None:
            self._network.observe(record.network_us / 1000)
        for name, us in record.critical.items():
            self._segments[name].observe(us / 1000)

    def render(self) -> bytes:
        return generate_latest(self.registry)


class _Gauges(Collector):
    """Read at scrape time: nothing to keep up to date on the turn's path."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def collect(self) -> Iterator[Metric]:
        service = self._service
        yield GaugeMetricFamily("voicepipe_sessions", "Open sessions.", value=len(service.sessions))
        yield GaugeMetricFamily(
            "voicepipe_session_tasks",
            "Tasks of all sessions.",
            value=sum(session.task_count for session in service.sessions),
        )
        engines = GaugeMetricFamily(
            "voicepipe_engine_ready", "1 if the engine is warm.", labels=["kind"]
        )
        for kind, ready in service.engines.ready.items():
            engines.add_metric([kind], float(ready))
        yield engines
        yield from _breakers(service)
        yield from _decodes(service)
        yield from _speculation(service.turn_log.prepared)
        refused = CounterMetricFamily(
            "voicepipe_sessions_refused",
            "New sessions refused: the server was full, or the running ones were late.",
            labels=["cause"],
        )
        late = service.admission.refused
        refused.add_metric(["full"], service.sessions_refused - sum(late.values()))
        for cause in ("loop_lag", "overhead"):
            refused.add_metric([cause], late[cause])
        yield refused
        if service.settings.calls.enabled:
            yield from _calls(service.calls)
        if service.admission.watches_loop:
            yield GaugeMetricFamily(
                "voicepipe_loop_lag_ms",
                "How late timers of the event loop fire, rolling p95, ms.",
                value=service.admission.loop_lag_ms.p95() or 0.0,
            )


def _speculation(counts: PreemptionCounts) -> Iterator[Metric]:
    discards = CounterMetricFamily(
        "voicepipe_speculation_discards", "Prepared replies thrown away.", labels=["reason"]
    )
    for reason in get_args(DiscardReason):
        discards.add_metric([reason], counts.discards[reason])
    yield discards
    totals = {
        "attempts": ("Replies prepared before the endpoint.", counts.attempts),
        "hits": ("... that became the answer.", counts.hits),
        "wasted_tokens": ("Pieces of text generated for nothing.", counts.wasted_tokens),
        "wasted_audio_seconds": ("Speech made for nothing.", counts.wasted_audio_ms / 1000),
        "saved_seconds": ("Time that hits saved, all together.", counts.saved_ms / 1000),
    }
    for name, (text, value) in totals.items():
        yield CounterMetricFamily(f"voicepipe_speculation_{name}", text, value=value)


def _calls(log: CallLog) -> Iterator[Metric]:
    """The durable record of calls; what is lost here was logged as an error too."""
    counts = log.counts
    totals = {
        "written": ("Calls written down.", counts.calls),
        "turns_written": ("Turns written down.", counts.turns),
        "lost": ("Calls that could not be written.", counts.lost_calls),
        "lost_turns": ("Turns that could not be written.", counts.lost_turns),
        "lost_sound_seconds": ("Sound missing in recordings.", counts.lost_sound_s),
        "retries": ("Commits that had to be tried again.", counts.retries),
        "deleted": ("Calls deleted because of their age.", counts.deleted_calls),
    }
    for name, (text, value) in totals.items():
        yield CounterMetricFamily(f"voicepipe_calls_{name}", text, value=value)
    yield GaugeMetricFamily(
        "voicepipe_calls_failing",
        "1 while the calls' database takes nothing; what comes waits.",
        value=float(log.problem is not None),
    )


def _breakers(service: Service) -> Iterator[Metric]:
    state = GaugeMetricFamily(
        "voicepipe_breaker_state", "0 closed, 1 half-open, 2 open.", labels=["stage"]
    )
    opened = CounterMetricFamily(
        "voicepipe_breaker_opened", "Times that a breaker tripped.", labels=["stage"]
    )
    refused = CounterMetricFamily(
        "voicepipe_breaker_refused", "Calls sent elsewhere by a breaker.", labels=["stage"]
    )
    for stage, breaker in service.engines.breakers.items():
        state.add_metric([stage], _STATES[breaker.state])
        opened.add_metric([stage], breaker.counts.opened)
        refused.add_metric([stage], breaker.counts.refused)
    yield from (state, opened, refused)


def _decodes(service: Service) -> Iterator[Metric]:
    """The recognizers' decode queues, where the engine has one."""
    first = service.engines.recognizer
    engines = {"primary": first}
    if isinstance(first, FallbackRecognizer):
        engines = {"primary": first.primary, "fallback": first.fallback}
    found = [
        (role, stats)
        for role, engine in engines.items()
        if isinstance(stats := getattr(engine, "stats", None), SchedulerStats)
    ]
    for name, about, value in _DECODE_COUNTERS:
        counter = CounterMetricFamily(f"voicepipe_asr_{name}", about, labels=["engine"])
        for role, stats in found:
            counter.add_metric([role], value(stats))
        yield counter
    waiting = GaugeMetricFamily(
        "voicepipe_asr_queued", "Decodes that wait for the recognizer.", labels=["engine"]
    )
    for role, stats in found:
        waiting.add_metric([role], stats.queued)
    yield waiting


_DECODE_COUNTERS: tuple[tuple[str, str, Callable[[SchedulerStats], int]], ...] = (
    ("decodes", "Decodes run, of finals and partials.", lambda stats: stats.decodes),
    ("final_decodes", "Decodes run for finals.", lambda stats: stats.finals),
    ("batches", "Batches of decodes run.", lambda stats: stats.batches),
    ("shared_decodes", "Decodes run in a batch with others.", lambda stats: stats.shared),
    ("decode_failures", "Decodes that failed.", lambda stats: stats.failures),
    (
        "stale_partials",
        "Partial decodes dropped before they ran: replaced, overtaken or crowded out.",
        lambda stats: stats.replaced_partials + stats.dropped_partials,
    ),
)

_STATES = {BreakerState.CLOSED: 0.0, BreakerState.HALF_OPEN: 1.0, BreakerState.OPEN: 2.0}
