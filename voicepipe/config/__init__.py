"""All settings, their defaults and their reasons; `loading.py` reads and layers them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, Field, ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from voicepipe.config.agents import AgentSettings
from voicepipe.config.anticipation import AnticipationSettings
from voicepipe.config.asr import AsrFallbackSettings, AsrSettings
from voicepipe.config.audio import AudioSettings
from voicepipe.config.budget import (
    AdmissionSettings,
    BreakerSettings,
    BudgetSettings,
    DriftSettings,
    FillerSettings,
    GreetingSettings,
)
from voicepipe.config.cluster import ClusterSettings, PoolSettings
from voicepipe.config.dialog import DialogSettings
from voicepipe.config.keys import KeySettings
from voicepipe.config.llm import (
    AnswerCacheSettings,
    CascadeSettings,
    LlamaCppSettings,
    LlmFallbackSettings,
    LlmSettings,
    SpeculativeSettings,
    SummarySettings,
    VllmSettings,
)
from voicepipe.config.privacy import PrivacySettings
from voicepipe.config.section import Ms, Port, Section
from voicepipe.config.server import (
    CallSettings,
    IceServerSettings,
    LimitSettings,
    ServerSettings,
    TracingSettings,
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
from voicepipe.config.tools import (
    HttpToolSettings,
    McpServerSettings,
    ToolRuleSettings,
    ToolSettings,
)
from voicepipe.config.tts import TtsFallbackSettings, TtsSettings
from voicepipe.config.vad import VadSettings
from voicepipe.config.webhooks import WebhookName, WebhookSettings
from voicepipe.dialog.options import TurnOptions

CONTRADICTION = "contradiction"
"""Type of the error for two settings that exclude each other; `msg` is what one of them must be."""


def _without_contradictions(options: TurnOptions) -> TurnOptions:
    problems = [
        InitErrorDetails(
            type=PydanticCustomError(CONTRADICTION, "{rule}", {"rule": rule}),
            loc=(name,),
            input=getattr(options, name),
        )
        for name, rule in options.contradictions()
    ]
    if problems:
        raise ValidationError.from_exception_data("turns", problems)
    return options


class Settings(Section):
    """Everything. One instance per process, made once at start."""

    profile: str = "builtin"
    models_dir: Path | None = None  # where pulled models live; None = the user's data directory
    server: ServerSettings = ServerSettings()
    tracing: TracingSettings = TracingSettings()
    limits: LimitSettings = LimitSettings()
    audio: AudioSettings = AudioSettings()
    vad: VadSettings = VadSettings()
    turns: Annotated[TurnOptions, AfterValidator(_without_contradictions)] = TurnOptions()
    dialog: DialogSettings = DialogSettings()
    asr: AsrSettings = AsrSettings()
    llm: LlmSettings = LlmSettings()
    tools: ToolSettings = ToolSettings()
    agents: dict[str, AgentSettings] = Field(default_factory=dict)
    keys: dict[str, KeySettings] = Field(default_factory=dict)
    webhooks: dict[WebhookName, WebhookSettings] = Field(default_factory=dict)
    tts: TtsSettings = TtsSettings()
    anticipation: AnticipationSettings = AnticipationSettings()
    budget: BudgetSettings = BudgetSettings()
    filler: FillerSettings = FillerSettings()
    greeting: GreetingSettings = GreetingSettings()
    admission: AdmissionSettings = AdmissionSettings()
    drift: DriftSettings = DriftSettings()
    webrtc: WebRtcSettings = WebRtcSettings()
    calls: CallSettings = CallSettings()
    privacy: PrivacySettings = PrivacySettings()
    simulated: SimulatedSettings = SimulatedSettings()
    cluster: ClusterSettings = ClusterSettings()
    telephony: TelephonySettings = TelephonySettings()

    @model_validator(mode="after")
    def _agents_turns(self) -> Self:
        problems = [
            InitErrorDetails(
                type=PydanticCustomError(
                    "value_error", f"{name}: must be {{rule}}", {"rule": rule}
                ),
                loc=("agents", agent, "turns"),
                input=one.turns,
            )
            for agent, one in self.agents.items()
            for name, rule in one.contradictions(self.turns)
        ]
        if problems:
            raise ValidationError.from_exception_data("agents", problems)
        return self


__all__ = [
    "AdmissionSettings",
    "AgentSettings",
    "AnswerCacheSettings",
    "AnticipationSettings",
    "AsrFallbackSettings",
    "AsrSettings",
    "AudioSettings",
    "AudioSocketSettings",
    "BreakerSettings",
    "BudgetSettings",
    "CallSettings",
    "CascadeSettings",
    "ClusterSettings",
    "DialogSettings",
    "DriftSettings",
    "FillerSettings",
    "GreetingSettings",
    "HttpToolSettings",
    "IceServerSettings",
    "KeySettings",
    "LatencySettings",
    "LimitSettings",
    "LlamaCppSettings",
    "LlmFallbackSettings",
    "LlmSettings",
    "McpServerSettings",
    "Ms",
    "PhoneTurnSettings",
    "PlivoSettings",
    "PoolSettings",
    "Port",
    "PrivacySettings",
    "Section",
    "ServerSettings",
    "Settings",
    "SignalWireSettings",
    "SimulatedSettings",
    "SpeculativeSettings",
    "SummarySettings",
    "TelephonySettings",
    "TelnyxSettings",
    "ToolRuleSettings",
    "ToolSettings",
    "TracingSettings",
    "TtsFallbackSettings",
    "TtsSettings",
    "TwilioSettings",
    "VadSettings",
    "VllmSettings",
    "VonageSettings",
    "WebRtcSettings",
    "WebhookSettings",
]
