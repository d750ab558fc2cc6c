"""The browser client: `web/` of the repository at `/` and `/web/...`, and what the page asks first.

The page comes at once, also while the engines start: it shows that itself.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route

import voicepipe
from voicepipe.config import ServerSettings
from voicepipe.models.at_work import better_models, models_at_work
from voicepipe.protocols.openai_realtime import extension
from voicepipe.server import auth, authorization
from voicepipe.server.page_files import PageFiles
from voicepipe.server.regions import page_origins
from voicepipe.server.service import Service
from voicepipe.server.voice_sample import voice_sample
from voicepipe.tools.builtin import DECLARATIONS


def web_dir() -> Path:
    """The folder that ships in the package; in a checkout a link to the repository's `web`."""
    return Path(str(files("voicepipe") / "web"))


def routes(settings: ServerSettings, directory: Path | None = None) -> list[BaseRoute]:
    """`/`, `/web/server` and `/web/...`; without the folder, `/` says what is missing."""
    directory = directory or web_dir()
    if not (directory / "index.html").is_file():
        return [Route("/", _no_page), Route("/web/server", server)]
    files = PageFiles(directory, settings)

    async def index(request: Request) -> Response:
        return await files.index(request.scope)

    return [
        Route("/", index),
        Route("/web/server", server),
        Route("/web/sample", voice_sample),
        Mount("/web", files, name="web"),
    ]


async def server(request: Request) -> JSONResponse:
    """What the page must know before a call, as JSON.

    A browser is not told why its WebSocket was refused, so this also says whether the key that
    comes with the request is right, whether there is room, and whether pages from here may connect.
    Without the key, where one is asked for, that is all.
    """
    service: Service = request.app.state.service
    settings = service.settings
    key = _key_state(request)
    body = {
        "ready": service.ready,
        "key": key,
        "origin_allowed": auth.origin_is_allowed(request, page_origins(settings.server)),
        "full": service.seats.problem is not None,
    }
    if key in ("none", "right"):
        body |= _known_to_callers(service)
    return JSONResponse(body, headers={"Cache-Control": "no-store"})


def _known_to_callers(service: Service) -> dict[str, Any]:
    """`voicepipe`: turn options and budgets that a call begins with, as in the session object.
    `limits`: what the models cannot do, by stage; `better_models`: the command, "" where none is.
    """
    settings = service.settings
    return {
        "version": voicepipe.__version__,
        "profile": settings.profile,
        "problem": str(service.failure) if service.failure else None,
        "engines": dict(service.engines.ready),
        "voices": list(service.engines.synthesizer.voices()) if service.ready else [],
        "voice": settings.tts.voice or None,
        "language": settings.asr.language,
        "voicepipe": extension.of_settings(service.session_defaults()),
        "models": _models(service),
        "limits": {one.stage: one.limits for one in models_at_work(settings) if one.limits},
        "better_models": better_models(settings),
        "choices": _choices(service),
        "agent": _agent(service),
    }


def _models(service: Service) -> dict[str, str]:
    """Engine, and its model where one is named, by stage."""
    engines, settings = service.engines, service.settings
    names = {
        "asr": (engines.recognizer.name, settings.asr.model),
        "llm": (engines.model.name, settings.llm.model),
        "tts": (engines.synthesizer.name, None),
    }
    return {stage: " ".join(filter(None, parts)) for stage, parts in names.items()}


def _choices(service: Service) -> dict[str, list[dict[str, str]]]:
    """What a call may be set to, beside what it begins with: language models, each with the setting
    that would make it the server's own, and endpointing policies."""
    llm = service.settings.llm
    models = [
        {"value": name, "setting": "llm.model" if name and name not in llm.others else "llm.use"}
        for name in service.engines.offered_models()
    ]
    policies = extension.policies(service.settings.turns)
    return {"model": models, "endpointing": [{"value": name} for name in policies]}


def _agent(service: Service) -> dict[str, Any]:
    """What a session is told to be."""
    defaults = service.session_defaults()
    tools = [DECLARATIONS[name] for name in service.settings.llm.tools if name in DECLARATIONS]
    return {
        "instructions": defaults.instructions,
        "speed": defaults.speed,
        "tools": [{"name": tool.name, "description": tool.description} for tool in tools],
    }


def _key_state(request: Request) -> str:
    """`none` is asked for, or the request's own is `right`, `wrong` or `missing`."""
    service: Service = request.app.state.service
    if service.settings.server.api_key is None:
        return "none"
    if auth.offered_key(request) is None:
        return "missing"
    entry = authorization.enter(request)
    wrong = isinstance(entry, Response) and entry.status_code == 401
    return "wrong" if wrong else "right"


async def _no_page(request: Request) -> Response:
    return Response(
        "voicepipe is running, but its page is not: the folder 'web' is missing in the package.\n"
        "Any OpenAI Realtime client can connect to /v1/realtime; see /readyz and /v1/turns.\n",
        status_code=404,
        media_type="text/plain",
    )
