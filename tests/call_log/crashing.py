"""A server's share of the calls' record, to be killed: `python -m tests.call_log.crashing FOLDER`.

Writes turns and sound as fast as they are committed and prints the number of each turn only when
the database has it.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tests.call_log.harness import DEADLINE_S, call_settings, info, turn_record
from voicepipe.call_log.log import CallLog
from voicepipe.runtime.clock import MonotonicClock


async def run(folder: Path) -> None:
    clock = MonotonicClock()
    log = CallLog(call_settings(folder, record_audio=True), clock)
    await log.start()
    call = log.begin(info())
    print(call.id, flush=True)
    number = 0
    while True:
        number += 1
        call.heard_from_caller(b"\x01\x02" * 160, clock.now())
        call.turn(turn_record(number), f"question {number}", f"answer {number}")
        if not await log.flush(DEADLINE_S):
            return
        print(number, flush=True)


if __name__ == "__main__":
    asyncio.run(run(Path(sys.argv[1])))
