"""What one server process owns: engines, sessions, the log of turns. The transports share it."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial

from voicepipe.agents.directory import AgentDirectory, Asked
from voicepipe.call_log.log import CallLog
from voicepipe.config import Settings
from voicepipe.ledger.log import TurnLog
from voicepipe.llm.routing.tool_rules import RuledModel, tool_rules
from voicepipe.resilience.admission import Admission, AdmissionLimits
from voicepipe.runtime.clock import Clock, MonotonicClock
from voicepipe.runtime.closing import Close, close_all
from voicepipe.runtime.errors import ConfigError, LimitExceeded, VoicepipeError
from voicepipe.runtime.gc_tuning import EndedCalls
from voicepipe.server.agent_session import AgentSession
from voicepipe.server.assembly import build_engines
from voicepipe.server.decision import Decision
from voicepipe.server.drift import Drifting
from voicepipe.server.key_use import key_use
from voicepipe.server.keys import KeyHolder, Keys, key_problems, today_utc
from voicepipe.server.live_calls import LiveCalls
from voicepipe.server.log_lines import log_turn
from voicepipe.server.loop_lag import note_turn, say_once, watch_loop
from voicepipe.server.shared.directory import Directory
from voicepipe.server.shared.seats import Seats
from voicepipe.server.shared.state import SharedState
from voicepipe.server.traces import traces
from voicepipe.server.webhooks.delivery import Deliveries
from voicepipe.server.webhooks.incoming import IncomingCalls
from voicepipe.session import summaries
from voicepipe.session.engines import Engines, Progress
from voicepipe.session.ids import new_id
from voicepipe.session.playout_sink import PlayoutSink
from voicepipe.session.session import Session
from voicepipe.session.settings import SessionSettings, TurnDetection
from voicepipe.tools.builtin import DECLARATIONS
from voicepipe.tools.contract import ServerTool
from voicepipe.tools.sources import build_sources
from voicepipe.tools.toolbox import ToolBox

log = logging.getLogger(__name__)


class Overloaded(LimitExceeded):
    """The running sessions are late; a new one would make them later."""


class Service:
    """Start it, open sessions, close it. `failure` says why the engines did not come up."""

    def __init__(
        self,
        settings: Settings,
        engines: Engines | None = None,
        clock: Clock | None = None,
        shared: SharedState | None = None,
    ) -> None:
        """`shared`: with the other gateways of the server; None: there are none."""
        self.settings = settings
        self.shared = shared or SharedState()
        self.seats = Seats(self.shared, settings.limits.max_sessions)
        self.directory = Directory(self.shared)
        self.clock = clock or MonotonicClock()
        self.engines = engines or build_engines(settings, self.clock)
        self.agents = AgentDirectory(settings.agents, settings.server.agent)
        self.keys = Keys(
            settings.keys,
            self.clock,
            owner=settings.server.api_key,
            agents=self.agents.names,
            use=key_use(settings, today_utc()),
        )
        summaries.load(settings.llm.summary.by)  # what is wrong there is told now
        self.tools = build_sources(settings.tools, os.environ, self.clock)
        if settings.tools.rules:
            self.engines.model = RuledModel(self.engines.model, tool_rules(settings.tools.rules))
        self.turn_log = TurnLog()
        self.turn_log.watch(self.keys.turn_finished)
        self.sessions: set[Session] = set()
        self._holders: dict[Session, KeyHolder] = {}  # of sessions with a named key
        self.live_calls = LiveCalls(self.directory)
        self.incoming = IncomingCalls(settings, self.agents, self.live_calls)
        self.deliveries: Deliveries | None = None  # there once the database is open
        self.sessions_opened = 0
        self.sessions_refused = 0
        self.forwarded = 0  # requests and connections that another gateway answers
        self.started_at = datetime.now(UTC)
        self.failure: VoicepipeError | None = None
        limits = settings.admission
        self.admission = Admission(
            AdmissionLimits(limits.max_loop_lag_ms, limits.max_overhead_ms, limits.window_s),
            self.clock,
        )
        self.turn_log.watch(lambda record: note_turn(self.admission, record))
        self.calls = CallLog(settings, self.clock, deletes_old=self.shared.first)
        self.turn_log.watch(self.calls.turn_finished)
        self.turn_log.watch(log_turn)
        self.drift = Drifting(settings, lambda: len(self.sessions), keeps=self.shared.first)
        if self.shared.first:  # its calls are as good a sample as all; and it is said once
            self.turn_log.watch(self.drift.observe)
        self.traces = traces(settings)
        if self.traces is not None:
            self.turn_log.watch(self.traces.turn)
        self._watches: list[asyncio.Task[None]] = []
        self.leaving = False  # newcomers are taken, and should go elsewhere
        self.closing = False
        self._ended_calls = EndedCalls()

    async def start(self, progress: Progress = lambda kind, state: None) -> None:
        """Open the calls' database, warm all engines. Raises CallStoreError, EngineUnavailable."""
        began = time.monotonic()
        try:
            await self.calls.start()
            self._start_deliveries()
            await self.tools.start()
            await self.drift.start()
            await self.engines.start(progress)
        except VoicepipeError as error:
            self.failure = error
            raise
        self._check_agents()
        await say_once(self.engines, self.settings)
        if self.admission.watches_loop:
            work = watch_loop(self.admission, self.clock)
            self._watches.append(asyncio.create_task(work, name="loop-lag"))
        if any(one.minutes_a_day is not None for one in self.settings.keys.values()):
            self._watches.append(asyncio.create_task(self.keys.book_on(), name="keys' minutes"))
        log.info("engines ready after %.1f s", time.monotonic() - began)

    def _start_deliveries(self) -> None:
        outbox, webhooks = self.calls.outbox, self.settings.webhooks
        if outbox is None or not webhooks:
            return
        self.deliveries = deliveries = Deliveries(webhooks, outbox)
        deliveries.start()
        loop = asyncio.get_running_loop()

        def tell() -> None:
            with suppress(RuntimeError):  # the loop has just ended
                loop.call_soon_threadsafe(deliveries.wake)

        self.calls.tell(tell)

    @property
    def ready(self) -> bool:
        return self.engines.all_ready and not self.closing

    @property
    def busy(self) -> bool:
        """Somewhere a turn is under way."""
        return any(not session.at_rest for session in self.sessions)

    def refuse_newcomers(self) -> None:
        """No session is opened from now on; those that are open go on. Calls that ring have rung
        out."""
        self.closing = True
        for call in self.live_calls:
            call.decide(Decision(False, reason="the server is stopping"))

    def session_defaults(self, *, transcription_only: bool = False) -> SessionSettings:
        """What a session is set to before its client says anything."""
        turns, budget = self.settings.turns, self.settings.budget
        return SessionSettings(
            model=self.settings.llm.use,
            instructions=self.settings.llm.instructions,
            voice=self.settings.tts.voice,
            speed=self.settings.tts.speed,
            turn_detection=TurnDetection(threshold=turns.speech_threshold),
            transcription_only=transcription_only,
            turns=turns,
            budget=budget,
        )

    def answering(self, asked: Asked, known: Mapping[str, str]) -> AgentSession:
        """Who answers a new session; `known`: the facts of its call.

        Raises UnknownAgent.
        """
        voices = self.engines.synthesizer.voices()
        return AgentSession(self.agents.choose(asked), self.agents.all, known, voices)

    def load_agents(self, settings: Settings) -> None:
        """Take the agents of newer settings; calls that have begun keep theirs.

        Raises ConfigError that lists everything wrong; then nothing has changed.
        """
        if problems := key_problems(self.settings.keys, settings.agents):
            raise ConfigError("\n".join(problems))
        self.agents.load(settings.agents, settings.server.agent)
        self._check_agents()

    def _check_agents(self) -> None:
        """Say what they name that is not here; a program may yet come up and bring its tools."""
        voices = self.engines.synthesizer.voices()
        tools = {tool.name for tool in self.tools.tools()} | DECLARATIONS.keys()
        known = tools.union(self.settings.telephony.tools)
        for name, agent in self.agents.all.items():
            if missing := sorted((agent.tools or frozenset()) - known):
                log.warning("agents.%s.tools: there is no %s here", name, ", ".join(missing))
            voice = agent.settings.voice
            if voice and voice not in voices:
                log.warning(
                    "agents.%s.voice: there is no voice %r here; the default voice speaks",
                    name,
                    voice,
                )

    def check_room(self) -> None:
        """Raises LimitExceeded when the server is full or not ready, Overloaded when it is late."""
        if self.closing:
            raise LimitExceeded("the server is stopping; try again later")
        if not self.ready:
            raise LimitExceeded("the server is not ready yet; /readyz says what it waits for")
        if (full := self.seats.problem) is not None:
            self.sessions_refused += 1
            raise LimitExceeded(f"{full}; try again later")
        if (pool := self.engines.full()) is not None:
            self.sessions_refused += 1
            raise Overloaded(f"all replicas of the pool {pool} are full; try again soon")
        refusal = self.admission.check()
        if refusal is not None:
            self.sessions_refused += 1
            raise Overloaded(str(refusal))

    def open_session(
        self,
        settings: SessionSettings,
        *,
        session_id: str | None = None,
        conversation_id: str | None = None,
        sink: PlayoutSink | None = None,
        tools: Sequence[ServerTool] = (),
        agent: AgentSession | None = None,
        traceparent: str = "",
    ) -> Session:
        """Raises LimitExceeded when the server is full or not ready, Overloaded when it is late."""
        self.check_room()
        agent = agent or self.answering(Asked(), {})
        session_id = session_id or new_id("sess")
        self._take_seat(session_id, agent)
        try:
            session = self._new_session(settings, session_id, conversation_id, sink, tools, agent)
        except BaseException:
            self.seats.free(session_id)
            raise
        if agent.holder is not None:
            session.listen(agent.holder.opened(session.id))
            self._holders[session] = agent.holder
        self.sessions.add(session)
        if self.traces is not None:
            self.traces.call_begins(session.id, session.conversation, traceparent)
        self.sessions_opened += 1
        return session

    def _new_session(
        self,
        settings: SessionSettings,
        session_id: str,
        conversation_id: str | None,
        sink: PlayoutSink | None,
        tools: Sequence[ServerTool],
        agent: AgentSession,
    ) -> Session:
        toolbox = ToolBox(
            self.tools.tools, self.clock, facts=agent.facts, names=agent.tool_names, own=tools
        )
        session = Session(
            self.engines,
            self.settings,
            settings,
            self.clock,
            self.turn_log,
            session_id=session_id,
            conversation_id=conversation_id,
            sink=sink,
            tools=toolbox,
        )
        agent.attach(session, toolbox)
        return session

    def _take_seat(self, session_id: str, agent: AgentSession) -> None:
        """Raises LimitExceeded that names the limit of the key, or of the server if another gateway
        was faster."""
        holder = agent.holder
        if holder is None:
            self.seats.take(session_id)
            return
        holder.check()
        self.seats.take(session_id, holder.name, holder.settings.max_sessions)
        if agent.opening_counted:
            return
        try:  # last: a session that is refused is none that was opened
            self.count_opening(holder)
        except BaseException:
            self.seats.free(session_id)
            raise

    def check_key(self, holder: KeyHolder, ringing: int) -> None:
        """Raises LimitExceeded where the key could not have one more session. `ringing`: calls of
        its holder's that have no seat yet."""
        holder.check()
        self.seats.check_key(holder.name, holder.settings.max_sessions, ringing)

    def count_opening(self, holder: KeyHolder) -> None:
        """Raises LimitExceeded where the key has opened too many within a minute."""
        if (rate := holder.settings.sessions_a_minute) is not None:
            self.seats.begin(holder.name, rate)

    def key_name(self, session: Session) -> str:
        """Of the named key that it was opened with; "" for the owner's, or none."""
        holder = self._holders.get(session)
        return "" if holder is None else holder.name

    async def close_session(self, session: Session) -> None:
        try:
            await session.aclose()
        finally:
            self.sessions.discard(session)
            self.seats.free(session.id)
            self.live_calls.session_over(session)
            holder = self._holders.pop(session, None)
            if holder is not None:
                holder.closed(session.id)
            self._ended_calls.one_more(len(self.sessions))
            if self.traces is not None:
                self.traces.call_ends(session.id)

    async def aclose(self) -> None:
        """End all sessions, write down the last calls, then end the engines. What fails is logged,
        and keeps nothing else open."""
        self.refuse_newcomers()
        await close_all(
            ("the watch of the event loop", self._end_watches),
            ("the sessions", self._close_sessions),
            ("the tools", self.tools.aclose),
            ("calls that ring", self.incoming.aclose),
            ("the webhooks", self._close_deliveries),
            ("the call log", self.calls.aclose),
            ("the engines", self.engines.aclose),
            ("the watch for drift", self.drift.aclose),
            ("the traces", self._close_traces),
            ("what keys have used", self.keys.aclose),
        )

    async def _close_deliveries(self) -> None:
        """What is not delivered by now waits in the database."""
        self.calls.tell(lambda: None)
        if self.deliveries is not None:
            await self.deliveries.aclose()

    async def _close_traces(self) -> None:
        if self.traces is not None:
            await asyncio.to_thread(self.traces.close)

    async def _end_watches(self) -> None:
        for watch in self._watches:
            watch.cancel()
        await asyncio.gather(*self._watches, return_exceptions=True)

    async def _close_sessions(self) -> None:
        def closing(session: Session) -> tuple[str, Close]:
            return f"session {session.id}", partial(self.close_session, session)

        await asyncio.gather(*(close_all(closing(session)) for session in list(self.sessions)))
