"""What the agent lets be heard while the user pauses and has more to say: "uh-huh". It answers
nothing: it stands in no history, the dialog does not take it for the agent's speech, and it gives
way to whoever goes on first. Clients are told of it as of an out-of-band response.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from voicepipe.runtime.streams import closing
from voicepipe.session.audio_output import AudioOutput
from voicepipe.session.context import Context
from voicepipe.session.events import StatusReason
from voicepipe.session.filler import filler_saying
from voicepipe.session.ids import new_id
from voicepipe.session.turn import Turn
from voicepipe.session.writer import Conversations, ResponseSpec, ResponseWriter
from voicepipe.tts.contract import Voice

METADATA = {"purpose": "backchannel"}
"""By which a client knows them."""

LATE_S = 0.2
"""A sound that is not there by then is not made: the pause may be over."""


@dataclass(slots=True)
class _Said:
    """One that is being made or heard."""

    writer: ResponseWriter
    output: AudioOutput
    enough: asyncio.Event = field(default_factory=asyncio.Event)
    why: StatusReason = "turn_detected"  # it gave way


class Backchannels:
    """Of one session."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._count = 0  # the phrases take turns
        self._said: _Said | None = None  # the newest

    def say(self, turn: Turn) -> None:
        """Let the user, whose `turn` is open, hear one."""
        context = self._context
        own = context.config.filler.listening
        phrases = context.language.prompts.listening if own is None else own
        if not phrases or context.settings.modality != "audio":
            return
        self.give_way()
        phrase = phrases[self._count % len(phrases)]
        self._count += 1
        self._said = _Said(self._writer(), self._output(turn))
        context.tasks.spawn(self._play(phrase, turn, self._said), "backchannel")

    def give_way(self, why: StatusReason = "turn_detected") -> None:
        """Somebody speaks: what is being said falls silent. A sink drops what it holds of it at
        once, before it is given anything else: a reply counts from what its sink was given."""
        said, self._said = self._said, None
        if said is None:
            return
        said.why = why
        said.enough.set()
        if said.output.paced and said.output.played_ms() < said.output.sent_ms:
            said.output.stop()

    def cancel(self, response_id: str) -> bool:
        """A client wants silence of it; False if it is not being said."""
        said = self._said
        found = said is not None and said.writer.spec.id == response_id and not said.writer.closed
        if found:
            self.give_way("client_cancelled")
        return found

    async def _play(self, phrase: str, turn: Turn, said: _Said) -> None:
        context, writer = self._context, said.writer
        voice = Voice(context.settings.voice, context.settings.speed)
        asked_at = context.clock.now()
        try:
            sound = filler_saying(context, voice, phrase).bridge(said.enough)
            async with closing(sound) as pieces:
                async for data in pieces:
                    if not writer.opened:
                        if context.clock.now() - asked_at > LATE_S:
                            return
                        writer.open()
                        writer.text(phrase)
                    self._hand_over(data, turn, said)
        finally:
            if writer.opened and said.enough.is_set():
                writer.close("cancelled", reason=said.why)
            elif writer.opened:
                writer.close("completed")
        if context.sink is not None and not said.output.stopped:
            context.sink.finished()

    def _hand_over(self, data: bytes, turn: Turn, said: _Said) -> None:
        """At once: the filler keeps the pace, and an answer must not come between its pieces."""
        output, writer = said.output, said.writer
        if output.stopped:
            return
        for piece in output.slices(data):
            if output.paced:
                writer.audio_on_sink(output.ms(piece))
            else:
                writer.audio(piece, output.ms(piece), answer=False)
                self._out(turn)
            output.hand_over(piece, answer=False)

    def _writer(self) -> ResponseWriter:
        voice = self._context.settings.voice
        spec = ResponseSpec(new_id("resp"), "audio", None, voice=voice, metadata=METADATA)
        return ResponseWriter(spec, self._context.emit, Conversations())

    def _output(self, turn: Turn) -> AudioOutput:
        context = self._context
        return AudioOutput(
            context.clock,
            context.settings.output_format,
            context.engines.synthesizer.sample_rate,
            context.playback,
            context.sink,
            lambda answer: self._out(turn),
            context.detection_audio,
        )

    def _out(self, turn: Turn) -> None:
        """A piece of it leaves the server."""
        turn.marks.set("backchannel_out", self._context.clock.now())
