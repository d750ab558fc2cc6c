"""Prices that another assistant told: added up, compared, for several, and one of them taken."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from typing import Final

from conversation import Conversation
from desk_further import price_further
from desk_prices import Thing
from dialogue_values import capitalise, with_an
from open_words import open_drink, open_snack, open_word
from order_items import joined
from shapes import Kind
from sheet_values import Money
from spoken_numbers import spoken_number
from talk_numbers import plainly, told_before

_SERVICES: Final = "haircut|manicure|massage|lesson|ticket|day pass|boat trip|guided tour|swim|court|locker|bike|tandem|key copy|suit|shirt|car wash|pedicure|shave|beard trim|facial|tour|helmet|{o} lesson|{o} ticket|{o}"
_ROOMS: Final = "single room|double room|twin room|family room|suite|room with a view|{o} room|small room|large room"
_FIRST: Final = "[how much is {s}|what does {s} cost|what's {s}|{s} is how much|how much for {s}|what do you charge for {s}|price of {s}|what's the price of {s}|what would {s} be|how much are you asking for {s}|hello how much is {s}|hi what's {s} [cost|]]"
_NEXT: Final = "[and {s}|and {s}|what about {s}|how about {s}|right and {s}|and how much is {s}|okay and {s}|and for {s}]"
_ALL: Final = "[how much are your {k}|what do your {k} cost|what {k} do you have|what are your {k}|which {k} have you got and how much are they|what {k} are there|prices of your {k} please]"
_TAKE: Final = "[i'll take|we'll take|i'd like|give me|then|let's take|can i have|i'll have|okay|right|we want|book me|let's have|]"
_PICKS: Final = {
    "cheap": "[the cheaper one|the cheaper|the cheapest|the cheapest one|the one that costs less|whichever is cheaper|the less expensive one|the cheaper of the two]",
    "dear": "[the more expensive one|the dearer one|the expensive one|the pricier one|the most expensive one]",
    "first": "[the first one|the first|the first you said|the one you said first]",
    "last": "[the last one|the last|the last you said|the second one|the second]",
}  # fmt: skip


def _thing(said: str, coin: str, rng: random.Random) -> Thing:
    whole = rng.randint(1, 12) if rng.random() < 0.7 else rng.randint(10, 45)
    rest = 50 if whole < 13 and rng.random() < 0.25 else 0
    money = Money(100 * whole + rest, coin)
    return Thing(said, money.said(), 0 if rest else whole)


def _saids(rng: random.Random, count: int) -> list[str]:
    """Different things to pay for, with their article."""
    found: list[str] = []
    food = rng.random() < 0.5
    while len(found) < count:
        name = (
            rng.choice((open_snack, open_drink))(rng)
            if food
            else rng.choice(_SERVICES.split("|")).replace("{o}", open_word(rng))
        )
        said = with_an(f"a {name}")
        if not any(
            set(said.split()[1:]) & set(other.split()) for other in found
        ) and not name.endswith("s"):
            found.append(said)
    return found


def _hyphens(text: str, rng: random.Random) -> str:
    return text.replace("ty ", "ty-", 1) if rng.random() < 0.2 and "ty " in text else text


def prices_turn(talk: Conversation) -> None:
    """One or two prices of another assistant's; then both together, two of them, the cheaper."""
    rng, coin = talk.rng, talk.rng.choice(("euro", "euro", "pound", "dollar"))
    things = [_thing(said, coin, rng) for said in _saids(rng, 2 if rng.random() < 0.8 else 1)]
    for index, thing in enumerate(things):
        bare = thing.said.split(" ", 1)[1]
        named = rng.choice((thing.said, thing.said, f"the {bare}", bare))
        plainly(talk, (_NEXT if index else _FIRST).replace("{s}", named), Kind.QUESTION)
        told = rng.choice(
            (
                thing.answer(),
                thing.answer(),
                f"{capitalise(thing.said)} costs {thing.price}.",
                f"That's {thing.price}.",
                f"The {bare} is {thing.price}.",
                f"{capitalise(thing.price)}.",
                f"It's {thing.price}.",
            )
        )
        told_before(talk, _hyphens(told, rng))
    before = things[0] if len(things) > 1 else None
    further = price_further(things[-1], things, before, rng)
    for _ in range(rng.choice((1, 1, 2))):
        if further is None:
            return
        plainly(
            talk, f"[|||||so|okay|right|hmm|good] {further.text} [||||please|then]", Kind.QUESTION
        )
        talk.assistant(further.answer)
        if further.answer.startswith("That is"):
            return
        further = price_further(things[-1], things, before, rng)


