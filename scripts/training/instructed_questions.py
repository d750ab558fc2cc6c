"""Questions to a desk whose prompt tells the answer: prices, kinds, rooms, extras; and what it doesn't tell."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from typing import Final

from conversation import Conversation
from desk_facts import Desk, Thing
from desk_topics import UNTOLD, untold
from dialogue_values import capitalise
from domain import choose_branches
from instructed_hours import at_time, hours_break, hours_general, hours_of_day
from instructed_say import Asked, tell
from open_words import open_word
from order_items import joined
from shapes import Kind
from spoken_numbers import spoken_number

_POLITE: Final = (
    "[||||||hello|hi|hey|good morning|good afternoon|excuse me|sorry|quick question|just a question|one question|tell me|um|uh|hi there|"
    "could you tell me|can you tell me|do you know|i wanted to ask|i'd like to know|yes hello|er|so|and|okay|right|hiya|hello there|also|one more thing|oh and]"
)
_AFTER: Final = "[||||||please|then|by the way|again|actually|for me|i wonder|at yours|over there|do you know|if i may ask]"


_CHILD: Final = "[my [little|] [girl|boy|son|daughter] [she's {a}|he's {a}|who's {a}|]|a [child|kid|girl|boy]|a {a} year old|kids|the children|my kids|one kid]"
_BUYERS: Final[Mapping[str, str]] = {
    "children": f"[a ticket for|tickets for|the entry for|] {_CHILD}",
    "adults": "[a ticket for|tickets for|entry for|] [adults|an adult|one adult|a grown up|grown ups|me|myself|my wife|one]",
    "students": "[a ticket for|entry for|] [students|a student|one student|my son he's a student]",
    "families": "[a ticket for|] [a family|families|the whole family|the four of us with kids]",
    "seniors": "[a ticket for|entry for|] [seniors|a pensioner|my grandma|one senior|pensioners|my granddad]",
}


def _of_thing(thing: Thing, rng: random.Random) -> str:
    """How a caller speaks of a thing: ``a haircut``, ``the haircut``, ``haircuts``."""
    who = thing.said.removeprefix("a ticket for ")
    if who in _BUYERS:
        return choose_branches(_BUYERS[who], rng).replace("{a}", spoken_number(rng.randint(4, 12)))
    bare = re.sub(r"^(an?|the) ", "", thing.said)
    if thing.unit and bare.endswith(" room") and rng.random() < 0.4:
        return rng.choice(("a", "the", "one")) + f" {bare.removesuffix(' room')}"
    return rng.choice(
        (
            thing.said,
            thing.said,
            thing.said,
            f"the {bare}",
            bare,
            f"just {thing.said}",
            f"one {bare}",
        )
    )


def _price(desk: Desk, rng: random.Random) -> Asked:
    """What one thing costs."""
    thing = rng.choice(desk.things)
    others = [other for other in desk.things if other is not thing]
    said, last = _of_thing(thing, rng), thing.said.split()[-1]
    if (
        " for " not in thing.said
        and not any(last in other.said for other in others)
        and rng.random() < 0.12
    ):
        said = rng.choice((f"a {last}", f"one {last}", f"just one {last}", f"the {last}"))
    night = "[a night|per night|for one night|for a night|]" if thing.unit else ""
    coins = next(
        (coins for coins in ("euros", "pounds", "dollars") if coins in thing.price), "euros"
    )
    text = (
        f"[how much is {said} {night}|what does {said} cost {night}|what's the price [of|for] {said} {night}|how much do you charge for {said}|what do you [charge|take|want] for {said}|"
        f"{said} how much|how much for {said}|what's {said}|how much would {said} be|what is {said} [going to cost|then]|price of {said} please|what do i pay for {said}|how expensive is {said}|"
        f"what would {said} set me back|how much does {said} cost|{said} what's that then|i'd like to know the price of {said}|how many {coins} is {said}]"
    )

    def more() -> Asked:
        other = rng.choice(others)
        bare = _of_thing(other, rng)
        return Asked(
            f"[and {bare}|what about {bare}|how about {bare}|and for {bare}|okay and {bare}]",
            other.answer(),
        )

    return Asked(text, thing.answer(), more if others else None)


def _sum(desk: Desk, rng: random.Random) -> Asked | None:
    """Two things together, or several of one: sums that are small."""
    plain = [thing for thing in desk.things if thing.euros]
    if not plain:
        return None
    first = rng.choice(plain)
    coin = first.price.split()[-1].removesuffix("s") + "s"
    others = [thing for thing in plain if thing is not first]
    if others and rng.random() < 0.6:
        second = rng.choice(others)
        total = first.euros + second.euros
        one, two = _of_thing(first, rng), _of_thing(second, rng)
        text = f"[how much is {one} and {two} [together|altogether|in total|]|what's {one} and {two} together|{one} and {two} what's that in total|what do {one} and {two} cost together|so {one} plus {two} how much altogether]"
    else:
        count = rng.randint(2, 4)
        total, bare = count * first.euros, re.sub(r"^(an?|the) ", "", first.said)
        many = (
            re.sub(r"^(\S+)", r"\1s", bare, count=1)
            if " for " in bare or " of " in bare
            else f"{bare}s"
        )
        text = f"[how much [are|for] {spoken_number(count)} {many}|what do {spoken_number(count)} {many} cost|so {spoken_number(count)} {many} [would be what|how much is that|that's how much]]"
    if total > 100:
        return None
    return Asked(text, f"That is {spoken_number(total)} {coin} together.")


def _kinds(desk: Desk, rng: random.Random) -> Asked | None:
    """What there is to choose from."""
    if desk.kind == "rooms":
        told = [
            f"{name} for {spoken_number(desk.sizes[name])} people" if name in desk.sizes else name
            for name in desk.options
        ]
        text = "[which rooms [are there|do you have|have you got|can [i|we] book]|what rooms [are there|do you have|have you got]|what [kind of|sort of|] rooms do you have|how many rooms are there|what is there to book]"
        return Asked(text, f"We have {joined(told)}.")
    if desk.kind == "hotel":
        plain = [
            name.replace("room", "rooms", 1).replace("suite", "suites") for name in desk.options
        ]
        return Asked(
            "[what [kind|kinds|sort] of rooms [do you have|are there|have you got]|which rooms do you have|what rooms are there|what can i choose from|what sort of rooms can [i|we] get]",
            f"We have {joined(plain)}.",
        )
    names = [thing.said for thing in desk.things] or list(desk.options)
    if not names or not all(
        name in desk.system or capitalise(name) in desk.system for name in names
    ):
        return None
    return Asked(
        "[what do you offer|what [can i get|do you have|do you do|is there]|what's on offer|what have you got|which [treatments|things|kinds] do you have|what do you do there]",
        f"We have {joined(names)}.",
    )


def _fitting(desk: Desk, rng: random.Random) -> Asked | None:
    """Which room is large enough, or for how many people one is."""
    if not desk.sizes:
        return None
    if rng.random() < 0.3:
        name = rng.choice(tuple(desk.sizes))
        return Asked(
            f"[how [big|large] is {name}|how many people [fit into|can use|can be in] {name}|how many is {name} for|for how many people is {name}|how many seats has {name} got]",
            room_size(desk, name),
        )
    count = rng.randint(2, max(desk.sizes.values()) + 2)
    text = f"[which room [is|would be] [big|large] enough for {spoken_number(count)} [people|of us|]|we're {spoken_number(count)} [people|] which room [is|would be] [right|good|best]|where would {spoken_number(count)} people fit|is there a room for {spoken_number(count)} [people|of us]|which one fits {spoken_number(count)} people|do you have a room for {spoken_number(count)} [people|]]"
    return Asked(text, fitting_room(desk, count))


def room_size(desk: Desk, name: str) -> str:
    """``The Maple room is for twelve people.``"""
    return f"{capitalise(name)} is for {spoken_number(desk.sizes[name])} people."


def smallest_room(desk: Desk, count: int) -> str | None:
    """The smallest room for so many people."""
    fitting = [name for name, size in desk.sizes.items() if size >= count]
    return min(fitting, key=lambda name: desk.sizes[name]) if fitting else None


def fitting_room(desk: Desk, count: int) -> str:
    """Which room so many people can have."""
    name = smallest_room(desk, count)
    if name:
        return room_size(desk, name)
    largest = max(desk.sizes, key=lambda room: desk.sizes[room])
    return f"I'm sorry, {largest} is for {spoken_number(desk.sizes[largest])} people."


def _limit(desk: Desk, rng: random.Random) -> Asked | None:
    if not desk.limit:
        return None
    hours = f"{spoken_number(desk.limit // 60)} hour{'' if desk.limit == 60 else 's'}"
    return Asked(
        "[how long can [i|we] [have|book] it|for how long can [i|we] [book|stay|have it]|what's the longest [i|we] can book|is there a limit|how many hours can [i|we] book|what's the maximum]",
        f"It can be booked for up to {hours}.",
    )


def _topic(desk: Desk, rng: random.Random) -> Asked | None:
    if not desk.topics:
        return None
    topic = rng.choice(desk.topics)
    return Asked(topic.asks, topic.answer)


def _unknown(desk: Desk, rng: random.Random) -> Asked:
    """What the prompt doesn't tell: a subject, or the price of something else."""
    if desk.things and rng.random() < 0.35:
        other = open_word(rng)
        if other not in desk.system.lower():
            return Asked(
                f"[how much is [a|the] {other}|what does a {other} cost|do you have [a|any] {other}s|and [a|the] {other} what's that]",
                UNTOLD,
            )
    return Asked(untold(desk.topics, rng), UNTOLD)


