"""First-audio time and real-time factor of a TTS engine in its worker processes.

python scripts/bench_tts.py espeak
python scripts/bench_tts.py piper --model VOICE.onnx --concurrency 8
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

from voicepipe.config import Settings, TtsSettings
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.server.engine_factory import create_synthesizer
from voicepipe.tts.contract import Synthesizer, Voice

CLAUSES = (
    "It is half past seven.",
    "Sure, I can help you with that.",
    "Your table for four is booked at eight o'clock on Friday evening.",
    "I have set a timer for ten minutes, and I will tell you when it is done.",
    "Is there anything else that I can do for you today?",
)


async def measure(engine: Synthesizer, clause: str) -> tuple[float, float, float]:
    """Seconds to the first audio, seconds to the last, seconds of audio."""
    started_s = time.perf_counter()
    first_s, samples = 0.0, 0
    async for speech in engine.stream(clause, Voice()):
        first_s = first_s or time.perf_counter() - started_s
        samples += speech.pcm.size
    return first_s, time.perf_counter() - started_s, samples / engine.sample_rate


def percentile(values: Sequence[float], q: float) -> float:
    return sorted(values)[min(len(values) - 1, int(q * len(values)))]


async def bench(args: argparse.Namespace) -> None:
    """Run and print."""
    settings = Settings(
        tts=TtsSettings(
            engine=args.engine,
            model=str(args.model or ""),
            workers=args.workers,
            threads=args.threads,
        )
    )
    engine = create_synthesizer(settings, MonotonicClock())
    started_s = time.perf_counter()
    await engine.start()
    print(f"{args.engine}: started in {time.perf_counter() - started_s:.2f} s")
    try:
        results = []
        for _ in range(args.rounds):
            if args.concurrency == 1:
                results += [await measure(engine, clause) for clause in CLAUSES]
            else:
                batch = [CLAUSES[i % len(CLAUSES)] for i in range(args.concurrency)]
                results += await asyncio.gather(*(measure(engine, clause) for clause in batch))
    finally:
        await engine.aclose()
    first_ms = [first * 1000 for first, _, _ in results]
    factors = [took / audio for _, took, audio in results]
    print(f"clauses {len(results)}, {args.concurrency} at a time, {args.workers} worker(s)")
    print(f"first audio, ms  {spread(first_ms, '7.2f')}")
    print(f"RTF              {spread(factors, '7.4f')}")


def spread(values: Sequence[float], shape: str) -> str:
    return f"p50 {percentile(values, 0.5):{shape}}   p95 {percentile(values, 0.95):{shape}}"


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("engine")
    parser.add_argument("--model", type=Path, default=None, help="a voice's .onnx file (piper)")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--concurrency", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    asyncio.run(bench(parser.parse_args()))


if __name__ == "__main__":
    main()
