"""The agent's side: replies are made, let out, stopped and written down, as the dialog decides.

The dialog names a reply by number. What becomes of it is reported back by number, to `Reports`.
Out-of-band responses run beside the conversation; the dialog knows nothing of them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Protocol

from voicepipe.dialog.effects import DropReason, StopReason
from voicepipe.ledger.records import TurnEnd
from voicepipe.runtime.errors import EngineError
from voicepipe.session import events as ev
from voicepipe.session import reply as making
from voicepipe.session.accounting import record_turn, tell_first_sound
from voicepipe.session.audio_output import REWIND_MS, AudioOutput
from voicepipe.session.commands import CreateResponse
from voicepipe.session.context import Context
from voicepipe.session.failure_words import for_clients
from voicepipe.session.history_as_heard import HistoryAsHeard
from voicepipe.session.prompting import make_request
from voicepipe.session.reply import Outcome, Reply
from voicepipe.session.reply_maker import ReplyMaker
from voicepipe.session.turn import Turn

log = logging.getLogger(__name__)

_ENDS: dict[Outcome, TurnEnd] = {
    "completed": "completed",
    "incomplete": "completed",
    "no_speech": "no_speech",
}
_STOPPED: dict[StopReason, TurnEnd] = {
    "turn_detected": "interrupted",
    "reopened": "reopened",
    "client_cancelled": "cancelled",
}


class Reports(making.Reports, Protocol):
    """Whom the agent's side tells of its replies, by number."""

    def reply_complete(self, number: int) -> None:
        """All of it has been made and handed on."""
        ...

    def reply_done(self, number: int) -> None:
        """It was played to its end, failed, or had nothing to answer."""
        ...

    def reply_failed(self, number: int) -> None:
        """It failed behind the gate."""
        ...


@dataclass(slots=True)
class _Running:
    reply: Reply
    task: asyncio.Task[None]


@dataclass(frozen=True, slots=True)
class _Ended:
    """Played to its end a moment ago: nobody may have been there to hear that. Its tail may be said
    again meanwhile."""

    reply: Reply
    at: float  # monotonic s
    forgotten: asyncio.TimerHandle

    @property
    def output(self) -> AudioOutput:
        return self.reply.output


