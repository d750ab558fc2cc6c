"""All emulated carriers, by name: what `voicepipe call simulate --carrier` chooses from."""

from __future__ import annotations

from collections.abc import Callable

from voicepipe.errors import ConfigError
from voicepipe.telephony_sim.asterisk_websocket import EmulatedAsterisk
from voicepipe.telephony_sim.audiosocket import EmulatedAudioSocket
from voicepipe.telephony_sim.dialect import CallDetails, Dialect
from voicepipe.telephony_sim.plain import EmulatedBridge
from voicepipe.telephony_sim.plivo import EmulatedPlivo
from voicepipe.telephony_sim.telnyx import EmulatedTelnyx
from voicepipe.telephony_sim.twilio import EmulatedSignalWire, EmulatedTwilio
from voicepipe.telephony_sim.vonage import EmulatedVonage

CARRIERS: dict[str, Callable[[CallDetails | None], Dialect]] = {
    "twilio": EmulatedTwilio,
    "signalwire": EmulatedSignalWire,
    "telnyx": EmulatedTelnyx,
    "plivo": EmulatedPlivo,
    "vonage": EmulatedVonage,
    "asterisk": EmulatedAsterisk,
    "audiosocket": EmulatedAudioSocket,
    "plain": EmulatedBridge,
}


def carrier(name: str, details: CallDetails | None = None) -> Dialect:
    """A call at the carrier of that name, in its default formats. Raises ConfigError."""
    make = CARRIERS.get(name)
    if make is None:
        raise ConfigError(f"no carrier is called '{name}'; known are {', '.join(CARRIERS)}")
    return make(details)
