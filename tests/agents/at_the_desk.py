"""The desk of the bookings example, as its tests come to it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parents[2] / "agents" / "bookings"
MODULES = (
    "clauses",
    "consent",
    "counts",
    "desk",
    "facts",
    "form",
    "hearing",
    "house",
    "listening",
    "names",
    "phrases",
    "spoken",
    "taking",
    "texts",
    "words",
)
TODAY = date(2026, 11, 26)  # a Thursday
FARRIER: dict[str, Any] = {
    "name": "Penrose Farriers",
    "books": "a visit",
    "hours": {"monday": "8:00-16:00", "friday": "8:00-16:00"},
    "needs": [
        {"what": "day"},
        {"what": "time"},
        {"what": "horses", "kind": "count", "of": "horses", "most": 6},
        {"what": "name"},
        {"what": "yard", "said": ", at {}"},
        {"what": "phone"},
    ],
    "facts": [
        "A trim is thirty five euros a horse.",
        {"say": "We come to you.", "about": "bring them, travel"},
    ],
}


@pytest.fixture
def importable(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(HERE))
    yield
    for name in MODULES:
        sys.modules.pop(name, None)


def form(house: dict[str, Any] | None = None) -> Any:
    from form import Form
    from house import load_house, read_house

    return Form(read_house(house) if house else load_house(HERE / "house.toml"), TODAY)


def note(at: Any, said: str) -> Any:
    """What the desk says to it."""
    return import_module("listening").hear(at, said)


def words() -> Any:
    """The module, imported as the desk imports it."""
    return import_module("words")


def full() -> Any:
    """A booking that lacks nothing."""
    at = form()
    note(at, "a cut on friday at ten, name is ann lee")
    return at
