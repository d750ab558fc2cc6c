"""What a call's session is set to: the server's defaults, and what a telephone has otherwise."""

from __future__ import annotations

from dataclasses import replace

from voicepipe.config import PhoneTurnSettings
from voicepipe.dialog.options import TurnOptions
from voicepipe.protocols.telephony.contract import CallStarted
from voicepipe.server.service import Service
from voicepipe.session.settings import SessionSettings, Transcription, TurnDetection


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
    )


def phone_turns(turns: TurnOptions, phone: PhoneTurnSettings) -> TurnOptions:
    """The server's turn options with what telephone calls have otherwise; the names are the
    same."""
    return replace(turns, **phone.model_dump(exclude_none=True))
