"""What is simulated, as a TOML file says it: traffic, times of the engines, prices, the target."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, NonNegativeFloat, ValidationError

from voicepipe.config import LatencySettings, Section
from voicepipe.fit.speeds import AsrSpeed, LlmSpeed, TtsSpeed
from voicepipe.fit.talk import TURNS
from voicepipe.lab.capacity.typical import typical
from voicepipe.runtime.errors import VoicepipeError

_TALK = typical()
Pair = tuple[NonNegativeFloat, NonNegativeFloat]
SPREAD = 0.2  # of a measured time, by chance


class Traffic(Section):
    """Calls as they come. Their number is that at the peak."""

    pattern: Literal["steady", "poisson", "diurnal", "burst"] = "poisson"  # steady: so many all the
    # time; poisson: callers come by themselves, about so many; diurnal: that, at the peak of a day;
    # burst: that, and suddenly more
    call_s: float = Field(180.0, gt=0)  # mean length, exponential
    peak_to_mean: float = Field(2.0, ge=1)  # diurnal: the fleet is paid all day
    burst_share: float = Field(0.2, ge=0)  # burst: so many more of them
    burst_s: float = Field(5.0, gt=0)  # ... within so long


class TalkSettings(Section):
    """What a conversation is like: the averages of the one that `voicepipe fit` plays."""

    speech_ms: Pair = _TALK.speech_ms  # shortest and longest question
    new_tokens: int = Field(_TALK.new_tokens, ge=1)  # of a prompt whose history is in the cache
    clause_tokens: int = Field(_TALK.clause_tokens, ge=1)  # until the first clause is whole
    answer_tokens: int = Field(_TALK.answer_tokens, ge=1)
    first_clause_s: float = Field(_TALK.first_clause_s, gt=0)  # of sound
    answer_s: float = Field(_TALK.answer_s, gt=0)
    pause_ms: float = Field(900, ge=0)  # before the caller speaks again
    eager_end_ms: float = Field(TURNS.eager_end_ms, ge=0)
    endpoint_ms: Pair = (TURNS.endpoint_complete_ms, TURNS.endpoint_unknown_ms)
    # after words that look finished; that do not
    finished: float = Field(0.85, ge=0, le=1)  # share of questions that look finished
    vad_ms: float = Field(0.0, ge=0)  # until the end of a frame is noticed
    output_ms: float = Field(2.0, ge=0)
    goes_on: float = Field(0.15, ge=0, le=1)  # share of turns with a pause in which a reply is
    # prepared that is thrown away: the caller goes on before the endpoint
    preemptive: bool = True  # prepare replies at the eager end

    @property
    def cycle_ms(self) -> float:
        """One turn of an unhurried machine: speech, wait, answer, pause."""
        return sum(self.speech_ms) / 2 + self.endpoint_ms[0] + self.answer_s * 1000 + self.pause_ms


class Pool(Section):
    """Engines that gateways share. `source` says where the times come from."""

    slots: int = Field(1, ge=1)  # a replica does so many at once
    company: float = Field(0.0, ge=0)  # by how much each other one in a replica slows one, a share
    price_hour: float = Field(0.0, ge=0)  # of one replica
    source: str = "assumed"


class AsrPool(Pool):
    decode: LatencySettings = LatencySettings(mean_ms=100)  # a final
    partial: float = Field(0.6, ge=0)  # of that, a decode while the caller speaks
    partial_ms: float = Field(0.0, ge=0)  # one each so often; 0 = none


class LlmPool(Pool):
    first_token: LatencySettings = LatencySettings(mean_ms=100)  # the history in the cache
    prefill_ms: float = Field(0.0, ge=0)  # of each token of history that is not
    token: LatencySettings = LatencySettings(mean_ms=10)
    history_tokens: int = Field(44, ge=0)  # that each turn adds
    patience: float = Field(1.0, ge=0)  # a conversation waits for the replica that holds its prefix
    # as long as another would take to compute it, times this; 0 = goes elsewhere at once


class TtsPool(Pool):
    first_audio: LatencySettings = LatencySettings(mean_ms=60)
    ms_per_s: float = Field(50.0, ge=0)  # work for a second of sound


class Gateways(Section):
    """The processes that hold the calls."""

    calls: int = Field(100, ge=1)  # of one process, at most: `voicepipe lab capacity --find`
    turn_ms: float = Field(0.5, ge=0)  # what an idle process adds to a turn
    cpu_share: float = Field(0.007, ge=0, lt=1)  # of its core, for each call
    price_hour: float = Field(0.0, ge=0)
    source: str = "assumed"


class Failures(Section):
    """What breaks meanwhile. A replica's work is done again by another."""

    at_once: int = Field(0, ge=0)  # replicas of each pool that die in the middle of the run
    mean_hours: float = Field(0.0, ge=0)  # between two failures of a replica; 0 = none fails
    notice_ms: float = Field(200.0, ge=0)  # until its work is given to another
    restart_s: float = Field(30.0, ge=0)  # until it is back


