"""Make the speech corpus of the built-in recognizer: synthetic voices, noise, and silence.

Every sample is 16 kHz mono int16. Sentences come from ``domain.user_sentence`` and from the
patterns of ``spoken_texts.py``; voices (``voices.py``) come from espeak-ng (formant synthesis,
through ctypes and the ``espeakng-loader`` wheel), flite (awb, slt and rms are built from human
recordings) and festival (HTS slt and two diphone voices), the last two from Debian packages. No
recorded data is read.

Run ``python scripts/training/speech.py`` to fill ``.cache/training/asr/``, then once more with
``--tests`` to write ``tests/data``. A split is made of parts:
``<split>-<part>.i16`` (raw samples, one after the other) and ``<split>-<part>.jsonl`` (one line a
sample: text, kind, voice, offset and length in samples, word times in seconds where espeak gave
them). The voices in HELD_OUT_* and DEV_* of ``voices.py`` never occur in the ``train`` split, and
no sentence of ``dev`` or ``test`` does.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import time

from corpus import ROOT, make_part, read_meta
from spoken_tests import write_questions, write_tests
from spoken_texts import KIND_SHARE


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the speech corpus of the recognizer.")
    parser.add_argument("--tests", action="store_true", help="write tests/data instead")
    parser.add_argument("--train", type=int, default=48_000, help="samples in the train split")
    parser.add_argument("--first-part", type=int, default=0, help="number of the first train part")
    parser.add_argument("--part", type=int, default=1_000, help="samples in a part")
    parser.add_argument("--held-out", type=int, default=1_000, help="samples in dev and in test")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    if options.tests:
        write_tests(ROOT / "tests" / "data" / "asr")
        write_questions(ROOT / "tests" / "data" / "questions")
        return
    began = time.monotonic()
    context = multiprocessing.get_context("spawn")
    with context.Pool(options.processes) as pool:
        if options.first_part == 0:
            jobs: list[tuple[str, int, int, int, frozenset[str]]] = [
                (split, 0, options.held_out, options.seed, frozenset()) for split in ("dev", "test")
            ]
            for line in pool.imap_unordered(make_part, jobs):
                print(*line, flush=True)
        banned = frozenset(
            entry["text"]
            for split in ("dev", "test")
            for entry in read_meta(split)
            if len(entry["text"].split()) >= 3
        )
        parts = range(options.first_part, options.first_part + options.train // options.part)
        work = [("train", part, options.part, options.seed, banned) for part in parts]
        hours = 0.0
        for name, count, length in pool.imap_unordered(make_part, work):
            hours += length
            minutes = (time.monotonic() - began) / 60
            print(f"{name}: {count} samples; {hours:.1f} h so far, {minutes:.1f} min", flush=True)


if __name__ == "__main__":
    assert math.isclose(sum(KIND_SHARE.values()), 1.0)
    main()
