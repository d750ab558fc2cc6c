"""Which of llama.cpp's slots serves a request. Pure.

A slot keeps the tokens it last computed, so a conversation that comes back to its own finds its
history there, and another one has to begin anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from voicepipe.llm.contract import Message


@dataclass(slots=True)
class Slot:
    """`messages`: what it last computed; `ahead`: before its caller had ended; `used`: when, as a
    count of requests.
    """

    number: int
    messages: tuple[Message, ...] = ()
    key: str = ""
    ahead: bool = False
    used: int = 0
    busy: bool = False


@dataclass(slots=True)
class SlotBook:
    """`key`: whose conversation it is, where the session says so; "" where it does not, then the
    messages tell.
    """

    count: int
    slots: list[Slot] = field(init=False)
    _requests: int = 0

    def __post_init__(self) -> None:
        self.slots = [Slot(number) for number in range(self.count)]

    def forget(self) -> None:
        """The caches are gone: llama.cpp was started anew."""
        for slot in self.slots:
            slot.messages, slot.key, slot.used = (), "", 0

    def claim(self, messages: Sequence[Message], key: str = "", *, ahead: bool = False) -> Slot:
        """The free slot that knows most of this conversation, else the one that has waited
        longest; there must be a free one.
        """
        free = [slot for slot in self.slots if not slot.busy]
        slot = max(free, key=lambda slot: (_knows(slot, messages, key), -slot.used))
        self._requests += 1
        slot.messages, slot.key, slot.ahead = tuple(messages), key, ahead
        slot.used, slot.busy = self._requests, True
        return slot

    def release(self, slot: Slot) -> None:
        """It may be claimed again, even before llama.cpp has let go of it: then the next request
        waits there.
        """
        slot.busy = False


def _knows(slot: Slot, messages: Sequence[Message], key: str) -> int:
    """How many of the messages the slot holds; 0 for another conversation's, even where both begin
    with the same instructions.
    """
    if key and slot.key:
        return 1 + shared(slot.messages, messages) if key == slot.key else 0
    same = shared(slot.messages, messages)
    known = same > 1 or same == len(slot.messages) or _grew(slot, messages, same)
    return same + 1 if known and same else 0


def _grew(slot: Slot, messages: Sequence[Message], same: int) -> bool:
    """The caller has said more since: their words so far were computed ahead."""
    before, after = slot.messages[same], messages[same : same + 1]
    return slot.ahead and bool(after) and after[0].content.startswith(before.content)


def shared(ours: Sequence[Message], theirs: Sequence[Message]) -> int:
    """Length of the common beginning."""
    pairs = zip(ours, theirs, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
