"""Error codes of the Realtime protocol, the errors that carry them, and their wire form."""

from __future__ import annotations

from typing import Any, Literal

from voicepipe.runtime.errors import EngineError, LimitExceeded, ProtocolError, VoicepipeError
from voicepipe.session.events import SessionError

INVALID_JSON = "invalid_json"
INVALID_EVENT = "invalid_event"
INVALID_TYPE = "invalid_type"
INVALID_VALUE = "invalid_value"
MISSING = "missing_required_parameter"
CANNOT_UPDATE_VOICE = "cannot_update_voice"
UNSUPPORTED_CONTENT = "unsupported_content_type"
LIMIT_EXCEEDED = "limit_exceeded"
ENGINE_ERROR = "engine_error"
SERVER_ERROR = "server_error"
CANCEL_NOT_ACTIVE = "response_cancel_not_active"  # raised by the session

_REQUIRED_PREFIX = {CANCEL_NOT_ACTIVE: "Cancellation failed"}
"""livekit's plugin tells this harmless race from a real error by the start of the message."""

ErrorType = Literal["invalid_request_error", "server_error"]


def bad_type(param: str, wanted: str, value: object) -> ProtocolError:
    """The value of `param` is of the wrong JSON type."""
    message = f"{param} must be {wanted}, but is {json_kind(value)}."
    return ProtocolError(message, code=INVALID_TYPE, param=param)


def bad_value(param: str, problem: str) -> ProtocolError:
    """The value of `param` is of the right type but not allowed; `problem` follows its name."""
    return ProtocolError(f"{param} {problem}", code=INVALID_VALUE, param=param)


def missing(param: str, wanted: str) -> ProtocolError:
    """A required field is absent."""
    return ProtocolError(f"{param} is missing; send {wanted}.", code=MISSING, param=param)


def json_kind(value: object) -> str:
    """Name of a decoded JSON value's type, with its article."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return "an array" if isinstance(value, list) else "an object"


def to_wire(exc: VoicepipeError | SessionError) -> dict[str, Any]:
    """The `error` object of an `error` event; absent fields are left out, never null."""
    kind: ErrorType = "invalid_request_error"
    code, param, event_id = SERVER_ERROR, None, None
    if isinstance(exc, SessionError):
        kind, code, param, event_id = exc.kind, exc.code, exc.param, exc.event_id
        message = exc.message
    else:
        message = str(exc)
        if isinstance(exc, ProtocolError):
            code, param, event_id = exc.code, exc.param, exc.event_id
        elif isinstance(exc, LimitExceeded):
            code = LIMIT_EXCEEDED
        else:
            kind = "server_error"
            code = ENGINE_ERROR if isinstance(exc, EngineError) else SERVER_ERROR
    prefix = _REQUIRED_PREFIX.get(code, "")
    if not message.startswith(prefix):
        message = f"{prefix}: {message}"
    error: dict[str, Any] = {"type": kind, "code": code, "message": message}
    if param is not None:
        error["param"] = param
    if event_id is not None:
        error["event_id"] = event_id
    return error
