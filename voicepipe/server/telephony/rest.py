"""Asks carriers to end a call or to put it through, over their REST interfaces with the credentials
of `telephony.<carrier>`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Generator
from contextlib import suppress
from typing import TypeVar

import httpx

from voicepipe.config import TelephonySettings
from voicepipe.protocols.telephony.carrier import (
    CallControl,
    Carrier,
    Dial,
    RestRequest,
    Transfer,
)
from voicepipe.runtime.errors import ConfigError, VoicepipeError
from voicepipe.runtime.trusted_tls import trusted_tls

log = logging.getLogger(__name__)
T = TypeVar("T")

MAX_ID_CHARS = 256
DEADLINE_S = 8.0
"""Of one request: less than the tool that waits for it has."""


class CarrierError(VoicepipeError):
    """The carrier did not do it; the message says which carrier, what, and why."""


class RestInterface:
    """Of one carrier. A connection is made for each request: calls end seldom. Where there is no
    interface, or no credentials for it, the end of the stream has to do."""

    def __init__(self, carrier: Carrier, settings: TelephonySettings) -> None:
        self._name, self._has_rest = carrier.name, carrier.has_rest
        self._control: CallControl | None = carrier.control(settings)

    @property
    def transfers(self) -> bool:
        """Whether `transfer` can work at all."""
        return self._control is not None

    async def hang_up(self, call_id: str) -> None:
        """End the call for the caller too. One that is over already is no error. Raises
        CarrierError."""
        if self._control is not None and call_id:
            wanted = _made(self._control.hang_up, call_id)
            await self._ask(wanted, "hang-up", gone_is_fine=True)

    async def give_up(self, call_id: str) -> None:
        """End a call that we have made and that rings, by the id that `dial` has told. One that is
        over already is no error. Raises CarrierError."""
        dialing = None if self._control is None else self._control.dialing
        if dialing is not None and dialing.give_up is not None:
            wanted = _made(dialing.give_up, call_id)
            with suppress(CarrierError):  # the call itself is tried then, and tells
                answer = await self._ask(wanted, "hang-up", gone_is_fine=True)
                if answer.is_success:
                    return  # else it may have been picked up just now
        await self.hang_up(call_id)

    async def transfer(self, wanted: Transfer) -> None:
        """Take the call from the stream and put it through. Raises CarrierError."""
        if not self._has_rest:
            raise CarrierError(
                f"calls over {self._name} cannot be put through: it has no REST interface for that"
            )
        if self._control is None:
            raise CarrierError(
                f"calls over {self._name} cannot be put through: telephony.{self._name} has no "
                "credentials for its REST interface"
            )
        await self._ask(_made(self._control.transfer, wanted), "transfer")

    async def dial(self, wanted: Dial) -> str:
        """Make a call; the carrier's id of it. Raises CarrierError."""
        dialing = None if self._control is None else self._control.dialing
        if dialing is None:
            raise CarrierError(
                f"calls cannot be made over {self._name}: telephony.{self._name} lacks something "
                "that it takes (docs/guides/your-program-in-charge.md)"
            )
        answer = await self._ask(dialing.request(wanted), "a call")
        try:
            call_id = dialing.call_id(answer.json())
        except (ValueError, KeyError, TypeError):
            call_id = None
        if not isinstance(call_id, str) or not call_id:
            raise CarrierError(f"{self._name} has not said which call it makes")
        return call_id[:MAX_ID_CHARS]

    async def _ask(
        self, wanted: RestRequest, what: str, *, gone_is_fine: bool = False
    ) -> httpx.Response:
        tls = await trusted_tls()
        try:
            async with (
                asyncio.timeout(DEADLINE_S),  # httpx's own begins anew with every byte that comes
                httpx.AsyncClient(auth=_auth(wanted), timeout=DEADLINE_S, verify=tls) as client,
            ):
                answer = await client.request(
                    wanted.method, wanted.url, json=wanted.json, data=wanted.form
                )
        except httpx.LocalProtocolError:  # its words would quote the key
            raise CarrierError(
                f"{self._name}: {what} failed: telephony.{self._name} has credentials that cannot "
                "be sent; is there a blank or a line's end in them?"
            ) from None
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
            why = str(error) or f"no answer within {DEADLINE_S:.0f} s"
            raise CarrierError(f"{self._name}: {what} failed: {why}") from None
        if answer.is_success or (gone_is_fine and self._says_it_is_over(answer)):
            return answer
        # The answer's text may quote the caller's number, so it stands in the log at debug only.
        log.debug("%s answered %s: %s", self._name, what, answer.text[:200])
        hint = " (are the credentials right?)" if answer.status_code in (401, 403) else ""
        raise CarrierError(f"{self._name}: {what} failed with status {answer.status_code}{hint}")

    def _says_it_is_over(self, answer: httpx.Response) -> bool:
        """That there is no call to end."""
        if answer.status_code == httpx.codes.NOT_FOUND:
            return True
        return self._control is not None and self._control.is_over(answer.status_code, answer.text)


def _made(make: Callable[[T], RestRequest], of: T) -> RestRequest:
    """Raises CarrierError where the credentials make none: a call that is up goes on all the
    same."""
    try:
        return make(of)
    except ConfigError as error:
        raise CarrierError(str(error)) from None


class _Bearer(httpx.Auth):
    def __init__(self, token: str) -> None:
        self._header = f"Bearer {token}"

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response]:
        request.headers["Authorization"] = self._header
        yield request


def _auth(wanted: RestRequest) -> httpx.Auth | None:
    if wanted.basic is not None:
        return httpx.BasicAuth(*wanted.basic)
    return _Bearer(wanted.bearer) if wanted.bearer else None
