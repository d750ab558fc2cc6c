"""How much the recognizer and the language model hinder each other on this machine.

    python -m scripts.bench_side_by_side MIRROR [--asr NAME] [--llm NAME]

MIRROR: as `scripts/make_full_size_models.py` writes it. Prints medians, alone and with the other at
work all the time, and their ratio. `voicepipe fit` plays turns by such ratios
(`voicepipe/fit/machine.py`). Let nothing else run meanwhile.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from voicepipe.asr.contract import AsrOptions, Recognizer
from voicepipe.audio import files
from voicepipe.audio.pcm import SAMPLE_RATE
from voicepipe.config import Settings
from voicepipe.config.loading import load_settings
from voicepipe.fit.measure import QUESTION, opening, timed_answer
from voicepipe.llm.engines.llama_cpp import LlamaCppModel
from voicepipe.models.registry import load_registry
from voicepipe.models.resolve import place_of
from voicepipe.runtime import cores
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.server.engine_factory import create_recognizer
from voicepipe.server.web import web_dir

TRIES = 20
SPEECH_S = 1.1  # of the question: about as much as a partial decode hears
PROMPT_WORDS = 20


@dataclass(slots=True)
class Times:
    """Ms, each the median."""

    decode: float
    prompt: float
    step: float


async def compared(settings: Settings, asr: Path, llm: Path) -> tuple[Times, Times]:
    """Alone, and beside the other."""
    share = cores.share(cores.available())
    own = settings.asr.model_copy(update={"model": str(asr), "threads": share.asr})
    recognizer = create_recognizer(settings.model_copy(update={"asr": own}), MonotonicClock())
    model = LlamaCppModel(settings.llm, llm)
    model.ignore_eos = True
    await recognizer.start()
    await model.start()
    try:
        decode = [await _decode_ms(recognizer) for _ in range(TRIES)]
        alone = [await _answer_ms(model, number) for number in range(TRIES)]
        beside: list[tuple[float, float]] = []

        async def answers() -> None:
            for number in range(TRIES, 2 * TRIES):
                beside.append(await _answer_ms(model, number))

        hindered = await _all_the_while(answers, lambda: _decode_ms(recognizer))
    finally:
        await model.aclose()
        await recognizer.aclose()
    return _times(decode, alone), _times(hindered, beside)


async def _all_the_while(
    work: Callable[[], Awaitable[None]], other: Callable[[], Awaitable[float]]
) -> list[float]:
    """What `other` takes, again and again, until `work` is done."""
    took: list[float] = []
    done = asyncio.ensure_future(work())
    while not done.done():
        took.append(await other())
    await done
    return took


async def _decode_ms(recognizer: Recognizer) -> float:
    speech = files.read(web_dir() / "questions" / QUESTION)
    utterance = recognizer.open(AsrOptions(partials=False))
    utterance.feed(speech[: round(SPEECH_S * SAMPLE_RATE)])
    began = time.perf_counter()
    await utterance.final()
    utterance.cancel()
    return (time.perf_counter() - began) * 1000


async def _answer_ms(model: LlamaCppModel, number: int) -> tuple[float, float]:
    """To the first token of a prompt that nobody has seen, and of a further token."""
    answer = await timed_answer(model, opening(number, PROMPT_WORDS))
    return answer.first_ms, answer.step_ms


def _times(decode: list[float], answers: list[tuple[float, float]]) -> Times:
    prompt, step = zip(*answers, strict=True)
    return Times(median(decode), median(prompt), median(step))


def main() -> None:
    """Parse the command line and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("mirror", type=Path)
    parser.add_argument("--asr", default="whisper-base.en")
    parser.add_argument("--llm", default="gemma-3-270m-it-q8_0")
    args = parser.parse_args()
    registry, settings = load_registry(), load_settings("cpu", None, {}, {})
    places = [place_of(registry.get(name), args.mirror) for name in (args.asr, args.llm)]
    alone, beside = asyncio.run(compared(settings, *places))
    print(f"{args.asr} and {args.llm}, {cores.available()} cores, {TRIES} answers each")
    for name in ("decode", "prompt", "step"):
        one, other = getattr(alone, name), getattr(beside, name)
        print(f"  {name:6} {one:6.0f} ms alone, {other:6.0f} ms beside: x {other / one:.2f}")


if __name__ == "__main__":
    main()
