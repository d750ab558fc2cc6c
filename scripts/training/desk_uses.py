"""What guests may do, what is done on certain days only, and courses with a time for each day."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from desk_hours import DAYS
from desk_told import Fact, and_on, clock, opened, place, some_days
from dialogue_values import capitalise
from domain import choose_branches
from order_items import joined

#: What guests may do or not, and what somebody says who wants it.
_DOINGS: Final[Mapping[str, str]] = {
    "use the kitchen": "[can [i|we] [use the kitchen|cook there|make our own food]|is the kitchen for us too]",
    "use the garden": "[can [i|we] [use the garden|sit in the garden|go out in the garden]|is the garden for guests]",
    "bring wine": "[can [i|we] bring [wine|our own wine|a bottle of wine]|we'd bring our own bottle is that okay]",
    "eat in the rooms": "[can [i|we] eat in the [room|rooms]|is food okay in the rooms|may we have lunch in the room]",
    "use the pool": "[can [i|we] [use the pool|go in the pool|swim in the pool]|is the pool for us too]",
    "use the printer": "[can [i|we] [use the printer|print something]|would you print something for me]",
    "stay overnight": "[can [i|we] [stay overnight|stay the night|sleep there]|may my friend stay overnight]",
    "move the tables": "[can [i|we] [move the tables|push the tables together]|is it okay to rearrange the tables]",
    "put up posters": "[can [i|we] [put up posters|hang a poster|put something on the walls]|may we hang up a sign]",
    "play instruments": "[can [i|we] [play our instruments|play music|bring an instrument]|my son plays the trumpet is that okay]",
    "try things on": "[can i try [it|things|them] on|is there somewhere to try it on]",
    "feed the animals": "[can [i|we|the kids] feed the animals|may my daughter feed the goats]",
    "touch the exhibits": "[can the kids touch [things|the exhibits]|may we touch anything]",
    "change the date": "[can [i|we] change the date [later|]|what if we need another date]",
    "choose their seats": "[can [i|we] choose [our|my] seats|do we get to pick where we sit]",
    "use the {o}": "[can [i|we] use the {o}|may we use the {o}|is the {o} for us too|are we allowed to use the {o}]",
    "bring a {o}": "[can [i|we] bring a {o}|may i have a {o} with me|i'd bring my {o} is that okay]",
}  # fmt: skip


def may(rng: random.Random) -> Fact:
    """``Guests may not use the kitchen.``"""
    what = rng.choice(tuple(_DOINGS))
    asks = _DOINGS[what]
    if "{o}" in what:
        word = opened("{o}", rng)
        what, asks = what.replace("{o}", word), asks.replace("{o}", word)
    who = rng.choice(("guests", "guests", "visitors", "people", "customers"))
    if rng.random() < 0.45:
        told = f"[{capitalise(who)} may {what}|{capitalise(who)} can {what}|{capitalise(who)} are allowed to {what}]."
        return Fact(what, choose_branches(told, rng), [(asks, f"Yes, {who} may {what}.")])
    told = f"[{capitalise(who)} may not {what}|{capitalise(who)} can't {what}|{capitalise(who)} are not allowed to {what}|{capitalise(who)} must not {what}]."
    return Fact(what, choose_branches(told, rng), [(asks, f"I'm sorry, {who} may not {what}.")])


_ON_DAYS: Final = "vaccinations|blood tests|manicures|dental cleanings|tattoos|passports|weddings|tastings|deliveries|piano lessons|driving tests|inspections|eye tests|perms|repairs|pony rides|boat trips|swimming lessons|pizza|fresh fish|live music|brunch|returns|new registrations|{o} lessons|{o}s|{o} tests"


def only_on(rng: random.Random) -> Fact:
    """``Vaccinations only on Mondays and Thursdays.``"""
    what, days = opened(f"[{_ON_DAYS}]", rng), some_days(rng)[:2]
    on, head = joined([f"{DAYS[day]}s" for day in days]), capitalise(what)
    be = "are" if what.endswith("s") else "is"
    told = rng.choice(
        (
            f"{head} only on {on}.",
            f"{head} {be} only on {on}.",
            f"{head} {be} on {on} only.",
            f"We do {what} on {on} only.",
            f"{head} {be} done on {on}.",
            f"On {on} we do {what}.",
        )
    )
    day = (
        rng.choice(days)
        if rng.random() < 0.4
        else rng.choice([d for d in range(7) if d not in days])
    )
    name = f"[on {DAYS[day]}|on {DAYS[day]}s|{DAYS[day]}|on a {DAYS[day]}|this {DAYS[day]}]"
    said = f"{what} {be} only on {on}."
    return Fact(what, told, [
        (f"[when do you do {what}|what days do you do {what}|which days {be} {what}|when {be} {what} [done|]|on which days can i come for {what}|when can i come for {what}|{what} when is that|do you do {what} every day|what day do i come for {what}]", capitalise(said)),
        (f"[do you do {what} {name}|can i come for {what} {name}|{be} there {what} {name}|{what} {name} is that possible|would {name} be okay for {what}|could i have {what} {name}]", f"{'Yes' if day in days else 'No'}, {said}"),
    ], [(and_on(d), f"{'Yes' if d in days else 'No'}, {said}") for d in range(7)])  # fmt: skip


_COURSES: Final = "beginner lessons|yoga|the children's course|pilates|the dance class|the English course|swimming for beginners|the baby group|the choir|football training|the painting class|advanced lessons|the {o} course|{o} lessons|{o} training|judo|ballet"


def two_times(rng: random.Random) -> Fact:
    """``Beginner lessons are Tuesday at five and Saturday at ten.``"""
    what, days = opened(f"[{_COURSES}]", rng), sorted(rng.sample(range(7), 2))
    times = [clock(rng), clock(rng)]
    be, head = "are" if what.endswith("lessons") else "is", capitalise(what)
    pairs = " and ".join(f"{DAYS[day]} at {time}" for day, time in zip(days, times, strict=True))
    told = rng.choice(
        (
            f"{head} {be} {pairs}.",
            f"{head} {be} on {pairs}.",
            f"{head}: {pairs}.",
            f"{head} takes place {pairs}." if be == "is" else f"{head} take place {pairs}.",
        )
    )
    said = f"{head} {be} on {pairs}."
    which = rng.randrange(2)
    day, time = DAYS[days[which]], times[which]
    other = DAYS[rng.choice([d for d in range(7) if d not in days])]
    bare = what.removeprefix("the ")
    low = f"{what} {be} on {pairs}."
    return Fact(bare, told, [
        (f"[when {be} {what}|what days {be} {what}|when do you do {bare}|what are the times of {what}|which days {be} {what} on|{bare} when is that|i'd like to come to {what} when is that|when can my son come to {what}]", said),
        (f"[what time {be} {what} on {day}|when {be} {what} on {day}s|at what time {be} {what} {day}|{bare} on {day} when does it start]", f"On {day} {what} {be} at {time}."),
        (f"[{be} there {bare} on {other}|{be} {what} on {other} too|do you do {bare} on {other}s|can i come to {what} on {other}]", f"No, {low}"),
    ])  # fmt: skip


#: Parts of a house with a place.
_WHERES: Final = "the waiting room|the changing rooms|the lift|the ticket office|the shop|the cloakroom|the parking lot|the office|the lockers|the pharmacy|the classroom|room {o}|the {o} room|the {o} hall|the meeting point"


def somewhere(rng: random.Random) -> Fact:
    """``The waiting room is on the second floor.``"""
    what, where = opened(f"[{_WHERES}]", rng), place(rng)
    be = "are" if what.endswith("s") and not what.startswith("room") else "is"
    asks = f"[where {be} {what}|how do i find {what}|where do i find {what}|i can't find {what}|which floor {be} {what} on|where exactly {be} {what}|where do i go for {what}]"
    return Fact(
        what, f"{capitalise(what)} {be} {where}.", [(asks, f"{capitalise(what)} {be} {where}.")]
    )


USES: Final[Sequence[tuple[Callable[[random.Random], Fact], float]]] = (
    (may, 2.5), (only_on, 2.5), (two_times, 1.5), (somewhere, 1.5),
)  # fmt: skip
