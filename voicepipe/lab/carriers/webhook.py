"""The ring before the stream: the carrier tells the server that somebody calls, signed as the
vendor signs, and is told in a document where to stream the call to."""

from __future__ import annotations

import time
from collections.abc import Callable
from xml.etree import ElementTree

import httpx

from voicepipe.lab.carriers.carriers import emulated
from voicepipe.lab.carriers.connection import CONNECT_DEADLINE_S, CallRefused
from voicepipe.lab.carriers.dialect import CallDetails, Stream

MAX_DOCUMENT = 64 * 1024


async def announce(
    name: str,
    url: str,
    details: CallDetails,
    secret: str = "",
    wall_s: Callable[[], float] = time.time,
) -> Stream:
    """Tell the webhook at `url` of a call; where it is to be streamed.

    `secret`: the one that the carrier signs with (Telnyx: base64 of an Ed25519 private key); "":
    unsigned. `wall_s`: seconds since 1970, which some signatures hold. Raises CallRefused.
    """
    carrier = emulated(name)
    ring = carrier.ring(url, details, secret, wall_s())
    try:
        async with httpx.AsyncClient(timeout=CONNECT_DEADLINE_S, trust_env=False) as client:
            answer = await client.post(url, content=ring.body, headers=dict(ring.headers))
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise CallRefused(f"{url}: {error or 'no answer'}") from None
    if not answer.is_success:
        status, why = answer.status_code, answer.text.strip()[:200]
        raise CallRefused(f"{url}: refused with status {status}: {why}", status=status)
    try:
        return carrier.told(answer.text[:MAX_DOCUMENT], details, secret)
    except (ValueError, KeyError, TypeError, ElementTree.ParseError):
        raise CallRefused(f"{url}: the answer is no document that streams a call") from None
