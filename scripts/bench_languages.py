"""What the rules of each language cost: microseconds a call, median of many.

    python scripts/bench_languages.py [--speech] [--json FILE]

The rules run on every partial transcript (`judge`), on every frame of an overlap (`overlap`) and on
every character of a reply (`clauses`, per 100 characters). The texts are the golden cases of
tests/languages.

--speech asks something else: how soon a reply is heard in each language. The first clause of the
same replies comes from a model that writes 100 tokens a second (`clause`: until it is cut;
`chars`: its length), and is spoken by espeak-ng in the language's voice (`audio`: its first sample,
`rtf`: seconds of work for a second of speech, of the whole reply, clause by clause). Medians.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from voicepipe.config import TtsSettings
from voicepipe.dialog.completeness import TextRules
from voicepipe.dialog.core import Dialog
from voicepipe.dialog.options import TurnOptions
from voicepipe.dialog.overlap import judge_overlap
from voicepipe.languages.known import LANGUAGES
from voicepipe.languages.language import Language
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.tts.clauses import ClauseSplitter
from voicepipe.tts.contract import Voice
from voicepipe.tts.engines.espeak import EspeakSynthesizer
from voicepipe.tts.speakable import speakable

CASES = Path(__file__).parents[1] / "tests" / "languages"
ROUNDS = 30


def median_us(work: Callable[[], object], calls: int) -> float:
    """Of `ROUNDS` rounds; `work` makes `calls` calls."""
    times = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return statistics.median(times) / calls * 1e6


def measure(language: Language) -> dict[str, float]:
    """Microseconds by rule."""
    lines = (CASES / "golden" / f"{language.code}.txt").read_text(encoding="utf-8").splitlines()
    texts = [line.replace(" | ", " ") for line in lines]
    replies = _replies(language)
    rules, options = TextRules(language), TurnOptions()
    agent_text = " ".join(replies)

    def judge() -> None:
        for text in texts:
            rules.judge(text)

    def overlap() -> None:
        for text in texts:
            judge_overlap(
                options, speech_ms=100, text=text, agent_text=agent_text, language=language
            )

    def clauses() -> None:
        splitter = ClauseSplitter(None, language)
        for reply in replies:
            splitter.push(reply)
            splitter.flush()

    def said() -> None:
        for reply in replies:
            speakable(reply, language)

    return {
        "judge": median_us(judge, len(texts)),
        "overlap": median_us(overlap, len(texts)),
        "clauses/100": median_us(clauses, 1) / sum(map(len, replies)) * 100,
        "speakable": median_us(said, len(replies)),
        "silent frame": _silent_frame(texts[0], rules),
    }


def _silent_frame(text: str, rules: TextRules) -> float:
    """`Dialog.frame` in the silence behind what was said, where the text decides on the wait."""
    frames = 10  # shorter than any wait
    times = []
    for _ in range(ROUNDS):
        dialog = Dialog(completeness=rules)
        for _ in range(10):
            dialog.frame(0.9)
        assert dialog.turn is not None
        dialog.hypothesis(dialog.turn.id, text)
        begun = time.perf_counter()
        for _ in range(frames):
            dialog.frame(0.0)
        times.append(time.perf_counter() - begun)
    return statistics.median(times) / frames * 1e6


TOKENS_PER_S = 100
_TOKEN = re.compile(r"\s*(?:[a-z]{1,4}|\w|[^\w\s])", re.IGNORECASE)
"""About as a tokenizer cuts: four Latin letters, one of any other script."""


async def speech() -> dict[str, dict[str, float]]:
    """Milliseconds, characters and the real-time factor, by language."""
    engine = EspeakSynthesizer(TtsSettings(), MonotonicClock())
    await engine.start()
    try:
        return {language.name: await _reply_in(language, engine) for language in LANGUAGES.values()}
    finally:
        await engine.aclose()


async def _reply_in(language: Language, engine: EspeakSynthesizer) -> dict[str, float]:
    clause_ms, chars, audio_ms, work_s, spoken_s = [], [], [], 0.0, 0.0
    for reply in _replies(language):
        tokens, first, clauses = _clauses(reply, language)
        clause_ms.append(tokens / TOKENS_PER_S * 1000)
        chars.append(float(len(first)))
        for clause in clauses:
            begun, sounding = time.perf_counter(), None
            async for chunk in engine.stream(clause, Voice(language.voice, language=language.code)):
                sounding = sounding or time.perf_counter()
                spoken_s += chunk.pcm.size / engine.sample_rate
            work_s += time.perf_counter() - begun
            if clause == first and sounding is not None:
                audio_ms.append((sounding - begun) * 1000)
    return {
        "clause ms": statistics.median(clause_ms),
        "chars": statistics.median(chars),
        "audio ms": statistics.median(audio_ms),
        "rtf": work_s / spoken_s,
    }


def _clauses(reply: str, language: Language) -> tuple[int, str, list[str]]:
    """Tokens until the first clause was out, that clause, and all of them."""
    splitter, clauses, needed = ClauseSplitter(None, language), list[str](), 0
    tokens = _TOKEN.findall(reply)
    for number, token in enumerate(tokens, 1):
        clauses += splitter.push(token)
        needed = needed or (number if clauses else 0)
    clauses += splitter.flush()
    return needed or len(tokens), clauses[0], clauses


def _replies(language: Language) -> list[str]:
    return [
        line.split(" ", 1)[1].replace("|", "")
        for line in (CASES / "clauses.txt").read_text(encoding="utf-8").splitlines()
        if line.startswith(f"{language.code} ")
    ]


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--speech", action="store_true")
    parser.add_argument("--json", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    if arguments.speech:
        found, title = asyncio.run(speech()), "until a reply is heard, median"
    else:
        found = {language.name: measure(language) for language in LANGUAGES.values()}
        title = "microseconds a call, median"
    table = Table(box=box.SIMPLE_HEAD, title=title)
    table.add_column("language")
    for name in next(iter(found.values())):
        table.add_column(name, justify="right")
    for language, costs in found.items():
        table.add_row(
            language, *(f"{cost:.2f}" if cost < 1 else f"{cost:.1f}" for cost in costs.values())
        )
    Console().print(table)
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
