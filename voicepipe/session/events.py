"""What a session tells its protocol, in the order in which it is to go out. Times are ms of user
audio since the session began; PCM is in the session's output format, as bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from voicepipe.asr.contract import Word
from voicepipe.conversation.items import FunctionCallItem, Item
from voicepipe.llm.contract import Usage
from voicepipe.runtime.errors import LimitExceeded, ProtocolError
from voicepipe.session.settings import Modality

if TYPE_CHECKING:
    from voicepipe.ledger.records import TurnRecord

ResponseStatus = Literal["in_progress", "completed", "cancelled", "failed", "incomplete"]
StatusReason = Literal["turn_detected", "client_cancelled", "max_output_tokens"]


@dataclass(frozen=True, slots=True)
class Response:
    """A snapshot of one reply as the protocol shows it."""

    id: str
    status: ResponseStatus
    modality: Modality
    conversation_id: str | None  # None: out of band
    output: tuple[Item, ...] = ()
    reason: StatusReason | None = None
    error: str | None = None  # message for people, when status is "failed"
    error_code: str | None = None
    usage: Usage | None = None  # None until done
    output_audio_ms: float = 0.0
    max_output_tokens: int | None = None
    voice: str = ""
    metadata: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class SessionUpdated:
    pass


@dataclass(frozen=True, slots=True)
class SpeechStarted:
    item_id: str
    audio_start_ms: int


@dataclass(frozen=True, slots=True)
class SpeechStopped:
    item_id: str
    audio_end_ms: int


@dataclass(frozen=True, slots=True)
class AudioCommitted:
    item_id: str
    previous_item_id: str | None


@dataclass(frozen=True, slots=True)
class AudioCleared:
    pass


@dataclass(frozen=True, slots=True)
class KeyPressed:
    """The user pressed a key of their telephone; `received_at` in unix seconds."""

    key: str
    received_at: int


@dataclass(frozen=True, slots=True)
class IdleTimeout:
    item_id: str
    audio_start_ms: int
    audio_end_ms: int


@dataclass(frozen=True, slots=True)
class ItemAdded:
    """A new item of the conversation; in_progress for a reply being written."""

    item: Item
    previous_item_id: str | None


@dataclass(frozen=True, slots=True)
class ItemDone:
    item: Item
    previous_item_id: str | None


@dataclass(frozen=True, slots=True)
class ItemRetrieved:
    item: Item


@dataclass(frozen=True, slots=True)
class ItemDeleted:
    item_id: str


@dataclass(frozen=True, slots=True)
class ItemTruncated:
    item_id: str
    content_index: int
    audio_end_ms: int


@dataclass(frozen=True, slots=True)
class UserTranscriptDelta:
    item_id: str
    delta: str


@dataclass(frozen=True, slots=True)
class UserTranscript:
    item_id: str
    transcript: str
    audio_s: float
    words: tuple[Word, ...] = ()  # as the recognizer gives them


@dataclass(frozen=True, slots=True)
class UserTranscriptSegment:
    """A sentence of it; times in seconds from the first sample of the item's audio. Sent only to
    clients that asked (`SessionSettings.details`), before `UserTranscript`."""

    item_id: str
    id: str
    text: str
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class UserTranscriptFailed:
    item_id: str
    message: str


@dataclass(frozen=True, slots=True)
class ResponseCreated:
    response: Response


@dataclass(frozen=True, slots=True)
class ResponseDone:
    response: Response


@dataclass(frozen=True, slots=True)
class OutputItemAdded:
    response_id: str
    output_index: int
    item: Item


@dataclass(frozen=True, slots=True)
class OutputItemDone:
    response_id: str
    output_index: int
    item: Item


McpState = Literal["in_progress", "completed", "failed"]


@dataclass(frozen=True, slots=True)
class McpListing:
    """How far the listing of an MCP server's tools is."""

    item_id: str
    state: McpState


@dataclass(frozen=True, slots=True)
class McpArguments:
    """The arguments of a call of an MCP tool; `done`: these are all."""

    response_id: str
    item_id: str
    output_index: int
    arguments: str
    done: bool


