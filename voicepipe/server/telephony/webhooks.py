"""The carriers' webhooks: somebody is calling, what shall be done? The answer is a document that
streams the call here, once the carrier's signature has been checked.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response

from voicepipe.agents.directory import UnknownAgent
from voicepipe.protocols.telephony.carrier import Carrier, Webhook
from voicepipe.server.agent_choice import named
from voicepipe.server.gateways.forwarding import door_of
from voicepipe.server.gateways.pass_on import PassedOn
from voicepipe.server.live_calls import Parties
from voicepipe.server.service import Service
from voicepipe.server.shared.directory import request_name
from voicepipe.server.telephony import access
from voicepipe.server.telephony.outbound import CALL
from voicepipe.server.telephony.public_url import public_origin, stream_origin
from voicepipe.server.telephony.room import busy
from voicepipe.server.telephony.signed import Signed, read_signed, refused
from voicepipe.server.telephony.state import TelephonyState
from voicepipe.server.telephony.tickets import CallerId

log = logging.getLogger(__name__)

MAX_NUMBER_CHARS = 64


def webhook_endpoint(
    carrier: Carrier, webhook: Webhook
) -> Callable[[Request], Awaitable[Response]]:
    """GET or POST: the document for this call."""

    async def endpoint(request: Request) -> Response:
        service: Service = request.app.state.service
        state: TelephonyState = request.app.state.telephony
        settings = service.settings.telephony
        signed = await read_signed(request, carrier, webhook)
        if isinstance(signed, Response):
            return signed
        verified = signed.verified
        elsewhere = service.directory.elsewhere(request_name(f"{carrier.name} {verified}"))
        if elsewhere is not None:  # it was sent before, and its call rings there
            return PassedOn(door_of(service, elsewhere, request.scope), signed.request.body)
        ours = _dialed(request, webhook)
        dialed = state.outbound.known(ours)
        if ours and dialed is None:
            log.info("call %s was picked up over %s, and nobody wants it", ours, carrier.name)
            return Response(webhook.busy(settings.busy), media_type=webhook.media_type)
        reason = busy(service)
        if reason is not None:
            log.warning("a call from %s is refused: %s", carrier.name, reason)
            if ours:
                state.outbound.unanswered(ours, "refused")  # the document that follows ends it
            return Response(webhook.busy(settings.busy), media_type=webhook.media_type)
        with_query = webhook.signs_query or not signed.request.body
        fields = _fields(request, signed, with_query=with_query)
        parameters = {name: _clean(fields.get(key, "")) for name, key in webhook.fields.items()}
        try:
            agent = named(request)
        except UnknownAgent as error:
            log.warning("a call from %s is refused: %s", carrier.name, error)
            return access.denial(404, str(error))
        caller_id = dialed or CallerId(parameters["caller"], parameters["called"], agent)
        if (
            dialed is None
            and service.incoming.asks
            and not await _is_spent(state, carrier, verified)
        ):
            call_id = _clean(fields.get(webhook.call_id, ""))
            asked = Parties(carrier.name, caller_id.caller, caller_id.called, call_id)
            live, deciding = service.incoming.ring(f"{carrier.name} {verified}", asked)
            decision = await deciding
            if not decision.accepted:
                log.info("a call from %s is refused: %s", carrier.name, decision.reason)
                return Response(webhook.busy(settings.busy), media_type=webhook.media_type)
            caller_id = replace(caller_id, live=live, decision=decision)
        ticket = await _ticket(state, carrier, verified, caller_id)
        if ticket is None:
            return refused(carrier, webhook, "it was answered before, and its call has begun")
        origin = stream_origin(public_origin(request, settings))
        url = f"{origin}{carrier.path}/{ticket}"
        return Response(webhook.document(url, parameters), media_type=webhook.media_type)

    return endpoint


def _dialed(request: Request, webhook: Webhook) -> str:
    """Our id of a call that we have made, where the carrier asks for its document; the query that
    says so is signed. "" for one that comes in."""
    return request.query_params.get(CALL, "") if webhook.signs_query else ""


async def _ticket(
    state: TelephonyState, carrier: Carrier, verified: str, caller_id: CallerId
) -> str | None:
    """None: the request had its call, before a restart perhaps."""
    if await _is_spent(state, carrier, verified):
        return None
    return state.tickets.issue(carrier.name, f"{carrier.name} {verified}", caller_id)


async def _is_spent(state: TelephonyState, carrier: Carrier, verified: str) -> bool:
    return await state.spent.holds(f"{carrier.name} {verified}")


def _fields(request: Request, signed: Signed, *, with_query: bool) -> dict[str, str]:
    """What the request says; its body before its query."""
    query = request.url.query if with_query else ""
    return dict(parse_qsl(query, keep_blank_values=True)) | signed.fields


def _clean(number: str) -> str:
    """What may stand in a document: no control characters, not long."""
    return "".join(c for c in number if c.isprintable())[:MAX_NUMBER_CHARS]
