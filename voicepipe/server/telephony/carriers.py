"""What a carrier can be asked beside the stream: to end a call, to put it through. Each over its
own REST interface, with the credentials of `telephony.<carrier>`.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Protocol
from urllib.parse import quote
from xml.sax.saxutils import escape

import httpx

from voicepipe.config import PlivoSettings, SignalWireSettings, TelnyxSettings, TwilioSettings
from voicepipe.runtime.errors import VoicepipeError

log = logging.getLogger(__name__)

DEADLINE_S = 8.0
"""Of one request: less than the tool that waits for it has."""


class CarrierError(VoicepipeError):
    """The carrier did not do it; the message says which carrier, what, and why."""


class Carrier(Protocol):
    """Controls calls by the carrier's own ids. Both raise CarrierError."""

    @property
    def transfers(self) -> bool:
        """Whether `transfer` can work at all."""
        ...

    async def hang_up(self, call_id: str) -> None:
        """End the call for the caller too. One that is over already is no error."""
        ...

    async def transfer(self, call_id: str, to: str) -> None:
        """Take the call from the stream and put it through to the number `to`."""
        ...


class NoCarrier:
    """No REST interface, or no credentials: the end of the stream has to do."""

    transfers = False

    async def hang_up(self, call_id: str) -> None:
        """Does nothing."""

    async def transfer(self, call_id: str, to: str) -> None:
        """See `Carrier`."""
        raise CarrierError("calls cannot be put through here: no credentials for the carrier")


class TwilioCarrier:
    """Twilio's REST interface; SignalWire has the same under another path."""

    transfers = True

    def __init__(
        self, name: str, base_url: str, account: str, token: str, path: str = "/2010-04-01"
    ) -> None:
        self._rest = _Rest(name, base_url, httpx.BasicAuth(account, token))
        self._calls = f"{path}/Accounts/{quote(account, safe='')}/Calls"

    async def hang_up(self, call_id: str) -> None:
        """See `Carrier`."""
        await self._update(call_id, "hang-up", {"Status": "completed"}, gone_is_fine=True)

    async def transfer(self, call_id: str, to: str) -> None:
        """See `Carrier`."""
        document = f"<Response><Dial>{escape(to)}</Dial></Response>"
        await self._update(call_id, "transfer", {"Twiml": document})

    async def _update(
        self, call_id: str, what: str, form: Mapping[str, str], *, gone_is_fine: bool = False
    ) -> None:
        path = f"{self._calls}/{quote(call_id, safe='')}.json"
        await self._rest.request("POST", path, what, form=form, gone_is_fine=gone_is_fine)


class TelnyxCarrier:
    """Telnyx's Call Control."""

    transfers = True

    def __init__(self, base_url: str, api_key: str) -> None:
        self._rest = _Rest("telnyx", base_url, None, {"Authorization": f"Bearer {api_key}"})

    async def hang_up(self, call_id: str) -> None:
        """See `Carrier`."""
        path = self._path(call_id, "hangup")
        await self._rest.request("POST", path, "hang-up", json={}, gone_is_fine=True)

    async def transfer(self, call_id: str, to: str) -> None:
        """See `Carrier`."""
        await self._rest.request("POST", self._path(call_id, "transfer"), "transfer", {"to": to})

    def _path(self, call_id: str, action: str) -> str:
        return f"/v2/calls/{quote(call_id, safe='')}/actions/{action}"


class PlivoCarrier:
    """Plivo's REST interface. It transfers by fetching a document, which we have not: no."""

    transfers = False

    def __init__(self, base_url: str, auth_id: str, token: str) -> None:
        self._rest = _Rest("plivo", base_url, httpx.BasicAuth(auth_id, token))
        self._calls = f"/v1/Account/{quote(auth_id, safe='')}/Call"

    async def hang_up(self, call_id: str) -> None:
        """See `Carrier`."""
        path = f"{self._calls}/{quote(call_id, safe='')}/"
        await self._rest.request("DELETE", path, "hang-up", gone_is_fine=True)

    async def transfer(self, call_id: str, to: str) -> None:
        """See `Carrier`."""
        raise CarrierError("calls over Plivo cannot be put through from here")


class _Rest:
    """Requests to one carrier. A connection is made for each: calls end seldom."""

    def __init__(
        self,
        name: str,
        base_url: str,
        auth: httpx.Auth | None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._name, self._base_url, self._auth = name, base_url.rstrip("/"), auth
        self._headers = dict(headers or {})

    async def request(
        self,
        method: str,
        path: str,
        what: str,
        json: Mapping[str, str] | None = None,
        *,
        form: Mapping[str, str] | None = None,
        gone_is_fine: bool = False,
    ) -> None:
        """Raises CarrierError unless the answer is a success, or a 404 where that `is_fine`."""
        try:
            async with httpx.AsyncClient(auth=self._auth, timeout=DEADLINE_S) as client:
                answer = await client.request(
                    method, self._base_url + path, headers=self._headers, json=json, data=form
                )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            why = str(error) or f"no answer within {DEADLINE_S:.0f} s"
            raise CarrierError(f"{self._name}: {what} failed: {why}") from None
        if answer.is_success or (gone_is_fine and answer.status_code == httpx.codes.NOT_FOUND):
            return
        # The answer's text may quote the caller's number, so it stands in the log at debug only.
        log.debug("%s answered %s: %s", self._name, what, answer.text[:200])
        hint = " (are the credentials right?)" if answer.status_code in (401, 403) else ""
        raise CarrierError(f"{self._name}: {what} failed with status {answer.status_code}{hint}")


def twilio(settings: TwilioSettings) -> Carrier:
    """By `telephony.twilio`."""
    if not settings.account_sid or settings.auth_token is None:
        return NoCarrier()
    token = settings.auth_token.get_secret_value()
    return TwilioCarrier("twilio", settings.api_url, settings.account_sid, token)


def signalwire(settings: SignalWireSettings) -> Carrier:
    """By `telephony.signalwire`."""
    if not settings.project_id or not settings.api_url or settings.api_token is None:
        return NoCarrier()
    token = settings.api_token.get_secret_value()
    path = "/api/laml/2010-04-01"
    return TwilioCarrier("signalwire", settings.api_url, settings.project_id, token, path)


def telnyx(settings: TelnyxSettings) -> Carrier:
    """By `telephony.telnyx`."""
    if settings.api_key is None:
        return NoCarrier()
    return TelnyxCarrier(settings.api_url, settings.api_key.get_secret_value())


def plivo(settings: PlivoSettings) -> Carrier:
    """By `telephony.plivo`."""
    if not settings.auth_id or settings.auth_token is None:
        return NoCarrier()
    return PlivoCarrier(settings.api_url, settings.auth_id, settings.auth_token.get_secret_value())
