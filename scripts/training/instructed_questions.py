"""Questions to a desk whose prompt tells the answer: prices, kinds, rooms, extras; and what it doesn't tell."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Final

from conversation import Conversation
from desk_fact_sets import missing_fact
from desk_facts import Desk
from desk_prices import sold
from desk_reworded import reworded
from desk_stories import told_first
from desk_there import not_told
from desk_topics import UNTOLD, untold
from desk_wares import TICKETED, TRADES
from dialogue_values import capitalise
from instructed_hours import (
    at_time,
    hours_break,
    hours_general,
    hours_of_day,
    longest_day,
    part_of_day,
)
from instructed_prices import lasting, price, price_sum, price_words
from instructed_say import Asked, tell
from open_words import open_word
from order_items import joined
from shapes import Kind
from spoken_numbers import spoken_number

_POLITE: Final = (
    "[|||||||||||||||||||||||||hello|hi|hey|good morning|good afternoon|excuse me|sorry|quick question|just a question|one question|tell me|um|uh|hi there|"
    "could you tell me|can you tell me|do you know|i wanted to ask|i'd like to know|yes hello|er|so|and|okay|right|hiya|hello there|also|one more thing|oh and]"
)
_AFTER: Final = "[|||||||||||||||||||||||please|then|by the way|again|actually|for me|i wonder|at yours|over there|do you know|if i may ask]"


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


def _fact(desk: Desk, rng: random.Random) -> Asked | None:
    """What one of the facts answers; another person of the same fact may be asked for then."""
    if not desk.facts:
        return None
    fact = rng.choice(desk.facts)
    text, answer = rng.choice(fact.asks)
    further = [pair for pair in fact.more if pair[1] not in answer or pair[1][:3] in ("Yes", "No,")]
    if not further:
        return Asked(text, answer)
    return Asked(text, answer, lambda: Asked(*rng.choice(further)))


#: Questions about all prices there are.
_PRICES: Final = "[what are your prices|can you tell me [the|your] prices|what do you charge|how much is everything|what does it [all|] cost there|what prices do you have|how expensive is it|how much do you charge|what's your price list]"
_ENTRY: Final = "[how much is it to get in|what does entry cost|how much are tickets|what do tickets cost|what's the entry fee|how much is the entrance|what does it cost to [get|come] in|what are the ticket prices|how much is admission|ticket prices|what do you charge for entry]"


def _all_prices(desk: Desk, _: random.Random) -> Asked | None:
    """All prices, where they are few."""
    if not 0 < len(desk.things) < 4:
        return None
    tickets = all(thing.said.startswith("a ticket for ") for thing in desk.things)
    asks = f"[{_PRICES}|{_ENTRY}|{_ENTRY}]" if tickets else _PRICES
    return Asked(asks, " ".join(thing.answer() for thing in desk.things))


def _unknown(desk: Desk, rng: random.Random) -> Asked:
    """What the prompt doesn't tell: a subject, something there may be, the price of something else."""
    pick = rng.random()
    told = any(fact.name == "price" for fact in desk.facts)
    if not desk.things and not desk.options and not told and pick < 0.06:
        return Asked(_PRICES, UNTOLD)
    if pick < 0.25 and (asks := missing_fact(desk.system, desk.noun, rng)):
        return Asked(asks, UNTOLD)
    if pick < 0.5 and (asks := not_told([], desk.system, rng)):
        return Asked(asks, UNTOLD)
    if pick < 0.7 and (asked := _unknown_price(desk, rng)):
        return asked
    if pick < 0.78:
        other = open_word(rng)
        if other not in desk.system.lower():
            return Asked(
                f"[how much is [a|the] {other}|what does a {other} cost|do you have [a|any] {other}s|and [a|the] {other} what's that]",
                UNTOLD,
            )
    return Asked(untold(desk.topics, desk.system, rng), UNTOLD)


