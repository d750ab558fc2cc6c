"""The calls that are up, over all transports: who talks to whom, with a way to follow each and to
end it. The programs that are in charge of calls, and the page, see them through this.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum

from voicepipe.protocols.openai_realtime.session_object import SessionObject
from voicepipe.runtime.errors import LimitExceeded, VoicepipeError
from voicepipe.server.agent_session import AgentSession
from voicepipe.server.decision import Decision
from voicepipe.server.follower import Follower
from voicepipe.server.shared.directory import Directory, dialing_name
from voicepipe.server.shared.state import SharedState
from voicepipe.session.events import AudioDelta, ResponseDone, SessionEvent
from voicepipe.session.session import Session

log = logging.getLogger(__name__)

MAX_FOLLOWERS = 32
"""Of one call."""

HANG_UP_S = 8.0
"""How long a call may take to end that has been told to: a carrier's REST interface has as much."""


class State(Enum):
    """How far a call is."""

    RINGING = "ringing"  # it waits to be accepted, or for the carrier's stream
    DIALING = "dialing"  # the server calls somebody
    ACTIVE = "active"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Parties:
    """Who calls whom, as far as the transport knows."""

    transport: str  # "realtime", "webrtc", "twilio" ...
    caller: str = ""
    called: str = ""
    carrier_call_id: str = ""

    def ours(self, *, dialed: bool) -> str:
        """The number at the carrier that is ours; `dialed`: the call was made from here."""
        return self.caller if dialed else self.called


class CallNotFound(VoicepipeError):
    """There is no such call, or it has ended."""

    def __init__(self) -> None:
        super().__init__("There is no such call, or it has ended.")


class LiveCall:
    """One call: `connect` when its session is there. A `Listener` of that session for as long as
    somebody follows the call."""

    def __init__(
        self, call_id: str, parties: Parties, state: State = State.RINGING, *, key: str = ""
    ) -> None:
        """`call_id`: as the client knows it. `key`: the name of the key that it is opened with; ""
        = the owner's, a client secret's, or none."""
        self.id, self.parties, self.state, self.key = call_id, parties, state, key
        self.since = datetime.now(UTC)  # when it began to ring; from `connect` on: to talk
        self.session: Session | None = None
        self.wire: SessionObject | None = None  # the same, as the Realtime protocol shows it
        self.record_id = ""  # in the log of calls, where it is kept
        self._agent: AgentSession | None = None
        self._end: Callable[[str], None] = lambda reason: None
        self._hung_up = ""  # why somebody has ended it
        self._decision: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self._refer: Callable[[str], Awaitable[None]] | None = None
        self._connected, self._ended = asyncio.Event(), asyncio.Event()
        self._followers: set[Follower] = set()

    @property
    def agent(self) -> str:
        """The name of who answers just now; "" = the server as its settings are."""
        return "" if self._agent is None else self._agent.name

    @property
    def agent_heard(self) -> bool:
        """The agent has said something in it."""
        return self.session is not None and self.session.agent_heard

    # -- for its transport -------------------------------------------------------------------------

    def connect(self, session: Session, agent: AgentSession, wire: SessionObject) -> None:
        """Its session is open; `wire` shows it."""
        self.session, self._agent, self.wire = session, agent, wire
        self.state, self.since = State.ACTIVE, datetime.now(UTC)
        if self._followers:
            session.listen(self)
        self._connected.set()

    def ends_by(self, end: Callable[[str], None]) -> None:
        """`end(reason)` makes the transport end the call, soon; at once where it has been hung up
        before there was a way."""
        self._end = end
        if self._hung_up:
            end(self._hung_up)

    def refers_by(self, refer: Callable[[str], Awaitable[None]]) -> None:
        """`refer(number)` has the transport put the call through; it may raise VoicepipeError."""
        self._refer = refer

    def over(self) -> None:
        """It has ended; its followers are told."""
        self.state = State.ENDED
        for follower in list(self._followers):
            follower.end()
        self._ended.set()
        self._connected.set()

    # -- for those in charge -----------------------------------------------------------------------

    async def hang_up(self, reason: str = "hung up") -> bool:
        """End it; True when it has ended. Any number of times."""
        if not self.decide(Decision(False, reason=reason)) and self.state is not State.ENDED:
            self._hung_up = reason
            self._end(reason)
        try:
            async with asyncio.timeout(HANG_UP_S):
                await self._ended.wait()
        except TimeoutError:
            log.error("call %s has not ended within %.0f s", self.id, HANG_UP_S)
        return self.state is State.ENDED

    def decide(self, decision: Decision) -> bool:
        """Whether a call that rings is answered, and how. False: that is decided already."""
        if self._decision.done() or self.state is not State.RINGING:
            return False
        self._decision.set_result(decision)
        return True

    async def decided(self) -> Decision:
        """By a program; for the transport, which gives it a deadline."""
        return await asyncio.shield(self._decision)

    async def refer(self, number: str) -> None:
        """Put it through to a telephone number, and leave it. Raises VoicepipeError that says why
        that cannot be done."""
        if self._refer is None:
            raise VoicepipeError(f"a call over {self.parties.transport} cannot be put through")
        await self._refer(number)

    async def connected(self) -> Session | None:
        """Its session, as soon as there is one; None: it ended before."""
        await self._connected.wait()  # owner: whoever asks; a call that rings has a deadline
        return self.session if self.state is State.ACTIVE else None

    def follow(self, *, sound: bool = False) -> Follower:
        """What happens in it from now on; `sound`: with what both sides say. To be closed. Raises
        LimitExceeded where too many follow it already."""
        if len(self._followers) >= MAX_FOLLOWERS:
            raise LimitExceeded(f"the call is followed by {MAX_FOLLOWERS}, its limit")
        follower = Follower(self._unfollow, sound=sound)
        if self.state is State.ENDED:
            follower.end()
            return follower
        self._followers.add(follower)
        if self.session is not None:
            self.session.listen(self)
        return follower

    def _unfollow(self, follower: Follower) -> None:
        self._followers.discard(follower)
        if self.session is not None and not self._followers:
            self.session.forget(self)

    # -- from its session and its sink -------------------------------------------------------------

    def told(self, event: SessionEvent) -> None:
        """See `Listener`."""
        if isinstance(event, AudioDelta):
            self.played(event.audio)
            return
        if isinstance(event, ResponseDone) and event.response.status == "cancelled":
            self.flushed()  # a client that plays by itself is flushed by nobody else
        for follower in list(self._followers):
            follower.told(event)

    def heard(self, audio: bytes) -> None:
        """See `Listener`."""
        if self._followers and self.session is not None:
            wire = self.session.settings.input_format
            for follower in list(self._followers):
                follower.sound("caller", audio, wire)

    def played(self, audio: bytes) -> None:
        """The agent says `audio`, in the session's output format; it may be given faster than it is
        played."""
        if self._followers and self.session is not None:
            wire = self.session.settings.output_format
            for follower in list(self._followers):
                follower.sound("agent", audio, wire)

    def flushed(self) -> None:
        """What of that has not been heard by now will not be."""
        for follower in list(self._followers):
            follower.flushed()


