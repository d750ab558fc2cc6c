"""TLS of the server itself: a certificate is read again when its files change, so that renewing it
ends no call.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from pathlib import Path

from voicepipe.config import ServerSettings
from voicepipe.runtime.errors import ConfigError

log = logging.getLogger(__name__)

LOOK_EVERY_S = 10.0

Stamp = tuple[tuple[int, int, int], ...]
"""Of both files: device, inode and time of change, ns; of their rights, too."""


def tls_files(server: ServerSettings) -> tuple[Path, Path] | None:
    """Certificate and key; None: no TLS. Raises ConfigError for half of them, or where they cannot
    be used."""
    if server.tls_cert is None and server.tls_key is None:
        return None
    if server.tls_cert is None or server.tls_key is None:
        missing = "tls_key" if server.tls_key is None else "tls_cert"
        raise ConfigError(f"server.{missing} is missing: TLS needs a certificate and its key")
    files = server.tls_cert.expanduser(), server.tls_key.expanduser()
    problem = _problem(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), *files)
    if problem is not None:
        raise ConfigError(problem)
    return files


async def renew(context: ssl.SSLContext, cert: Path, key: Path) -> None:
    """For ever: new connections get the certificate that is in the files now. One that cannot be
    read is told once, and the old one stays."""
    known = _stamp(cert, key)
    while True:
        await asyncio.sleep(LOOK_EVERY_S)
        found = _stamp(cert, key)
        if found == known or not found:
            continue
        try:
            problem = await asyncio.to_thread(_renewed, context, cert, key)
        except Exception:  # tried again: this must not end for good
            log.exception("the certificate in %s cannot be looked at now", cert)
            continue
        known = found
        if problem is None:
            log.info("the certificate in %s is in use now", cert)
        else:
            log.error("the old certificate stays in use: %s", problem)


def _renewed(context: ssl.SSLContext, cert: Path, key: Path) -> str | None:
    """Tried apart first: a context that has taken half in is of no use."""
    problem = _problem(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), cert, key)
    return problem or _problem(context, cert, key)


def _problem(context: ssl.SSLContext, cert: Path, key: Path) -> str | None:
    for name, path in (("tls_cert", cert), ("tls_key", key)):
        try:
            path.read_bytes()
        except OSError as error:
            return f"server.{name}: {path}: {error.strerror}"
    try:
        context.load_cert_chain(cert, key, password="")
    except (OSError, ValueError) as error:  # ssl.SSLError is the former
        return (
            f"server.tls_cert {cert} and server.tls_key {key} are no certificate and its key, in "
            f"PEM and without a password ({getattr(error, 'reason', None) or error})"
        )
    return None


def _stamp(cert: Path, key: Path) -> Stamp:
    """Empty while one of them is being replaced."""
    try:
        found = [path.stat() for path in (cert, key)]
    except OSError:
        return ()
    return tuple((s.st_dev, s.st_ino, s.st_ctime_ns) for s in found)
