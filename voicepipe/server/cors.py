"""Cross-origin requests: which pages of other servers may call this one from a browser."""

from __future__ import annotations

from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware

from voicepipe.config import ServerSettings
from voicepipe.server.regions import page_origins

THIS_MACHINE = r"https?://(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?"

EXPOSED = ("Location", "Link", "Retry-After")
"""Headers of answers that pages may read beside the harmless ones."""


def cors(settings: ServerSettings) -> Middleware:
    """For the pages on `server.allowed_origins`, those of the other regions and those of this
    machine. Any request header is allowed (`Authorization`, `X-OpenAI-...`): keys travel in
    headers, never in cookies."""
    return Middleware(
        CORSMiddleware,
        allow_origins=page_origins(settings),
        allow_origin_regex=THIS_MACHINE,
        allow_methods=("GET", "POST", "DELETE", "OPTIONS"),
        allow_headers=("*",),
        expose_headers=EXPOSED,
    )
