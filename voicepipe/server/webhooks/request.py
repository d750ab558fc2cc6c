"""One signed request to a webhook, by Standard Webhooks, and its answer: read so far and no
further."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import httpx
from standardwebhooks import Webhook

from voicepipe.config import WebhookSettings
from voicepipe.protocols.json_fields import wire
from voicepipe.runtime.errors import ProtocolError, VoicepipeError

MAX_ANSWER = 64 * 1024
"""Bytes."""


class WebhookFailed(VoicepipeError):
    """It was not taken; the message says why, without what was sent or answered."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """`body`: the JSON; `id`: the same however often it is sent."""

    id: str
    body: str
    traceparent: str = ""


async def send(
    client: httpx.AsyncClient, settings: WebhookSettings, delivery: Delivery, deadline_s: float
) -> bytes:
    """The body of a 2xx answer. Redirects are not followed. Raises WebhookFailed."""
    try:
        async with (
            asyncio.timeout(deadline_s),  # of all of it: the library knows one for each read
            client.stream(
                "POST",
                settings.url,
                content=delivery.body.encode(),
                headers=_headers(settings, delivery),
                timeout=None,
            ) as answer,
        ):
            if not answer.is_success:
                raise WebhookFailed(f"it answered with status {answer.status_code}")
            return await _read(answer)
    except TimeoutError:
        raise WebhookFailed(f"no answer within {deadline_s:g} s") from None
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        raise WebhookFailed(f"it cannot be reached: {type(error).__name__}") from None


def new_client() -> httpx.AsyncClient:
    """For all requests of a process. No proxy of the environment comes between."""
    return httpx.AsyncClient(follow_redirects=False, trust_env=False)


def json_answer(body: bytes) -> dict[str, Any]:
    """{} where it is empty. As strict as with what comes over REST: what is in it becomes prompts
    and records. Raises WebhookFailed."""
    if not body.strip():
        return {}
    try:
        return wire.parse(body.decode())
    except (UnicodeDecodeError, ProtocolError):
        raise WebhookFailed("its answer is no JSON object") from None


def _headers(settings: WebhookSettings, delivery: Delivery) -> dict[str, str]:
    now = datetime.now(UTC)
    signature = Webhook(settings.secret.get_secret_value()).sign(delivery.id, now, delivery.body)
    headers = {
        "content-type": "application/json",
        "accept-encoding": "identity",  # an answer is read as it comes, so that it has a bound
        "webhook-id": delivery.id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": signature,
    }
    return {**headers, "traceparent": delivery.traceparent} if delivery.traceparent else headers


async def _read(answer: httpx.Response) -> bytes:
    body = bytearray()
    async for chunk in answer.aiter_raw():
        body += chunk
        if len(body) > MAX_ANSWER:
            raise WebhookFailed(f"its answer is longer than {MAX_ANSWER} bytes")
    return bytes(body)
