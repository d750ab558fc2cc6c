"""A small HTTP service of one's own, as a tool calls it: real sockets, answers set by the test."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.scripted_server import Reply, ScriptedServer, listening

JSON = {"content-type": "application/json"}


@dataclass(frozen=True)
class Asked:
    """One request as it arrived."""

    method: str
    path: str  # with its query
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Service(ScriptedServer):
    """Answers by path; an unknown path is 404."""

    answers: dict[str, Reply] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)

    @property
    def origin(self) -> str:
        return self.base_url.removesuffix("/v1")

    def got(self, path: str) -> tuple[int, object]:
        raise NotImplementedError  # every method goes the same way here

    async def posted(self, path: str, body: dict[str, Any]) -> Reply:
        raise NotImplementedError

    async def _one_request(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ")
        headers = {k.lower(): v for k, _, v in (h.partition(": ") for h in head[1:] if h)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        self.asked.append(Asked(method, path, headers, body))
        reply = self.answers.get(path.partition("?")[0], Reply((b"no such path",), 404))
        return await self._play(reply, reader, writer)


def json_reply(value: object, status: int = 200) -> Reply:
    return Reply((json.dumps(value).encode(),), status, JSON)


@asynccontextmanager
async def service(**answers: Reply) -> AsyncIterator[Service]:
    """Answers `/NAME` as told."""
    scripted = Service(answers={f"/{name}": reply for name, reply in answers.items()})
    async with listening(scripted):
        yield scripted
