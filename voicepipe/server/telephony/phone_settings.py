"""What a call's session is set to: the server's defaults, and what a telephone has otherwise."""

from __future__ import annotations

import logging
import time
from dataclasses import replace

from voicepipe.audio.formats import PCM_24K, AudioFormat
from voicepipe.config import PhoneTurnSettings
from voicepipe.dialog.options import TurnOptions
from voicepipe.protocols.openai_realtime.codec import without_formats
from voicepipe.protocols.openai_realtime.session_fields import FORMATS
from voicepipe.protocols.openai_realtime.session_object import SessionObject
from voicepipe.protocols.telephony.contract import CallStarted
from voicepipe.runtime.errors import ProtocolError
from voicepipe.server.decision import Decision
from voicepipe.server.service import Service
from voicepipe.session.settings import SessionSettings, Transcription, TurnDetection

log = logging.getLogger(__name__)


def phone_settings(service: Service, started: CallStarted) -> SessionSettings:
    """Of a new call."""
    turns = phone_turns(service.settings.turns, service.settings.telephony.turns)
    return replace(
        service.session_defaults(),
        input_format=started.input_format,
        output_format=started.output_format,
        turns=turns,
        turn_detection=TurnDetection(threshold=turns.speech_threshold),
        transcription=Transcription(),
        turn_events=True,
        telephone=True,
    )


def phone_turns(turns: TurnOptions, phone: PhoneTurnSettings) -> TurnOptions:
    """The server's turn options with what telephone calls have otherwise; the names are the
    same."""
    return replace(turns, **phone.model_dump(exclude_none=True))


def phone_wire(service: Service, settings: SessionSettings, session_id: str) -> SessionObject:
    """The session as a program in charge of the call sees it."""
    given, taken = _shown(settings.input_format), _shown(settings.output_format)
    return SessionObject(
        replace(settings, input_format=given, output_format=taken),
        model="voicepipe",
        session_id=session_id,
        expires_at=int(time.time() + service.settings.telephony.max_call_s),
        voices=service.engines.synthesizer.voices(),
        mcp_servers=service.settings.tools.client_mcp,
        models=service.engines.offered_models(),
    )


def as_accepted(
    settings: SessionSettings, wire: SessionObject, decision: Decision
) -> SessionSettings:
    """`settings` with what the program has said when it accepted the call."""
    said = {name: value for name, value in decision.session.items() if name != "type"}
    if not said:
        return settings
    try:
        wanted = wire.update(without_formats(said))
    except ProtocolError as error:  # it was checked without the agent's own settings
        log.warning("a call was accepted with a session that cannot be: %s", error)
        return settings
    return replace(wanted, input_format=settings.input_format, output_format=settings.output_format)


def _shown(wire: AudioFormat) -> AudioFormat:
    """The Realtime protocol has no name for some; audio comes and goes by the line anyway."""
    return wire if wire in FORMATS.values() else PCM_24K
