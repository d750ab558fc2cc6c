"""OpenTelemetry: a trace for each call, a span for each turn; its critical stages are its children
and add up to it exactly. Work that hid behind others stands beside them, marked so.

On the turn's path a record is put into a bounded queue and no more; a thread makes spans of it, and
the SDK's own thread exports them. A collector that hangs costs spans, which are counted.
"""

from __future__ import annotations

import contextlib
import json
import logging
import queue
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from voicepipe.call_log.texts import TurnTexts
from voicepipe.config import Settings, TracingSettings
from voicepipe.conversation.history import Conversation
from voicepipe.ledger.marks import MarkName
from voicepipe.ledger.records import TurnRecord
from voicepipe.privacy.redactor import redactor
from voicepipe.runtime.errors import ConfigError

log = logging.getLogger(__name__)

MAX_WAITING = 2048
"""Turns that wait for their spans; more are dropped."""

MAX_CALLS = 10_000
CLOSE_S = 2.0
"""How long the end of the process waits for the last export."""

EXPORT_S = 5
"""Deadline of one export."""

_HIDDEN: tuple[tuple[str, MarkName, MarkName], ...] = (
    ("asr", "eager_end", "asr_final"),
    ("llm", "llm_request", "llm_first_token"),
    ("clause", "llm_first_token", "first_clause"),
    ("tts", "first_clause", "tts_first_audio"),
)
"""How long a stage worked, wherever it lay; only what of it was waited for is critical."""


@dataclass(frozen=True, slots=True)
class _Begun:
    session_id: str
    traceparent: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class _Turn:
    record: TurnRecord
    at_ns: int  # when it was over
    user: str = ""  # what was said, where it is asked for
    agent: str = ""


@dataclass(frozen=True, slots=True)
class _Ended:
    session_id: str
    at_ns: int


class Traces:
    """Made by `traces`. All methods return at once, but `close`."""

    def __init__(self, settings: Settings, provider: Any) -> None:
        """`provider`: an SDK's TracerProvider, which `close` shuts down."""
        self._provider = provider
        self._tracer = provider.get_tracer("voicepipe")
        llm = settings.llm
        self._model, self._engine = llm.model, llm.engine
        self._others = {name: (o.model or llm.model, o.engine) for name, o in llm.others.items()}
        self._queue: queue.Queue[_Begun | _Turn | _Ended | None] = queue.Queue(MAX_WAITING)
        self._calls: dict[str, Any] = {}
        self._content = settings.tracing.content
        self._redact = redactor(settings.calls.redact, settings.privacy) if self._content else None
        self._texts: dict[str, TurnTexts] = {}
        self.dropped = 0
        self._thread = threading.Thread(target=self._work, name="traces", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """Turns and calls whose spans are not made yet."""
        return self._queue.qsize()

    def call_begins(self, session_id: str, conversation: Conversation, traceparent: str) -> None:
        """`traceparent`: of whoever called, as W3C has it."""
        if self._content:
            self._texts[session_id] = TurnTexts(conversation)
        self._put(_Begun(session_id, traceparent[:200], time.time_ns()))

    def turn(self, record: TurnRecord) -> None:
        """For `TurnLog.watch`."""
        texts = self._texts.get(record.session_id)
        self._put(_Turn(record, time.time_ns(), *(texts.take() if texts is not None else ())))

    def call_ends(self, session_id: str) -> None:
        self._texts.pop(session_id, None)
        self._put(_Ended(session_id, time.time_ns()))

    def close(self) -> None:
        """Blocking, for `CLOSE_S` at most."""
        until = time.monotonic() + CLOSE_S
        with contextlib.suppress(queue.Full):
            self._queue.put(None, timeout=CLOSE_S / 2)
        self._thread.join(max(0.0, until - time.monotonic()))
        last = threading.Thread(target=self._provider.shutdown, name="last export", daemon=True)
        last.start()
        last.join(max(0.1, until - time.monotonic()))

    def _put(self, item: _Begun | _Turn | _Ended) -> None:
        try:
            self._queue.put_nowait(item)
        except queue.Full:
            self.dropped += 1

    # -- on the thread -----------------------------------------------------------------------------

    def _work(self) -> None:
        while (item := self._queue.get()) is not None:
            try:
                self._take(item)
            except Exception:
                log.exception("a span could not be made")

    def _take(self, item: _Begun | _Turn | _Ended) -> None:
        match item:
            case _Begun():
                self._call(item.session_id, item.at_ns, item.traceparent)
            case _Turn():
                start_ns = item.at_ns - 1000 * max(item.record.marks.values(), default=0)
                call = self._call(item.record.session_id, start_ns)
                self._turn_spans(call, item, start_ns)
            case _Ended():
                call = self._calls.pop(item.session_id, None)
                if call is not None:
                    call.end(item.at_ns)

    def _call(self, session_id: str, at_ns: int, traceparent: str = "") -> Any:
        """The span of the call, begun where it is not yet."""
        if session_id not in self._calls:
            if len(self._calls) >= MAX_CALLS:
                self._calls.pop(next(iter(self._calls))).end(at_ns)
            self._calls[session_id] = self._tracer.start_span(
                "call",
                context=_context_of(traceparent),
                start_time=at_ns,
                attributes={"session.id": session_id},
            )
        return self._calls[session_id]

    def _turn_spans(self, call: Any, item: _Turn, start_ns: int) -> None:
        record = item.record
        length_ns = 1000 * (record.voice_to_voice_us or 0)
        facts = {**self._facts(record), **self._said(item)}
        turn = self._child(call, "turn", start_ns, length_ns, facts)
        if record.end == "failed":
            turn.set_status(_error())
        at_ns = start_ns
        for name, took_us in (record.critical or {}).items():  # in the order of the path
            self._child(turn, name, at_ns, 1000 * took_us, {"voicepipe.critical": True})
            at_ns += 1000 * took_us
        for stage, begins, ends in _HIDDEN:
            begin, end = record.marks.get(begins), record.marks.get(ends)
            if begin is not None and end is not None and end >= begin:
                facts = {"voicepipe.critical": False, **self._gen_ai(stage, record)}
                length = 1000 * (end - begin)
                self._child(turn, f"{stage} work", start_ns + 1000 * begin, length, facts)
        self._prepared(turn, record, start_ns)

    def _prepared(self, turn: Any, record: TurnRecord, start_ns: int) -> None:
        """Replies that were begun, mostly before the turn was over, and what became of them."""
        trace = record.trace
        if trace is None or trace.ended is None:
            return
        for one in trace.attempts:
            facts: dict[str, Any] = {"voicepipe.critical": False, "voicepipe.reply.end": one.end}
            if one.why:
                facts["voicepipe.reply.why"] = one.why
            begin_ns = start_ns + 1_000_000 * (one.start_ms - trace.ended.speech_end_ms)
            self._child(turn, "prepared reply", begin_ns, 1000 * one.ran_us, facts)

    def _child(
        self, parent: Any, name: str, start_ns: int, length_ns: int, facts: Mapping[str, Any]
    ) -> Any:
        span = self._tracer.start_span(
            name, context=_inside(parent), start_time=start_ns, attributes=facts
        )
        span.end(start_ns + length_ns)
        return span

    @staticmethod
    def _facts(record: TurnRecord) -> dict[str, Any]:
        facts: dict[str, Any] = {
            "voicepipe.turn.id": record.turn_id,
            "voicepipe.turn.end": record.end,
            "voicepipe.preemption": record.preemption,
            "voicepipe.discards": record.discards,
            "voicepipe.over_budget": list(record.over_budget),
            **{f"voicepipe.route.{stage}": route for stage, route in record.route.items()},
        }
        if record.overhead_us is not None:
            facts["voicepipe.overhead_ms"] = record.overhead_us / 1000
        return facts

    def _said(self, item: _Turn) -> dict[str, str]:
        """As `gen_ai.*` has messages; nothing where nobody asked for it."""
        said = {"input": ("user", item.user), "output": ("assistant", item.agent)}
        found = {}
        for way, (role, text) in said.items():
            if text:
                content = text if self._redact is None else self._redact(text)
                parts = [{"type": "text", "content": content}]
                found[f"gen_ai.{way}.messages"] = json.dumps([{"role": role, "parts": parts}])
        return found

    def _gen_ai(self, stage: str, record: TurnRecord) -> dict[str, Any]:
        if stage != "llm":
            return {}
        chosen = record.route.get("model") or self._model  # a call may have chosen another
        model, engine = self._others.get(chosen, (chosen, self._engine))
        facts: dict[str, Any] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": engine,
            "gen_ai.request.model": model,
        }
        for ours, theirs in (("prompt", "input_tokens"), ("completion", "output_tokens")):
            if ours in record.tokens:
                facts[f"gen_ai.usage.{theirs}"] = record.tokens[ours]
        return facts


