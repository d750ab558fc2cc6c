"""What a protocol may ask of a session. `event_id` is the client's own id of the request, kept so
that an error can name it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from voicepipe.conversation.items import Item
from voicepipe.llm.contract import Tool, ToolChoice
from voicepipe.session.settings import Modality, SessionSettings


@dataclass(frozen=True, slots=True)
class Command:
    event_id: str | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class AppendAudio(Command):
    """User audio in the session's input format."""

    audio: bytes


@dataclass(frozen=True, slots=True)
class CommitAudio(Command):
    """The buffered audio is a user turn; no response by itself."""


@dataclass(frozen=True, slots=True)
class ClearAudio(Command):
    """Forget the buffered audio."""


@dataclass(frozen=True, slots=True)
class UpdateSession(Command):
    """Replace the settings; the answer is `SessionUpdated`."""

    settings: SessionSettings


@dataclass(frozen=True, slots=True)
class CreateItem(Command):
    """Add an item. `previous_item_id`: None = at the end, "root" = first, else after that item."""

    item: Item
    previous_item_id: str | None = None


@dataclass(frozen=True, slots=True)
class RetrieveItem(Command):
    item_id: str


@dataclass(frozen=True, slots=True)
class DeleteItem(Command):
    item_id: str


@dataclass(frozen=True, slots=True)
class TruncateItem(Command):
    """The client played only `audio_end_ms` of that assistant audio."""

    item_id: str
    content_index: int
    audio_end_ms: int


@dataclass(frozen=True, slots=True)
class ItemReference:
    """Stands for an item of the conversation inside `CreateResponse.input`."""

    id: str


@dataclass(frozen=True, slots=True)
class CreateResponse(Command):
    """Answer now. None = as the session is set."""

    out_of_band: bool = False  # conversation "none": leaves no trace in the history
    input: tuple[Item | ItemReference, ...] | None = None  # None = the conversation
    instructions: str | None = None
    modality: Modality | None = None
    tools: tuple[Tool, ...] | None = None  # () = none at all, of the server's neither
    tool_choice: ToolChoice | None = None
    parallel_tools: bool | None = None
    max_output_tokens: int | None = None
    voice: str | None = None
    metadata: Mapping[str, str] | None = None

    def resolved(self, find: Callable[[str], Item]) -> CreateResponse:
        """With the items that are meant, as they are now: their client may delete them before they
        are read. `find` may raise ProtocolError for an unknown id."""
        if self.input is None:
            return self
        parts = (find(p.id) if isinstance(p, ItemReference) else p for p in self.input)
        return replace(self, input=tuple(parts))


@dataclass(frozen=True, slots=True)
class TakeOver(Command):
    """No client's: another agent answers from now on, and says the next words. "" = what its model
    makes of it."""

    words: str = ""


@dataclass(frozen=True, slots=True)
class CancelResponse(Command):
    response_id: str | None = None


@dataclass(frozen=True, slots=True)
class Dtmf(Command):
    """A key of the user's telephone: 0-9 * # A-D. Keys are collected (`dtmf.py`) and become one
    user item."""

    digit: str


@dataclass(frozen=True, slots=True)
class ClearOutput(Command):
    """Drop audio that has not been played (only where the server paces playback)."""
