"""First audio of a Piper voice in windows against the same voice whole, in one run.

    python -m scripts.make_piper_voice /tmp/medium.onnx --size medium
    python -m scripts.bench_piper /tmp/medium.onnx

Two worker processes, one speaking each way, are asked for the same clauses in turn, so that the
load of the machine falls on both alike; then several sessions ask each at once. Times are the
caller's: from the request to the first and to the last chunk. Random weights take as long as
trained ones.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import time
from pathlib import Path

from voicepipe.workers.process import child_command
from voicepipe.workers.supervisor import Worker, WorkerOptions

WAYS = ("whole", "windows")
SESSIONS = 8
CLAUSES = {
    "2 words": "Sure thing.",
    "10 words": "I can book you a table for two this evening.",
    "20 words": "I have set a timer for ten minutes, and I will gladly tell you when the time has "
    "run out.",
}


async def speak(worker: Worker, text: str, rate: int) -> tuple[float, float, float]:
    """Milliseconds to the first and to the last chunk, seconds of audio."""
    request = {"text": text, "voice": "", "speed": 1.0}
    started_s, first_s, count = time.perf_counter(), 0.0, 0
    async for reply in worker.request(request, first_timeout_s=60, next_timeout_s=60):
        first_s = first_s or time.perf_counter() - started_s
        count += len(reply.payload)
    return first_s * 1000, (time.perf_counter() - started_s) * 1000, count / 2 / rate


def make_worker(model: Path, threads: int, *, windows: bool) -> Worker:
    options = {"model": str(model), "voice": "", "threads": threads, "windows": windows}
    command = child_command("voicepipe.tts.engines.piper_child:create", options)
    patient = WorkerOptions(start_timeout_s=120)
    return Worker(command, name="piper", stage="tts", options=patient)


async def bench(model: Path, rounds: int, threads: int) -> None:
    """Run and print a table."""
    workers = {way: make_worker(model, threads, windows=way == "windows") for way in WAYS}
    try:
        for worker in workers.values():
            await worker.start()
        if why_not := workers["windows"].info["windows"]:
            raise SystemExit(f"{model} does not speak in windows: {why_not}")
        load, cores = os.getloadavg()[0], os.cpu_count()
        print(
            f"{rounds} rounds, {threads} thread(s), load {load:.1f} on {cores} cores; medians, ms"
        )
        print("| clause | audio | whole: first = last | windows: first | last | first / whole |")
        print("|---|---|---|---|---|---|")
        for name, text in CLAUSES.items():
            print(await row(name, text, workers, rounds))
        print(f"\n{SESSIONS} sessions at once, 10 words each; first audio, ms")
        print("| | first session | median | last session |\n|---|---|---|---|")
        for way, worker in workers.items():
            print(await crowd(way, worker, max(1, rounds // SESSIONS)))
    finally:
        for worker in workers.values():
            await worker.aclose()


async def crowd(way: str, worker: Worker, rounds: int) -> str:
    rate, text = int(worker.info["sample_rate"]), CLAUSES["10 words"]
    sorted_ms = []
    for _ in range(rounds):
        spoken = await asyncio.gather(*(speak(worker, text, rate) for _ in range(SESSIONS)))
        sorted_ms.append(sorted(first for first, _, _ in spoken))
    first, middle, last = (
        statistics.median(ms[place] for ms in sorted_ms) for place in (0, SESSIONS // 2, -1)
    )
    return f"| {way} | {first:.0f} | {middle:.0f} | {last:.0f} |"


async def row(name: str, text: str, workers: dict[str, Worker], rounds: int) -> str:
    taken: dict[str, list[tuple[float, float, float]]] = {way: [] for way in WAYS}
    for _ in range(rounds):
        for way, worker in workers.items():
            taken[way].append(await speak(worker, text, int(worker.info["sample_rate"])))
    whole = statistics.median(first for first, _, _ in taken["whole"])
    first = statistics.median(first for first, _, _ in taken["windows"])
    last = statistics.median(last for _, last, _ in taken["windows"])
    audio_s = statistics.median(audio for _, _, audio in taken["windows"])
    return (
        f"| {name} | {audio_s:.1f} s | {whole:.0f} | {first:.0f} | {last:.0f} "
        f"| {first / whole:.2f} |"
    )


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("model", type=Path, help="a voice's .onnx file")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    asyncio.run(bench(args.model, args.rounds, args.threads))


if __name__ == "__main__":
    main()
