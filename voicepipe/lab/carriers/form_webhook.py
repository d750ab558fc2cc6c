"""What carriers have in common that ring by a form and are answered in XML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urlencode
from xml.etree import ElementTree

from voicepipe.lab.carriers.dialect import CallDetails, Ring, Stream

TYPE = {"Content-Type": "application/x-www-form-urlencoded"}


def call_fields(details: CallDetails, **fields: str) -> dict[str, str]:
    return {**fields, "CallStatus": "ringing", "From": details.caller, "To": details.called}


def form_ring(fields: Mapping[str, str], signature: Mapping[str, str]) -> Ring:
    return Ring(form_body(fields), {**TYPE, **signature})


def form_body(fields: Mapping[str, str]) -> bytes:
    return urlencode(fields).encode()


def stream_element(document: str) -> ElementTree.Element:
    """Raises ValueError or ParseError."""
    element = ElementTree.fromstring(document).find(".//Stream")
    if element is None:
        raise ValueError("no Stream")
    return element


def twiml_stream(document: str, details: CallDetails) -> Stream:
    """Of TwiML and its dialects. Raises ValueError, KeyError or ParseError."""
    element = stream_element(document)
    parameters = {child.attrib["name"]: child.attrib["value"] for child in element}
    return Stream(element.attrib["url"], replace(details, parameters=parameters))
