"""The other gateways of a server, asked all at once for their part of an answer."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

import httpx
from starlette.requests import Request

from voicepipe.server.gateways.forwarding import SIBLING, came_by_own_door
from voicepipe.server.service import Service

log = logging.getLogger(__name__)

ANSWER_S = 2.0
"""A gateway that takes longer is left out of the answer."""


def asked_by_sibling(request: Request) -> bool:
    """Whether only this gateway's own part is wanted, as JSON."""
    service: Service = request.app.state.service
    asked = SIBLING.decode() in request.headers  # a client's request may be passed on here as well
    return asked and not service.shared.alone and came_by_own_door(request.scope)


async def ask_siblings(request: Request) -> dict[str, Any]:
    """Each one's part of the answer to the same request, by gateway; {} for a server of one
    process. Those that do not answer are missing, and the log says so."""
    service: Service = request.app.state.service
    others = service.shared.others()
    answers = await asyncio.gather(*(_ask(service, one, request) for one in others))
    return {one: part for one, part in zip(others, answers, strict=True) if part is not None}


async def _ask(service: Service, gateway: str, request: Request) -> Any:
    query = request.url.query
    target = f"http://gateway{request.url.path}{'?' + query if query else ''}"
    kept = {name: request.headers[name] for name in _TOLD if name in request.headers}
    question = httpx.Request("GET", target, headers={**kept, SIBLING.decode(): "1"})
    transport = httpx.AsyncHTTPTransport(uds=str(service.shared.own_door(gateway)), verify=False)
    try:
        async with asyncio.timeout(ANSWER_S), transport:
            answer = await transport.handle_async_request(question)
            answer.request = question  # which is how its status is judged
            return json.loads(await answer.raise_for_status().aread())
    except (TimeoutError, httpx.HTTPError, ValueError) as error:
        log.warning("gateway %s has not told its part: %s", gateway, type(error).__name__)
        return None


_TOLD = ("authorization", "host", "origin")
