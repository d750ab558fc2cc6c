"""What the agent lets be heard while the user pauses and has more to say: "uh-huh". It answers
nothing: it stands in no history, the dialog does not take it for the agent's speech, and it gives
way to whoever goes on first. Clients are told of it as of an out-of-band response.
"""

from __future__ import annotations

import asyncio

from voicepipe.session.audio_output import AudioOutput
from voicepipe.session.context import Context
from voicepipe.session.filler import saying
from voicepipe.session.ids import new_id
from voicepipe.session.turn import Turn
from voicepipe.session.writer import Conversations, ResponseSpec, ResponseWriter
from voicepipe.tts.contract import Voice

METADATA = {"purpose": "backchannel"}
"""By which a client knows them."""


class Backchannels:
    """Of one session."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._said = 0  # they take turns
        self._enough = asyncio.Event()  # of the newest
        self._playing: str | None = None  # its response's id

    def say(self, turn: Turn) -> None:
        """Let the user, whose `turn` is open, hear one."""
        context = self._context
        own = context.config.filler.backchannels
        phrases = context.language.prompts.backchannels if own is None else own
        if not phrases or context.settings.modality != "audio":
            return
        phrase = phrases[self._said % len(phrases)]
        self._said += 1
        self._enough = asyncio.Event()
        context.tasks.spawn(self._play(phrase, turn, self._enough), "backchannel")

    def give_way(self) -> None:
        """Somebody speaks: what is being said falls silent."""
        self._enough.set()

    def cancel(self, response_id: str) -> bool:
        """A client wants silence of it; False if it is not being said."""
        found = self._playing == response_id
        if found:
            self.give_way()
        return found

    async def _play(self, phrase: str, turn: Turn, enough: asyncio.Event) -> None:
        settings = self._context.settings
        filler = saying(self._context, phrase, Voice(settings.voice, settings.speed))
        writer, output = self._writer(), self._output(turn)
        try:
            async for data in filler.bridge(enough):
                if not writer.opened:
                    self._playing = writer.spec.id
                    writer.open()
                    writer.text(phrase)
                self._hand_over(data, turn, writer, output)
        finally:
            self._playing = None
            if writer.opened:
                writer.close("completed")
        await output.played_out()

    def _hand_over(
        self, data: bytes, turn: Turn, writer: ResponseWriter, output: AudioOutput
    ) -> None:
        """At once: the filler keeps the pace, and an answer must not come between its pieces."""
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
