"""The ports of a server: taken once, before engines load, by whoever accepts its connections."""

from __future__ import annotations

import errno
import os
import socket

from voicepipe.config import Settings
from voicepipe.runtime.errors import ConfigError

BACKLOG = 2048
"""Connections that may wait to be accepted, as uvicorn has it."""


def http_listener(settings: Settings) -> socket.socket:
    """Of `server.host` and `server.port`. Raises ConfigError in one line where the address cannot
    be had."""
    host, port = settings.server.host, settings.server.port
    return _listener(host, port, "choose another with --port")


def audiosocket_listener(settings: Settings) -> socket.socket | None:
    """Of `telephony.audiosocket`; None: it is off. Raises ConfigError likewise."""
    wanted = settings.telephony.audiosocket
    if wanted.port is None:
        return None
    return _listener(wanted.host, wanted.port, "choose another telephony.audiosocket.port")


def _listener(host: str, port: int, way_out: str) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        found = socket.socket(family, kind, protocol)
        try:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            found.bind(address)
            found.listen(BACKLOG)
        except OSError:
            found.close()
            raise
    except (OSError, UnicodeError) as error:  # the latter: a name that cannot be one
        raise ConfigError(_why_not(host, port, error, way_out)) from None
    return found


def _why_not(host: str, port: int, error: OSError | UnicodeError, way_out: str) -> str:
    if isinstance(error, UnicodeError):
        return f"cannot listen on {host}, port {port}: no host has such a name"
    if error.errno == errno.EADDRINUSE:
        return f"port {port} of {host} is in use by another program: stop it, or {way_out}"
    reason = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
    return f"cannot listen on {host}, port {port}: {reason}"
