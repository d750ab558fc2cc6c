"""What a reply is made of: its plan, its writer, its output."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from voicepipe.conversation.items import MessageItem
from voicepipe.session.audio_output import AudioOutput, PlaybackClock
from voicepipe.session.commands import CreateResponse
from voicepipe.session.context import Context
from voicepipe.session.filler import Filler, filler_saying
from voicepipe.session.ids import new_id
from voicepipe.session.reply import Reply, ReplyPlan, Reports
from voicepipe.session.tool_calls import ToolCalls
from voicepipe.session.turn import Turn
from voicepipe.session.writer import Conversations, InConversation, ResponseSpec, ResponseWriter
from voicepipe.tts.contract import Voice


class ReplyMaker:
    """By the session's settings as they are when a reply is begun."""

    def __init__(
        self,
        context: Context,
        audio_left: Callable[[int | None, bool], None],
        reports: Reports,
    ) -> None:
        """`audio_left`: a sink has sent a piece of this reply's off, which answers or does not."""
        self._context, self._audio_left, self._reports = context, audio_left, reports
        self._fillers = 0  # they take turns

    def reply(
        self,
        turn: Turn,
        options: CreateResponse,
        *,
        number: int | None,
        guess: str | None = None,
        prepared: bool = False,
        answer_silence: bool = False,
        script: str | None = None,
    ) -> Reply:
        context, settings = self._context, self._context.settings
        voice = Voice(options.voice or settings.voice, settings.speed)
        own_tools = settings.tools if options.tools is None else options.tools
        plan = ReplyPlan(
            turn=turn,
            voice=voice,
            options=options,
            number=number,
            calls=ToolCalls(context.tools, own_tools, self._callers(turn), context.clock),
            guess=guess,
            prepared=prepared,
            answer_silence=answer_silence,
            filler=self._filler(options, voice) if script is None else None,
            say=partial(filler_saying, context, voice) if self._speaks(options) else None,
            script=script,
        )
        writer = self._writer(options)
        output = AudioOutput(
            context.clock,
            settings.output_format,
            context.engines.synthesizer.sample_rate,
            PlaybackClock(context.clock) if options.out_of_band else context.playback,
            None if options.out_of_band else context.sink,
            partial(self._audio_left, number),
            None if options.out_of_band else context.detection_audio,
        )
        reply = Reply(plan, context, writer, output, self._reports)
        if turn.trace is not None:
            turn.trace.begin(reply, context.clock.now())
        return reply

    def _callers(self, turn: Turn) -> str:
        """What names all that the caller has said since the agent's last words, with `turn`. A
        reply that answers nothing new, such as one to a tool's result, has the name of the last.
        """
        newest = None if turn.utterance is None else turn.item_id
        for item in reversed(self._context.conversation.items):
            if not isinstance(item, MessageItem) or not item.text.strip():
                continue
            if item.role == "user":
                newest = item.id
            elif item.role == "assistant" and newest is not None:
                break
        return newest or turn.id

    def _writer(self, options: CreateResponse) -> ResponseWriter:
        context, settings = self._context, self._context.settings
        spec = ResponseSpec(
            id=new_id("resp"),
            modality=options.modality or settings.modality,
            conversation_id=None if options.out_of_band else context.conversation_id,
            voice=options.voice or settings.voice,
            max_output_tokens=options.max_output_tokens or settings.max_output_tokens,
            metadata=options.metadata,
        )
        history = Conversations() if options.out_of_band else InConversation(context)
        return ResponseWriter(spec, context.emit, history)

    def _speaks(self, options: CreateResponse) -> bool:
        """Whether somebody listens to it."""
        modality = options.modality or self._context.settings.modality
        return modality == "audio" and not options.out_of_band

    def _filler(self, options: CreateResponse, voice: Voice) -> Filler | None:
        context, filler = self._context, self._context.config.filler
        own = context.language.prompts.fillers
        phrases = own if filler.phrases is None else filler.phrases
        if not filler.after_ms or not phrases or not self._speaks(options):
            return None
        phrase = phrases[self._fillers % len(phrases)]
        self._fillers += 1
        return filler_saying(context, voice, phrase)
