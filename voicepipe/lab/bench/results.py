"""From callers' turns and the server's ledger to figures. Pure; what it returns is JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from voicepipe.lab.bench.caller import CallerTurn
from voicepipe.lab.bench.load import Outcome, Plan
from voicepipe.ledger.percentiles import summarize
from voicepipe.ledger.records import SEGMENT_NAMES

FEWEST_TURNS = {"p95": 20, "p99": 100}
"""Percentiles of fewer turns are their maximum; such a one is shown as a dot, as on the page."""

PROMISE_MS = 800.0
"""Voice to voice, always."""

STAGES = SEGMENT_NAMES
_PERCENTILES = ("p50", "p95", "p99", "max")
ADDED_STEPS = ("endpoint", "asr", "prompt", "llm", "clause", "tts", "output")
_COUNTS = (
    *("turns", "answered_turns", "lost_turns", "extra_replies", "over_promise_turns"),
    *("checked_answers", "wrong_answers"),
    *("preemptive_hits", "preemptive_misses", "discards"),
    *(f"over_budget_{name}" for name in STAGES),
)
_COLUMNS = (
    *("v2v", "client_v2v", "final_text", "overhead", "client_late", *STAGES),
    *(f"added_{name}" for name in ADDED_STEPS),
)
_RESOURCES = (
    *("wall_s", "startup_s", "cpu_s", "cpu_percent", "cpu_percent_per_session", "workers_cpu_s"),
    *("workers_cpu_percent_per_session", "callers_cpu_percent_per_session"),
    *("rss_mb", "peak_rss_mb", "workers_rss_mb", "asr_rtf", "tts_rtf"),
)
FIGURES = (*_COUNTS, *(f"{p}_{c}_ms" for c in _COLUMNS for p in _PERCENTILES), *_RESOURCES)
"""Every name that a summary may hold. Not each run has all: a remote server's CPU is not seen."""

_MAX_PROBLEMS = 20  # different ones kept in the report

Row = dict[str, Any]


def rows(turns: Iterable[CallerTurn]) -> list[Row]:
    """One row a turn: what the caller heard beside what the server's ledger says."""
    return [_row(turn) for turn in turns]


def _row(turn: CallerTurn) -> Row:
    ledger = turn.record
    return {
        "session": turn.caller,
        "turn": turn.number,
        "question": turn.question,
        "lost": turn.lost,
        "turn_id": None if ledger is None else ledger["turn_id"],
        "client_v2v_ms": _rounded(turn.voice_to_voice_ms),
        "client_late_ms": _rounded(turn.late_ms),
        "v2v_ms": None if ledger is None else ledger["voice_to_voice_ms"],
        "final_text_ms": None if ledger is None else final_text_ms(turn.voice_to_voice_ms, ledger),
        "overhead_ms": None if ledger is None else ledger.get("overhead_ms"),
        "added_ms": {} if ledger is None else added_ms(ledger),
        "extra": turn.extra,
        "is_right": turn.is_right,
        "ledger": ledger,
    }


def final_text_ms(voice_to_voice_ms: float | None, ledger: Mapping[str, Any]) -> float | None:
    """From the true end of speech, as the caller knows it, to the transcript that was answered:
    what the caller waited, less what came after that. None for a turn without one."""
    marks = ledger["marks_ms"]
    if voice_to_voice_ms is None or not {"asr_final", "audio_out"} <= marks.keys():
        return None
    after_ms: float = marks["audio_out"] - marks["asr_final"]
    return round(voice_to_voice_ms - after_ms, 3)


def added_ms(ledger: Mapping[str, Any]) -> dict[str, float]:
    """Where in the pipeline time was added, wherever it lay: each step less its engine's time.

    A step's lateness is hidden from the caller while another chain is slower, so these do not add
    up to the overhead; they tell where to look. {} where the ledger lacks the shares.
    """
    marks, shares = ledger["marks_ms"], ledger.get("shares_ms") or {}
    if "endpoint" not in shares or "endpoint" not in marks:
        return {}
    begun = marks.get("eager_end" if ledger["preemption"] == "hit" else "endpoint")
    gate = max(marks["endpoint"], marks.get("tts_first_audio", 0.0), shares.get("confirmed", 0.0))
    steps = (
        ("endpoint", marks["speech_end"], "endpoint", ("endpoint",)),
        ("asr", begun if "asr" in shares else None, "asr_final", ("asr", "asr_queue")),
        ("prompt", marks.get("asr_final"), "llm_request", ()),
        ("llm", marks.get("llm_request"), "llm_first_token", ("llm",)),
        ("clause", marks.get("llm_first_token"), "first_clause", ("clause",)),
        ("tts", marks.get("first_clause"), "tts_first_audio", ("tts",)),
        ("output", gate, "audio_out", ()),
    )
    # A server-side tool makes several rounds of the model one, with its run between them.
    unclear = {"prompt", "llm", "clause"} if "after_tool" in shares else set()
    return {
        name: round(marks[end] - start_ms - sum(shares.get(s, 0.0) for s in of), 3)
        for name, start_ms, end, of in steps
        if start_ms is not None and end in marks and name not in unclear
    }


