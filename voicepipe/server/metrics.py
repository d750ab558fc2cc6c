"""Prometheus metrics of one process: turns by segment, sessions, engine states, calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import get_args

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from voicepipe.asr.fallback import FallbackRecognizer
from voicepipe.asr.paired import PairedRecognizer
from voicepipe.asr.scheduler import SchedulerStats
from voicepipe.call_log.log import CallLog
from voicepipe.cluster.pool import Pool
from voicepipe.cluster.pool_engines import pool_of
from voicepipe.ledger.anticipation import AnticipationCounts
from voicepipe.ledger.preemption import DiscardReason, PreemptionCounts
from voicepipe.ledger.records import SEGMENT_NAMES, TurnRecord
from voicepipe.resilience.breaker import BreakerState
from voicepipe.server.old_metrics import OldNames
from voicepipe.server.service import Service
from voicepipe.server.shared.metrics import with_departed
from voicepipe.server.shared.state import SharedState
from voicepipe.server.shared.sums import Family, added_up, as_registry, families
from voicepipe.server.webhooks.delivery import Deliveries

disable_created_metrics()  # type: ignore[no-untyped-call]  # gauges beside each counter, which nobody asks for

_STAGE_BUCKETS = (
    *(0.001, 0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.1),
    *(0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.5, 3.0),
)
_VOICE_BUCKETS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.25, 1.5, 2.0, 3.0)
_NETWORK_BUCKETS = (0.005, 0.01, 0.02, 0.04, 0.08, 0.12, 0.2, 0.4, 0.8)
_OVERHEAD_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5, 1.0)


class Metrics:
    """Registers with the service's turn log; `render` gives the exposition text."""

    def __init__(self, service: Service) -> None:
        self.registry = CollectorRegistry()
        self._stages = Histogram(
            "voicepipe_turn_stage_seconds",
            "Critical part of a stage of a turn: the stages of a turn add up to voice to voice.",
            ["stage"],
            buckets=_STAGE_BUCKETS,
            registry=self.registry,
        )
        self._voice_to_voice = self._histogram(
            "voice_to_voice",
            "Arrival of the user's last voiced frame to first answer sample out.",
            _VOICE_BUCKETS,
        )
        self._overhead = self._histogram(
            "overhead",
            "Of it, neither a wait that was set nor an engine's time.",
            _OVERHEAD_BUCKETS,
        )
        self._queue = self._histogram(
            "queue", "Of it, the wait for a recognizer that was busy with others.", _STAGE_BUCKETS
        )
        self._network = self._histogram(
            "network",
            "Round trip and the listener's buffer, where they are reported.",
            _NETWORK_BUCKETS,
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
        self._ways = Histogram(
            "voicepipe_engine_way_seconds",
            "Engines in other processes: what the way there added (hop), the wait there (queue).",
            ["stage", "part"],
            buckets=_OVERHEAD_BUCKETS,
            registry=self.registry,
        )
        for name in SEGMENT_NAMES:
            self._stages.labels(name)  # there from the start: a rate needs a first value
        self._tools = Histogram(
            "voicepipe_tool_seconds",
            "Calls of tools that were waited for.",
            ["tool", "result"],
            buckets=(0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 5.0, 10.0),
            registry=self.registry,
        )
        self.registry.register(_Gauges(service))
        service.turn_log.watch(self.observe)
        if service.settings.server.old_metric_names:
            old = OldNames(self.registry, service)
            service.turn_log.watch(old.observe)

    def observe(self, record: TurnRecord) -> None:
        """A turn has ended. Its id goes with the figures, as an exemplar."""
        self._turns.labels(record.end).inc()
        self._speculation.labels(record.preemption).inc()
        for stage, decision in record.decisions.items():
            self._routes.labels(stage, decision).inc()
        for tool in record.tools:
            result = "failed" if tool.failed else "ok"
            self._tools.labels(tool.name, result).observe((tool.end_us - tool.start_us) / 1e6)
        for stage, part, ms in record.ways:
            self._ways.labels(stage, part).observe(ms / 1000)
        for segment in record.over_budget:
            self._over.labels(segment).inc()
        if record.critical is None or record.voice_to_voice_us is None:
            return
        exemplar = {"turn_id": record.turn_id}
        self._voice_to_voice.observe(record.voice_to_voice_us / 1e6, exemplar)
        if record.overhead_us is not None:
            self._overhead.observe(max(0, record.overhead_us) / 1e6, exemplar)
            self._queue.observe(record.shares.get("asr_queue", 0) / 1e6)
        if record.network_us is not None:
            self._network.observe(record.network_us / 1e6)
        for name, us in record.critical.items():
            self._stages.labels(name).observe(us / 1e6, exemplar)

    def _histogram(self, name: str, about: str, buckets: Sequence[float]) -> Histogram:
        return Histogram(
            f"voicepipe_turn_{name}_seconds", about, buckets=buckets, registry=self.registry
        )

    def render(self, accept: str = "") -> tuple[bytes, str]:
        """The text and its media type: OpenMetrics, which has exemplars, for who accepts it."""
        encode, media_type = _encoder(accept)
        return encode(self.registry), media_type

    def families(self) -> list[Family]:
        """The same as JSON, for another gateway."""
        return families(self.registry)


def render_all(
    state: SharedState, parts: Mapping[str, Sequence[Family]], accept: str
) -> tuple[bytes, str]:
    """The text of all gateways, whose `parts` these are, and of those that are no more. Blocking:
    for a thread."""
    encode, media_type = _encoder(accept)
    registry = as_registry(added_up(with_departed(state, parts)))
    return encode(registry), media_type


def _encoder(accept: str) -> tuple[Callable[[CollectorRegistry], bytes], str]:
    """The library's; it fails over a version that is no number."""
    try:
        return choose_encoder(accept)
    except (TypeError, ValueError):
        return choose_encoder("")


def _keys(service: Service) -> Iterator[Metric]:
    """What each named key was used for."""
    sessions = CounterMetricFamily("voicepipe_key_sessions", "Sessions.", labels=["key"])
    seconds = CounterMetricFamily(
        "voicepipe_key_seconds",
        "Connected; of users' speech recognized; of agents' speech.",
        labels=["key", "what"],
    )
    tokens = CounterMetricFamily(
        "voicepipe_key_tokens", "Of the language model.", labels=["key", "kind"]
    )
    characters = CounterMetricFamily(
        "voicepipe_key_spoken_characters", "That agents have said.", labels=["key"]
    )
    for one in service.keys.holders:
        used = one.used
        sessions.add_metric([one.name], one.sessions)
        for what in ("connected", "heard", "spoken"):
            seconds.add_metric([one.name, what], getattr(used, f"{what}_s"))
        characters.add_metric([one.name], used.spoken_chars)
        for kind in ("prompt", "completion"):
            tokens.add_metric([one.name, kind], getattr(used, f"{kind}_tokens"))
    yield from (sessions, seconds, characters, tokens)


def _gateway(service: Service) -> Iterator[Metric]:
    """Which of several this is; nothing where there is one."""
    if (place := service.shared.place) is None:
        return
    number = str(place.number)
    open_here = GaugeMetricFamily(
        "voicepipe_gateway_sessions", "Open sessions of each gateway.", labels=["gateway"]
    )
    open_here.add_metric([number], len(service.sessions))
    yield open_here
    forwarded = CounterMetricFamily(
        "voicepipe_gateway_forwarded",
        "Requests and connections about a call that another gateway holds.",
        labels=["gateway"],
    )
    forwarded.add_metric([number], service.forwarded)
    yield forwarded


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
            "voicepipe_engine_ready", "1 if the engine is warm and serves.", labels=["kind"]
        )
        problems = service.engines.problems()
        for kind, ready in service.engines.ready.items():
            engines.add_metric([kind], float(ready and kind not in problems))
        yield engines
        yield from _breakers(service)
        yield from _decodes(service)
        yield from _speculation(service.turn_log.prepared)
        yield from _anticipation(service.turn_log.anticipation)
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
        yield from _gateway(service)
        yield from _keys(service)
        yield _drift(service)
        if service.settings.cluster.address:
            yield from _pools(pool_of(service.settings.cluster))
        if service.settings.calls.enabled:
            yield from _calls(service.calls)
        yield from _webhooks(service.deliveries)
        if service.traces is not None:
            yield CounterMetricFamily(
                "voicepipe_traces_dropped",
                "Turns and calls' ends left out of the traces: too many waited.",
                value=service.traces.dropped,
            )
        if service.admission.watches_loop:
            yield GaugeMetricFamily(
                "voicepipe_loop_lag_seconds",
                "How late timers of the event loop fire, rolling p95.",
                value=(service.admission.loop_lag_ms.p95() or 0.0) / 1000,
            )


