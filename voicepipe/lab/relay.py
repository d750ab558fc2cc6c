"""A bad network for WebRTC, without root: a relay of UDP packets that loses, delays and reorders.

Each end is told that the relay is the other: `between` writes the relay's two ports into offer and
answer as the only candidates.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

Address = tuple[str, int]

_CANDIDATE = re.compile(r"a=candidate:\S+ 1 udp \d+ (\d+\.\d+\.\d+\.\d+) (\d+) typ host.*", re.I)


@dataclass(frozen=True, slots=True)
class Weather:
    """What happens to each packet, both ways."""

    loss: float = 0.0  # share that never arrives
    delay_ms: float = 0.0
    jitter_ms: float = 0.0  # up to so much more, each packet apart: later ones overtake

    @property
    def latest_s(self) -> float:
        """How long a packet may be on its way."""
        return (self.delay_ms + self.jitter_ms) / 1000

    @property
    def fair(self) -> bool:
        """Nothing happens."""
        return not (self.loss or self.delay_ms or self.jitter_ms)


FAIR = Weather()


class _Port(asyncio.DatagramProtocol):
    """One of the relay's two faces. What arrives leaves by the other, for `target`."""

    other: _Port
    target: Address
    transport: asyncio.DatagramTransport

    def __init__(self, weather: Weather, luck: random.Random) -> None:
        self._weather, self._luck = weather, luck

    def datagram_received(self, data: bytes, addr: Address) -> None:
        weather = self._weather
        if self._luck.random() < weather.loss:
            return
        after_ms = weather.delay_ms + self._luck.random() * weather.jitter_ms
        asyncio.get_running_loop().call_later(after_ms / 1000, self.other.send, data)

    def send(self, data: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.sendto(data, self.target)


class Relay:
    """Between one caller and one server; made by `relay`."""

    def __init__(self, caller: _Port, server: _Port) -> None:
        self._caller, self._server = caller, server

    def offer(self, sdp: str) -> str:
        """The caller's offer as the server shall read it."""
        self._caller.target = _first_candidate(sdp)
        return _moved(sdp, self._server.transport.get_extra_info("sockname"))

    def answer(self, sdp: str) -> str:
        """The server's answer as the caller shall read it."""
        self._server.target = _first_candidate(sdp)
        return _moved(sdp, self._caller.transport.get_extra_info("sockname"))


@asynccontextmanager
async def relay(weather: Weather, seed: int = 0) -> AsyncIterator[Relay]:
    """A relay on two free ports of this machine, which both ends are on."""
    loop, luck = asyncio.get_running_loop(), random.Random(seed)
    ports: list[_Port] = []
    try:
        for _ in range(2):
            transport, port = await loop.create_datagram_endpoint(
                lambda: _Port(weather, luck), local_addr=("127.0.0.1", 0)
            )
            port.transport = transport
            ports.append(port)
        caller, server = ports
        caller.other, server.other = server, caller
        yield Relay(caller, server)
        await asyncio.sleep(weather.latest_s)  # the goodbyes are still on their way
    finally:
        for port in ports:
            port.transport.close()


def _first_candidate(sdp: str) -> Address:
    found = _CANDIDATE.search(sdp)
    if found is None:
        raise ValueError("the SDP has no IPv4 host candidate over UDP")
    return found[1], int(found[2])


def _moved(sdp: str, to: Address) -> str:
    """`sdp` with one candidate, which is `to`."""
    line = f"a=candidate:1 1 udp 2130706431 {to[0]} {to[1]} typ host"
    kept, placed = [], set[int]()
    section = 0
    for text in sdp.splitlines():
        section += text.startswith("m=")
        if not text.startswith("a=candidate:"):
            kept.append(text)
        elif section not in placed:
            placed.add(section)
            kept.append(line)
    return "\r\n".join(kept) + "\r\n"
