"""Who may stream a call here. A carrier's stream brings the ticket that its signed webhook was
given; a bridge of one's own brings the server's key.
"""

from __future__ import annotations

import base64
import binascii

from pydantic import SecretStr
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse

from voicepipe.config import Settings, TelephonySettings
from voicepipe.protocols.telephony.carrier import Carrier, SignedRequest, Webhook
from voicepipe.server import auth
from voicepipe.server.regions import page_origins
from voicepipe.server.telephony.public_url import public_url
from voicepipe.server.telephony.tickets import CallerId, Tickets


def secret_setting(carrier: Carrier, webhook: Webhook) -> str:
    """The setting that opens the carrier's paths."""
    return f"telephony.{carrier.name}.{webhook.secret}"


def secret_of(carrier: Carrier, webhook: Webhook, settings: TelephonySettings) -> str:
    """What the carrier's requests are checked with; "": not set."""
    secret = getattr(getattr(settings, carrier.name), webhook.secret)
    return secret.get_secret_value() if isinstance(secret, SecretStr) else secret or ""


def closed(carrier: Carrier, webhook: Webhook, settings: TelephonySettings) -> JSONResponse | None:
    """The refusal of a carrier whose secret nobody has set; None: its paths are open."""
    if settings.insecure or secret_of(carrier, webhook, settings):
        return None
    return denial(
        403,
        f"Calls from {carrier.name} are not accepted: set {secret_setting(carrier, webhook)}, so "
        "that its requests can be checked (or telephony.insecure = true, for a test at the desk).",
    )


def admit_stream(
    connection: HTTPConnection, carrier: Carrier, settings: Settings, tickets: Tickets
) -> CallerId | JSONResponse:
    """What is known of the caller, or the refusal."""
    if carrier.webhook is None:
        return _admit_bridge(connection, settings)
    telephony = settings.telephony
    refusal = closed(carrier, carrier.webhook, telephony)
    if refusal is not None:
        return refusal
    if _has_server_key(connection, settings):  # a stream that the owner's own program has begun
        return CallerId()
    ticket = connection.path_params.get("ticket", "")
    if telephony.insecure:  # carriers send no Origin; a page has no business here
        if not auth.origin_is_allowed(connection, page_origins(settings.server)):
            return denial(403, "This page's origin may not connect (server.allowed_origins).")
        return tickets.redeem(carrier.name, ticket) or CallerId()
    upgrade = SignedRequest(public_url(connection, telephony), connection.headers)
    secret = secret_of(carrier, carrier.webhook, telephony)
    problem = carrier.webhook.stream_refusal(upgrade, secret)
    if problem is not None:
        return denial(403, problem)
    caller_id = tickets.redeem(carrier.name, ticket)
    if caller_id is None:
        path = f"{carrier.path}/{carrier.webhook.path}"
        return denial(
            403,
            "This stream's ticket is missing, used, or too old. Streams are begun by the document "
            f"that {path} answers; one of your own sends the server's key.",
        )
    return caller_id


def _admit_bridge(connection: HTTPConnection, settings: Settings) -> CallerId | JSONResponse:
    server = settings.server
    if not auth.key_is_right(server.api_key, _offered_key(connection)):
        return denial(401, "Wrong or missing API key: send 'Authorization: Bearer KEY'.")
    if not auth.origin_is_allowed(connection, page_origins(server)):
        return denial(403, "This page's origin may not connect (server.allowed_origins).")
    return CallerId()


def _has_server_key(connection: HTTPConnection, settings: Settings) -> bool:
    key = settings.server.api_key
    return key is not None and auth.key_is_right(key, _offered_key(connection))


def _offered_key(connection: HTTPConnection) -> str | None:
    """As a bearer token, or as the password of HTTP Basic, which is what Asterisk can send."""
    scheme, _, value = connection.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return auth.offered_key(connection)
    try:
        pair = base64.b64decode(value.strip(), validate=True).decode("utf-8", "replace")
    except (ValueError, binascii.Error):
        return None
    return pair.partition(":")[2] or None


def denial(status: int, message: str) -> JSONResponse:
    """A refusal, in words."""
    return JSONResponse({"error": {"message": message}}, status_code=status)
