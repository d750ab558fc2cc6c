"""What the dialects share: parsing, and checks of the fields that recur. Each check takes a value
and its dotted path and raises ProtocolError naming the path and the limit."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from voicepipe.audio.formats import AudioFormat, Encoding
from voicepipe.protocols.json_fields import audio_field, checks, errors, wire
from voicepipe.protocols.json_fields.checks import Json, obj, required
from voicepipe.protocols.telephony.contract import CallStarted, Frame
from voicepipe.runtime.errors import ProtocolError

MAX_MESSAGE_BYTES = 64 * 1024
"""One message, either way. Carriers' own are below 2 KiB; Asterisk takes at most 65,500 bytes."""

MAX_ID_CHARS = 256
MAX_MARK_CHARS = 256
MAX_PARAMETERS = 100  # SignalWire allows 99, the others fewer
MAX_PARAMETER_NAME_CHARS = 256
MAX_PARAMETER_CHARS = 4096  # Twilio allows 500
MAX_NUMBER = 2**53  # what JSON numbers hold exactly

DIGITS = "0123456789*#ABCD"

_ENCODINGS: dict[str, Encoding] = {
    "mulaw": "pcmu", "ulaw": "pcmu", "pcmu": "pcmu",
    "alaw": "pcma", "pcma": "pcma",
    "l16": "pcm16", "linear16": "pcm16", "pcm16": "pcm16", "s16le": "pcm16",
}  # fmt: skip


def check_size(frame: Frame) -> None:
    """Raises ProtocolError for a message of more than `MAX_MESSAGE_BYTES`."""
    size = len(frame)
    if isinstance(frame, str) and not frame.isascii():
        size = len(frame.encode("utf-8", "surrogatepass"))
    if size > MAX_MESSAGE_BYTES:
        raise errors.bad_value(
            "message", f"has {size} bytes, more than the limit of {MAX_MESSAGE_BYTES} bytes."
        )


def text(frame: Frame) -> str:
    """A text message of allowed size."""
    check_size(frame)
    if isinstance(frame, bytes):
        raise unexpected("A binary message", "this dialect sends everything as text messages")
    return frame


def binary_audio(frame: bytes, fmt: AudioFormat) -> bytes:
    """A binary message of whole samples in `fmt`, perhaps empty."""
    check_size(frame)
    whole_samples(frame, "message", fmt)
    return frame


def whole_samples(data: bytes, path: str, fmt: AudioFormat) -> None:
    """Raises ProtocolError where `data` ends within a sample."""
    if len(data) % fmt.bytes_per_sample:
        raise errors.bad_value(
            path, f"holds {len(data)} bytes, but 16-bit PCM needs an even number."
        )


def parse(frame: Frame) -> Json:
    """One JSON object in a text message."""
    message = text(frame)
    if not message.lstrip()[:1] == "{":
        raise unexpected("A message that is no JSON object", "every message is one")
    return wire.parse(message)


def kind(message: Json, field: str) -> str:
    """What sort of message it is: the value of "event", "type" ..."""
    return checks.name(required(message, field, field, "the message's kind"), field, MAX_ID_CHARS)


def section(parent: Json, field: str, path: str = "") -> Json:
    """The object `parent[field]`."""
    path = path or field
    return obj(required(parent, field, path, "an object"), path)


def identifier(parent: Json, field: str, path: str) -> str:
    """An id that the dialect requires."""
    return checks.name(required(parent, field, path, "an id"), path, MAX_ID_CHARS)


def optional_text(parent: Json, field: str, path: str) -> str:
    """A short text, "" where it is absent."""
    value = parent.get(field)
    return "" if value in (None, "") else checks.name(value, path, MAX_ID_CHARS)


def mark_name(value: object, path: str) -> str:
    """A mark's name, as it comes back."""
    return checks.name(value, path, MAX_MARK_CHARS)


def whole_number(value: object, path: str, low: int = 0, high: int = MAX_NUMBER) -> int:
    """A number, or a string of digits: dialects write the same counters either way."""
    if isinstance(value, str):
        if not (value.isascii() and value.isdigit() and len(value) <= 16):
            raise errors.bad_value(
                path, f"must be a whole number of at most 16 digits, but is {checks.shown(value)}."
            )
        value = int(value)
    return checks.integer(value, path, low, high)


def optional_number(parent: Json, field: str, path: str) -> int | None:
    value = parent.get(field)
    return None if value is None else whole_number(value, path)


