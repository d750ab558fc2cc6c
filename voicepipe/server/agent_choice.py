"""What a connection says of the agent it wants: `/agents/NAME` before its path, or `?agent=`."""

from __future__ import annotations

import re
from dataclasses import replace

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from voicepipe.agents.directory import Asked, UnknownAgent
from voicepipe.runtime.errors import ProtocolError
from voicepipe.server import auth
from voicepipe.server.agent_session import AgentSession
from voicepipe.server.decision import Decision
from voicepipe.server.keys import KeyHolder
from voicepipe.server.service import Service

_PREFIX = re.compile(r"/agents/([A-Za-z0-9_-]{1,64})(?=/)")
_KEY = "voicepipe.agent"


class AgentPaths:
    """Middleware: every path of the server is there once more below `/agents/NAME`, so that a base
    URL or a carrier's webhook says who answers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket") and (found := _PREFIX.match(scope["path"])):
            root = scope.get("root_path", "") + found[0]
            scope = {**scope, "root_path": root, _KEY: found[1]}
        await self._app(scope, receive, send)


def asked(connection: HTTPConnection, key: str = "") -> Asked:
    """`key`: the agent of the caller's key, if it has one."""
    path: str = connection.scope.get(_KEY, "")
    return Asked(path=path, query=connection.query_params.get("agent", ""), key=key)


def named(connection: HTTPConnection) -> str:
    """The name that a connection asks for, "" for none. Raises UnknownAgent."""
    wanted = asked(connection)
    name = wanted.path or wanted.query
    if name:
        service: Service = connection.app.state.service
        service.agents.get(name)
    return name


def may_name(holder: KeyHolder | None, name: str) -> None:
    """Raises ProtocolError for an agent that who has a key may not name."""
    if holder is not None and not holder.may_name(name):
        problem = f"this key may not talk to {name!r} (keys.{holder.name}.agents)"
        raise ProtocolError(problem, code="agent_not_allowed", param="agent")


def answering(
    connection: HTTPConnection, session_id: str, decision: Decision | None = None
) -> AgentSession:
    """Who answers a client of the Realtime API: whom the owner's program has decided on, else whom
    the client names. Raises ProtocolError for an agent there is not, or that the client's key may
    not name."""
    service: Service = connection.app.state.service
    holder = service.keys.holder(auth.offered_key(connection))
    wanted = asked(connection, "" if holder is None else holder.settings.agent)
    may_name(holder, wanted.path or wanted.query)
    known = {"session_id": session_id}
    if decision is not None:
        known = {**decision.variables, **known}
        wanted = replace(wanted, path=decision.agent or wanted.path)
    try:
        agent = service.answering(wanted, known)
    except UnknownAgent as error:
        raise ProtocolError(str(error), code="agent_not_found", param="agent") from None
    agent.holder = holder
    return agent
