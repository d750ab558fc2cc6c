"""Our own dialect for bridges of one's own (`/v1/pcm`): binary audio both ways, JSON beside it.

The bridge may open with a description of the call; every field is optional:

    {"type": "start", "call_id": "...", "stream_id": "...", "caller": "...", "called": "...",
     "input": {"encoding": "pcm16", "rate": 16000}, "output": {"encoding": "pcm16", "rate": 16000},
     "parameters": {"any": "text"}, "buffers": true, "marks": false}

Encodings: `pcm16` (s16 little-endian, mono) at the rates of `RATES`, `pcmu` and `pcma` at 8000 Hz.
Without it the call starts with the first message, of whatever kind, at 16 kHz both ways; behind one
that was refused only with one that is not. From the bridge come, beside audio in binary messages,
`{"type": "dtmf", "digit": "5"}`, `{"type": "mark", "name": "..."}` and `{"type": "stop"}`. To the
bridge go binary audio, `{"type": "clear"}`: forget the audio that has not been played, `{"type":
"mark", "name": "..."}`: send it back when playback reaches it or a clear drops it (only if the
bridge said `"marks": true`), and `{"type": "hangup"}`. A bridge that says `"buffers": false` plays
audio as it comes: it is sent in real time, and neither clears nor marks. The endpoint adds events
of its own; a bridge ignores the types that it does not know.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from voicepipe.audio.formats import PCM_16K, PCMA_8K, PCMU_8K, AudioFormat
from voicepipe.protocols.json_fields import checks, wire
from voicepipe.protocols.json_fields.checks import Json
from voicepipe.protocols.telephony import messages
from voicepipe.protocols.telephony.carrier import Carrier
from voicepipe.protocols.telephony.contract import (
    Abilities,
    CallAudio,
    CallCodec,
    CallEnded,
    CallEvent,
    CallStarted,
    DtmfPressed,
    Frame,
    MarkReached,
)
from voicepipe.session import events as ev

RATES = (8_000, 12_000, 16_000, 24_000, 32_000, 44_100, 48_000)
FORMATS = (PCMU_8K, PCMA_8K, *(AudioFormat("pcm16", rate) for rate in RATES))


class PlainCodec(CallCodec):
    """One call; see `CallCodec`. `abilities` are final from `CallStarted` on."""

    def __init__(self, call_id: str = "") -> None:
        """`call_id`: the call's, where the bridge gives none."""
        self.abilities = Abilities(paces=True, flushes=True, marks=False)
        self._call_id = call_id
        self._started: CallStarted | None = None
        self._start_refused = False
        self._ended = False

    def receive(self, frame: Frame) -> Sequence[CallEvent]:
        """See `CallCodec`."""
        events = self._parse(frame)
        if self._ended:
            return ()
        if self._started is None and not (events and isinstance(events[0], CallStarted)):
            if self._start_refused:  # its audio is of a format that we do not know
                raise messages.unexpected("A message", "the 'start' before it was refused")
            events = (CallStarted(self._call_id, self._call_id, PCM_16K, PCM_16K), *events)
        for event in events:
            if isinstance(event, CallStarted):
                self._started = event
            self._ended = self._ended or isinstance(event, CallEnded)
        return events

    def _parse(self, frame: Frame) -> Sequence[CallEvent]:
        if isinstance(frame, bytes):
            fmt = PCM_16K if self._started is None else self._started.input_format
            data = messages.binary_audio(frame, fmt)
            return (CallAudio(data),) if data else ()
        message = messages.parse(frame)
        match messages.kind(message, "type"):
            case "start":
                self._start_refused = True
                started = self._on_start(message)
                self._start_refused = False
                return (started,)
            case "dtmf":
                return (DtmfPressed(messages.digit(message.get("digit"), "digit")),)
            case "mark":
                return (MarkReached(messages.mark_name(message.get("name"), "name")),)
            case "stop":
                return (CallEnded("stop"),)
        return ()

    def _on_start(self, message: Json) -> CallStarted:
        if self._started is not None:
            raise messages.unexpected("'start'", "the call has begun; send it first or not at all")
        call_id = messages.optional_text(message, "call_id", "call_id") or self._call_id
        started = CallStarted(
            call_id=call_id,
            stream_id=messages.optional_text(message, "stream_id", "stream_id") or call_id,
            input_format=_format(message, "input"),
            output_format=_format(message, "output"),
            caller=messages.optional_text(message, "caller", "caller"),
            called=messages.optional_text(message, "called", "called"),
            parameters=messages.parameters(message.get("parameters"), "parameters"),
        )
        buffers = _flag(message, "buffers", absent=True)
        marks = _flag(message, "marks", absent=False)
        self.abilities = Abilities(paces=buffers, flushes=buffers, marks=buffers and marks)
        return started

    def audio(self, data: bytes) -> Sequence[Frame]:
        """See `CallCodec`."""
        size = messages.MAX_MESSAGE_BYTES
        return [data[start : start + size] for start in range(0, len(data), size)]

    def mark(self, name: str) -> Sequence[Frame]:
        """See `CallCodec`."""
        return (wire.dump({"type": "mark", "name": name}),) if self.abilities.marks else ()

    def flush(self) -> Sequence[Frame]:
        """See `CallCodec`."""
        return (wire.dump({"type": "clear"}),) if self.abilities.flushes else ()

    def hang_up(self) -> Sequence[Frame]:
        """See `CallCodec`."""
        return (wire.dump({"type": "hangup"}),)


