"""A carrier's REST interface, as far as calls are made by it: judges each request by the vendor's
documents, and says where the call that it makes is streamed to. Pure.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote
from xml.etree.ElementTree import ParseError

from voicepipe.lab.carriers.dialect import CallDetails
from voicepipe.lab.carriers.form_webhook import twiml_stream


@dataclass(frozen=True, slots=True)
class Request:
    """As it came; `path` without the host."""

    method: str
    path: str
    authorization: str
    content_type: str
    body: bytes


@dataclass(slots=True)
class Placed:
    """A call that the carrier makes: it streams it to `stream_url`, or asks at `answer_url` where
    to, and tells `status_url` what became of it. `problems`: what its documents do not allow; then
    there is none."""

    to: str = ""
    caller: str = ""
    ring_s: int = 0
    stream_url: str = ""
    answer_url: str = ""
    status_url: str = ""
    problems: list[str] = field(default_factory=list)


def answer_to(carrier: str, call_id: str) -> dict[str, Any]:
    """What a request that is right is answered with; `call_id`: what the carrier calls the call."""
    answers: dict[str, dict[str, Any]] = {
        "telnyx": {"data": {"call_control_id": call_id, "call_leg_id": "leg"}},
        "plivo": {"request_uuid": call_id, "message": "call fired", "api_id": "a"},
        "vonage": {"uuid": call_id, "status": "started", "direction": "outbound"},
    }
    return answers.get(carrier, {"sid": call_id, "status": "queued"})


def placed(carrier: str, request: Request) -> Placed:
    """The judgement on one request."""
    judge = _JUDGES[carrier]
    found = Placed()
    if request.method != "POST":
        found.problems.append(f"{request.method} is not POST")
    try:
        judge(request, found)
    except (ValueError, KeyError, TypeError, IndexError, ParseError) as error:
        found.problems.append(f"{type(error).__name__}: {error}")
    return found


def _twilio(request: Request, found: Placed) -> None:
    _wants(found, request.path, "/2010-04-01/Accounts/AC1/Calls.json")
    _laml(request, found)


def _signalwire(request: Request, found: Placed) -> None:
    _wants(found, request.path, "/api/laml/2010-04-01/Accounts/AC1/Calls.json")
    _laml(request, found)


def _laml(request: Request, found: Placed) -> None:
    _basic(request, found)
    _wants(found, request.content_type, "application/x-www-form-urlencoded")
    form = dict(parse_qsl(request.body.decode(), strict_parsing=True))
    _only(found, form, {"To", "From", "Twiml", "Timeout", "StatusCallback"})
    found.status_url = form.get("StatusCallback", "")
    found.to, found.caller, found.ring_s = form["To"], form["From"], int(form["Timeout"])
    _e164(found)
    if len(form["Twiml"]) > 4000:
        found.problems.append("Twiml has more than 4000 characters")
    found.stream_url = twiml_stream(form["Twiml"], CallDetails()).url


def _telnyx(request: Request, found: Placed) -> None:
    _wants(found, request.path, "/v2/calls")
    _wants(found, request.authorization, "Bearer KEY1")
    wishes = _json(request, found)
    if wishes["connection_id"] != "C1":
        found.problems.append("connection_id is not the application's")
    if wishes.get("stream_bidirectional_mode") != "rtp":
        found.problems.append("without the mode rtp the callee hears nothing")
    if (wishes["stream_bidirectional_codec"], wishes["stream_bidirectional_sampling_rate"]) != (
        "PCMU",
        8000,
    ):
        found.problems.append("PCMU has 8000 Hz")
    found.to, found.caller, found.ring_s = wishes["to"], wishes["from"], wishes["timeout_secs"]
    _e164(found)
    if not 5 <= found.ring_s <= 120:
        found.problems.append("timeout_secs is from 5 to 120")
    found.stream_url = wishes["stream_url"]
    found.status_url = wishes.get("webhook_url", "")


def _plivo(request: Request, found: Placed) -> None:
    _wants(found, request.path, "/v1/Account/AC1/Call/")
    _basic(request, found)
    wishes = _json(request, found)
    answering, ending = {"answer_url", "answer_method"}, {"hangup_url", "hangup_method"}
    _only(found, wishes, {"from", "to", "hangup_on_ring", *answering, *ending})
    found.status_url = wishes.get("hangup_url", "")
    found.to, found.caller, found.ring_s = wishes["to"], wishes["from"], wishes["hangup_on_ring"]
    found.answer_url = wishes["answer_url"]
    _wants(found, wishes["answer_method"], "POST")


def _vonage(request: Request, found: Placed) -> None:
    _wants(found, request.path, "/v1/calls")
    _application_token(request, found)
    wishes = _json(request, found)
    _only(found, wishes, {"to", "from", "ncco", "ringing_timer", "event_url", "event_method"})
    (found.status_url,) = wishes["event_url"]
    (to,), caller = wishes["to"], wishes["from"]
    _wants(found, to["type"], "phone")
    _wants(found, caller["type"], "phone")
    found.to, found.caller, found.ring_s = to["number"], caller["number"], wishes["ringing_timer"]
    if not (found.to.isdigit() and 7 <= len(found.to) <= 15):
        found.problems.append("a number has 7 to 15 digits and no +")
    (connect,) = wishes["ncco"]
    (endpoint,) = connect["endpoint"]
    _wants(found, connect["action"], "connect")
    _wants(found, endpoint["type"], "websocket")
    found.stream_url = endpoint["uri"]


_JUDGES: Mapping[str, Callable[[Request, Placed], None]] = {
    "twilio": _twilio,
    "signalwire": _signalwire,
    "telnyx": _telnyx,
    "plivo": _plivo,
    "vonage": _vonage,
}


def _wants(found: Placed, got: str, wanted: str) -> None:
    if unquote(got) != wanted:
        found.problems.append(f"{wanted!r} is wanted, {got!r} came")


def _only(found: Placed, fields: Mapping[str, Any], known: set[str]) -> None:
    found.problems += [f"{name} is not known" for name in fields if name not in known]


def _e164(found: Placed) -> None:
    for number in (found.to, found.caller):
        if not (number.startswith("+") and number[1:].isdigit()):
            found.problems.append(f"{number} is not E.164")


def _json(request: Request, found: Placed) -> dict[str, Any]:
    _wants(found, request.content_type, "application/json")
    wishes = json.loads(request.body)
    if not isinstance(wishes, dict):
        raise TypeError("no object")
    return wishes


def _basic(request: Request, found: Placed) -> None:
    """The account AC1 with the token KEY1."""
    wanted = base64.b64encode(b"AC1:KEY1").decode()
    _wants(found, request.authorization, f"Basic {wanted}")


def _application_token(request: Request, found: Placed) -> None:
    """A JWT of the application APP1, RS256; who checks its signature has the public key."""
    scheme, _, token = request.authorization.partition(" ")
    head, claims, _ = (part + "=" * (-len(part) % 4) for part in token.split("."))
    _wants(found, scheme, "Bearer")
    _wants(found, json.loads(base64.urlsafe_b64decode(head))["alg"], "RS256")
    said = json.loads(base64.urlsafe_b64decode(claims))
    _wants(found, said["application_id"], "APP1")
    if not said["jti"] or said["exp"] <= said["iat"]:
        found.problems.append("the token has no jti, or no time")
