"""The bad network: what it loses and delays, and that a call goes through it."""

from __future__ import annotations

import asyncio

import pytest

from voicepipe.lab.relay import Weather, relay

OFFER = """v=0\r
m=audio 5000 UDP/TLS/RTP/SAVPF 111\r
a=candidate:1 1 udp 2130706431 {host} {port} typ host\r
a=candidate:2 1 udp 2130706431 fe80::1 9 typ host\r
a=mid:0\r
m=application 5000 UDP/DTLS/SCTP webrtc-datachannel\r
a=candidate:1 1 udp 2130706431 {host} {port} typ host\r
"""


class End(asyncio.DatagramProtocol):
    """Keeps what arrives, with the time."""

    def __init__(self) -> None:
        self.heard: list[tuple[float, bytes]] = []

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        self.heard.append((asyncio.get_running_loop().time(), data))


async def sent_through(weather: Weather, packets: int) -> tuple[list[float], list[int]]:
    """Seconds that each packet took, and their numbers, as they arrived."""
    loop = asyncio.get_running_loop()
    sender, _ = await loop.create_datagram_endpoint(End, local_addr=("127.0.0.1", 0))
    receiver, end = await loop.create_datagram_endpoint(End, local_addr=("127.0.0.1", 0))
    try:
        async with relay(weather, seed=3) as bad:
            host, port = sender.get_extra_info("sockname")
            bad.offer(OFFER.format(host=host, port=port))
            host, port = receiver.get_extra_info("sockname")
            answer = bad.answer(OFFER.format(host=host, port=port))
            (line,) = {text for text in answer.splitlines() if "a=candidate" in text}
            to = line.split()[4], int(line.split()[5])
            assert "fe80" not in answer
            assert answer.count("a=candidate") == 2
            began = {}
            for number in range(packets):
                began[number] = loop.time()
                sender.sendto(b"%d" % number, to)
                await asyncio.sleep(0.001)
            await asyncio.sleep(0.3)
    finally:
        sender.close()
        receiver.close()
    numbers = [int(data) for _, data in end.heard]
    return [at - began[int(data)] for at, data in end.heard], numbers


async def test_fair_weather_changes_nothing() -> None:
    _, numbers = await sent_through(Weather(), 50)
    assert numbers == list(range(50))


async def test_a_tenth_is_lost_and_the_rest_is_late_and_out_of_order() -> None:
    took, numbers = await sent_through(Weather(loss=0.1, delay_ms=20, jitter_ms=30), 300)
    assert 255 <= len(numbers) <= 285
    assert numbers != sorted(numbers)
    assert min(took) >= 0.019


async def test_a_description_without_a_usable_candidate_is_refused() -> None:
    async with relay(Weather()) as bad:
        with pytest.raises(ValueError, match="no IPv4 host candidate"):
            bad.offer("v=0\r\n")
