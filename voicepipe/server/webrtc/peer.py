"""One call: from the answer to its offer until either side hangs up."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from aiortc import MediaStreamTrack, RTCPeerConnection, RTCRtpTransceiver, RTCSessionDescription

from voicepipe.call_log.open_call import OpenCall
from voicepipe.protocols.openai_realtime.codec import RealtimeCodec
from voicepipe.runtime.closing import close_all
from voicepipe.runtime.errors import LimitExceeded, ProtocolError
from voicepipe.server import faults
from voicepipe.server.resume import POLL_S, Line
from voicepipe.server.service import Service
from voicepipe.server.webrtc import ciphers, ice, sdp
from voicepipe.server.webrtc.channel import EventChannel
from voicepipe.server.webrtc.downlink import Downlink
from voicepipe.server.webrtc.uplink import Uplink
from voicepipe.session.commands import AppendAudio
from voicepipe.session.events import SessionError
from voicepipe.session.session import Session
from voicepipe.session.tasks import Tasks

log = logging.getLogger(__name__)

ANSWER_DEADLINE_S = 10.0
"""Gathering waits 5 s for a STUN server that is silent."""

CLOSE_DEADLINE_S = 5.0
CHECK_EVERY_S = 0.03
"""aioice looks for a way to the peer every 20 ms, and sees only then that it need not any more."""

WATCH_EVERY_S = 0.1
AWAY_AFTER_S = 0.7
"""No packet of a client that sends all the time for so long: nobody hears the agent either."""

STATS_EVERY_S = 1.0  # RTCP reports come about as often
GREET_AFTER_S = 0.5
"""A client that has not said by then how it wants its session is content."""


class Peer:
    """Make it, `answer`, and it lives by itself; `hang_up` ends it early. `on_end` is told once,
    when nothing of it is left.
    """

    def __init__(
        self,
        call_id: str,
        service: Service,
        session: Session,
        codec: RealtimeCodec,
        downlink: Downlink,
        record: OpenCall,
        offer: sdp.Offer,
        on_end: Callable[[Peer], None],
        line: Line | None = None,
        after: str | None = None,
        until_s: float | None = None,
    ) -> None:
        """`line`: by which the client may come back with a new offer; `after`: this is such a one,
        see `EventChannel`. `until_s`: end of the session's time, by the clock; None: it begins."""
        self.id = call_id
        self.address = ""  # the caller's, as far as it is known
        self.session, self._codec = session, codec
        self._service, self._offer, self._on_end = service, offer, on_end
        settings = service.settings.webrtc
        self._settings = settings
        self._max_session_s = service.settings.limits.max_session_s
        self._pc = RTCPeerConnection(ice.configuration(settings.ice_servers))
        ciphers.accept_rsa(self._pc)
        self._downlink = downlink
        self._record = record
        self._end_reason = "lost"
        self._uplink = Uplink(self._hear, service.clock, settings.reorder_packets)
        self._channel = EventChannel(
            session, codec, offer.max_message_bytes, self._heard, line, after
        )
        self._line = line
        self._resumed = self._away = after is not None  # nobody hears the agent now
        self._dropped = self._kept = self._hung_up = self._over = False
        self._succeeded = asyncio.Event()  # another peer goes on with the session
        limit_s = service.settings.limits.max_session_s
        self.until_s = service.clock.now() + limit_s if until_s is None else until_s
        self._tasks = Tasks()
        self._life: asyncio.Task[None] | None = None
        self._connected = asyncio.Event()
        self._ended = asyncio.Event()
        self._settled = asyncio.Event()  # no answer is being made just now
        self._settled.set()
        self._refused = False  # the last audio was refused, and the client knows
        self._buffer_ms = 0.0  # the page's playout delay, as it reports it
        self._rtt_ms: float | None = None

    @property
    def is_connected(self) -> bool:
        """Packets have gone both ways."""
        return self._connected.is_set()

    @property
    def was_hung_up(self) -> bool:
        """It ends by somebody's wish, or has ended so."""
        return self._hung_up

    async def answer(self) -> str:
        """The session description that answers the offer. Raises ProtocolError where the offer
        cannot be met or the call has ended by then, TimeoutError where it takes too long; `hang_up`
        then, too."""
        self._check_not_ended()
        self._settled.clear()
        try:
            ours, text = await self._described()
        finally:
            self._settled.set()
        self._check_not_ended()
        self._take_media(ours, text)
        self._life = asyncio.create_task(self._live(), name=f"call {self.id}")
        public = self._settings.public_address
        return text if public is None else sdp.with_public_address(text, public)

    def _check_not_ended(self) -> None:
        """Raises ProtocolError."""
        if self._ended.is_set():
            raise ProtocolError(f"The call has ended: {self._end_reason}.", code="call_ended")

    async def _described(self) -> tuple[RTCRtpTransceiver, str]:
        """What the agent's voice goes by, and the answer."""
        pc = self._pc
        pc.on("connectionstatechange", self._on_state)
        pc.on("datachannel", self._channel.attach)
        pc.addTrack(self._downlink)
        ours = pc.getTransceivers()[0]
        async with asyncio.timeout(ANSWER_DEADLINE_S):
            try:
                await pc.setRemoteDescription(RTCSessionDescription(self._offer.sdp, "offer"))
                for transceiver in pc.getTransceivers():
                    if transceiver is not ours:  # video, or a second microphone
                        transceiver.direction = "inactive"
                await pc.setLocalDescription(await pc.createAnswer())
            except TimeoutError:
                raise
            except Exception as error:  # aiortc has many for offers that it cannot meet
                log.info("an offer cannot be answered: %s: %s", type(error).__name__, error)
                raise ProtocolError(
                    f"The offer cannot be answered: {error}", code="invalid_sdp", param="sdp"
                ) from None
        text: str = pc.localDescription.sdp
        return ours, text

    async def hang_up(self, reason: str = "hung up") -> None:
        """End the call; returns when nothing of it is left. Any number of times."""
        self._hung_up = True
        self.end(reason)
        if self._life is None:
            self._life = asyncio.create_task(self._tear_down(), name=f"call {self.id}")
        await asyncio.shield(self._life)

    @property
    def resumable(self) -> bool:
        """A new offer may go on with its session."""
        over = self.session.closed or self._over or self._hung_up
        return self._line is not None and not over

    def successor(self, offer: sdp.Offer, after: str) -> Peer:
        """The peer that goes on with this one's session; `give_way` to it before it answers."""
        shared = (self._service, self.session, self._codec, self._downlink, self._record)
        return Peer(self.id, *shared, offer, self._on_end, self._line, after, self.until_s)

    async def give_way(self) -> None:
        """Let go of the session, which another peer goes on with; returns when nothing else of this
        one is left."""
        self._succeeded.set()
        if self.is_connected and not self._kept:
            told = "the call goes on at another connection"
            self._channel.say(SessionError(told, "session_resumed", kind="server_error"))
        await self.hang_up("resumed by another connection")

    # -- media ------------------------------------------------------------------------------------

    def _take_media(self, transceiver: RTCRtpTransceiver, answer: str) -> None:
        codecs = sdp.audio_codecs(answer)
        self._downlink.opus = bool(codecs) and codecs[0].mimeType.lower() == "audio/opus"
        track: MediaStreamTrack | None = transceiver.receiver.track
        if track is not None and not self._uplink.listen_to(transceiver.receiver, codecs):
            self._tasks.spawn(self._uplink.drain(track), f"call {self.id} track")

    def _hear(self, audio: bytes) -> None:
        self._record.heard_from_caller(audio, self._service.clock.now())
        try:
            self.session.handle(AppendAudio(audio))
            self._refused = False
        except (ProtocolError, LimitExceeded) as error:
            if not self._refused:
                self.session.outbox.put(SessionError.of(error, None))
            self._refused = True
        except Exception as error:  # aiortc, which calls, would take it for a fault of its own
            log.exception("call %s failed", self.id)
            self._fail(error)

    # -- life -------------------------------------------------------------------------------------

    def _on_state(self) -> None:
        state = self._pc.connectionState
        if state == "connected":
            self._connected.set()
        elif state in ("failed", "closed") and not self._kept:
            self._dropped = not self._ended.is_set()
            self.end(f"the connection {'failed' if state == 'failed' else 'was closed'}")

    def end(self, reason: str) -> None:
        """It ends soon; only the first reason counts."""
        if not self._ended.is_set():
            log.info("call %s ends: %s", self.id, reason)
            self._end_reason = reason
            self._ended.set()

    def end_from_here(self, reason: str) -> None:
        """Somebody who may has hung up; the client is told, so that it does not call again."""
        if not self._ended.is_set():
            told = f"The call was ended: {reason}."
            self._channel.say(SessionError(told, "call_ended", kind="server_error"))
        self._hung_up = True
        self.end(reason)

    def _end_as_too_slow(self, why: str) -> None:
        """The client is told, as far as it still reads; else its connection just closes."""
        if not self._ended.is_set():
            self._channel.say(SessionError(why, "client_too_slow", kind="server_error"))
        self.end("the client reads too slowly")

    def _fail(self, fault: Exception) -> None:
        if not self._ended.is_set():
            self._channel.say(faults.told(fault))
            self.end("failed")

    async def _live(self) -> None:
        try:
            self._spawn(self.session.outbox.wait_closed, "bound")
            if await self._in_time(self._connected, self._settings.max_setup_s):
                await self._talk()
            else:
                self._dropped = True
                self.end(f"not connected after {self._settings.max_setup_s:g} s")
            await self._wait_for_the_next()
        finally:
            await self._tear_down()

    async def _wait_for_the_next(self) -> None:
        """A call that may be resumed is kept for a while when its connection has dropped."""
        if self._line is None or not self._dropped or self._succeeded.is_set():
            return
        if not (self._resumed or self._channel.spoken.is_set()):
            return  # whoever it was does not know the token
        self._kept = True
        self._leave()
        await self._tasks.aclose()
        await self._disconnect()
        if self._hung_up:
            return
        self._ended.clear()  # who hangs up now sets it
        limit_s = self._service.settings.limits.resume_s
        log.info("call %s is kept for %g s", self.id, limit_s)
        until_s = self._service.clock.now() + limit_s
        while not self._succeeded.is_set() and not self._cannot_go_on(until_s):
            await self._in_time(self._succeeded, POLL_S)

    def _cannot_go_on(self, until_s: float) -> bool:
        """While it is kept: it makes no sense to wait for anybody."""
        late = self._service.clock.now() >= min(until_s, self.until_s)
        ended = self._ended.is_set() or self.session.outbox.closed
        return late or ended or self._service.closing

    async def _talk(self) -> None:
        self._spawn(self._channel.read, "reader")
        self._spawn(self._write, "writer")
        self._spawn(self._watch_network, "statistics")
        if self._offer.speaks:
            self._spawn(self._uplink.keep_time, "clock")
        if self._line is not None and self._offer.speaks:
            self._spawn(self._watch_listener, "watch")
        elif self._away:
            self._come_back()
        self._tasks.spawn(self._greet(), f"call {self.id} greeting")
        try:
            async with asyncio.timeout(max(0.0, self.until_s - self._service.clock.now())):
                await self._ended.wait()
        except TimeoutError:
            reason = f"the session has reached its limit of {self._max_session_s:.0f} s"
            self._channel.say(SessionError(reason, "session_expired", kind="server_error"))
            self.end(reason)

    async def _in_time(self, event: asyncio.Event, limit_s: float) -> bool:
        """Whether `event` comes before the call's end and within `limit_s`."""
        waits = [
            asyncio.create_task(e.wait(), name=f"call {self.id}") for e in (event, self._ended)
        ]
        try:
            await asyncio.wait(waits, timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
            await asyncio.gather(*waits, return_exceptions=True)
        return event.is_set() and not self._ended.is_set()

    async def _write(self) -> None:
        """What is said before the channel is open waits for it."""
        if self._offer.has_channel:
            await self._in_time(self._channel.opened, self._settings.max_setup_s)
        await self._channel.write()

    async def _greet(self) -> None:
        if self._offer.has_channel:
            await self._in_time(self._channel.opened, self._settings.max_setup_s)
            await self._in_time(self._channel.spoken, GREET_AFTER_S)
        self.session.greet()

    def _spawn(self, work: Callable[[], Coroutine[Any, Any, None]], name: str) -> None:
        """Work that ends the call when it ends."""

        async def until_done() -> None:
            try:
                await work()
            except Exception as error:
                self._fail(error)
                raise  # its owner logs it
            finally:
                if self.session.outbox.overflow:  # which ends the writer, too
                    self._end_as_too_slow(self.session.outbox.overflow)
                self.end(f"its {name} ended")

        self._tasks.spawn(until_done(), f"call {self.id} {name}")

    async def _tear_down(self) -> None:
        self._over = True
        await self._settled.wait()  # has a deadline; what it opens later nobody would close
        if self.session.outbox.overflow:
            log.warning("call %s: %s", self.id, self.session.outbox.overflow)
        own = (
            (f"call {self.id}'s tasks", self._tasks.aclose),
            (f"call {self.id}'s connection", self._disconnect),
        )
        if self._succeeded.is_set():
            await close_all(*own)
            return
        self._downlink.end()
        close_session = partial(self._service.close_session, self.session)
        try:
            await close_all(*own, (f"call {self.id}'s session", close_session))
        finally:
            self._record.end(self._end_reason)
            self._on_end(self)

    async def _disconnect(self) -> None:
        try:
            async with asyncio.timeout(CLOSE_DEADLINE_S):
                await self._pc.close()
                if not self._connected.is_set():
                    await asyncio.sleep(CHECK_EVERY_S)
        except TimeoutError:
            log.error("call %s: its connection did not close in time", self.id)
        except Exception as error:  # aiortc, of an offer that it took half in
            log.info("call %s: closing it: %s: %s", self.id, type(error).__name__, error)

    # -- whether somebody listens -----------------------------------------------------------------

    async def _watch_listener(self) -> None:
        """For ever: who may come back sends packets all the time, so that none is a sign."""
        self._uplink.packet_at = self._service.clock.now()
        if self._away:
            self._come_back()
        while True:
            await asyncio.sleep(WATCH_EVERY_S)
            silent_s = self._service.clock.now() - self._uplink.packet_at
            if silent_s > AWAY_AFTER_S:
                self._leave()
            elif self._away:
                self._come_back()

    def _leave(self) -> None:
        if not self._away:
            self._away = True
            silent_s = self._service.clock.now() - self._uplink.packet_at
            self.session.listener_left(silent_s * 1000 if self._offer.speaks else 0.0)

    def _come_back(self) -> None:
        self._away = False
        self.session.listener_back()

    # -- the network ------------------------------------------------------------------------------

    async def _watch_network(self) -> None:
        """For ever: the round trip, as RTCP reports it."""
        sender = self._pc.getSenders()[0]
        while True:
            await asyncio.sleep(STATS_EVERY_S)
            for stat in (await sender.getStats()).values():
                rtt_s = getattr(stat, "roundTripTime", None)
                if rtt_s is not None:
                    self._rtt_ms = max(0.0, rtt_s * 1000)
                    self._know_the_way()

    def _heard(self, response_id: str, delay_ms: float) -> None:
        self._buffer_ms = delay_ms
        self._know_the_way()
        self.session.network(playout_ms=delay_ms)

    def _know_the_way(self) -> None:
        """What of the way to the listener's ear is known now."""
        self._downlink.set_delay((self._rtt_ms or 0.0) / 2 + self._buffer_ms)
        self.session.network(round_trip_ms=self._rtt_ms)
