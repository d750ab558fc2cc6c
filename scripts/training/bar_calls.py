"""A call at the coffee bar as it ships: its till is asked first, and nothing is scripted.

The examinations were written for a model that calls the till's tools; what those give tells what
the order is to be after a turn.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from till import TILL

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT), str(ROOT / "agents" / "coffee_bar")]
from order import Order, new  # noqa: E402
from things import number, things  # noqa: E402
from turn import hear  # noqa: E402

from scripts.bench_till import alike  # noqa: E402


class BarCall:
    """One call: its order, and what that is to be."""

    def __init__(self) -> None:
        self._order = Order()
        self._wanted: list[str] = []
        self._placed = False
        self.changed = False  # the order, by the last turn

    def say(self, turn: dict[str, Any]) -> str:
        """What the till answers; "" = it is no affair of its."""
        results = [call["result"] for call in turn.get("calls", ()) if call["tool"] in TILL]
        numbers = [number(one["number"]) for one in results if "number" in one]
        self._placed = False

        def place(_words: str) -> int:
            self._placed = True
            return numbers[0] if numbers else 1

        before = list(self._order.items)
        said = hear(self._order, turn["say"], place)
        self.changed = before != self._order.items
        if numbers:
            self._wanted = []
        for one in results:
            if "order" in one:
                self._wanted = [new(thing).words for thing in things(one["order"])]
        return said

    def fault(self, calls: Sequence[dict[str, Any]]) -> str | None:
        """Why the order is not as it is to be after the turn, or None."""
        has = [item.words for item in self._order.items]
        if alike(has) != alike(self._wanted):
            return f"ordered {has}, wanted {self._wanted}"
        if self._placed != any(call["tool"] == "place_order" for call in calls):
            return "placed" if self._placed else "not placed"
        return None
