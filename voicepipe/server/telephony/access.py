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
from voicepipe.protocols.telephony.signatures import verify_twilio
from voicepipe.server import auth
from voicepipe.server.telephony.carrier import ASTERISK, PCM, TWILIO, Door
from voicepipe.server.telephony.public_url import public_url
from voicepipe.server.telephony.tickets import CallerId, Tickets

SECRETS = {
    "twilio": "telephony.twilio.auth_token",
    "signalwire": "telephony.signalwire.signing_key",
    "telnyx": "telephony.telnyx.public_key",
    "plivo": "telephony.plivo.auth_token",
    "vonage": "telephony.vonage.signature_secret",
}
"""The setting that opens a carrier's paths."""


def secret_of(door: Door, settings: TelephonySettings) -> str:
    """What the carrier's requests are signed with (Telnyx: checked with); "" = not set."""
    secrets: dict[str, SecretStr | str | None] = {
        "twilio": settings.twilio.auth_token,
        "signalwire": settings.signalwire.signing_key,
        "telnyx": settings.telnyx.public_key,
        "plivo": settings.plivo.auth_token,
        "vonage": settings.vonage.signature_secret,
    }
    secret = secrets[door.name]
    return secret.get_secret_value() if isinstance(secret, SecretStr) else secret or ""


def closed(door: Door, settings: TelephonySettings) -> JSONResponse | None:
    """The refusal of a carrier whose secret nobody has set; None: its paths are open."""
    if settings.insecure or secret_of(door, settings):
        return None
    return denial(
        403,
        f"Calls from {door.name} are not accepted: set {SECRETS[door.name]}, so that its requests "
        "can be checked (or telephony.insecure = true, for a test at the desk).",
    )


def admit_stream(
    connection: HTTPConnection, door: Door, settings: Settings, tickets: Tickets
) -> CallerId | JSONResponse:
    """What is known of the caller, or the refusal."""
    if door in (PCM, ASTERISK):
        return _admit_bridge(connection, settings)
    telephony = settings.telephony
    refusal = closed(door, telephony)
    if refusal is not None:
        return refusal
    if _has_server_key(connection, settings):  # a stream that the owner's own program has begun
        return CallerId()
    ticket = connection.path_params.get("ticket", "")
    if telephony.insecure:  # carriers send no Origin; a page has no business here
        if not auth.origin_is_allowed(connection, settings.server.allowed_origins):
            return denial(403, "This page's origin may not connect (server.allowed_origins).")
        return tickets.redeem(door.name, ticket) or CallerId()
    if door is TWILIO and not _twilio_signed(connection, telephony):
        return denial(403, "X-Twilio-Signature is missing or wrong; is telephony.public_url right?")
    caller_id = tickets.redeem(door.name, ticket)
    if caller_id is None:
        return denial(
            403,
            "This stream's ticket is missing, used, or too old. Streams are begun by the document "
            f"that /telephony/{door.name}/voice answers; one of your own sends the server's key.",
        )
    return caller_id


def _admit_bridge(connection: HTTPConnection, settings: Settings) -> CallerId | JSONResponse:
    server = settings.server
    if not auth.key_is_right(server.api_key, _offered_key(connection)):
        return denial(401, "Wrong or missing API key: send 'Authorization: Bearer KEY'.")
    if not auth.origin_is_allowed(connection, server.allowed_origins):
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


def _twilio_signed(connection: HTTPConnection, settings: TelephonySettings) -> bool:
    """By the upgrade's own address; some of Twilio's signed it with a slash behind it."""
    url, secret = public_url(connection, settings), secret_of(TWILIO, settings)
    signature = connection.headers.get("x-twilio-signature")
    return any(verify_twilio(variant, secret, signature) for variant in (url, f"{url}/"))


def denial(status: int, message: str) -> JSONResponse:
    """A refusal, in words."""
    return JSONResponse({"error": {"message": message}}, status_code=status)
