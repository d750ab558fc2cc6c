"""Short questions that only make sense with what was said before, by other assistants too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from conversation import Conversation
from follow_booking import booked_turn
from follow_counts import counted_turn
from follow_kept import kept_turn
from follow_people import people_turn
from follow_prices import offered_turn, picked_turn, prices_turn

_TURNS: Final[Mapping[Callable[[Conversation], None], float]] = {
    prices_turn: 7,
    picked_turn: 3,
    offered_turn: 3,
    booked_turn: 6,
    counted_turn: 1.5,
    kept_turn: 7,
    people_turn: 2.5,
}


def follow_turn(talk: Conversation) -> None:
    """Something told or answered, and what is asked of it."""
    if talk.order:
        return  # at a counter these would be orders
    talk.rng.choices(tuple(_TURNS), tuple(_TURNS.values()))[0](talk)