def report(plan: Plan, outcome: Outcome, setup: Mapping[str, Any]) -> dict[str, Any]:
    """Everything: `setup` as given, a flat `summary` (what `--assert` reads), `stages`, `turns`."""
    turns = rows(outcome.turns)
    answered = [row for row in turns if row["lost"] is None]
    problems = Counter(outcome.problems)
    return {
        "setup": {
            **setup,
            "sessions": plan.sessions,
            "interrupted": outcome.interrupted,
            "turns_per_session": plan.turns,
            "questions": [r.name for r in plan.recordings],
        },
        "summary": {
            **_counts(turns, answered),
            **_latencies(answered),
            **_resources(outcome, setup),
            **_real_time_factors(answered),
        },
        "stages": _stages(answered),
        "problems": dict(problems.most_common(_MAX_PROBLEMS)),
        "turns": turns,
    }


def _counts(turns: Sequence[Row], answered: Sequence[Row]) -> dict[str, Any]:
    ledgers = [row["ledger"] for row in answered]
    over = Counter(name for ledger in ledgers for name in ledger["over_budget"])
    preemption = Counter(ledger["preemption"] for ledger in ledgers)
    return {
        "turns": len(turns),
        "answered_turns": len(answered),
        "lost_turns": len(turns) - len(answered),
        "extra_replies": sum(row["extra"] for row in turns),
        "over_promise_turns": sum((row["v2v_ms"] or 0.0) > PROMISE_MS for row in answered),
        "checked_answers": sum(row["is_right"] is not None for row in turns),
        "wrong_answers": sum(row["is_right"] is False for row in turns),
        "preemptive_hits": preemption["hit"],
        "preemptive_misses": preemption["miss"],
        "discards": sum(ledger["discards"] for ledger in ledgers),
        **{f"over_budget_{name}": over[name] for name in STAGES},
    }


def _latencies(answered: Sequence[Row]) -> dict[str, float]:
    columns: dict[str, list[float]] = {}
    for row in answered:
        for name in ("v2v", "client_v2v", "final_text", "overhead", "client_late"):
            columns.setdefault(name, []).append(row[f"{name}_ms"])
        for name, value in (row["ledger"]["critical_ms"] or {}).items():
            columns.setdefault(name, []).append(value)
        for name, value in row["added_ms"].items():
            columns.setdefault(f"added_{name}", []).append(value)
    flat: dict[str, float] = {}
    for name, values in columns.items():
        known = [value for value in values if value is not None]
        if known:
            found = summarize(known)
            flat |= {f"{p}_{name}_ms": round(found[p], 3) for p in _PERCENTILES}
    return flat


def _resources(outcome: Outcome, setup: Mapping[str, Any]) -> dict[str, float]:
    flat: dict[str, float] = {"wall_s": round(outcome.wall_s, 3)}
    if setup.get("startup_s") is not None:
        flat["startup_s"] = round(float(setup["startup_s"]), 3)

    def per_session(cpu_s: float) -> float:
        return round(100 * cpu_s / max(outcome.session_s, 0.001), 4)

    if outcome.callers_cpu_s is not None:
        flat["callers_cpu_percent_per_session"] = per_session(outcome.callers_cpu_s)
    before, after = outcome.before, outcome.after
    if before is None or after is None:
        return flat
    cpu_s = after.cpu_s - before.cpu_s
    workers_s = after.workers_cpu_s - before.workers_cpu_s
    return flat | {
        "cpu_s": round(cpu_s, 3),
        "cpu_percent": round(100 * cpu_s / max(outcome.wall_s, 0.001), 2),
        "cpu_percent_per_session": per_session(cpu_s),
        "workers_cpu_s": round(workers_s, 3),
        "workers_cpu_percent_per_session": per_session(workers_s),
        "rss_mb": round(after.rss_mb, 1),
        "peak_rss_mb": round(after.peak_rss_mb, 1),
        "workers_rss_mb": round(after.workers_rss_mb, 1),
    }


def _real_time_factors(answered: Sequence[Row]) -> dict[str, float]:
    """Engine time per second of audio: finals for ASR, waits for audio for TTS."""
    ledgers = [row["ledger"] for row in answered]
    flat: dict[str, float] = {}
    for name, work, audio in (("asr", "asr", "user_audio_ms"), ("tts", "tts_total", "audio_ms")):
        audio_ms = sum(ledger.get(audio, 0.0) for ledger in ledgers)
        if audio_ms:
            work_ms = sum(ledger["work_ms"].get(work, 0.0) for ledger in ledgers)
            flat[f"{name}_rtf"] = round(work_ms / audio_ms, 4)
    return flat


def _stages(answered: Sequence[Row]) -> dict[str, dict[str, float]]:
    """Critical milliseconds by stage, with budget and how often it was exceeded."""
    found: dict[str, dict[str, float]] = {}
    for name in STAGES:
        ledgers = [row["ledger"] for row in answered if row["ledger"]["critical_ms"]]
        critical = [ledger["critical_ms"] for ledger in ledgers]
        values = [segments[name] for segments in critical if name in segments]
        if values:
            over = sum(name in ledger["over_budget"] for ledger in ledgers)
            budget = ledgers[0]["budget_ms"].get(name, 0.0)
            found[name] = {**summarize(values), "budget_ms": budget, "over": over}
    return found


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
