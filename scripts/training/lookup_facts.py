"""What the drills in reading tell of a thing: its price, its day, who does it, and how each is said."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from dialogue_values import capitalise, draw_value, proper
from open_words import open_word
from scene_values import MONEY
from slots import phrases
from spoken_numbers import WEEKDAYS, plain_time, spoken_number, spoken_ordinal


class Told(NamedTuple):
    """A fact as the prompt writes it and as it is said; ``size`` is what it is compared by."""

    written: str
    spoken: str
    size: float = 0.0


Compare = Callable[[random.Random, tuple[str, Told], tuple[str, Told]], tuple[str, str]]


@dataclass(frozen=True)
class Kind:
    """A kind of fact. In its texts ``{k}`` is the thing, ``{a}`` with its article, ``{ks}`` many of
    it, ``{v}`` the fact."""

    title: str
    draw: Callable[[random.Random, int], tuple[Told, ...]]
    does: str  # "The kettle ..."
    sentence: str
    lists: tuple[tuple[str, str], ...]  # what stands before a list, and each item
    asks: str
    answer: str
    back: str
    back_answer: str
    whether: str
    yes: str
    compared: tuple[Compare, ...] = ()
    near: tuple[str, ...] = ()  # kinds that would answer the same question


def distinct(
    draw: Callable[[random.Random], Told],
) -> Callable[[random.Random, int], tuple[Told, ...]]:
    """So many facts, mostly different ones."""

    def several(rng: random.Random, count: int) -> tuple[Told, ...]:
        found: list[Told] = []
        while len(found) < count:
            told = draw(rng)
            if told.spoken not in [one.spoken for one in found]:
                found.append(told)
        return tuple(found)

    return several


_SIGNS: Final = {"euros": "€", "pounds": "£", "dollars": "$"}


def _prices(rng: random.Random, count: int) -> tuple[Told, ...]:
    unit = rng.choice(("euros", "euros", "pounds", "dollars"))
    money, way = MONEY[unit], rng.choice(("figures", "figures", "sign", "words"))
    step = rng.choice((100, 100, 100, 50, 10))
    most = rng.choice((20, 60, 100, 400)) * 100

    def draw(rng: random.Random) -> Told:
        cents = rng.randrange(200, most, step)
        said = money.words(cents)
        figure = f"{cents // 100}" if cents % 100 == 0 else f"{cents / 100:.2f}"
        written = {"figures": f"{figure} {unit}", "sign": f"{_SIGNS[unit]}{figure}", "words": said}[
            way
        ]
        return Told(written, said, cents)

    return distinct(draw)(rng, count)


def _which(least: tuple[str, str], most: tuple[str, str]) -> Compare:
    """Which of two is the least, or the most: how that is asked, and answered (``{k}``, ``{v}``)."""

    def compare(
        rng: random.Random, one: tuple[str, Told], two: tuple[str, Told]
    ) -> tuple[str, str]:
        pick, (asked, answer) = (min, least) if rng.random() < 0.6 else (max, most)
        name, told = pick((one, two), key=lambda pair: pair[1].size)
        return f"{asked} the {one[0]} or the {two[0]}", answer.format(k=name, v=told.spoken)

    return compare


_DEARER: Final = _which(
    (
        "[which is cheaper|what's cheaper|which costs less|which one is cheaper]",
        "a {k} is cheaper, {v}.",
    ),
    (
        "[which is more expensive|which costs more|what's dearer|which one is dearer]",
        "a {k} is more expensive, {v}.",
    ),
)
_EARLIER: Final = _which(
    (
        "[which is first|which is earlier|which one starts first|what comes first]",
        "The {k}, at {v}.",
    ),
    ("[which is later|which one starts later]", "The {k}, at {v}."),
)
_LONGER: Final = _which(
    ("[which is quicker|which takes less time|what's faster]", "A {k} takes less time, {v}."),
    ("[which takes longer|what takes longer|which is longer]", "A {k} takes longer, {v}."),
)  # fmt: skip


def _together(rng: random.Random, one: tuple[str, Told], two: tuple[str, Told]) -> tuple[str, str]:
    unit = next(unit for unit in MONEY if unit[:-1] in one[1].spoken)
    total = MONEY[unit].words(int(one[1].size + two[1].size))
    asked = f"[how much is|what's|what do i pay for|how much for|what would it be for|i'll take] [a|one] {one[0]} and [a|one] {two[0]} [|together|in all|altogether|please]"
    return asked, f"That is {total} together."


def _for_several(rng: random.Random, one: tuple[str, Told], _: tuple[str, Told]) -> tuple[str, str]:
    count, unit = rng.randint(2, 9), next(unit for unit in MONEY if unit[:-1] in one[1].spoken)
    total = MONEY[unit].words(int(count * one[1].size))
    asked = f"[how much is|what's|what does|what would] the {one[0]} [be|come to|cost] for {spoken_number(count)} [|people|of us|persons|all together]"
    return asked, f"That is {total} together."


def _times(rng: random.Random) -> Told:
    hour, minute = rng.randint(7, 21), rng.choice((0, 0, 15, 30, 30, 45))
    return Told(f"{hour}:{minute:02}", plain_time(hour, minute), hour * 60 + minute)


def _first_name(rng: random.Random) -> Told:
    name = proper(draw_value("name", rng, written=True).text)
    return Told(name, name)


def _full_name(rng: random.Random) -> Told:
    name = f"{_first_name(rng).spoken} {proper(draw_value('surname', rng, written=True).text)}"
    return Told(name, name)


def _who(rng: random.Random, count: int) -> tuple[Told, ...]:
    return distinct(rng.choice((_first_name, _first_name, _full_name)))(rng, count)


_SPOTS: Final = phrases(
    "behind the counter, by the door, under the stairs, in the yard, next to the lift, in the cellar, at the back, opposite the till,"
    "by the window, in the attic, in the annexe, beside the garage, in the courtyard, near the gate, by the fountain, at the far end"
)


def _places(rng: random.Random, count: int) -> tuple[Told, ...]:
    way = rng.randrange(5)

    def draw(rng: random.Random) -> Told:
        if way == 0:
            floor = spoken_ordinal(rng.randint(1, 9))
            return Told(f"on the {floor} floor", f"on the {floor} floor")
        if way == 1:
            number, word = rng.randint(2, 60), rng.choice(("room", "aisle", "bay", "hall"))
            return Told(f"in {word} {number}", f"in {word} {spoken_number(number)}")
        if way == 2:
            letter = rng.choice("ABCDEFGHJKLM")
            return Told(f"in Hall {letter}", f"in Hall {letter}")
        if way == 3:
            street = f"in {capitalise(open_word(rng))} Street"
            return Told(street, street)
        spot = rng.choice(_SPOTS)
        return Told(spot, spot)

    return distinct(draw)(rng, count)


def _day(rng: random.Random) -> Told:
    day = rng.choice(WEEKDAYS).capitalize()
    return Told(day, day)


def _lengths(rng: random.Random, count: int) -> tuple[Told, ...]:
    unit = rng.choice(("days", "days", "weeks", "minutes", "minutes", "hours", "months"))

    def draw(rng: random.Random) -> Told:
        number = rng.randint(2, 12) if unit != "minutes" else rng.randrange(5, 95, 5)
        return Told(f"{number} {unit}", f"{spoken_number(number)} {unit}", number)

    return distinct(draw)(rng, count)


def _counts(rng: random.Random) -> Told:
    number = rng.randint(2, 40)
    return Told(str(number), spoken_number(number), number)


def _extension(rng: random.Random) -> Told:
    digits = [rng.randint(1, 9) for _ in range(3)]
    return Told("".join(map(str, digits)), " ".join(spoken_number(digit) for digit in digits))


def _origin(rng: random.Random) -> Told:
    town = (
        capitalise(open_word(rng))
        if rng.random() < 0.7
        else proper(draw_value("city", rng, written=True).text)
    )
    return Told(town, town)


_COLOURS: Final = phrases(
    "red, blue, green, black, white, grey, yellow, orange, purple, brown, pink, silver, gold, cream, navy, dark green, light blue"
)


def _colour(rng: random.Random) -> Told:
    colour = rng.choice(_COLOURS)
    return Told(colour, colour)


KINDS: Final = (
    Kind("Prices", _prices,
         "[costs|is|goes for|comes to] {v}",
         "[{a} [is|costs|goes for|sells at] {v}|{v} for {a}|we charge {v} for {a}|you pay {v} for {a}|{ks} are {v} each|the price of {a} is {v}]",
         (("[Prices|Price list|Our prices|Tariff|What it costs]:", "{k} {v}"), ("[Prices|We sell]:", "{a} at {v}"), ("we charge", "{v} for {a}"), ("we ask", "{v} for {a}"), ("", "{a} is {v}"),
          ("", "{a} costs {v}"), ("it is", "{v} for {a}"), ("", "{ks} are {v}"), ("", "{v} for {a}"), ("", "{k} ({v})"), ("", "{k}: {v}"), ("", "{k} = {v}"), ("you pay", "{v} for {a}")),
         "[how much is|how much's|what's|how much for|what do you charge for|what do you want for|price of|what do i pay for|what would i pay for|how much do you take for] [a|the] {k} [|please|then]|what does [a|the] {k} cost [|me]|how much does [a|the] {k} cost|i need a {k} [how much is that|what'll that be|what's the price]|[a|the] {k} how much [is that|is it|]|[can you tell me|tell me|may i ask] the price of [a|the] {k}|are {ks} expensive what do they cost",
         "{a} is {v}.",
         "what [costs|is] {v}|what do i get for {v}|i've got {v} what does that buy|which one is {v}|what goes for {v}",
         "{a} is {v}.",
         "is [a|the] {k} {v}|does [a|the] {k} cost {v}|[a|the] {k} is {v} [isn't it|right]|so {v} for a {k}",
         "Yes, {v}.",
         (_DEARER, _together, _for_several, _for_several), ()),
    Kind("People", _who,
         "[is looked after by|is {v}'s work and done by|is done by|belongs to|is in the hands of] {v}",
         "[{v} [does|looks after|sees to|is in charge of] the {ks}|for {ks} ask {v}|the {ks} are looked after by {v}|{ks} are {v}'s job|ask {v} about {ks}|{v} is the one for {ks}]",
         (("[Who does what|Our people|Staff|Contacts]:", "{ks} {v}"), ("", "{v} does the {ks}"), ("for", "{ks} ask {v}"), ("", "the {ks} are looked after by {v}"), ("", "{v} looks after the {ks}"), ("", "{v} ({ks})"), ("", "{ks}: {v}"),
          ("[Team|Staff]:", "{v}, {ks}"), ("ask", "{v} about {ks}")),
         "who [does|looks after|sees to|is in charge of] the {ks}|who do i [ask|talk to|speak to|see] about [the|a|my] {k}|who's [the one for|responsible for|doing the] {ks}|i've [a question|trouble|a problem] with my {k} who [is that|do i speak to|can help me]|whose job are the {ks}|who can help me with a {k}",
         "That is {v}.",
         "what does {v} do|what is {v} [in charge of|there for|doing at your place]|{v} does what|what do i ask {v} about|what's {v}'s job",
         "{v} does the {ks}.",
         "does {v} [do|look after] the {ks}|is {v} in charge of the {ks}|is it {v} who does the {ks}",
         "Yes, that is {v}."),
    Kind("Places", _places,
         "[is|stands|can be found] {v}",
         "[the {ks} [are|stand|can be found] {v}|you find {ks} {v}|{v} are the {ks}|{v} you find the {ks}]",
         (("[Where things are|Places|Plan of the house]:", "{ks} {v}"), ("the", "{ks} are {v}"), ("", "{v} are the {ks}"), ("", "{ks} {v}"), ("you find", "the {ks} {v}"), ("", "{v} you find {ks}"), ("", "{ks}: {v}")),
         "where [are|do i find|can i find|have you got|are you keeping] the {ks}|where's the {k}|i'm looking for [the {ks}|a {k}] where [is it|do i go|must i go]|where do i go for [a {k}|the {ks}]|how do i find the {ks}",
         "The {ks} are {v}.",
         "what [is|do you have|do i find] {v}|what's {v}|which things are {v}",
         "The {ks} are {v}.",
         "are the {ks} {v}|do i find the {ks} {v}|the {ks} are {v} [right|aren't they]",
         "Yes, {v}."),
    Kind("Days", distinct(_day),
         "[is on|is only on|takes place on] {v}",
         "[the {k} is on {v}|on {v} there is the {k}|{v} is the day of the {k}|{v} is for the {k}|we do the {k} on {v}]",
         (("[Days|Our week|Timetable|This week]:", "{k} {v}"), ("", "{v} {k}"), ("[The week|Plan]:", "{v}: {k}"), ("the", "{k} is on {v}"), ("on", "{v} there is the {k}"), ("", "{k} ({v})"), ("", "{v} is for the {k}")),
         "[when|what day|which day|on what day|on which day] is the {k}|when do you have the {k}|what day do i come for the {k}|i want to come for the {k} which day is that|when's the {k} on",
         "The {k} is on {v}.",
         "what's on [on|] {v}|what [is there|do you have|happens] on {v}|what do you do on {v}|i can only come on {v} what's on then",
         "The {k} is on {v}.",
         "is the {k} on {v}|do you have the {k} on {v}|the {k} is on {v} [right|isn't it]|can i come for the {k} on {v}",
         "Yes, on {v}.", (), ("Times",)),
    Kind("Times", distinct(_times),
         "[begins|starts|is] at {v}",
         "[the {k} [is|starts|begins] at {v}|at {v} [comes|is|there is] the {k}|{v} is the time for the {k}]",
         (("[Times|Today|Programme|Every day]:", "{k} {v}"), ("", "{v} {k}"), ("", "{k} at {v}"), ("at", "{v} there is the {k}"), ("the", "{k} starts at {v}"), ("", "{v}: {k}"), ("", "{k} ({v})")),
         "[when|what time|at what time] [is|does] the {k} [|start|begin]|when [is|does] the {k} [on|begin|start]|what time do i come for the {k}|i'm coming for the {k} when [is that|does it start]",
         "The {k} is at {v}.",
         "what [is|starts|begins|happens] at {v}|what do you have at {v}|i'm there at {v} what's on then",
         "The {k} is at {v}.",
         "is the {k} at {v}|does the {k} start at {v}|the {k} is at {v} [right|isn't it]",
         "Yes, at {v}.", (_EARLIER,), ("Days",)),
    Kind("Durations", _lengths,
         "[takes|needs] {v}",
         "[{a} takes {v}|for {a} we need {v}|{v} for {a}|{ks} take {v}|{a} is done in {v}]",
         (("[How long it takes|Times needed|Durations]:", "{k} {v}"), ("", "{a} takes {v}"), ("we need", "{v} for {a}"), ("", "{ks} take {v}"), ("", "{k}: {v}"), ("allow", "{v} for {a}"), ("", "{k} ({v})")),
         "how long [does|will] [a|the] {k} take|how long do you need for [a|the] {k}|how long is the {k}|when's my {k} ready how long do you need|[a|the] {k} how long does [it|that] take|how much time do i need for a {k}",
         "{a} takes {v}.",
         "what takes {v}|which one takes {v}|what can you do in {v}",
         "{a} takes {v}.",
         "does [a|the] {k} take {v}|is [a|the] {k} done in {v}|do you need {v} for a {k}",
         "Yes, {v}.", (_LONGER,), ()),
    Kind("Numbers", distinct(_counts),
         "[is in stock {v} times|can be had {v} times]",
         "[we have {v} {ks}|there are {v} {ks}|{ks}: {v}|of {ks} we have {v}]",
         (("[In stock|We have|There are|Left|Free]:", "{v} {ks}"), ("we have", "{v} {ks}"), ("there are", "{v} {ks}"), ("[In stock|Left]:", "{ks} {v}"), ("", "{ks}: {v}")),
         "how many {ks} [have you got|do you have|are there|are left]|how many {ks} [have you|do you keep] [in stock|there]|what number of {ks} do you have",
         "We have {v} {ks}.",
         "what do you have {v} of|of what are there {v}",
         "We have {v} {ks}.",
         "do you have {v} {ks}|are there {v} {ks}|i was told {v} {ks} is that right",
         "Yes, {v}."),
    Kind("Extensions", distinct(_extension),
         "[has extension|has the number|is number] {v}",
         "[the number [of|for] the {k} is {v}|for the {k} dial {v}|{v} is the {k}|the {k} has extension {v}]",
         (("[Extensions|Numbers|Codes]:", "{k} {v}"), ("", "{v} {k}"), ("dial", "{v} for the {k}"), ("for", "the {k} dial {v}"), ("", "{k}: {v}"), ("", "{k} ({v})")),
         "what's the [number|extension|code] [of|for] the {k}|which number [do i dial|is it] for the {k}|what do i dial for the {k}|[the|] {k} what number [is that|do i dial]|can i have the number of the {k}",
         "The number is {v}.",
         "[whose|what] number is {v}|what is [number|extension] {v}|who do i get on {v}",
         "{v} is the {k}.",
         "is {v} the number of the {k}|do i dial {v} for the {k}",
         "Yes, {v}."),
    Kind("Origins", distinct(_origin),
         "[comes from|is made in|is brought from] {v}",
         "[the {ks} come from {v}|{v} sends us {ks}|from {v} come the {ks}|we get the {ks} from {v}|{ks} are made in {v}]",
         (("[Where from|Origins|Suppliers]:", "{ks} {v}"), ("the", "{ks} come from {v}"), ("from", "{v} come the {ks}"), ("we get", "the {ks} from {v}"), ("", "{ks} from {v}"), ("", "{ks}: {v}"), ("", "{v} ({ks})")),
         "where do [the|your] {ks} come from|where are the {ks} from|where [is|was] the {k} made|where do you get the {ks}|what place are the {ks} from|from where are your {ks}",
         "The {ks} come from {v}.",
         "what [do you get|comes|have you got] from {v}|what is from {v}|which come from {v}",
         "The {ks} come from {v}.",
         "do the {ks} come from {v}|are the {ks} from {v}|is the {k} made in {v}",
         "Yes, from {v}."),
    Kind("Colours", distinct(_colour),
         "[is|comes in] {v}",
         "[the {ks} are {v}|{v} is the colour of the {ks}|{ks} come in {v}]",
         (("[Colours|What is which colour]:", "{ks} {v}"), ("the", "{ks} are {v}"), ("", "{ks} come in {v}"), ("", "{ks}: {v}"), ("", "{v} for the {ks}"), ("", "{ks} in {v}")),
         "what colour [are the {ks}|is the {k}|do the {ks} have]|which colour are the {ks}|in what colour do the {ks} come|the {ks} what colour are they",
         "The {ks} are {v}.",
         "what is {v}|which are {v}|what comes in {v}|what do you have in {v}",
         "The {ks} are {v}.",
         "are the {ks} {v}|do the {ks} come in {v}|have you got the {k} in {v}",
         "Yes, {v}."),
    Kind("Deposits", _prices,
         "[needs a deposit of|asks a deposit of] {v}",
         "[the deposit for {a} is {v}|{a} needs a deposit of {v}|we keep {v} as a deposit for {a}|deposit for {a}: {v}]",
         (("[Deposits|Deposit]:", "{k} {v}"), ("the deposit is", "{v} for {a}"), ("we keep a deposit of", "{v} for {a}"), ("deposit for", "{a} {v}")),
         "[what's|how much is|how high is] the deposit [for|on] [a|the] {k}|what deposit do you [want|take] for a {k}|how much do i leave [as a deposit|with you] for the {k}|is there a deposit [on|for] the {k} [how much|and what is it]",
         "The deposit for {a} is {v}.",
         "what has a deposit of {v}|for what do you want a deposit of {v}",
         "The deposit for {a} is {v}.",
         "is the deposit for [a|the] {k} {v}|do you want {v} as a deposit for the {k}",
         "Yes, {v}."),
    Kind("Ages", distinct(_counts),
         "[is for people from|is from the age of] {v}",
         "[the {k} is from {v} years|you must be {v} for the {k}|nobody under {v} on the {k}|{v} is the least age for the {k}]",
         (("[Least ages|Ages|Minimum age]:", "{k} {v}"), ("you must be", "{v} for the {k}"), ("the", "{k} is from {v} years"), ("", "{k} from {v}"), ("", "{k}: {v} years")),
         "how old must [i|one|you|she|he|they] be for the {k}|what's the [least age|minimum age|age limit] for the {k}|from what age is the {k}|how old do you have to be [for|to take] the {k}",
         "You must be {v} for the {k}.",
         "what is from [the age of|] {v}|what can one do from {v}",
         "You must be {v} for the {k}.",
         "is the {k} from {v}|must [i|one] be {v} for the {k}",
         "Yes, {v}."),
)  # fmt: skip
