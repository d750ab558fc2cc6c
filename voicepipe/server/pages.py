"""The HTTP side: health, readiness, metrics and recent turns. The page itself is in `web.py`."""

from __future__ import annotations

import asyncio
import json
from itertools import chain

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from voicepipe import __version__
from voicepipe.ledger.log import summary_of
from voicepipe.server import auth
from voicepipe.server.authorization import refusal
from voicepipe.server.gateways.siblings import ask_siblings, asked_by_sibling
from voicepipe.server.metrics import Metrics, render_all
from voicepipe.server.service import Service

MAX_TURNS = 1000
_DIGITS = len(str(MAX_TURNS))  # Python reads no number of thousands


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


def _unauthorized(request: Request) -> Response | None:
    key = _service(request).settings.server.api_key
    if auth.key_is_right(key, auth.offered_key(request)):
        return None
    return JSONResponse(
        {"error": {"message": "Wrong or missing API key.", "code": "invalid_api_key"}},
        status_code=401,
    )


async def healthz(request: Request) -> Response:
    """Liveness: 503 where only another start will help, else 200, while starting and stopping too.
    Whether sessions are taken is what `/readyz` says."""
    service = _service(request)
    if service.failure and not service.closing:
        return PlainTextResponse("failed\n", status_code=503)
    state = (
        "stopping" if service.closing or service.leaving else "ok" if service.ready else "starting"
    )
    return PlainTextResponse(f"{state}\n")


async def readyz(request: Request) -> Response:
    """Readiness: 200 once the engines are warm and serve, 503 before that and while stopping; with
    which engine does, and how many sessions fit. Without the key, where one is asked for, only
    whether calls can be taken."""
    service = _service(request)
    problems = service.engines.problems()
    ready = service.ready and not service.leaving and not problems
    status = 200 if ready else 503
    if _unauthorized(request):
        return JSONResponse({"ready": ready}, status_code=status)
    names = {
        "asr": service.engines.recognizer.name,
        "llm": service.engines.model.name,
        "tts": service.engines.synthesizer.name,
    }
    body = {
        "ready": ready,
        "version": __version__,
        "profile": service.settings.profile,
        "engines": {
            kind: {
                "engine": name,
                "ready": service.engines.ready.get(kind, False) and kind not in problems,
            }
            for kind, name in names.items()
        },
        "breakers": {kind: b.state.value for kind, b in service.engines.breakers.items()},
        "drift": [drift.as_dict() for drift in service.drift.findings],
        "sessions": len(service.seats),
        "max_sessions": service.settings.limits.max_sessions,
        "problem": str(service.failure)
        if service.failure
        else "; ".join(problems.values()) or None,
    }
    if not service.shared.alone:
        body |= {"gateway": service.shared.gateway, "gateways": service.shared.gateways()}
    return JSONResponse(body, status_code=status)


async def metrics(request: Request) -> Response:
    """Prometheus' text format, or OpenMetrics."""
    denied = _unauthorized(request)
    if denied:
        return denied
    collected: Metrics = request.app.state.metrics
    own = collected.families()
    if asked_by_sibling(request):
        return JSONResponse(own)
    accept, shared = request.headers.get("accept", ""), _service(request).shared
    if shared.alone:
        text, media_type = collected.render(accept)
    else:
        parts = {shared.gateway: own, **await ask_siblings(request)}
        text, media_type = await asyncio.to_thread(render_all, shared, parts, accept)
    return Response(text, media_type=media_type)


async def turns(request: Request) -> Response:
    """Recent turns as JSON lines, oldest first; `?limit=`, `?session=`, `?summary=1`."""
    denied = _unauthorized(request)
    if denied:
        return denied
    log = _service(request).turn_log
    if request.query_params.get("summary"):
        if asked_by_sibling(request):
            return JSONResponse(log.figures())
        others = await ask_siblings(request)
        return JSONResponse(summary_of([log.figures(), *others.values()]))
    text = request.query_params.get("limit", "100")
    if not (text.isdecimal() and len(text) <= _DIGITS and 1 <= int(text) <= MAX_TURNS):
        problem = f"limit must be a whole number from 1 to {MAX_TURNS}, got {text[:60]!r}"
        return JSONResponse({"error": {"message": problem, "param": "limit"}}, status_code=400)
    found = log.timed(int(text), request.query_params.get("session"))
    own = [[at, json.dumps(record.as_dict())] for at, record in found]
    if asked_by_sibling(request):
        return JSONResponse(own)
    others = await ask_siblings(request)
    newest = sorted(chain(own, *others.values()))[-int(text) :]
    lines = "".join(f"{line}\n" for _, line in newest)
    return Response(lines, media_type="application/jsonl")


async def models(request: Request) -> Response:
    """What SDKs ask to see whether the server is there."""
    denied = _unauthorized(request)
    if denied:
        return denied
    return JSONResponse({"object": "list", "data": [_model(_service(request))]})


async def model(request: Request) -> Response:
    """One of them."""
    denied = _unauthorized(request)
    if denied:
        return denied
    name, ours = request.path_params["name"], _model(_service(request))
    if name == ours["id"]:
        return JSONResponse(ours)
    problem = (
        f"There is no model {name[:100]!r} here, but {ours['id']!r}; a session takes any name."
    )
    return refusal(404, problem, "model_not_found", "model")


def _model(service: Service) -> dict[str, str | int]:
    return {
        "id": f"voicepipe-{service.settings.profile}",
        "object": "model",
        "created": int(service.started_at.timestamp()),
        "owned_by": "voicepipe",
    }
