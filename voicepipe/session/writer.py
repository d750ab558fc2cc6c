"""One response as the protocol sees it: opens and closes items and parts in the right order, and
can be closed at any point.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from voicepipe.conversation.history import DURATION_SLACK_MS
from voicepipe.conversation.items import (
    AudioPart,
    FunctionCallItem,
    FunctionOutputItem,
    Item,
    McpApprovalRequestItem,
    McpCallItem,
    MessageItem,
    Status,
    TextPart,
)
from voicepipe.llm.contract import ToolCall, Usage
from voicepipe.llm.prompt import LOST_OUTPUT
from voicepipe.runtime.errors import LimitExceeded, ProtocolError
from voicepipe.session import events as ev
from voicepipe.session.context import Context
from voicepipe.session.ids import new_id
from voicepipe.session.settings import Modality

Emit = Callable[[ev.SessionEvent], None]


@dataclass(frozen=True, slots=True)
class ResponseSpec:
    """What is known of a response before it begins."""

    id: str
    modality: Modality
    conversation_id: str | None  # None: out of band, leaves no items in the conversation
    voice: str = ""
    max_output_tokens: int | None = None
    metadata: Mapping[str, str] | None = None


class Conversations:
    """Where a writer puts its items. The default leaves none (out-of-band responses)."""

    def add(self, item: Item) -> str | None:
        """Append; returns the id of the item before it."""
        return None

    def update(self, item: Item) -> str | None:
        """Replace by id; returns the id of the item before it."""
        return None


class InConversation(Conversations):
    """They become items of the session's conversation."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def add(self, item: Item) -> str | None:
        """See `Conversations`."""
        return self._context.append(item)

    def update(self, item: Item) -> str | None:
        """See `Conversations`. Nothing, if the client deleted it while it was written."""
        conversation = self._context.conversation
        if item.id not in conversation:
            return None
        conversation.replace(item)
        return conversation.previous_item_id(item.id)


