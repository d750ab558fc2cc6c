"""Request bodies, read no further than they may be long."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request

from voicepipe.protocols.json_fields import errors, wire
from voicepipe.runtime.errors import LimitExceeded, ProtocolError

MAX_PARTS = 16
"""Of a form; two are known."""

DEADLINE_S = 30.0
"""A body that takes longer comes from nobody who waits for an answer."""


async def read(request: Request, limit: int) -> bytes:
    """The whole body. Raises LimitExceeded where it is longer than `limit` bytes, ProtocolError
    where it does not come to its end in time, or at all."""
    body = bytearray()
    try:
        async with asyncio.timeout(DEADLINE_S):
            async for chunk in request.stream():
                body += chunk
                if len(body) > limit:
                    raise LimitExceeded(f"the request is longer than {limit} bytes, the limit here")
    except TimeoutError:
        problem = f"The request has not come to its end in {DEADLINE_S:g} s, the limit here"
        raise ProtocolError(problem, code="request_timeout") from None
    except ClientDisconnect:
        problem = "The request has ended before its body did"
        raise ProtocolError(problem, code="incomplete_request") from None
    return bytes(body)


async def read_form(request: Request, limit: int) -> dict[str, str]:
    """The parts of a multipart form as texts, files or not. Raises LimitExceeded, or ProtocolError
    where it is no such form."""
    body = await read(request, limit)

    async def stream() -> AsyncGenerator[bytes, None]:
        yield body
        yield b""

    parser = MultiPartParser(
        request.headers,
        stream(),
        max_files=MAX_PARTS,
        max_fields=MAX_PARTS,
        max_part_size=limit,
    )
    try:
        form = await parser.parse()
        try:
            parts = {name: await _text(name, part) for name, part in form.multi_items()}
        finally:
            await form.close()
    except MultiPartException as error:
        problem = f"The multipart form cannot be read: {error}"
        raise ProtocolError(problem, code="invalid_form") from None
    except UnicodeError:  # the charset that it names is none
        problem = "The multipart form cannot be read: its charset is of no use"
        raise ProtocolError(problem, code="invalid_form") from None
    return parts


def json_object(text: str | bytes, where: str) -> dict[str, Any]:
    """A JSON object, as checked as a client's message is. Raises ProtocolError naming `where`."""
    try:
        return wire.parse(text if isinstance(text, str) else text.decode())
    except UnicodeDecodeError:
        raise ProtocolError(f"{where} is not UTF-8 text", code=errors.INVALID_JSON) from None
    except ProtocolError as error:
        if error.code == errors.INVALID_EVENT:
            raise ProtocolError(f"{where} must be a JSON object", code="invalid_type") from None
        raise ProtocolError(f"{where}: {error}", code=error.code) from None


async def _text(name: str, part: UploadFile | str) -> str:
    if isinstance(part, str):
        return part
    try:
        return (await part.read()).decode()
    except UnicodeDecodeError:
        raise ProtocolError(f"{name} is not UTF-8 text", code="invalid_type", param=name) from None
