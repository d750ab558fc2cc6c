"""The settings that a choice stands for, as a voicepipe.toml. Pure."""

from __future__ import annotations

import json
from datetime import date

from voicepipe.fit.choose import Choice

SPARE_SLOTS = 1  # for the next caller's instructions while the last one's cache is still warm


def as_toml(choice: Choice, tts: str, day: date) -> str:
    """A whole file for the profile `cpu`."""
    setup, alone = choice.setup, choice.alone
    callers = max(choice.callers, 1)
    return f"""\
# Written by `voicepipe fit` on {day.isoformat()}: one caller waits {alone.p50_ms:.0f} ms (p50) and
# {alone.p95_ms:.0f} ms (p95) by its model of this machine; {_how_many(choice)}.
profile = "cpu"

[asr]
model = {json.dumps(setup.asr.model)}
threads = {setup.asr.threads}
partial_ms = {setup.partial_ms}   # new speech between two partial decodes

[llm]
engine = "llama_cpp"
model = {json.dumps(setup.llm.model)}

[llm.llama_cpp]
threads = {setup.llm.threads}
slots = {callers + SPARE_SLOTS}

[llm.llama_cpp.speculative]
method = "none"   # a drafter pays from the second clause on, and costs the first

[tts]
engine = "piper"
model = {json.dumps(tts)}

[turns]
preemptive_generation = "eager_end"   # the reply is prepared while the end is still uncertain

[budget]
act = true   # the first clause is as long as the turn's time allows

[limits]
max_sessions = {callers}
"""


def _how_many(choice: Choice) -> str:
    if not choice.callers:
        return "none is answered in time, this is the quickest set"
    return f"{choice.callers} at once are answered in time" if choice.callers > 1 else "one at once"
