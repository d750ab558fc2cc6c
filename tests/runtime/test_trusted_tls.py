"""Certificates are read once, and not on the event loop."""

from __future__ import annotations

import ssl
import threading

from voicepipe.runtime.trusted_tls import trusted_tls


async def test_they_are_read_once_and_beside_the_loop() -> None:
    readers: list[threading.Thread] = []

    def library() -> ssl.SSLContext:
        readers.append(threading.current_thread())
        return ssl.create_default_context()

    first, second = await trusted_tls(library), await trusted_tls(library)
    assert first is second
    (reader,) = readers
    assert reader is not threading.current_thread()
