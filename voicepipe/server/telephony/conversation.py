"""While the call is up: caller to session, session to caller, and an eye on silence and time."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from voicepipe.call_log.open_call import OpenCall
from voicepipe.protocols.telephony import contract as tel
from voicepipe.protocols.telephony.carrier import Carrier
from voicepipe.runtime.errors import LimitExceeded, ProtocolError
from voicepipe.server.service import Service
from voicepipe.server.telephony.buffered_playout import BufferedPlayout
from voicepipe.server.telephony.call_events import CallEvents, WrongDialect
from voicepipe.server.telephony.controls import Controls
from voicepipe.server.telephony.line import Line, LineLost
from voicepipe.server.telephony.realtime_pacer import RealtimePacer
from voicepipe.server.telephony.screening import Screening
from voicepipe.server.telephony.sender import Sender
from voicepipe.server.telephony.silence import SilenceWatch
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.session import Session

log = logging.getLogger(__name__)

LOST = "lost"
"""Why a call ended that nobody ended."""

SHUTS_DOWN = "the server shuts down"

CALLER_HUNG_UP = "caller hung up"

MAX_LOST_MS = 1000.0
"""Missing audio is heard as silence, up to so much at a time: it keeps the turns' time right."""

WATCH_S = 0.2
"""Between two looks at who speaks and what time it is."""


@dataclass(frozen=True, slots=True)
class Parties:
    """All that takes part in one call."""

    service: Service
    carrier: Carrier
    line: Line
    incoming: CallEvents
    sender: Sender
    sink: BufferedPlayout | RealtimePacer
    session: Session
    record: OpenCall
    controls: Controls
    started: tel.CallStarted
    screening: Screening | None = None  # of a call that the server has made
    voicemail: str = ""  # for an answering machine


