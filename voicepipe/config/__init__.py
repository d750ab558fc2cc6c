"""All settings, their defaults and their reasons; `loading.py` reads and layers them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator

from voicepipe.config.asr import AsrFallbackSettings, AsrSettings
from voicepipe.config.audio import AudioSettings
from voicepipe.config.budget import (
    AdmissionSettings,
    BreakerSettings,
    BudgetSettings,
    FillerSettings,
    GreetingSettings,
)
from voicepipe.config.dialog import DialogSettings
from voicepipe.config.llm import (
    AnswerCacheSettings,
    CascadeSettings,
    LlmFallbackSettings,
    LlmSettings,
    SpeculativeSettings,
    VllmSettings,
)
from voicepipe.config.section import Ms, Port, Section
from voicepipe.config.server import (
    CallSettings,
    IceServerSettings,
    LimitSettings,
    ServerSettings,
    WebRtcSettings,
)
from voicepipe.config.simulated import LatencySettings, SimulatedSettings
from voicepipe.config.telephony import (
    AudioSocketSettings,
    PhoneTurnSettings,
    PlivoSettings,
    SignalWireSettings,
    TelephonySettings,
    TelnyxSettings,
    TwilioSettings,
    VonageSettings,
)
from voicepipe.config.tts import TtsFallbackSettings, TtsSettings
from voicepipe.config.turn_ranges import turn_option_range, turn_options_in_range
from voicepipe.config.vad import VadSettings
from voicepipe.dialog.options import TurnOptions

BUILTIN_ENGINES: dict[str, tuple[str, ...]] = {
    "vad": ("webrtc", "silero", "gated"),
    "asr": ("faster_whisper", "pocketsphinx", "simulated", "transformers"),
    "llm": ("ctranslate2", "openai", "simulated", "vllm"),
    "tts": ("espeak", "openai", "piper", "simulated"),
}
"""Engines that ship with voicepipe, per stage; others come by entry points `voicepipe.<stage>`."""


class Settings(Section):
    """Everything. One instance per process, made once at start."""

    profile: str = "builtin"
    models_dir: Path | None = None  # where pulled models live; None = the user's data directory
    server: ServerSettings = ServerSettings()
    limits: LimitSettings = LimitSettings()
    audio: AudioSettings = AudioSettings()
    vad: VadSettings = VadSettings()
    turns: Annotated[TurnOptions, AfterValidator(turn_options_in_range)] = TurnOptions()
    dialog: DialogSettings = DialogSettings()
    asr: AsrSettings = AsrSettings()
    llm: LlmSettings = LlmSettings()
    tts: TtsSettings = TtsSettings()
    budget: BudgetSettings = BudgetSettings()
    filler: FillerSettings = FillerSettings()
    greeting: GreetingSettings = GreetingSettings()
    admission: AdmissionSettings = AdmissionSettings()
    webrtc: WebRtcSettings = WebRtcSettings()
    calls: CallSettings = CallSettings()
    simulated: SimulatedSettings = SimulatedSettings()
    telephony: TelephonySettings = TelephonySettings()


__all__ = [
    "BUILTIN_ENGINES",
    "AdmissionSettings",
    "AnswerCacheSettings",
    "AsrFallbackSettings",
    "AsrSettings",
    "AudioSettings",
    "AudioSocketSettings",
    "BreakerSettings",
    "BudgetSettings",
    "CallSettings",
    "CascadeSettings",
    "DialogSettings",
    "FillerSettings",
    "GreetingSettings",
    "IceServerSettings",
    "LatencySettings",
    "LimitSettings",
    "LlmFallbackSettings",
    "LlmSettings",
    "Ms",
    "PhoneTurnSettings",
    "PlivoSettings",
    "Port",
    "Section",
    "ServerSettings",
    "Settings",
    "SignalWireSettings",
    "SimulatedSettings",
    "SpeculativeSettings",
    "TelephonySettings",
    "TelnyxSettings",
    "TtsFallbackSettings",
    "TtsSettings",
    "TwilioSettings",
    "VadSettings",
    "VllmSettings",
    "VonageSettings",
    "WebRtcSettings",
    "turn_option_range",
]