def picked_turn(talk: Conversation) -> None:
    """Two or three with their prices in one answer; the caller takes the cheaper, the first, the other."""
    rng, coin = talk.rng, talk.rng.choice(("euro", "euro", "pound", "dollar"))
    rooms = rng.random() < 0.45
    if rooms:
        names = rng.sample(_ROOMS.split("|"), rng.choice((2, 2, 3)))
        saids, kind, unit = (
            [with_an(f"a {name.replace('{o}', open_word(rng))}") for name in names],
            "rooms",
            " a night",
        )
    else:
        base = rng.choice(
            (
                "massage",
                "lesson",
                "ticket",
                "tour",
                "cake",
                "bike",
                "locker",
                "haircut",
                "session",
                open_word(rng),
            )
        )
        sizes = rng.sample(
            (
                "small",
                "large",
                "short",
                "long",
                "simple",
                "big",
                "normal",
                "single",
                "double",
                open_word(rng),
            ),
            rng.choice((2, 2, 3)),
        )
        saids, kind, unit = [with_an(f"a {size} {base}") for size in sizes], f"{base}s", ""
    amounts = rng.sample(range(20, 160, 5) if rooms else range(3, 90), len(saids))
    if rng.random() < 0.4:
        amounts.sort()
    prices = {
        said: f"{spoken_number(amount)} {coin}s"
        for said, amount in zip(saids, amounts, strict=True)
    }
    plainly(talk, _ALL.replace("{k}", kind), Kind.QUESTION)
    tail = rng.choice((unit, "", unit))
    parts = [f"{said} is {price}" for said, price in prices.items()]
    told = rng.choice(
        (
            f"{joined(parts)}{tail}.",
            f"We have {joined([f'{said} for {price}' for said, price in prices.items()])}{tail}.",
            f"{'; '.join(parts)}.",
        )
    )
    told_before(talk, _hyphens(capitalise(told), rng))
    order = {
        "cheap": min(prices, key=lambda said: amounts[saids.index(said)]),
        "dear": max(prices, key=lambda said: amounts[saids.index(said)]),
        "first": saids[0],
        "last": saids[-1],
    }
    how = rng.choice(("cheap", "cheap", "dear", "first", "last", "named"))
    said = order.get(how) or rng.choice(saids)
    words = _PICKS.get(
        how,
        f"[the {said.split()[1]} one|{said}|the {' '.join(said.split()[1:])}|{' '.join(said.split()[1:])}]",
    )
    if how == "last" and len(saids) > 2:
        words = "[the last one|the last|the last you said]"
    if rng.random() < 0.25 and how in ("cheap", "dear"):
        ask = (
            "[which is the cheapest|which one is cheaper|what's the cheapest|which of them is cheaper]"
            if how == "cheap"
            else "[which is the most expensive|which one is dearer|which of them costs more]"
        )
        plainly(talk, f"[|so|and|okay|hmm] {ask}", Kind.QUESTION)
        adjective = {
            ("cheap", False): "cheaper",
            ("cheap", True): "the cheapest",
            ("dear", False): "more expensive",
            ("dear", True): "the most expensive",
        }[
            (
                how,
                "the cheapest" in talk.messages[-1]["content"]
                or "the most" in talk.messages[-1]["content"],
            )
        ]
        talk.assistant(f"{capitalise(said)} is {adjective}, {prices[said]}.")
        return
    plainly(talk, f"{_TAKE} {words} [||please|then|please then]")
    after = (
        "For how many nights?"
        if rooms
        else "Anything else?"
        if kind == "cakes"
        else "For which day?"
    )
    talk.assistant(f"Okay, {said}. {after}")


def offered_turn(talk: Conversation) -> None:
    """Two times or days are offered; the caller takes the earlier, the second, one by its name."""
    rng = talk.rng
    noun = rng.choice(
        (
            "appointment",
            "appointment",
            "appointment",
            "haircut",
            "lesson",
            "massage",
            "check-up",
            "fitting",
            "court",
            "table",
        )
    )
    day = rng.choice(
        (
            "Monday",
            "Tuesday",
            "Wednesday",
            "Thursday",
            "Friday",
            "Saturday",
            "Sunday",
            "tomorrow",
            "today",
        )
    )
    on = day if day in ("tomorrow", "today") else f"on {day}"
    hours = sorted(rng.sample(range(8, 19), 2))
    times = [_clock(60 * hour + rng.choice((0, 0, 15, 30, 30, 45)), rng) for hour in hours]
    plainly(
        talk,
        f"[have you [got|] [anything|something|{with_an(f'a {noun}')}] free {on.lower()}|is there [anything|{with_an(f'a {noun}')}] free {on.lower()}|can i get {with_an(f'a {noun}')} {on.lower()}|when could i come {on.lower()}|i'd like {with_an(f'a {noun}')} {on.lower()}|what have you got {on.lower()}|any slots {on.lower()}]",
        Kind.QUESTION,
    )
    named = noun in talk.messages[-1]["content"].lower()
    thing = with_an(f"a {noun}") if named else "an appointment"
    a, b = times
    head = capitalise(on)
    told_before(
        talk,
        rng.choice(
            (
                f"{head} we have {a} or {b}.",
                f"{head} there's {a} or {b}.",
                f"I have {a} and {b}. Which would you like?",
                f"We have {a} or {b}. Which suits you?",
                f"{head} I can offer {a} or {b}.",
                f"There is {a} and then {b} {on}.",
                f"{head} at {a} or at {b}?",
            )
        ),
    )
    which = rng.randrange(2)
    words = (
        "[the earlier one|the earlier|the first one|the first|the early one|as early as possible|whichever is earlier|the first of those|the sooner one]",
        "[the later one|the later|the second one|the second|the last one|the late one|the latter]",
    )[which]
    if rng.random() < 0.25:
        words = (
            f"[{times[which]}|at {times[which]}|{times[which]} is better|{times[which]} suits me]"
        )
    plainly(
        talk,
        f"[|||okay|then|can i have|i'll take|let's take|give me|uh|hmm] {words} [|please|please|then|if that's okay|works for me]",
    )
    talk.assistant(f"Okay, {thing} {on} at {times[which]}. Whose name shall I put it under?")


def _clock(minute: int, rng: random.Random) -> str:
    hour, rest = divmod(minute, 60)
    word, after = spoken_number((hour - 1) % 12 + 1), spoken_number(hour % 12 + 1)
    if not rest:
        return word
    said = {15: f"quarter past {word}", 30: f"half past {word}", 45: f"quarter to {after}"}[rest]
    return said if rng.random() < 0.5 else f"{word} {spoken_number(rest)}"