class PhoneConversation:
    """`run` it once."""

    def __init__(self, parties: Parties) -> None:
        self._with = parties
        settings = parties.service.settings.telephony
        self._settings = settings
        self._screening = parties.screening
        self._message_begun = self._left_machine = False  # of an answering machine
        self._silence = SilenceWatch(
            settings.silence_ms,
            ("",) if settings.silence_prompts is None else settings.silence_prompts,
            settings.goodbye or "",
        )

    async def run(self, events: Sequence[tel.CallEvent]) -> str:
        """From the first events on until one side has a reason for the end, which is returned."""
        parties = self._with
        works: dict[str, Coroutine[Any, Any, str]] = {  # of two that end at once the first counts
            "orders": parties.controls.execute(parties.session, parties.started.call_id),
            "read": self._read(events),
            "watch": self._watch(),
            "follow": self.follow(),
            "too slow": self._too_slow(),
            "write": self._write(),
        }
        if isinstance(parties.sink, RealtimePacer):
            works["beat"] = _endless(parties.sink.run())
        tasks = [asyncio.create_task(work, name=f"call {name}") for name, work in works.items()]
        try:
            if self._screening is None:
                self._greet()
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            await parties.controls.settled()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        reason = _first_end([task for task in tasks if task in done])
        return parties.controls.transferred or reason

    async def follow(self) -> str:
        """What the session tells, until it is closed. Carriers are not told; a bridge of one's own
        is."""
        session = self._with.session
        while (event := await session.outbox.get()) is not None:
            session.sent(event)
            if isinstance(event, ev.SpeechStarted):
                self._silence.user_heard()
            frame = self._with.carrier.event(event)
            if frame is not None:
                self._with.sender.put([frame])
        return session.outbox.overflow or SHUTS_DOWN

    def _greet(self) -> None:
        session, record = self._with.session, self._with.record
        consent = self._with.service.calls.consent
        if not consent:
            session.greet()
            return

        def consented() -> None:
            record.consented()
            session.greet()

        session.say(consent, consented)

    # -- caller to session ------------------------------------------------------------------------

    async def _read(self, events: Sequence[tel.CallEvent]) -> str:
        now: Sequence[tel.CallEvent] | None = events
        try:
            while now is not None:
                for event in now:
                    if isinstance(event, tel.CallEnded):
                        return _in_words(event.reason)
                    self._take(event)
                now = await self._with.incoming.next()
        except WrongDialect as error:
            return str(error)
        return LOST if self._with.line.broken else CALLER_HUNG_UP

    def _take(self, event: tel.CallEvent) -> None:
        sink = self._with.sink
        match event:
            case tel.CallAudio(data, lost_ms):
                missing = self._with.started.input_format.silence(min(lost_ms, MAX_LOST_MS))
                self._with.record.heard_from_caller(missing + data, self._now)
                if self._screening is None:
                    self._handle(cmd.AppendAudio(missing + data))
                else:
                    self._screening.hear(missing + data)
                    self._screen()
            case tel.DtmfPressed(digit):
                self._silence.user_heard()
                if self._screening is None:
                    self._handle(cmd.Dtmf(digit))
            case tel.MarkReached(name) if isinstance(sink, BufferedPlayout):
                sink.mark_reached(name)
            case tel.QueueFull():
                self._with.sender.hold()
            case tel.QueueFree():
                self._with.sender.release()
            case _:
                pass

    def _handle(self, command: cmd.Command) -> None:
        session = self._with.session
        try:
            session.handle(command)
        except (ProtocolError, LimitExceeded) as error:
            log.warning("session %s: not taken from the caller: %s", session.id, error)

    # -- session to caller ------------------------------------------------------------------------

    async def _write(self) -> str:
        with suppress(LineLost):
            await self._with.sender.run()
        return LOST

    async def _too_slow(self) -> str:
        sender = self._with.sender
        await sender.wait_overflow()
        log.warning("session %s: %s", self._with.session.id, sender.overflow)
        return sender.overflow or LOST

    # -- who has picked up ------------------------------------------------------------------------

    def _screen(self) -> None:
        """A person is greeted, and heard from now on. A machine gets its message when it has come
        to its end, and is never heard; then the call ends, whatever became of the message."""
        screening, session = self._screening, self._with.session
        if screening is None or self._left_machine:
            return
        if self._message_begun:
            if session.at_rest:  # there was no voice for it
                self._leave_machine("answering machine: message not left")
        elif screening.verdict == "person":
            self._screening = None
            self._greet()
        elif screening.verdict == "machine" and not self._with.voicemail:
            self._leave_machine("answering machine")
        elif screening.verdict == "machine" and screening.listens:
            left = partial(self._leave_machine, "answering machine: message left")
            self._message_begun = session.say(self._with.voicemail, left)

    def _leave_machine(self, reason: str) -> None:
        self._left_machine = True
        self._with.controls.hang_up_now(reason)

    # -- silence and time -------------------------------------------------------------------------

    async def _watch(self) -> str:
        settings, session, controls = self._settings, self._with.session, self._with.controls
        ends_at = self._now + settings.max_call_s
        warned = not settings.end_warning
        while (now := self._now) < ends_at:
            if self._with.incoming.dead:
                return LOST
            if not warned and now >= ends_at - settings.end_warning_s:
                warned = session.say(settings.end_warning)
            if controls.unsaid and session.say(controls.unsaid):
                controls.unsaid = ""
            self._screen()  # where no audio comes, too
            at_rest = session.at_rest and self._screening is None
            remark = self._silence.due(now, at_rest=at_rest)
            if remark is not None and remark.again:
                controls.end()
            elif remark is not None:
                own = session.prompts.goodbye if remark.last else session.prompts.silence
                session.say(remark.text or own, controls.end if remark.last else None)
            verdict_s = math.inf if self._screening is None else self._screening.left_s
            await asyncio.sleep(min(WATCH_S, verdict_s, max(0.0, ends_at - now)))
        controls.hangs_up = True
        return f"limit of {settings.max_call_s:.0f} s"

    @property
    def _now(self) -> float:
        return self._with.service.clock.now()


def _first_end(done: Sequence[asyncio.Task[str]]) -> str:
    """Why the call ended. Raises where one of them failed."""
    failed = (task for task in done if task.exception() is not None)
    return next(failed, done[0]).result()


async def _endless(work: Coroutine[Any, Any, None]) -> str:
    await work
    return LOST


def _in_words(reason: str) -> str:
    return CALLER_HUNG_UP if reason in ("stop", "hangup") else reason
