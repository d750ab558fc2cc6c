"""A server whose webhook nobody answers, to be killed: `python -m tests.server.undelivered FOLDER
URL`. Says the number of each turn when the database has it.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tests.call_log.harness import DEADLINE_S, call_settings, info, turn_record
from tests.server.webhook_receiver import SECRET
from voicepipe.call_log.log import CallLog
from voicepipe.config import Settings
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.server.webhooks.delivery import Deliveries


def settings_with(folder: Path, url: str) -> Settings:
    webhooks = {"mine": {"url": url, "secret": SECRET}}
    return Settings.model_validate({**call_settings(folder).model_dump(), "webhooks": webhooks})


async def run(folder: Path, url: str) -> None:
    settings = settings_with(folder, url)
    log = CallLog(settings, MonotonicClock())
    await log.start()
    assert log.outbox is not None
    deliveries = Deliveries(settings.webhooks, log.outbox)
    deliveries.start()
    call = log.begin(info(live_id="rtc_1"))
    for number in range(1, 1000):
        call.turn(turn_record(number), f"question {number}", f"answer {number}")
        if not await log.flush(DEADLINE_S):
            return
        print(number, flush=True)


if __name__ == "__main__":
    asyncio.run(run(Path(sys.argv[1]), sys.argv[2]))
