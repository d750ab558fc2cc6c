"""Callers by WebRTC, as a browser is one: an Opus track each way, events on a data channel.

The load client shares the machine with the server it measures, so questions are coded to Opus once
for all callers, and nothing goes through aiortc's threads.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from contextlib import AsyncExitStack
from typing import Any

import av
import httpx
from aiortc import (
    MediaStreamTrack,
    RTCConfiguration,
    RTCPeerConnection,
    RTCSessionDescription,
)
from aiortc.mediastreams import MediaStreamError

from voicepipe.audio import pcm
from voicepipe.lab.bench.caller import Caller
from voicepipe.lab.bench.recordings import FRAME_SAMPLES, WIRE, loud
from voicepipe.lab.bench.socket_line import (
    CONNECT_DEADLINE_S,
    SESSION_UPDATE,
    ConnectError,
    base_of,
    failure,
    refusal,
)
from voicepipe.lab.relay import FAIR, Relay, Weather, relay
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.server.webrtc import mended, sdp
from voicepipe.server.webrtc.opus import OpusEncoder, rtp_packet
from voicepipe.server.webrtc.uplink import Uplink

MAX_WAITING = 250
"""Frames (5 s) that a sender may be behind; then they are dropped."""


_luck = itertools.count()
"""Each call loses other packets, and a run is like the one before."""


class Encoder:
    """Frames in `WIRE` to Opus packets, one after the other."""

    def __init__(self) -> None:
        self._opus = OpusEncoder()
        self._frames = 0

    def encode(self, frame: bytes) -> bytes:
        """One packet of 20 ms."""
        self._frames += 1
        at_samples = self._frames * FRAME_SAMPLES
        return bytes(self._opus.encode(pcm.from_bytes(frame), at_samples))


class _Packets(MediaStreamTrack):
    """A track of packets that somebody else paces."""

    kind = "audio"

    def __init__(self) -> None:
        super().__init__()
        self._ready: asyncio.Queue[bytes | None] = asyncio.Queue(MAX_WAITING)
        self._sent = 0

    def put(self, packet: bytes | None) -> None:
        if not self._ready.full():
            self._ready.put_nowait(packet)

    async def recv(self) -> av.Packet[Any]:
        data = await self._ready.get()
        if data is None:
            raise MediaStreamError
        packet = rtp_packet(data, self._sent * FRAME_SAMPLES)
        self._sent += 1
        return packet


class WebRtcLine:
    """A `Line` of Opus packets; make it with `connect`."""

    def __init__(self, url: str, caller: Caller[bytes]) -> None:
        self._url, self._caller = url, caller
        self.network = AsyncExitStack()  # what lies between here and the server
        self.pc = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        self._track = _Packets()
        self.pc.addTrack(self._track)
        self._uplink = Uplink(self._on_audio, MonotonicClock(), 1, WIRE.rate)
        self._response_id = ""  # of what is being said
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._channel = self.pc.createDataChannel("oai-events")
        self._channel.on("message", self._on_message)
        self.pc.on("connectionstatechange", self._on_state)

    # -- the line ---------------------------------------------------------------------------------

    def send(self, frame: bytes) -> None:
        """See `Line`."""
        self._track.put(frame)

    async def aclose(self) -> None:
        """Hang up."""
        self.pc.remove_all_listeners()
        self._track.put(None)
        await self.pc.close()
        await self.network.aclose()

    # -- what arrives -----------------------------------------------------------------------------

    def listen(self) -> None:
        """Hear the server's track; once its answer is known."""
        receiver = self.pc.getReceivers()[0]
        self._uplink.listen_to(receiver, sdp.audio_codecs(self.pc.remoteDescription.sdp))

    def _on_audio(self, audio: bytes) -> None:
        if loud(pcm.from_bytes(audio)):  # between answers the track is silent, but never ends
            self._caller.on_audio(self._response_id, audio)

    def _on_state(self) -> None:
        if self.pc.connectionState in ("failed", "closed"):
            why = f"the connection {self.pc.connectionState}"
            self._fail(ConnectError(f"{self._url}: {why}"))
            self._caller.on_closed(why)

    def _on_message(self, text: str) -> None:
        message = json.loads(text)
        match message["type"]:
            case "response.created":
                self._response_id = message["response"]["id"]
            case "response.output_audio_transcript.delta":
                self._caller.on_words(message["response_id"], message["delta"])
            case "voicepipe.turn":
                self._caller.on_record(message["turn"])
            case "session.created":
                self._channel.send(SESSION_UPDATE.decode())
            case "session.updated" if not self.ready.done():
                self.ready.set_result(None)
            case "response.done" if message["response"]["status"] == "failed":
                self._caller.on_problem(failure(message["response"]))
            case "error":
                problem = str(message["error"]["message"])
                self._caller.on_problem(problem)
                self._fail(ConnectError(f"{self._url}: {problem}"))
            case _:
                pass

    def _fail(self, error: ConnectError) -> None:
        if not self.ready.done():
            self.ready.set_exception(error)


async def connect(
    url: str, key: str | None, caller: Caller[bytes], weather: Weather = FAIR
) -> WebRtcLine:
    """Call the server at `url` (as for `socket_line.connect`), set up and ready for audio. Any
    weather but fair needs a server on this machine.

    Raises ConnectError.
    """
    base = base_of(url).replace("ws", "http", 1)
    headers = {"Content-Type": "application/sdp"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    mended.mend()  # as patient and as quick as browsers are
    line = WebRtcLine(url, caller)
    try:
        async with asyncio.timeout(CONNECT_DEADLINE_S):
            await line.pc.setLocalDescription(await line.pc.createOffer())
            async with httpx.AsyncClient(trust_env=False) as http:
                offer = line.pc.localDescription.sdp
                bad: Relay | None = None
                if not weather.fair:
                    bad = await line.network.enter_async_context(relay(weather, next(_luck)))
                    offer = bad.offer(offer)
                reply = await http.post(f"{base}/realtime/calls", content=offer, headers=headers)
            if reply.status_code != 201:
                raise ConnectError(f"{url}: {refusal(reply.status_code, reply.text)}")
            answer = reply.text if bad is None else bad.answer(reply.text)
            await line.pc.setRemoteDescription(RTCSessionDescription(answer, "answer"))
            line.listen()
            await line.ready
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, ValueError) as error:
        await line.aclose()
        why = str(error) or f"no answer within {CONNECT_DEADLINE_S:.0f} s"
        raise ConnectError(f"{url}: {why}") from None
    except BaseException:
        await line.aclose()
        raise
    return line
