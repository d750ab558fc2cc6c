"""Session descriptions: what an offer asks for, and what must be taken out of it or put in."""

from __future__ import annotations

from dataclasses import dataclass

from aiortc.rtcrtpparameters import RTCRtpCodecParameters
from aiortc.sdp import MediaDescription, SessionDescription

from voicepipe.runtime.errors import ProtocolError

MAX_CANDIDATES = 32
"""Of an offer; each is an address that the server would knock at."""

MAX_LINES = 32
"""Of media, in an offer: a page with some cameras has a few. Work grows with their square."""

MAX_MESSAGE_BYTES = 262_144
"""On a data channel: what browsers take, and less where the peer says so; and what is taken."""


@dataclass(frozen=True, slots=True)
class Offer:
    """An offer that can be answered."""

    sdp: str  # without what would only cost time
    hears: bool  # the peer wants our audio
    speaks: bool  # the peer sends audio
    has_channel: bool  # it opens data channels
    max_message_bytes: int  # on them, towards the peer


class Unusable(ProtocolError):
    """A well-formed offer that holds nothing for us."""


def read_offer(text: str) -> Offer:
    """Raises ProtocolError where `text` is no session description, Unusable where it has no audio
    that flows."""
    media = _parsed(text).media
    audio = next((m for m in media if m.kind == "audio" and m.port), None)
    direction = "inactive" if audio is None else audio.direction or "sendrecv"
    if direction == "inactive":
        raise Unusable(
            "The offer has no active audio line: add an audio track or transceiver before "
            "createOffer().",
            code="no_audio",
            param="sdp",
        )
    channel = next((m for m in media if m.kind == "application" and m.port), None)
    return Offer(
        sdp=_trimmed(text),
        hears=direction in ("sendrecv", "recvonly"),
        speaks=direction in ("sendrecv", "sendonly"),
        has_channel=channel is not None,
        max_message_bytes=_max_message_bytes(channel),
    )


def audio_codecs(text: str) -> list[RTCRtpCodecParameters]:
    """Of the description's first audio line, the preferred one first."""
    for media in _parsed(text).media:
        if media.kind == "audio":
            codecs: list[RTCRtpCodecParameters] = media.rtp.codecs
            return codecs
    return []


def with_public_address(text: str, address: str) -> str:
    """The answer of a server behind one-to-one NAT: each IPv4 host candidate is offered a second
    time by the address that the world sees."""
    lines = []
    for line in text.splitlines():
        lines.append(line)
        if not line.startswith("a=candidate:"):
            continue
        bits = line.split()  # foundation component transport priority address port typ type
        if bits[7] == "host" and "." in bits[4]:
            foundation = bits[0] + "1"
            mapped = [foundation, *bits[1:4], address, bits[5], "typ", "srflx"]
            lines.append(" ".join([*mapped, "raddr", bits[4], "rport", bits[5]]))
    return "\r\n".join(lines) + "\r\n"


def _max_message_bytes(channel: MediaDescription | None) -> int:
    said = None if channel is None else channel.sctpCapabilities
    if said is None:
        return 65_536  # RFC 8841: what silence means
    return min(said.maxMessageSize or MAX_MESSAGE_BYTES, MAX_MESSAGE_BYTES)  # 0: any size


def _trimmed(text: str) -> str:
    """Without candidates that have a `.local` name, whose look-up costs a second and more, and
    without those beyond the limit. The connection comes about all the same, since the peer knocks
    here; that is also why no end of candidates is believed."""
    kept, candidates = [], 0
    for line in text.splitlines():
        if line.strip() == "a=end-of-candidates":
            continue
        if line.startswith("a=candidate:"):
            bits = line.split()
            candidates += 1
            if candidates > MAX_CANDIDATES or len(bits) < 8 or bits[4].lower().endswith(".local"):
                continue
        kept.append(line)
    return "\r\n".join(kept) + "\r\n"


def _parsed(text: str) -> SessionDescription:
    problem = "it must begin with 'v=0'"
    if text.startswith("v=0"):
        try:
            parsed = SessionDescription.parse(text)
            problem = _problem(parsed.media)
        except Exception as error:  # the parser has no errors of its own: any may come
            problem = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        if not problem:
            return parsed
    raise ProtocolError(
        f"The offer is not a session description that can be read ({problem}).",
        code="invalid_sdp",
        param="sdp",
    )


def _problem(media: list[MediaDescription]) -> str:
    if len(media) > MAX_LINES:
        return f"it has {len(media)} media lines, the limit is {MAX_LINES}"
    for line in media:
        if line.port and (line.dtls is None or not line.dtls.fingerprints):
            return f"m={line.kind} has no a=fingerprint"
        if line.port and (line.ice is None or not line.ice.usernameFragment):
            return f"m={line.kind} has no a=ice-ufrag"
    return ""
