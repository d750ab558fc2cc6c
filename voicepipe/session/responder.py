"""Replies and their life: prepared, committed, finished, interrupted; each ends in the ledger."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from voicepipe.conversation.items import AudioPart, Item, MessageItem
from voicepipe.ledger.preemption import DiscardReason
from voicepipe.ledger.records import TurnEnd
from voicepipe.llm.contract import ChatRequest
from voicepipe.llm.prompt import build_messages
from voicepipe.runtime.errors import EngineError
from voicepipe.session import events as ev
from voicepipe.session.accounting import record_turn
from voicepipe.session.audio_output import AudioOutput
from voicepipe.session.commands import CreateResponse, ItemReference
from voicepipe.session.context import Context
from voicepipe.session.filler import Filler
from voicepipe.session.first_clause import clause_options
from voicepipe.session.ids import new_id
from voicepipe.session.reply import Outcome, Reply, ReplyPlan
from voicepipe.session.settings import Modality
from voicepipe.session.turn import Turn
from voicepipe.session.writer import Conversations, ResponseSpec, ResponseWriter
from voicepipe.tts.contract import Voice

log = logging.getLogger(__name__)

StopReason = Literal["turn_detected", "client_cancelled", "reopened"]
_ENDS: dict[Outcome, TurnEnd] = {
    "completed": "completed",
    "incomplete": "completed",
    "no_speech": "no_speech",
}


class _History(Conversations):
    """A writer's items become items of the conversation."""

    def __init__(self, context: Context) -> None:
        self._conversation = context.conversation
        self._append = context.append

    def add(self, item: Item) -> str | None:
        return self._append(item)

    def update(self, item: Item) -> str | None:
        if item.id not in self._conversation:  # the client deleted it while it was written
            return None
        self._conversation.replace(item)
        return self._conversation.previous_item_id(item.id)