@dataclass(frozen=True, slots=True)
class McpCall:
    """How far a call of an MCP tool is."""

    item_id: str
    output_index: int
    state: McpState


@dataclass(frozen=True, slots=True)
class PartRef:
    """Where in the response an event belongs."""

    response_id: str
    item_id: str
    output_index: int
    content_index: int


@dataclass(frozen=True, slots=True)
class PartAdded:
    ref: PartRef
    kind: Modality


@dataclass(frozen=True, slots=True)
class PartDone:
    ref: PartRef
    kind: Modality
    text: str  # the text, or the transcript of the audio


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Answer text; of an audio part it is the transcript."""

    ref: PartRef
    kind: Modality
    delta: str


@dataclass(frozen=True, slots=True)
class TextDone:
    ref: PartRef
    kind: Modality
    text: str


@dataclass(frozen=True, slots=True)
class AudioDelta:
    ref: PartRef
    audio: bytes
    answer: bool = True  # False: a filler or a greeting; the ledger counts only answers


@dataclass(frozen=True, slots=True)
class AudioDone:
    ref: PartRef


@dataclass(frozen=True, slots=True)
class ArgumentsDelta:
    ref: PartRef
    call_id: str
    delta: str


@dataclass(frozen=True, slots=True)
class ArgumentsDone:
    ref: PartRef
    item: FunctionCallItem


@dataclass(frozen=True, slots=True)
class OutputAudioStarted:
    """Server-paced playback only (WebRTC, telephony), like the next two."""

    response_id: str


@dataclass(frozen=True, slots=True)
class OutputAudioStopped:
    response_id: str


@dataclass(frozen=True, slots=True)
class OutputAudioCleared:
    response_id: str


@dataclass(frozen=True, slots=True)
class OutputPaused:
    """The user may be speaking over the agent: its audio is held until that is judged. A sink has
    fallen silent already; a client that plays by itself may do so too."""

    response_id: str


@dataclass(frozen=True, slots=True)
class OutputResumed:
    """It was nothing: the agent goes on at the sample where it stopped."""

    response_id: str


@dataclass(frozen=True, slots=True)
class TurnMeasured:
    """The ledger of a finished turn; sent only to clients that asked (`turn_events`).
    `provisional`: at its first sound, for those that asked for it (`provisional_turns`)."""

    record: TurnRecord
    provisional: bool = False


@dataclass(frozen=True, slots=True)
class SessionError:
    """Something the client should know; the session may be over with it."""

    message: str
    code: str
    param: str | None = None
    event_id: str | None = None
    kind: Literal["invalid_request_error", "server_error"] = "invalid_request_error"

    @staticmethod
    def of(error: ProtocolError | LimitExceeded, event_id: str | None) -> SessionError:
        """The event that reports `error`, raised while handling the client's `event_id`."""
        if isinstance(error, ProtocolError):
            return SessionError(str(error), error.code, error.param, error.event_id or event_id)
        return SessionError(str(error), "limit_exceeded", None, event_id)


SessionEvent = (
    SessionUpdated
    | McpListing
    | McpArguments
    | McpCall
    | SpeechStarted
    | SpeechStopped
    | AudioCommitted
    | AudioCleared
    | KeyPressed
    | IdleTimeout
    | ItemAdded
    | ItemDone
    | ItemRetrieved
    | ItemDeleted
    | ItemTruncated
    | UserTranscriptDelta
    | UserTranscript
    | UserTranscriptSegment
    | UserTranscriptFailed
    | ResponseCreated
    | ResponseDone
    | OutputItemAdded
    | OutputItemDone
    | PartAdded
    | PartDone
    | TextDelta
    | TextDone
    | AudioDelta
    | AudioDone
    | ArgumentsDelta
    | ArgumentsDone
    | OutputAudioStarted
    | OutputAudioStopped
    | OutputAudioCleared
    | OutputPaused
    | OutputResumed
    | TurnMeasured
    | SessionError
)
