"""Items are put into the conversation, and the client is told: those of its own, of the telephone,
of tools, and summaries.
"""

from __future__ import annotations

from collections.abc import Callable

from voicepipe.conversation.history import ROOT
from voicepipe.conversation.items import Item
from voicepipe.runtime.errors import LimitExceeded, ProtocolError
from voicepipe.session import events as ev
from voicepipe.session.context import Context


class Items:
    """Of one session. `changed` is called when the conversation is another."""

    def __init__(self, context: Context, changed: Callable[[], None]) -> None:
        self._context, self._changed = context, changed

    def insert(self, item: Item, previous_item_id: str | None) -> None:
        """As the client wants it. Raises ProtocolError or LimitExceeded."""
        self._tell_of(item, self._context.conversation.insert(item, previous_item_id))
        self._changed()

    def delete(self, item_id: str) -> None:
        """As the client wants it. Raises ProtocolError."""
        self._context.conversation.delete(item_id)
        self._changed()
        self._context.emit(ev.ItemDeleted(item_id))

    def add(self, item: Item) -> bool:
        """At the end; False: it has no place, and the client has been told."""
        try:
            self._tell_of(item, self._context.append(item))
            self._changed()
        except (ProtocolError, LimitExceeded) as error:  # or its call made room for it
            self._context.emit(ev.SessionError.of(error, None))
            return False
        return True

    def begin(self, item: Item) -> bool:
        """Put one that is not done yet at the end; False: it has no place."""
        try:
            previous = self._context.append(item)
        except (ProtocolError, LimitExceeded) as error:
            self._context.emit(ev.SessionError.of(error, None))
            return False
        self._context.emit(ev.ItemAdded(item, previous))
        return True

    def end(self, item: Item) -> None:
        """It is done; the client may have deleted it meanwhile."""
        conversation = self._context.conversation
        if item.id in conversation:
            conversation.replace(item)
            self._changed()
            self._context.emit(ev.ItemDone(item, conversation.previous_item_id(item.id)))

    def put_summary(self, item: Item, before: str | None) -> bool:
        """Before all items, in the place of the one `before`; False: there is no room."""
        conversation = self._context.conversation
        try:
            previous = conversation.insert(item, ROOT)
        except LimitExceeded:
            return False
        self._tell_of(item, previous)
        if before is not None and before in conversation:
            conversation.delete(before)
            self._context.emit(ev.ItemDeleted(before))
        self._changed()
        return True

    def _tell_of(self, item: Item, previous: str | None) -> None:
        self._context.emit(ev.ItemAdded(item, previous))
        self._context.emit(ev.ItemDone(item, previous))
