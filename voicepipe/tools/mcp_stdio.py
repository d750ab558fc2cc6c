"""An MCP server that is a program: started, spoken to line by line over its stdin and stdout, and
ended. As the library's own transport, with a bound on a line: that one keeps whatever comes before
a newline.
"""

from __future__ import annotations

import contextlib
import json
import logging
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, TextIO

import anyio
import mcp_types as types
from anyio.abc import Process
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import StdioServerParameters, get_default_environment
from mcp.os.posix.utilities import terminate_posix_process_tree
from mcp.shared.message import SessionMessage

from voicepipe.llm.encodable import encodable

log = logging.getLogger(__name__)

GRACE_S = 2.0
"""For the program to end by itself when its stdin does, and again after SIGTERM."""

MAX_SKIPPED = 64 * 2**20
"""Bytes of one line that is too long are read and dropped in the hope of its end; then the program
is started anew."""

_CLOSED = (
    anyio.ClosedResourceError,
    anyio.BrokenResourceError,
    anyio.EndOfStream,
    OSError,
)
_VERSION = rb'"jsonrpc"\s*:\s*"2\.0"\s*'
_ID = rb'"id"\s*:\s*(\d{1,18})\s*'
_ANSWER = rb'"(?:result|error)"\s*:'
_ID_FIRST = re.compile(
    rb"\s*\{\s*(?:" + _VERSION + rb",\s*)?" + _ID + rb",\s*(?:" + _VERSION + rb",\s*)?" + _ANSWER
)
_ID_BEHIND = re.compile(rb"\s*\{\s*(?:" + _VERSION + rb",\s*)?" + _ANSWER)
_ID_LAST = re.compile(_ID + rb"(?:,\s*" + _VERSION + rb")?\}\s*\Z")
"""How an answer begins that names its request, or does so behind the result; and how that ends."""
_END = 200  # bytes of a line that is too long which are kept until it ends
_WRONG = (types.INTERNAL_ERROR, "the answer is longer than is allowed")

Incoming = SessionMessage | Exception


@asynccontextmanager
async def bounded_stdio(
    program: StdioServerParameters, errlog: TextIO, max_bytes: int
) -> AsyncGenerator[tuple[Any, Any]]:
    """What it sends and what it is sent, as the library's client wants them. A message of over
    `max_bytes` is an error of the request that it answers. Raises OSError where it cannot be
    started."""
    process = await anyio.open_process(
        [program.command, *program.args],
        env=get_default_environment() | (program.env or {}),
        stderr=errlog,
        cwd=program.cwd,
        start_new_session=True,
    )
    sends, incoming = anyio.create_memory_object_stream[Incoming](0)
    outgoing, sent = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_read, process, sends, max_bytes)
        tasks.start_soon(_write, process, sent, sends)
        try:
            yield incoming, outgoing
        finally:
            with anyio.CancelScope(shield=True):
                incoming.close()  # what still comes is read and dropped, so that it can end
                outgoing.close()
                await _end(process)
            tasks.cancel_scope.cancel()


async def _read(process: Process, sends: MemoryObjectSendStream[Incoming], max_bytes: int) -> None:
    assert process.stdout is not None
    lines = _Lines(max_bytes)
    async with sends:
        with contextlib.suppress(*_CLOSED):
            async for chunk in process.stdout:
                for message in lines.feed(chunk):
                    await sends.send(message)
                if lines.endless:
                    log.warning("an MCP server's message does not end; it is started anew")
                    return
    with contextlib.suppress(*_CLOSED):  # its pipe must not fill while it is asked to end
        async for _ in process.stdout:
            pass


async def _write(
    process: Process,
    sent: MemoryObjectReceiveStream[SessionMessage],
    sends: MemoryObjectSendStream[Incoming],
) -> None:
    assert process.stdin is not None
    try:
        async with sent:
            async for message in sent:
                line = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                await process.stdin.send(f"{line}\n".encode())
    except _CLOSED:
        await sends.aclose()  # who waits for an answer learns that none will come


async def _end(process: Process) -> None:
    """By the end of its stdin, else by force, with all that it has started."""
    assert process.stdin is not None
    with contextlib.suppress(*_CLOSED):
        await process.stdin.aclose()
    with anyio.move_on_after(GRACE_S):
        await process.wait()
    if process.returncode is None:
        await terminate_posix_process_tree(process, GRACE_S)
    with anyio.move_on_after(GRACE_S):
        await process.aclose()


class _Lines:
    """Messages out of pieces of a stream."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._buffer = bytearray()
        self._skipped = 0  # of a line that is too long
        self._named_last = False  # it is an answer, and tells of what at its end

    @property
    def endless(self) -> bool:
        return self._skipped > MAX_SKIPPED

    def feed(self, chunk: bytes) -> list[Incoming]:
        """The messages that end in `chunk`."""
        found: list[Incoming] = []
        first, *more = chunk.split(b"\n")
        self._add(first, found)
        for piece in more:
            if self._skipped:
                if self._named_last:
                    self._refuse(_ID_LAST.search(self._buffer), found)
                self._skipped = 0
            else:
                found.append(_parsed(bytes(self._buffer)))
            self._buffer.clear()
            self._add(piece, found)
        return found

    def _add(self, piece: bytes, found: list[Incoming]) -> None:
        self._buffer += piece
        if self._skipped:
            self._skipped += len(piece)
        elif len(self._buffer) > self._max_bytes:
            self._skipped = len(self._buffer)
            self._named_last = _ID_BEHIND.match(self._buffer) is not None
            self._refuse(_ID_FIRST.match(self._buffer), found)
        if self._skipped:
            del self._buffer[:-_END]

    def _refuse(self, named: re.Match[bytes] | None, found: list[Incoming]) -> None:
        if named is not None:
            found.append(_refused(int(named[1])))


def _parsed(line: bytes) -> Incoming:
    try:
        return _read_as_message(line)
    except ValueError as error:
        try:
            return _read_as_message(_mended(line))
        except (ValueError, RecursionError):
            return error


def _read_as_message(line: bytes) -> SessionMessage:
    return SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))


def _mended(line: bytes) -> bytes:
    """Without halves of characters, as a program writes them that cuts a text anywhere: who has
    called would wait for the answer in vain. Raises ValueError or RecursionError for no JSON."""
    value = json.loads(line.decode("utf-8", errors="replace"))
    return encodable(json.dumps(value, ensure_ascii=False)).encode()


def _refused(request_id: int) -> SessionMessage:
    code, message = _WRONG
    error = types.ErrorData(code=code, message=message)
    return SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=request_id, error=error))
