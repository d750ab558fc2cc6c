"""The best models with which callers are answered in time. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from voicepipe.fit.predict import HOPELESS_MS, Prediction, predict
from voicepipe.fit.speeds import LlmSpeed, Setup, Speeds
from voicepipe.fit.talk import Talk

P50_MS, P95_MS = 800.0, 1100.0
MARGIN = 1.1
"""Predictions have been too bright by so much and more (docs/fit.md)."""

LOADS = (1, 4, 16, 64)
PARTIALS_MS = (240, 480)
_STAGES = {"asr": "the recognizer", "llm": "the first token", "clause": "the first clause"}
_STAGES |= {"tts": "the voice", "endpoint": "the wait for the end of the turn"}


@dataclass(frozen=True, slots=True)
class Choice:
    """`callers`: as many as are answered in time at once; 0: not even one is."""

    setup: Setup
    predictions: tuple[Prediction, ...]  # at LOADS
    callers: int

    @property
    def alone(self) -> Prediction:
        """One caller."""
        return self.predictions[0]

    @property
    def in_time(self) -> bool:
        return self.callers > 0


def choices(speeds: Speeds, callers: int = 1, talk: Talk | None = None) -> list[Choice]:
    """One for each language model, best first: with the best recognizer with which so many callers
    are answered in time, or the smallest.
    """
    return [_for(llm, speeds, callers, talk) for llm in speeds.llm]


def best(found: list[Choice], callers: int = 1) -> Choice:
    """The best language model that answers so many in time, else the quickest."""
    in_time = [choice for choice in found if choice.callers >= callers]
    return in_time[0] if in_time else min(found, key=lambda one: one.alone.p50_ms)


def keeps_window(prediction: Prediction) -> bool:
    """As predicted, and a little later."""
    return prediction.p50_ms * MARGIN <= P50_MS and prediction.p95_ms * MARGIN <= P95_MS


def advice(found: list[Choice], callers: int = 1) -> str:
    """One line: what the caller waits for most, and what another model would change."""
    chosen = best(found, callers)
    parts = {name: ms for name, ms in chosen.alone.parts.items() if name in _STAGES}
    slowest = max(parts, key=lambda name: parts[name])
    other = next((one for one in found if one is not chosen), None)
    text = f"What takes longest is {_STAGES[slowest]}: {parts[slowest]:.0f} ms"
    if other is None:
        return f"{text}."
    mine, theirs = (one.alone.p50_ms / 1000 for one in (chosen, other))
    return (
        f"{text}. {chosen.setup.llm.model} answers in {mine:.1f} s, "
        f"{other.setup.llm.model} in {theirs:.1f} s."
    )


def _for(llm: LlmSpeed, speeds: Speeds, callers: int, talk: Talk | None) -> Choice:
    setups = list(_setups(llm, speeds))
    kept = (setup for setup in setups if keeps_window(predict(speeds, setup, callers, talk)))
    setup = next(kept, setups[-1])
    found = tuple(_at_loads(speeds, setup, talk))
    return Choice(setup, found, _most_callers(speeds, setup, found, talk))


def _at_loads(speeds: Speeds, setup: Setup, talk: Talk | None) -> Iterator[Prediction]:
    """Where so many wait for ever, more need not be tried."""
    hopeless: Prediction | None = None
    for callers in LOADS:
        found = hopeless or predict(speeds, setup, callers, talk)
        if found.p50_ms >= HOPELESS_MS:
            hopeless = found
        yield replace(found, callers=callers)


def _setups(llm: LlmSpeed, speeds: Speeds) -> Iterator[Setup]:
    for asr in speeds.asr:
        for partial_ms in PARTIALS_MS:
            yield Setup(asr, llm, partial_ms)


def _most_callers(
    speeds: Speeds, setup: Setup, found: tuple[Prediction, ...], talk: Talk | None
) -> int:
    """Between the loads that were predicted, by halving."""
    good = max((one.callers for one in found if keeps_window(one)), default=0)
    bad = min((one.callers for one in found if one.callers > good), default=good)
    while good and bad - good > 1:
        middle = (good + bad) // 2
        if keeps_window(predict(speeds, setup, middle, talk)):
            good = middle
        else:
            bad = middle
    return good
