"""From what a client says about turn detection to the dialog's options."""

from __future__ import annotations

from dataclasses import replace

from voicepipe.dialog.options import TurnOptions
from voicepipe.session.settings import TurnDetection

RELEASE_BELOW = 0.15
"""How far under the threshold speech is let go: Silero's own hysteresis."""

_EAGERNESS = {"low": 2.0, "medium": 1.0, "auto": 1.0, "high": 0.75}
"""Factor on every endpoint wait."""

COST_POWER = 3
"""`fused` has a cost in the place of waits; a wait grows with about its cube root."""


def turn_options(base: TurnOptions, detection: TurnDetection | None) -> TurnOptions:
    """The server's options, bent to the client's wishes."""
    if detection is None:
        return base
    options = replace(
        base,
        speech_threshold=detection.threshold,
        release_threshold=max(detection.threshold - RELEASE_BELOW, min(0.01, detection.threshold)),
        interruptible=base.interruptible and detection.interrupt_response,
        idle_timeout_ms=detection.idle_timeout_ms or base.idle_timeout_ms,
    )
    if detection.kind == "semantic_vad":
        factor = _EAGERNESS[detection.eagerness]
        return replace(
            options,
            endpoint_complete_ms=round(options.endpoint_complete_ms * factor),
            endpoint_unknown_ms=round(options.endpoint_unknown_ms * factor),
            endpoint_incomplete_ms=round(options.endpoint_incomplete_ms * factor),
            cut_off_cost_ms=round(options.cut_off_cost_ms * factor**COST_POWER),
        )
    if detection.silence_duration_ms is None:
        return options
    fixed_ms = detection.silence_duration_ms
    return replace(
        options,
        endpoint_fixed_ms=fixed_ms,
        eager_end_ms=min(options.eager_end_ms, fixed_ms),
    )
