"""How long a WebRTC call takes to come up on a network that loses packets: stock aiortc, then ours.

    python -m scripts.bench_call_setup [--loss 3] [--calls 300]

Two ends of aiortc in this process, a relay between them (20 to 40 ms each way), twelve calls at a
time, the same losses by seed both times; both ends are ours in the second. Up: the channel for
events is open. Printed are p50, p99 and the longest, and how many were not up after 20 s.
"""

from __future__ import annotations

import argparse
import asyncio
import time

from aiortc import RTCConfiguration, RTCPeerConnection, RTCSessionDescription

from voicepipe.lab.relay import Weather, relay
from voicepipe.runtime import event_loop
from voicepipe.server.webrtc import consent, lost_events, lost_handshakes

AT_ONCE = 12
DEADLINE_S = 20.0


async def call(weather: Weather, seed: int) -> float | None:
    """Seconds until it was up; None: it was not in time."""
    ends = [RTCPeerConnection(RTCConfiguration(iceServers=[])) for _ in range(2)]
    near, far = ends
    up = asyncio.Event()
    near.createDataChannel("events").on("open", up.set)
    begun = time.monotonic()
    async with relay(weather, seed) as network:
        await near.setLocalDescription(await near.createOffer())
        offer = network.offer(near.localDescription.sdp)
        await far.setRemoteDescription(RTCSessionDescription(offer, "offer"))
        await far.setLocalDescription(await far.createAnswer())
        answer = network.answer(far.localDescription.sdp)
        await near.setRemoteDescription(RTCSessionDescription(answer, "answer"))
        try:
            await asyncio.wait_for(up.wait(), DEADLINE_S)
            return time.monotonic() - begun
        except TimeoutError:
            return None
        finally:
            await asyncio.gather(*(end.close() for end in ends))


async def measure(name: str, weather: Weather, calls: int) -> None:
    """All calls, and a line about them."""
    free = asyncio.Semaphore(AT_ONCE)

    async def one(seed: int) -> float | None:
        async with free:
            return await call(weather, seed)

    found = await asyncio.gather(*(one(seed) for seed in range(calls)))
    up = sorted(seconds for seconds in found if seconds is not None) or [float("nan")]
    lost = found.count(None)
    p50, p99 = up[len(up) // 2], up[int(len(up) * 0.99)]
    print(
        f"{name:12} p50 {p50:5.2f} s  p99 {p99:5.2f} s  longest {up[-1]:5.2f} s  "
        f"not up {lost} of {calls}",
        flush=True,
    )


async def run(weather: Weather, calls: int) -> None:
    """As aiortc is (with our waits for lost events, as main had them), then with ours."""
    consent.be_patient()
    lost_events.be_quick()
    await measure("stock", weather, calls)
    lost_handshakes.be_quick()
    await measure("voicepipe", weather, calls)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--loss", type=float, default=3.0, help="per cent of the packets")
    parser.add_argument("--calls", type=int, default=300)
    options = parser.parse_args()
    event_loop.run(run(Weather(options.loss / 100, 20, 20), options.calls))


if __name__ == "__main__":
    main()
