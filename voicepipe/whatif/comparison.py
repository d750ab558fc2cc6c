"""Recorded turns beside the same turns under other settings: all that a what-if says. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from voicepipe.whatif.changes import Changes, parse_changes
from voicepipe.whatif.figures import predicted_figures, recorded_figures, voice_to_voice_ms
from voicepipe.whatif.recorded import Recording
from voicepipe.whatif.replay import predict
from voicepipe.whatif.trust import interval_ms, trust


def compare(recording: Recording, assignments: Sequence[str]) -> dict[str, Any]:
    """Of `["turns.eager_end_ms=80"]`, as JSON. `replayed`: the replay without any change, which
    says how far the prediction can be trusted. Raises ConfigError for a change that cannot be."""
    predicted = predict(recording, parse_changes(assignments))
    replayed = predict(recording, Changes())
    before, again = recorded_figures(recording), predicted_figures(replayed)
    replayed_ms, predicted_ms = (
        voice_to_voice_ms(replayed.turns),
        voice_to_voice_ms(predicted.turns),
    )
    return {
        "changes": list(assignments),
        "left_out": dict(recording.left_out),
        "trust": trust(before, again).as_dict(),
        "recorded": before,
        "replayed": again,
        "predicted": predicted_figures(predicted),
        "recorded_v2v_ms": voice_to_voice_ms(recording.turns),
        "replayed_v2v_ms": replayed_ms,
        "predicted_v2v_ms": predicted_ms,
        "p50_change_ms": interval_ms(replayed_ms, predicted_ms),
    }


def without_prediction(found: Mapping[str, Any]) -> dict[str, Any]:
    """The same where the unchanged replay misses the record: what it foretells is not said."""
    return {**found, "predicted": None, "predicted_v2v_ms": None, "p50_change_ms": None}
