"""Settings that do nothing beside the others: who set one is told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from voicepipe.dialog.options import TurnOptions

ASKED_BY: Mapping[str, tuple[str, ...]] = {
    "endpoint_complete_ms": ("text", "learned", "smart_turn"),
    "endpoint_incomplete_ms": ("text", "learned", "fused", "smart_turn"),
    "endpoint_min_ms": ("learned",),
    "endpoint_max_ms": ("learned",),
    "cut_off_cost_ms": ("fused",),
}
"""The endpointing policies that ask for a wait. One that is not here: all do."""


def idle_waits(options: TurnOptions, given: Mapping[tuple[str, ...], str]) -> Iterator[str]:
    """What of `[turns]` the policy never asks for, in words.

    `given`: what somebody set, by its path, and where.
    """
    if options.endpoint_fixed_ms is not None:
        return  # a client's, mostly: it stands above every policy
    for name, policies in ASKED_BY.items():
        source = given.get(("turns", name))
        if source is not None and options.endpointing not in policies:
            yield (
                f'{source} does nothing: turns.endpointing is "{options.endpointing}", and only '
                f"{', '.join(policies)} {'asks' if len(policies) == 1 else 'ask'} for it"
            )
