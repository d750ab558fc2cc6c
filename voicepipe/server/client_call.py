"""A call that a client of the Realtime API opens, by WebSocket or WebRTC: who answers it. Where
a program decides on that, by the webhook `call.incoming` or by itself, it is asked first, as for a
call by telephone.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.requests import HTTPConnection

from voicepipe.runtime.errors import LimitExceeded, ProtocolError, VoicepipeError
from voicepipe.server.agent_choice import answering
from voicepipe.server.agent_session import AgentSession
from voicepipe.server.decision import Decision
from voicepipe.server.keys import KeyHolder
from voicepipe.server.live_calls import LiveCall, Parties, State
from voicepipe.server.realtime_setup import described
from voicepipe.server.service import Service

log = logging.getLogger(__name__)


class CallRejected(VoicepipeError):
    """A program has decided that the call is not answered, or nobody has decided and the settings
    say so."""


@dataclass(frozen=True, slots=True)
class ClientCall:
    """It is to be answered: `live`, not yet connected, by `agent`. `sessions`: session objects that
    apply one after the other, what the program said as the last."""

    live: LiveCall
    agent: AgentSession
    sessions: Sequence[Mapping[str, Any]]


async def admit(
    connection: HTTPConnection,
    live_id: str,
    session_id: str,
    transport: str,
    sessions: Sequence[Mapping[str, Any]],
) -> ClientCall:
    """Raises CallRejected, ProtocolError for an agent that there is not, LimitExceeded where the
    server has no room."""
    service: Service = connection.app.state.service
    agent = answering(connection, session_id)  # what is wrong is told before anybody is asked
    parties = Parties(transport)
    key = "" if agent.holder is None else agent.holder.name
    if not service.incoming.asks_about_clients:
        return ClientCall(LiveCall(live_id, parties, key=key), agent, sessions)
    _check_room(service)
    if agent.holder is not None:
        _open_with(agent.holder, service)
    told = {"agent": agent.name, "key": key}
    live, deciding = service.incoming.ring(live_id, parties, told, client_call=live_id, key=key)
    decision = await deciding
    if not decision.accepted:
        if service.closing:
            service.check_room()  # who calls may try again later
        raise CallRejected(f"The call is not answered: {decision.reason}.")
    if live.state is State.ENDED:  # hung up as soon as it was accepted
        raise CallRejected("The call is not answered: hung up.")
    if decision.agent or decision.variables:
        agent = answering(connection, session_id, decision)
    agent.opening_counted = True
    return ClientCall(live, agent, [*sessions, _session(connection, decision)])


def _session(connection: HTTPConnection, decision: Decision) -> Mapping[str, Any]:
    """What the program said of the session; nothing, where that cannot be."""
    try:
        described(connection, decision.session)
    except ProtocolError as error:
        log.warning("call.incoming was answered with a session that cannot be: %s", error)
        return {}
    return decision.session


def _check_room(service: Service) -> None:
    """Nobody is asked about a call that could not be answered. Raises LimitExceeded."""
    service.check_room()
    limit = service.settings.limits.max_sessions
    if len(_ringing(service)) >= limit:
        raise LimitExceeded(f"{limit} calls wait for a program to decide on them; try again later")


def _open_with(holder: KeyHolder, service: Service) -> None:
    """A call that rings is one that its key has opened, so the key's limits are asked now, and what
    rings already is counted. Raises LimitExceeded that names the limit."""
    ringing = sum(call.key == holder.name for call in _ringing(service))
    service.check_key(holder, ringing)
    service.count_opening(holder)


def _ringing(service: Service) -> list[LiveCall]:
    return [call for call in service.live_calls if call.state is State.RINGING]
