"""Speak sentences of each language with its voice, let the recognizer hear them, and count.

    python -m scripts.bench_round_trip                             # the built-in profile: English
    python -m scripts.bench_round_trip --profile gpu --languages de fr ja
    python -m scripts.bench_round_trip --set asr.model=whisper-large-v3-turbo

The sentences are the finished ones among the golden cases of tests/languages. Errors are of
characters (letters and digits only), since not every script has words; 95 % intervals are Wilson's.
A synthetic voice is no person: what this shows is that voice, language and recognizer fit together.
Where the recognizer does not know a language, its row says NOT RUN.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.metadata
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from voicepipe.asr.contract import AsrOptions, Recognizer
from voicepipe.audio.pcm import FRAME_SAMPLES, SAMPLE_RATE, Int16
from voicepipe.audio.resample import resample
from voicepipe.cli.languages import LanguageReport, examine_languages
from voicepipe.cli.options import settings_from
from voicepipe.config import Settings
from voicepipe.lab.hearing_score import Rate, word_errors
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.server.assembly import build_engines
from voicepipe.tts.contract import Synthesizer, Voice

GOLDEN = Path(__file__).parents[1] / "tests" / "languages" / "golden"
AROUND_S = 0.3
"""Silence before and behind each sentence."""


@dataclass(frozen=True, slots=True)
class Row:
    """One language; `errors` None: why is in `not_run`."""

    language: str
    errors: Rate | None
    sentences: int
    not_run: str = ""


async def round_trips(settings: Settings, codes: list[str], sentences: int) -> list[Row]:
    """Of these languages, or all that have a table."""
    packages = {found.metadata["Name"].lower() for found in importlib.metadata.distributions()}
    reports = examine_languages(settings, packages)
    engines = build_engines(settings, MonotonicClock())
    await engines.start()
    try:
        return [
            await _row(report, engines.recognizer, engines.synthesizer, sentences)
            for report in reports
            if not codes or report.code in codes
        ]
    finally:
        await engines.aclose()


async def _row(
    report: LanguageReport, recognizer: Recognizer, synthesizer: Synthesizer, sentences: int
) -> Row:
    if report.lacks:
        return Row(report.name, None, 0, f"NOT RUN: it lacks {'; '.join(report.lacks)}")
    wrong = of = 0
    texts = finished(report.code)[:sentences]
    for text in texts:
        heard = await _heard(recognizer, await _spoken(synthesizer, text, report.code), report.code)
        wanted = letters(text)
        wrong += word_errors(wanted, letters(heard))
        of += len(wanted)
    return Row(report.name, Rate(min(wrong, of), of), len(texts))


def finished(code: str) -> list[str]:
    """Whole sentences: a golden line is `what is no sentence yet | the rest`."""
    lines = (GOLDEN / f"{code}.txt").read_text(encoding="utf-8").splitlines()
    glue = "" if code in ("zh", "ja", "th") else " "
    return [glue.join(part.strip() for part in line.split("|")) for line in lines if line.strip()]


def letters(text: str) -> list[str]:
    """What is compared."""
    return [char for char in text.casefold() if char.isalnum()]


async def _spoken(synthesizer: Synthesizer, text: str, code: str) -> Int16:
    pieces = [np.zeros(0, dtype=np.int16)]
    async for chunk in synthesizer.stream(text, Voice(language=code)):
        pieces.append(chunk.pcm)
    spoken = resample(np.concatenate(pieces), synthesizer.sample_rate, SAMPLE_RATE)
    around = np.zeros(round(AROUND_S * SAMPLE_RATE), dtype=np.int16)
    return np.concatenate((around, spoken, around))


async def _heard(recognizer: Recognizer, samples: Int16, code: str) -> str:
    utterance = recognizer.open(AsrOptions(language=code))
    for start in range(0, samples.size, FRAME_SAMPLES):
        utterance.feed(samples[start : start + FRAME_SAMPLES])
        await asyncio.sleep(0)
    return (await utterance.final()).text


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--profile")
    parser.add_argument("--set", action="append", metavar="KEY=VALUE")
    parser.add_argument("--languages", nargs="+", default=[], metavar="CODE")
    parser.add_argument("--sentences", type=int, default=20, help="of each language")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    settings = settings_from(options.profile, None, options.set)
    rows = asyncio.run(round_trips(settings, options.languages, options.sentences))
    table = Table("language", "characters wrong", "sentences", box=box.SIMPLE_HEAD)
    for row in rows:
        table.add_row(row.language, str(row.errors or row.not_run), str(row.sentences or "-"))
    Console().print(table)
    if options.json:
        found = {row.language: str(row.errors or row.not_run) for row in rows}
        options.json.write_text(json.dumps(found, indent=1, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
