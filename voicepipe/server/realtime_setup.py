"""The Realtime codec of a new connection, set as the connection asks for."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import HTTPConnection

from voicepipe.protocols.openai_realtime.codec import Dialect, RealtimeCodec
from voicepipe.server import auth
from voicepipe.server.agent_choice import answering
from voicepipe.server.agent_session import AgentSession
from voicepipe.server.live_calls import LiveCall
from voicepipe.server.service import Service
from voicepipe.session.ids import new_id


def realtime_codec(
    connection: HTTPConnection,
    *,
    session_id: str,
    conversation_id: str,
    agent: AgentSession,
    sessions: Sequence[Mapping[str, Any]] = (),
) -> RealtimeCodec:
    """`agent`: who answers; what a client says goes before what the agent says. `sessions`: session
    objects that apply from the start, one after the other, each as far as it goes. Raises
    ProtocolError naming the field that is wrong in them.
    """
    service: Service = connection.app.state.service
    query, wanted = connection.query_params, [dict(session) for session in sessions if session]
    models = [session.get("model") for session in wanted]
    model = next((m for m in reversed(models) if isinstance(m, str) and m), "voicepipe")
    codec = RealtimeCodec(
        defaults=agent.settings(
            service.session_defaults(transcription_only=query.get("intent") == "transcription")
        ),
        model=query.get("model") or model,
        session_id=session_id,
        conversation_id=conversation_id,
        voices=service.engines.synthesizer.voices(),
        expires_at=int(time.time() + service.settings.limits.max_session_s),
        max_text_chars=service.settings.limits.max_text_chars,
        mcp_servers=service.settings.tools.client_mcp,
        models=service.engines.offered_models(),
    )
    agent.changed = codec.adopt
    for session in wanted:  # in GA shape, whatever the client speaks
        update = {"type": "session.update", "session": {"type": "realtime", **session}}
        codec.receive(json.dumps(update))
    codec.begin(_dialect(connection))
    return codec


def joining_codec(connection: HTTPConnection, call: LiveCall) -> RealtimeCodec:
    """Of one who joins a call that is up."""
    service: Service = connection.app.state.service
    assert call.session is not None
    assert call.wire is not None
    return RealtimeCodec(
        defaults=call.session.settings,
        model="",
        session_id=call.session.id,
        voices=(),
        expires_at=0,
        max_text_chars=service.settings.limits.max_text_chars,
        dialect=_dialect(connection),
        joined=call.wire,
        agent_heard=call.agent_heard,
    )


def described(connection: HTTPConnection, session: Mapping[str, Any]) -> dict[str, Any]:
    """The session object in full, in GA shape, that `session` would lead to. Raises
    ProtocolError."""
    session_id = new_id("sess")
    codec = realtime_codec(
        connection,
        session_id=session_id,
        conversation_id=new_id("conv"),
        agent=answering(connection, session_id),
        sessions=[session],
    )
    return codec.session_object.wire()


def _dialect(connection: HTTPConnection) -> Dialect:
    beta = "realtime=v1" in connection.headers.get(
        "openai-beta", ""
    ) or "openai-beta.realtime-v1" in auth.subprotocols(connection)
    return "beta" if beta else "ga"
