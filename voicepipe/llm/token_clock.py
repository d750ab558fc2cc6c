"""When the tokens of one answer come."""

from __future__ import annotations

import time
from statistics import median

from voicepipe.llm.contract import TokenTimes


class TokenClock:
    """Starts with the request. Tell it of each step that brought tokens."""

    def __init__(self) -> None:
        self._began = self._last = time.perf_counter()
        self._first_ms: float | None = None
        self._gaps_ms: list[float] = []  # as many as the answer has tokens, at most

    def step(self) -> None:
        """Tokens are here."""
        now = time.perf_counter()
        if self._first_ms is None:
            self._first_ms = (now - self._began) * 1000
        else:
            self._gaps_ms.append((now - self._last) * 1000)
        self._last = now

    def times(self, hop_ms: float | None = None) -> TokenTimes | None:
        """What was seen; None without a token."""
        if self._first_ms is None:
            return None
        if not self._gaps_ms:
            return TokenTimes(self._first_ms, hop_ms=hop_ms)
        return TokenTimes(self._first_ms, median(self._gaps_ms), max(self._gaps_ms), hop_ms)