class Replies:
    """Of one session."""

    def __init__(self, context: Context, reports: Reports) -> None:
        self._context = context
        self._reports = reports
        self._running: dict[int, _Running] = {}  # by the dialog's number, oldest first
        self._aside: dict[str, _Running] = {}  # out of band, by response id
        self._heard = HistoryAsHeard(context)
        self._maker = ReplyMaker(context, self._audio_left, reports)
        self._held = False
        self._away = False  # nobody listens: the connection is gone
        self._ended: _Ended | None = None
        self._warming: tuple[asyncio.Task[Any] | None, ...] = ()  # oldest first

    # -- as the dialog decides ---------------------------------------------------------------------

    def start(self, number: int, turn: Turn, guess: str | None, *, prepared: bool) -> None:
        """Answer a turn; `prepared`: behind the gate."""
        options = CreateResponse()
        reply = self._maker.reply(turn, options, number=number, guess=guess, prepared=prepared)
        if prepared:
            self._context.preemption.attempt()
        self._run(number, reply, committed=not prepared)

    def ask(self, number: int, turn: Turn, options: CreateResponse) -> None:
        """Make a reply because the client asks, whatever was said."""
        reply = self._maker.reply(turn, options, number=number, answer_silence=True)
        self._run(number, reply, committed=True)

    def say(self, number: int, turn: Turn, script: str) -> Reply:
        """Say `script` as it stands; it enters the history, as all that the agent says."""
        reply = self._maker.reply(
            turn, CreateResponse(), number=number, answer_silence=True, script=script
        )
        self._run(number, reply, committed=True)
        return reply

    def ask_aside(self, turn: Turn, options: CreateResponse) -> None:
        """An out-of-band response."""
        reply = self._maker.reply(turn, options, number=None, answer_silence=True)
        response_id = reply.writer.spec.id
        task = self._context.tasks.spawn(self._live(reply), f"response {response_id}")
        self._aside[response_id] = _Running(reply, task)
        reply.commit()

    def commit(self, number: int) -> None:
        """Open the gate."""
        self._running[number].reply.commit()

    def drop(self, number: int, why: DropReason) -> None:
        """Throw away what nobody knows of."""
        running = self._running.pop(number)
        reply, turn = running.reply, running.reply.plan.turn
        turn.discards += 1
        self._context.preemption.discard(why, reply.pieces_of_text, reply.made_audio_ms)
        self._context.answers.dropped(turn.id)
        if turn.trace is not None:
            turn.trace.attempt(reply, "discarded", self._context.clock.now(), why)
        reply.writer.closed = True
        reply.output.stop()
        running.task.cancel()

    def stop(self, numbers: Sequence[int], why: StopReason) -> None:
        """Silence them at once, and cut the history to what was heard."""
        stopped = [self._running.pop(number) for number in numbers]
        with self._others_silent(*(running.reply for running in stopped)):
            for running in stopped:
                self._stop(running, why)
        self._held = self._held and bool(self._running)
        self._tell_who_plays()

    def hold(self) -> None:
        """Be silent, and take back what has not been heard."""
        self._held = True
        for output in self._outputs:
            output.pause()

    def resume(self) -> None:
        """Go on at the sample where it stopped."""
        self._held = False
        self._go_on()

    def leave(self, unheard_ms: float) -> None:
        """Nobody listens for now, and nobody has heard the last `unheard_ms`: keep back what is
        said from there on."""
        self._away = True
        outputs = [running.reply.output for running in self._running.values()]
        for output in outputs:
            output.pause()
        back_ms = 0.0
        for output in reversed(outputs):
            back_ms += output.rewind(unheard_ms - back_ms)
        if (ended := self._ended) is not None:
            ended.output.pause()
            over_s = self._context.clock.now() - ended.at
            since_ms = 0.0 if ended.output.unheard_ms else over_s * 1000
            back_ms += ended.output.say_again(unheard_ms - since_ms)
        for output in outputs:
            output.shift(back_ms)

    def come_back(self) -> None:
        """Somebody listens again."""
        self._away = False
        self._keep_tail()
        self._go_on()

    def give_way(self) -> None:
        """The user speaks, or somebody wants silence: of an answer that has ended nothing is said
        again, and what is missing of it was not heard."""
        if self._ended is not None and self._ended.output.unheard_ms:
            reply = self._ended.reply
            self._heard.cut(reply, reply.output.stop())
            self._forget_ended()

    def _keep_ended(self, reply: Reply) -> None:
        output = reply.output
        if output.paced and output.sent_ms and not output.stopped:
            self._forget_ended()
            left_s = output.unheard_ms / 1000
            timer = asyncio.get_running_loop().call_later(
                left_s + REWIND_MS / 1000, self._ended_is_old
            )
            self._ended = _Ended(reply, self._context.clock.now() + left_s, timer)

    def _ended_is_old(self) -> None:
        if not self._away:
            self._keep_tail()

    def _keep_tail(self) -> None:
        """Of what has ended, only what is said again, or held, matters from now on."""
        ended = self._ended
        self._forget_ended()
        if ended is not None and ended.output.unheard_ms:
            self._keep_ended(ended.reply)

    def _forget_ended(self) -> None:
        if self._ended is not None:
            self._ended.forgotten.cancel()
            self._ended = None

    def _go_on(self) -> None:
        if self._hushed:
            return
        for output in self._outputs:
            output.resume()

    @property
    def _outputs(self) -> list[AudioOutput]:
        """Of all that is said, or said again, in the conversation, oldest first."""
        ended = self._ended
        again = [] if ended is None or not ended.output.unheard_ms else [ended.output]
        return again + [running.reply.output for running in self._running.values()]

    @property
    def _hushed(self) -> bool:
        return self._held or self._away

    async def warm(self, turn: Turn, stable: str) -> None:
        """Let the model prefill the prompt up to words that will not change any more. One at a
        time: the next one's prompt is longer, and goes on in the same place of the cache."""
        before = [task for task in self._warming if task is not None and not task.done()]
        self._warming = (*before, asyncio.current_task())
        if before:
            before[-1].cancel()  # those before it were cancelled by the next one each
            await asyncio.wait(before)
        try:
            request = make_request(self._context, turn, CreateResponse(), stable)
            await self._context.engines.model.warm(replace(request, priority=2))
        except EngineError as error:
            log.debug("prefix not warmed: %s", error)

    # -- as the client and the transport want ------------------------------------------------------

    def number_of(self, response_id: str) -> int | None:
        """The dialog's number of a response that is not done."""
        for number, running in self._running.items():
            writer = running.reply.writer
            if writer.spec.id == response_id and not writer.closed:
                return number
        return None

    def response_id(self, number: int) -> str:
        return self._running[number].reply.writer.spec.id

    @property
    def oldest_response_id(self) -> str | None:
        """Of the reply that plays, where several are under way."""
        oldest = next(iter(self._running.values()), None)
        return None if oldest is None else oldest.reply.writer.spec.id

    @property
    def newest_response_id(self) -> str | None:
        """Of the conversation's newest reply that is under way."""
        newest = next(reversed(self._running.values()), None)
        return None if newest is None else newest.reply.writer.spec.id

    def cancel_aside(self, response_id: str) -> bool:
        """Stop an out-of-band response; False if there is none of that id."""
        running = self._aside.pop(response_id, None)
        if running is not None:
            self._stop(running, "client_cancelled")
        return running is not None

    def audio_sent(self, response_id: str, *, answer: bool) -> None:
        """The transport has handed a piece of this response's audio to the network."""
        for running in self._running.values():
            if running.reply.writer.spec.id == response_id:
                self._mark_out(running.reply, answer)

    def truncate(self, item_id: str, content_index: int, audio_end_ms: int) -> None:
        """The client says what it has played. Raises ProtocolError."""
        writing = (r.reply for r in self._running.values())
        found = next((reply for reply in writing if reply.writer.message_id == item_id), None)
        self._heard.truncate(item_id, content_index, audio_end_ms, found)

    def close(self) -> None:
        """The session ends: nobody is told any more."""
        for number in [n for n, r in self._running.items() if not r.reply.committed]:
            self.drop(number, "cleared")
        self.give_way()
        self._forget_ended()
        self.stop(tuple(self._running), "client_cancelled")
        self._heard.close()

    def let_go(self) -> None:
        """As `TurnTaking.let_go`."""
        del self._maker

    # -- running -----------------------------------------------------------------------------------

    def _run(self, number: int, reply: Reply, *, committed: bool) -> None:
        name = f"reply {reply.writer.spec.id}"
        self._running[number] = _Running(reply, self._context.tasks.spawn(self._live(reply), name))
        if self._hushed:
            reply.output.pause()
        if committed:
            reply.commit()

    async def _live(self, reply: Reply) -> None:
        try:
            await self._finish(reply, await reply.run())
        except EngineError as error:
            self._fail(reply, error)
        except Exception:
            log.exception("reply failed")
            self._fail(reply, EngineError("internal error", stage="session"))

    def _is_running(self, reply: Reply) -> bool:
        """False: it was stopped or dropped, and all about it has been said."""
        number = reply.plan.number
        if number is None:
            return reply.writer.spec.id in self._aside
        found = self._running.get(number)
        return found is not None and found.reply is reply

    async def _finish(self, reply: Reply, outcome: Outcome) -> None:
        if not self._is_running(reply):
            return
        if outcome == "no_speech":
            reply.writer.closed = True
        elif outcome == "incomplete":
            reply.writer.close("incomplete", reason="max_output_tokens", usage=reply.usage)
        else:
            reply.writer.close("completed", usage=reply.usage)
        if reply.plan.number is not None:
            self._reports.reply_complete(reply.plan.number)
        self._heard.spoken(reply)
        reply.marks.set("reply_end", self._context.clock.now())
        try:
            await reply.output.played_out()
        except EngineError as error:
            log.warning("reply cut off: %s", error)
            with self._others_silent(reply):
                heard_ms = reply.output.stop()
            self._heard.cut(reply, heard_ms)
        if not self._is_running(reply):
            return
        if reply.announced:
            self._context.emit(ev.OutputAudioStopped(reply.writer.spec.id))
        record_turn(self._context, reply, _ENDS[outcome], reply.output.played_ms())
        self._forget(reply)
        self._keep_ended(reply)
        for act in reply.afterwards:  # only here: it was played to its end
            try:
                act()
            except Exception:  # of one tool; the reply was heard, and others may have to hang up
                log.exception("what a tool wanted done afterwards failed")

    def _fail(self, reply: Reply, error: EngineError) -> None:
        if not self._is_running(reply):
            return
        if not reply.committed:
            log.warning("a prepared reply failed in %s", error.stage)
            assert reply.plan.number is not None
            self._reports.reply_failed(reply.plan.number)
            return
        log.warning("reply failed in %s: %s", error.stage, error)
        code = f"{error.stage}_failed"
        heard_ms = reply.output.sent_ms  # who plays by itself hears all that it was sent
        if reply.output.paced:
            with self._others_silent(reply):
                heard_ms = reply.output.stop()
        reply.writer.close("failed", error=for_clients(error), error_code=code, usage=reply.usage)
        self._write_down(reply, "failed", heard_ms)
        self._forget(reply)

    def _stop(self, running: _Running, why: StopReason) -> None:
        reply = running.reply
        heard_ms = reply.output.stop()
        tools = self._context.tools.background
        if tools is not None and reply.plan.number is not None:  # out of band nobody speaks
            tools.interrupted()
        if 2 * (heard_ms - reply.filler_ms) < reply.made_audio_ms:
            reply.calls.cut_off()
        reply.marks.set("reply_end", self._context.clock.now())
        cancelled = why == "client_cancelled"
        asked = reply.plan.answer_silence and reply.plan.script is None  # by the client
        if reply.writer.opened or asked:  # who asked is told, though nothing of it was heard
            reason: ev.StatusReason = "client_cancelled" if cancelled else "turn_detected"
            reply.writer.close("cancelled", reason=reason, usage=reply.usage)
        reply.writer.closed = True
        running.task.cancel()
        self._write_down(reply, _STOPPED[why], heard_ms)

    @contextmanager
    def _others_silent(self, *stopped: Reply) -> Iterator[None]:
        """A sink drops all that it holds: what belongs to other replies is given to it again."""
        playing = any(reply.plan.number is not None for reply in stopped)
        silent = [reply.output for reply in stopped]
        others = [output for output in self._outputs if output not in silent]
        others = others if playing else []  # out of band nothing goes to the sink
        for output in others:
            output.pause()
        yield
        if not self._hushed:
            for output in others:
                output.resume()

    def _write_down(self, reply: Reply, end: TurnEnd, heard_ms: float) -> None:
        if reply.announced:
            self._context.emit(ev.OutputAudioCleared(reply.writer.spec.id))
        self._heard.cut(reply, heard_ms)
        self._heard.forget(reply)
        record_turn(self._context, reply, end, heard_ms)

    def _forget(self, reply: Reply) -> None:
        number = reply.plan.number
        if number is None:
            self._aside.pop(reply.writer.spec.id, None)
            return
        self._running.pop(number, None)
        self._held = self._held and bool(self._running)
        self._heard.forget(reply)
        self._tell_who_plays()
        self._reports.reply_done(number)

    # -- on a sink ---------------------------------------------------------------------------------

    def _audio_left(self, number: int | None, answer: bool) -> None:
        """A sink has sent a piece of this reply's audio off."""
        running = None if number is None else self._running.get(number)
        if running is None:
            return
        self._mark_out(running.reply, answer)
        if not running.reply.on_sink:
            running.reply.on_sink = True
            self._tell_who_plays()

    def _tell_who_plays(self) -> None:
        """One after the other, though the next is in the sink's hands before the last was heard."""
        playing = [r.reply for r in self._running.values() if r.reply.on_sink]
        if playing and not playing[0].announced:
            playing[0].announced = True
            self._context.emit(ev.OutputAudioStarted(playing[0].writer.spec.id))

    def _mark_out(self, reply: Reply, answer: bool) -> None:
        first = answer and reply.marks.get("audio_out") is None
        reply.marks.set("audio_out" if answer else "filler_out", self._context.clock.now())
        if first:
            tell_first_sound(self._context, reply)
