"""All calls of one process."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from starlette.requests import Request

from voicepipe.audio.formats import PCM_16K, PCM_24K
from voicepipe.call_log.contract import CallInfo
from voicepipe.runtime.errors import VoicepipeError
from voicepipe.server.client_call import admit
from voicepipe.server.realtime_setup import realtime_codec
from voicepipe.server.recorded_sink import RecordedSink
from voicepipe.server.resume import AFTER, Line, Lines
from voicepipe.server.service import Service
from voicepipe.server.webrtc import ice, mended, sdp
from voicepipe.server.webrtc.channel import on_call
from voicepipe.server.webrtc.downlink import Downlink
from voicepipe.server.webrtc.peer import Peer
from voicepipe.session.ids import new_id


class Switchboard:
    """Places calls, finds them by id, ends them all. As many as `limits.max_sessions`."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._peers: dict[str, Peer] = {}
        ice.offer_loopback(service.settings.webrtc.loopback)
        mended.mend()

    def __len__(self) -> int:
        return len(self._peers)

    async def place(
        self, request: Request, offer: sdp.Offer, sessions: Sequence[Mapping[str, Any]]
    ) -> tuple[str, str]:
        """A new call: its id and the answer. `sessions`: see `realtime_codec`.

        Raises ProtocolError, LimitExceeded (see `Service.open_session`), CallRejected or
        TimeoutError.
        """
        await self._make_room()
        if not offer.hears:  # nobody would listen
            sessions = [{"output_modalities": ["text"]}, *sessions]
        settings, clock = self._service.settings.webrtc, self._service.clock
        call_id, session_id, conversation_id = new_id("rtc"), new_id("sess"), new_id("conv")
        call = await admit(request, call_id, session_id, "webrtc", sessions)
        await self._make_room()  # a program has been asked meanwhile
        agent, live = call.agent, call.live
        downlink = Downlink(clock, settings.lead_ms)
        sink = RecordedSink(downlink, clock)
        try:
            codec = realtime_codec(
                request,
                session_id=session_id,
                conversation_id=conversation_id,
                agent=agent,
                sessions=call.sessions,
            )
            opened = self._service.open_session(
                on_call(codec.settings),
                session_id=session_id,
                conversation_id=conversation_id,
                sink=sink if offer.hears else None,
                agent=agent,
                traceparent=request.headers.get("traceparent", ""),
            )
        except VoicepipeError:
            self._service.live_calls.over(live)
            raise
        lines: Lines = request.app.state.lines
        line = lines.open(request, call_id) if offer.has_channel else None
        sink.record = record = self._service.calls.begin(
            CallInfo(
                "webrtc",
                session_id,
                input_format=PCM_16K,
                output_format=PCM_24K,
                live_id=call_id,
                agent=agent.name,
                key=self._service.key_name(opened),
                traceparent=request.headers.get("traceparent", ""),
            ),
            opened.conversation,
        )
        forget = partial(self._forget, lines, line)
        peer = Peer(call_id, self._service, opened, codec, downlink, record, offer, forget, line)
        self._peers[call_id] = peer  # before `ends_by`, which may end it at once
        live.record_id = record.id
        live.connect(opened, agent, codec.session_object)
        live.ends_by(partial(self._end, call_id))
        sink.live = self._service.live_calls.add(live)
        peer.address = "" if request.client is None else request.client.host
        try:
            return call_id, await peer.answer()
        except BaseException:
            await peer.hang_up("not answered")
            raise

    async def place_again(
        self, request: Request, offer: sdp.Offer, line: Line
    ) -> tuple[str, str] | None:
        """A call that goes on by a new offer: its id and the answer; None: it has ended meanwhile.
        The newest wins. Raises ProtocolError or TimeoutError; then the call has ended."""
        before = self._peers.get(line.call_id)
        if before is None or not before.resumable:
            return None
        after = request.query_params.get(AFTER, "")
        peer = before.successor(offer, after)
        peer.address = "" if request.client is None else request.client.host
        self._peers[line.call_id] = peer
        try:
            await before.give_way()
            return peer.id, await peer.answer()
        except BaseException:
            await peer.hang_up("not answered")
            raise

    async def hang_up(self, call_id: str) -> bool:
        """False: there is no such call."""
        peer = self._peers.get(call_id)
        if peer is None:
            return False
        await peer.hang_up()
        return True

    def _end(self, call_id: str, reason: str) -> None:
        """Whichever peer it goes on with by now."""
        if (peer := self._peers.get(call_id)) is not None:
            peer.end_from_here(reason)

    async def aclose(self) -> None:
        """End all calls."""
        await asyncio.gather(
            *(peer.hang_up("the server stops") for peer in [*self._peers.values()])
        )

    async def _make_room(self) -> None:
        """Offers that are never connected would hold all sessions, 15 s each: one of them goes.
        Whoever makes most of them loses first. Of offers that come together each does so for
        itself, and looks again, since others may have been faster."""
        limit = self._service.settings.webrtc.max_unconnected
        for _ in range(limit):
            waiting = [peer for peer in self._peers.values() if not peer.is_connected]
            if len(waiting) < limit:
                return
            staying = [peer for peer in waiting if not peer.was_hung_up] or waiting
            counts = Counter(peer.address for peer in staying)
            (most, _), *_ = counts.most_common(1)
            oldest = next(peer for peer in staying if peer.address == most)
            await oldest.hang_up("gives way to newer calls that wait for their connection")

    def _forget(self, lines: Lines, line: Line | None, peer: Peer) -> None:
        self._peers.pop(peer.id, None)
        lines.close(line)