class Target(Section):
    p99_ms: float = Field(800.0, gt=0)  # voice to voice
    busy: float = Field(0.85, gt=0, le=1)  # no pool busier on average: room for the unforeseen


class Plan(Section):
    """One fleet to be sized."""

    name: str = ""
    speeds: str = ""  # a file that `voicepipe fit --json` wrote; its times replace those below
    asr_model: str = ""  # of that file; "" = the first
    llm_model: str = ""
    hop_ms: float = Field(0.0, ge=0)  # from a gateway to a pool and back
    currency: str = "USD"
    traffic: Traffic = Traffic()
    talk: TalkSettings = TalkSettings()
    gateway: Gateways = Gateways()
    asr: AsrPool = AsrPool()
    llm: LlmPool = LlmPool()
    tts: TtsPool = TtsPool()
    failures: Failures = Failures()
    target: Target = Target()


def read_plan(path: Path) -> Plan:
    """TOML, or JSON by its ending. Raises VoicepipeError that names the field."""
    try:
        text = path.read_text(encoding="utf-8")
        fields = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
        plan = Plan.model_validate(fields)
        return with_speeds(plan, path.parent / plan.speeds) if plan.speeds else plan
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise VoicepipeError(f"{path}: {where}: {first['msg']}") from None
    except (OSError, ValueError) as error:
        raise VoicepipeError(f"{path}: {error}") from None


def with_speeds(plan: Plan, path: Path) -> Plan:
    """The times that `voicepipe fit --json` measured, in place of the plan's own. What else a pool
    has (slots, prices) stays. Raises VoicepipeError."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        speeds = found.get("speeds", found)
        asr = AsrSpeed(**_named(speeds["asr"], plan.asr_model))
        llm = LlmSpeed(**_named(speeds["llm"], plan.llm_model))
        tts = TtsSpeed(**speeds["tts"])
        return plan.model_copy(update=_pools_of(plan, asr, llm, tts))
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise VoicepipeError(f"{path}: not what `voicepipe fit --json` writes: {error}") from None


def _pools_of(plan: Plan, asr: AsrSpeed, llm: LlmSpeed, tts: TtsSpeed) -> dict[str, Any]:
    first_ms = llm.prompt_ms(plan.talk.new_tokens)
    return {
        "asr": plan.asr.model_copy(update={"decode": _about(asr.decode_ms)}),
        "llm": plan.llm.model_copy(
            update={
                "first_token": _about(first_ms),
                "prefill_ms": llm.prefill_ms,
                "token": _about(llm.step_ms),
                "company": llm.company,
            }
        ),
        "tts": plan.tts.model_copy(
            update={"first_audio": _about(tts.first_ms), "ms_per_s": tts.ms_per_s}
        ),
    }


def _about(mean_ms: float) -> LatencySettings:
    return LatencySettings(mean_ms=mean_ms, sd_ms=mean_ms * SPREAD, kind="lognormal")


def _named(models: list[dict[str, Any]], name: str) -> dict[str, Any]:
    known = {model["model"]: model for model in models}
    if name and name not in known:
        raise LookupError(f"no model {name!r}; it has {', '.join(known)}")
    return known[name] if name else models[0]
