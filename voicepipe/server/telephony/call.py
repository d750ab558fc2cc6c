"""One call, from the carrier's first frame to the last; the same for all dialects."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import replace
from functools import partial
from urllib.parse import urlencode

from voicepipe.agents.directory import Asked
from voicepipe.call_log.contract import CallInfo
from voicepipe.call_log.open_call import OpenCall
from voicepipe.protocols.telephony.carrier import Carrier, Transfer
from voicepipe.protocols.telephony.contract import CallEvent, CallStarted, Frame
from voicepipe.runtime.errors import VoicepipeError
from voicepipe.server.agent_session import AgentSession
from voicepipe.server.decision import Decision
from voicepipe.server.live_calls import LiveCall, State
from voicepipe.server.live_calls import Parties as LiveParties
from voicepipe.server.recorded_sink import RecordedSink
from voicepipe.server.service import Service
from voicepipe.server.telephony.buffered_playout import BufferedPlayout
from voicepipe.server.telephony.call_events import CallEvents, WrongDialect
from voicepipe.server.telephony.controls import Controls
from voicepipe.server.telephony.conversation import (
    CALLER_HUNG_UP,
    LOST,
    SHUTS_DOWN,
    Parties,
    PhoneConversation,
)
from voicepipe.server.telephony.line import Line, LineLost
from voicepipe.server.telephony.phone_settings import as_accepted, phone_settings, phone_wire
from voicepipe.server.telephony.realtime_pacer import RealtimePacer
from voicepipe.server.telephony.rest import RestInterface
from voicepipe.server.telephony.ringing_line import HUNG_UP, decision_on, keep_up
from voicepipe.server.telephony.screening import Screening
from voicepipe.server.telephony.sender import Sender
from voicepipe.server.telephony.tickets import CallerId
from voicepipe.server.telephony.transfer_document import TRANSFER
from voicepipe.session.dtmf_gather import GET_DIGITS
from voicepipe.session.ids import new_id
from voicepipe.session.session import Session
from voicepipe.vad.contract import VoiceDetector

log = logging.getLogger(__name__)

GOODBYE_DEADLINE_S = 2.0
"""For the last frames of a call to leave."""


class Call:
    """`run` it once; it leaves neither task nor session behind."""

    def __init__(
        self, service: Service, carrier: Carrier, line: Line, known: CallerId, origin: str = ""
    ) -> None:
        """`known`: what the carrier's signed webhook said, where there was one; `origin`:
        `https://host` by which the carrier reaches us."""
        self._service, self._carrier, self._line, self._known = service, carrier, line, known
        self._settings = service.settings.telephony
        self._codec = carrier.codec()
        self._incoming = CallEvents(carrier.name, line, self._codec, service.clock)
        self._sender = Sender(line)
        rest = RestInterface(carrier, self._settings)
        self._controls = Controls(self._settings, rest, self._transfer)
        self._origin = origin
        self._live = known.live
        self._ended = "never started"  # why
        self._dialed = known.live is not None and known.live.state is State.DIALING

    async def run(self) -> None:
        """Until either side ends the call, the line breaks, or a limit is reached."""
        try:
            events = await self._first_events()
            if events:
                await self._hold(events)
            elif self._live is not None:  # its ticket is spent: nobody else comes
                await self._live.hang_up(self._ended)
        finally:
            log.info("%s call ended: %s", self._carrier.name, self._ended)
            await self._line.close()

    async def _first_events(self) -> list[CallEvent]:
        """From `CallStarted` on, what came with it; [] if it did not come in time."""
        limit_s = self._settings.start_timeout_s
        try:
            async with asyncio.timeout(limit_s):
                while (events := await self._incoming.opening()) is not None:
                    if events and isinstance(events[0], CallStarted):
                        return events
        except TimeoutError:
            log.warning("%s: no call was started within %.0f s", self._carrier.name, limit_s)
        except WrongDialect as error:
            log.warning("%s: %s", self._carrier.name, error)
        return []

    async def _hold(self, events: list[CallEvent]) -> None:
        started = self._named(events[0])
        decision = await self._decision(started)
        if not decision.accepted:
            if self._live is not None:
                self._service.live_calls.over(self._live)
            self._controls.hangs_up = True
            self._ended = decision.reason
            await self._say_goodbye(started)
            return
        try:
            conversation, parties = self._pick_up(started, decision)
        except VoicepipeError as error:
            log.warning("%s: call refused: %s", self._carrier.name, error)
            self._ended = f"refused: {error}"
            if self._live is not None:
                await self._live.hang_up("refused")
            await self._say_goodbye(started)
            return
        log.info("%s call began: session %s", self._carrier.name, parties.session.id)
        self._ended = LOST
        try:
            self._ended = await conversation.run(events[1:])
        except asyncio.CancelledError:  # nobody else ends its task
            self._ended = SHUTS_DOWN
            raise
        finally:
            try:
                await self._service.close_session(parties.session)  # its last turns are recorded
            finally:
                parties.record.end(self._ended)
        if self._controls.transferred:
            self._controls.hangs_up = False
        elif self._dialed and self._ended != CALLER_HUNG_UP:
            self._controls.hangs_up = True  # streamed beside the call, which would go on in silence
        await conversation.follow()  # what the session said last; its outbox is closed
        await self._say_goodbye(started)

    def _named(self, started: CallEvent) -> CallStarted:
        """With the carrier's id of the call, where only its answer to our request had it."""
        assert isinstance(started, CallStarted)
        if started.call_id or self._live is None:
            return started
        return replace(started, call_id=self._live.parties.carrier_call_id)

    async def _decision(self, started: CallStarted) -> Decision:
        """A program's, on a call that no webhook has announced too."""
        incoming = self._service.incoming
        if self._live is not None and self._live.state is State.ENDED:
            return Decision(False, reason=HUNG_UP)
        if self._known.decision is not None:
            return self._known.decision
        if not incoming.asks:
            return Decision(True)
        self._live, deciding = incoming.ring(new_id("stream"), self._parties(started))
        keeping = asyncio.create_task(
            keep_up(started, self._codec, self._line), name="call ringing"
        )
        try:
            return await decision_on(self._live, deciding, self._incoming)
        finally:
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)

    def _pick_up(
        self, started: CallStarted, decision: Decision
    ) -> tuple[PhoneConversation, Parties]:
        """Raises LimitExceeded, UnknownAgent, EngineError."""
        detector = self._screening_detector()  # before there is a session that would be left open
        sink = self._sink(started)
        recorded = RecordedSink(sink, self._service.clock)
        session, agent = self._open_session(started, decision, recorded)
        parties = Parties(
            self._service,
            self._carrier,
            self._line,
            self._incoming,
            self._sender,
            sink,
            session,
            self._record(started, session, agent, recorded),
            self._controls,
            started,
            None if detector is None else self._screening(started, session, detector),
            agent.voicemail,
        )
        return PhoneConversation(parties), parties

    def _open_session(
        self, started: CallStarted, decision: Decision, sink: RecordedSink
    ) -> tuple[Session, AgentSession]:
        """Set as the agent, and the program that accepted the call, want it; a live call from now
        on. Raises LimitExceeded, UnknownAgent."""
        session_id = new_id("sess")
        agent = self._agent(started, session_id, decision)
        settings = agent.settings(phone_settings(self._service, started))
        wire = phone_wire(self._service, settings, session_id)
        agent.changed = wire.adopt
        session = self._service.open_session(
            as_accepted(settings, wire, decision),
            session_id=session_id,
            sink=sink,
            tools=self._controls.tools(),
            agent=agent,
        )
        if GET_DIGITS in self._settings.tools:  # all carriers bring keys
            session.offer_digits()
        sink.live = live = self._live_call(started)
        live.ends_by(self._controls.hang_up_now)
        live.refers_by(partial(self._controls.refer, started.call_id))
        live.connect(session, agent, wire)
        self._service.live_calls.add(live)
        return session, agent

    def _record(
        self, started: CallStarted, session: Session, agent: AgentSession, sink: RecordedSink
    ) -> OpenCall:
        """In the log of calls."""
        assert sink.live is not None
        info = replace(self._info(started, session.id), live_id=sink.live.id, agent=agent.name)
        sink.record = record = self._service.calls.begin(info, session.conversation)
        sink.live.record_id = record.id
        return record

    def _screening_detector(self) -> VoiceDetector | None:
        """For who has picked up a call that the server has made; None: nobody has to be screened.
        Raises EngineError."""
        if not self._dialed or not self._settings.detect_machine:
            return None
        return self._service.engines.new_detector()

    def _screening(
        self, started: CallStarted, session: Session, detector: VoiceDetector
    ) -> Screening:
        turns = session.settings.turns
        threshold = 0.5 if turns is None else turns.speech_threshold
        return Screening(started.input_format, detector, threshold, self._service.clock)

    def _live_call(self, started: CallStarted) -> LiveCall:
        """The one that has rung, or been dialed; else a new one."""
        parties = self._parties(started)
        live = self._live or LiveCall(new_id("rtc"), parties)
        live.parties = parties
        self._live = live
        return self._service.live_calls.add(live)

    def _parties(self, started: CallStarted) -> LiveParties:
        caller = self._known.caller or started.caller
        called = self._known.called or started.called
        return LiveParties(self._carrier.name, caller, called, started.call_id)

    def _transfer(self, call_id: str, number: str) -> Transfer:
        parties = LiveParties("") if self._live is None else self._live.parties
        call_id = call_id or parties.carrier_call_id  # known since the stream began
        document = f"{self._origin}{self._carrier.path}/{TRANSFER}?{urlencode({'to': number})}"
        return Transfer(call_id, number, parties.ours(dialed=self._dialed), document)

    def _sink(self, started: CallStarted) -> BufferedPlayout | RealtimePacer:
        """Ahead of playback only where that can be taken back."""
        clock, wire, abilities = self._service.clock, started.output_format, self._codec.abilities
        if abilities.paces and abilities.flushes:
            return BufferedPlayout(clock, self._codec, self._sender, wire, self._settings.lead_ms)
        return RealtimePacer(clock, self._codec, self._sender, wire)

    def _agent(self, started: CallStarted, session_id: str, decision: Decision) -> AgentSession:
        """Who answers: as the program says, or the line's path, or by the number that was
        called."""
        facts = {
            **decision.variables,
            "session_id": session_id,
            "call_id": started.call_id,
            "caller": self._known.caller or started.caller,
            "called": self._known.called or started.called,
        }
        called = "" if self._dialed else facts["called"]  # who is called is nobody of ours
        asked = Asked(path=decision.agent or self._known.agent, called=called)
        return self._service.answering(asked, facts)

    def _info(self, started: CallStarted, session_id: str) -> CallInfo:
        return CallInfo(
            transport=self._carrier.name,
            session_id=session_id,
            carrier_call_id=started.call_id,
            caller=self._known.caller or started.caller,
            called=self._known.called or started.called,
            input_format=started.input_format,
            output_format=started.output_format,
        )

    async def _say_goodbye(self, started: CallStarted) -> None:
        """Tell the peer that it is over, and end the caller's line where that is up to us."""
        frames: list[Frame] = self._sender.rest()
        ended = self._carrier.ended(self._ended)
        if ended is not None:
            frames.append(ended)
        if self._controls.hangs_up:
            frames += self._codec.hang_up()
        with suppress(TimeoutError, LineLost):
            async with asyncio.timeout(GOODBYE_DEADLINE_S):
                for frame in frames:
                    await self._line.send(frame)
        if self._controls.hangs_up:
            await self._controls.hang_up(started.call_id)
