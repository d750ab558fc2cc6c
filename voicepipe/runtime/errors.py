"""The error tree. What a user may see is a `VoicepipeError`; its message says what was wrong,
where, and what to do. Anything else that escapes is a bug of ours."""

from __future__ import annotations


class VoicepipeError(Exception):
    """Base of all errors that are meant to be read by a person."""


class ConfigError(VoicepipeError):
    """A setting is unknown, of the wrong type or out of range; the message names it."""


class EngineError(VoicepipeError):
    """An engine (ASR, LLM, TTS, VAD) failed while working on a request."""

    def __init__(self, message: str, *, stage: str, retryable: bool = False) -> None:
        super().__init__(message)
        self.stage = stage  # "asr", "llm", "tts" or "vad"
        self.retryable = retryable  # nothing of this request has been delivered yet


class RequestRefused(EngineError):
    """What was asked is at fault and not the engine: nobody else would have been refused."""


class EngineUnavailable(EngineError):
    """The engine cannot run here: missing package, missing model or dead worker."""


class ProtocolError(VoicepipeError):
    """A peer sent something the protocol does not allow; the connection usually survives."""

    def __init__(
        self, message: str, *, code: str, param: str | None = None, event_id: str | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.param = param
        self.event_id = event_id


class IllegalTransition(VoicepipeError):
    """A state machine was asked for a step its table does not have."""


class LimitExceeded(VoicepipeError):
    """A stated limit was passed; the message names the limit and its value."""
