"""What depends on something else: a day, an hour, an amount, a month; the same fact asked in and out of it."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Final

from desk_hours import DAYS
from desk_seasons import at_least, faster, season, without
from desk_told import Fact, drawn_price, opened
from dialogue_values import capitalise
from sheet_values import CLOCK_STYLES, clock_at
from spoken_numbers import spoken_number

_WHAT: Final = "a ticket|entry|a lane|a court|a game|the sauna|a table|parking|a seat|a {o}|the {o}|a swim|a room|admission|a haircut|lunch|the buffet"


def _coined(number: int, coin: str) -> str:
    return f"{spoken_number(number)} {coin}s"


def day_price(rng: random.Random) -> Fact:
    """``Tickets are ten pounds, on Tuesdays six.``"""
    what, coin = opened(f"[{_WHAT}]", rng), rng.choice(("euro", "pound", "dollar"))
    usual, other = (_coined(number, coin) for number in rng.sample(range(3, 40), 2))
    day = rng.randrange(7)
    on, weekend = f"on {DAYS[day]}s", rng.random() < 0.25
    if weekend:
        on, day = "at weekends", rng.choice((5, 6))
    head = capitalise(what)
    told = rng.choice(
        (
            f"{head} is {usual}, {on} {other}.",
            f"{head} costs {usual}, but {on} only {other}.",
            f"{head}: {usual}; {on} {other}.",
            f"{head} is {usual} and {on} {other}.",
            f"{capitalise(on)} {what} is {other}, otherwise {usual}.",
            f"{head} {usual} ({on} {other}).",
        )
    )
    free = rng.choice([d for d in range(7) if d != day and not (weekend and d > 4)])
    asks = "[how much is {w} {d}|what does {w} cost {d}|what's {w} {d}|{w} {d} how much is that|what do i pay for {w} {d}|what's the price of {w} {d}|i want to come {d} how much is {w}|how much would {w} be {d}]"

    def ask(on_day: int) -> str:
        name = DAYS[on_day]
        return asks.replace("{w}", what).replace(
            "{d}", f"[on {name}|on a {name}|on {name}s|this {name}|{name}]"
        )

    in_it, out = f"{capitalise(on)} {what} is {other}.", f"{head} is {usual}."
    return Fact(
        what,
        told,
        [(ask(day), in_it), (ask(free), out), (ask(day), in_it)],
        [
            (f"[and on {DAYS[day]}s|what about {DAYS[day]}|and on a {DAYS[day]}]", in_it),
            (f"[and on {DAYS[free]}s|what about {DAYS[free]}]", out),
        ],
    )


def hour_price(rng: random.Random) -> Fact:
    """``A lane is nineteen dollars before six and twenty nine after.``"""
    what, coin = opened(f"[{_WHAT}]", rng), rng.choice(("euro", "pound", "dollar"))
    early, late = (_coined(number, coin) for number in rng.sample(range(3, 60), 2))
    hour = rng.choice((12, 14, 15, 16, 17, 18, 18, 19))
    at = clock_at(60 * hour, rng.choice(CLOCK_STYLES))
    head = capitalise(what)
    told = rng.choice(
        (
            f"{head} is {early} before {at.told} and {late} after.",
            f"{head}: before {at.told} {early}, after {at.told} {late}.",
            f"{head} until {at.told} {early}, from {at.told} {late}.",
            f"{head} | before {at.told} {early} | after {at.told} {late}.",
            f"Before {at.told} {what} costs {early}, from {at.told} on {late}.",
        )
    )
    asks = []
    for hours, said in (
        (range(hour - 4, hour), f"Before {at.said} {what} is {early}."),
        (range(hour + 1, min(23, hour + 4)), f"After {at.said} {what} is {late}."),
    ):
        for one in hours:
            part = (
                "in the morning"
                if one < 12
                else "in the afternoon"
                if one < 18
                else "in the evening"
            )
            time = f"[at|around|at about|at like] {clock_at(60 * one, 'bare').said} {part if one != 12 else ''}"
            asks.append(
                (
                    f"[how much is {what} {time}|what does {what} cost {time}|{what} {time} what's that|what's the price {time}|i'd come {time} what do i pay for {what}]",
                    said,
                )
            )
    more = [
        (
            "[and in the evening|and late in the evening|and after that|and later]",
            f"After {at.said} {what} is {late}.",
        ),
        (
            "[and earlier|and before that|and in the morning]",
            f"Before {at.said} {what} is {early}.",
        ),
    ]
    return Fact(what, told, asks, more)


def free_over(rng: random.Random) -> Fact:
    """``Delivery is three euros, free over twenty five.``"""
    coin = rng.choice(("euro", "pound", "dollar"))
    fee, limit = _coined(rng.randint(2, 9), coin), rng.choice((15, 20, 25, 30, 40, 50))
    over = _coined(limit, coin)
    told = rng.choice(
        (
            f"Delivery costs {fee}, free for orders over {over}.",
            f"Delivery is {fee} and free over {over}.",
            f"Delivery: {fee}, from {over} free.",
            f"We deliver for {fee}; orders above {over} are delivered free.",
            f"Delivery is free over {over}, otherwise {fee}.",
        )
    )
    in_it, out = f"Over {over} delivery is free.", f"Delivery is {fee}."
    asks = []
    for amount in (
        limit + rng.choice((2, 5, 7, 10, 20)),
        limit + rng.choice((3, 6, 15)),
        max(4, limit - rng.choice((3, 5, 8, 10))),
    ):
        many = _coined(amount, coin)
        asks.append(
            (
                f"[my order is [about|] {many} [do i [still|] pay [for|] delivery|is delivery free|what's the delivery]|i'm ordering for {many} what does delivery cost|for {many} do you deliver free|how much is delivery on {many}|if i order for {many} is [it|delivery] free|do i pay delivery for {many}]",
                in_it if amount > limit else out,
            )
        )
    asks.append(
        (
            "[how much is delivery|what does delivery cost|what do you charge for delivery|is there a charge if you [bring it|deliver it]|do i pay for delivery]",
            f"Delivery is {fee} and free over {over}.",
        )
    )
    asks.append(
        (
            "[when is delivery free|from how much is delivery free|do you deliver for free|is delivery free]",
            in_it,
        )
    )
    return Fact("delivery", told, asks)


def late_cancel(rng: random.Random) -> Fact:
    """``Cancelling is free until a day before, after that thirty euros.``"""
    fee = rng.choice(
        (drawn_price(rng), "half of the price", "half the price", "the full price", "fifty percent")
    )
    hours = rng.choice((2, 6, 12, 24, 24, 24, 48))
    before = (
        f"{spoken_number(hours)} hours"
        if rng.random() < 0.7 or hours < 24
        else {24: "a day", 48: "two days"}[hours]
    )
    told = rng.choice(
        (
            f"Cancelling is free until {before} before; after that it costs {fee}.",
            f"Cancel up to {before} before for free, later we charge {fee}.",
            f"Who cancels less than {before} before pays {fee}.",
            f"Cancelling less than {before} before costs {fee}.",
            f"Cancellation: free until {before} before, then {fee}.",
            f"If you cancel later than {before} before, you pay {fee}.",
        )
    )
    said = f"Less than {before} before, cancelling costs {fee}."
    soon = "[today|in an hour|in two hours|this afternoon|right before|last minute|on the day|the same day|at short notice]"
    return Fact("cancelling", told, [
        (f"[what if i [cancel|call it off|don't come] {soon}|what does it cost to cancel {soon}|i have to cancel [it's|] {soon} what do i pay|my appointment is {soon} and i can't [make it|come] what [does|will] that cost|do i pay if i cancel {soon}|is there a fee if i cancel {soon}|what happens if i ring {soon} to cancel]", said),
        ("[can i cancel|until when can i cancel|how late can i cancel|what if i have to cancel|what happens if i cancel|what's your cancellation policy|is cancelling free|what does it cost to cancel]", said),
    ])  # fmt: skip


TERMS: Final[Sequence[tuple[Callable[[random.Random], Fact], float]]] = (
    (day_price, 1.5), (hour_price, 1.5), (free_over, 1), (late_cancel, 1.5), (season, 1.5), (at_least, 2), (faster, 1), (without, 1.5),
)  # fmt: skip
