"""A turn's line in the ledger: at its first sound, and when it is over."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Literal

from voicepipe.config import BudgetSettings
from voicepipe.ledger.accounting import ShareName
from voicepipe.ledger.marks import MarkName, Marks
from voicepipe.ledger.records import (
    SEGMENT_NAMES,
    TurnEnd,
    TurnRecord,
    contradiction,
    critical_segments,
    relative_marks,
    relative_tools,
)
from voicepipe.runtime.clock import Clock
from voicepipe.session import events as ev
from voicepipe.session.context import Context
from voicepipe.session.reply import Reply


def record_turn(context: Context, reply: Reply, end: TurnEnd, heard_ms: float) -> None:
    """Enter a reply that is done with, and tell the client if it asked for that."""
    turn = reply.plan.turn
    if reply.plan.script is not None:
        return  # nobody waited for it
    turn.marks.update(reply.marks)
    (context.answers.heard if reply.committed else context.answers.dropped)(turn.id)
    if turn.trace is not None:
        turn.trace.attempt(reply, "committed", context.clock.now())
    if reply.plan.prepared and not reply.committed:
        context.preemption.discard("cleared", reply.pieces_of_text, reply.made_audio_ms)
    elif reply.plan.prepared and end == "no_speech":
        context.preemption.discard(end, reply.pieces_of_text, reply.made_audio_ms)
    elif reply.plan.prepared:
        context.preemption.hit(reply.saved_us / 1000)
    trace = None if turn.trace is None else turn.trace.freeze()
    record = replace(
        _record(context, reply, turn.marks, end),
        heard_ms=max(0.0, heard_ms - reply.filler_ms),
        trace=trace,
    )
    context.turn_log.add(record)
    if context.settings.turn_events:
        context.emit(ev.TurnMeasured(record))


def tell_first_sound(context: Context, reply: Reply) -> None:
    """Its wait is known as soon as it can be heard: a client that asked for it is told at once."""
    wanted = context.settings.turn_events and context.settings.provisional_turns
    if not wanted or reply.plan.script is not None:
        return
    marks = Marks()  # a copy: what follows may still change the turn's own
    marks.update(reply.plan.turn.marks)
    marks.update(reply.marks)
    context.emit(ev.TurnMeasured(_record(context, reply, marks, "completed"), provisional=True))


def _record(context: Context, reply: Reply, marks: Marks, end: TurnEnd) -> TurnRecord:
    """As far as it has come."""
    turn, network = reply.plan.turn, context.network.segments_us()
    out = marks.get("audio_out")
    if out is not None and "playout" in network:  # the listener itself has said how late
        late_us = network["playout"] + network.get("down", 0)
        marks.set("heard", (out + late_us) / 1e6)
    return TurnRecord(
        turn_id=turn.id,
        session_id=context.session_id,
        origin=turn.origin,
        end=end,
        marks=relative_marks(marks),
        critical=critical_segments(marks, reply.calls.spans),
        work=_work(reply),
        budget=budget_us(context.budget),
        preemption=_preemption(reply, end),
        discards=turn.discards,
        tokens={
            "prompt": reply.usage.prompt_tokens,
            "cached": reply.usage.cached_tokens,
            "completion": reply.usage.completion_tokens,
            "drafted": reply.usage.drafted_tokens,
            "accepted": reply.usage.accepted_tokens,
        },
        token_ms=_token_ms(reply),
        audio_ms=reply.output.sent_ms - reply.filler_ms,
        note=contradiction(marks),
        shares=_shares(reply),
        response_id=reply.writer.spec.id,
        user_audio_ms=reply.user_audio_ms,
        route=dict(reply.times.route),
        network=network,
        region=context.config.server.region,
        session_preemption=context.preemption.as_dict(),
        tools=relative_tools(marks, reply.calls.spans),
        speech_end_at=_wall_time(context.clock, marks.get("speech_end")),
    )


def _preemption(reply: Reply, end: TurnEnd) -> Literal["none", "hit", "miss"]:
    if reply.plan.prepared:
        return "hit" if reply.committed and end != "no_speech" else "none"
    return "miss" if reply.plan.turn.discards else "none"


def _wall_time(clock: Clock, at_us: int | None) -> datetime | None:
    """What people's clocks showed then."""
    if at_us is None:
        return None
    return datetime.now(UTC) - timedelta(seconds=clock.now() - at_us / 1e6)


def budget_us(budget: BudgetSettings) -> dict[str, int]:
    """Microseconds per segment of the ledger."""
    names = (*SEGMENT_NAMES, "network")
    return {name: getattr(budget, f"{name}_ms") * 1000 for name in names}


def _token_ms(reply: Reply) -> dict[str, float]:
    """When the model's tokens came, as far as its engine tells."""
    times = reply.token_times
    if times is None:
        return {}
    found = {
        "first": times.first_ms,
        "step_p50": times.step_p50_ms,
        "step_max": times.step_max_ms,
        "hop": times.hop_ms,
    }
    return {name: ms for name, ms in found.items() if ms is not None}


def _shares(reply: Reply) -> dict[ShareName, int]:
    """What the settings and the engines account for in this turn's time."""
    turn = reply.plan.turn
    start_us = turn.start_wait_us if reply.plan.prepared else turn.endpoint_wait_us
    shares: dict[ShareName, int] = {"endpoint": turn.endpoint_wait_us, "start": start_us}
    if reply.plan.guess is not None:
        shares["confirmed"] = turn.eager_end_wait_us + turn.decode_us
    return shares | reply.times.engine_us


def _work(reply: Reply) -> dict[str, int]:
    """Microseconds each stage ran, wherever it lay."""
    marks, work = reply.marks, dict(reply.times.work_us)

    def between(name: str, start: MarkName, end: MarkName) -> None:
        began, ended = marks.get(start), marks.get(end)
        if began is not None and ended is not None:
            work[name] = ended - began

    between("llm", "llm_request", "llm_first_token")
    between("clause", "llm_first_token", "first_clause")
    return work