def digit(value: object, path: str) -> str:
    """A key of the telephone: 0-9 * # A-D."""
    key = checks.name(value, path, 1).upper()
    if key not in DIGITS:
        raise errors.bad_value(path, f"is {checks.shown(value)}; allowed are 0-9, *, # and A-D.")
    return key


def parameters(value: object, path: str) -> dict[str, str]:
    """Custom parameters: a flat object; numbers and truth values become text. {} if absent."""
    if value is None:
        return {}
    items = obj(value, path)
    if len(items) > MAX_PARAMETERS:
        raise errors.bad_value(
            path, f"has {len(items)} entries, more than the limit of {MAX_PARAMETERS}."
        )
    return {
        _name(name, path): _plain(entry, f"{path}.{name[:40]}") for name, entry in items.items()
    }


def _name(name: str, path: str) -> str:
    if len(name) > MAX_PARAMETER_NAME_CHARS:
        raise errors.bad_value(
            path, f"has a name of {len(name)} characters; the limit is {MAX_PARAMETER_NAME_CHARS}."
        )
    return name


def _plain(value: object, path: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    text = checks.string(value, path)
    if len(text) > MAX_PARAMETER_CHARS:
        raise errors.bad_value(
            path, f"has {len(text)} characters, more than the limit of {MAX_PARAMETER_CHARS}."
        )
    return text


def payload(parent: Json, path: str, fmt: AudioFormat) -> bytes:
    """Base64 audio in `parent["payload"]`: whole samples, not empty."""
    value = required(parent, "payload", path, "base64 audio")
    data = audio_field.decode(value, path, fmt, MAX_MESSAGE_BYTES)
    if not data:
        raise errors.bad_value(path, "is empty.")
    return data


def media_format(
    value: Json,
    path: str,
    *,
    allowed: Collection[AudioFormat],
    rate_field: Literal["sampleRate", "sample_rate", "rate"],
) -> AudioFormat:
    """The format that an object with `encoding`, a rate and perhaps `channels` describes.

    Encodings have many spellings (`audio/x-mulaw`, `PCMU`, `audio/x-l16;rate=16000`,
    `L16@24000h`); where the rate is absent it is the spelling's, else 8000 Hz.
    """
    spelling = identifier(value, "encoding", f"{path}.encoding")
    base, written_rate = _split(spelling)
    encoding = _ENCODINGS.get(base)
    if encoding is None or encoding not in {fmt.encoding for fmt in allowed}:
        names = sorted({name for name, e in _ENCODINGS.items() if _offered(e, allowed)})
        raise errors.bad_value(
            f"{path}.encoding",
            f"is {checks.shown(spelling)}; allowed are {checks.quoted(names)}. Choose one of them "
            "in the carrier's stream settings.",
        )
    given = value.get(rate_field)
    rate_path = f"{path}.{rate_field}"
    rate = whole_number(written_rate if given is None else given, rate_path)
    fmt = AudioFormat(encoding, rate)
    if fmt not in allowed:
        rates = sorted(fmt.rate for fmt in allowed if fmt.encoding == encoding)
        raise errors.bad_value(
            rate_path, f"is {rate}; allowed for {base} are {', '.join(map(str, rates))} Hz."
        )
    channels = optional_number(value, "channels", f"{path}.channels")
    if channels not in (None, 1):
        raise errors.bad_value(f"{path}.channels", f"must be 1 (mono), but is {channels}.")
    return fmt


def _offered(encoding: Encoding, allowed: Collection[AudioFormat]) -> bool:
    return any(fmt.encoding == encoding for fmt in allowed)


def _split(spelling: str) -> tuple[str, object]:
    """'audio/x-l16;rate=16000' and 'L16@16000h@40i' are ('l16', '16000')."""
    base, *modifiers = spelling.lower().replace(";", "@").split("@")
    base = base.strip().removeprefix("audio/").removeprefix("x-")
    for modifier in (m.strip() for m in modifiers):
        if modifier.startswith("rate="):
            return base, modifier.removeprefix("rate=")
        if modifier.endswith("h"):
            return base, modifier.removesuffix("h")
    return base, 8000


def begun(started: CallStarted | None, what: str = "", opener: str = "'start'") -> CallStarted:
    """The call. Raises ProtocolError for a message `what` that comes before `opener`, RuntimeError
    where none is named: we are sending."""
    if started is not None:
        return started
    if what:
        raise unexpected(what, f"it came before {opener}")
    raise RuntimeError("nothing can be sent before the call has started")


def unexpected(what: str, why: str) -> ProtocolError:
    """A message that does not belong here."""
    return ProtocolError(f"{what} is not expected here: {why}.", code=errors.INVALID_EVENT)
