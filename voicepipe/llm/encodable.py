"""Text that every request can hold. By an escape of JSON's a server, a client or a tool may send
half of a surrogate pair; once in the history it would fail each later request: UTF-8 has none."""

from __future__ import annotations


def encodable(text: str) -> str:
    """`text` without such halves. Plain text costs nothing."""
    return text if text.isascii() else text.encode("utf-8", "ignore").decode()