class Responder:
    """At most one reply of the conversation is active (prepared, generating or playing); any
    number of out-of-band ones run beside it."""

    def __init__(
        self,
        context: Context,
        on_audible: Callable[[str], None],
        on_finished: Callable[[], None],
    ) -> None:
        self._context = context
        self._on_audible = on_audible
        self._on_finished = on_finished
        self._tasks: dict[Reply, asyncio.Task[None]] = {}
        self._full: dict[str, Item] = {}  # interrupted items before they were cut
        self.active: Reply | None = None
        self._replies_made = 0  # fillers take turns

    # -- starting ---------------------------------------------------------------------------------

    def prepare(self, turn: Turn) -> None:
        """Begin a reply behind the gate: the user may not have finished."""
        reply = self._new_reply(turn, CreateResponse(), answer_silence=False)
        reply.prepared = True
        self._context.preemption.attempt()
        self.active = reply
        self._spawn(reply)

    def commit(self, turn: Turn) -> None:
        """The turn is over: open the gate of the prepared reply, or start one now."""
        reply = self._reply_to(turn)
        task = self._tasks.get(reply) if reply is not None else None
        if reply is None or task is None or task.done():
            self.discard(turn, "failed")
            reply = self._new_reply(turn, CreateResponse(), answer_silence=False)
            self._spawn(reply)
        self.active = reply
        reply.commit()

    def discard(self, turn: Turn, reason: DiscardReason) -> None:
        """What was prepared for this turn is thrown away, nobody ever knew of it."""
        reply = self._reply_to(turn)
        if reply is not None:
            self.active = None
            self._discard(reply, reason)

    def _discard(self, reply: Reply, reason: DiscardReason) -> None:
        turn = reply.plan.turn
        turn.discards += 1
        self._context.preemption.discard(reason, reply.pieces_of_text, reply.made_audio_ms)
        if turn.trace is not None:
            turn.trace.attempt(reply, "discarded", self._context.clock.now())
        task = self._tasks.pop(reply, None)
        reply.writer.closed = True
        reply.output.release()
        if task is not None:
            task.cancel()

    def create(self, turn: Turn, options: CreateResponse) -> None:
        """The client asks for a response."""
        reply = self._new_reply(turn, options, answer_silence=True)
        if not options.out_of_band:
            self.active = reply
        self._spawn(reply)
        reply.commit()

    def say(self, turn: Turn, text: str, then: Callable[[], None] | None = None) -> None:
        """Say `text` as it stands; it enters the history, as all that the agent says. `then`: as
        `ToolResult.afterwards`."""
        self.active = reply = self._new_reply(
            turn, CreateResponse(), answer_silence=True, script=text
        )
        if then is not None:
            reply.afterwards.append(then)
        self._spawn(reply)
        reply.commit()

    async def warm(self, turn: Turn, stable: str) -> None:
        """Let the model prefill the prompt up to words that will not change any more."""
        request = self._request(turn, CreateResponse(), stable)
        try:
            await self._context.engines.model.warm(replace(request, priority=2))
        except EngineError as error:
            log.debug("prefix not warmed: %s", error)

    # -- stopping ---------------------------------------------------------------------------------

    def stop(self, reason: StopReason) -> None:
        """Silence the active reply at once and cut the history to what was heard."""
        reply, self.active = self.active, None
        if reply is None:
            return
        if reply.plan.turn.committed:
            self._stop(reply, reason)
        else:  # the turn it was prepared for is still to be answered
            self._discard(reply, "cleared")

    def cancel(self, response_id: str) -> bool:
        """Stop one response by id; False if it is not running."""
        for reply in self._tasks:
            if reply.writer.spec.id == response_id and not reply.writer.closed:
                if reply is self.active:
                    self.active = None
                self._stop(reply, "client_cancelled")
                return True
        return False

    def answers(self, turn: Turn) -> bool:
        """The active reply, prepared or running, is to this turn."""
        return self._reply_to(turn) is not None

    def _reply_to(self, turn: Turn) -> Reply | None:
        reply = self.active
        return reply if reply is not None and reply.plan.turn is turn else None

    @property
    def generating(self) -> Reply | None:
        """The conversation's response that the client sees in progress."""
        reply = self.active
        if reply is None or not reply.committed or reply.writer.closed:
            return None
        return reply

    def restore(self, item_id: str) -> None:
        """Undo our own estimate of what was heard, before the client states the truth."""
        full = self._full.pop(item_id, None)
        if full is not None and item_id in self._context.conversation:
            self._context.conversation.replace(full)

    def _stop(self, reply: Reply, reason: StopReason) -> None:
        task = self._tasks.pop(reply, None)
        heard_ms = reply.output.stop()
        reply.marks.set("reply_end", self._context.clock.now())
        was_open = not reply.writer.closed
        if was_open and reply.writer.opened:
            status: ev.StatusReason = (
                "client_cancelled" if reason == "client_cancelled" else "turn_detected"
            )
            reply.writer.close("cancelled", reason=status, usage=reply.usage)
        reply.writer.closed = True
        if task is not None:
            task.cancel()
        if reply.on_sink:
            self._context.emit(ev.OutputAudioCleared(reply.writer.spec.id))
        self._cut_history(reply, heard_ms)
        end: TurnEnd = "reopened" if reason == "reopened" else "interrupted"
        record_turn(
            self._context, reply, "cancelled" if reason == "client_cancelled" else end, heard_ms
        )

    def _cut_history(self, reply: Reply, heard_ms: float) -> None:
        """History holds what the caller heard."""
        for message in reply.messages:
            part, here_ms = self._audio_part(message.item_id), message.heard_ms(heard_ms)
            if part is None or (here_ms is not None and 0 < part.duration_ms < here_ms - 1):
                continue  # deleted, or cut further back by the client
            conversation = self._context.conversation
            self._full[message.item_id] = conversation.get(message.item_id)
            conversation.set_spoken(message.item_id, 0, message.spans)
            if here_ms is None:
                continue
            conversation.truncate(message.item_id, 0, here_ms)
            if reply.on_sink:  # the client cannot know how far playback had come
                self._context.emit(ev.ItemTruncated(message.item_id, 0, round(here_ms)))

    def _audio_part(self, item_id: str) -> AudioPart | None:
        conversation = self._context.conversation
        item = conversation.get(item_id) if item_id in conversation else None
        if not isinstance(item, MessageItem):
            return None
        return next((part for part in item.content if isinstance(part, AudioPart)), None)

    # -- running ----------------------------------------------------------------------------------

    def _spawn(self, reply: Reply) -> None:
        self._tasks[reply] = self._context.tasks.spawn(
            self._run(reply), f"reply {reply.writer.spec.id}"
        )

    async def _run(self, reply: Reply) -> None:
        try:
            outcome = await reply.run()
        except EngineError as error:
            if not reply.committed:  # nobody knows of it: the endpoint starts a fresh one
                log.warning("a prepared reply failed in %s", error.stage)
                return
            log.warning("reply failed in %s: %s", error.stage, error)
            self._end(reply, "failed", error)
            return
        except Exception:
            log.exception("reply failed")
            self._end(reply, "failed", EngineError("internal error", stage="session"))
            return
        await self._finish(reply, outcome)

    async def _finish(self, reply: Reply, outcome: Outcome) -> None:
        if outcome == "no_speech":
            reply.writer.closed = True
        elif outcome == "incomplete":
            reply.writer.close("incomplete", reason="max_output_tokens", usage=reply.usage)
        else:
            reply.writer.close("completed", usage=reply.usage)
        for message in reply.messages:
            if message.item_id in self._context.conversation:
                self._context.conversation.set_spoken(message.item_id, 0, message.spans)
        reply.marks.set("reply_end", self._context.clock.now())
        try:
            await reply.output.played_out()
        except EngineError as error:
            log.warning("reply cut off: %s", error)
            self._cut_history(reply, reply.output.stop())
        if reply.on_sink:
            self._context.emit(ev.OutputAudioStopped(reply.writer.spec.id))
        self._forget(reply)
        record_turn(self._context, reply, _ENDS[outcome], reply.output.played_ms())

    def _end(self, reply: Reply, end: TurnEnd, error: EngineError) -> None:
        heard_ms = reply.output.stop()
        reply.writer.close(
            "failed", error=str(error), error_code=f"{error.stage}_failed", usage=reply.usage
        )
        if reply.on_sink:
            self._context.emit(ev.OutputAudioCleared(reply.writer.spec.id))
        self._cut_history(reply, heard_ms)
        self._forget(reply)
        record_turn(self._context, reply, end, heard_ms)

    def _forget(self, reply: Reply) -> None:
        self._tasks.pop(reply, None)
        if reply is self.active:
            self.active = None
            self._on_finished()
        for act in reply.afterwards:
            act()

    # -- making -----------------------------------------------------------------------------------

    def _new_reply(
        self,
        turn: Turn,
        options: CreateResponse,
        *,
        answer_silence: bool,
        script: str | None = None,
    ) -> Reply:
        context, settings = self._context, self._context.settings
        modality = options.modality or settings.modality
        voice = options.voice or settings.voice
        spec = ResponseSpec(
            id=new_id("resp"),
            modality=modality,
            conversation_id=None if options.out_of_band else context.conversation_id,
            voice=voice,
            max_output_tokens=options.max_output_tokens or settings.max_output_tokens,
            metadata=options.metadata,
        )
        history = Conversations() if options.out_of_band else _History(context)
        writer = ResponseWriter(spec, context.emit, history)
        own_tools = settings.tools if options.tools is None else options.tools
        server_tools = None if own_tools else context.tools

        sink = None if options.out_of_band else context.sink

        def send(data: bytes, duration_ms: float, answer: bool) -> None:
            if reply is self.active:
                self._on_audible(reply.audible_text)
            if sink is None:
                writer.audio(data, duration_ms, answer=answer)
            else:
                writer.audio_on_sink(duration_ms)

        output = AudioOutput(
            context.clock,
            settings.output_format,
            context.engines.synthesizer.sample_rate,
            send,
            sink,
            lambda answer: self._audio_left(reply, answer),
        )
        plan = ReplyPlan(
            turn=turn,
            build=lambda text: self._request(turn, options, text),
            voice=Voice(voice, settings.speed),
            tools=server_tools,
            guess=turn.guess,
            answer_silence=answer_silence,
            clauses=lambda: clause_options(
                turn, context.budget, context.turns, context.clock.now()
            ),
            filler=self._filler(options, modality, voice) if script is None else None,
            script=script,
        )
        reply = Reply(
            plan,
            context.engines,
            writer,
            output,
            context.clock,
            llm_limits=context.config.llm,
            tts_limits=context.config.tts,
        )
        if turn.trace is not None:
            turn.trace.begin(reply, context.clock.now())
        return reply

    def _filler(self, options: CreateResponse, modality: Modality, voice: str) -> Filler | None:
        context, filler = self._context, self._context.config.filler
        if not filler.after_ms or not filler.phrases or options.out_of_band or modality == "text":
            return None
        phrase = filler.phrases[self._replies_made % len(filler.phrases)]
        self._replies_made += 1
        return Filler(
            phrase,
            filler.after_ms,
            context.engines.synthesizer,
            Voice(voice, context.settings.speed),
            context.settings.output_format,
            context.clock,
        )

    def _request(self, turn: Turn, options: CreateResponse, spoken: str) -> ChatRequest:
        """The prompt: the conversation (or the given input), then what was just said."""
        context, settings = self._context, self._context.settings
        if options.input is None:
            items = [i for i in context.conversation.items if i.id != turn.item_id]
        else:
            items = [
                context.conversation.get(i.id) if isinstance(i, ItemReference) else i
                for i in options.input
            ]
        if spoken:
            items.append(MessageItem(turn.item_id, "user", (AudioPart(spoken),)))
        tools = settings.tools if options.tools is None else options.tools
        instructions = (
            settings.instructions if options.instructions is None else options.instructions
        )
        llm = context.config.llm
        wanted = options.max_output_tokens or settings.max_output_tokens or llm.max_tokens
        return ChatRequest(
            messages=build_messages(instructions, items),
            tools=tools or context.tools.declarations,
            tool_choice=options.tool_choice or settings.tool_choice,
            max_tokens=min(wanted, llm.max_tokens),
            temperature=llm.temperature if settings.temperature is None else settings.temperature,
            priority=0 if turn.committed else 1,
            request_id=turn.id,
        )

    # -- on a sink ---------------------------------------------------------------------------------

    def _audio_left(self, reply: Reply, answer: bool) -> None:
        """A sink has sent a piece of this reply's audio off."""
        reply.marks.set("audio_out" if answer else "filler_out", self._context.clock.now())
        if not reply.on_sink:
            reply.on_sink = True
            self._context.emit(ev.OutputAudioStarted(reply.writer.spec.id))