def _pools(pool: Pool) -> Iterator[Metric]:
    """The cluster's pools as this gateway knows them."""
    about = {
        "replicas": "Replicas that serve.",
        "calls": "Calls that are with them, of all gateways.",
        "waiting": "Of these, calls that wait for their engine.",
        "queue_seconds": "Longest wait there at p95 over the last minute, of all replicas.",
    }
    gauges = {
        name: GaugeMetricFamily(f"voicepipe_pool_{name}", text, labels=["pool"])
        for name, text in about.items()
    }
    for engine, links in pool.by_engine().items():
        loads = [link.load.get(engine, {}) for link in links]
        gauges["replicas"].add_metric([engine], len(links))
        gauges["calls"].add_metric([engine], sum(link.busy(engine) for link in links))
        gauges["waiting"].add_metric([engine], sum(load.get("waiting", 0) for load in loads))
        waits = [load.get("queue_ms") or 0.0 for load in loads]
        gauges["queue_seconds"].add_metric([engine], max(waits) / 1000)
    yield from gauges.values()
    choices = CounterMetricFamily(
        "voicepipe_pool_choices",
        "Calls of this gateway: to the first choice, to another because that was full, to nobody.",
        labels=["pool", "choice"],
    )
    for (engine, choice), count in pool.choices.items():
        choices.add_metric([engine, choice], count)
    yield choices