class LiveCalls:
    """All of one process; the directory lets other gateways find them."""

    def __init__(self, directory: Directory | None = None) -> None:
        self.directory = directory or Directory(SharedState())
        self._calls: dict[str, LiveCall] = {}
        self._entered: dict[str, set[str]] = {}  # names in the directory, by id

    def __iter__(self) -> Iterator[LiveCall]:
        """Oldest first."""
        return iter([*self._calls.values()])

    def __len__(self) -> int:
        return len(self._calls)

    def add(self, call: LiveCall) -> LiveCall:
        """It can be found from now on, until it is `over`; once more when it has other names."""
        self._calls[call.id] = call
        before = self._entered.get(call.id, set())
        names = {call.id, *_other_names(call)}
        if call.state is State.DIALING:
            names.add(dialing_name(call.id))
        self.directory.enter(names - before)
        self.directory.strike(before - names)
        self._entered[call.id] = names
        return call

    def find(self, call_id: str) -> LiveCall:
        """By its id, its session's, or the carrier's. Raises CallNotFound."""
        call = self._calls.get(call_id)
        if call is None:
            call = next((one for one in self if call_id in _other_names(one)), None)
        if call is None:
            raise CallNotFound
        return call

    def over(self, call: LiveCall) -> None:
        """It has ended."""
        self._calls.pop(call.id, None)
        self.directory.strike(self._entered.pop(call.id, ()))
        call.over()

    def session_over(self, session: Session) -> None:
        """The call of a session that is closed has ended."""
        for call in self:
            if call.session is session:
                self.over(call)


def _other_names(call: LiveCall) -> set[str]:
    names = {call.parties.carrier_call_id, "" if call.session is None else call.session.id}
    return names - {""}
