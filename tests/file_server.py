"""A real HTTP file server that can be told to misbehave: cut, corrupt, refuse, forget ranges."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Headers = dict[str, str]


class FileServer:
    """Serves `files` (path to bytes). Each fault list is used up, one item per GET of that path."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.requests: list[tuple[str, Headers]] = []  # path without query, headers
        self.cut_after: dict[str, list[int]] = {}  # bytes of the body sent, then the line drops
        self.corrupt: dict[str, int] = {}  # so many answers have a flipped byte
        self.status: dict[str, list[int]] = {}  # answered instead of the file
        self.extra_headers: dict[str, Headers] = {}
        self.ranges = True
        self.etags = True
        self.url = ""

    def add_tree(self, repo: str, revision: str) -> None:
        """Answer the hub's listing of a repository from the files that are served of it."""
        prefix = f"/{repo}/resolve/{revision}/"
        listing = []
        for path, data in self.files.items():
            if path.startswith(prefix):
                lfs = {"oid": hashlib.sha256(data).hexdigest(), "size": len(data)}
                name = path.removeprefix(prefix)
                item = {"type": "file", "path": name, "size": len(data), "oid": "0" * 40}
                listing.append(item | ({"lfs": lfs} if name.endswith(".safetensors") else {}))
        self.files[f"/api/models/{repo}/tree/{revision}"] = json.dumps(listing).encode()

    def gets(self, path: str) -> list[Headers]:
        """Headers of all requests of one path."""
        return [headers for asked, headers in self.requests if asked == path]


@contextmanager
def serving() -> Iterator[FileServer]:
    """A running server on a free local port."""
    server = FileServer()
    http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(server))
    http.daemon_threads = False  # joined at close: no thread outlives the test
    server.url = f"http://127.0.0.1:{http.server_port}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


def _handler(server: FileServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            server.requests.append((path, dict(self.headers.items())))
            planned = server.status.get(path)
            if planned:
                self._plain(planned.pop(0))
            elif path not in server.files:
                self._plain(404)
            else:
                self._file(path, server.files[path])

        def _plain(self, code: int) -> None:
            self.send_response(code)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def _file(self, path: str, data: bytes) -> None:
            etag = f'"{hashlib.md5(data).hexdigest()}"'
            start = self._start(etag) if server.ranges else 0
            if start > 0 and start >= len(data):
                self._plain(416)
                return
            body = bytearray(data[start:])
            if server.corrupt.get(path, 0) > 0:
                server.corrupt[path] -= 1
                body[len(body) // 2] ^= 1
            self.send_response(206 if start else 200)
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
            self.send_header("Content-Length", str(len(body)))
            if server.etags:
                self.send_header("ETag", etag)
            for name, value in server.extra_headers.get(path, {}).items():
                self.send_header(name, value)
            self.end_headers()
            cuts = server.cut_after.get(path)
            self.wfile.write(body[: cuts.pop(0)] if cuts else body)
            self.close_connection = True

        def _start(self, etag: str) -> int:
            matched = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
            current = self.headers.get("If-Range") in {None, etag}
            return int(matched[1]) if matched and current else 0

        def log_message(self, *_args: object) -> None:
            """Quiet."""

    return Handler
