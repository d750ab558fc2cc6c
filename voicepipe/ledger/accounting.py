"""What of a turn's voice-to-voice time the settings and the engines account for. The rest is the
server's own doing: its overhead.

A turn is one race between two chains that both begin when the user falls silent:

    wait:   the silence that had to pass before the turn was over           endpoint
    answer: the silence after which the reply was begun, then the engines'
            time one after the other, up to the first sound of the answer   start + asr + llm + ...

The answer is heard when the slower of the two has ended, so with no overhead at all

    voice to voice = max(endpoint, start + asr + asr_queue + llm + clause + tts)

A reply begun on partial text has no `asr` of its own, but must wait for the final decode, which is
a third chain beside these two (`confirmed`).

The waits are counted in the user's own audio, so they are the policy's and not the machine's.
Simulated engines report the delay they were meant to take; what a late timer added is overhead. For
real engines it is the time the reply waited for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

EngineStage = Literal["asr", "asr_queue", "llm", "tool", "clause", "tts"]
ENGINE_STAGES: tuple[EngineStage, ...] = ("asr", "asr_queue", "llm", "tool", "clause", "tts")

ShareName = Literal[
    "endpoint",  # silence that ended the turn
    "start",  # silence after which the reply was begun; negative: the user still spoke
    "asr",  # final decode
    "asr_queue",  # its wait for the engine
    "llm",  # to the first token
    "tool",  # tools that were waited for on the way to the first clause
    "clause",  # from it to the first clause
    "tts",  # to the first chunk of speech
    "confirmed",  # a reply to partial text: silence until the final text had confirmed it
    "after_tool",  # what of the engines' time came with and after a tool that had to wait for the
    # endpoint, hence after it
]


def accounted_us(shares: Mapping[ShareName, int]) -> int | None:
    """Voice-to-voice microseconds of a server without overhead; None where `shares` are unknown.

    A tool that changes something runs only when the turn is over, so neither it nor what follows it
    can hide behind the wait.
    """
    if "endpoint" not in shares:
        return None
    engines = sum(shares.get(stage, 0) for stage in ENGINE_STAGES)
    after = shares.get("after_tool", 0)
    ready = shares.get("start", shares["endpoint"]) + engines - after
    return max(shares["endpoint"], ready, shares.get("confirmed", ready)) + after
