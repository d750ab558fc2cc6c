"""One attempt at answering: transcript -> language model -> clauses -> speech -> output.

Three stages run side by side, joined by bounded queues, as one TaskGroup; to interrupt is to
cancel it. `_deliver` waits at the gate: until `commit` opens it nothing is sent, nothing enters
the history and no tool runs, so a reply may be prepared before the user has finished.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, Protocol

from voicepipe.llm.contract import (
    ChatRequest,
    Delta,
    Finish,
    TextDelta,
    TokenTimes,
    ToolCall,
    ToolCallDelta,
    ToolCallUnusable,
    Usage,
)
from voicepipe.runtime.errors import EngineError
from voicepipe.runtime.streams import closing, deadline
from voicepipe.session.asked_first import AskedFirst, spoken
from voicepipe.session.audio_output import AudioOutput
from voicepipe.session.bridge import Bridge
from voicepipe.session.commands import CreateResponse
from voicepipe.session.context import Context
from voicepipe.session.filler import Filler
from voicepipe.session.prompting import (
    WantedCalls,
    after_calls,
    make_request,
    reminded,
    words_answered,
)
from voicepipe.session.spoken_clauses import SpokenClause, SpokenMessage, clause_options
from voicepipe.session.tasks import asked_to_stop
from voicepipe.session.tool_calls import ToolCalls
from voicepipe.session.tool_runs import ToolRuns
from voicepipe.session.turn import Turn
from voicepipe.session.turn_notes import ReplyTimes
from voicepipe.session.writer import ResponseWriter
from voicepipe.tts.clauses import ClauseOptions, ClauseSplitter
from voicepipe.tts.contract import Voice
from voicepipe.tts.unsaid import unsaid

log = logging.getLogger(__name__)

CLAUSES_AHEAD = 1024  # written but not yet spoken: all of any answer. A model that were held up by
# a voice that speaks in real time would run into its own deadline, and keep its place in the batch
PIECES_AHEAD = 256  # prepared behind the gate; about 25 s of speech in 100 ms chunks
MAX_TOOL_ROUNDS = 4  # a model that calls tools for ever is stopped here


@dataclass(frozen=True, slots=True)
class ReplyPlan:
    """What to answer and how."""

    turn: Turn
    voice: Voice
    options: CreateResponse
    calls: ToolCalls  # run here; other calls go to the client
    number: int | None = None  # the dialog's; None: out of band
    guess: str | None = None  # partial text to answer, where the final one is not awaited
    prepared: bool = False  # begun before the endpoint
    answer_silence: bool = False  # an explicit response.create is answered even where nobody spoke
    filler: Filler | None = None  # said if the answer is late
    say: Callable[[str], Filler] | None = None  # other words for that; None: nobody listens
    script: str | None = None  # said word for word, no model is asked: a greeting


class Reports(Protocol):
    """Whom a reply tells of itself, by its number."""

    def reply_acts(self, number: int) -> None:
        """Behind the gate it waits to change something by a tool."""
        ...

    def reply_audible(self, number: int, text: str) -> None:
        """More of it goes out; `text`: all that the user has been told by it so far."""
        ...


@dataclass(frozen=True, slots=True)
class _Sound:
    """Speech as wire audio: encoded ahead of the gate, where nobody waits for it."""

    data: bytes


@dataclass(frozen=True, slots=True)
class _Parting:
    """A tool has run here: what follows is a message of its own."""


_Written = str | ToolCall | _Parting
_Piece = SpokenClause | _Sound | ToolCall | _Parting
"""A clause comes before its sound: it is the transcript of what follows."""

Outcome = Literal["completed", "incomplete", "no_speech"]


class Reply:
    """Run it as a task; `commit` opens the gate. Its `writer` and `output` belong to it alone."""

    def __init__(
        self,
        plan: ReplyPlan,
        context: Context,
        writer: ResponseWriter,
        output: AudioOutput,
        reports: Reports,
    ) -> None:
        self.plan = plan
        self.writer = writer
        self.output = output
        self.times = ReplyTimes(context.clock)
        self.marks = self.times.marks
        self.usage = Usage()
        self.token_times: TokenTimes | None = None  # of the last request to the model
        self.messages: list[SpokenMessage] = []  # in order; a tool call parts them
        self.text = ""  # all text handed to the writer
        self.on_sink = False  # a sink has begun to play it ...
        self.announced = False  # ... and the client was told
        self.began_us = round(context.clock.now() * 1e6)
        self.pieces_of_text = 0  # that the model gave: a token each, mostly
        self.made_audio_ms = 0.0  # that was synthesized
        self.user_audio_ms = 0.0  # what the final transcript was made from
        self.afterwards: list[Callable[[], None]] = []  # what its tools do when it has been played
        self.calls = plan.calls
        after_ms = context.config.filler.after_ms
        self._bridge = Bridge(context.clock, plan.turn, self.marks, plan.filler, after_ms, plan.say)
        self._context = context
        self._engines, self._clock = context.engines, context.clock
        self._reports = reports
        self._gate = asyncio.Event()
        self._tools = ToolRuns(plan.calls, writer, self.times, self._gate, context.clock)
        self._clauses: asyncio.Queue[str | ToolCall | _Parting | None] = asyncio.Queue(
            CLAUSES_AHEAD
        )
        self._pieces: asyncio.Queue[_Piece | None] = asyncio.Queue(PIECES_AHEAD)
        self._splitter = ClauseSplitter(None, context.language.reply_table)
        self._heard = asyncio.Event()  # the transcript is known
        self._unreported = True  # words or sound that the dialog has not been told of
        self._has_tail = False  # the resampler holds samples of what was said
        self._in_word = False  # what was written last ended without a space
        self._nothing_said = False
        self._cut_short = False  # the model stopped at its token limit

    @property
    def committed(self) -> bool:
        return self._gate.is_set()

    @property
    def saved_us(self) -> int:
        """How much sooner its first sound was out than if it had been begun at the endpoint."""
        endpoint, first = self.plan.turn.marks.get("endpoint"), self.marks.get("tts_first_audio")
        out = self.marks.get("audio_out")
        if not self.plan.prepared or endpoint is None or first is None or out is None:
            return 0
        return max(0, endpoint + (first - self.began_us) - out)

    def commit(self) -> None:
        """The user's turn is over and this is its answer."""
        self._gate.set()

    @property
    def audible_text(self) -> str:
        """All that the user has been told, a filler included."""
        said = self._bridge.said
        return f"{said} {self.text}" if said else self.text

    @property
    def filler_ms(self) -> float:
        """How much of a filler went out: always before the answer."""
        return self._bridge.sent_ms

    async def run(self) -> Outcome:
        """Answer. Raises EngineError of the stage that failed; cancelling stops all engines."""
        try:
            await self._run_stages()
        except BaseExceptionGroup as failures:
            raise _first_failure(failures) from None
        except asyncio.CancelledError as stopped:
            # Its traceback knows the group, and that the task that keeps it: a circle with all of
            # the session in it, at each interruption.
            raise stopped.with_traceback(None)  # noqa: B904
        if self._nothing_said:
            return "no_speech"
        return "incomplete" if self._cut_short else "completed"

    async def _run_stages(self) -> None:
        async with asyncio.TaskGroup() as stages:
            stages.create_task(_stage(self._think), name="reply-think")
            stages.create_task(_stage(self._speak), name="reply-speak")
            stages.create_task(_stage(self._deliver), name="reply-deliver")

    # -- think: transcript and language model ----------------------------------------------------

    async def _think(self) -> None:
        if self.plan.script is not None:
            self._heard.set()
            await self._write(self.plan.script)
            await self._flush_clauses()
            await self._clauses.put(None)
            return
        text = await self._hear() if self.plan.guess is None else self.plan.guess
        self.times.mark("asr_final")
        spoken_to = self.plan.turn.utterance is not None
        self._nothing_said = spoken_to and not text and not self.plan.answer_silence
        self._heard.set()
        if not self._nothing_said:
            await self._context.earlier_transcripts(self.plan.turn)
            if self.plan.answer_silence:  # the client's: it asks as soon as it has approved a call
                await self._context.approved_calls()
            await self._answer(make_request(self._context, self.plan.turn, self.plan.options, text))
        await self._clauses.put(None)

    async def _hear(self) -> str:
        """The final transcript of the user's turn."""
        asked_at = self._clock.now()
        transcript = await self.plan.turn.transcript()
        self.times.heard(transcript, asked_at)
        self.user_audio_ms = transcript.audio_s * 1000
        return transcript.text

    async def _answer(self, request: ChatRequest) -> None:
        self.calls.said = words_answered(request)
        said = ""
        if self.plan.number is not None and self._context.tools.first:
            first = AskedFirst(self.calls, self._bridge, self._gate, self.times, self._clock)
            said, request = await first.ask(request, self.plan.options)
        if said:
            await self._one_generation(request, spoken(said))
        else:
            await self._generate(request)

    async def _generate(self, request: ChatRequest) -> None:
        for _ in range(MAX_TOOL_ROUNDS):
            said, calls = await self._usable_generation(request)
            if not calls:
                return
            if not self.calls.may_be_early(calls):
                self._will_act()
                await self._gate.wait()  # it changes something, and the turn may not be over
                self.times.behind_gate = True
            if said.strip() and not self._nothing_said:
                self._tools.tell(self.writer.begin_message)  # its place is before the calls
            self._bridge.announce(*self.calls.words_for(calls))
            ran = await self._tools.run(calls)
            self._bridge.tools_are_done()
            if said.strip():
                await self._clauses.put(_Parting())
                self._in_word = False
            self.afterwards += [done.afterwards for done in ran if done.afterwards is not None]
            if said.strip() and all(done.afterwards for done in ran):
                return  # "Goodbye!" was said already
            if all(self.calls.needs_approval(call) for call in calls):
                return  # what follows is for the client to say
            request = after_calls(request, said, calls, ran)
        raise EngineError(
            f"the model called tools {MAX_TOOL_ROUNDS} times without answering", stage="llm"
        )

    async def _usable_generation(self, request: ChatRequest) -> tuple[str, list[ToolCall]]:
        """A model whose call cannot be read is asked once more, and then to answer in words; one
        that must call is told so."""
        in_words = replace(request, tools=(), tool_choice="none")
        tries = (request, reminded(request)) if request.must_call else (request, request, in_words)
        for wanted in tries:
            try:
                return await self._one_generation(wanted)
            except ToolCallUnusable as error:
                log.warning("a call of the model's cannot be used: %s", error)
        if request.must_call:
            raise EngineError("the model did not call a tool, which it must", stage="llm")
        raise EngineError("the model gave neither words nor a call", stage="llm")

    async def _one_generation(
        self, request: ChatRequest, answer: AsyncGenerator[Delta] | None = None
    ) -> tuple[str, list[ToolCall]]:
        """Stream one generation into clauses; returns its text and the calls to run here. `answer`:
        what is there already, instead of the model's."""
        said: list[str] = []
        calls: list[ToolCall] = []
        wanted, must_call = WantedCalls(request), request.must_call
        first = True
        if self.marks.get("first_clause") is None:  # a tool's round counts until words come
            self.marks.move("llm_request", self._clock.now())
        async with (
            deadline(self._context.config.llm.total_timeout_ms, "llm", "the answer is not whole"),
            closing(answer or self._context.answers.stream(request)) as deltas,
        ):
            asked_at = self._clock.now()
            async for delta in deltas:
                planned_s = None if isinstance(delta, Finish) else delta.planned_s
                if self.marks.get("first_clause") is None:
                    self.times.spent("llm" if first else "clause", planned_s, asked_at)
                    if first:
                        self.marks.move("llm_first_token", self._clock.now())
                        self._splitter = ClauseSplitter(
                            self._first_clause(), self._context.language.reply_table
                        )
                first = False
                match delta:
                    case TextDelta() if must_call:
                        pass  # words are not what was asked for
                    case ToolCallDelta(call) if not wanted.take(call):
                        pass
                    case TextDelta(text):
                        if not said and self._in_word and not text[:1].isspace():
                            await self._write(" ")  # the words before a tool's result end here
                        said.append(text)
                        self.pieces_of_text += 1
                        await self._write(text)
                    case ToolCallDelta(call) if call.name in self.calls:
                        calls.append(call)
                    case ToolCallDelta(call):
                        self._will_act()  # whatever the client does with it
                        await self._flush_clauses()
                        self._in_word = False  # what follows is a message of its own
                        await self._clauses.put(call)
                    case Finish(reason, usage, route, times):
                        self.usage += usage
                        self.token_times = times or self.token_times
                        self.times.note(route)
                        self._cut_short = reason == "length"
                # A model that keeps to a plan went on with it while the piece was handled here.
                asked_at = self._clock.now() if planned_s is None else asked_at + planned_s
        await self._flush_clauses()
        wanted.check()
        return "".join(said), calls

    def _will_act(self) -> None:
        if self.plan.number is not None and not self.committed:
            self._reports.reply_acts(self.plan.number)

    async def _write(self, text: str) -> None:
        if self.writer.spec.modality == "text":
            await self._put_clause(text)
            return
        for clause in self._splitter.push(text):
            await self._put_clause(clause)

    async def _flush_clauses(self) -> None:
        for clause in self._splitter.flush():
            await self._put_clause(clause)

    async def _put_clause(self, clause: str) -> None:
        self.times.mark("first_clause")
        self._bridge.stir()
        self._in_word = not clause[-1:].isspace()
        await self._clauses.put(clause)

    # -- speak: clauses to sound -------------------------------------------------------------------

    async def _speak(self) -> None:
        while (clause := await self._clauses.get()) is not None:
            if isinstance(clause, ToolCall | _Parting):
                await self._put_tail()
                self._bridge.sound_is_there()
                await self._pieces.put(clause)
                continue
            if self.made_audio_ms:
                await self._gate.wait()  # one clause is enough to begin with; more would be waste
            spoken = SpokenClause(clause, self.plan.voice.speed)
            await self._pieces.put(spoken)
            if self.writer.spec.modality == "audio":
                await self._synthesize(spoken)
            spoken.whole = True
        await self._put_tail()
        self._bridge.sound_is_there()
        await self._pieces.put(None)

    async def _put_tail(self) -> None:
        """The resampler's last samples, behind the words they belong to."""
        if self._has_tail:
            self._has_tail = False
            await self._pieces.put(_Sound(self.output.encode_tail()))

    async def _synthesize(self, clause: SpokenClause) -> None:
        """Speak one clause. An engine that failed is asked once more, for what is still unsaid."""
        try:
            await self._synthesize_once(clause)
        except EngineError as error:
            if not (error.retryable or clause.made_ms):
                raise
            log.warning("speech synthesis failed, trying once more: %s", error)
            await self._synthesize_once(clause)

    async def _synthesize_once(self, clause: SpokenClause) -> None:
        began = self._clock.now()
        wait_ms = self._context.config.tts.first_audio_timeout_ms
        voice = self._engines.synthesizer
        speech = voice.stream(clause.text, self._voice)
        if clause.made_ms:
            speech = unsaid(speech, clause.made_ms / 1000, voice.sample_rate)
        async with closing(speech) as chunks:
            async with deadline(wait_ms, "tts", "no first audio"):
                chunk = await anext(chunks, None)
            while chunk is not None:
                if self.marks.get("tts_first_audio") is None:
                    self.times.spent("tts", chunk.planned_s, began)
                self.times.mark("tts_first_audio")
                made_ms = chunk.pcm.size * 1000 / voice.sample_rate
                self.made_audio_ms += made_ms
                clause.made_ms += made_ms
                clause.words += chunk.words
                self.times.note(chunk.route)
                self._bridge.sound_is_there()
                self.times.synthesized(began)
                self._has_tail = True
                await self._pieces.put(_Sound(self.output.encode(chunk.pcm)))
                began = self._clock.now()
                async with deadline(wait_ms, "tts", "no more audio"):
                    chunk = await anext(chunks, None)

    # -- deliver: through the gate -----------------------------------------------------------------

    async def _deliver(self) -> None:
        await self._gate.wait()
        await self._heard.wait()  # owner: `_think`, whose failure cancels this
        if self._nothing_said:
            return
        self.writer.open()
        if self._tools.untold:
            self._tools.tell_all()
        await self._bridge.fill(self.output, partial(self._play, answer=False))
        while (piece := await self._pieces.get()) is not None:
            match piece:
                case SpokenClause():
                    self._begin_clause(piece)
                case _Sound(data):
                    await self._play(data, answer=self.plan.script is None)
                case ToolCall():
                    self.writer.call(piece)
                case _Parting():
                    self.writer.end_message()

    async def _play(self, data: bytes, *, answer: bool) -> None:
        """Hand on wire audio; returns when the listener may have all of it."""
        output, writer = self.output, self.writer
        for piece in output.slices(data):
            await output.room()
            if output.stopped:
                return
            self._report()
            if output.paced:
                writer.audio_on_sink(output.ms(piece))
            else:
                writer.audio(piece, output.ms(piece), answer=answer)
            output.hand_over(piece, answer=answer)
        if not output.paced:
            await asyncio.sleep(0)  # the transport sends this before the next is made

    def _report(self) -> None:
        if self._unreported and self.plan.number is not None:
            self._unreported = False
            self._reports.reply_audible(self.plan.number, self.audible_text)

    def _begin_clause(self, clause: SpokenClause) -> None:
        self.text += clause.text
        self._unreported = True
        self.writer.text(clause.text)
        if self.writer.spec.modality == "text":
            self._report()  # who reads an answer is being answered as one who hears it
        item_id, at_ms = self.writer.message_id, self.output.sent_ms
        if item_id is None:  # the response was closed
            return
        if not self.messages or self.messages[-1].item_id != item_id:
            # Its audio may have begun with a filler.
            self.messages.append(SpokenMessage(item_id, at_ms - self.writer.part_audio_ms))
        self.messages[-1].begin(clause, at_ms)

    @property
    def _voice(self) -> Voice:
        """That of the plan, in the language that is spoken by now."""
        return replace(self.plan.voice, language=self._context.language.reply_code)

    def _first_clause(self) -> ClauseOptions:
        context = self._context
        now_s = self._clock.now()
        return clause_options(self.plan.turn, context.budget, context.turns, now_s)


async def _stage(work: Callable[[], Awaitable[None]]) -> None:
    """One that is cancelled, and not by us, has failed: the others would wait for it for ever."""
    try:
        await work()
    except asyncio.CancelledError as stopped:
        if asked_to_stop():
            raise
        raise RuntimeError("an engine was cancelled while a reply waited for it") from stopped


def _first_failure(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The stage failure inside a TaskGroup's group; the first, since it stopped the others."""
    failure: BaseException = group
    while isinstance(failure, BaseExceptionGroup):
        failure = failure.exceptions[0]
    return failure
