"""Is the simulation right? The same engines, callers and loads once as it predicts them, and once
as the server does them: in virtual time, where only the model can be wrong, or in real time over
WebSockets, where the machine has its say too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from voicepipe.audio.pcm import FRAME_MS
from voicepipe.config import LatencySettings, Settings
from voicepipe.config.loading import load_settings, parse_assignments
from voicepipe.lab.bench import recordings
from voicepipe.lab.bench.caller import PAUSE_FRAMES
from voicepipe.lab.bench.child_server import child_server
from voicepipe.lab.bench.load import Outcome, in_process_load, socket_load
from voicepipe.lab.bench.load import Plan as Load
from voicepipe.lab.bench.recordings import Recording
from voicepipe.lab.bench.results import report
from voicepipe.lab.bench.virtual_time import LoopClock
from voicepipe.lab.capacity.plan import (
    AsrPool,
    Gateways,
    LlmPool,
    Plan,
    TalkSettings,
    Traffic,
    TtsPool,
)
from voicepipe.lab.capacity.simulate import UNBOUNDED, Fleet, simulate
from voicepipe.llm.engines.simulated import tokens_of
from voicepipe.runtime.errors import VoicepipeError
from voicepipe.server.service import Service
from voicepipe.tts.engines.simulated import CHARS_PER_S, FASTER_THAN_REAL_TIME

LOADS = {8: 14, 16: 11, 24: 9}
"""Callers at once, and turns of each: five minutes in all, with some 200 turns at the third. The
slots below are all taken now and then at the second, often at the third."""

SLOTS = {"asr": 3, "llm_first_token": 3, "tts": 2}
PREDICTED_TURNS = 20_000
PERCENTILES = ("p50", "p95", "p99")
WITHIN = {"p50": 0.10, "p95": 0.25, "p99": 0.25}


@dataclass(frozen=True, slots=True)
class Compared:
    """Voice to voice at one load, ms, by percentile."""

    callers: int
    turns: int
    predicted: dict[str, float]
    measured: dict[str, float]

    @property
    def right(self) -> bool:
        """Every percentile is as near as it must be."""
        return all(abs(self.ratio(name) - 1) <= WITHIN[name] for name in PERCENTILES)

    def ratio(self, name: str) -> float:
        """Predicted by measured."""
        return self.predicted[name] / self.measured[name]


def as_dict(one: Compared) -> dict[str, Any]:
    """For --json."""
    ratios = {name: one.ratio(name) for name in PERCENTILES}
    return {**asdict(one), "ratio": ratios, "right": one.right}


def assignments(callers: int) -> list[str]:
    """The settings of the server that is measured: few slots, so that callers meet queues."""
    slots = [f"simulated.{stage}.slots={count}" for stage, count in SLOTS.items()]
    return [*slots, f"limits.max_sessions={max(callers, 1)}"]


async def in_virtual_time(callers: int, turns: int) -> dict[str, Any]:
    """The figures of the server's own session code. Run it on a virtual-time loop."""
    service = Service(_settings(callers), clock=LoopClock())
    plan = _load(callers, turns)
    await service.start()
    try:
        outcome = await in_process_load(plan, service, clock=LoopClock())
    finally:
        await service.aclose()
    return _summary(plan, outcome)


async def in_real_time(callers: int, turns: int) -> dict[str, Any]:
    """The figures of `voicepipe bench turns` on a server in a process of its own."""
    plan = _load(callers, turns)
    given = [part for one in assignments(callers) for part in ("--set", one)]
    async with child_server(["--profile", "simulated", *given]) as server:
        outcome = await socket_load(plan, server.url, server_pid=server.pid)
    return _summary(plan, outcome)


def compared(callers: int, measured: dict[str, Any], *, virtual: bool) -> Compared:
    """Beside what the simulation says of that load. Raises VoicepipeError without an answer."""
    if not measured["answered_turns"]:
        raise VoicepipeError(
            f"{callers} callers: not one turn was answered, so there is nothing to compare"
        )
    plan = plan_of(_settings(callers), recordings.load(None), virtual=virtual)
    predicted = simulate(plan, callers, Fleet(1, 1, 1, 1), turns=PREDICTED_TURNS)
    return Compared(
        callers,
        measured["answered_turns"],
        {name: getattr(predicted, f"{name}_ms") for name in PERCENTILES},
        {name: measured[f"{name}_v2v_ms"] for name in PERCENTILES},
    )


def plan_of(settings: Settings, spoken: Sequence[Recording], *, virtual: bool) -> Plan:
    """What the simulation is told of the server and its callers: nothing that was measured there,
    but what its settings, texts and recordings say."""
    simulated = settings.simulated
    return Plan(
        traffic=Traffic(pattern="steady"),
        talk=talk_of(settings, spoken),
        gateway=Gateways(turn_ms=0.0 if virtual else Gateways().turn_ms),
        asr=AsrPool(decode=simulated.asr, slots=_slots(simulated.asr)),
        llm=LlmPool(
            first_token=simulated.llm_first_token,
            token=simulated.llm_per_token,
            slots=_slots(simulated.llm_first_token),
        ),
        tts=TtsPool(
            first_audio=simulated.tts,
            ms_per_s=1000 / FASTER_THAN_REAL_TIME,
            slots=_slots(simulated.tts),
        ),
    )


def talk_of(settings: Settings, spoken: Sequence[Recording]) -> TalkSettings:
    """The callers of the bench, who say these recordings."""
    answer = settings.simulated.answer
    first, _, _ = answer.partition(". ")
    voiced = [(one.last_voiced + 1) * FRAME_MS for one in spoken]
    return TalkSettings(
        speech_ms=(min(voiced), max(voiced)),
        clause_tokens=len(tokens_of(first)),
        answer_tokens=len(tokens_of(answer)),
        first_clause_s=(len(first) + 1) / CHARS_PER_S,
        answer_s=len(answer) / CHARS_PER_S,
        pause_ms=sum(PAUSE_FRAMES) / 2 * FRAME_MS,
        eager_end_ms=settings.turns.eager_end_ms,
        endpoint_ms=(settings.turns.endpoint_complete_ms, settings.turns.endpoint_unknown_ms),
        finished=1.0,
        vad_ms=0.0,  # the ledger counts from the last frame that was voiced
        output_ms=0.0,
        goes_on=0.0,
    )


def _settings(callers: int) -> Settings:
    return load_settings("simulated", environ={}, overrides=parse_assignments(assignments(callers)))


def _slots(delay: LatencySettings) -> int:
    return delay.slots or UNBOUNDED


def _load(callers: int, turns: int) -> Load:
    return Load(recordings.load(None), callers, turns)


def _summary(plan: Load, outcome: Outcome) -> dict[str, Any]:
    found: dict[str, Any] = report(plan, outcome, {})["summary"]
    return found
