"""How people say how long and what for: the lengths and the labels of timers."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Final

from dialogue_values import Value, draw_value, duration_words, proper
from domain import choose_branches
from open_words import open_drink, open_snack, open_word
from slots import phrases
from spoken_numbers import spoken_number

Rng = random.Random

_LABELS: Final = phrases(
    "school run, face mask, hair dye, bottle, feeding, nap time, bins, parking meter, oven chips, fish fingers, plank, squats, push ups, eye drops,"
    "gnocchi, dumplings, lasagne, gravy, custard, jam, stew, curry, chilli, ribs, wings, sourdough, crumble, souffle, meringue, toast, kettle, grill,"
    "washing machine, dishwasher, ironing, phone call, screen time, bedtime, teeth, tooth brushing, stretching, meditation, warm up, cool down, sprint,"
    "debate, presentation, exam, quiz, board game, chess clock, time out, quiet time, tv time, lunch break, coffee break, smoke break, power nap,"
    "hair mask, bath water, hot tub, sunscreen, laundry, garden hose, marinade, yeast, second batch, first tray, boiled eggs, egg, soft boiled egg, steak"
)
_HYPHENED: Final = phrases(
    "stand-up, check-in, warm-up, follow-up, sit-ups, cool-down, tie-dye, pick-up, X-ray, e-mail, T-shirts"
)
_DEEDS: Final = phrases(
    "call, ring, text, wake, check on, feed, pick up, take out, turn over, stir, bring in, hang up, switch off, move, water, turn down, pay, look at, flip, collect, phone"
)
_FETCHED: Final = phrases("washing, bins, dog, cat, oven, chicken, bread, parcel, kids, car, dinner, plants, cake, potatoes, sheets, rubbish, hens, bike")  # fmt: skip


def draw_label(rng: Rng) -> str:
    """What a timer is for: known things, and words that nobody times."""
    pick = rng.random()
    if pick < 0.28:
        return draw_value("label", rng, False).say
    if pick < 0.45:
        return rng.choice(_LABELS)
    if pick < 0.56:
        return rng.choice((open_snack, open_drink))(rng).split()[rng.choice((0, -1))]
    if pick < 0.6:
        return rng.choice(_HYPHENED) if rng.random() < 0.6 else f"{open_word(rng)}-{open_word(rng)}"
    return open_word(rng) if pick < 0.85 else f"{open_word(rng)} {open_word(rng)}"


def draw_chore(rng: Rng) -> str:
    """What to be reminded of: ``ring my mother``, ``take out the otter``."""
    pick = rng.random()
    if pick < 0.4:
        return draw_value("chore", rng, False).text
    if pick < 0.6:
        name = draw_value("name", rng, False).text
        return f"{rng.choice(('call', 'ring', 'text', 'phone', 'wake', 'write to', 'pick up', 'meet'))} {proper(name) if rng.random() < 0.6 else name}"
    if pick < 0.72:
        thing = open_word(rng) if rng.random() < 0.5 else rng.choice(_FETCHED)
        return f"{rng.choice(('get', 'bring', 'take', 'put', 'let', 'fetch', 'hang'))} {rng.choice(('the', 'the', 'my'))} {thing} {rng.choice(('in', 'out', 'off', 'on', 'up', 'down', 'back', 'home'))}"
    who = rng.choice(("the", "the", "my", "our"))
    thing = rng.choice(_LABELS) if rng.random() < 0.3 else open_word(rng)
    return f"{rng.choice(_DEEDS)} {who} {thing}"


def _number(count: int, rng: Rng) -> str:
    """In words or in figures."""
    return spoken_number(count) if rng.random() < 0.75 else str(count)


def _minutes(rng: Rng) -> tuple[str, int]:
    count = rng.randint(1, 59) if rng.random() < 0.8 else rng.randint(60, 150)
    unit = "minute" if count == 1 else rng.choice(("minutes", "minutes", "minutes", "mins", "min"))
    return f"{_number(count, rng)} {unit}", 60 * count


def _minutes_and_a_half(rng: Rng) -> tuple[str, int]:
    count = rng.randint(1, 20)
    words = spoken_number(count)
    ways = [f"{words} and a half minutes", f"{words} and a half minutes", f"{words} and a half min"]
    ways.append(f"{words} minutes and a half" if count > 1 else "a minute and a half")
    return rng.choice(ways), 60 * count + 30


def _hours_and_a_part(rng: Rng) -> tuple[str, int]:
    count, (part, minutes) = (
        rng.randint(1, 6),
        rng.choice((("half", 30), ("quarter", 15), ("half", 30))),
    )
    words = spoken_number(count)
    if count == 1:
        return f"an hour and a {part}", 3600 + 60 * minutes
    text = rng.choice((f"{words} and a {part} hours", f"{words} hours and a {part}"))
    return text, 3600 * count + 60 * minutes


def _hours_and_minutes(rng: Rng) -> tuple[str, int]:
    hours, minutes = (
        rng.choice((1, 1, 1, 2, 2, 3, 4)),
        rng.choice((5 * rng.randint(1, 11), rng.randint(1, 59))),
    )
    one = "hour" if hours == 1 else "hours"
    first = rng.choice(("an", "one")) if hours == 1 else spoken_number(hours)
    word, unit = spoken_number(minutes), "minute" if minutes == 1 else "minutes"
    ways = [
        f"{first} {one} and {word} {unit}",
        f"{first} {one} and {word} {unit}",
        f"{first} {one} {word} {unit}",
        f"{first} {one} {word}",
        f"{first} {one} and {word}",
        f"{hours} {one} {minutes} {unit}",
        f"{hours}h {minutes}min",
        f"{hours} h {minutes}",
        f"{hours} hr {minutes} min",
    ]
    return rng.choice(ways), 3600 * hours + 60 * minutes


_QUARTERS: Final = {15: "quarter", 30: "half", 45: "three quarters"}


def _part_of_an_hour(rng: Rng) -> tuple[str, int]:
    """``half an hour``, ``three-quarters of an hour``, ``two and three quarter hours``."""
    if rng.random() < 0.35:
        minutes = rng.choice(tuple(_QUARTERS))
        three, half = minutes == 45, minutes == 30
        part = _QUARTERS[minutes]
        if three and rng.random() < 0.4:
            part = "three-quarters"
        a = "" if three or rng.random() < 0.4 else "a "
        hour = rng.choice(("of an hour", "of an hour", "of the hour", "of one hour", "hour"))
        if half:
            return rng.choice(("half hour", "a half hour", "half an hour", "half of an hour", "one half hour")), 1800  # fmt: skip
        return f"{a}{part.removesuffix('s') if hour == 'hour' else part} {hour}", 60 * minutes
    if rng.random() < 0.3:
        count, minutes = rng.randint(1, 5), rng.choice((15, 30, 45, 45))
        words, part = spoken_number(count), _QUARTERS[minutes]
        a = "" if minutes == 45 else "a "
        first = "an hour" if count == 1 else f"{words} hours"
        ways = [f"{first} and {a}{part}"]
        if count > 1:
            ways.append(f"{words} and {a}{part.removesuffix('s')} hours")
        return rng.choice(ways), 3600 * count + 60 * minutes
    return rng.choice(
        (
            ("half an hour", 1800), ("half an hour", 1800), ("a half hour", 1800), ("a quarter of an hour", 900), ("quarter of an hour", 900), ("a quarter hour", 900),
            ("three quarters of an hour", 2700), ("three quarters of an hour", 2700), ("three quarter of an hour", 2700), ("an hour", 3600), ("one hour", 3600), ("a full hour", 3600),
            ("a couple of hours", 7200), ("a couple of minutes", 120), ("an hour and three quarters", 6300), ("a minute", 60), ("half a minute", 30), ("a minute and a half", 90), ("two hours", 7200),
            ("a dozen minutes", 720), ("a good half hour", 1800), ("an hour or so", 3600), ("quarter of a minute", 15), ("three quarters of a minute", 45), ("one minute and a half", 90), ("an hour less a quarter", 2700),
        )
    )  # fmt: skip


def _seconds(rng: Rng) -> tuple[str, int]:
    count = rng.choice((5 * rng.randint(1, 24), rng.randint(2, 120), 90, 90, 45, 30, 100, 120))
    words = "a hundred" if count == 100 and rng.random() < 0.5 else _number(count, rng)
    return f"{words} {rng.choice(('seconds', 'seconds', 'seconds', 'secs', 'sec'))}", count


def _minutes_and_seconds(rng: Rng) -> tuple[str, int]:
    minutes, seconds = rng.randint(1, 12), rng.choice((10, 15, 20, 30, 30, 40, 45, 50))
    first = rng.choice(("a", "one")) if minutes == 1 else spoken_number(minutes)
    one, word = "minute" if minutes == 1 else "minutes", spoken_number(seconds)
    ways = (
        f"{first} {one} and {word} seconds",
        f"{first} {one} {word} seconds",
        f"{first} {one} {word}",
        f"{minutes} min {seconds} sec",
    )
    return rng.choice(ways), 60 * minutes + seconds


def _hours(rng: Rng) -> tuple[str, int]:
    count = rng.randint(2, 12)
    return f"{_number(count, rng)} {rng.choice(('hours', 'hours', 'hrs'))}", 3600 * count


_WAYS: Final[tuple[tuple[Callable[[Rng], tuple[str, int]], int], ...]] = (
    (_minutes, 40),
    (_minutes_and_a_half, 11),
    (_hours_and_a_part, 7),
    (_hours_and_minutes, 12),
    (_part_of_an_hour, 17),
    (_seconds, 10),
    (_minutes_and_seconds, 6),
    (_hours, 4),
)


def draw_length(rng: Rng) -> Value:
    """A length of time in any words."""
    if rng.random() < 0.3:
        return draw_value("duration", rng, rng.random() < 0.2)
    ways = [way for way, _ in _WAYS]
    text, seconds = rng.choices(ways, [weight for _, weight in _WAYS])[0](rng)
    if rng.random() < 0.12:  # as people write: "twenty-five"
        text = re.sub(r"(twenty|thirty|forty|fifty) (?=(one|two|three|four|five|six|seven|eight|nine)\b)", r"\1-", text)  # fmt: skip
    if rng.random() < 0.06:
        text = (
            f"{rng.choice(('like', 'um', 'about', 'exactly', 'say', 'uh like', 'roughly'))} {text}"
        )
    return Value(text, duration_words(seconds), seconds)


_WAIT: Final = "[no|no sorry|sorry|no wait|wait|i mean|er no|actually|or rather|hang on|oh no|hmm no|make that|uh no|no make it|no no|naw|naw make it|nah|scratch that|like no|ah no|or no|not that|wait no|ach no|nah make it]"


def length_put_right(rng: Rng) -> Value:
    """A length after another that wasn't meant: ``thirteen no fourteen minutes``."""
    wait = choose_branches(_WAIT, rng)
    if rng.random() < 0.5:
        value = draw_length(rng)
        return value._replace(text=f"{draw_length(rng).text} {wait} {value.text}")
    first, count = rng.sample(range(2, 60), 2)
    text = f"{spoken_number(first)} {wait} {spoken_number(count)} minutes"
    return Value(text, duration_words(60 * count), 60 * count)


def draw_left(rng: Rng, most: int = 43200) -> int:
    """Seconds that a timer may still have: mostly whole minutes, but all kinds."""
    pick, minutes = rng.random(), most // 60
    if minutes < 1 or pick < 0.1:
        return rng.randint(1, max(1, min(59, most)))
    if minutes > 60 and pick < 0.24:
        return rng.choice(
            (300 * rng.randint(12, max(12, minutes // 5)), 3600 * rng.randint(1, minutes // 60))
        )
    if pick < 0.72:
        return 60 * rng.randint(1, min(59, minutes))
    if pick < 0.8:
        return rng.randint(60, min(119, most))
    if pick < 0.85 and minutes > 2:
        return 30 + 60 * rng.randint(2, min(9, minutes - 1))
    return rng.randint(60, min(3599, most))