def _flag(message: Json, field: str, *, absent: bool) -> bool:
    """Null is absent: some writers of JSON write it for what they leave out."""
    value = message.get(field)
    return absent if value is None else checks.boolean(value, field)


def _format(message: Json, field: str) -> AudioFormat:
    value = message.get(field)
    if value is None:
        return PCM_16K
    said = {name: told for name, told in checks.obj(value, field).items() if told is not None}
    described = {"encoding": "pcm16", **said}
    if str(described["encoding"]).lower() in ("pcm16", "s16le"):
        described.setdefault("rate", PCM_16K.rate)
    return messages.media_format(described, field, allowed=FORMATS, rate_field="rate")


# -- what the bridge is told of the conversation: docs/telephony/pcm.md ----------------------------


def _event(event: ev.SessionEvent) -> str | None:
    """The event's text message; None: the bridge is not told of it."""
    message = _message(event)
    return None if message is None else wire.dump(message)


def _ended(reason: str) -> str:
    """The last message of a call."""
    return wire.dump({"type": "call_ended", "reason": reason})


def _message(event: ev.SessionEvent) -> dict[str, Any] | None:
    match event:
        case ev.SpeechStarted(_, at_ms):
            return {"type": "speech_started", "at_ms": at_ms}
        case ev.SpeechStopped(_, at_ms):
            return {"type": "speech_stopped", "at_ms": at_ms}
        case ev.AudioCleared():
            return {"type": "speech_cleared"}
        case ev.UserTranscript(_, transcript, audio_s):
            return {"type": "transcript", "text": transcript, "audio_s": round(audio_s, 3)}
        case ev.TextDelta(ref, _, delta):
            return {"type": "response_text", "response_id": ref.response_id, "delta": delta}
        case ev.ResponseDone(response):
            done: dict[str, Any] = {"type": "response_done", "response_id": response.id}
            done["status"] = response.status
            if response.metadata:
                done["metadata"] = dict(response.metadata)
            return done | ({"error": response.error} if response.error else {})
        case ev.TurnMeasured(record, provisional=False):
            return {"type": "turn", "turn": record.as_dict()}
        case ev.SessionError():
            return {"type": "error", "message": event.message, "code": event.code}
    return None


PCM = Carrier("pcm", PlainCodec, event=_event, ended=_ended, stream_path="/v1/pcm")
