"""A small HTTP service of one's own, as a tool calls it: real sockets, answers set by the test."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from tests.scripted_server import Asked, Reply, ScriptedServer, listening

JSON = {"content-type": "application/json"}


@dataclass
class Service(ScriptedServer):
    """Answers by path; an unknown path is 404."""

    answers: dict[str, Reply] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)

    @property
    def origin(self) -> str:
        return self.base_url.removesuffix("/v1")

    async def answer(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        return self.answers.get(asked.path.partition("?")[0], Reply((b"no such path",), 404))


def json_reply(value: object, status: int = 200) -> Reply:
    return Reply((json.dumps(value).encode(),), status, JSON)


@asynccontextmanager
async def service(**answers: Reply) -> AsyncIterator[Service]:
    """Answers `/NAME` as told."""
    scripted = Service(answers={f"/{name}": reply for name, reply in answers.items()})
    async with listening(scripted):
        yield scripted
