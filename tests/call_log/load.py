"""What keeping calls costs the process that serves them: `python -m tests.call_log.load FOLDER`.

Telephone calls in real time, mu-law both ways in 20 ms packets, a turn every five seconds, each
written and recorded. Prints how late the event loop was, what processor time a call took, and how
long a turn waited until it was committed.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from pathlib import Path

from tests.call_log.harness import DEADLINE_S, call_settings, info, turn_record
from voicepipe.audio.formats import PCMU_8K
from voicepipe.call_log.log import CallLog
from voicepipe.call_log.open_call import OpenCall
from voicepipe.ledger.percentiles import summarize
from voicepipe.runtime.clock import MonotonicClock

CALLS, SECONDS, TURN_EVERY = 100, 20, 250  # packets
PACKET = b"\x55" * 160


async def phone(call: OpenCall, clock: MonotonicClock, first: int, late_ms: list[float]) -> None:
    """One call; `first`: when in its first five seconds its turn ends, not all at once."""
    began = clock.now()
    for number in range(SECONDS * 50):
        due = began + number * 0.02
        await asyncio.sleep(due - clock.now())
        late_ms.append((clock.now() - due) * 1000)
        call.heard_from_caller(PACKET, clock.now())
        call.played_to_caller(PACKET, clock.now())
        if number % TURN_EVERY == first:
            call.turn(turn_record(number), "what time is it", "It is half past seven.")


async def commits(log: CallLog, clock: MonotonicClock, took_ms: list[float]) -> None:
    while True:
        began = clock.now()
        await log.flush(DEADLINE_S)
        took_ms.append((clock.now() - began) * 1000)
        await asyncio.sleep(0.1)


async def run(folder: Path, *, keep: bool) -> None:
    settings = call_settings(folder, enabled=keep, record_audio=keep)
    clock, late_ms, took_ms = MonotonicClock(), list[float](), list[float]()
    log = CallLog(settings, clock)
    await log.start()
    cpu_s = time.process_time()
    watch = asyncio.create_task(commits(log, clock, took_ms))
    calls = [log.begin(info(f"sess_{n}", wire=PCMU_8K)) for n in range(CALLS)]
    spread = [n * TURN_EVERY // CALLS for n in range(CALLS)]
    await asyncio.gather(
        *(phone(call, clock, first, late_ms) for call, first in zip(calls, spread, strict=True))
    )
    watch.cancel()
    cpu_s = time.process_time() - cpu_s
    for call in calls:
        call.end("done")
    assert await log.aclose(DEADLINE_S)
    late, took = summarize(late_ms), summarize(took_ms)
    print(
        f"{'kept and recorded' if keep else 'not kept':18} loop late p50 {late['p50']:.2f} ms, "
        f"p99 {late['p99']:.2f} ms; {100 * cpu_s / SECONDS:.1f} % of a core"
        + (f"; committed after p50 {took['p50']:.1f} ms, p99 {took['p99']:.1f} ms" if keep else "")
    )
    if keep:
        print(log.counts)


if __name__ == "__main__":
    logging.basicConfig(level="WARNING")
    for keep in (False, True):
        asyncio.run(run(Path(sys.argv[1]), keep=keep))
