"""Reads recorded turns: what `/v1/turns` gives, or the rows of `voicepipe bench turns --json`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from voicepipe.ledger.trace import Attempt, Trace
from voicepipe.runtime.errors import VoicepipeError

LINK_MS = 1500
"""A user who speaks again so soon after a turn's last word had hardly finished: the turns are
replayed together, since under another policy they may be one."""


class UnreadableTurns(VoicepipeError):
    """The file is not what was recorded; the message names the line."""


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """One spoken turn. Times in microseconds, marks relative to the end of speech."""

    turn_id: str
    session_id: str
    end: str  # `latency.ledger.TurnEnd`
    marks: Mapping[str, int]
    critical: Mapping[str, int] | None
    budget: Mapping[str, int]
    audio_ms: float
    discards: int
    trace: Trace

    @property
    def voice_to_voice_us(self) -> int | None:
        return None if self.critical is None else sum(self.critical.values())

    @property
    def committed(self) -> Attempt | None:
        """The reply that was given."""
        return next((a for a in reversed(self.trace.attempts) if a.end == "committed"), None)

    @property
    def output_us(self) -> int | None:
        """From the first sound at the open gate to the transport; None: nothing was heard. A reply
        to partial text also waited there for the final one, which is left out."""
        if self.critical is None:
            return None
        output_us, reply, ended = self.critical["output"], self.committed, self.trace.ended
        if reply is None or reply.guess is None or ended is None:
            return output_us
        decodes_us = [f.asr_us for f in self.trace.finals if f.after_ms == ended.speech_end_ms]
        confirmed_us = self.marks.get("eager_end", 0) + max(decodes_us, default=0)
        return max(0, min(output_us, self.marks["audio_out"] - confirmed_us))


Stretch = Sequence[RecordedTurn]
"""Turns of one session that are replayed together: mostly one."""


@dataclass(frozen=True, slots=True)
class Recording:
    """`sessions`: the stretches of each, in order. `left_out`: why turns are not in it."""

    sessions: Sequence[Sequence[Stretch]]
    left_out: Mapping[str, int]

    @property
    def turns(self) -> list[RecordedTurn]:
        return [turn for session in self.sessions for stretch in session for turn in stretch]


def read_recording(text: str, name: str) -> Recording:
    """`text`: JSON lines, or one bench report; `name`: of the file, for messages.

    Raises UnreadableTurns.
    """
    turns: list[RecordedTurn] = []
    left_out: Counter[str] = Counter()
    seen: set[tuple[str, str]] = set()
    for place, row in _rows(text, name):
        why = _why_not(row)
        if why is not None:
            left_out[why] += 1
            continue
        try:
            turn = _turn(row)
        except (KeyError, TypeError, ValueError) as error:
            raise UnreadableTurns(
                f"{place}: not a turn as this version records it ({type(error).__name__}: {error})"
            ) from None
        if (turn.session_id, turn.turn_id) in seen:  # the newest turns, fetched anew into one file
            left_out["recorded twice"] += 1
            continue
        seen.add((turn.session_id, turn.turn_id))
        turns.append(turn)
    if not turns:
        reasons = ", ".join(f"{n} {why}" for why, n in left_out.items()) or "it holds no turns"
        raise UnreadableTurns(
            f"{name}: nothing to replay: {reasons}. Record some with /v1/turns of a running "
            "server or with voicepipe bench turns --json FILE."
        )
    return Recording(list(_sessions(turns)), left_out)


def _rows(text: str, name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        place = f"{name}, line {number}"
        try:
            row = json.loads(line)
        except ValueError as error:
            raise UnreadableTurns(f"{place}: not JSON: {error}") from None
        if not isinstance(row, dict):
            raise UnreadableTurns(f"{place}: expected an object, found {type(row).__name__}")
        inside = row["turns"] if isinstance(row.get("turns"), list) else [row]
        for one in inside:
            if not isinstance(one, dict):
                raise UnreadableTurns(f"{place}: a turn is an object, not {type(one).__name__}")
            yield place, (one["ledger"] or {} if "ledger" in one else one)


def _why_not(row: Mapping[str, Any]) -> str | None:
    if not row:
        return "lost, without a ledger"
    if row.get("origin") != "speech":
        return "typed or pushed to talk"
    trace = row.get("trace")
    if not trace:
        return "without a trace"
    if trace.get("ended") is None:
        return "cut off before their endpoint"
    ended_ms = trace["ended"][1]
    if _begun_late(trace["attempts"], ended_ms):
        return "answered when the client asked"
    if row.get("tools") or _called_tool(trace["attempts"]):
        return "answered after a tool call"
    return "failed" if row.get("end") == "failed" else None


def _called_tool(attempts: Sequence[Mapping[str, Any]]) -> bool:
    """The reply's times tell of both rounds of the model together, and not of what lay between."""
    return any(a["end"] == "committed" and a["stages_ms"].get("after_tool") for a in attempts)


def _begun_late(attempts: Sequence[Mapping[str, Any]], ended_ms: int) -> bool:
    """The reply was begun after the endpoint, and not in the place of one that was waiting there
    for the final transcript, which said something else than the partial text it answered."""
    if not any(a["end"] == "committed" and a["start_ms"] > ended_ms for a in attempts):
        return False
    return not any(
        a["end"] == "discarded" and a["start_ms"] + a["ran_ms"] >= ended_ms for a in attempts
    )


def _turn(row: Mapping[str, Any]) -> RecordedTurn:
    critical = row["critical_ms"]
    return RecordedTurn(
        turn_id=str(row["turn_id"]),
        session_id=str(row["session_id"]),
        end=str(row["end"]),
        marks=_us(row["marks_ms"]),
        critical=None if critical is None else _us(critical),
        budget=_us(row["budget_ms"]),
        audio_ms=float(row["audio_ms"]),
        discards=int(row["discards"]),
        trace=Trace.from_dict(row["trace"]),
    )


def _us(values: Mapping[str, float]) -> dict[str, int]:
    return {name: round(ms * 1000) for name, ms in values.items()}


def _sessions(turns: Iterable[RecordedTurn]) -> Iterator[list[list[RecordedTurn]]]:
    by_session: dict[str, list[RecordedTurn]] = {}
    for turn in turns:
        by_session.setdefault(turn.session_id, []).append(turn)
    for own in by_session.values():
        own.sort(key=lambda turn: turn.trace.start_ms)
        stretches: list[list[RecordedTurn]] = []
        for turn in own:
            if stretches and _goes_on(stretches[-1][-1], turn):
                stretches[-1].append(turn)
            else:
                stretches.append([turn])
        yield stretches


def _goes_on(before: RecordedTurn, after: RecordedTurn) -> bool:
    """The user had not finished with `before`."""
    assert before.trace.ended is not None
    if before.end == "reopened":  # by speech that it heard begin; that turn may have been left out
        heard_ms = sum(speech + silence for speech, silence in before.trace.runs_ms)
        return after.trace.start_ms - before.trace.start_ms - heard_ms <= LINK_MS
    speech_end_ms = before.trace.start_ms + before.trace.ended.speech_end_ms
    return before.end == "interrupted" and after.trace.start_ms - speech_end_ms <= LINK_MS
