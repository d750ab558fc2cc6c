"""What a key of the user's telephone means: it silences the agent, and is one of an entry - the
user's own (`dtmf_entry.py`), or one that the model waits for (`dtmf_gather.py`).
"""

from __future__ import annotations

import time

from voicepipe.conversation.items import MessageItem, TextPart
from voicepipe.session import events as ev
from voicepipe.session.context import Context
from voicepipe.session.dtmf_entry import DtmfEntry
from voicepipe.session.dtmf_gather import DtmfGather
from voicepipe.session.ids import new_id
from voicepipe.session.items import Items
from voicepipe.session.turn_taking import TurnTaking


class Dtmf:
    """Of one session."""

    def __init__(self, context: Context, turns: TurnTaking, items: Items) -> None:
        self._context, self._turns, self._items = context, turns, items
        self._entry = DtmfEntry(context.config.telephony.keypad_pause_ms / 1000, self._entered)
        self._gather = DtmfGather(context, turns, self._entry, items.add)
        turns.keys_awaited = lambda: self._gather.waiting
        self.offered = False  # the model may wait for keys; else no response is of interest here

    @property
    def open(self) -> bool:
        """The user has begun an entry of their own."""
        return self._entry.open

    @property
    def awaited(self) -> bool:
        """The model waits for keys."""
        return self._gather.waiting

    def offer(self) -> None:
        """Let the model wait for keys: the user has a telephone's keypad."""
        self.offered = True
        self._context.tools.offer(self._gather.tool)

    def press(self, key: str) -> None:
        """One of 0-9 * # A-D."""
        self._context.emit(ev.KeyPressed(key, int(time.time())))
        if self._gather.swallows(key):
            return
        self._turns.key_pressed()
        if self._gather.waiting:
            self._gather.press(key)
        else:
            self._entry.press(key)

    def response_begins(self, response: ev.Response) -> None:
        """It may answer who was to key in; one beside the conversation answers nobody."""
        if response.conversation_id is not None:
            self._gather.response_begins(response.id)

    def close(self) -> None:
        """The session ends."""
        self._entry.close()
        self._gather.close()

    def let_go(self) -> None:
        """As `TurnTaking.let_go`."""
        del self._entry, self._gather

    def _entered(self, keys: str) -> None:
        if self._items.add(MessageItem(new_id("item"), "user", (TextPart(f"[keypad] {keys}"),))):
            self._turns.keys_entered()
