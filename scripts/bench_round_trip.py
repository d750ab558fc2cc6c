"""Speak sentences of each language with its voice, let the recognizer hear them, and count.

    python -m scripts.bench_round_trip                             # the built-in profile: English
    python -m scripts.bench_round_trip --profile gpu --languages de fr ja
    python -m scripts.bench_round_trip --set asr.model=whisper-large-v3-turbo
    python -m scripts.bench_round_trip --phrases                   # every language, offline
    python -m scripts.bench_round_trip --phrases --words

The sentences are the finished ones among the golden cases of tests/languages. Errors are of
characters (letters and digits only), since not every script has words; 95 % intervals are Wilson's.
A synthetic voice is no person: what this shows is that voice, language and recognizer fit together.
Where the recognizer does not know a language, its row says NOT RUN.

--phrases: pocketsphinx hears all 50 sentences of the language as an agent's own phrases
(`asr.phrases`), by the sounds of English. That is easy: it may say nothing but these words, mostly
in these orders. `by chance` is what one of the sentences taken blindly would have wrong; `words` is
how many different ones there are. With --words each of them is a phrase of its own and is said
alone, which is the hard case: no sentence helps, and chance is right in one of `words`.
Japanese is spoken in kana (tests/languages/readings_ja.txt), since espeak-ng reads no kanji.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.metadata
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from voicepipe.asr.contract import AsrOptions, Recognizer
from voicepipe.asr.sphinx.cross_language import spoken_words
from voicepipe.audio.pcm import FRAME_SAMPLES, SAMPLE_RATE, Int16
from voicepipe.audio.resample import resample
from voicepipe.cli.languages import LanguageReport, examine_languages
from voicepipe.cli.options import settings_from
from voicepipe.config import AsrSettings, Settings
from voicepipe.lab.hearing_score import Rate, word_errors
from voicepipe.languages.known import LANGUAGES
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.server.assembly import build_engines
from voicepipe.tts.contract import Synthesizer, Voice

CASES = Path(__file__).parents[1] / "tests" / "languages"
GOLDEN = CASES / "golden"
AROUND_S = 0.3
"""Silence before and behind each sentence."""


@dataclass(frozen=True, slots=True)
class Row:
    """One language; `errors` None: why is in `not_run`."""

    language: str
    errors: Rate | None  # characters wrong
    sentences: int
    right: Rate | None = None  # texts without an error
    by_chance: Rate | None = None  # characters wrong in another of the texts
    words: int | None = None  # that it may hear; None: any
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


async def phrases_heard(
    settings: Settings, codes: list[str], most: int, *, alone: bool
) -> list[Row]:
    """Each language by its own phrases, `most` of which are said; `alone`: single words."""
    synthesizer = build_engines(settings, MonotonicClock()).synthesizer
    await synthesizer.start()
    try:
        return [
            await _phrases_row(settings, code, synthesizer, most, alone=alone)
            for code in codes or LANGUAGES
        ]
    finally:
        await synthesizer.aclose()


async def _phrases_row(
    settings: Settings, code: str, synthesizer: Synthesizer, most: int, *, alone: bool
) -> Row:
    language, said = LANGUAGES[code], phrases(code)
    vocabulary = sorted({word for text in said for word in spoken_words(text, language).split()})
    if alone:
        said = [word for word in vocabulary if letters(word)]
    asr = AsrSettings(
        engine="pocketsphinx",
        model="",
        language=code,
        phrases=tuple(said),
        domain_share=1.0,
    )
    hearing = settings.model_copy(update={"asr": asr})
    recognizer = build_engines(hearing, MonotonicClock()).recognizer
    await recognizer.start()
    try:
        spread = np.linspace(0, len(said) - 1, min(most, len(said))).astype(int)
        texts = [said[n] for n in spread]
        errors, right = await _heard_back(recognizer, synthesizer, texts, code)
    finally:
        await recognizer.aclose()
    chance = _errors(zip(texts, [*texts[1:], texts[0]], strict=True))
    return Row(language.name, errors, len(texts), right, chance, len(vocabulary))


async def _row(
    report: LanguageReport, recognizer: Recognizer, synthesizer: Synthesizer, sentences: int
) -> Row:
    if report.lacks:
        return Row(report.name, None, 0, not_run=f"NOT RUN: it lacks {'; '.join(report.lacks)}")
    texts = finished(report.code)[:sentences]
    errors, right = await _heard_back(recognizer, synthesizer, texts, report.code)
    return Row(report.name, errors, len(texts), right)


async def _heard_back(
    recognizer: Recognizer, synthesizer: Synthesizer, texts: list[str], code: str
) -> tuple[Rate, Rate]:
    """Characters wrong, and texts right."""
    pairs = [
        (text, await _heard(recognizer, await _spoken(synthesizer, text, code), code))
        for text in texts
    ]
    right = sum(letters(text) == letters(heard) for text, heard in pairs)
    return _errors(pairs), Rate(right, len(pairs))


def _errors(pairs: Iterable[tuple[str, str]]) -> Rate:
    wrong = of = 0
    for text, heard in pairs:
        wanted = letters(text)
        wrong += word_errors(wanted, letters(heard))
        of += len(wanted)
    return Rate(min(wrong, of), of)


def finished(code: str) -> list[str]:
    """Whole sentences: a golden line is `what is no sentence yet | the rest`."""
    glue = "" if code in ("zh", "ja", "th") else " "
    return [text if glue else text.replace(" ", "") for text in _sentences(code)]


def phrases(code: str) -> list[str]:
    """The same as an agent's phrases: with spaces between words, or pieces of a sentence."""
    if code == "ja":
        return (CASES / "readings_ja.txt").read_text(encoding="utf-8").splitlines()
    return _sentences(code)


def _sentences(code: str) -> list[str]:
    lines = (GOLDEN / f"{code}.txt").read_text(encoding="utf-8").splitlines()
    return [" ".join(part.strip() for part in line.split("|")) for line in lines if line.strip()]


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
    parser.add_argument("--sentences", type=int, default=50, help="of each language, or words")
    parser.add_argument("--phrases", action="store_true", help="as an agent's own phrases")
    parser.add_argument("--words", action="store_true", help="with --phrases: each word alone")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    settings = settings_from(options.profile, None, options.set)
    asked = (settings, options.languages, options.sentences)
    if options.phrases or options.words:
        rows = asyncio.run(phrases_heard(*asked, alone=options.words))
    else:
        rows = asyncio.run(round_trips(*asked))
    _show(rows)
    if options.json:
        found = [asdict(row) for row in rows]
        options.json.write_text(json.dumps(found, indent=1, ensure_ascii=False), encoding="utf-8")


def _show(rows: list[Row]) -> None:
    columns = ("language", "characters wrong", "by chance", "right", "words")
    table = Table(*columns, box=box.SIMPLE_HEAD)
    for row in rows:
        cells = (row.errors or row.not_run, row.by_chance, row.right, row.words)
        table.add_row(row.language, *("" if cell is None else str(cell) for cell in cells))
    measured = [row for row in rows if row.errors is not None and row.right is not None]
    errors = [row.errors for row in measured if row.errors is not None]
    right = [row.right for row in measured if row.right is not None]
    if len(measured) > 1:
        table.add_row("together", str(_sum(errors)), "", str(_sum(right)), "")
    Console().print(table)


def _sum(rates: list[Rate]) -> Rate:
    return Rate(sum(rate.count for rate in rates), sum(rate.of for rate in rates))


if __name__ == "__main__":
    main()
