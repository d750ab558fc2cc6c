"""Audio as it comes in."""

from __future__ import annotations

from pydantic import Field

from voicepipe.config.section import Ms, Section


class AudioSettings(Section):
    preroll_ms: Ms = 400  # audio before the detected start that is fed to the recognizer
    keep_s: float = Field(30.0, ge=0, le=600)  # user audio a session keeps for item.retrieve
