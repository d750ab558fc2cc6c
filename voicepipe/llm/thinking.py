"""Takes a reasoning model's thoughts out of its streamed answer: they are not to be spoken.

    <think>The user greets me. I greet back.</think>Hello!

Tags may arrive split over any number of pieces. Pure.
"""

from __future__ import annotations

from collections.abc import Collection


def closing(tag: str) -> str:
    """The tag that ends what `tag` opens: "</think>" for "<think>"."""
    return f"{tag[0]}/{tag[1:]}"


class ThoughtFilter:
    """Feed it deltas; it returns at once all text that is no thought and no beginning of a tag.

    A thought that is never closed lasts to the end of the answer. White space before the answer's
    first word is dropped: after a thought there is always some.
    """

    def __init__(self, tags: Collection[str], *, begun: bool = False) -> None:
        """`tags`: what opens a thought. `begun`: the prompt has opened one already, so the answer
        holds only its end.
        """
        self._opening = {tag: (closing(tag),) for tag in tags}
        self._stray = tuple(closing(tag) for tag in tags)  # they end nothing, and are not spoken
        self._ends: tuple[str, ...] = self._stray if begun else ()  # of the open thought
        self._pending = ""  # may be the beginning of a tag
        self._said_something = False
        self.has_thought = begun
        """Some of the answer was thought, not said."""

    @property
    def thinking(self) -> bool:
        """In mid-thought."""
        return bool(self._ends)

    def feed(self, text: str) -> str:
        """What of the answer `text` completes; may be empty."""
        self._pending += text
        said = []
        while True:
            wanted = self._ends or (*self._opening, *self._stray)
            at, tag = _first(self._pending, wanted)
            if not tag:
                break
            if not self._ends:
                said.append(self._pending[:at])
            self._pending = self._pending[at + len(tag) :]
            self._ends = () if self._ends else self._opening.get(tag, ())
            self.has_thought = True
        sure = len(self._pending) - _held(self._pending, wanted)
        if not self._ends:
            said.append(self._pending[:sure])
        self._pending = self._pending[sure:]
        return self._shown("".join(said))

    def close(self) -> str:
        """The answer is over: what looked like the beginning of a tag and was none."""
        pending, self._pending = self._pending, ""
        return "" if self._ends else self._shown(pending)

    def _shown(self, text: str) -> str:
        if not self._said_something:
            text = text.lstrip()
        self._said_something = self._said_something or bool(text)
        return text


def _first(text: str, tags: Collection[str]) -> tuple[int, str]:
    """Where the first of `tags` begins, and which it is; (-1, "") if there is none."""
    found = [(at, tag) for tag in tags if (at := text.find(tag)) >= 0]
    return min(found, default=(-1, ""))


def _held(text: str, tags: Collection[str]) -> int:
    """Length of the longest end of `text` that could be the beginning of one of `tags`."""
    longest = max((len(tag) for tag in tags), default=1) - 1
    for length in range(min(longest, len(text)), 0, -1):
        if any(tag.startswith(text[-length:]) for tag in tags):
            return length
    return 0
