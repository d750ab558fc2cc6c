"""The items of one conversation in their order, and the edits a client may make."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from voicepipe.audio.pcm import SAMPLE_RATE
from voicepipe.conversation.heard import SpokenSpan, heard_text, spoken_evenly
from voicepipe.conversation.items import (
    AudioPart,
    FunctionCallItem,
    FunctionOutputItem,
    Item,
    McpApprovalRequestItem,
    McpApprovalResponseItem,
    MessageItem,
)
from voicepipe.runtime.errors import LimitExceeded, ProtocolError

ROOT = "root"
"""As `previous_item_id`: before all other items."""

MAX_CHARS = 500_000

DURATION_SLACK_MS = 20
"""Clients round what they played to whole packets; that much beyond the end means "all of it"."""


class Conversation:
    """Items by id, in order. Every edit that names a wrong item raises a ProtocolError with the
    wire's code; nothing is ever dropped silently.
    """

    def __init__(self, max_items: int = 1000, max_chars: int = MAX_CHARS) -> None:
        """`max_chars`: texts of all items together. Words that are being spoken are never refused;
        the next item makes room for them."""
        self._max_items, self._max_chars = max_items, max_chars
        self._chars = 0
        self._order: list[str] = []
        self._items: dict[str, Item] = {}
        self._spans: dict[tuple[str, int], tuple[SpokenSpan, ...]] = {}

    def __len__(self) -> int:
        return len(self._order)

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __contains__(self, item_id: object) -> bool:
        return item_id in self._items

    @property
    def items(self) -> tuple[Item, ...]:
        """A snapshot in order."""
        return tuple(self._items[item_id] for item_id in self._order)

    def insert(self, item: Item, previous_item_id: str | None = None) -> str | None:
        """Add `item` at the end (None), first ("root") or after an item; returns the id of the item
        it now follows. Raises ProtocolError for a duplicate or unknown id and for the output of a
        call that was never made, LimitExceeded when the conversation is full.
        """
        if item.id in self._items:
            raise ProtocolError(
                f"There is already an item with id {item.id!r}; choose another or leave it out.",
                code="invalid_value",
                param="item.id",
            )
        at = self._insertion_index(previous_item_id)
        self._check_call_exists(item)
        self._check_approval_is_due(item)
        if len(self._order) >= self._max_items:
            raise LimitExceeded(
                f"The conversation holds {self._max_items} items, its limit (limits.max_items); "
                "delete some or start a new session."
            )
        chars = self._chars + item.chars
        if chars > self._max_chars:
            raise LimitExceeded(
                f"With this item the conversation would have {chars} characters; its limit is "
                f"{self._max_chars} (limits.max_conversation_chars). Delete some items or start a "
                "new session."
            )
        self._order.insert(at, item.id)
        self._items[item.id] = item
        self._chars = chars
        return self._order[at - 1] if at else None

    def make_room(self, chars: int = 0) -> tuple[str, ...]:
        """Delete the oldest items until one more of so many characters fits, each call with its
        outputs; returns their ids. What a client put there as instructions goes last.
        """
        gone: list[str] = []
        while self._order and (
            len(self._order) >= self._max_items or self._chars + chars > self._max_chars
        ):
            oldest = next((i for i in self._order if not self._instructs(i)), self._order[0])
            item = self._items[oldest]
            outputs = [
                other.id
                for other in self._items.values()
                if isinstance(item, FunctionCallItem)
                and isinstance(other, FunctionOutputItem)
                and other.call_id == item.call_id
            ]
            for item_id in (oldest, *outputs):
                self.delete(item_id)
                gone.append(item_id)
        return tuple(gone)

    def _instructs(self, item_id: str) -> bool:
        item = self._items[item_id]
        return isinstance(item, MessageItem) and item.role == "system"

    def get(self, item_id: str) -> Item:
        """Raises ProtocolError(item_retrieve_invalid_item_id)."""
        return self._require(item_id, "item_retrieve_invalid_item_id", "retrieved")

    def replace(self, item: Item) -> None:
        """Put a new version under the same id. Raises ProtocolError(invalid_value)."""
        before = self._require(item.id, "invalid_value", "replaced")
        self._items[item.id] = item
        self._chars += item.chars - before.chars

    def delete(self, item_id: str) -> None:
        """Raises ProtocolError(item_delete_invalid_item_id)."""
        item = self._require(item_id, "item_delete_invalid_item_id", "deleted")
        self._order.remove(item_id)
        del self._items[item_id]
        self._chars -= item.chars
        for key in [key for key in self._spans if key[0] == item_id]:
            del self._spans[key]

    def clear(self) -> None:
        """Forget everything: the call has ended, and its sound and words go with it."""
        self._order.clear()
        self._items.clear()
        self._spans.clear()
        self._chars = 0

    def previous_item_id(self, item_id: str) -> str | None:
        """The item before; None for the first. Raises ProtocolError for an unknown id."""
        self._require(item_id, "item_retrieve_invalid_item_id", "found")
        at = self._order.index(item_id)
        return self._order[at - 1] if at else None

    def set_spoken(self, item_id: str, content_index: int, spans: Sequence[SpokenSpan]) -> None:
        """Keep how the text of an audio part lies in its audio, for a later `truncate`."""
        self._require(item_id, "invalid_value", "found")
        self._spans[item_id, content_index] = tuple(spans)

    def truncate(self, item_id: str, content_index: int, audio_end_ms: float) -> MessageItem:
        """Cut assistant audio to what was played; its transcript becomes the words heard.

        Returns the item as it now stands. Raises ProtocolError `invalid_value` for an unknown item
        or part and for an end outside the audio, `unsupported_content_type` for text.
        """
        item, part = self._audio_part(item_id, content_index)
        spans = self._spans.get((item_id, content_index))
        spans_end_ms = max((s.audio_end_ms for s in spans or ()), default=0.0)
        duration_ms = part.duration_ms or spans_end_ms  # not noted while the reply is spoken
        if not 0 <= audio_end_ms <= duration_ms + DURATION_SLACK_MS:
            raise ProtocolError(
                f"Audio content of {duration_ms:.0f} ms is already shorter than "
                f"{audio_end_ms:.0f} ms."
                if audio_end_ms > 0
                else f"audio_end_ms must be 0 or more, got {audio_end_ms:.0f}.",
                code="invalid_value",
                param="audio_end_ms",
            )
        text = part.transcript or ""
        if spans is None:
            spans = spoken_evenly(text, duration_ms)
        shortened = _cut(part, heard_text(text, spans, audio_end_ms), audio_end_ms)
        content = (*item.content[:content_index], shortened, *item.content[content_index + 1 :])
        truncated = replace(item, content=content, status="incomplete")
        self.replace(truncated)
        return truncated

    def _audio_part(self, item_id: str, content_index: int) -> tuple[MessageItem, AudioPart]:
        item = self._require(item_id, "invalid_value", "truncated")
        if not isinstance(item, MessageItem) or item.role != "assistant":
            raise ProtocolError(
                "Only assistant messages with audio can be truncated.",
                code="invalid_value",
                param="item_id",
            )
        if not 0 <= content_index < len(item.content):
            raise ProtocolError(
                f"Item {item_id!r} has {len(item.content)} content part(s), "
                f"none at {content_index}.",
                code="invalid_value",
                param="content_index",
            )
        part = item.content[content_index]
        if not isinstance(part, AudioPart):
            raise ProtocolError(
                f"Content part {content_index} of item {item_id!r} is text; "
                "only audio can be truncated.",
                code="unsupported_content_type",
                param="content_index",
            )
        return item, part

    def _insertion_index(self, previous_item_id: str | None) -> int:
        if previous_item_id is None:
            return len(self._order)
        if previous_item_id == ROOT:
            return 0
        if previous_item_id not in self._items:
            raise ProtocolError(
                f"There is no item with id {previous_item_id!r} to insert after.",
                code="invalid_value",
                param="previous_item_id",
            )
        return self._order.index(previous_item_id) + 1

    def _check_call_exists(self, item: Item) -> None:
        if not isinstance(item, FunctionOutputItem):
            return
        calls = (i for i in self._items.values() if isinstance(i, FunctionCallItem))
        if not any(call.call_id == item.call_id for call in calls):
            raise ProtocolError(
                f"No function call with call_id {item.call_id!r} is in the conversation.",
                code="invalid_tool_call_id",
                param="item.call_id",
            )

    def _check_approval_is_due(self, item: Item) -> None:
        if not isinstance(item, McpApprovalResponseItem):
            return
        wanted, param = item.approval_request_id, "item.approval_request_id"
        if not isinstance(self._items.get(wanted), McpApprovalRequestItem):
            problem = f"There is no request for approval with id {wanted!r} in the conversation."
            raise ProtocolError(problem, code="invalid_value", param=param)
        said = (i for i in self._items.values() if isinstance(i, McpApprovalResponseItem))
        if any(one.approval_request_id == wanted for one in said):
            problem = f"The request for approval {wanted!r} has had its answer."
            raise ProtocolError(problem, code="invalid_value", param=param)

    def _require(self, item_id: str, code: str, verb: str) -> Item:
        item = self._items.get(item_id)
        if item is None:
            raise ProtocolError(
                f"The item with id {item_id!r} cannot be {verb}: it is not in the conversation.",
                code=code,
                param="item_id",
            )
        return item


def _cut(part: AudioPart, heard: str, audio_end_ms: float) -> AudioPart:
    pcm = part.pcm
    if pcm is not None:
        pcm = pcm[: int(audio_end_ms * SAMPLE_RATE / 1000)]
    return AudioPart(
        transcript=heard.rstrip(), pcm=pcm, duration_ms=min(part.duration_ms, audio_end_ms)
    )
