"""One conversation. Commands come in by `handle`, events go out through `outbox`.

`handle` is synchronous: what a client sends in order takes effect in order. Everything that takes
time is a task owned by the session. What a command does is in `client_commands.py`, who speaks is
decided in `turn_taking.py`, what is answered in `replies.py` and `reply.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from voicepipe.config import Settings
from voicepipe.conversation.history import Conversation
from voicepipe.conversation.items import (
    FunctionCallItem,
    FunctionOutputItem,
)
from voicepipe.languages.language import Prompts
from voicepipe.ledger.anticipation import AnticipationCounts
from voicepipe.ledger.log import TurnLog
from voicepipe.ledger.preemption import PreemptionCounts
from voicepipe.llm.prompt import LOST_OUTPUT
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import ProtocolError
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.alarm import Alarm
from voicepipe.session.announcements import Announcements
from voicepipe.session.audio_output import PlaybackClock
from voicepipe.session.backlog import SLICE_MS, Backlog
from voicepipe.session.cleaning import cleaning_for
from voicepipe.session.client_commands import ClientCommands
from voicepipe.session.client_mcp import ClientMcp
from voicepipe.session.context import Context, Network
from voicepipe.session.dtmf import Dtmf
from voicepipe.session.engines import Engines
from voicepipe.session.foreseen import ForeseenAnswers
from voicepipe.session.ids import new_id
from voicepipe.session.items import Items
from voicepipe.session.language import SessionLanguage, given_language
from voicepipe.session.listener import Listener
from voicepipe.session.outbox import Outbox
from voicepipe.session.playout_sink import PlayoutSink
from voicepipe.session.settings import SessionSettings
from voicepipe.session.summaries import Summaries
from voicepipe.session.tasks import Tasks
from voicepipe.session.turn_detection_audio import TurnDetectionAudio
from voicepipe.session.turn_taking import TurnTaking
from voicepipe.tools.background import Background, Finished
from voicepipe.tools.builtin import BuiltinTools
from voicepipe.tools.toolbox import ToolBox


class Session:
    """Create inside a running loop; `aclose` ends it and leaves no task behind.

    `sink`: where the agent's audio is played; None where the client buffers and plays by itself
    what `AudioDelta` events bring it. `tools`: what the model may have done here, beside what
    `llm.tools` names.
    """

    def __init__(
        self,
        engines: Engines,
        config: Settings,
        settings: SessionSettings,
        clock: Clock,
        turn_log: TurnLog,
        *,
        session_id: str | None = None,
        conversation_id: str | None = None,
        sink: PlayoutSink | None = None,
        tools: ToolBox | None = None,
    ) -> None:
        self.id = session_id or new_id("sess")
        self.outbox = Outbox(config.limits.max_events_queued, config.limits.max_events_bytes)
        self._listeners: tuple[Listener, ...] = ()
        self.agent_heard = False  # the agent has said something
        self._tasks = Tasks()
        self._alarm = Alarm(clock, self._timer_rang)
        cleaning = cleaning_for(settings, config.audio.echo_cancellation)
        detection_audio = TurnDetectionAudio(clock, cleaning, settings.output_format)
        anticipation = AnticipationCounts(turn_log.anticipation)
        self._context = Context(
            session_id=self.id,
            conversation_id=conversation_id or new_id("conv"),
            config=config,
            settings=settings,
            engines=engines,
            clock=clock,
            conversation=Conversation(
                config.limits.max_items, config.limits.max_conversation_chars
            ),
            turn_log=turn_log,
            tasks=self._tasks,
            tools=tools or ToolBox(tuple, clock),
            emit=self._tell,
            preemption=PreemptionCounts(turn_log.prepared),
            anticipation=anticipation,
            answers=ForeseenAnswers(engines, anticipation),
            network=Network(),
            playback=PlaybackClock(clock),
            transcribing={},
            language=SessionLanguage(given_language(settings, config), config.asr.language),
            detection_audio=detection_audio,
            sink=sink,
        )
        self._builtin = BuiltinTools(clock, on_timers=self._alarm.set)
        self._context.tools.add_builtin(self._builtin.tools(config.llm.tools))
        self._background = Background(self._results_are_in, self._note_result)
        self._context.tools.background = self._background
        self._turns = TurnTaking(self._context)
        self._items = Items(self._context, self._turns.changed)
        self._keys = Dtmf(self._context, self._turns, self._items)
        self._mcp = ClientMcp(
            self._context.tools,
            self._tasks,
            clock,
            self._tell,
            self._items.begin,
            self._items.end,
            self._context.approved,
        )
        self._commands = ClientCommands(
            self._context, self._turns, self._items, self._keys, self._mcp
        )
        self._backlog = Backlog(self._context, self._hear, self._commands.carry_out)
        self._summaries = Summaries(self._context, lambda: self.at_rest, self._items.put_summary)
        self._announcements = Announcements(self._may_announce, self._announce)
        self.closed = self._let_go = False
        self._closing = asyncio.Lock()
        self._greeted = False
        self._mcp.apply(settings.mcp)

    @property
    def settings(self) -> SessionSettings:
        return self._context.settings

    @property
    def prompts(self) -> Prompts:
        """What is said in the session's language when no model is asked."""
        return self._context.language.prompts

    @property
    def conversation(self) -> Conversation:
        return self._context.conversation

    @property
    def task_count(self) -> int:
        """Tasks of this session now running: for tests and metrics."""
        return len(self._tasks)

    @property
    def preemption(self) -> PreemptionCounts:
        """What this session's prepared replies gained and cost so far."""
        return self._context.preemption

    @property
    def at_rest(self) -> bool:
        """Nobody speaks, nothing is being prepared, answered or played, no keys are awaited."""
        if self.closed:
            return True
        return self._turns.at_rest and not self._backlog.waits and not self._keys.awaited

    def explain(self) -> dict[str, Any]:
        """What it is doing, since when and why; see `Dialog.explain`. Not of one that has ended."""
        return self._turns.dialog.explain()

    def listen(self, listener: Listener) -> None:
        """Let somebody beside the client know what happens, from now on; once."""
        if listener not in self._listeners:
            self._listeners += (listener,)

    def forget(self, listener: Listener) -> None:
        """They want to know no more."""
        self._listeners = tuple(other for other in self._listeners if other is not listener)

    def offer_digits(self) -> None:
        """As `Dtmf.offer`."""
        self._keys.offer()

    def handle(self, command: cmd.Command) -> None:
        """Carry out a client's command.

        Raises ProtocolError (with the command's `event_id`) or LimitExceeded; the session goes on
        as if the command had not been sent.
        """
        if self.closed:
            return
        try:
            if isinstance(command, cmd.AppendAudio):
                self._append(command.audio)
            elif self._backlog.waits:
                self._backlog.line_up(command)
            else:
                self._commands.carry_out(command)
        except ProtocolError as error:
            error.event_id = error.event_id or command.event_id
            raise

    def append(self, audio: bytes) -> None:
        """As `handle` does an `AppendAudio`, fifty times a second."""
        if not self.closed:
            self._append(audio)

    def sent(self, event: ev.SessionEvent) -> None:
        """The transport has handed `event` to the network."""
        if type(event) is not ev.AudioDelta or self.closed:
            return
        self._turns.replies.audio_sent(event.ref.response_id, answer=event.answer)

    def network(
        self, *, round_trip_ms: float | None = None, playout_ms: float | None = None
    ) -> None:
        """The transport, or through it the client, has measured the way: for the ledger of the
        turns that end from now on. None: no news of that part."""
        known = self._context.network
        if round_trip_ms is not None:
            known.round_trip_ms = round_trip_ms
        if playout_ms is not None:
            known.playout_ms = playout_ms

    def listener_left(self, unheard_ms: float) -> None:
        """The way to the listener is cut, and has been for the last `unheard_ms` of what was
        played. Everything goes on but the agent's voice, which waits."""
        if not self.closed:
            self._turns.replies.leave(unheard_ms)

    def listener_back(self) -> None:
        """They listen again: the agent goes on at the sample that they heard last."""
        if not self.closed:
            self._turns.replies.come_back()

    def greet(self) -> None:
        """Say the greeting that the settings name, if any; once, and only if nobody speaks yet.
        Transports call it when the listener is there and has said how it wants its audio.
        """
        if self._greeted:
            return
        own, greeting = self.settings.greeting, self._context.config.greeting
        text = greeting.text or (self.prompts.greeting if greeting.enabled else "")
        text = text if own is None else own
        if not text or self.settings.transcription_only:
            return
        self._greeted = True
        self.say(text)

    def say(self, text: str, then: Callable[[], None] | None = None) -> bool:
        """Say `text` word for word, if nobody speaks; False: somebody does. `then` is called when
        it has been played to its end, and never if the user interrupts it."""
        if self.closed or not self.at_rest:
            return False
        self._turns.say(text, then)
        return True

    async def aclose(self) -> None:
        """End the conversation: replies stop, decodes are dropped, the outbox closes."""
        async with self._closing:
            if self._let_go:
                return
            self.closed = True
            self._backlog.waits.clear()
            self._keys.close()
            self._turns.close()
            self._alarm.set(None)
            self._announcements.close()
            await self._tasks.aclose()
            await self._mcp.aclose()
            await self._background.aclose()  # what an interrupted reply left running is there now
            self.outbox.close()
            self.conversation.clear()  # whoever still knows the session keeps no sound and no words
            self._context.answers.clear()
            self._context.tools.close()
            self._let_go_of_parts()

    def _let_go_of_parts(self) -> None:
        """They know the session, and it knows them: an ended one would be a circle of objects that
        waits for the garbage collector, and all sessions for that."""
        self._let_go = True
        self._listeners, self._context.emit = (), lambda event: None
        self._turns.let_go()
        self._keys.let_go()
        del self._turns, self._items, self._keys, self._mcp, self._commands, self._backlog
        del self._summaries, self._announcements, self._alarm, self._builtin, self._background

    # -- in and out --------------------------------------------------------------------------------

    def _append(self, audio: bytes) -> None:
        wire = self._context.settings.input_format
        length_ms = len(audio) / wire.bytes_per_ms
        limit_ms = self._context.config.limits.max_audio_backlog_s * 1000
        waiting_ms = self._backlog.audio_ms + self._turns.held_ms
        if waiting_ms + length_ms > limit_ms:
            raise ProtocolError(
                f"{length_ms / 1000:.1f} s of audio were not accepted: {waiting_ms / 1000:.1f} s "
                f"are waiting and the limit is {limit_ms / 1000:.0f} s "
                "(limits.max_audio_backlog_s). Commit or clear first, or send less at a time.",
                code="input_audio_buffer_full",
                param="audio",
            )
        if length_ms <= SLICE_MS and not self._backlog.waits:
            self._hear(audio)
        else:
            self._backlog.add(audio)

    def _hear(self, audio: bytes) -> None:
        for listener in self._listeners:
            listener.heard(audio)
        self._turns.hear(audio)

    def _tell(self, event: ev.SessionEvent) -> None:
        kind = type(event)
        if kind is ev.AudioDelta or kind is ev.OutputAudioStarted:
            self.agent_heard = True
        elif isinstance(event, ev.ResponseCreated):
            if self._keys.offered:
                self._keys.response_begins(event.response)
        elif isinstance(event, ev.ResponseDone):
            self._summaries.look()
            if event.response.conversation_id is not None:  # else another one may go on
                self._commands.response_is_done()
        elif isinstance(event, ev.McpArguments) and event.done:
            self._commands.mcp_called()
        self.outbox.put(event)
        for listener in self._listeners:
            listener.told(event)

    # -- of its own accord -------------------------------------------------------------------------

    def _results_are_in(self, finished: Sequence[Finished]) -> bool:
        """Calls that went on meanwhile have finished: the agent speaks of them as soon as nobody
        else does. False: somebody does."""
        if self.closed or not self.at_rest or self._keys.open:
            return self.closed
        for one in finished:
            self._note_result(one)
        self._turns.keys_entered()
        return True

    def _note_result(self, one: Finished) -> None:
        call_id, call = new_id("call"), one.call
        asked = FunctionCallItem(new_id("item"), call_id, call.name, call.arguments)
        result = FunctionOutputItem(new_id("item"), call_id, one.result.text)
        if self._items.add(asked) and not self._items.add(result):
            self._items.add(replace(result, output=LOST_OUTPUT))

    def _may_announce(self) -> bool:
        """Nobody speaks, enters keys, or has said something that the client is about to answer."""
        return self.at_rest and not self._keys.open and not self._turns.answer_is_expected

    def _announce(self, text: str) -> None:
        self._turns.say(text)

    def _timer_rang(self) -> None:
        for timer in self._builtin.take_due():
            name = f"{timer.label} timer" if timer.label else "timer"
            self._announcements.add(f"Your {name} is done.")
