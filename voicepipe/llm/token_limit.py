"""How long a caller waits for the next token of an answer."""

from __future__ import annotations

from voicepipe.config import LlmSettings


def token_limit(settings: LlmSettings, *, begun: bool) -> tuple[int, str]:
    """Ms since the request came that the next token may take, and the setting that says so.
    `begun`: the first is here.
    """
    total = (settings.total_timeout_ms, "total_timeout_ms")
    first = (settings.first_token_timeout_ms, "first_token_timeout_ms")
    return total if begun else min(first, total)
