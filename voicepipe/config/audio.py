"""Audio as it comes in."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from voicepipe.config.section import Ms, Section

EchoCancellation = Literal["auto", "on", "off"]


class AudioSettings(Section):
    preroll_ms: Ms = 400  # audio before the detected start that is fed to the recognizer
    echo_cancellation: EchoCancellation = "auto"  # the agent's own voice is taken out of the user's
    # line before turns are decided with it; the recognizer hears the line as it is. auto: of
    # telephone calls, and for clients that ask for the noise_reduction of a far field
    keep_s: float = Field(30.0, ge=0, le=600)  # user audio a session keeps for item.retrieve
