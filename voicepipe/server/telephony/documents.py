"""Call documents: what a webhook answers, so that the carrier streams the call to us. One function
per carrier and outcome; pure text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from xml.sax.saxutils import escape, quoteattr

XML = "application/xml"
JSON = "application/json"

MAX_PARAMETER_CHARS = 250
"""Carriers cut longer ones, or refuse the document."""


def twilio(stream_url: str, parameters: Mapping[str, str]) -> str:
    """TwiML. When we close the stream the call goes on behind it: to its end."""
    return _xml(_connect(f"url={quoteattr(stream_url)}", parameters) + "<Hangup/>")


def signalwire(stream_url: str, parameters: Mapping[str, str]) -> str:
    """Compatibility XML; the codec is said because its default may change."""
    attributes = f'url={quoteattr(stream_url)} codec="PCMU"'
    return _xml(_connect(attributes, parameters) + "<Hangup/>")


def telnyx(stream_url: str, parameters: Mapping[str, str]) -> str:
    """TeXML. Without the mode `rtp` the caller would hear nothing; what comes in is transcoded to
    mu-law where Telnyx can, else `start` says what it is."""
    attributes = (
        f'url={quoteattr(stream_url)} track="inbound_track" codec="PCMU" '
        'bidirectionalMode="rtp" bidirectionalCodec="PCMU" bidirectionalSamplingRate="8000"'
    )
    return _xml(_connect(attributes, parameters) + "<Hangup/>")


def plivo(stream_url: str, parameters: Mapping[str, str]) -> str:
    """Plivo XML."""
    headers = ",".join(f"{name}={_plain(value)}" for name, value in parameters.items() if value)
    return _xml(
        '<Stream bidirectional="true" keepCallAlive="true" '
        f'contentType="audio/x-mulaw;rate=8000" extraHeaders={quoteattr(headers)}>'
        f"{escape(stream_url)}</Stream>"
    )


def vonage(stream_url: str, parameters: Mapping[str, str]) -> str:
    """NCCO. 16 kHz: Vonage resamples, and the recognizer works at that rate."""
    endpoint = {
        "type": "websocket",
        "uri": stream_url,
        "content-type": "audio/l16;rate=16000",
        "headers": {name: value[:MAX_PARAMETER_CHARS] for name, value in parameters.items()},
    }
    return json.dumps([{"action": "connect", "endpoint": [endpoint]}])


def busy_twilio(text: str) -> str:
    """The caller hears the busy tone and is not charged; TeXML and SignalWire have the same."""
    return _xml('<Reject reason="busy"/>')


def busy_plivo(text: str) -> str:
    """As above."""
    return _xml('<Hangup reason="busy"/>')


def busy_vonage(text: str) -> str:
    """An NCCO cannot refuse a call: it says why."""
    return json.dumps([{"action": "talk", "text": text}])


def _connect(attributes: str, parameters: Mapping[str, str]) -> str:
    inner = "".join(
        f"<Parameter name={quoteattr(name)} value={quoteattr(value[:MAX_PARAMETER_CHARS])}/>"
        for name, value in parameters.items()
        if value
    )
    return f"<Connect><Stream {attributes}>{inner}</Stream></Connect>"


def _plain(value: str) -> str:
    """What may stand in Plivo's list of headers."""
    return "".join(c for c in value if c.isalnum() or c in "+-_.")[:MAX_PARAMETER_CHARS]


def _xml(inner: str) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?><Response>{inner}</Response>'
