"""Endpointing policies by name (`turns.endpointing`)."""

from __future__ import annotations

from collections.abc import Callable

from voicepipe.dialog.endpointing import AudioWait, EndpointPolicy, FixedWait, TextWait
from voicepipe.dialog.fused import FusedWait
from voicepipe.dialog.learned import LearnedWait
from voicepipe.dialog.options import Endpointing

POLICIES: dict[Endpointing, Callable[[], EndpointPolicy]] = {
    "fixed": FixedWait,
    "text": TextWait,
    "learned": LearnedWait,
    "fused": FusedWait,
    "smart_turn": AudioWait,
}


def create_policy(name: Endpointing) -> EndpointPolicy:
    """A new policy, for one session."""
    return POLICIES[name]()
