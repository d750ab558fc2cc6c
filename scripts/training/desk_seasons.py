"""Months in which a house is open, least amounts, how far it delivers, what goes faster, what is lent."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random

from desk_told import Fact, drawn_price, opened
from dialogue_values import capitalise
from domain import choose_branches
from spoken_numbers import MONTHS, spoken_number


def season(rng: random.Random) -> Fact:
    """``Open from May to September``, or closed in those months."""
    first = rng.randint(0, 9)
    last = rng.randint(first + 1, 10)
    names = [capitalise(month) for month in MONTHS]
    span = f"{names[first]} to {names[last]}"
    month = rng.randrange(12)
    if rng.random() < 0.6:
        told = rng.choice(
            (
                f"Open from {span}.",
                f"Open {span}.",
                f"The season is {span}.",
                f"We are here from {span}.",
                f"Season: {span}.",
                f"You are open from {span}, closed in the other months.",
            )
        )
        said, inside = f"we're open from {span}.", first <= month <= last
    else:
        told = rng.choice(
            (
                f"Closed from {span}.",
                f"We are closed from {span}.",
                f"From {span} we are closed.",
                f"Closed {span}.",
            )
        )
        said, inside = f"we're closed from {span}.", not first <= month <= last
    name = names[month]
    return Fact("season", told, [
        (f"[are you open in {name}|can [we|i] come in {name}|is it open in {name} [at all|]|do you open in {name}|we're coming in {name} are you open|would {name} be okay|are you there in {name}|how about {name} are you open]", f"{'Yes' if inside else 'No'}, {said}"),
        ("[which months are you open|when does the season [start|begin|end]|are you open all year|are you open in winter|what months are you open|in which months can we come|what time of the year are you open]", capitalise(said)),
    ], [(f"[and in {names[m]}|what about {names[m]}]", f"{'Yes' if (first <= m <= last) == ('open' in said) else 'No'}, {said}") for m in range(12)])  # fmt: skip


def at_least(rng: random.Random) -> Fact:
    """A least amount, a longest time, a farthest way; a number that is named is compared."""
    n = rng.choice((2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30))
    coin = rng.choice(("euro", "pound", "dollar"))
    unit = rng.choice(("kilometre", "kilometre", "mile"))
    word = spoken_number(n)
    pick = rng.random()
    if pick < 0.35:
        told = rng.choice(
            (
                f"We deliver up to {word} {unit}s.",
                f"Delivery within {word} {unit}s.",
                f"We come out up to {word} {unit}s.",
                f"No delivery further than {word} {unit}s.",
            )
        )
        m, said = (
            max(1, n + rng.choice((-4, -2, -1, 1, 2, 3, 6))),
            f"we deliver up to {word} {unit}s.",
        )
        asks = f"[we live {{m}} {unit}s [out|away] do you come that far|i'm {{m}} {unit}s away do you deliver|do you deliver {{m}} {unit}s out|is {{m}} {unit}s too far|it's {{m}} {unit}s to us is that okay]"
        fits, how = (
            m <= n,
            f"[how far do you [deliver|come|go]|what's the furthest you deliver|where do you deliver to|up to how many {unit}s]",
        )
        if "too far" in asks:
            asks = asks.replace(f"|is {{m}} {unit}s too far", "")
        name = "delivery"
    elif pick < 0.65:
        least = f"{spoken_number(n)} {coin}s"
        told = rng.choice(
            (
                f"Delivery minimum {least}.",
                f"The minimum order is {least}.",
                f"Minimum order: {least}.",
                f"We deliver from {least} up.",
            )
        )
        m, said = (
            max(1, n + rng.choice((-4, -2, -1, 1, 3, 5, 10))),
            f"the minimum order is {least}.",
        )
        asks = f"[i'd order for {{m}} {coin}s is that enough|is {{m}} {coin}s enough|can i order for {{m}} {coin}s|my order is {{m}} {coin}s would you deliver that|{{m}} {coin}s is that okay]"
        fits, how, name = (
            m >= n,
            "[what's the minimum [order|]|is there a minimum order|how much do i have to order [at least|]|from how much do you deliver|what's the least i can order for]",
            "minimum",
        )
    else:
        ahead = rng.choice((1, 2, 3, 4, 5, 7))
        days = f"{spoken_number(ahead)} day{'' if ahead == 1 else 's'}"
        told = rng.choice(
            (
                f"Please book at least {days} ahead.",
                f"Bookings must be made {days} in advance.",
                f"It must be booked at least {days} before.",
                f"Order {days} in advance.",
                f"Book {days} ahead.",
            )
        )
        said = f"please book at least {days} ahead."
        asks = "[can i [come|get one|have one|book] [today|in an hour|right now|this afternoon|in two hours|later today]|is [today|this afternoon|tonight] possible|could we do it today|i need it [today|now|tonight] can you]"
        return Fact(
            "ahead",
            told,
            [
                (asks, f"No, {said}"),
                (
                    "[how early do i have to book|how long before do i need to book|how far ahead must i book|when should i book|by when do i have to book]",
                    capitalise(said),
                ),
            ],
        )
    return Fact(
        name,
        told,
        [
            (asks.replace("{m}", spoken_number(m)), f"{'Yes' if fits else 'No'}, {said}"),
            (how, capitalise(said)),
        ],
    )


def faster(rng: random.Random) -> Fact:
    """Ready after a week, in three days for more."""
    number = rng.randint(2, 9)
    time = choose_branches(f"[a week|two weeks|{spoken_number(number)} days|ten days]", rng)
    quick, fee = (
        rng.choice(("the same day", "the next day", "one day", "three days", "two days", "a day")),
        drawn_price(rng),
    )
    in_quick = quick if quick.startswith("the ") else f"in {quick}"
    told = rng.choice(
        (
            f"Things are ready after {time}; {in_quick} for {fee} more.",
            f"It takes {time}, or {in_quick} for {fee} extra.",
            f"Ready in {time}. Express: {quick}, {fee} extra.",
            f"Normally {time}, express {quick} for {fee} more.",
        )
    )
    return Fact("waiting", told, [
        ("[how long does it take [normally|usually|]|when is it ready|how long do you need [for it|]|when can i [fetch|collect|pick up] it|how long would i have to wait|when will it be done|how soon is it ready]", f"It takes {time}."),
        ("[can you do it [faster|quicker|sooner]|is there anything [quicker|faster]|i need it [sooner|quickly|urgently|fast]|that's too [long|late] for me anything [quicker|sooner]|i'm in a hurry|do you do express|what if i need it earlier]", f"For {fee} extra it is ready {in_quick}."),
    ], [("[and if i'm in a hurry|and faster|and express|that's too late]", f"For {fee} extra it is ready {in_quick}.")])  # fmt: skip


def always(rng: random.Random) -> Fact:
    """A house that never closes."""
    told = rng.choice(
        (
            "Open 24 hours.",
            "We never close.",
            "Open day and night.",
            "Open around the clock.",
            "Open 24/7.",
            "Always open.",
            "Hours: 24 hours a day, every day.",
        )
    )
    return Fact(
        "always open",
        told,
        [
            (
                "[when do you close|are you open at night|what are your hours|are you open on Sunday|can i come at three in the morning|are you always open|what time do you [guys|] close|when do you shut]",
                "We're always open.",
            )
        ],
    )


def without(rng: random.Random) -> Fact:
    """What is lent or given, so that nobody has to bring or pay for it."""
    what = opened(
        "[mats|towels|helmets|rackets|shoes|balls|the clay|the paint|aprons|the books|life jackets|skates|ropes|tools|the tea|{o}s|the {o}]",
        rng,
    )
    be = "are" if what.endswith("s") else "is"
    bare = what.removeprefix("the ").removesuffix("s")
    it = "them" if be == "are" else "it"
    told = rng.choice(
        (
            f"{capitalise(what)} {be} free to borrow.",
            f"{capitalise(what)} can be borrowed for free.",
            f"We lend {what} for free.",
            f"{capitalise(what)} {be} free.",
        )
    )
    return Fact(
        bare,
        told,
        [
            (
                f"[do i [have|need] to bring [my own|a|some] {bare}{'s' if be == 'are' else ''}|should i bring {what.removeprefix('the ')}|do i need my own {what.removeprefix('the ')}|do you [have|lend] {what.removeprefix('the ')}|do i have to pay for {what}|can i borrow {what.removeprefix('the ')}|what about {what} do i bring {it}|{be} {what} [free|included]|is there a charge for {what}]",
                f"{capitalise(what)} {be} free.",
            )
        ],
    )