def _drift(service: Service) -> Metric:
    slower = GaugeMetricFamily(
        "voicepipe_turn_stage_drift_ratio",
        "How many times as slow a stage has become as in the week before; 1 where it has not.",
        labels=["stage"],
    )
    found = {drift.stage: drift.ratio for drift in service.drift.findings}
    for name in SEGMENT_NAMES:
        slower.add_metric([name], found.get(name, 1.0))
    return slower


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


def _anticipation(counts: AnticipationCounts) -> Iterator[Metric]:
    totals = {
        "made": ("Answers made ready in idle time, before anybody asked.", counts.made),
        "hits": ("Generations of theirs that were then asked for.", counts.hits),
        "tokens": ("Pieces of text generated for that.", counts.tokens),
        "used_tokens": ("Of them, in answers that were heard.", counts.used_tokens),
        "engine_seconds": ("Time for which engines worked on it.", counts.engine_s),
    }
    for name, (text, value) in totals.items():
        yield CounterMetricFamily(f"voicepipe_anticipation_{name}", text, value=value)


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


def _webhooks(deliveries: Deliveries | None) -> Iterator[Metric]:
    if deliveries is None:
        return
    about = "Deliveries to webhooks: taken, to be tried again, given up."
    family = CounterMetricFamily("voicepipe_webhook_deliveries", about, labels=["result"])
    for result in ("delivered", "failed", "dead"):
        family.add_metric([result], getattr(deliveries, result))
    yield family


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
    if isinstance(pair := engines["primary"], PairedRecognizer):
        engines |= {"primary": pair.first, "second": pair.second}
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
