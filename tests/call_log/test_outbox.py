"""Events that wait in the database: when they are due."""

from __future__ import annotations

from pathlib import Path

from tests.call_log.harness import DEADLINE_S, WallTime, info, open_log, sqlite_url
from voicepipe.call_log.event_outbox import EventOutbox
from voicepipe.config import Settings


async def test_a_clock_that_is_set_back_puts_no_event_off(tmp_path: Path) -> None:
    hook = {"url": "http://127.0.0.1:9/", "secret": "whsec_" + "A" * 40}
    calls = {"enabled": True, "database": sqlite_url(tmp_path)}
    settings = Settings.model_validate({"calls": calls, "webhooks": {"mine": hook}})
    now = WallTime()
    async with open_log(settings, now) as log:
        now.advance(days=400)  # until the network has told the time
        log.begin(info()).end("done")
        assert await log.flush(DEADLINE_S)
        now.advance(days=-400)
        outbox = log.outbox
        assert isinstance(outbox, EventOutbox)
        (event,) = outbox.due("mine", 10)
        outbox.failed(event, "nobody answers", final=False)
        assert not outbox.due("mine", 10)
        now.advance(seconds=5)
        assert [one.id for one in outbox.due("mine", 10)] == [event.id]