def _unknown_price(desk: Desk, rng: random.Random) -> Asked | None:
    """The price of something of the same trade, or of any, that the prompt has no price for."""
    kind = desk.kind.removeprefix("told ")
    if kind not in TRADES or rng.random() < 0.3:
        kind = rng.choice(tuple(TRADES))
    tickets = any(thing.said.startswith("a ticket") for thing in desk.things)
    if tickets and kind in TICKETED:  # to swim costs what adults pay
        return None
    thing = sold(TRADES[kind].wares, 2, 9, rng)[0]
    words = " ".join((thing.said, thing.nouns, thing.verbs)).replace("|", " ").split()
    known = [re.sub(r"[^a-z]", "", word) for word in desk.system.lower().split()]
    stems = {word[:4] for word in known if len(word) > 3}
    if any(len(word) > 3 and word[:4] in stems for word in words if word not in _PLAIN):
        return None
    return Asked(price_words(thing, rng), UNTOLD)


#: Words that two different things may have in common.
_PLAIN: Final = frozenset(("have", "with", "your", "into", "that", "from", "some", "done"))


def _who(desk: Desk, rng: random.Random) -> Asked:
    return Asked(
        "[who is this|what place is this|where am i calling|who am i speaking to|what's this place called|which [place|house] is this|what's the name of [the|your] place|who have i reached|is this the right number who is this|what are you called over there]",
        f"This is {desk.name}.",
    )


_OF_HOURS: Final = (hours_of_day, hours_general, at_time, hours_break, part_of_day)


def draw_question(desk: Desk, rng: random.Random) -> Asked:
    """Something that the prompt answers, or that it doesn't tell."""
    told = desk.kind.startswith("told")
    while True:
        draws: list[tuple[Callable[[Desk, random.Random], Asked | None], float]] = [
            (hours_of_day, 9), (hours_general, 4), (at_time, 3 if told else 5), (hours_break, 1.2 if desk.hours.split() else 0.3), (longest_day, 1.2 if desk.hours_told else 0), (part_of_day, 2), (_topic, 4 if desk.topics else 0), (_fact, 5 * min(len(desk.facts), 4)),
            (_unknown, 5), (_who, 0.5), (price, 10 if desk.things else 0), (price_sum, 2 if desk.things else 0), (lasting, 5), (_all_prices, 0.8), (_kinds, 2 if desk.options else 0.3), (_fitting, 5), (_limit, 2),
        ]  # fmt: skip
        draw = rng.choices([one for one, _ in draws], [weight for _, weight in draws])[0]
        if (asked := draw(desk, rng)) is None:
            continue
        if not desk.hours_told and draw in _OF_HOURS:
            if "every day" in asked.answer or rng.random() < 0.6:
                continue
            whole = next((fact for fact in desk.facts if fact.name == "always open"), None)
            return Asked(*whole.asks[0]) if whole else Asked(asked.text, UNTOLD)
        return asked


def _ask_on(talk: Conversation, asked: Asked) -> None:
    """Short questions that only make sense with what was said before."""
    following: Asked | None = asked
    while following and following.again is not None and talk.rng.random() < 0.8:
        if following := following.again():
            tell(talk, following.text, Kind.QUESTION)
            talk.assistant(following.answer)


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
    story = told_first(rng) if rng.random() < 0.12 else ""
    tell(talk, f"{_POLITE} {story} {asked.text} {_AFTER}", Kind.QUESTION)
    foreign = reworded(asked.answer, rng) if rng.random() < 0.12 else ""
    if foreign:
        talk.messages.append({"role": "assistant", "content": foreign, "learn": False})
    else:
        talk.assistant(asked.answer)
    if asked.again is not None and rng.random() < (0.8 if foreign else 0.4):
        _ask_on(talk, asked)
    elif rng.random() < 0.08:
        tell(
            talk,
            "[sorry|] [how was that [again|]|what did you say|could you say that again|come again|say that again please|what was that|pardon|i didn't catch that|once more please|can you repeat that]",
            Kind.QUESTION,
        )
        talk.assistant(f"I said: {foreign or asked.answer}")
