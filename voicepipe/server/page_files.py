"""The page's files over HTTP.

`/` names each file at an address that holds what the files are, `/web/at-1f2e…/app.js`: a browser
keeps what it got there, asks for none of them when it comes again, and has all that is new where
anything has changed. The same files are at `/web/app.js`, kept, but asked for each time.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Final, NamedTuple

from anyio import to_thread
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.types import Scope

from voicepipe.config import ServerSettings
from voicepipe.server.regions import connect_sources

MEDIA_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".flac": "audio/flac",
}
"""What is served, and as what: the system's own table of types may say anything."""

HEADERS: Final = {
    "Permissions-Policy": "microphone=(self), camera=(), geolocation=()",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",  # keep it, but ask each time: an ETag answers
}
FOR_EVER: Final = "public, max-age=31536000, immutable"
POLICY: Final = (
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "object-src 'none'; media-src 'self' blob:; connect-src {}"  # blob: a call's recording
)
ENTRY: Final = "app.js"
GZIP: Final = re.compile(r"gzip(?:\s*;\s*q=(?!0(?:\.0*)?$).+)?")
STAMPED: Final = re.compile(r"at-[0-9a-f]{16}/")
NAMED: Final = (".html", ".css", ".js", ".svg")
"""What `/` names, or a module does: small, and kept in memory."""

_IMPORTS: Final = re.compile(
    r"^(?:import|export)\b[^;'\"]*?['\"](\.\.?/[^'\"]+)['\"]", re.MULTILINE
)


class File(NamedTuple):
    """`packed`: by gzip."""

    body: bytes
    packed: bytes


class Page(NamedTuple):
    """`stamp`: of all files together. `html`: `/`, which names them by it. `files`: those that it
    names, by their name in the folder."""

    stamp: str
    html: File
    files: Mapping[str, File]


class PageFiles(StaticFiles):
    """Files of the known types, and no others; `..` and links lead nowhere."""

    def __init__(self, directory: Path, settings: ServerSettings) -> None:
        super().__init__(directory=directory)
        self._folder = directory
        policy = POLICY.format(connect_sources(settings))
        self._headers = {**HEADERS, "Content-Security-Policy": policy}
        self._page: Page | None = None

    async def get_response(self, path: str, scope: Scope) -> Response:
        if scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(405, headers={"Allow": "GET, HEAD"})
        stamped = STAMPED.match(path)
        path = path[stamped.end() :] if stamped else path
        media_type = MEDIA_TYPES.get(Path(path).suffix)
        if media_type is None:
            raise HTTPException(404)
        file = await self._named(stamped[0].rstrip("/"), path) if stamped else None
        if file is not None:
            return self._answer(file, media_type, scope, {"Cache-Control": FOR_EVER})
        response = await super().get_response(path, scope)
        if response.status_code == 200:
            response.headers["content-type"] = media_type
        response.headers.update(self._headers)
        return response

    async def index(self, scope: Scope) -> Response:
        """`/`."""
        page = await self._look()
        response = self._answer(page.html, MEDIA_TYPES[".html"], scope, {})
        rules = repr(self._headers).encode()  # a region that is added is one
        told = sha256(bytes(response.body) + rules).hexdigest()[:16]
        response.headers["etag"] = f'"{told}"'
        if self.is_not_modified(response.headers, Headers(scope=scope)):
            kept = NotModifiedResponse(response.headers)
            kept.headers.update(self._headers)  # a browser takes them over
            return kept
        return response

    async def _named(self, stamp: str, path: str) -> File | None:
        """None: another server named it, in a rolling update; ours may not be what it means."""
        page = self._page
        if page is None or page.stamp != stamp:
            page = await self._look()
        return page.files.get(path) if page.stamp == stamp else None

    async def _look(self) -> Page:
        self._page = page = await to_thread.run_sync(page_of, self._folder)
        return page

    def _answer(self, file: File, media_type: str, scope: Scope, more: dict[str, str]) -> Response:
        headers = {**self._headers, **more, "Vary": "Accept-Encoding"}
        offered = Headers(scope=scope).get("accept-encoding", "").lower()
        packs = any(GZIP.fullmatch(one.strip()) for one in offered.split(","))
        if packs:
            headers["Content-Encoding"] = "gzip"
        return Response(file.packed if packs else file.body, 200, headers, media_type)


def page_of(folder: Path) -> Page:
    """The page as its files are now: whoever works on them sees a change at the next load."""
    names = (path for path in sorted(folder.rglob("*")) if path.suffix in NAMED)
    found = [(path, path.lstat()) for path in names if path.is_file() and not path.is_symlink()]
    return _page_of(folder, tuple((path, stat.st_mtime_ns, stat.st_size) for path, stat in found))


@lru_cache(maxsize=4)
def _page_of(folder: Path, found: tuple[tuple[Path, int, int], ...]) -> Page:
    bodies = {str(path.relative_to(folder)): path.read_bytes() for path, _, _ in found}
    digest = sha256()
    for name, body in bodies.items():
        digest.update(f"{name} {len(body)}\n".encode() + body)
    stamp = f"at-{digest.hexdigest()[:16]}"
    if "index.html" not in bodies:  # gone while the server runs
        raise HTTPException(404)
    html = bodies.pop("index.html").decode()
    html = re.sub(r'(="/web/)(?=[\w/]+\.(?:css|js|svg)")', rf"\1{stamp}/", html)
    preloads = "".join(
        f'<link rel="modulepreload" href="/web/{stamp}/{name}">\n  ' for name in modules(bodies)
    )
    html = html.replace("<script type=", f"{preloads}<script type=", 1)
    return Page(stamp, _file(html.encode()), {name: _file(body) for name, body in bodies.items()})


def _file(body: bytes) -> File:
    return File(body, gzip.compress(body, mtime=0))


def modules(bodies: Mapping[str, bytes]) -> list[str]:
    """What the page's first module imports, and they in turn: known at once, they are asked for at
    once, instead of level by level."""
    found = [ENTRY] if ENTRY in bodies else []
    for name in found:  # grows meanwhile
        for imported in _IMPORTS.findall(bodies[name].decode()):
            path = normpath(join(dirname(name), imported))
            if path not in found and path in bodies:
                found.append(path)
    return found[1:]
