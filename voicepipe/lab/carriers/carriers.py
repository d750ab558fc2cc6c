"""All emulated carriers, by name: what `voicepipe call simulate --carrier` chooses from."""

from __future__ import annotations

from voicepipe.lab.carriers.asterisk_websocket import EmulatedAsterisk
from voicepipe.lab.carriers.audiosocket import EmulatedAudioSocket
from voicepipe.lab.carriers.dialect import CallDetails, Dialect
from voicepipe.lab.carriers.plain import EmulatedBridge
from voicepipe.lab.carriers.plivo import EmulatedPlivo
from voicepipe.lab.carriers.telnyx import EmulatedTelnyx
from voicepipe.lab.carriers.twilio import EmulatedSignalWire, EmulatedTwilio
from voicepipe.lab.carriers.vonage import EmulatedVonage
from voicepipe.runtime.errors import ConfigError

CARRIERS: dict[str, type[Dialect]] = {
    one.name: one
    for one in (
        EmulatedTwilio,
        EmulatedSignalWire,
        EmulatedTelnyx,
        EmulatedPlivo,
        EmulatedVonage,
        EmulatedAsterisk,
        EmulatedAudioSocket,
        EmulatedBridge,
    )
}


def emulated(name: str) -> type[Dialect]:
    """The carrier of that name. Raises ConfigError."""
    if name not in CARRIERS:
        raise ConfigError(f"no carrier is called '{name}'; known are {', '.join(CARRIERS)}")
    return CARRIERS[name]


def carrier(name: str, details: CallDetails | None = None) -> Dialect:
    """A call at the carrier of that name, in its default formats. Raises ConfigError."""
    return emulated(name).call(details)
