"""Which replicas a cluster has now: asked of Ray Serve over HTTP, from any of its nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import httpx
from annotated_types import Interval
from pydantic import TypeAdapter

from voicepipe.runtime.errors import VoicepipeError

PATH = "/voicepipe/pools"

ASK_S = 2.0


class NotListed(VoicepipeError):
    """No node of the cluster says which replicas there are."""


@dataclass(frozen=True, slots=True)
class Place:
    """One replica, as it reports of itself; of another version's report, the fields known here."""

    replica: str
    node: str
    host: str
    port: Annotated[int, Interval(ge=1, le=65535)]
    pid: int
    pool: str
    state: str
    load: Mapping[str, Any] = field(default_factory=dict)
    leaving: bool = False  # it serves until others are known, and is no one to begin with


_PLACES = TypeAdapter(list[Place])


class Listing:
    """Asks one address after the other, beginning with the last that has answered."""

    def __init__(self, addresses: Sequence[str]) -> None:
        self.addresses = [address.rstrip("/") for address in addresses]
        self._http: httpx.AsyncClient | None = None

    async def fetch(self) -> list[Place]:
        """All replicas. Raises NotListed."""
        self._http = self._http or httpx.AsyncClient(timeout=ASK_S, trust_env=False)
        why = "there is no address (cluster.address)"
        for address in list(self.addresses):
            try:
                answer = await self._http.get(address + PATH)
                answer.raise_for_status()
                found = _PLACES.validate_python(answer.json()["replicas"])
            except (httpx.HTTPError, httpx.InvalidURL, ValueError, LookupError, TypeError) as error:
                why = f"{address} does not answer ({type(error).__name__})"
                continue
            self.addresses.remove(address)
            self.addresses.insert(0, address)
            return found
        raise NotListed(why)

    async def aclose(self) -> None:
        if self._http is not None:
            await self._http.aclose()
            self._http = None
