"""The doors: one per carrier, each with its dialect and its way to control calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from voicepipe.config import TelephonySettings
from voicepipe.protocols.telephony.asterisk_websocket import AsteriskWebSocketCodec
from voicepipe.protocols.telephony.audiosocket import AudioSocketCodec
from voicepipe.protocols.telephony.contract import CallCodec, Frame
from voicepipe.protocols.telephony.plain import PlainCodec
from voicepipe.protocols.telephony.plivo import PlivoCodec
from voicepipe.protocols.telephony.signalwire import SignalWireCodec
from voicepipe.protocols.telephony.telnyx import TelnyxCodec
from voicepipe.protocols.telephony.twilio import TwilioCodec
from voicepipe.protocols.telephony.vonage import VonageCodec
from voicepipe.server.telephony import carriers, pcm_events
from voicepipe.session.events import SessionEvent


def _no_events(event: SessionEvent) -> Frame | None:
    return None


def _no_farewell(reason: str) -> Frame | None:
    return None


def _no_carrier(settings: TelephonySettings) -> carriers.Carrier:
    return carriers.NoCarrier()


@dataclass(frozen=True, slots=True)
class Door:
    """`carrier`: over which calls are controlled; `tell`: what the peer is told of the session,
    `farewell`: and of the call's end."""

    name: str
    codec: Callable[[], CallCodec]
    carrier: Callable[[TelephonySettings], carriers.Carrier] = _no_carrier
    tell: Callable[[SessionEvent], Frame | None] = _no_events
    farewell: Callable[[str], Frame | None] = _no_farewell


TWILIO = Door("twilio", TwilioCodec, lambda s: carriers.twilio(s.twilio))
SIGNALWIRE = Door("signalwire", SignalWireCodec, lambda s: carriers.signalwire(s.signalwire))
TELNYX = Door("telnyx", TelnyxCodec, lambda s: carriers.telnyx(s.telnyx))
PLIVO = Door("plivo", PlivoCodec, lambda s: carriers.plivo(s.plivo))
VONAGE = Door("vonage", VonageCodec)
ASTERISK = Door("asterisk", AsteriskWebSocketCodec)
AUDIOSOCKET = Door("audiosocket", AudioSocketCodec)
PCM = Door("pcm", PlainCodec, tell=pcm_events.render, farewell=pcm_events.ended)
