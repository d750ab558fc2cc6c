"""Speaks turns with hesitations, and notes where each pause and each turn really ends.

    python scripts/make_endpoint_recordings.py OUT_DIR [--n 60] [--seed 1] [--language de,fr,ja]

For `voicepipe bench endpoint OUT_DIR`. Writes 16 kHz WAV files and `manifest.jsonl`, whose lines
are described in docs/endpointing.md. The voices are espeak-ng's (in a worker process), the
sentences those of the built-in models' small world; with --language ("all": each of the 22), `n`
for each language, those of tests/languages/golden, which say where one may hesitate. What differs
between the speakers is drawn once for each: voice, pace, loudness, how often and how long they
pause, whether they say "uh". The same seed gives the same recordings.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import math
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import track

sys.path.insert(0, str(Path(__file__).parent / "training"))

import domain

from voicepipe.audio import files
from voicepipe.audio.pcm import SAMPLE_RATE, Int16
from voicepipe.audio.resample import resample
from voicepipe.config import TtsSettings
from voicepipe.languages.known import LANGUAGES as LANGUAGES_BY_CODE
from voicepipe.languages.language import Language
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.tts.contract import Synthesizer, Voice
from voicepipe.tts.engines.espeak import EspeakSynthesizer

Float = npt.NDArray[np.float64]

LEAD_MS, TAIL_MS = 500, 2200  # room tone before and after; the tail outlasts every default wait
GOLDEN = Path(__file__).parents[1] / "tests" / "languages" / "golden"
PAUSE_MS = (200, 1500)
TURNS_OF_A_SPEAKER = 20
SPEECH_RMS = 2300.0  # -23 dBFS
ROOM_RMS = (4.0, 40.0)  # -78 .. -58 dBFS
BLOCK = SAMPLE_RATE // 200  # 5 ms: how finely the ends of speech are found
QUIET_BELOW = 0.01  # of the loudest block

LANGUAGES = ("en-us", "en-gb")  # those that espeak gives every timbre
TIMBRES = (
    "m1 m2 m3 m4 m7 f1 f2 f3 f4 Andy Annie Alex Michael Denis steph shelby paul edward".split()
)

# One hesitates before the word that carries the meaning ...
BEFORE_CONTENT = frozenset(
    "a an the to of for with at in on by my your some from until called named about is are".split()
)
# ... or between phrases, where the words so far could be all.
PHRASE_STARTS = frozenset(
    "in on at for to and with from by tomorrow today tonight next until please called then".split()
)


@dataclass(frozen=True)
class Speaker:
    """What stays the same from turn to turn."""

    name: str
    voice: str
    speed: float
    hesitates: float  # share of turns with a pause in them
    pause_ms: float  # median
    fillers: float  # share of pauses with an "uh"
    between_phrases: float  # share of pauses made where the words so far could be all
    loudness: float
    room_rms: float

    @staticmethod
    def draw(number: int, rng: random.Random, language: Language | None = None) -> Speaker:
        """Most pause now and then; some hardly ever, some in nearly every turn."""
        voice = language.voice if language else rng.choice(LANGUAGES)
        return Speaker(
            name=f"{language.code if language else 'speaker'}-{number:02d}",
            voice=f"{voice}+{rng.choice(TIMBRES)}",
            speed=rng.choice((0.72, 0.85, 0.95, 1.0, 1.1, 1.2)),
            hesitates=rng.betavariate(1.4, 1.6),
            pause_ms=520 * math.exp(rng.gauss(0, 0.35)),
            fillers=rng.uniform(0, 0.5),
            between_phrases=rng.uniform(0.2, 0.7),
            loudness=10 ** (rng.uniform(-5, 4) / 20),
            room_rms=rng.uniform(*ROOM_RMS),
        )

    def pause(self, rng: random.Random) -> int:
        """Length of one pause, in ms, log-normal."""
        while True:
            ms = round(self.pause_ms * math.exp(rng.gauss(0, 0.45)))
            if PAUSE_MS[0] <= ms <= PAUSE_MS[1]:
                return ms


@dataclass(frozen=True)
class Piece:
    """Words between two silences. `spoken`: with what a recognizer leaves out."""

    words: str
    spoken: str
    pause_ms: int  # after it; 0: the turn is over


def plan_turn(speaker: Speaker, rng: random.Random) -> list[Piece]:
    """One turn: what is said, and where it pauses."""
    words = domain.user_sentence(rng).split()
    if rng.random() >= speaker.hesitates:
        return [Piece(" ".join(words), f"{' '.join(words)}.", 0)]
    if rng.random() < 0.2:  # two wishes in one turn
        parts = [words, [*rng.choice((["and"], ["also"], ["and", "then"])), *_another(rng)]]
    else:
        parts = _split(words, speaker, rng)
    pieces = []
    for number, part in enumerate(parts, 1):
        said = " ".join(part)
        if number == len(parts):
            pieces.append(Piece(said, f"{said}.", 0))
            break
        filler = rng.choice((" uh", " um", " er")) if rng.random() < speaker.fillers else ""
        pieces.append(Piece(said, f"{said}{filler},", speaker.pause(rng)))
    return pieces


def plan_golden_turn(language: Language, speaker: Speaker, rng: random.Random) -> list[Piece]:
    """One of the language's golden sentences; whoever hesitates does so where its bar is."""
    begun, rest = rng.choice(_golden(language.code)).split(" | ")
    whole = begun + (" " if language.spaced else "") + rest
    if rng.random() >= speaker.hesitates:
        return [Piece(whole, f"{whole}.", 0)]
    return [Piece(begun, f"{begun},", speaker.pause(rng)), Piece(rest, f"{rest}.", 0)]


