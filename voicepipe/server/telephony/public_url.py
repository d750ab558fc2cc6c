"""Where carriers reach this server: they sign that address, and call documents name it."""

from __future__ import annotations

from starlette.requests import HTTPConnection

from voicepipe.config import TelephonySettings

_SECURE = {"https", "wss"}


def public_origin(connection: HTTPConnection, settings: TelephonySettings) -> str:
    """`https://host` or `http://host`, without a slash at its end: by the setting, by forwarded
    headers where they are trusted, else as the request came in."""
    if settings.public_url:
        return settings.public_url.rstrip("/")
    scheme, host = connection.url.scheme, connection.headers.get("host", connection.url.netloc)
    if settings.trust_forwarded:
        scheme = _first(connection, "x-forwarded-proto") or scheme
        host = _first(connection, "x-forwarded-host") or host
    return f"{'https' if scheme in _SECURE else 'http'}://{host}"


def public_url(connection: HTTPConnection, settings: TelephonySettings) -> str:
    """The address of this request as the carrier wrote it; of a WebSocket it begins with ws."""
    raw_path = connection.scope.get("raw_path") or connection.url.path.encode()
    path = raw_path.decode("latin-1").partition("?")[0]
    query = connection.url.query
    origin = public_origin(connection, settings)
    if connection.scope["type"] == "websocket":
        origin = stream_origin(origin)
    return f"{origin}{path}{'?' if query else ''}{query}"


def stream_origin(origin: str) -> str:
    """`wss://host` of `https://host`."""
    return "ws" + origin.removeprefix("http")


def _first(connection: HTTPConnection, header: str) -> str:
    """Proxies append: the first is what the outermost saw."""
    return connection.headers.get(header, "").split(",")[0].strip()
