"""The OpenAI Realtime protocol for one connection: text frames to commands, events to text frames.

Sans-I/O: no sockets, no clock, no tasks. GA is the dialect spoken; beta is spoken if the
connection asked for it, or if the first `session.update` is a flat one without a type.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection
from typing import Literal

from voicepipe.protocols.json_fields import audio_field, checks, errors, wire
from voicepipe.protocols.json_fields.audio_field import MAX_AUDIO_BYTES
from voicepipe.protocols.json_fields.checks import Json
from voicepipe.protocols.openai_realtime import beta, client_events, text_bound
from voicepipe.protocols.openai_realtime.items import NewId
from voicepipe.protocols.openai_realtime.server_events import DTMF, AudioDeltas, ServerEvents
from voicepipe.protocols.openai_realtime.session_object import SessionObject
from voicepipe.runtime.errors import ProtocolError, VoicepipeError
from voicepipe.session.commands import AppendAudio, Command, UpdateSession
from voicepipe.session.events import (
    AudioDelta,
    OutputAudioStarted,
    OutputPaused,
    OutputResumed,
    SessionError,
    SessionEvent,
    TurnMeasured,
)
from voicepipe.session.settings import SessionSettings

Dialect = Literal["ga", "beta"]

_APPEND = "input_audio_buffer.append"
_PLAIN = audio_field.PlainMessages(_APPEND)
_GA_AUDIO_DELTA = "response.output_audio.delta"
_EXTENSION = (TurnMeasured, OutputPaused, OutputResumed)
"""Events that only those see who have asked: stock clients fail at what they do not know."""


def random_id(prefix: str) -> str:
    """An id no one can guess: "item_" and 20 hex digits."""
    return f"{prefix}_{secrets.token_hex(10)}"


class RealtimeCodec:
    """One connection's codec: one reader calls `receive`, one writer `opening` and `send`.

    The two may run in different threads: what they share is replaced, never changed in place.
    """

    def __init__(
        self,
        *,
        defaults: SessionSettings,
        model: str,
        session_id: str,
        voices: tuple[str, ...],
        expires_at: int,
        dialect: Dialect = "ga",
        conversation_id: str | None = None,
        max_audio_bytes: int = MAX_AUDIO_BYTES,
        mcp_servers: tuple[str, ...] = (),
        max_text_chars: int = text_bound.MAX_TEXT_CHARS,
        new_id: NewId = random_id,
        joined: SessionObject | None = None,
        agent_heard: bool = False,
        models: Collection[str] = (),
    ) -> None:
        """`defaults`: the server's settings of a new session; `model`: as in the URL; `voices`:
        names the synthesizer knows; `expires_at`: unix seconds; `conversation_id`: shown by beta's
        `conversation.created`; `max_audio_bytes`: decoded audio in one message;
        `max_text_chars`: of all texts in one; `new_id("event")` must need no JSON escapes.

        `joined`: the session of a call that is another client's, which this one is in charge of
        beside it; its audio formats stay as that one has them. `agent_heard`: in it, so far."""
        self._joined = joined is not None
        self._session = joined or SessionObject(
            defaults,
            model=model,
            session_id=session_id,
            expires_at=expires_at,
            voices=voices,
            mcp_servers=mcp_servers,
            models=models,
        )
        self._client_events = client_events.ClientEvents(self._session, new_id, max_audio_bytes)
        self._server_events = ServerEvents(self._session)
        self._audio_deltas = AudioDeltas(_GA_AUDIO_DELTA, new_id)
        self._max_text_chars = max_text_chars
        self._new_id = new_id
        self._max_audio_bytes = max_audio_bytes
        self._input_format = self._session.settings.input_format
        self._conversation_id = conversation_id or new_id("conv")
        self._dialect: Dialect = "ga"
        self._updated = False  # a session.update was seen
        self._voice_fixed = agent_heard
        self._extended = defaults.turn_events and not self._joined  # the client asked
        if dialect == "beta":
            self._speak_beta()

    @property
    def session_object(self) -> SessionObject:
        """What all that are in charge of this session share."""
        return self._session

    @property
    def settings(self) -> SessionSettings:
        """Effective values, updates that `receive` has returned included."""
        return self._session.settings

    def adopt(self, settings: SessionSettings, defaults: SessionSettings) -> None:
        """The server has changed the session itself; `session.updated` shows it."""
        self._session.adopt(settings, defaults)

    @property
    def dialect(self) -> Dialect:
        return self._dialect

    def begin(self, dialect: Dialect) -> None:
        """What was received so far was the server's word; the client's, in `dialect`, follows."""
        self._updated = False
        if dialect == "beta":
            self._speak_beta()

    def opening(self, resume: Json | None = None) -> list[str]:
        """What the server says first, on each connection. `resume`: how this client may go on if
        its connection drops, and whether it just has."""
        session = self._session.wire()
        if resume is not None:
            session["voicepipe"] = {**session.get("voicepipe", {}), "resume": resume}
        messages: list[Json] = [{"type": "session.created", "session": session}]
        if self._dialect == "beta" and not self.settings.transcription_only:
            conversation = {"id": self._conversation_id, "object": "realtime.conversation"}
            messages.append({"type": "conversation.created", "conversation": conversation})
        return [text for message in messages for text in self._texts(message)]

    def receive(self, frame: str | bytes) -> list[Command]:
        """The commands of one client message, mostly one.

        Raises ProtocolError (with the client's `event_id`, ready for `error`) and nothing else;
        the codec is then as if the message had not come.
        """
        message = wire.parse(frame)
        if message.get("type") == _APPEND and "event_id" not in message and "audio" in message:
            return self._append(message["audio"])  # fifty times a second, straight to the bytes
        event_id = client_events.event_id(message)
        try:
            kind = client_events.event_type(message)
            text_bound.check(kind, message, self._max_text_chars)
            return self._commands(kind, message, event_id)
        except ProtocolError as exc:
            exc.event_id = event_id
            if self._dialect == "beta":
                raise beta.translated_error(exc) from None
            raise

    def sound(self, frame: bytes) -> bytes | None:
        """The sound that a client's message brings, if that is all it does, in the form in which
        nearly all such come. None: `receive` is to read it."""
        audio = _PLAIN.audio(frame)
        if not audio or len(audio) > self._max_audio_bytes:
            return None
        return None if len(audio) % self._input_format.bytes_per_sample else audio

    def _append(self, value: object) -> list[Command]:
        try:
            audio = audio_field.decode(value, "audio", self._input_format, self._max_audio_bytes)
        except ProtocolError as exc:
            if self._dialect == "beta":
                raise beta.translated_error(exc) from None
            raise
        return [AppendAudio(audio)] if audio else []

    def send(self, event: SessionEvent) -> list[str]:
        """The text frames of one session event; none where this client must not see it."""
        if type(event) is AudioDelta:
            self._voice_fixed = True
            return [self._audio_deltas.render(event)]
        if isinstance(event, _EXTENSION) and not self._extended:
            return []
        if isinstance(event, OutputAudioStarted):  # the same where the server plays
            self._voice_fixed = True
        message = self._server_events.render(event)
        return [] if message is None else self._texts(message)

    def error(self, exc: VoicepipeError | SessionError) -> str:
        """An `error` event; the connection goes on unless the caller closes it."""
        message = {"type": "error", "error": errors.to_wire(exc)}
        return wire.dump({**message, "event_id": self._new_id("event")})

    def _texts(self, message: Json) -> list[str]:
        if self._dialect == "beta":
            if "session" in message:  # GA has no such field, so its object does not show it
                temperature = {"temperature": self.settings.temperature}
                message = {**message, "session": message["session"] | temperature}
            translated = beta.from_ga(message)
            if translated is None:
                return []
            message = translated
        if message["type"] != DTMF:
            message = {**message, "event_id": self._new_id("event")}
        return [wire.dump(message)]

    def _commands(self, kind: str, message: Json, event_id: str | None) -> list[Command]:
        if kind == "session.update":
            return [self._update(message, event_id)]
        if self._dialect == "beta":
            if kind == beta.TRANSCRIPTION_UPDATE:
                return [self._update(message, event_id, transcription=True)]
            if kind == "response.create" and message.get("response") is not None:
                message = {**message, "response": beta.to_ga(message["response"], "response")}
        return self._client_events.parse(kind, message, event_id)

    def _update(
        self, message: Json, event_id: str | None, transcription: bool = False
    ) -> UpdateSession:
        given = checks.required(message, "session", "session", "an object with what changes")
        session = checks.obj(given, "session")
        switching = self._dialect == "ga" and beta.looks_flat(session)
        if switching and self._updated:
            raise errors.missing(
                "session.type", "'realtime', and fields in the GA nesting (audio.input, ...)"
            )
        if switching or self._dialect == "beta":
            patch = beta.to_ga(session, "session")
            if (
                self.settings.temperature is None
                and patch.get("temperature") == beta.SHOWN_TEMPERATURE
            ):
                del patch["temperature"]  # sent back as it was shown: still nobody's wish
            if transcription:
                patch["type"] = "transcription"
        else:
            patch = {name: v for name, v in session.items() if name != "temperature"}
        if self._joined:
            patch = without_formats(patch)
        try:
            settings = self._session.update(
                patch, voice_fixed=self._voice_fixed, beside=self._joined
            )
        except ProtocolError as exc:
            raise (beta.translated_error(exc) if switching else exc) from None
        self._note_wish(patch.get("voicepipe", {}))
        self._updated = True
        self._input_format = settings.input_format
        if switching:
            self._speak_beta()
        return UpdateSession(settings, event_id=event_id)

    def _note_wish(self, own: Json | None) -> None:
        """Whether this client wants turn events; null: as the server has it, whose wish is not that
        of a program beside the session's own client."""
        wanted = None if own is None else own.get("turn_events", self._extended)
        by_default = self._session.turn_events_by_default and not self._joined
        self._extended = by_default if wanted is None else wanted

    def _speak_beta(self) -> None:
        self._dialect = "beta"
        self._audio_deltas.rename(beta.AUDIO_DELTA)


def without_formats(patch: Json) -> Json:
    """A session object that says nothing of how audio is coded."""
    audio = patch.get("audio")
    if not isinstance(audio, dict):
        return patch
    sides = {
        name: {k: v for k, v in side.items() if k != "format"} if isinstance(side, dict) else side
        for name, side in audio.items()
    }
    return {**patch, "audio": sides}
