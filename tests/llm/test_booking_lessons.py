"""The lessons book only what the prompt allows, and only what was read back."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts" / "training"))

from conversation import Conversation
from desk_booking import BookingTalk
from desk_facts import draw_desk
from desk_forms import FORMS, Part, Sheet
from desk_hours import DAYS
from desk_kinds import STAYS
from desk_limits import Limits
from instructed_values import Told


def booked(seed: int, count: int) -> Iterator[BookingTalk]:
    """Whole bookings at desks of all kinds."""
    rng = random.Random(seed)
    while count:
        desk = draw_desk(rng)
        if not desk.noun:
            continue
        at = BookingTalk(Conversation(rng, ()), desk)
        at.talk.messages.append({"role": "system", "content": desk.system})
        at.book()
        count -= 1
        yield at


def answers(at: BookingTalk) -> list[str]:
    """What the assistant says."""
    return [str(m["content"]) for m in at.talk.messages if m["role"] == "assistant"]


def test_nothing_is_booked_that_was_not_read_back() -> None:
    done = 0
    for at in booked(3, 200):
        said = answers(at)
        first = next((i for i, text in enumerate(said) if "is booked." in text), None)
        if first is None:
            continue
        done += 1
        what = said[first].removesuffix(" is booked.").partition("Thank you. ")[2]
        read_back = [text for text in said[:first] if text.endswith("?")]
        assert any(what.lower() in text.lower() for text in read_back), what
    assert done > 150


def test_nothing_is_booked_on_a_closed_day() -> None:
    for at in booked(4, 200):
        if at.desk.kind in STAYS:
            continue
        closed = [DAYS[day] for day in at.desk.hours.closed()]
        for text in answers(at):
            if text.endswith("is booked."):
                assert not any(f"on {day} " in text or f"next {day} " in text for day in closed)


def test_whoever_books_a_service_comes_to_those_who_do_it() -> None:
    named = 0
    for at in booked(5, 300):
        service = at.plan.known.get("service")
        doer = at.desk.does.get(service.say) if service else None
        if doer and at.plan.booked:
            named += 1
            assert f" with {doer}" in at.plan.words()
    assert named


@pytest.mark.parametrize(
    ("part", "minute", "exact", "fits"),
    [
        ("mornings", 600, True, True),
        ("mornings", 600, False, True),
        ("mornings", 1320, True, False),  # ten in the evening
        ("mornings", 900, False, False),  # "three" is in the afternoon
        ("afternoons", 900, False, True),
        ("afternoons", 600, False, False),
        ("afternoons", 1140, True, False),
    ],
)
def test_a_part_of_the_day(part: str, minute: int, exact: bool, fits: bool) -> None:
    limits = Limits(parts={"a cut": part})
    known = {"service": Told("", "a cut"), "time": Told("", "", minute + 1440 * exact)}
    assert (limits.refusal(known) is None) is fits


@pytest.mark.parametrize("form", sorted(set(FORMS)))
def test_every_form_tells_everything(form: str) -> None:
    for seed in range(20):
        parts = [
            Part("hours", "Open Monday to Friday from nine to five."),
            Part("prices", "A cut is ten euros.", "", [("Cut", "ten euros")]),
            Part("parking", "Parking is free.", "[is there parking|where can i park]"),
            Part("needs", "An appointment needs a day and a name."),
        ]
        text = Sheet(form, "Salon Mira", "This is the desk of {n}.", seed, parts).text()
        for told in ("Salon Mira", "Monday to Friday", "free", "a day and a name"):
            assert told in text, text
        assert "ten euros" in text or "10" in text, text
        assert "[" not in text, text
        assert "{" not in text, text
