"""All carriers, and the bridges of one's own: one file each, and its name in this list."""

from __future__ import annotations

from voicepipe.protocols.telephony.carrier import Carrier
from voicepipe.protocols.telephony.carriers.asterisk import ASTERISK
from voicepipe.protocols.telephony.carriers.pcm import PCM
from voicepipe.protocols.telephony.carriers.plivo import PLIVO
from voicepipe.protocols.telephony.carriers.signalwire import SIGNALWIRE
from voicepipe.protocols.telephony.carriers.telnyx import TELNYX
from voicepipe.protocols.telephony.carriers.twilio import TWILIO
from voicepipe.protocols.telephony.carriers.vonage import VONAGE

CARRIERS: tuple[Carrier, ...] = (TWILIO, SIGNALWIRE, TELNYX, PLIVO, VONAGE, ASTERISK, PCM)
"""Those that come over WebSockets. AudioSocket has a TCP port of its own."""
