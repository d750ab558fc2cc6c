"""What a carrier is: all in which one differs from another. Each has a file in `carriers/` with its
codec, its signature, the document that it is answered with and its REST interface, sans I/O.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from voicepipe.config import TelephonySettings
from voicepipe.protocols.telephony.contract import CallCodec, Frame
from voicepipe.protocols.telephony.documents import XML
from voicepipe.session.events import SessionEvent

CALLER_AND_CALLED: Mapping[str, str] = {"caller": "From", "called": "To"}


@dataclass(frozen=True, slots=True)
class SignedRequest:
    """A webhook's request or a stream's upgrade, as far as its signature goes."""

    url: str  # as the carrier wrote it
    headers: Mapping[str, str]
    body: bytes = b""
    form: tuple[tuple[str, str], ...] | None = None  # of a form POST
    now_s: float = 0.0  # seconds since 1970

    def header(self, name: str) -> str | None:
        return self.headers.get(name)


def _no_refusal(upgrade: SignedRequest, secret: str) -> str | None:
    return None


UnansweredReason = Literal["busy", "rejected", "not answered", "failed"]
"""Why nobody has picked up a call that was made: the line is busy; somebody or something has
refused it; it rang in vain; the carrier could not reach the number, or has ended a call that
rang, or one whose stream never came here."""


@dataclass(frozen=True, slots=True)
class CallStatus:
    """How a call ended that was made and never picked up, as far as is seen here: a call that is
    streamed by then stays as it is."""

    call_id: str  # the carrier's
    ended: UnansweredReason


@dataclass(frozen=True, slots=True)
class Webhook:
    """How the carrier tells that somebody calls, and what it is answered."""

    secret: str  # the setting below `telephony.<carrier>` that its requests are checked with
    verified: Callable[[SignedRequest, str], str | None]  # by the secret: what tells this request
    # from others, the same however it is spelled when sent again; None: not the carrier's
    document: Callable[[str, Mapping[str, str]], str]  # for a stream's URL and its parameters
    busy: Callable[[str], str]  # where no call can be taken; given the words to say
    media_type: str = XML
    fields: Mapping[str, str] = field(default_factory=lambda: CALLER_AND_CALLED)  # parameters of
    # the document by the request's fields
    signs_query: bool = True  # else the query's fields count only where there is no body
    call_id: str = "CallSid"  # the field with its own id of the call
    path: str = "voice"  # /telephony/<carrier>/<path>
    status: Callable[[Mapping[str, Any]], CallStatus | None] | None = None  # what a request to
    # `Dial.status_url` says; None: of nothing that counts. Raises KeyError, TypeError
    put_through: Callable[[str], str] | None = None  # the document for a number, of a carrier that
    # fetches it at `Transfer.document_url`
    stream_refusal: Callable[[SignedRequest, str], str | None] = _no_refusal  # why a stream's
    # upgrade is refused by the secret; None: it is not. Most sign none: its ticket has to do


@dataclass(frozen=True, slots=True)
class RestRequest:
    """One request to a carrier's REST interface."""

    method: str
    url: str
    form: Mapping[str, str] | None = None
    json: Mapping[str, Any] | None = None
    basic: tuple[str, str] | None = None  # user and password
    bearer: str = ""


@dataclass(frozen=True, slots=True)
class Dial:
    """A call that is to be made. As soon as somebody picks up, the carrier streams it to us."""

    to: str  # E.164: +15550100
    caller: str  # one of our numbers at the carrier, likewise
    stream_url: str  # with a ticket in it
    answer_url: str  # of the carrier's webhook, where it must fetch the document
    ring_s: int  # then nobody is there
    status_url: str = ""  # of ours, where the carrier says what has become of it


@dataclass(frozen=True, slots=True)
class Transfer:
    """A call that is to be put through, away from the stream."""

    call_id: str  # the carrier's
    to: str  # the number, with + or as one dials there
    ours: str = ""  # the number at the carrier by which the call came, or was made
    document_url: str = ""  # of ours, where a carrier that must fetch one gets the document


@dataclass(frozen=True, slots=True)
class Dialing:
    """How the carrier makes calls."""

    request: Callable[[Dial], RestRequest]
    call_id: Callable[[Any], object]  # of its answer's JSON. Raises KeyError, TypeError
    # By that id, ends a call that rings; None: as one that is up.
    give_up: Callable[[str], RestRequest] | None = None


def _never_over(status: int, text: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class CallControl:
    """What the carrier can be asked beside the stream, by its own id of the call."""

    hang_up: Callable[[str], RestRequest]  # ends the call for the caller too
    transfer: Callable[[Transfer], RestRequest]
    dialing: Dialing | None = None
    is_over: Callable[[int, str], bool] = _never_over  # whether an answer, by its status and text,
    # says that the call has ended already; 404 does so everywhere


def _no_control(settings: TelephonySettings) -> CallControl | None:
    return None


def _says_nothing(told: object) -> Frame | None:
    return None


@dataclass(frozen=True, slots=True)
class Carrier:
    """One that streams calls here, or a bridge of one's own, which has no webhook and brings the
    server's key instead."""

    name: str
    codec: Callable[[], CallCodec]
    webhook: Webhook | None = None
    control: Callable[[TelephonySettings], CallControl | None] = _no_control  # None: no REST
    # interface, or no credentials for it
    event: Callable[[SessionEvent], Frame | None] = _says_nothing  # what the peer is told of the
    # conversation
    ended: Callable[[str], Frame | None] = _says_nothing  # and why the call ends
    stream_path: str = ""  # where it is not /telephony/<name>

    @property
    def path(self) -> str:
        """Of its streams."""
        return self.stream_path or f"/telephony/{self.name}"

    @property
    def has_rest(self) -> bool:
        """Whether it can be asked for anything beside the stream, given credentials."""
        return self.control is not _no_control
