"""A recording over HTTP, whole or in part; one that is written under a key is sent as what it was
before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import chain

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from voicepipe.call_log.reader import RecordingFile

PIECE = 64 * 1024

_RANGE = re.compile(r"bytes=(?=.*\d)(\d{0,18})-(\d{0,18})")
"""One part; several at once are answered with the whole, as they may be."""


async def recording_response(
    request: Request, sound: RecordingFile, name: str, headers: Mapping[str, str]
) -> Response:
    """All of it, or the one `Range` that is asked for. Raises OSError where it cannot be read, or
    was deleted just now; once it is open it is sent whatever becomes of it."""
    told = {
        **headers,
        "Accept-Ranges": "bytes",
        "Content-Disposition": f'inline; filename="{name}"',
    }
    asked = _RANGE.fullmatch(request.headers.get("range", "").strip())
    part = None if asked is None else _part(asked[1], asked[2], sound.size)
    if asked is not None and part is None:
        return Response(status_code=416, headers={**told, "Content-Range": f"bytes */{sound.size}"})
    first, end = part or (0, sound.size)
    if part is not None:
        told["Content-Range"] = f"bytes {first}-{end - 1}/{sound.size}"
    told["Content-Length"] = str(end - first)
    pieces = _pieces(sound, first, end)
    begin = await to_thread.run_sync(next, pieces, b"")  # before anything is promised
    if request.method == "HEAD":
        pieces = iter(())  # nobody would get them
    return StreamingResponse(
        chain((begin,), pieces),  # read in threads
        status_code=200 if part is None else 206,
        media_type="audio/wav",
        headers=told,
    )


def _pieces(sound: RecordingFile, first: int, end: int) -> Iterator[bytes]:
    with closing(sound.open()) as file:
        for place in range(first, end, PIECE):
            yield file.read(min(PIECE, end - place), place)


def _part(first: str, last: str, size: int) -> tuple[int, int] | None:
    """From the first byte to behind the last; None: there is no such part."""
    if first:
        begin, end = int(first), min(size, int(last) + 1 if last else size)
    else:
        begin, end = max(0, size - int(last)), size
    return (begin, end) if begin < end else None
