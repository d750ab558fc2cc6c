"""SignalWire: Twilio's messages in a codec of the document's choice, its signature under another
name, its REST interface below another path.
"""

from __future__ import annotations

from collections.abc import Mapping
from xml.sax.saxutils import quoteattr

from voicepipe.audio.formats import PCM_8K, PCM_16K, PCM_24K, PCMA_8K, PCMU_8K
from voicepipe.config import TelephonySettings
from voicepipe.protocols.telephony import documents
from voicepipe.protocols.telephony.carrier import CallControl, Carrier, SignedRequest, Webhook
from voicepipe.protocols.telephony.carriers.twilio import (
    TwilioCodec,
    call_status,
    known_by_signature,
    rest_control,
)


class SignalWireCodec(TwilioCodec):
    """As `TwilioCodec`; the format is what `start.mediaFormat` says. L16 is little-endian; G722
    is refused."""

    formats = (PCMU_8K, PCMA_8K, PCM_8K, PCM_16K, PCM_24K)


def _verified(request: SignedRequest, secret: str) -> str | None:
    signature = request.header("x-signalwire-signature") or request.header("x-twilio-signature")
    return known_by_signature(request, secret, signature)


def _document(stream_url: str, parameters: Mapping[str, str]) -> str:
    """Compatibility XML; the codec is said because its default may change."""
    return documents.connect(f'url={quoteattr(stream_url)} codec="PCMU"', parameters)


def _control(settings: TelephonySettings) -> CallControl | None:
    own = settings.signalwire
    if not own.project_id or not own.api_url or own.api_token is None:
        return None
    token = own.api_token.get_secret_value()
    return rest_control(own.api_url, own.project_id, token, "/api/laml/2010-04-01", _document)


SIGNALWIRE = Carrier(
    "signalwire",
    SignalWireCodec,
    Webhook("signing_key", _verified, _document, documents.reject, status=call_status),
    _control,
)
