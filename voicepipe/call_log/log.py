"""The log of the calls of one process, in which transports open theirs. See the package's
docstring."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import timedelta

from sqlalchemy.exc import SQLAlchemyError

from voicepipe import __version__
from voicepipe.call_log.contract import CallInfo, CallStoreError, Counts, WallClock, utc_now
from voicepipe.call_log.event_outbox import EventOutbox
from voicepipe.call_log.janitor import Janitor
from voicepipe.call_log.open_call import LogContext, OpenCall
from voicepipe.call_log.places import database_url, recordings_dir, seal
from voicepipe.call_log.reader import CallReader
from voicepipe.call_log.recorder import Recorder
from voicepipe.call_log.store import CallStore, explained
from voicepipe.call_log.texts import TurnTexts
from voicepipe.call_log.writer import CallWriter
from voicepipe.config import Settings
from voicepipe.conversation.history import Conversation
from voicepipe.ledger.records import TurnRecord
from voicepipe.privacy.redactor import redactor
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import ConfigError

log = logging.getLogger(__name__)

_AT_ONCE = "call.incoming"
"""The one event that nobody keeps: its answer decides what becomes of a call."""


class CallLog:
    """`start`, `begin` calls, `aclose`. With `calls.enabled = false` none of them does anything."""

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        now: WallClock = utc_now,
        *,
        deletes_old: bool = True,
    ) -> None:
        """`deletes_old`: whether this process looks after `calls.retention_days`.

        Raises ConfigError where `calls.redact` needs what is missing, or the key
        is none."""
        self._deletes_old = deletes_old
        self._settings, self._calls = settings, settings.calls
        self._clock, self._now = clock, now
        self._webhooks = {name: one.events for name, one in settings.webhooks.items()}
        self._store: CallStore | None = None
        self._janitor: Janitor | None = None
        self._writer: CallWriter | None = None
        self._open: dict[str, OpenCall] = {}  # by session
        self.reader: CallReader | None = None  # None: calls are not kept
        self._opening: asyncio.Task[None] | None = None
        self.counts = Counts()
        self._seal = seal(self._calls)
        self._redact = redactor(self._calls.redact, settings.privacy)
        self._told: Callable[[], None] = lambda: None
        self.outbox: EventOutbox | None = None  # of webhooks; there from `start` on
        self._context = self._new_context("")

    @property
    def consent(self) -> str:
        """What to say before a call is recorded; "" where nothing is to be said or recorded."""
        wanted = self._writer is not None and self._calls.record_audio
        return self._calls.consent if wanted else ""

    @property
    def problem(self) -> str | None:
        """Why calls are not being written just now."""
        return None if self._writer is None else self._writer.problem

    async def start(self) -> None:
        """Open the database, end what a crash left open, start the writer.

        Raises CallStoreError, or ConfigError for settings that contradict each other.
        """
        if self._calls.enabled:
            self._opening = asyncio.create_task(
                asyncio.to_thread(self._open_up), name="calls-opening"
            )
            await asyncio.shield(self._opening)  # a thread cannot be cancelled: `aclose` awaits it
            assert self._store is not None
            self.reader = CallReader(self._store, recordings_dir(self._calls))
        elif waiting := [n for n, events in self._webhooks.items() if set(events) - {_AT_ONCE}]:
            raise ConfigError(
                f"webhooks.{waiting[0]} wants events that wait in the calls' database, and "
                "calls.enabled is off: set it on (calls.store_text = false keeps no texts), or "
                f'ask for events = ["{_AT_ONCE}"] only'
            )
        elif self._calls.record_audio:
            raise ConfigError(
                "calls.record_audio is on and calls.enabled is off: a recording belongs to a "
                "call's record; set calls.enabled = true, or calls.record_audio = false"
            )

    def tell(self, told: Callable[[], None]) -> None:
        """`told` is called, by another thread, when there are new events for webhooks."""
        self._told = told

    def begin(self, info: CallInfo, conversation: Conversation | None = None) -> OpenCall:
        """Open a call. `conversation`: where `turn_finished` finds what was said."""
        texts = None if conversation is None else TurnTexts(conversation)
        call = OpenCall(self._context, info, texts)
        self._open[info.session_id] = call
        if not self._calls.consent:
            call.consented()
        return call

    def turn_finished(self, record: TurnRecord) -> None:
        """For `TurnLog.watch`: the turn goes to the open call of its session, if there is one."""
        call = self._open.get(record.session_id)
        if call is not None:
            if call.texts is None:
                call.turn(record, "", "")
            else:
                call.turn(record, *call.texts.take(), call.texts.take_calls())

    async def flush(self, timeout_s: float) -> bool:
        """Everything so far is on disk; False if that takes longer."""
        return self._writer is None or await self._writer.flush(timeout_s)

    async def aclose(self, timeout_s: float = 5.0) -> bool:
        """End the calls that are open, write everything, close the database. False: something
        could not be written in time; it was logged and counted."""
        for call in list(self._open.values()):
            call.end("server stopped")
        if self._opening is not None:
            opened, _ = await asyncio.wait({self._opening}, timeout=timeout_s)
            for task in opened:
                task.exception()  # `start` has raised it, or nobody waits for it any more
        if self._writer is None or self._store is None or self._janitor is None:
            return True
        if self.reader is not None:
            await self.reader.aclose(timeout_s)
        try:
            written = await self._writer.aclose(timeout_s)
            if written:  # else the next server ends what this one could not
                await asyncio.to_thread(self._janitor.retire)
        finally:
            self._store.close()
        return written

    def _open_up(self) -> None:
        settings, folder = self._calls, recordings_dir(self._calls)
        days = settings.retention_days
        store = CallStore(database_url(settings), create=True, seal=self._seal)
        retention = timedelta(days=days) if days and self._deletes_old else None
        rate = settings.recording_rate
        janitor = Janitor(store, folder, self._now, self.counts, retention, self._webhooks, rate)
        try:
            janitor.register()
        except SQLAlchemyError as error:
            store.close()
            raise CallStoreError(explained(error, store.place)) from None
        recorder = Recorder(folder, rate, self.counts, self._seal)
        self._store, self._janitor = store, janitor
        self.outbox = EventOutbox(store, janitor.server_id, self._now)
        self._writer = CallWriter(
            store,
            recorder,
            self._clock,
            self.counts,
            chores=janitor.chores,
            told=self._events_are_in,
        )
        self._context = self._new_context(janitor.server_id)
        self._writer.start()
        kept = f"for {days} days" if days else "for ever"
        log.info(
            "calls go to %s and are kept %s; %s, %s, %s",
            store.place,
            kept,
            "with what was said" if settings.store_text else "without texts",
            "recorded" if settings.record_audio else "not recorded",
            "sealed" if self._seal is not None else "not sealed",
        )

    def _events_are_in(self) -> None:
        self._told()

    def _new_context(self, server_id: str) -> LogContext:
        return LogContext(
            writer=self._writer,
            clock=self._clock,
            now=self._now,
            counts=self.counts,
            server_id=server_id,
            profile=self._settings.profile,
            version=__version__,
            store_text=self._calls.store_text,
            redact=self._redact,
            record_audio=self._calls.record_audio,
            webhooks=self._webhooks,
            forget=self._forget,
        )

    def _forget(self, call: OpenCall) -> None:
        if self._open.get(call.info.session_id) is call:
            del self._open[call.info.session_id]
