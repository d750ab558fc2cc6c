"""A caller over real UDP: aiortc as it comes, so another implementation of the receiving side than
the server's own."""

from __future__ import annotations

import asyncio
import json
import re
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from fractions import Fraction
from typing import Any, cast

import av
import httpx
import numpy as np
from aiortc import (
    MediaStreamTrack,
    RTCCertificate,
    RTCConfiguration,
    RTCDataChannel,
    RTCPeerConnection,
    RTCSessionDescription,
)
from aiortc.mediastreams import MediaStreamError

from tests.server.harness import RunningServer
from voicepipe.audio.pcm import Int16
from voicepipe.server.webrtc.ciphers import ATTRIBUTE

RATE = 48_000
FRAME = RATE // 50
DEADLINE_S = 45.0


def tone(ms: int) -> Int16:
    n = np.arange(RATE * ms // 1000)
    samples: Int16 = (9000 * np.sin(n * 0.035)).astype(np.int16)
    return samples


class Microphone(MediaStreamTrack):
    """Silence, and what it is given to say; nothing at all while `muted` is set."""

    kind = "audio"

    def __init__(self) -> None:
        super().__init__()
        self._speech: deque[Int16] = deque()
        self._frames = 0
        self._due: float | None = None
        self.unmuted = asyncio.Event()
        self.unmuted.set()
        self.quiet = asyncio.Event()
        self._begun: asyncio.Future[float] = asyncio.get_running_loop().create_future()

    @property
    def sent_ms(self) -> float:
        """By its own clock."""
        return self._frames * 20.0

    def say(self, samples: Int16) -> asyncio.Future[float]:
        """When its first frame leaves."""
        self.quiet.clear()
        self._begun = asyncio.get_running_loop().create_future()
        padded = np.concatenate([samples, np.zeros(-samples.size % FRAME, np.int16)])
        self._speech.extend(padded.reshape(-1, FRAME))
        return self._begun

    async def recv(self) -> av.AudioFrame:
        loop = asyncio.get_running_loop()
        if not self.unmuted.is_set():
            muted_at = loop.time()
            await self.unmuted.wait()
            skipped = round((loop.time() - muted_at) / 0.02)  # the media clock goes on
            self._frames, self._due = self._frames + skipped, loop.time()
        self._due = loop.time() if self._due is None else self._due + 0.02
        await asyncio.sleep(max(0.0, self._due - loop.time()))
        if self.readyState != "live":
            raise MediaStreamError
        if self._speech:
            samples = self._speech.popleft()
            if not self._begun.done():
                self._begun.set_result(loop.time())
        else:
            samples = np.zeros(FRAME, np.int16)
            self.quiet.set()
        frame = av.AudioFrame.from_ndarray(samples[None, :], format="s16", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = (
            RATE,
            self._frames * FRAME,
            Fraction(1, RATE),
        )
        self._frames += 1
        return frame


class Caller:
    """Offers, then listens: `events` from the channel, `loudness` of each 20 ms heard."""

    def __init__(
        self,
        *,
        channel: bool = True,
        direction: str = "sendrecv",
        certificate: RTCCertificate | None = None,
    ) -> None:
        self.pc = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        if certificate is not None:  # aiortc has no way to bring one's own
            setattr(self.pc, ATTRIBUTE, [certificate])
        self.microphone = Microphone()
        self.pc.addTransceiver(
            self.microphone if direction != "recvonly" else "audio", direction=direction
        )
        self.channel: RTCDataChannel | None = None
        if channel:
            self.channel = self.pc.createDataChannel("oai-events")
            self.channel.on("message", self._on_message)
        self.pc.on("track", self._on_track)
        self.pc.on("connectionstatechange", self._on_state)
        self.events: list[dict[str, Any]] = []
        self.loudness: list[tuple[float, int]] = []
        self._came = asyncio.Event()
        self._listener: asyncio.Task[None] | None = None
        self.location = ""

    # -- setting up -------------------------------------------------------------------------------

    async def offer(self) -> str:
        await self.pc.setLocalDescription(await self.pc.createOffer())
        text: str = self.pc.localDescription.sdp
        return text

    async def accept(self, response: httpx.Response) -> None:
        assert response.status_code == 201, response.text
        assert response.headers["content-type"].startswith("application/sdp")
        self.location = response.headers["location"]
        await self.pc.setRemoteDescription(RTCSessionDescription(response.text, "answer"))

    # -- the conversation -------------------------------------------------------------------------

    def send(self, **event: Any) -> None:
        assert self.channel is not None
        self.channel.send(json.dumps(event))

    def count(self, kind: str) -> int:
        return sum(event["type"] == kind for event in self.events)

    async def until(self, kind: str, count: int = 1) -> dict[str, Any]:
        """The `count`th event of this type, come or still to come."""
        async with asyncio.timeout(DEADLINE_S):
            while len(found := [e for e in self.events if e["type"] == kind]) < count:
                await self._next()
        return found[count - 1]

    async def until_state(self, state: str) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while self.pc.connectionState != state:
                await self._next()

    async def until_loud(self) -> float:
        """When the next loud 20 ms came."""
        return await self._until_heard(lambda level: level > 500)

    async def until_silent(self) -> float:
        """When the next silent 20 ms came."""
        return await self._until_heard(lambda level: level < 50)

    async def _until_heard(self, wanted: Any) -> float:
        start = len(self.loudness)
        async with asyncio.timeout(DEADLINE_S):
            while True:
                for at, level in self.loudness[start:]:
                    if wanted(level):
                        return at
                start = len(self.loudness)
                await self._next()

    async def _next(self) -> None:
        self._came.clear()
        await self._came.wait()

    def _on_message(self, text: str) -> None:
        self.events.append(json.loads(text))
        self._came.set()

    def _on_state(self) -> None:
        self._came.set()

    def _on_track(self, track: MediaStreamTrack) -> None:
        self._listener = asyncio.create_task(self._listen(track), name="caller-ear")

    async def _listen(self, track: MediaStreamTrack) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                frame = cast(av.AudioFrame, await track.recv())
            except MediaStreamError:
                return
            self.loudness.append((loop.time(), int(np.abs(frame.to_ndarray()).max())))
            self._came.set()

    async def aclose(self) -> None:
        self.microphone.unmuted.set()
        await self.pc.close()
        if self._listener is not None:
            await self._listener


@asynccontextmanager
async def caller(**options: Any) -> AsyncIterator[Caller]:
    one = Caller(**options)
    try:
        yield one
    finally:
        await one.aclose()


@asynccontextmanager
async def call(
    server: RunningServer,
    *,
    path: str = "/v1/realtime/calls",
    key: str = "",
    session: Mapping[str, Any] | None = None,
    **options: Any,
) -> AsyncIterator[Caller]:
    """A call that is connected; with a channel, its session.created has come."""
    async with caller(**options) as one, client(server, key) as http:
        offer = await one.offer()
        if session is None:
            headers = {"Content-Type": "application/sdp"}
            response = await http.post(path, content=offer, headers=headers)
        else:
            parts = {
                "sdp": (None, offer, "application/sdp"),
                "session": (None, json.dumps(session), "application/json"),
            }
            response = await http.post(path, files=parts)
        await one.accept(response)
        await one.until_state("connected")
        if one.channel is not None:
            await one.until("session.created")
        yield one


def only(offer: str, payload_type: int) -> str:
    """The offer with one audio codec left."""
    named = re.compile(rf"a=(rtpmap|fmtp|rtcp-fb):(?!{payload_type} )")
    kept = [line for line in offer.splitlines() if not named.match(line)]
    text = "\r\n".join(kept) + "\r\n"
    return re.sub(r"(m=audio \d+ \S+) [\d ]+", rf"\1 {payload_type}", text)


def client(server: RunningServer, key: str = "") -> httpx.AsyncClient:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return httpx.AsyncClient(base_url=server.http, headers=headers, timeout=DEADLINE_S)
