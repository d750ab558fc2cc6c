"""SignalWire's streams: Twilio's messages in a codec of the dial string's choice."""

from __future__ import annotations

from voicepipe.audio.formats import PCM_8K, PCM_16K, PCM_24K, PCMA_8K, PCMU_8K
from voicepipe.protocols.telephony.twilio import TwilioCodec


class SignalWireCodec(TwilioCodec):
    """As `TwilioCodec`; the format is what `start.mediaFormat` says. L16 is little-endian; G722
    is refused."""

    formats = (PCMU_8K, PCMA_8K, PCM_8K, PCM_16K, PCM_24K)
