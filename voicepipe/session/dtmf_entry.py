"""Keys of the user's telephone, collected until they are a number."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

MAX_KEYS = 32
"""A longer entry ends here: no account number is longer."""

END_KEY = "#"


class DtmfEntry:
    """An entry ends with #, which is not part of it, after `pause_s` without a key, or after
    `MAX_KEYS`. `on_entry` gets it, such as "123"; a # alone is "#"."""

    def __init__(self, pause_s: float, on_entry: Callable[[str], None]) -> None:
        self._pause_s = pause_s
        self._on_entry = on_entry
        self._keys = ""
        self._timer: asyncio.TimerHandle | None = None

    @property
    def open(self) -> bool:
        """Keys have come and no end yet."""
        return bool(self._keys)

    def press(self, key: str) -> None:
        """One of 0-9 * # A-D."""
        self.close()
        if key == END_KEY:
            self._keys = self._keys or END_KEY
            self._end()
            return
        self._keys += key
        if len(self._keys) >= MAX_KEYS:
            self._end()
        else:
            self._timer = asyncio.get_running_loop().call_later(self._pause_s, self._end)

    def take(self) -> str:
        """The keys of an entry that has not ended: somebody else goes on with it."""
        self.close()
        keys, self._keys = self._keys, ""
        return keys

    def close(self) -> None:
        """Wait for nothing any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end(self) -> None:
        keys, self._keys = self._keys, ""
        self._timer = None
        self._on_entry(keys)
