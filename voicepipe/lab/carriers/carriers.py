"""All emulated carriers, by name: what `voicepipe call simulate --carrier` chooses from."""

from __future__ import annotations

from collections.abc import Callable

from voicepipe.lab.carriers.asterisk_websocket import EmulatedAsterisk
from voicepipe.lab.carriers.audiosocket import EmulatedAudioSocket
from voicepipe.lab.carriers.dialect import CallDetails, Dialect
from voicepipe.lab.carriers.plain import EmulatedBridge
from voicepipe.lab.carriers.plivo import EmulatedPlivo
from voicepipe.lab.carriers.telnyx import EmulatedTelnyx
from voicepipe.lab.carriers.twilio import EmulatedSignalWire, EmulatedTwilio
from voicepipe.lab.carriers.vonage import EmulatedVonage
from voicepipe.runtime.errors import ConfigError

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
