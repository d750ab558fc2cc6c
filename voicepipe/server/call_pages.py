"""`/v1/calls`: the calls that are up and those that were written down, for those who have the
server's own key."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute

from voicepipe.call_log.contract import CallStoreError
from voicepipe.call_log.moments import moment
from voicepipe.call_log.query import CallFilter, Known, NotSearchable
from voicepipe.call_log.reader import CallReader, RecordingFile
from voicepipe.call_log.summaries import Cursor
from voicepipe.runtime.errors import VoicepipeError
from voicepipe.server.authorization import owner_only, refusal
from voicepipe.server.gateways.siblings import ask_siblings, asked_by_sibling
from voicepipe.server.listening import listen
from voicepipe.server.live_calls import LiveCall
from voicepipe.server.recording_response import recording_response
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
    """List, one call, its sound, its end; listening in on one that is up."""
    return [
        Route("/v1/calls", list_calls, methods=["GET"]),
        Route("/v1/calls/{call_id}", _reading(show_call), methods=["GET"]),
        Route("/v1/calls/{call_id}", _reading(delete_call), methods=["DELETE"]),
        Route("/v1/calls/{call_id}/recording", _reading(recording), methods=["GET"]),
        WebSocketRoute("/v1/calls/{call_id}/listen", listen),
    ]


def _reading(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """By key, and where calls are written down."""

    async def answer(request: Request) -> Response:
        denied = owner_only(request)
        if denied is not None:
            return denied
        reader = _service(request).calls.reader
        if reader is None:
            problem = "Calls are not written down here (calls.enabled)."
            return refusal(404, problem, "calls_not_kept")
        try:
            return await handler(request, reader)
        except CallStoreError as error:
            return _unreadable(error)

    return answer


async def list_calls(request: Request) -> Response:
    """A page of those that were written down, newest first. The first page has those that are up
    here besides."""
    denied = owner_only(request)
    if denied is not None:
        return denied
    query = request.query_params
    try:
        wanted, limit = _filter(request), _limit(query.get("limit"))
        after = Cursor.of(query["cursor"]) if query.get("cursor") else None
    except VoicepipeError as error:
        param, _, _ = str(error).partition(" ")
        return refusal(400, str(error), "invalid_value", param)
    service = _service(request)
    live = [_live(one) for one in service.live_calls if _is_wanted(one, wanted)]
    if not service.shared.alone:
        live = [{**one, "gateway": service.shared.gateway} for one in live]
    if asked_by_sibling(request):
        return JSONResponse(live)
    live = [] if after else sorted([*live, *await _live_elsewhere(request)], key=_since)
    body = {"object": "list", "live": live, "data": [], "next_cursor": None}
    reader = service.calls.reader
    try:
        if reader is not None:
            page = await reader.page(wanted, limit, after)
            body["data"] = [_summary(one) for one in page.calls]
            body["next_cursor"] = None if page.next is None else str(page.next)
    except NotSearchable as error:
        return refusal(400, str(error), "invalid_value", "text")
    except CallStoreError as error:
        return _unreadable(error)
    return JSONResponse({**body, "kept": reader is not None}, headers=PRIVATE)


async def _live_elsewhere(request: Request) -> list[dict[str, Any]]:
    parts = await ask_siblings(request)
    return [call for part in parts.values() for call in part]


def _since(live: dict[str, Any]) -> str:
    since: str = live["since"]
    return since


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
    if sound is not None:
        call_id = found.call["id"]
        try:
            return await recording_response(request, sound, f"{call_id}.wav", PRIVATE)
        except OSError as error:  # deleted since it was looked at, or damaged
            log.warning("the recording of %s cannot be sent: %s", call_id, error.strerror)
    return refusal(404, "There is no recording of this call here.", "recording_not_found")


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


def _is_wanted(call: LiveCall, wanted: CallFilter) -> bool:
    """What a filter asks of turns or of the end, a call that is up cannot answer yet."""
    told = (
        (wanted.transport, call.parties.transport),
        (wanted.agent, call.agent),
        (wanted.key, call.key),
    )
    return (
        not (wanted.reason or wanted.text or wanted.slowest_ms)
        and all(asked in ("", known) for asked, known in told)
        and wanted.caller in call.parties.caller
        and (wanted.since is None or call.since >= wanted.since)
        and (wanted.until is None or call.since < wanted.until)
    )


def _live(call: LiveCall) -> dict[str, Any]:
    return {
        "object": "call.live",
        "id": call.id,
        "record_id": call.record_id or None,
        "state": call.state.value,
        "transport": call.parties.transport,
        "caller": call.parties.caller,
        "called": call.parties.called,
        "agent": call.agent,
        "key": call.key,
        "since": _json(call.since),
        "listen_url": f"/v1/calls/{call.id}/listen",
        "hangup_url": f"/v1/realtime/calls/{call.id}/hangup",
    }


def _summary(call: Known) -> dict[str, Any]:
    return {"object": "call", **_facts(call), "recorded": call["recording"] is not None}


def _facts(call: Known) -> dict[str, Any]:
    told = {name: _json(value) for name, value in call.items() if name not in _HIDDEN}
    named = {"agent": call["agent"] or "", "key": call["key_name"]}
    return {**told, **named, "lasted_s": _lasted_s(call)}


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


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


def _unreadable(error: CallStoreError) -> Response:
    log.warning("%s", error)
    return refusal(503, str(error), "call_store_error")


def _unknown(request: Request) -> Response:
    call_id: str = request.path_params["call_id"]
    return refusal(404, f"There is no call {call_id[:80]!r} here.", "call_not_found")


def _json(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
