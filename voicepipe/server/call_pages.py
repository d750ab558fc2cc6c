"""`/v1/calls`: the calls that were written down, for those who have the server's own key."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from voicepipe.call_log.contract import CallStoreError
from voicepipe.call_log.moments import moment
from voicepipe.call_log.query import CallFilter, Known
from voicepipe.call_log.reader import CallReader, RecordingFile
from voicepipe.call_log.summaries import Cursor
from voicepipe.runtime.errors import VoicepipeError
from voicepipe.server.authorization import owner_only, refusal
from voicepipe.server.service import Service

log = logging.getLogger(__name__)

PAGE, MAX_PAGE = 50, 200
MAX_TEXT = 200
"""Characters of a filter."""

PRIVATE = {"Cache-Control": "no-store"}
"""What people said stays in no cache."""

_HIDDEN = ("server_id", "recording", "lost_turns", "lost_sound_s", "key_name")

Handler = Callable[[Request, CallReader], Awaitable[Response]]


def routes() -> list[BaseRoute]:
    """List, one call, its sound, its end."""
    return [
        Route("/v1/calls", _reading(list_calls, empty=True), methods=["GET"]),
        Route("/v1/calls/{call_id}", _reading(show_call), methods=["GET"]),
        Route("/v1/calls/{call_id}", _reading(delete_call), methods=["DELETE"]),
        Route("/v1/calls/{call_id}/recording", _reading(recording), methods=["GET"]),
    ]


def _reading(handler: Handler, *, empty: bool = False) -> Callable[[Request], Awaitable[Response]]:
    """By key, and with a database. `empty`: without one there is simply nothing."""

    async def answer(request: Request) -> Response:
        denied = owner_only(request)
        if denied is not None:
            return denied
        service: Service = request.app.state.service
        reader = service.calls.reader
        if reader is None and empty:
            return _list([], None, kept=False)
        if reader is None:
            problem = "Calls are not written down here (calls.enabled)."
            return refusal(404, problem, "calls_not_kept")
        try:
            return await handler(request, reader)
        except CallStoreError as error:
            log.warning("%s", error)
            return refusal(503, str(error), "call_store_error")

    return answer


async def list_calls(request: Request, reader: CallReader) -> Response:
    """A page of them, newest first, those under way before all others."""
    query = request.query_params
    try:
        wanted, limit = _filter(request), _limit(query.get("limit"))
        after = Cursor.of(query["cursor"]) if query.get("cursor") else None
    except VoicepipeError as error:
        param, _, _ = str(error).partition(" ")
        return refusal(400, str(error), "invalid_value", param)
    page = await reader.page(wanted, limit, after)
    return _list([_summary(one) for one in page.calls], page.next, kept=True)


async def show_call(request: Request, reader: CallReader) -> Response:
    """One call: its facts, its turns with words and ledgers, where its sound is."""
    found = await reader.call(request.path_params["call_id"])
    if found is None:
        return _unknown(request)
    sound = None if _is_open(found.call) else await reader.recording(found.call)
    body = {
        "object": "call",
        **_facts(found.call),
        "lost": {name: found.call[f"lost_{name}"] for name in ("turns", "sound_s")},
        "recording": None if sound is None else _about(found.call, sound),
        "turns": found.as_dict()["turns"],
    }
    return JSONResponse(body, headers=PRIVATE)


async def recording(request: Request, reader: CallReader) -> Response:
    """The stereo WAV; any part of it by `Range`."""
    found = await reader.call(request.path_params["call_id"])
    if found is None:
        return _unknown(request)
    if _is_open(found.call):
        return refusal(409, "The call is still under way.", "call_not_ended")
    sound = await reader.recording(found.call)
    if sound is None:
        return refusal(404, "There is no recording of this call here.", "recording_not_found")
    name = f"{found.call['id']}.wav"
    return FileResponse(
        sound.path,
        media_type="audio/wav",
        filename=name,
        content_disposition_type="inline",
        headers=PRIVATE,
    )


async def delete_call(request: Request, reader: CallReader) -> Response:
    """Delete a call, its turns and its recording for good."""
    call_id = request.path_params["call_id"]
    found = await reader.call(call_id)
    if found is None:
        return _unknown(request)
    if _is_open(found.call):
        problem = "The call is still under way; delete it when it has ended."
        return refusal(409, problem, "call_not_ended")
    if not await reader.delete(call_id):
        return _unknown(request)
    log.info("%s was deleted on request", call_id)
    return JSONResponse({"id": call_id, "object": "call.deleted", "deleted": True})


def _filter(request: Request) -> CallFilter:
    """Raises VoicepipeError that begins with the parameter's name."""
    query = request.query_params
    return CallFilter(
        since=_moment(query, "since"),
        until=_moment(query, "until"),
        caller=_text(query, "caller"),
        reason=_text(query, "reason"),
        transport=_text(query, "transport"),
        agent=_text(query, "agent"),
        key=_text(query, "key"),
        text=_text(query, "text"),
        slowest_ms=_slowest(query.get("slowest_ms")),
    )


def _moment(query: QueryParams, name: str) -> datetime | None:
    return moment(query[name], name) if query.get(name) else None


def _text(query: QueryParams, name: str) -> str:
    value = query.get(name, "")
    if len(value) > MAX_TEXT:
        raise VoicepipeError(f"{name} is longer than {MAX_TEXT} characters, the limit here")
    return value


def _limit(text: str | None) -> int:
    if not text:
        return PAGE
    if not (text.isdecimal() and len(text) <= 4 and 1 <= int(text) <= MAX_PAGE):
        raise VoicepipeError(f"limit must be a whole number from 1 to {MAX_PAGE}")
    return int(text)


def _slowest(text: str | None) -> float | None:
    if not text:
        return None
    if not (text.isdecimal() and len(text) <= 7):
        raise VoicepipeError("slowest_ms must be a whole number of milliseconds, up to 9999999")
    return float(text)


def _list(found: list[dict[str, Any]], after: Cursor | None, *, kept: bool) -> Response:
    cursor = None if after is None else str(after)
    body = {"object": "list", "data": found, "next_cursor": cursor, "kept": kept}
    return JSONResponse(body, headers=PRIVATE)


def _summary(call: Known) -> dict[str, Any]:
    return {"object": "call", **_facts(call), "recorded": call["recording"] is not None}


def _facts(call: Known) -> dict[str, Any]:
    told = {name: _json(value) for name, value in call.items() if name not in _HIDDEN}
    return {**told, "key": call["key_name"], "lasted_s": _lasted_s(call)}


def _lasted_s(call: Known) -> float:
    until = datetime.now(UTC) if _is_open(call) else call["ended_at"]
    return round(float((until - call["started_at"]).total_seconds()), 3)


def _about(call: Known, sound: RecordingFile) -> dict[str, Any]:
    return {
        "url": f"/v1/calls/{call['id']}/recording",
        "started_at": _json(call["recording_started_at"]),
        "seconds": round(sound.seconds, 3),
        "rate": sound.rate,
        "bytes": sound.size,
    }


def _is_open(call: Known) -> bool:
    return call["ended_at"] is None


def _unknown(request: Request) -> Response:
    call_id: str = request.path_params["call_id"]
    return refusal(404, f"There is no call {call_id[:80]!r} here.", "call_not_found")


def _json(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
