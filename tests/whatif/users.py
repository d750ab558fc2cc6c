"""Users with habits of their own, on simulated engines in virtual time: what `whatif` replays, and
what its predictions are checked against.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from tests.session.harness import conversation
from voicepipe.audio.pcm import FRAME_MS
from voicepipe.config import LatencySettings, Settings, SimulatedSettings
from voicepipe.dialog.options import TurnOptions

PHRASES = ("what time is it", "set a timer now", "tell me more", "turn on the lamp", "go to the")
"""All but the last look complete."""

WORD_MS = 350
"""As fast as the simulated recognizer shows words."""

ANSWERED_MS = 4000
"""Silence after a turn: by then the answer has been played."""


@dataclass(frozen=True, slots=True)
class User:
    """What they say in each of their turns: phrase, its ms, and the pause after it; the last
    pause is the wait for the answer."""

    seed: int
    turns: tuple[tuple[tuple[str, int, int], ...], ...]


def users(count: int, turns: int, seed: int) -> list[User]:
    """The same seed gives the same users."""
    return [_user(random.Random(f"{seed}/{n}"), turns, seed * 1000 + n) for n in range(count)]


def _user(rng: random.Random, turns: int, seed: int) -> User:
    def frames(low_ms: int, high_ms: int) -> int:
        return rng.randrange(low_ms, high_ms, FRAME_MS)

    def turn() -> tuple[tuple[str, int, int], ...]:
        pauses = [frames(60, 700) for _ in range(rng.choice((0, 0, 1, 1, 2)))]
        phrases = rng.choices(PHRASES, (12, 12, 12, 12, 1), k=len(pauses) + 1)
        return tuple(
            (phrase, len(phrase.split()) * WORD_MS // FRAME_MS * FRAME_MS + frames(40, 300), pause)
            for phrase, pause in zip(phrases, [*pauses, ANSWERED_MS], strict=True)
        )

    return User(seed, tuple(turn() for _ in range(turns)))


def engines(seed: int, first_token_ms: float = 100) -> SimulatedSettings:
    """Long-tailed delays."""

    def tailed(mean_ms: float) -> LatencySettings:
        return LatencySettings(mean_ms=mean_ms, sd_ms=mean_ms * 0.35, kind="lognormal")

    return SimulatedSettings(
        seed=seed,
        asr=tailed(90),
        llm_first_token=LatencySettings(mean_ms=first_token_ms, sd_ms=35, kind="lognormal"),
        llm_per_token=LatencySettings(mean_ms=8),
        tts=tailed(60),
    )


def steady_engines(asr_ms: float) -> SimulatedSettings:
    """Always the same delays, and all of an answer's tokens at once: the first clause is no later
    where it is longer."""
    return SimulatedSettings(
        asr=LatencySettings(mean_ms=asr_ms),
        llm_first_token=LatencySettings(mean_ms=100),
        llm_per_token=LatencySettings(mean_ms=0),
        tts=LatencySettings(mean_ms=60),
    )


async def run(
    people: list[User],
    options: TurnOptions,
    *,
    first_token_ms: float = 100,
    steady: SimulatedSettings | None = None,
) -> list[dict[str, Any]]:
    """Each user holds a session, on `engines` or the `steady` ones; the ledger's rows of all turns,
    as `/v1/turns` has them."""
    rows: list[dict[str, Any]] = []
    for user in people:
        simulated = steady or engines(user.seed, first_token_ms)
        config = Settings(simulated=simulated, turns=options)
        ahead: list[str] = []  # what is said from now on in this turn
        async with conversation(
            heard=lambda _, ahead=ahead: " ".join(ahead),  # type: ignore[misc]
            answers=("It is half past seven now.",),
            simulated=simulated,
            config=config,
        ) as talk:
            for turn in user.turns:
                for number, (_, speech_ms, silence_ms) in enumerate(turn):
                    ahead[:] = [phrase for phrase, _, _ in turn[number:]]
                    await talk.speak(speech_ms)
                    await talk.quiet(silence_ms)
            rows += [record.as_dict() for record in talk.log.recent(1000)]
    return rows