class ResponseWriter:
    """Every method emits at once. After `close` all of them do nothing."""

    def __init__(self, spec: ResponseSpec, emit: Emit, history: Conversations) -> None:
        self.spec = spec
        self._emit = emit
        self._history = history
        self._output: list[Item] = []
        self._message: MessageItem | None = None  # open message item
        self._ref: ev.PartRef | None = None
        self._text: list[str] = []
        self._mcp_calls: dict[str, int] = {}  # those that run, by item id: their place
        self.opened = False
        self.closed = False
        self.audio_ms = 0.0  # of the whole response
        self.part_audio_ms = 0.0  # of the open part

    # -- life ---------------------------------------------------------------------------------

    def open(self) -> None:
        if not self.opened and not self.closed:
            self.opened = True
            self._emit(ev.ResponseCreated(self._snapshot("in_progress")))

    def close(
        self,
        status: ev.ResponseStatus,
        *,
        reason: ev.StatusReason | None = None,
        error: str | None = None,
        error_code: str | None = None,
        usage: Usage | None = None,
    ) -> None:
        """End the response whatever is open; every opened part and item gets its end."""
        if self.closed:
            return
        self.open()
        self._close_message("completed" if status == "completed" else "incomplete")
        for index in self._mcp_calls.values():
            self._end_item(index, replace(self._output[index], status="incomplete"))
        self.closed = True
        done = replace(
            self._snapshot(status),
            reason=reason,
            error=error,
            error_code=error_code,
            usage=usage or Usage(),
        )
        self._emit(ev.ResponseDone(done))

    def check_cut(self, content_index: int, audio_end_ms: float) -> None:
        """Whether a client can have played so much of the open message. Raises ProtocolError."""
        if content_index != 0 or self.spec.modality != "audio":
            raise ProtocolError(
                f"Content part {content_index} of this item is not audio that is being written.",
                code="invalid_value",
                param="content_index",
            )
        if not 0 <= audio_end_ms <= self.part_audio_ms + DURATION_SLACK_MS:
            raise ProtocolError(
                f"Audio content of {self.part_audio_ms:.0f} ms so far is shorter than "
                f"{audio_end_ms:.0f} ms.",
                code="invalid_value",
                param="audio_end_ms",
            )

    # -- content ------------------------------------------------------------------------------

    @property
    def message_id(self) -> str | None:
        """Id of the message item that is open."""
        return None if self._message is None else self._message.id

    def text(self, delta: str) -> None:
        """Answer text, or transcript of the audio that follows."""
        if self.closed or not delta:
            return
        ref = self._part()
        self._text.append(delta)
        self._emit(ev.TextDelta(ref, self.spec.modality, delta))

    def audio(self, data: bytes, duration_ms: float, *, answer: bool = True) -> None:
        """Audio of the open part; `answer` False: a filler or a greeting, which answers nothing."""
        if self.closed or not data:
            return
        ref = self._count(duration_ms)
        self._emit(ev.AudioDelta(ref, data, answer))

    def audio_on_sink(self, duration_ms: float) -> None:
        """Audio of the open part that goes another way than through events."""
        if not self.closed:
            self._count(duration_ms)

    def call(self, call: ToolCall) -> None:
        """A function call for the client."""
        if self.closed:
            return
        self._close_message("completed")
        item = FunctionCallItem(new_id("item"), call.call_id, call.name, "", "in_progress")
        index = self._begin_item(item)
        ref = ev.PartRef(self.spec.id, item.id, index, 0)
        done = replace(item, arguments=call.arguments, status="completed")
        self._emit(ev.ArgumentsDelta(ref, call.call_id, call.arguments))
        self._emit(ev.ArgumentsDone(ref, done))
        self._end_item(index, done)

    def begin_message(self) -> None:
        """Words will follow: their item takes its place now."""
        if not self.closed:
            self._part()

    def end_message(self) -> None:
        """What follows is an item of its own."""
        if not self.closed:
            self._close_message("completed")

    def ran(self, call: ToolCall, output: str) -> None:
        """A function that was run here: call and result are items of the conversation, and no part
        of the response, since there is nothing for the client to do. A result that is too long for
        it is answered all the same, and leaves word that it was."""
        if self.spec.conversation_id is None:
            return
        asked = FunctionCallItem(new_id("item"), call.call_id, call.name, call.arguments)
        result = FunctionOutputItem(new_id("item"), call.call_id, output)
        if self._keeps(asked) and not self._keeps(result):
            self._keeps(replace(result, output=LOST_OUTPUT))

    def mcp_begins(self, item: McpCallItem) -> None:
        """A tool of the client's MCP server is called. Unlike calls of the server's own tools it is
        an item of the response."""
        if self.closed:
            return
        index = self._begin_item(replace(item, arguments=""))
        self._mcp_calls[item.id] = index
        for done in (False, True):
            where = (self.spec.id, item.id, index)
            self._emit(ev.McpArguments(*where, item.arguments, done))
        self._emit(ev.McpCall(item.id, index, "in_progress"))

    def asks_approval(self, item: McpApprovalRequestItem) -> None:
        """The client has to say whether such a tool is called."""
        if not self.closed:
            self._end_item(self._begin_item(item), item)

    def mcp_ends(self, item: McpCallItem) -> None:
        """With its result, which stands even if the response has been stopped."""
        index = self._mcp_calls.pop(item.id, None)
        if index is None or self.closed:
            self._history.update(item)
            return
        self._emit(ev.McpCall(item.id, index, "completed" if item.error is None else "failed"))
        self._end_item(index, item)

    # -- pieces -------------------------------------------------------------------------------

    def _keeps(self, item: Item) -> bool:
        """False: it has no place in the conversation, and the client has been told."""
        try:
            previous = self._history.add(item)
        except (ProtocolError, LimitExceeded) as error:
            self._emit(ev.SessionError.of(error, None))
            return False
        self._emit(ev.ItemAdded(item, previous))
        self._emit(ev.ItemDone(item, previous))
        return True

    def _count(self, duration_ms: float) -> ev.PartRef:
        ref = self._part()
        self.audio_ms += duration_ms
        self.part_audio_ms += duration_ms
        return ref

    def _part(self) -> ev.PartRef:
        if self._ref is None:
            self._message = MessageItem(new_id("item"), "assistant", (), "in_progress")
            index = self._begin_item(self._message)
            self._ref = ev.PartRef(self.spec.id, self._message.id, index, 0)
            self._emit(ev.PartAdded(self._ref, self.spec.modality))
        return self._ref

    def _close_message(self, status: Status) -> None:
        if self._message is None or self._ref is None:
            return
        text, ref, kind = "".join(self._text), self._ref, self.spec.modality
        if kind == "audio":
            self._emit(ev.AudioDone(ref))
        self._emit(ev.TextDone(ref, kind, text))
        self._emit(ev.PartDone(ref, kind, text))
        part = AudioPart(text, None, self.part_audio_ms) if kind == "audio" else TextPart(text)
        self._end_item(ref.output_index, replace(self._message, content=(part,), status=status))
        self._message = self._ref = None
        self._text.clear()
        self.part_audio_ms = 0.0

    def _begin_item(self, item: Item) -> int:
        self.open()
        self._output.append(item)
        index = len(self._output) - 1
        self._emit(ev.OutputItemAdded(self.spec.id, index, item))
        previous = self._history.add(item)
        if self.spec.conversation_id is not None:
            self._emit(ev.ItemAdded(item, previous))
        return index

    def _end_item(self, index: int, item: Item) -> None:
        self._output[index] = item
        previous = self._history.update(item)
        if self.spec.conversation_id is not None:
            self._emit(ev.ItemDone(item, previous))
        self._emit(ev.OutputItemDone(self.spec.id, index, item))

    def _snapshot(self, status: ev.ResponseStatus) -> ev.Response:
        return ev.Response(
            id=self.spec.id,
            status=status,
            modality=self.spec.modality,
            conversation_id=self.spec.conversation_id,
            output=tuple(self._output),
            output_audio_ms=self.audio_ms,
            max_output_tokens=self.spec.max_output_tokens,
            voice=self.spec.voice,
            metadata=self.spec.metadata,
        )
