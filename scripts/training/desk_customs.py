"""How things go at a house: when courses begin, how early to come, what is tried for free, bad weather, waiting."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Final

from desk_hours import DAYS
from desk_lists import listed
from desk_told import Fact, drawn_price, opened
from dialogue_values import capitalise
from domain import choose_branches
from spoken_numbers import spoken_number


def monthly(rng: random.Random) -> Fact:
    """``Courses begin on the first Monday of every month.``"""
    what = opened(
        "[courses|classes|tours|markets|meetings|workshops|auctions|{o} courses|{o} nights|walks|lessons]",
        rng,
    )
    one = what.removesuffix("es") if what.endswith("classes") else what.removesuffix("s")
    verb = rng.choice(("begin", "start", "are"))
    when = choose_branches(
        f"[on the [first|second|third|last] {rng.choice(DAYS)} of [every|the|each] month|every second {rng.choice(DAYS)}|every other {rng.choice(DAYS)}|in the first week of [every|the] month|once a month on a {rng.choice(DAYS)}]",
        rng,
    )
    told = rng.choice(
        (
            f"{capitalise(what)} {verb} {when}.",
            f"{capitalise(what)}: {when}.",
            f"{capitalise(what)} {verb} {when}.",
        )
    )
    return Fact(
        what,
        told,
        [
            (
                f"[when does the next [one|{one}] [start|begin]|when do the {what} [start|begin]|when is the next {one}|when are the {what}|when can i [start|begin|join]|how often are the {what}|when's the next one|what day do the {what} {verb}]",
                f"{capitalise(what)} {verb if ':' not in told else 'are'} {when}.",
            )
        ],
    )


def early(rng: random.Random) -> Fact:
    """``Please come fifteen minutes early.``"""
    number, who = (
        spoken_number(rng.choice((5, 10, 15, 15, 20, 30))),
        rng.choice(("", "", "New patients", "Guests", "New clients", "Players")),
    )
    head = who or "Please"
    told = rng.choice(
        (
            f"{head} come {number} minutes early.",
            f"{head} arrive {number} minutes early.",
            f"{head} come {number} minutes before.",
        )
    )
    if not who and rng.random() < 0.4:
        told = rng.choice(
            (
                f"Arrive {number} min early.",
                f"Be there {number} minutes before.",
                f"Doors open {number} minutes before.",
            )
        )
    said = f"{head} come {number} minutes early."
    asks = "[how early do [i|we] [have to|gotta|need to|should] [come|be there|show up|arrive]|when should [i|we] be there|do [i|we] have to come early|how long before should we [come|be there]|is it okay to come just in time|when do we have to show up|by when should i arrive]"
    pairs = [(asks, said), (asks, said)]
    if who.startswith("New"):
        pairs.append(
            (
                f"[i'm a {who.lower().removesuffix('s')} [by the way|] [anything i should know|what do i have to do|is there anything i need to know]|it's my first time there anything i should know|i've never been to yours what must i know|i'm new what do i do]",
                said,
            )
        )
    return Fact("early", told, pairs)


def trial(rng: random.Random) -> Fact:
    """``The first lesson is free.``"""
    what = opened(
        "[the first visit|the first lesson|the trial lesson|a trial class|the first class|a taster session|the first hour|a trial day|the consultation|an estimate|the fitting|the first {o}]",
        rng,
    )
    price = drawn_price(rng)
    free = rng.random() < 0.75
    how = "is free" if free else f"is {price}"
    told = rng.choice(
        (
            f"{capitalise(what)} {how}.",
            f"{capitalise(what)} {'costs nothing' if free else f'costs {price}'}.",
            f"{capitalise(what)}: {'free' if free else price}.",
        )
    )
    bare = what.split(" ", 1)[1]
    return Fact(
        bare,
        told,
        [
            (
                f"[is {what} free|can i try [it|it out] [first|] [without paying|for free|]|do i have to pay for {what}|what does {what} cost|how much is {what}|is there a trial|could i have a go first|is a {bare} something you do|can i [come|have a look] once without paying|do you charge for {what}]",
                f"{capitalise(what)} {how}.",
            )
        ],
    )


def weather(rng: random.Random) -> Fact:
    """``In strong wind we cancel and pay everything back.``"""
    when = rng.choice(
        (
            "in strong wind",
            "in bad weather",
            "if it rains",
            "in a storm",
            "in heavy rain",
            "when it snows",
            "in fog",
        )
    )
    what = choose_branches(
        "[we cancel and pay everything back|you get your money back|we move it to another day|the tour is cancelled|we stay inside|you get all your money back|you can come another day|we close]",
        rng,
    )
    told = rng.choice(
        (
            f"{capitalise(when)} {what}.",
            f"{capitalise(what)} {when}.",
            f"{capitalise(when)}, {what}.",
        )
    )
    asks = "[what if [it rains|it's windy|there's a storm|the weather is bad|it's blowing a gale|it snows|it's raining|it's stormy]|what happens [in bad weather|if it rains|when it rains|in a storm]|do we get our money back if [you cancel|the weather is bad|it rains]|if you call it off for the weather do we lose our money|and if the weather is bad|does it take place in the rain]"
    return Fact("weather", told, [(asks, f"{capitalise(when)} {what}.")])


def waiting(rng: random.Random) -> Fact:
    """Whether one can wait for it."""
    told, answer = rng.choice((
        ("You can wait for it.", "You can wait for it."), ("Customers can wait.", "You can wait for it."), ("It is done while you wait.", "You can wait for it."), ("Done while you wait.", "You can wait for it."),
        ("Please leave it for the day.", "Please leave it for the day."), ("Leave the car for the day.", "Please leave it for the day."), ("It has to stay overnight.", "It has to stay overnight."),
    ))  # fmt: skip
    return Fact(
        "while you wait",
        told,
        [
            (
                "[can i wait [for it|there|]|is it done while i wait|do i have to leave it [there|with you|]|can i stay and wait|do you do it right away|should i leave it with you|is there somewhere to wait while you do it]",
                answer,
            )
        ],
    )


_SKILLS: Final = "[be able to swim|wear a helmet|be in good health|wear sturdy shoes|have a licence|hold a provisional licence|show an ID|sign a form|bring a parent|wear a life jacket|carry a card|be sober|know the rules|have a {o}|speak English]"


def must(rng: random.Random) -> Fact:
    """``Everyone must be able to swim.``"""
    what = opened(_SKILLS, rng)
    who = rng.choice(("everyone", "everybody", "guests", "all guests", "learners", "people"))
    told = rng.choice(
        (
            f"{capitalise(who)} must {what}.",
            f"{capitalise(who)} has to {what}."
            if who in ("everyone", "everybody")
            else f"{capitalise(who)} have to {what}.",
            f"{capitalise(who)} must {what}.",
        )
    )
    verb, _, rest = what.partition(" ")
    cant = {"be": f"i'm not {rest}|do i have to be {rest}|must we be {rest}"}.get(
        verb,
        f"do i have to {what}|do we need to {what}|must i {what}|what if i don't {what}|can i come if i don't {what}|i don't {what} is that okay",
    )
    if what == "be able to swim":
        cant = "i can't swim [can i come|would you take me|is that okay|]|do i have to be able to swim|my [wife|son] can't swim is that a problem|can you come if you can't swim"
    return Fact(
        what,
        told,
        [
            (
                f"[{cant}|is it true that {who} must {what}]",
                f"{capitalise(who)} must {what}.",
            ),
            (
                "[what do i have to know before|is there anything we must do|are there any rules|what are the rules|what are the conditions]",
                f"{capitalise(who)} must {what}.",
            ),
        ],
    )


def per_head(rng: random.Random) -> Fact:
    """The one price of a house: ``twenty two dollars a person``."""
    coin, number = rng.choice(("euro", "pound", "dollar")), rng.randint(3, 40)
    unit = rng.choice(("person", "person", "head", "hour", "day", "night", "visit"))
    price = f"{spoken_number(number)} {coin}s"
    figures = rng.choice((price, f"{number} {coin}s", f"{number} {coin}s"))
    told = rng.choice(
        (
            f"{figures} a {unit}.",
            f"{figures} per {unit}.",
            f"Price: {figures} per {unit}.",
            f"It costs {figures} a {unit}.",
            f"We charge {figures} per {unit}.",
            f"{figures}/{unit}.",
        )
    ).replace("a hour", "an hour")
    said = f"It is {price} {'an' if unit == 'hour' else 'a'} {unit}."
    asks: list[tuple[str, str]] = [
        (
            f"[what does it cost [per {unit}|a {unit}|]|how much is it [per {unit}|for one {unit}|each|]|what's it cost|what do you charge [per {unit}|]|what's the price|how much do you want for it|cool what does it cost|what do i pay|how expensive is it|what would that cost me|how much do you take]".replace(
                "a hour", "an hour"
            ),
            said,
        )
    ] * 2
    for count in rng.sample(range(2, 7), 2):
        if number * count <= 120:
            many = {
                "person": f"[{spoken_number(count)} people|{spoken_number(count)} of us]",
                "head": f"[{spoken_number(count)} people|{spoken_number(count)} of us]",
            }.get(unit, f"{spoken_number(count)} {unit}s")
            asks.append(
                (
                    f"[how much is it for {many}|what do {many} cost|what would {many} be|so for {many} that's how much|{many} what's that together]",
                    f"That is {spoken_number(number * count)} {coin}s together.",
                )
            )
    return Fact("price", told, asks)


CUSTOMS: Final[Sequence[tuple[Callable[[random.Random], Fact], float]]] = (
    (listed, 4), (monthly, 1), (early, 1.5), (trial, 1.5), (weather, 1), (waiting, 1), (must, 1.5),
)  # fmt: skip