@cache
def _golden(code: str) -> list[str]:
    return (GOLDEN / f"{code}.txt").read_text(encoding="utf-8").splitlines()


def _another(rng: random.Random) -> list[str]:
    return domain.user_sentence(rng).split()


def _split(words: list[str], speaker: Speaker, rng: random.Random) -> list[list[str]]:
    """Break a sentence at one or two places where people hesitate; unbroken if it has none."""
    between = [i for i in range(2, len(words)) if words[i] in PHRASE_STARTS]
    before_content = [i for i in range(2, len(words)) if words[i - 1] in BEFORE_CONTENT]
    cuts: set[int] = set()
    for _ in range(1 if rng.random() < 0.75 else 2):
        first, second = between, before_content
        if rng.random() >= speaker.between_phrases:
            first, second = second, first
        places = [i for i in first or second if all(abs(i - cut) > 1 for cut in cuts)]
        if places:
            cuts.add(rng.choice(places))
    edges = [0, *sorted(cuts), len(words)]
    return [words[a:b] for a, b in itertools.pairwise(edges)]


async def record_turn(
    engine: Synthesizer, speaker: Speaker, rng: random.Random, language: Language | None = None
) -> tuple[Int16, list[dict[str, object]]]:
    """Speak one turn: int16 [n] at 16 kHz, and its segments for the manifest."""
    pieces = plan_golden_turn(language, speaker, rng) if language else plan_turn(speaker, rng)
    space = " " if language is None or language.spaced else ""
    sounds = [await _speak(engine, piece.spoken, speaker) for piece in pieces]
    level = math.sqrt(float(np.mean(np.concatenate(sounds) ** 2)))
    gain = SPEECH_RMS * speaker.loudness / max(level, 1.0)
    sound_track = [np.zeros(LEAD_MS * SAMPLE_RATE // 1000)]
    at, segments, so_far = sound_track[0].size, list[dict[str, object]](), ""
    for piece, sound in zip(pieces, sounds, strict=True):
        so_far = f"{so_far}{space}{piece.words}".strip()
        start, at = at, at + sound.size
        segments.append(
            {
                "start_s": round(start / SAMPLE_RATE, 4),
                "end_s": round(at / SAMPLE_RATE, 4),
                "text": so_far,
                "then": "pause" if piece.pause_ms else "end",
            }
        )
        silence = np.zeros((piece.pause_ms or TAIL_MS) * SAMPLE_RATE // 1000)
        sound_track += [sound * gain, silence]
        at += silence.size
    whole = np.concatenate(sound_track)
    noise = np.random.default_rng(rng.getrandbits(32)).standard_normal(whole.size)
    whole += noise * speaker.room_rms
    return np.clip(whole, -32768, 32767).astype(np.int16), segments


async def _speak(engine: Synthesizer, text: str, speaker: Speaker) -> Float:
    chunks = [c.pcm async for c in engine.stream(text, Voice(speaker.voice, speaker.speed))]
    samples = resample(np.concatenate(chunks), engine.sample_rate, SAMPLE_RATE)
    samples = samples[: samples.size - samples.size % BLOCK]
    level = np.sqrt(np.mean(samples.reshape(-1, BLOCK).astype(np.float64) ** 2, axis=1))
    loud = np.flatnonzero(level > level.max() * QUIET_BELOW)
    return samples[loud[0] * BLOCK : (loud[-1] + 1) * BLOCK].astype(np.float64)


async def generate(
    out: Path, n: int, seed: int, languages: Sequence[Language | None] = (None,)
) -> None:
    """Write `n` recordings of each language and their manifest into the folder `out`."""
    rng = random.Random(seed)
    engine = EspeakSynthesizer(TtsSettings(), MonotonicClock())
    await engine.start()
    try:
        with (out / "manifest.jsonl").open("w", encoding="utf-8") as manifest:
            speakers = max(3, math.ceil(n / TURNS_OF_A_SPEAKER))
            casts = [[Speaker.draw(i, rng, one) for i in range(speakers)] for one in languages]
            each = [(place, number) for place in range(len(languages)) for number in range(n)]
            for place, number in track(each, "speaking", console=Console(stderr=True)):
                language, speaker = languages[place], casts[place][number * speakers // n]
                samples, segments = await record_turn(engine, speaker, rng, language)
                name = f"{language.code if language else ''}{number:04d}.wav"
                files.write_wav(out / name, samples, SAMPLE_RATE)
                line = {"file": name, "speaker": speaker.name, "voice": speaker.voice}
                if language is not None:
                    line["language"] = language.code
                manifest.write(json.dumps({**line, "segments": segments}) + "\n")
    finally:
        await engine.aclose()


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path, metavar="OUT_DIR")
    parser.add_argument("--n", type=int, default=60, help="recordings, one turn each")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--language", default="", metavar="CODES", help="de,fr or all")
    arguments = parser.parse_args()
    if arguments.n < 1:
        parser.error("--n must be 1 or more")
    languages = _languages(parser, arguments.language)
    arguments.out.mkdir(parents=True, exist_ok=True)
    asyncio.run(generate(arguments.out, arguments.n, arguments.seed, languages))
    print(f"written: {arguments.n * len(languages)} recordings in {arguments.out}")


def _languages(parser: argparse.ArgumentParser, codes: str) -> list[Language | None]:
    if not codes:
        return [None]
    wanted = list(LANGUAGES_BY_CODE) if codes == "all" else codes.split(",")
    for code in wanted:
        if code not in LANGUAGES_BY_CODE:
            parser.error(f"--language {code}: it must be of {', '.join(LANGUAGES_BY_CODE)}, or all")
    return [LANGUAGES_BY_CODE[code] for code in wanted]


if __name__ == "__main__":
    main()
