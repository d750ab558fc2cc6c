"""History as heard: what the caller did not hear of a reply is cut from it."""

from __future__ import annotations

from voicepipe.conversation.items import AudioPart, Item, MessageItem
from voicepipe.runtime.errors import ProtocolError
from voicepipe.session import events as ev
from voicepipe.session.context import Context
from voicepipe.session.reply import Reply

MAX_UNCUT = 16
"""Items remembered as they were before they were cut: clients correct the newest at once."""


class HistoryAsHeard:
    """Of one session's replies."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._uncut: dict[str, Item] = {}  # interrupted items before they were cut
        self._told: dict[str, float] = {}  # ms of items in progress that the client has played

    def truncate(
        self, item_id: str, content_index: int, audio_end_ms: int, writing: Reply | None
    ) -> None:
        """The client says what it has played, which is truer than our estimate. Of an item in
        progress, that `writing` writes, it may have played no more than it was sent; the rest will
        not have been heard. Raises ProtocolError."""
        conversation = self._context.conversation
        if writing is None or item_id not in conversation:
            self._cut_anew(item_id, content_index, audio_end_ms)
            return
        writing.writer.check_cut(content_index, audio_end_ms)
        self._told[item_id] = audio_end_ms

    def spoken(self, reply: Reply) -> None:
        """All of it was made, and will be heard but for what the client says of it."""
        conversation = self._context.conversation
        for message in reply.messages:
            if message.item_id in conversation:
                conversation.set_spoken(message.item_id, 0, message.spans)
                self._cut_as_told(message.item_id)

    def cut(self, reply: Reply, heard_ms: float) -> None:
        """History holds what the caller heard."""
        conversation = self._context.conversation
        for message in reply.messages:
            part, here_ms = self._audio_part(message.item_id), message.heard_ms(heard_ms)
            if part is None or (here_ms is not None and 0 < part.duration_ms < here_ms - 1):
                continue  # deleted, or cut further back by the client
            self._remember_uncut(conversation.get(message.item_id))
            conversation.set_spoken(message.item_id, 0, message.spans)
            if self._cut_as_told(message.item_id) or here_ms is None:
                continue
            conversation.truncate(message.item_id, 0, here_ms)
            if reply.on_sink:  # the client cannot know how far playback had come
                self._context.emit(ev.ItemTruncated(message.item_id, 0, round(here_ms)))

    def forget(self, reply: Reply) -> None:
        """It is done with: what was told of it has been used, or never will be."""
        for message in reply.messages:
            self._told.pop(message.item_id, None)

    def close(self) -> None:
        """The session ends."""
        self._uncut.clear()

    def _cut_anew(self, item_id: str, content_index: int, audio_end_ms: int) -> None:
        """Of all that was said, where our estimate has cut it before. What is refused changes
        nothing."""
        conversation = self._context.conversation
        full = self._uncut.get(item_id) if item_id in conversation else None
        before = None if full is None else conversation.get(item_id)
        if full is not None:
            conversation.replace(full)
        try:
            conversation.truncate(item_id, content_index, audio_end_ms)
        except ProtocolError:
            if before is not None:
                conversation.replace(before)
            raise
        self._uncut.pop(item_id, None)

    def _cut_as_told(self, item_id: str) -> bool:
        """By what the client said of it while it was in progress, if it did."""
        told_ms, part = self._told.pop(item_id, None), self._audio_part(item_id)
        if told_ms is None or part is None:
            return False
        try:
            self._context.conversation.truncate(item_id, 0, told_ms)
        except ProtocolError:  # it has come to less than was sent of it
            return False
        return True

    def _remember_uncut(self, item: Item) -> None:
        self._uncut[item.id] = item
        while len(self._uncut) > MAX_UNCUT:
            del self._uncut[next(iter(self._uncut))]

    def _audio_part(self, item_id: str) -> AudioPart | None:
        conversation = self._context.conversation
        item = conversation.get(item_id) if item_id in conversation else None
        if not isinstance(item, MessageItem):
            return None
        return next((part for part in item.content if isinstance(part, AudioPart)), None)
