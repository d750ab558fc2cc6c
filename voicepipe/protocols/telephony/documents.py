"""Call documents in XML, as far as carriers have them in common: what a webhook answers, so that
the carrier streams the call to us. Pure text.
"""

from __future__ import annotations

from collections.abc import Mapping
from xml.sax.saxutils import quoteattr

XML = "application/xml"
JSON = "application/json"

MAX_PARAMETER_CHARS = 250
"""Carriers cut longer ones, or refuse the document."""


def xml(inner: str) -> str:
    """A document with one answer."""
    return f'<?xml version="1.0" encoding="UTF-8"?><Response>{inner}</Response>'


def connect(attributes: str, parameters: Mapping[str, str]) -> str:
    """TwiML and its dialects: stream the call. When we close the stream the call goes on behind it:
    to its end."""
    inner = "".join(
        f"<Parameter name={quoteattr(name)} value={quoteattr(value[:MAX_PARAMETER_CHARS])}/>"
        for name, value in parameters.items()
        if value
    )
    return xml(f"<Connect><Stream {attributes}>{inner}</Stream></Connect><Hangup/>")


def reject(text: str) -> str:
    """TwiML and its dialects: the caller hears the busy tone and is not charged."""
    return xml('<Reject reason="busy"/>')