def traces(settings: Settings) -> Traces | None:
    """None: `tracing.endpoint` is not set. Raises ConfigError where the SDK is missing."""
    if not settings.tracing.endpoint:
        return None
    return Traces(settings, _provider(settings.tracing))


def _provider(settings: TracingSettings) -> Any:
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
        from opentelemetry.sdk.trace.sampling import ParentBasedTraceIdRatio
    except ImportError as error:
        raise ConfigError(
            f"tracing.endpoint is set, and the package {error.name} is missing: install "
            "voicepipe with the extra [otel]"
        ) from error
    headers = {} if settings.headers is None else _pairs(settings.headers.get_secret_value())
    exporter = OTLPSpanExporter(settings.endpoint, headers=headers, timeout=EXPORT_S)
    provider = TracerProvider(
        sampler=ParentBasedTraceIdRatio(settings.sample),
        resource=Resource.create({"service.name": "voicepipe"}),
        shutdown_on_exit=False,
    )
    provider.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=1000))
    _quieten()
    return provider


def _quieten() -> None:
    """A collector that is away is told once a minute. A filter holds for what its own logger says
    and for none below it, so each of theirs has one."""
    for name in list(logging.root.manager.loggerDict):
        if seldom := _SELDOM.get(name.partition(".")[0]):
            logging.getLogger(name).addFilter(seldom)


def _pairs(text: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in text.split(",") if part.strip())
    return {name.strip(): value.strip() for name, _, value in pairs}


class _Seldom(logging.Filter):
    """Lets a line through once a minute, without its traceback."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock, self._next = clock, 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        now = self._clock()
        if now < self._next:
            return False
        self._next, record.exc_info = now + 60.0, None
        return True


_SELDOM = {"opentelemetry": _Seldom(), "urllib3": _Seldom()}
"""By whom: the one may not hide what the other says."""


def _context_of(traceparent: str) -> Any:
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    return TraceContextTextMapPropagator().extract({"traceparent": traceparent})


def _inside(span: Any) -> Any:
    from opentelemetry.trace import set_span_in_context

    return set_span_in_context(span)


def _error() -> Any:
    from opentelemetry.trace import Status, StatusCode

    return Status(StatusCode.ERROR)
