"""How long things take, who is there when, what is on, for how many, where to turn."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Final

from desk_contact import contact
from desk_hours import DAYS
from desk_there import done, there
from desk_told import Fact, and_on, clock, days_said, opened, person, some_days
from dialogue_values import capitalise
from domain import choose_branches
from order_items import joined
from spoken_numbers import spoken_number


def some_time(rng: random.Random) -> str:
    """``two days``, ``forty five minutes``, ``about an hour``."""
    n = spoken_number(rng.randint(2, 8))
    return choose_branches(
        f"[|||about] [{n} days|{n} days|{n} hours|{n} weeks|an hour|half an hour|one day|a week|a day|an hour and a half|{spoken_number(5 * rng.randint(1, 18))} minutes|{spoken_number(5 * rng.randint(3, 12))} minutes|two to three days|one and a half hours|two and a half hours]",
        rng,
    )


_LASTING: Final = "a service|a repair|a check up|a cleaning|a haircut|a colour|the tour|a guided tour|a lesson|a session|the course|the film|the show|the boat trip|a key copy|an oil change|a visit|a massage|the walk|the ride|an eye test|a fitting|delivery|the workshop|a passport photo|the crossing|an inspection|the concert|a suit|a game|a {o}|the {o} tour|a {o} check|the {o}"


def lasting(rng: random.Random) -> Fact:
    """How long something takes."""
    what, time = opened(f"[{_LASTING}]", rng), some_time(rng)
    bare = what.removeprefix("the ").removeprefix("an ").removeprefix("a ")
    verb = rng.choice(("takes", "takes", "lasts"))
    told = rng.choice(
        (
            f"{capitalise(what)} {verb} {time}.",
            f"{capitalise(what)} {verb} {time}.",
            f"Allow {time} for {what}.",
            f"{capitalise(bare)}: {time}.",
        )
    )
    if not told.startswith(capitalise(what)):
        verb = "takes"
    asks = f"[how long does {what} [take|last]|how long is {what}|how long would {what} [take|be]|how much time [do i need|should i plan] for {what}|how long will {what} take [you|]|how long do you need for {what}|{bare} how long is that|for how long is {what}|what's the duration of {what}|is {what} quick how long|how long will i have to wait for {what}|when would {what} be [done|finished]]"
    return Fact(f"length of {bare}", told, [(asks, f"{capitalise(what)} {verb} {time}.")])


def people(rng: random.Random) -> Fact:
    """Who is there on which days."""
    doctor, count = rng.random() < 0.5, rng.choice((1, 2, 2, 2, 3))
    names = list({person(rng, doctor): None for _ in range(count)})
    verb = rng.choice(
        ("sees patients", "is in", "works")
        if doctor
        else ("works", "works", "is in", "is there", "cuts", "teaches")
    )
    start, weeks = rng.randint(0, 2), []
    off = rng.randrange(7)
    for _ in names:
        if rng.random() < 0.25:
            weeks.append(
                [day for day in range(7) if day != off] if rng.random() < 0.6 else list(range(7))
            )
        elif rng.random() < 0.5 and start + 1 < 6:
            end = min(start + rng.randint(1, 3), 6)
            weeks.append(list(range(start, end + 1)))
            start = end + 1
        else:
            weeks.append(some_days(rng))
    parts = []
    for index, (name, days) in enumerate(zip(names, weeks, strict=True)):
        if len(days) == 6 and rng.random() < 0.6:
            parts.append(
                f"{name} {'is not in on' if verb.startswith('is') else 'does not work on'} {DAYS[next(d for d in range(7) if d not in days)]}s"
            )
            continue
        on = "on " if len(days) < 3 and rng.random() < 0.5 else ""
        parts.append(
            f"{name} {verb + ' ' if index == 0 or rng.random() < 0.4 else ''}{on}{days_said(days)}"
        )
    told = f"{capitalise(', '.join(parts) if rng.random() < 0.7 else joined(parts))}."
    said = {
        name: f"{name} is here {'on ' if len(days) < 3 else ''}{days_said(days)}"
        for name, days in zip(names, weeks, strict=True)
    }
    asks: list[tuple[str, str]] = []
    for name, days in zip(names, weeks, strict=True):
        wanted = [day for day in range(7) if day not in days] or [0]
        day = rng.choice(wanted) if rng.random() < 0.5 else rng.choice(days)
        on = f"[on {DAYS[day]}|on {DAYS[day]}s|{DAYS[day]}|this {DAYS[day]}|on a {DAYS[day]}]"
        asks += [
            (
                f"[what days is {name} in|when is {name} [in|there|working]|which days does {name} work|on which days can i [see|get] {name}|when can i [see|come to] {name}|when does {name} work|what days does {name} do|i want {name} when is that possible|i only go to {name} when would that be]",
                f"{said[name]}.",
            ),
            (
                f"[is {name} [in|there|working|around] {on}|does {name} work {on}|can i [see|get|have] {name} {on}|i'd like {name} {on} is that possible|will {name} be there {on}|{on} with {name} does that work]",
                f"{'Yes' if day in days else 'No'}, {said[name]}.",
            ),
        ]
    day = rng.randrange(7)
    here = [name for name, days in zip(names, weeks, strict=True) if day in days]
    if here:
        asks.append(
            (
                f"[who is [in|there|working] on {DAYS[day]}|who works on {DAYS[day]}s|who would i get on {DAYS[day]}|who's there on a {DAYS[day]}]",
                f"On {DAYS[day]} {joined(here)} {'is' if len(here) == 1 else 'are'} here.",
            )
        )
    more = (
        [
            (
                f"[and {name}|what about {name}|and when is {name} in|how about {name}]",
                f"{said[name]}.",
            )
            for name in names
        ]
        if len(names) > 1
        else []
    )
    return Fact("people", told, asks, more)


_EVENTS: Final = "yoga|the choir|story time|the quiz night|the dance class|the chess club|the book club|the market|the beginners' class|the language cafe|the parents' group|the repair cafe|the wine tasting|the sing along|the film club|the knitting group|the toddler group|the blood test|the vaccination hour|the surgery|the live music|aqua aerobics|pilates|karate|the swimming course|the {o} class|the {o} night|the {o} group|the {o} show|{o} training"


def events(rng: random.Random) -> Fact:
    """Something that is on certain days at a time, or starts at times each day."""
    what, days = opened(f"[{_EVENTS}]", rng), some_days(rng)[:2]
    if rng.random() < 0.35:
        what, times = (
            opened(
                "[guided tours|tours|guided tours|the shows|the feedings|the boat trips|the {o} tours|the sessions|the films|the talks]",
                rng,
            ),
            joined([clock(rng) for _ in range(rng.choice((1, 2, 2)))]),
        )
        times = " and at ".join(times.split(" and "))
        told = rng.choice(
            (
                f"{capitalise(what)} start at {times}.",
                f"{capitalise(what)} leave daily at {times}.",
                f"{capitalise(what)} at {times}.",
                f"{capitalise(what)} are at {times}.",
            )
        )
        bare = what.removeprefix("the ")
        asks = f"[when [are|do] {what} [start|begin|]|what time are {what}|at what times are {what}|when is the next {bare.removesuffix('s')}|when can i join {what}|are there {bare}|do you [do|have] {bare}|when does the {bare.removesuffix('s')} start]"
        return Fact(bare.split()[-1], told, [(asks, f"{capitalise(what)} are at {times}.")])
    time, on = clock(rng), joined([f"{DAYS[day]}s" for day in days])
    bare = what.removeprefix("the ")
    told = rng.choice(
        (
            f"{capitalise(what)} is on {on} at {time}.",
            f"{capitalise(what)}: {days_said(days)} at {time}.",
            f"{capitalise(what)} is every {days_said(days)} at {time}.",
            f"On {on} there is {bare} at {time}.",
        )
    )
    said = f"{capitalise(what)} is on {on} at {time}."
    other = (
        rng.choice([day for day in range(7) if day not in days])
        if rng.random() < 0.5
        else rng.choice(days)
    )
    return Fact(bare, told, [
        (f"[when is {what}|what time is {what}|what day is {what} [on|]|when does {what} [start|begin|take place]|on which day is {what}|i'd like to come to {what} when is that|when's {what} on|do you do {bare}|is there {bare}|{bare} when is that]", said),
        (f"[is {what} on {DAYS[other]}|is there {bare} on {DAYS[other]}s|is {what} [on|] {DAYS[other]} too|can i come to {what} on {DAYS[other]}|do you do {bare} on {DAYS[other]}s]", f"{'Yes' if other in days else 'No'}, {said[0].lower() if what == what.lower() else said[0]}{said[1:]}"),
    ])  # fmt: skip


_PARTS: Final = "the sauna|the kitchen|the cafe|the shop|the pool|the gym|the workshop|the reading room|the bar|the library|the restaurant|the outdoor pool|the slide|the tower|the garden|the spa|the children's room|the counter|the upper floor|the {o} room|the {o} bar|the {o}"


def part_closed(rng: random.Random) -> Fact:
    """A part of the house that is closed on some days, or open at its own hours."""
    what, days = opened(f"[{_PARTS}]", rng), some_days(rng)[:2]
    on = joined([f"{DAYS[day]}s" for day in days])
    head, pick = capitalise(what), rng.random()
    ask_days = list(range(7))
    day = rng.choice(days) if rng.random() < 0.5 else rng.choice(ask_days)
    name = f"[on {DAYS[day]}s|on {DAYS[day]}|{DAYS[day]}s|on a {DAYS[day]}]"
    whether = f"[is {what} open {name}|can [i|we] [use|go to|go in] {what} {name}|{name} is {what} open|will {what} be open {name}|could we use {what} {name}]"
    when = f"[when is {what} [open|closed]|what days is {what} [open|closed]|which days is {what} open|what are the hours of {what}|when can [i|we] use {what}|is {what} always open|is {what} open every day]"
    if pick < 0.55:
        told = rng.choice(
            (
                f"{head} is closed on {on}.",
                f"{head} is closed on {joined([DAYS[d] for d in days])}.",
                f"{head} is not open on {on}.",
                f"On {on} {what} is closed.",
                f"{head}: closed on {on}.",
            )
        )
        said, only = f"{what} is closed on {on}.", f"{what} is only closed on {on}."
        pairs = [
            (whether, f"No, {said}" if day in days else f"Yes, {only}"),
            (whether.replace(DAYS[day], DAYS[days[0]]), f"No, {said}"),
            (f"is {what} [closed|shut] {name}", f"Yes, {said}" if day in days else f"No, {only}"),
            (when, capitalise(said)),
        ]
        again = [(and_on(d), f"No, {said}" if d in days else f"Yes, {only}") for d in range(7)]
        return Fact(what, told, pairs, [*again, *(again[d] for d in days for _ in range(3))])
    if pick < 0.8:
        told = rng.choice(
            (
                f"{head} is only open on {on}.",
                f"{head} is open {on} only.",
                f"{head} only on {on}.",
                f"{head} is open on {on}.",
            )
        )
        said = f"{what} is open on {on}."
        return Fact(
            what,
            told,
            [(whether, f"{'Yes' if day in days else 'No'}, {said}"), (when, capitalise(said))],
            [(and_on(d), f"{'Yes' if d in days else 'No'}, {said}") for d in range(7)],
        )
    opens, closes = clock(rng), clock(rng)
    verb = (
        rng.choice(
            ("is open from {a} to {b}", "is open from {a} to {b}", "opens at {a}", "closes at {b}")
        )
        .replace("{a}", opens)
        .replace("{b}", closes)
    )
    asks = f"[when is {what} open|when does {what} [close|open]|how long is {what} open|what are the hours of {what}|until when is {what} open|when can [i|we] use {what}|from when is {what} open]"
    return Fact(what, f"{head} {verb}.", [(asks, f"{head} {verb}.")])


def groups(rng: random.Random) -> Fact:
    """For how many people something is; a number that a caller names is compared."""
    limit = rng.choice((2, 4, 4, 5, 6, 6, 8, 8, 10, 12, 14, 15, 16, 20, 24, 30))
    many, what = (
        spoken_number(limit),
        opened(
            "[a table|a boat|a group|a room|the van|a tent|a lane|a tour|a car|the cabin|a cabin|a class|the {o}|a {o}]",
            rng,
        ),
    )
    bare = what.removeprefix("the ").removeprefix("an ").removeprefix("a ")
    told, verb = rng.choice((
        (f"{capitalise(what)} is for up to {many} people.", "is for"), (f"{capitalise(what)} seats {many}.", "is for"), (f"{capitalise(what)} takes up to {many} people.", "is for"), (f"{capitalise(what)}: {many} people at most.", "is for"), (f"At most {many} people fit in {what}.", "is for"),
    ))  # fmt: skip
    said = f"{what} {verb} up to {many} people."
    asks = [
        (
            f"[how many [people|of us] [can come|fit|fit in {what}|can be in {what}]|how many is {what} for|how big is {what}|what's the [biggest|largest] group|is there a limit on people|how many people at most|for how many people is {what}]",
            capitalise(said),
        )
    ]
    for _ in range(3):
        count = max(2, limit + rng.choice((-3, -2, -1, 0, 1, 2, 4)))
        of = spoken_number(count)
        asks.append(
            (
                f"[we're {of} is that okay|can {of} of us come|is {what} [big|large] enough for {of} [people|of us|]|we would be {of} [people|] does that [work|fit]|there are {of} of us is that okay|do {of} people fit|would {of} people fit in {what}|we are {of} will one {bare} do|could we come with {of} people]",
                f"{'Yes' if count <= limit else 'No'}, {said}",
            )
        )
    return Fact("groups", told, asks)


def free_ages(rng: random.Random, most: int = 7) -> Fact:
    """Children under an age that come in free: an age that a caller names is compared.

    ``most`` is as young as children are who pay: from seven on they may have a price of their own.
    """
    ages = (3, 4, 4, 5, 6, 6, 7, 8, 10, 10, 12, 12, 14)
    limit = rng.choice([age for age in ages if age <= most])
    word = spoken_number(limit)
    told, said = rng.choice((
        (f"Children under {word} are free.", f"children under {word} are free."), (f"Under {word}s go free.", f"children under {word} are free."), (f"Children under {word} come in free.", f"children under {word} are free."), (f"Free for children under {word}.", f"children under {word} are free."), (f"Children under {word} pay nothing.", f"children under {word} are free."),
    ))  # fmt: skip
    asks = [
        (
            "[from what age do [children|kids] pay|do children pay|are children free|until what age is it free|is it free for [kids|children]|do i pay for the baby]",
            capitalise(said),
        )
    ]
    for _ in range(3):
        age = rng.randint(1, limit - 1)
        old, less = spoken_number(age), spoken_number(max(1, age - 1))
        asks.append(
            (
                f"[what do my two little ones [cost|pay] they're {old} and {less}|how much is it for a {old} year old|my [son|daughter|grandson|little boy] is {old} what does [he|she] pay|does a {old} year old [have to|] pay|do i have to pay for my [son|girl|baby] [he's|she's] [only|] {old}|i've got a {old} year old with me what's that|the little ones are {old} and {less} how much is that|what does a kid of {old} cost|how much for the [kids|children] they're {less} and {old}|the baby is {old} do we pay for [him|her]|is my {old} year old free]",
                capitalise(said),
            )
        )
    return Fact("free ages", told, asks)


OFFERS: Final[Sequence[tuple[Callable[[random.Random], Fact], float]]] = (
    (there, 7), (done, 2.5), (lasting, 3), (people, 3.5), (events, 3), (part_closed, 3), (groups, 2), (free_ages, 2), (contact, 2),
)  # fmt: skip
