"""One conversation. Commands come in by `handle`, events go out through `outbox`.

`handle` is synchronous: what a client sends in order takes effect in order. Everything that takes
time is a task owned by the session. Who speaks is decided in `turn_taking.py`, what is answered in
`replies.py` and `reply.py`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from voicepipe.config import Settings
from voicepipe.conversation.history import ROOT, Conversation
from voicepipe.conversation.items import (
    AudioPart,
    FunctionCallItem,
    FunctionOutputItem,
    Item,
    McpApprovalRequestItem,
    McpApprovalResponseItem,
    MessageItem,
    TextPart,
)
from voicepipe.conversation.kept_audio import KeptAudio
from voicepipe.languages.language import Prompts
from voicepipe.ledger.anticipation import AnticipationCounts
from voicepipe.ledger.log import TurnLog
from voicepipe.ledger.preemption import PreemptionCounts
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import LimitExceeded, ProtocolError
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.alarm import Alarm
from voicepipe.session.announcements import Announcements
from voicepipe.session.audio_output import PlaybackClock
from voicepipe.session.backlog import SLICE_MS, Backlog
from voicepipe.session.cleaning import cleaning_for
from voicepipe.session.client_mcp import ClientMcp
from voicepipe.session.context import Context, Network
from voicepipe.session.dtmf_entry import DtmfEntry
from voicepipe.session.dtmf_gather import DtmfGather
from voicepipe.session.engines import Engines
from voicepipe.session.foreseen import ForeseenAnswers
from voicepipe.session.ids import new_id
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
        self._mcp = ClientMcp(
            self._context.tools,
            self._tasks,
            clock,
            self._tell,
            self._begin_item,
            self._end_item,
            self._context.approved,
        )
        self._turns = TurnTaking(self._context)
        self._backlog = Backlog(self._context, self._hear, self._carry_out)
        self._keypad = DtmfEntry(config.telephony.keypad_pause_ms / 1000, self._keys_entered)
        self._digits = DtmfGather(self._context, self._turns, self._keypad, self._add_item)
        self._summaries = Summaries(self._context, lambda: self.at_rest, self._use_summary)
        self._announcements = Announcements(self._may_announce, self._announce)
        self.closed = self._let_go = False
        self._closing = asyncio.Lock()
        self._answered_calls = 0  # MCP calls whose answer, which comes in the same response, the
        # client has not asked for yet
        self._greeted = self._offers_digits = False
        self._mcp.apply(settings.mcp)
        self._sent_audio = KeptAudio(self.conversation, config.audio.keep_s)  # with its transcript

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
        return self._turns.at_rest and not self._backlog.waits and not self._digits.waiting

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
        """Let the model wait for keys (`digits.py`): the user has a telephone's keypad."""
        self._offers_digits = True
        self._context.tools.offer(self._digits.tool)

    def handle(self, command: cmd.Command) -> None:
        """Carry out a client's command.

        Raises ProtocolError (with the command's `event_id`) or LimitExceeded; the session goes on
        as if the command had not been sent.
        """
        if self.closed:
            return
        try:
            if isinstance(command, cmd.AppendAudio):
                self._append(command)
            elif self._backlog.waits:
                self._backlog.line_up(command)
            else:
                self._carry_out(command)
        except ProtocolError as error:
            error.event_id = error.event_id or command.event_id
            raise

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
        own, greeting = self.settings.greeting, self._context.config.greeting
        text = greeting.text or (self.prompts.greeting if greeting.enabled else "")
        text = text if own is None else own
        if self._greeted or not text or self.settings.transcription_only:
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
            self._keypad.close()
            self._digits.close()
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
        del self._turns, self._backlog, self._keypad, self._digits, self._summaries, self._mcp
        del self._announcements, self._alarm, self._builtin, self._background

    # -- audio -------------------------------------------------------------------------------------

    def _append(self, command: cmd.AppendAudio) -> None:
        wire = self._context.settings.input_format
        length_ms = len(command.audio) / wire.bytes_per_ms
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
            self._hear(command.audio)
        else:
            self._backlog.add(command.audio)

    def _hear(self, audio: bytes) -> None:
        for listener in self._listeners:
            listener.heard(audio)
        self._turns.hear(audio)

    # -- commands ----------------------------------------------------------------------------------

    def _carry_out(self, command: cmd.Command) -> None:
        emit, conversation = self._context.emit, self._context.conversation
        match command:
            case cmd.UpdateSession(settings):
                before, self._context.settings = self.settings, settings
                self._turns.apply_settings(before, settings)
                self._mcp.apply(settings.mcp)
                emit(ev.SessionUpdated())
            case cmd.CommitAudio():
                self._turns.commit()
            case cmd.ClearAudio():
                self._turns.forget_user_audio()
                emit(ev.AudioCleared())
            case cmd.CreateItem(item, previous_item_id):
                self._create_item(item, previous_item_id)
            case cmd.RetrieveItem(item_id):
                emit(ev.ItemRetrieved(conversation.get(item_id)))
            case cmd.DeleteItem(item_id):
                conversation.delete(item_id)
                self._turns.changed()
                emit(ev.ItemDeleted(item_id))
            case cmd.TruncateItem(item_id, content_index, audio_end_ms):
                self._turns.replies.truncate(item_id, content_index, audio_end_ms)
                self._turns.changed()
                emit(ev.ItemTruncated(item_id, content_index, audio_end_ms))
            case cmd.CreateResponse():
                self._create_response(command)
            case cmd.CancelResponse(response_id):
                self._cancel_response(response_id)
            case cmd.ClearOutput():
                self._clear_output()
            case cmd.Dtmf(digit):
                self._press(digit)

    def _create_item(self, item: Item, previous_item_id: str | None) -> None:
        self._tell_of(item, self._context.conversation.insert(item, previous_item_id))
        self._turns.changed()
        if isinstance(item, McpApprovalResponseItem) and item.approve:
            asked = self._context.conversation.get(item.approval_request_id)
            assert isinstance(asked, McpApprovalRequestItem), "or it would have been refused"
            self._mcp.approve(asked)
        if isinstance(item, MessageItem) and item.role == "user":
            sound = [p for p in item.content if isinstance(p, AudioPart) and p.pcm is not None]
            unheard = [part.pcm for part in sound if part.pcm is not None and not part.transcript]
            if unheard:
                self._turns.hear_item(item.id, np.concatenate(unheard))
            elif sound:
                self._sent_audio.add(item.id, sum(p.pcm.size for p in sound if p.pcm is not None))

    def _press(self, key: str) -> None:
        self._context.emit(ev.KeyPressed(key, int(time.time())))
        if self._digits.swallows(key):
            return
        self._turns.key_pressed()
        if self._digits.waiting:
            self._digits.press(key)
        else:
            self._keypad.press(key)

    def _keys_entered(self, keys: str) -> None:
        item = MessageItem(new_id("item"), "user", (TextPart(f"[keypad] {keys}"),))
        if self._add_item(item):
            self._turns.keys_entered()

    def _add_item(self, item: Item) -> bool:
        """What was keyed in, at the end; False: it has no place, and the client has been told."""
        try:
            self._tell_of(item, self._context.append(item))
            self._turns.changed()
        except ProtocolError as error:  # a result whose call had to make room for it
            self._context.emit(ev.SessionError.of(error, None))
            return False
        return True

    def _results_are_in(self, finished: Sequence[Finished]) -> bool:
        """Calls that went on meanwhile have finished: the agent speaks of them as soon as nobody
        else does. False: somebody does."""
        if self.closed or not self.at_rest:
            return self.closed
        for one in finished:
            self._note_result(one)
        self._turns.keys_entered()
        return True

    def _note_result(self, one: Finished) -> None:
        call_id, call = new_id("call"), one.call
        asked = FunctionCallItem(new_id("item"), call_id, call.name, call.arguments)
        if self._add_item(asked):
            self._add_item(FunctionOutputItem(new_id("item"), call_id, one.result.text))

    def _begin_item(self, item: Item) -> bool:
        """Put an item that is not done yet at the end; False: it has no place."""
        try:
            previous = self._context.append(item)
        except ProtocolError as error:
            self._context.emit(ev.SessionError.of(error, None))
            return False
        self._context.emit(ev.ItemAdded(item, previous))
        return True

    def _end_item(self, item: Item) -> None:
        """It is done; the client may have deleted it meanwhile."""
        conversation = self._context.conversation
        if item.id in conversation:
            conversation.replace(item)
            self._turns.changed()
            self._context.emit(ev.ItemDone(item, conversation.previous_item_id(item.id)))

    def _use_summary(self, item: Item, before: str | None) -> bool:
        """Put it before all items, in the place of the one `before`; False: there is no room."""
        conversation = self._context.conversation
        try:
            previous = conversation.insert(item, ROOT)
        except LimitExceeded:
            return False
        self._tell_of(item, previous)
        if before is not None and before in conversation:
            conversation.delete(before)
            self._context.emit(ev.ItemDeleted(before))
        self._turns.changed()
        return True

    def _tell_of(self, item: Item, previous: str | None) -> None:
        self._context.emit(ev.ItemAdded(item, previous))
        self._context.emit(ev.ItemDone(item, previous))

    def _tell(self, event: ev.SessionEvent) -> None:
        kind = type(event)
        if kind is ev.AudioDelta or kind is ev.OutputAudioStarted:
            self.agent_heard = True
        elif isinstance(event, ev.ResponseCreated):
            beside = event.response.conversation_id is None  # no answer to whoever keys in
            if self._offers_digits and not beside:
                self._digits.response_begins(event.response.id)
        elif isinstance(event, ev.ResponseDone):
            self._summaries.look()
            self._answered_calls = 0
        elif isinstance(event, ev.McpArguments) and event.done:
            self._answered_calls += 1
        self.outbox.put(event)
        for listener in self._listeners:
            listener.told(event)

    def _create_response(self, command: cmd.CreateResponse) -> None:
        running = self._turns.in_progress
        plain = cmd.CreateResponse(event_id=command.event_id)
        if running is not None and self._answered_calls and command == plain:
            self._answered_calls -= 1
            return  # agents-js asks for it behind each MCP call; here the same response goes on
        if running is not None and not command.out_of_band:
            raise ProtocolError(
                f"Conversation already has an active response in progress: {running}. Wait until "
                "the response is finished or cancel it before creating a new one.",
                code="conversation_already_has_active_response",
            )
        self._turns.respond(command.resolved(self._context.conversation.get))

    def _cancel_response(self, response_id: str | None) -> None:
        wanted = response_id or self._turns.in_progress
        if wanted is None or not self._turns.cancel(wanted):
            raise ProtocolError(
                "Cancellation failed: no active response found",
                code="response_cancel_not_active",
                param=None if response_id is None else "response_id",
            )

    def _clear_output(self) -> None:
        if self._context.sink is None:
            raise ProtocolError(
                "output_audio_buffer.clear works where the server plays the audio (WebRTC, "
                "telephony); here the client does.",
                code="invalid_value",
                param="type",
            )
        self._turns.clear_output()  # agents-js cancels first, then there is nothing left to clear

    def _may_announce(self) -> bool:
        """Nobody speaks, enters keys, or has said something that the client is about to answer."""
        return self.at_rest and not self._keypad.open and not self._turns.answer_is_expected

    def _announce(self, text: str) -> None:
        self._turns.say(text)

    def _timer_rang(self) -> None:
        for timer in self._builtin.take_due():
            name = f"{timer.label} timer" if timer.label else "timer"
            self._announcements.add(f"Your {name} is done.")
