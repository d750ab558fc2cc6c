"""Numbers, times, dates and durations as they are said."""

from __future__ import annotations

import random
from typing import Final

UNITS: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
TENS: Final = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()
ORDINALS: Final = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
    "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
).split()

WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS: Final = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)


def spoken_number(n: int) -> str:
    """Spell ``n`` (0 to 9999) without hyphens: ``125 -> "one hundred and twenty five"``."""
    if not 0 <= n <= 9999:
        raise ValueError(f"expected 0..9999, got {n}")
    if n < 20:
        return UNITS[n]
    if n < 100:
        tens, unit = divmod(n, 10)
        return TENS[tens] + (f" {UNITS[unit]}" if unit else "")
    size, word = (100, "hundred") if n < 1000 else (1000, "thousand")
    head, rest = divmod(n, size)
    text = f"{spoken_number(head)} {word}"
    if not rest:
        return text
    return f"{text} and {spoken_number(rest)}" if rest < 100 else f"{text} {spoken_number(rest)}"


def spoken_ordinal(n: int) -> str:
    """Spell the ordinal of ``n`` (1 to 31): ``21 -> "twenty first"``."""
    if not 1 <= n <= 31:
        raise ValueError(f"expected 1..31, got {n}")
    if n <= 20:
        return ORDINALS[n]
    return "thirtieth" if n == 30 else f"{TENS[n // 10]} {ORDINALS[n % 10]}"


def plain_time(hour: int, minute: int) -> str:
    """The one wording the assistant itself uses for a clock time (hour 0..23, minute 0..59)."""
    this = UNITS[(hour - 1) % 12 + 1]
    following = UNITS[hour % 12 + 1]
    if minute == 0:
        return f"{this} o'clock"
    if minute == 15:
        return f"quarter past {this}"
    if minute == 30:
        return f"half past {this}"
    if minute == 45:
        return f"quarter to {following}"
    if minute < 10:
        return f"{this} oh {UNITS[minute]}"
    return f"{this} {spoken_number(minute)}"


def spoken_time(hour: int, minute: int, rng: random.Random) -> str:
    """One of the ways people say a clock time (hour 0..23, minute 0..59)."""
    this = UNITS[(hour - 1) % 12 + 1]
    following = UNITS[hour % 12 + 1]
    ways = [plain_time(hour, minute)]
    if minute == 0:
        ways += [this, this, f"{this} {'a m' if hour < 12 else 'p m'}"]
        if hour in (0, 12):
            ways.append("midnight" if hour == 0 else "noon")
    elif minute % 5 == 0:
        ways.append(f"{this} {'oh five' if minute == 5 else spoken_number(minute)}")
        if minute < 30 and minute != 15:
            ways.append(f"{spoken_number(minute)} past {this}")
        if minute > 30 and minute != 45:
            ways.append(f"{spoken_number(60 - minute)} to {following}")
    text = rng.choice(ways)
    if text in ("noon", "midnight") or text.endswith(" m") or rng.random() < 0.8:
        return text
    part = "morning" if hour < 12 else "afternoon" if hour < 17 else "evening"
    return f"{text} in the {part}"


def spoken_duration(seconds: int, rng: random.Random | None = None) -> str:
    """Words for a duration in seconds (up to 12 hours): ``90 -> "one minute and thirty seconds"``.

    Without ``rng`` the plainest wording is returned; with it, one that people might use.
    """
    hours, rest = divmod(seconds, 3600)
    minutes, secs = divmod(rest, 60)
    units = ((hours, "hour"), (minutes, "minute"), (secs, "second"))
    parts = [f"{spoken_number(n)} {unit}{'' if n == 1 else 's'}" for n, unit in units if n]
    plain = " and ".join(parts)
    if rng is None:
        return plain
    special = {
        30: ["half a minute"],
        60: ["a minute"],
        90: ["a minute and a half", "ninety seconds", "one and a half minutes"],
        150: ["two and a half minutes"],
        900: ["a quarter of an hour"],
        1800: ["half an hour", "half an hour"],
        2700: ["three quarters of an hour"],
        3600: ["an hour", "an hour", "sixty minutes"],
        5400: ["an hour and a half", "ninety minutes", "one and a half hours"],
        7200: ["a couple of hours"],
        120: ["a couple of minutes"],
        9000: ["two and a half hours"],
    }
    ways = [plain, plain, *special.get(seconds, [])]
    if hours == 1 and minutes:
        ways.append(plain.replace("one hour", "an hour", 1))
    if (minutes and secs) or (hours and minutes):
        ways.append(plain.replace(" and ", " "))
    return rng.choice(ways)


def random_duration(rng: random.Random) -> int:
    """A timer length in seconds, mostly whole minutes, as people set them."""
    pick = rng.random()
    if pick < 0.40:
        return 60 * rng.choice((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 40, 45, 50))
    if pick < 0.66:
        return 60 * rng.randint(1, 60)
    if pick < 0.78:
        return rng.choice((5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 90))
    if pick < 0.84:
        return rng.randint(2, 59)
    if pick < 0.90:
        return 60 * rng.randint(1, 10) + rng.choice((10, 15, 20, 30, 40, 45))
    if pick < 0.95:
        return 3600 * rng.randint(1, 12)
    return 3600 * rng.randint(1, 3) + 60 * rng.choice((5, 10, 15, 20, 25, 30, 40, 45, 50))


def random_clock(rng: random.Random) -> tuple[int, int]:
    """A time of day that people make appointments at: (midnight, or hour 6..22)."""
    if rng.random() < 0.02:
        return 0, 0
    minute = rng.choice((0, 0, 0, 15, 30, 30, 30, 45, 10, 20, 40, 50, 5, 25, 35, 55))
    return rng.randint(6, 22), minute