def _who(desk: Desk, rng: random.Random) -> Asked:
    return Asked(
        "[who is this|what place is this|where am i calling|who am i speaking to|what's this place called|which [place|house] is this|what's the name of [the|your] place|who have i reached|is this the right number who is this|what are you called over there]",
        f"This is {desk.name}.",
    )


def draw_question(desk: Desk, rng: random.Random) -> Asked:
    """Something that the prompt answers, or that it doesn't tell."""
    while True:
        draws: list[tuple[Callable[[Desk, random.Random], Asked | None], float]] = [
            (hours_of_day, 10), (hours_general, 5), (at_time, 6), (hours_break, 1.5 if desk.hours.split() else 0.3), (_topic, 4 if desk.topics else 0),
            (_unknown, 3), (_who, 0.6), (_price, 9 if desk.things else 0), (_sum, 1.5 if desk.things else 0), (_kinds, 2 if desk.options else 0.3), (_fitting, 5), (_limit, 2),
        ]  # fmt: skip
        draw = rng.choices([one for one, _ in draws], [weight for _, weight in draws])[0]
        if asked := draw(desk, rng):
            return asked


def ask(talk: Conversation, desk: Desk) -> None:
    """One question or two at once, at times asked on (``and on Sundays``) or asked again."""
    rng, asked = talk.rng, draw_question(desk, talk.rng)
    if rng.random() < 0.08:
        other = draw_question(desk, rng)
        tell(talk, f"{_POLITE} {asked.text} and {other.text}", Kind.QUESTION)
        talk.assistant(
            asked.answer if other.answer == asked.answer else f"{asked.answer} {other.answer}"
        )
        return
    tell(talk, f"{_POLITE} {asked.text} {_AFTER}", Kind.QUESTION)
    talk.assistant(asked.answer)
    if asked.again and rng.random() < 0.3:
        further = asked.again()
        tell(talk, further.text, Kind.QUESTION)
        talk.assistant(further.answer)
    elif rng.random() < 0.08:
        tell(
            talk,
            "[sorry|] [how was that [again|]|what did you say|could you say that again|come again|say that again please|what was that|pardon|i didn't catch that|once more please|can you repeat that]",
            Kind.QUESTION,
        )
        talk.assistant(f"I said: {asked.answer}")
