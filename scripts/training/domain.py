"""The small world of the built-in profile: what people say to a desk and home assistant.

Both tiny built-in models are trained on this world: the recognizer on the plain sentences
(:func:`user_sentence`), the chat model on the same sentences with their meaning
(:func:`user_utterance`). Everything is written for voicepipe; nothing is downloaded.

User text is in *spoken normal form*: lower case, only ``a-z``, apostrophe and single spaces,
numbers and times in words ("half past seven", "twenty five minutes").

A *shape* is a template: ``{slot}`` is replaced by a value of that slot, ``[a|b|]`` by one of the
alternatives (which may nest and may be empty). How a shape is wrapped in "could you ... please"
depends on its :class:`Kind`.
"""

from __future__ import annotations

import enum
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

# --------------------------------------------------------------------------------------------
# Numbers, times, durations
# --------------------------------------------------------------------------------------------

_UNITS: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS: Final = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS: Final = (
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
        return _UNITS[n]
    if n < 100:
        tens, unit = divmod(n, 10)
        return _TENS[tens] + (f" {_UNITS[unit]}" if unit else "")
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
        return _ORDINALS[n]
    return "thirtieth" if n == 30 else f"{_TENS[n // 10]} {_ORDINALS[n % 10]}"


def plain_time(hour: int, minute: int) -> str:
    """The one wording the assistant itself uses for a clock time (hour 0..23, minute 0..59)."""
    this = _UNITS[(hour - 1) % 12 + 1]
    following = _UNITS[hour % 12 + 1]
    if minute == 0:
        return f"{this} o'clock"
    if minute == 15:
        return f"quarter past {this}"
    if minute == 30:
        return f"half past {this}"
    if minute == 45:
        return f"quarter to {following}"
    if minute < 10:
        return f"{this} oh {_UNITS[minute]}"
    return f"{this} {spoken_number(minute)}"


def spoken_time(hour: int, minute: int, rng: random.Random) -> str:
    """One of the ways people say a clock time (hour 0..23, minute 0..59)."""
    this = _UNITS[(hour - 1) % 12 + 1]
    following = _UNITS[hour % 12 + 1]
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


# --------------------------------------------------------------------------------------------
# Names of things
# --------------------------------------------------------------------------------------------


def phrases(text: str) -> tuple[str, ...]:
    """Split a comma separated list into clean phrases."""
    return tuple(" ".join(item.split()) for item in text.split(","))


CITIES: Final = phrases(
    "paris, london, berlin, madrid, rome, vienna, prague, dublin, lisbon, athens, oslo, stockholm,"
    "helsinki, copenhagen, amsterdam, brussels, zurich, geneva, munich, hamburg, milan, venice,"
    "barcelona, warsaw, budapest, new york, boston, chicago, toronto, sydney, tokyo, mumbai, delhi,"
    "cairo, moscow, singapore, san francisco, los angeles, seattle, edinburgh, manchester, oxford,"
    "istanbul, dubai, lyon, florence"
)
COUNTRIES: Final = phrases(
    "france, germany, spain, italy, england, ireland, scotland, portugal, greece, norway, sweden,"
    "poland, canada, japan, india, china, brazil, mexico, egypt, australia"
)
NAMES: Final = phrases(
    "anna, ben, clara, david, emma, frank, george, hannah, ian, julia, kevin, laura, martin, nina,"
    "oliver, paul, rachel, simon, tom, victor, william, alice, peter, mary, john, james, robert,"
    "linda, susan, karen, lisa, sarah, daniel, mark, steven, andrew, brian, edward, helen, sandra,"
    "maria, carlos, sofia, lucas, mia, leo, max, sam, kate, grace, henry, arthur, rosa, ivan,"
    "amir, fatima, priya, yusuf, chen, ingrid"
)
SURNAMES: Final = phrases(
    "smith, jones, taylor, brown, wilson, walker, green, hall, wood, clark, miller, baker, cooper,"
    "turner, parker, morgan, bell, fisher, murphy, hughes, carter, stone, fox, young, king, hill,"
    "martinez, schmidt, weber, rossi, dubois, patel, singh, kim, tanaka, novak"
)
FOODS: Final = phrases(
    "soup, salad, burger, cheeseburger, sandwich, omelette, lasagna, risotto, curry, steak,"
    "fish and"
    "chips, pancake, waffle, croissant, muffin, bagel, brownie, cookie, cheesecake, apple pie,"
    "ice cream, tomato soup, chicken soup, onion soup, caesar salad, greek salad, club sandwich,"
    "cheese sandwich, tuna sandwich, bowl of rice, portion of chips, portion of fries, noodle soup,"
    "chicken wrap, veggie burger, salmon, roast chicken, plate of pasta, slice of cake,"
    "fruit salad,"
    "burrito, taco, hot dog, garlic bread, chocolate cake, porridge, yoghurt, baked potato"
)
DRINKS: Final = phrases(
    "coffee, espresso, cappuccino, latte, americano, mocha, flat white, black coffee, tea,"
    "green tea,"
    "black tea, mint tea, herbal tea, hot chocolate, orange juice, apple juice, tomato juice,"
    "lemonade, cola, water, sparkling water, still water, milk, iced tea, iced coffee, smoothie,"
    "milkshake, beer, red wine, white wine, cider, ginger ale"
)
PIZZAS: Final = phrases(
    "margherita, mushroom, pepperoni, hawaiian, vegetarian, four cheese, spinach, ham, salami,"
    "tuna,"
    "chicken, onion, seafood, olive"
)
GROCERIES: Final = phrases(
    "milk, bread, eggs, butter, cheese, apples, bananas, oranges, lemons, tomatoes, potatoes,"
    "onions,"
    "carrots, rice, pasta, flour, sugar, salt, pepper, olive oil, coffee beans, tea bags,"
    "cereal, jam,"
    "honey, chicken, ham, fish, yoghurt, cream, spinach, mushrooms, garlic, grapes, strawberries,"
    "chocolate, biscuits, crisps, water, orange juice, toilet paper, soap, shampoo, toothpaste,"
    "washing powder, cat food, dog food, batteries, light bulbs, bin bags, nuts, cucumber"
)
ROOMS: Final = phrases(
    "kitchen, bedroom, living room, bathroom, hall, hallway, office, garage, garden, dining room,"
    "study, attic, basement, nursery, guest room, playroom, balcony, porch, corridor, lounge"
)
LIGHTS: Final = phrases("light, lights, lamp, lamps, ceiling light, floor lamp, reading light")
COLOURS: Final = phrases("red, green, blue, yellow, orange, purple, pink, white, warm white")
DOORS: Final = phrases(
    "front door, back door, garage door, garden gate, side door, patio door, main door, cellar door"
)
COVERS: Final = phrases("blinds, curtains, shutters")
APPLIANCES: Final = phrases(
    "television, radio, fan, oven, dishwasher, washing machine, kettle, coffee machine, heater,"
    "air conditioning, dryer, vacuum cleaner, toaster, computer, printer, sprinkler, fireplace"
)
GENRES: Final = phrases(
    "jazz, rock, pop, classical music, piano music, country, blues, folk, disco, reggae, hip hop,"
    "dance music, christmas songs, children's songs, opera, soul, guitar music, relaxing music,"
    "party music, film music"
)
TIMER_LABELS: Final = phrases(
    "tea, pasta, pizza, eggs, rice, laundry, bread, cake, oven, potatoes, soup, coffee, chicken,"
    "cookies, break, meeting, nap, workout, homework, bath, noodles, roast, sauce, shower, game,"
    "reading, dough, lunch, kitchen, yoga"
)
CHORES: Final = phrases(
    "call the doctor, buy milk, take out the bins, feed the cat, walk the dog, water the plants,"
    "pay the rent, pick up the children, call my mother, send the report, charge the car,"
    "take my medicine, post the letter, lock the door, check the oven, clean the kitchen,"
    "book the tickets, ring the bank, wash the car, empty the dishwasher, do my homework,"
    "call the plumber, renew my passport, buy a present, turn off the oven, iron my shirt"
)
PLACES: Final = phrases(
    "restaurant, bar, gym, pool, spa, sauna, shop, kitchen, reception, front desk, cafe, library,"
    "business centre, roof terrace, breakfast room, garden, office, car park"
)
FACILITIES: Final = phrases(
    "lift, toilets, gym, pool, restaurant, bar, reception, breakfast room, car park, spa, sauna,"
    "meeting rooms, luggage room, shop, stairs, exit, ice machine, laundry room, conference room,"
    "bathroom, cash machine, bus stop"
)
DESTINATIONS: Final = phrases(
    "airport, station, train station, city centre, hospital, museum, theatre, stadium, harbour,"
    "university, opera house, town hall, zoo, beach, market, old town, conference centre, hotel,"
    "bus station, cathedral"
)
LOST_ITEMS: Final = phrases(
    "keys, key, phone, wallet, umbrella, bag, glasses, scarf, jacket, laptop, passport, purse, hat,"
    "gloves, watch, charger, key card, backpack, ring, camera, headphones, suitcase"
)
SUPPLIES: Final = phrases(
    "towels, pillows, blankets, cups, glasses, hangers, bottles of water, tea bags, chairs, plates,"
    "spoons, toilet rolls, bathrobes, slippers, napkins, toothbrushes"
)
APPOINTMENTS: Final = phrases(
    "haircut, massage, manicure, facial, haircut and a shave, beard trim, yoga class,"
    "swimming lesson,"
    "tennis lesson, cooking class, guided tour, eye test, car wash"
)
PURCHASES: Final = phrases(
    "shoes, jacket, shirt, dress, jeans, coat, lamp, kettle, phone, headphones, keyboard, book,"
    "chair,"
    "toaster, sweater, bag, boots, watch, blender, printer"
)
FAULTS: Final = phrases(
    "the shower is broken, the television isn't working, there's no hot water,"
    "the heating doesn't work, my room is too cold, my room is too hot, the window won't close,"
    "the light is broken, the toilet is blocked, the neighbours are too loud, the sink is leaking,"
    "my key card doesn't work, the lift is stuck, the bed is uncomfortable, it smells of smoke,"
    "the internet is very slow, there are no towels, the door won't open, the tap is dripping"
)
DAYS: Final = (
    "today",
    "tomorrow",
    "tonight",
    "tomorrow morning",
    "tomorrow evening",
    "tomorrow afternoon",
    "this afternoon",
    "this evening",
    "the day after tomorrow",
    "next week",
    *(f"on {day}" for day in WEEKDAYS),
    *(f"next {day}" for day in WEEKDAYS),
    "on friday evening",
    "on saturday night",
    "on sunday morning",
    "on monday afternoon",
)
_SIZES: Final = ("small", "medium", "large")
_TEAMS: Final = phrases(
    "england, france, germany, spain, italy, brazil, the lions, the bears, the giants, the eagles,"
    "the home team, liverpool, chelsea, arsenal, the rangers"
)
_LANGUAGES: Final = phrases(
    "french, german, spanish, italian, english, japanese, chinese, russian, arabic, polish, greek,"
    "portuguese, dutch, swedish, hindi, turkish, latin"
)
_COMPANIES: Final = phrases(
    "apple, google, amazon, tesla, microsoft, the bank, the airline, shell, toyota, gold, oil,"
    "bitcoin"
)
_AILMENTS: Final = phrases(
    "a headache, a fever, a cold, back pain, a sore throat, a rash, a cough, a broken arm,"
    "a toothache, high blood pressure, the flu, a stomach ache"
)
_LEGAL: Final = phrases(
    "my landlord, my contract, my divorce, a speeding ticket, my taxes, my employer, a patent,"
    "a visa, my insurance, a will"
)
_PEOPLE: Final = phrases(
    "the president of france, the king of spain, the prime minister, napoleon, shakespeare, mozart,"
    "einstein, the pope, columbus, cleopatra, picasso, the mayor of london, julius caesar, newton"
)
_TOPICS: Final = phrases(
    "the second world war, black holes, the roman empire, the moon landing, dinosaurs,"
    "photosynthesis,"
    "the french revolution, quantum physics, the stock market, philosophy, the solar system,"
    "volcanoes,"
    "the middle ages, evolution, the ice age, electricity, artificial intelligence, the pyramids,"
    "climate change, the human brain"
)
_ANIMALS: Final = phrases(
    "dog, cat, elephant, giraffe, whale, horse, lion, tiger, bear, snake, spider"
)
_VEHICLES: Final = phrases("car, bike, motorbike, bus, train, plane, boat, lorry")
_THINGS: Final = phrases(
    "the sun, the moon, the sky, a rainbow, the ocean, mount everest, the eiffel tower,"
    "the river nile,"
    "the earth, the speed of light, a light year, a whale, the great wall"
)

SLOTS: Final[Mapping[str, Sequence[str]]] = {
    "city": CITIES,
    "country": COUNTRIES,
    "name": NAMES,
    "surname": SURNAMES,
    "food": FOODS,
    "drink": DRINKS,
    "pizza": PIZZAS,
    "grocery": GROCERIES,
    "room": ROOMS,
    "light": LIGHTS,
    "colour": COLOURS,
    "door": DOORS,
    "cover": COVERS,
    "appliance": APPLIANCES,
    "genre": GENRES,
    "label": TIMER_LABELS,
    "chore": CHORES,
    "place": PLACES,
    "facility": FACILITIES,
    "destination": DESTINATIONS,
    "lost": LOST_ITEMS,
    "supply": SUPPLIES,
    "appointment": APPOINTMENTS,
    "purchase": PURCHASES,
    "fault": FAULTS,
    "day": DAYS,
    "weekday": WEEKDAYS,
    "month": MONTHS,
    "size": _SIZES,
    "team": _TEAMS,
    "language": _LANGUAGES,
    "company": _COMPANIES,
    "ailment": _AILMENTS,
    "legal": _LEGAL,
    "person": _PEOPLE,
    "topic": _TOPICS,
    "animal": _ANIMALS,
    "vehicle": _VEHICLES,
    "thing": _THINGS,
}


def _slot_time(rng: random.Random) -> str:
    return spoken_time(*random_clock(rng), rng)


def _slot_duration(rng: random.Random) -> str:
    return spoken_duration(random_duration(rng), rng)


def _slot_count(rng: random.Random) -> str:
    return spoken_number(rng.choice((2, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 10, 12)))


def _slot_digits(rng: random.Random) -> str:
    digits = [rng.randint(0, 9) for _ in range(rng.randint(3, 6))]
    return " ".join("oh" if d == 0 and rng.random() < 0.3 else _UNITS[d] for d in digits)


#: Slots whose values are computed, and all the words that they can contain.
COMPUTED_SLOTS: Final[Mapping[str, Callable[[random.Random], str]]] = {
    "time": _slot_time,
    "duration": _slot_duration,
    "count": _slot_count,
    "nights": lambda rng: spoken_number(rng.randint(2, 9)),
    "degrees": lambda rng: spoken_number(rng.randint(15, 26)),
    "percent": lambda rng: spoken_number(rng.choice((10, 20, 25, 30, 40, 50, 60, 70, 75, 80, 90))),
    "level": lambda rng: spoken_number(rng.randint(1, 10)),
    "roomno": lambda rng: spoken_number(rng.randint(1, 60)),
    "digits": _slot_digits,
    "monthday": lambda rng: spoken_ordinal(rng.randint(1, 31)),
    "big": lambda rng: spoken_number(rng.randint(2, 999)),
}
_COMPUTED_WORDS: Final = frozenset(
    {*_UNITS, *_TENS, *_ORDINALS[1:], "thirtieth", "hundred", "and", "oh", "o'clock", "past", "to"}
    | {"half", "quarter", "quarters", "of", "a", "an", "m", "p", "noon", "midnight", "in", "the"}
    | {"morning", "afternoon", "evening", "hour", "hours", "minute", "minutes", "second", "seconds"}
    | {"couple"}
)

# --------------------------------------------------------------------------------------------
# Intents
# --------------------------------------------------------------------------------------------


class Kind(enum.Enum):
    """How a shape may be wrapped in politeness."""

    PLAIN = "plain"  # said as it is
    QUESTION = "question"  # "what time is it": may follow "excuse me"
    INDIRECT = "indirect"  # "what time it is": must follow "could you tell me"
    REQUEST = "request"  # "turn on the light": may follow "could you"
    WISH = "wish"  # "a table for two": may follow "i'd like"


#: (before, weight) by kind; an empty string means no words.
PREFIXES: Final[Mapping[Kind, Sequence[tuple[str, int]]]] = {
    Kind.PLAIN: (("", 1),),
    Kind.QUESTION: (
        ("", 60), ("hey", 4), ("excuse me", 6), ("hello", 4), ("sorry", 3), ("and", 3), ("so", 3),
        ("okay", 2), ("hi", 3), ("please tell me", 3), ("tell me", 4), ("one more question", 2),
        ("by the way", 2), ("good morning", 2), ("good evening", 1), ("um", 1), ("well", 1),
    ),
    Kind.INDIRECT: (
        ("can you tell me", 8), ("could you tell me", 8), ("do you know", 8), ("tell me", 4),
        ("i'd like to know", 4), ("i was wondering", 2), ("please tell me", 3),
        ("do you happen to know", 2),
        ("hi can you tell me", 2), ("excuse me do you know", 2), ("would you mind telling me", 1),
        ("any idea", 1), ("i need to know", 2), ("can you say", 1), ("hello could you tell me", 2),
    ),
    Kind.REQUEST: (
        ("", 40), ("please", 10), ("could you", 8), ("can you", 10), ("would you", 3), ("hey", 3),
        ("i'd like you to", 3), ("i want you to", 2), ("will you", 1), ("could you please", 4),
        ("can you please", 4), ("i need you to", 2), ("hey can you", 2), ("hello please", 2),
        ("okay now", 1), ("okay", 2), ("would you please", 1), ("go ahead and", 1), ("and", 2),
        ("hi could you", 2), ("now", 1), ("would you mind if i asked you to", 1), ("just", 1),
        ("can i ask you to", 1), ("excuse me could you", 1), ("you could", 1), ("let's", 1),
    ),
    Kind.WISH: (
        ("", 8), ("i'd like", 14), ("i would like", 6), ("can i have", 8), ("could i have", 6),
        ("could i get", 4), ("can i get", 6), ("i need", 6), ("i want", 5), ("we'd like", 4),
        ("may i have", 2), ("hello i'd like", 3), ("hi can i get", 2), ("can we have", 2),
        ("i'll have", 3), ("we need", 2), ("please get me", 2), ("i'm looking for", 1),
        ("good evening i'd like", 1), ("do you have", 2), ("is it possible to get", 1),
    ),
}  # fmt: skip
SUFFIXES: Final[Mapping[Kind, Sequence[tuple[str, int]]]] = {
    Kind.PLAIN: (("", 1),),
    Kind.QUESTION: (("", 90), ("please", 8), ("by the way", 1), ("then", 1)),
    Kind.INDIRECT: (("", 9), ("please", 2)),
    Kind.REQUEST: (
        ("", 60), ("please", 16), ("thanks", 3), ("for me", 5), ("now", 3), ("thank you", 3),
        ("for me please", 2), ("right now", 1), ("if you can", 1), ("okay", 1), ("would you", 1),
    ),
    Kind.WISH: (("", 60), ("please", 25), ("thanks", 2), ("thank you", 2), ("if possible", 1)),
}  # fmt: skip


@dataclass(frozen=True)
class Shape:
    """One template and the way it may be wrapped."""

    kind: Kind
    template: str


@dataclass(frozen=True)
class Utterance:
    """One thing said by a user: its intent, its words, and the slot values in them."""

    intent: str
    text: str
    slots: Mapping[str, str] = field(default_factory=dict)


#: One line a shape. "?" question, "~" indirect question, "!" request, "+" wish, "." as it is.
_SIGNS: Final = {
    "?": Kind.QUESTION,
    "~": Kind.INDIRECT,
    "!": Kind.REQUEST,
    "+": Kind.WISH,
    ".": Kind.PLAIN,
}

#: intent -> (weight, shapes). Weights are relative; see :func:`user_utterance`.
_INTENT_TEXT: Final[Mapping[str, tuple[float, str]]] = {
    "time": (3.0, """
        ? what time is it [now|right now|]
        ? what's the time [now|]
        ? [have you got|do you have] the time
        ? how late is it
        ? what's the exact time
        ? what does the clock say
        ? is it [late|already {time}|past {time}]
        ~ what time it is [now|]
        ~ [the time|how late it is]
        ! [tell me|give me|check] the [time|current time]
        """),
    "date": (2.0, """
        ? what's [the date|today's date] [today|]
        ? what is the date [today|]
        ? which month is it
        ? what date is it [today|]
        ? what's the day of the month
        ? is it the {monthday} [today|]
        ? is it the {monthday} of {month} [today|]
        ? is it [already|still] {month}
        ~ [the date|today's date|what the date is]
        ! [tell me|check] [the date|today's date]
        """),
    "weekday": (2.0, """
        ? what day is it [today|]
        ? which day [of the week|] is it [today|]
        ? what day of the week is it
        ? is [it|today] {weekday} [today|]
        ~ [what day it is|which day of the week it is|what day today is]
        """),
    "set_timer": (5.0, """
        ! set a timer for {duration}
        ! set a {label} timer for {duration}
        ! set a timer for {duration} for the {label}
        ! start a [timer of|timer for] {duration}
        ! start a {label} timer for {duration}
        ! start the {label} timer for {duration}
        ! set me a timer for {duration}
        ! [put on|make|create|add] a timer for {duration}
        ! count down {duration}
        ! time {duration}
        ! set another timer for {duration}
        ! set the timer to {duration}
        ! let me know in {duration}
        ! [wake|call|remind] me in {duration}
        + a timer for {duration}
        + a timer for {duration} for the {label}
        + a {label} timer for {duration}
        . {duration} for the {label} [please|]
        . timer {duration}
        . my {label} needs {duration} set a timer [please|]
        """),
    "set_timer_open": (1.0, """
        ! [set|start] a timer
        ! [set|start] a {label} timer
        + a timer
        + a timer for the {label}
        """),
    "cancel_timer": (2.0, """
        ! [cancel|stop|delete|remove|clear|turn off] the timer
        ! [cancel|stop|delete|remove|clear|turn off] [the|my] {label} timer
        ! cancel [all|all the|all my] timers
        ! [cancel|stop] the timer for the {label}
        . i don't need the {label} timer [anymore|]
        . forget the [timer|{label} timer]
        . never mind the {label} timer
        """),
    "list_timers": (2.0, """
        ? how much time is left [on the timer|on the {label} timer|for the {label}|]
        ? how long is left on [the|my] [timer|{label} timer]
        ? [which|what] timers are running
        ? how many timers [are running|do i have|are there]
        ? are there any timers [running|]
        ? how long until the [timer|{label} timer] [goes off|ends|is done]
        ? how long does the {label} timer still need
        ? is [the|my] {label} timer still running
        ? when is the {label} timer [done|finished|ready]
        ! [list|show me|tell me] [my|all my|the] timers
        ! check [the timer|my timers|the {label} timer]
        ~ how much time is left [on the timer|on the {label} timer|]
        """),
    "alarm": (2.0, """
        ! set an alarm for {time}
        ! set [an|my] alarm for {time} {day}
        ! wake me [up|] at {time}
        ! wake me [up|] at {time} {day}
        ! wake me [up|] {day} at {time}
        ! change my alarm to {time}
        + an alarm for {time}
        + a wake up call at {time}
        + a wake up call {day} at {time}
        """),
    "alarm_open": (0.8, """
        ! set an alarm
        ! set an alarm {day}
        ! wake me [up|] {day}
        + a wake up call
        """),
    "alarm_off": (0.7, """
        ! [cancel|turn off|stop|delete] [the|my] alarm
        ! turn off my alarm {day}
        """),
    "remind": (1.8, """
        ! remind me to {chore} at {time}
        ! remind me to {chore} {day}
        ! remind me at {time} to {chore}
        ! remind me {day} to {chore}
        . don't let me forget to {chore} {day}
        + a reminder to {chore} at {time}
        . i have to {chore} {day} please remind me
        """),
    "remind_open": (0.6, """
        ! remind me to {chore}
        """),
    "light_on": (2.0, """
        ! turn on the {room} {light}
        ! turn the {room} {light} on
        ! switch on the {light} in the {room}
        ! switch the {light} on in the {room}
        ! put the {light} on in the {room}
        ! turn on the {light} in the {room}
        . it's [too|so|very] dark in the {room}
        . lights on in the {room} [please|]
        + [some|more] light in the {room}
        """),
    "light_off": (2.0, """
        ! turn off the {room} {light}
        ! turn the {room} {light} off
        ! switch off the {light} in the {room}
        ! turn out the {light} in the {room}
        . lights off in the {room} [please|]
        . nobody is in the {room} turn the {light} off
        """),
    "light_open": (0.6, """
        ! turn on the {light}
        ! switch on the {light}
        ! turn the {light} on
        """),
    "light_all": (0.7, """
        ! turn off all the lights
        ! switch everything off
        ! turn off every light in the house
        . all lights off [please|]
        """),
    "light_dim": (1.3, """
        ! dim the {room} {light} [to {percent} percent|]
        ! dim the {light} in the {room}
        ! set the {room} {light} to {percent} percent
        ! make the {room} [brighter|darker]
        . the {room} is too bright
        """),
    "light_colour": (1.0, """
        ! make the {room} {light} {colour}
        ! [set|change|turn] the {light} in the {room} to {colour}
        + {colour} light in the {room}
        """),
    "heating_set": (1.6, """
        ! set the [heating|temperature|thermostat] to {degrees} [degrees|]
        ! set the [heating|temperature] in the {room} to {degrees} degrees
        ! [heat|warm|cool] the {room} to {degrees} degrees
        ! turn the heating [up|down] to {degrees} [degrees|]
        . make it {degrees} degrees in the {room}
        """),
    "heating_change": (1.2, """
        ! turn [up|down] the heating in the {room}
        ! turn the heating [up|down] [a bit|a little|in the {room}|]
        ! make it [warmer|cooler|a bit warmer|a bit colder]
        . it's too [cold|hot|warm] in the {room}
        . i'm [cold|freezing|too hot|too warm]
        ! turn the heating [on|off] [in the {room}|]
        """),
    "music_play": (1.8, """
        ! play [some|] {genre}
        ! play [some|] {genre} in the {room}
        ! put [some|] {genre} on
        ! put on [some|] {genre} in the {room}
        . i want to [hear|listen to] [some|] {genre}
        + [some|] {genre}
        ! play something by {name} {surname}
        """),
    "music_open": (0.6, """
        ! play some music
        ! put on some music
        . i want to hear some music
        ! play me something nice
        """),
    "music_control": (1.2, """
        ! [stop|pause] the music
        ! [pause|stop] the song
        ! play the next song
        ! [skip|repeat] this song
        ! play that song again
        ! turn the music [up|down|off]
        ! turn the volume [up|down] [a bit|in the {room}|]
        ! set the volume to {level}
        . next song [please|]
        ? what song is this
        """),
    "lock": (1.4, """
        ! [lock|unlock] the {door}
        ! [open|close|shut] the {door}
        ! make sure the {door} is locked
        . i forgot to lock the {door}
        """),
    "lock_state": (0.7, """
        ? is the {door} [locked|open|closed]
        ? did i lock the {door}
        ! check if the {door} is [locked|closed]
        """),
    "cover": (1.2, """
        ! [open|close] the {cover} in the {room}
        ! [open|close] the {room} {cover}
        ! pull [up|down] the {cover} in the {room}
        ! lower the {cover} in the {room}
        ! raise the {room} {cover}
        ! open the {room} {cover} half way
        """),
    "appliance": (1.6, """
        ! turn [on|off] the {appliance}
        ! turn the {appliance} [on|off]
        ! switch [on|off] the {appliance} in the {room}
        ! switch the {appliance} [on|off]
        ! start the {appliance}
        ! stop the {appliance}
        . is the {appliance} still on
        """),
    "table": (3.0, """
        + a table for {count} at {time}
        + a table for {count} [people|] {day} at {time}
        ! book a table for {count} at {time}
        ! book a table for {count} people {day} at {time}
        ! reserve a table for {count} {day} at {time}
        . i'd like to [book|reserve] a table for {count} [people|] at {time}
        . we'd like to [book|reserve] a table for {count} {day} at {time}
        . can i [book|reserve] a table {day} at {time} for {count} people
        . a table for {count} at {time} in the name of {name}
        . i'd like to book a table for {count} at {time} under the name {surname}
        """),
    "table_open": (1.6, """
        . i'd like to book a table
        + a table
        + a table for {count}
        + a table {day}
        + a table at {time}
        ! book a table for {count}
        ! book a table for {count} {day}
        ! reserve a table {day}
        . do you have a table free {day}
        . can we book a table for {count} people
        . i want to eat here {day}
        . we are {count} people and we'd like to eat
        """),
    "hotel": (1.6, """
        + a [single|double|twin|family|quiet] room for {nights} nights
        + a [single|double|twin] room for {nights} nights from {weekday}
        ! book a [single|double] room for {nights} nights
        . i'd like to [book|reserve] a [single|double] room for {nights} nights
        . do you have a [double|single|quiet] room [free|] {day}
        . we need a room for {count} people for {nights} nights
        . have you got any rooms free {day}
        . i'd like to stay {nights} more nights
        . a room with a view please
        """),
    "meeting": (1.3, """
        ! book a meeting room for {count} people at {time}
        ! book a meeting room {day} at {time}
        + a meeting room for {count} people {day} at {time}
        ! [arrange|schedule|set up] a meeting with {name} {day} at {time}
        ! [arrange|schedule|set up] a meeting with {name} at {time}
        . is there a meeting room free {day}
        ! put a meeting with {name} in my calendar {day}
        """),
    "taxi": (1.8, """
        + a taxi to the {destination} at {time}
        + a taxi to the {destination} {day} at {time}
        ! [book|call|order] a taxi to the {destination} [for {time}|at {time}]
        ! [book|call|order] [me|] a taxi to the {destination}
        + a taxi for {count} people to the {destination}
        . i need to be at the {destination} at {time} can you get me a taxi
        """),
    "taxi_open": (0.8, """
        + a taxi
        + a taxi at {time}
        ! [call|get|book|order] me a taxi
        ! order a taxi for {time}
        """),
    "appointment": (1.5, """
        + a {appointment} {day} at {time}
        + a {appointment} at {time}
        ! book a {appointment} {day} at {time}
        . i'd like to book a {appointment} with {name} {day} at {time}
        . i'd like to make an appointment for a {appointment} at {time}
        """),
    "appointment_open": (0.9, """
        + a {appointment}
        ! book a {appointment}
        ! book a {appointment} {day}
        . i'd like to make an appointment for a {appointment}
        . when can i get a {appointment}
        """),
    "change_booking": (1.3, """
        ! cancel my booking
        ! cancel my [table|reservation|appointment|taxi|room] {day}
        ! cancel the booking for {surname}
        ! [change|move] my [booking|reservation|appointment] to {time}
        ! move my [table|appointment|meeting] to {day}
        . i'd like to [change|cancel] my [booking|reservation|appointment]
        . we'll be {count} people instead
        . i'm running late for my [table|appointment|booking]
        """),
    "drink": (2.6, """
        + a {drink}
        + a {size} {drink}
        + {count} {drink}s
        + a {drink} and a {drink2}
        + a {size} {drink} with [milk|sugar|oat milk|lemon|ice|soya milk|cream]
        + a {drink} without [milk|sugar|ice]
        ! bring me a {drink}
        ! order a {drink}
        + another {drink}
        . a {drink} to take away please
        . one {drink} please
        """),
    "drink_open": (0.6, """
        + something to drink
        . i'm thirsty
        + a [coffee|tea] and something sweet
        ? what [drinks do you have|can i drink here]
        """),
    "pizza": (1.6, """
        + a {size} {pizza} pizza
        + a {pizza} pizza
        + {count} {pizza} pizzas
        + {count} {size} {pizza} pizzas
        ! order a {pizza} pizza
        ! order {count} {size} {pizza} pizzas
        + a {pizza} pizza with extra [cheese|mushrooms|onions|olives|garlic]
        + a {pizza} pizza and a {drink}
        + one {pizza} and one {pizza2} pizza
        """),
    "pizza_open": (0.8, """
        + a pizza
        ! order [a|me a] pizza
        + a {size} pizza
        . i'd like to order [a|some] pizza
        """),
    "food": (2.4, """
        + a {food}
        + a {food} and a {drink}
        + a {food} and a {food2}
        + one {food} and one {drink}
        ! order a {food}
        ! bring me a {food} and a {drink}
        ! send a {food} to room {roomno}
        . i'd like to order a {food}
        . we'd like to order a {food} and a {food2}
        + a {food} with [salad|extra cheese|no onions|chips|bread|rice]
        . i'm [hungry|starving] can i get a {food}
        . for me the {food} please
        """),
    "food_open": (0.9, """
        . i'd like to order [some food|something to eat|dinner|lunch]
        . i'm hungry
        + something to eat
        ? what's on the menu
        ? what can i [eat|order]
        . can i see the menu [please|]
        ! order [dinner|lunch|breakfast]
        """),
    "diet": (0.8, """
        ? do you have anything [vegetarian|vegan|without nuts|without gluten|without milk]
        ? is the {food} [vegetarian|vegan|spicy]
        . i'm allergic to [nuts|milk|eggs|fish]
        . i don't eat [meat|fish|cheese]
        ? are there nuts in the {food}
        """),
    "grocery_list": (2.0, """
        ! add {grocery} to [the|my] [shopping list|list]
        ! add {grocery} and {grocery2} to [the|my] shopping list
        ! put {grocery} on [the|my] [list|shopping list]
        ! order [some|more] {grocery}
        ! buy {grocery} and {grocery2}
        . we're out of {grocery}
        . we need [more|some] {grocery}
        ! take {grocery} off [the|my] list
        ? what's on [my|the] shopping list
        """),
    "price": (0.9, """
        ? how much is [a|the] [{food}|{drink}]
        ? what does a {drink} cost
        ? how much does a {food} cost
        ? how much is [a double room|a single room|breakfast|parking|a taxi to the {destination}]
        ~ how much [a {drink} is|a room costs|breakfast is]
        """),
    "hours": (1.8, """
        ? when [do you|does the {place}] [open|close]
        ? what time [do you|does the {place}] [open|close] [{day}|on {weekday}|]
        ? [are you|is the {place}] open [{day}|now|on {weekday}]
        ? until when is the {place} open
        ? what are your opening hours
        ? what are the opening hours of the {place}
        ~ when the {place} [opens|closes]
        ~ if the {place} is open {day}
        """),
    "wifi": (1.2, """
        ? what's the [wifi|wireless|internet] password
        ? do you have [wifi|free wifi|internet]
        ? how do i [connect to|get on|log in to] the [wifi|internet]
        . the wifi [isn't working|doesn't work|keeps dropping]
        ~ the wifi password
        + the [wifi password|password for the wifi|internet code]
        ? what's the name of the network
        """),
    "parking": (1.0, """
        ? where can i park [my car|]
        ? do you have [parking|a car park]
        ? is [there parking|parking free|the parking free] here
        ? how much is the car park
        ? can i leave my car here [overnight|until {weekday}|]
        + a parking space {day}
        ? where is the car park
        ~ where i can park
        """),
    "where": (1.5, """
        ? where is the {facility}
        ? where's the {facility}
        ? where do i find the {facility}
        ? how do i get to the {facility}
        ? which floor is the {facility} on
        ? is there a {facility} [here|in the building]
        ~ where the {facility} is
        ! show me the way to the {facility}
        """),
    "breakfast": (1.2, """
        ? [when|what time|where] is breakfast
        ? until when is breakfast
        ? is breakfast included
        ? can i have breakfast in my room
        ? what's for breakfast
        ~ when breakfast [is|starts|ends]
        ? do you serve breakfast [on {weekday}|{day}|]
        + breakfast in my room at {time}
        """),
    "checkout": (1.2, """
        ? [when|what time] is check [out|in]
        ? when do i have to [leave|check out]
        ? can i check out [later|late|at {time}]
        ? can i check in [early|at {time}]
        + a late check out
        . i'd like to check [out|in] [now|]
        ~ when i have to check out
        . i want to leave my room
        """),
    "lost": (1.3, """
        . i [lost|have lost|can't find] my {lost}
        . i think i left my {lost} in the [{place}|taxi|room]
        ? has anyone found [my|a] {lost}
        ? did anybody hand in a {lost}
        . i've locked myself out
        . i lost my {lost} [yesterday|this morning|last night]
        . someone has stolen my {lost}
        """),
    "invoice": (1.0, """
        + [an invoice|a receipt|the bill|my bill]
        ! send me [the|my] [invoice|receipt|bill]
        . there's a mistake on my bill
        ! email the invoice to me
        . i need an invoice for room {roomno}
        ? can i get the bill
        ! put it on my room
        """),
    "payment": (0.8, """
        ? can i pay [by card|with cash|in cash|with my phone|later]
        ? do you [take|accept] [credit cards|cash|cards]
        ? can we pay separately
        . i'd like to pay [now|the bill|]
        """),
    "returns": (1.0, """
        . i'd like to [return|send back|exchange] [a|my] {purchase}
        ? can i [return|exchange] my {purchase}
        ? how do i return [something|my order|my {purchase}]
        . the {purchase} doesn't [fit|work]
        . my {purchase} arrived broken
        + my money back
        ? what is your return policy
        """),
    "delivery": (1.4, """
        ? where is my [order|parcel|package|delivery|{purchase}]
        ? when will my [order|parcel|package|{purchase}] [arrive|come|be delivered]
        ? has my [order|parcel|package] [arrived|been sent|come]
        . i'm [waiting for my parcel|still waiting for my order]
        ~ where my [order|parcel|package] is
        ! track my [order|parcel]
        . my order number is {digits}
        . my [parcel|order] hasn't arrived
        """),
    "supply": (1.2, """
        + {count} [more|extra] {supply}
        + some [more|extra] {supply}
        + some [more|extra] {supply} for room {roomno}
        ! bring {count} {supply} to room {roomno}
        ! bring me some more {supply}
        . there are no {supply} in my room
        """),
    "fault": (1.2, """
        . {fault}
        . excuse me {fault}
        . i have a problem {fault}
        . {fault} in room {roomno}
        . hello {fault} can you send someone
        """),
    "cleaning": (0.6, """
        ! clean my room
        ! have my room cleaned at {time}
        . please don't clean my room today
        . i need my [shirt|suit|dress] [ironed|cleaned|washed]
        """),
    "luggage": (0.6, """
        ? can i leave my [bags|luggage|suitcase] here [until {time}|]
        ? where can i put my [bags|luggage]
        ! bring my [bags|luggage] to [my room|room {roomno}]
        """),
    "pets": (0.4, """
        ? are [dogs|pets|cats] allowed
        ? can i bring my [dog|cat]
        """),
    "call": (1.0, """
        ! [call|ring|phone] {name}
        ! call {name} {surname}
        ! send a message to {name}
        ! tell {name} [that i'm late|i'm on my way|dinner is ready|to call me|to come home]
        ! leave a message for {name}
        """),
    "human": (0.8, """
        . i'd like to [speak|talk] to [a person|a human|someone|the manager|reception]
        . can i [speak|talk] to [a real person|somebody|the manager|the boss]
        ! put me through to [reception|the manager|room {roomno}|the kitchen]
        ! get me a human
        """),
    "name": (1.0, """
        . my name is {name}
        . my name is {name} {surname}
        . i'm {name}
        . this is {name} [speaking|{surname}]
        . it's {name} [here|from room {roomno}]
        """),
    "ask_name": (0.5, """
        ? what's my name
        ? do you [know|remember] my name
        ? do you remember who i am
        """),
    "hello": (1.8, """
        . [hello|hi|hey|good morning|good afternoon|good evening]
        . [hello|hi|hey] there
        . [hello|hi|good morning] i have a question
        . [hello|hi] can you help me
        . hello is anybody there
        . [hello|hi] can you hear me
        . i need some help [please|]
        """),
    "how_are_you": (1.0, """
        ? how are you [today|doing|]
        ? how's it going
        ? are you [okay|well|happy|tired]
        . nice to meet you
        ? did you sleep well
        ? how was your day
        """),
    "who_are_you": (1.2, """
        ? who are you
        ? what are you
        ? what's your name
        ? are you [a robot|a human|a computer|real|a person]
        ? how old are you
        ? where are you [from|]
        ? who [made|built] you
        """),
    "abilities": (1.0, """
        ? what can you do
        ? how can you help me
        ? what can i ask you
        ? can you help me
        ? what do you know
        """),
    "thanks": (1.6, """
        . [thank you|thanks] [very much|so much|a lot|]
        . [great|perfect|okay|lovely|wonderful] [thanks|thank you]
        . that's [great|perfect|all|fine|very kind|wonderful]
        . you're [great|very helpful|the best|very kind]
        . that was [quick|helpful]
        """),
    "joke": (0.8, """
        ! tell me a joke
        ! make me laugh
        ? do you know [any|a good] jokes
        . [another|one more] joke please
        """),
    "bye": (1.2, """
        . [goodbye|bye|bye bye|good night|see you later|see you tomorrow|see you]
        . [thanks|thank you|okay] [goodbye|bye]
        . i have to go now [bye|]
        . that's all for [today|now] [thanks|goodbye|]
        . have a nice [day|evening|weekend]
        """),
    "repeat": (1.0, """
        ? [could|can] you [repeat|say] that again
        ! say that again
        ! repeat that
        . pardon
        . sorry what did you say
        . i didn't [hear|understand|catch] that
        . what was that
        . come again
        """),
    "volume": (0.8, """
        ! [speak|talk] [louder|up|more quietly|slower|faster|more slowly]
        . [louder|quieter|slower] please
        . i can't hear you
        . you're too [loud|quiet|fast]
        . a little [louder|slower] please
        """),
    "stop": (1.0, """
        . [stop|be quiet|quiet please|shut up|stop talking|hold on|wait|wait a moment|one moment]
        . [never mind|forget it|cancel|cancel that|that's enough|enough]
        . stop it please
        . wait a [second|minute]
        """),
    "wrong": (0.8, """
        . that's [wrong|not right|not what i said|not what i meant]
        . no i said {time}
        . no i meant the {room}
        . no not {count} {count2}
        . you [misunderstood|didn't understand] me
        """),
    "feeling": (0.8, """
        . i'm [tired|bored|sad|happy|sick|stressed|lonely|in a hurry|late]
        . i had a [bad|long|great|hard] day
        . i can't sleep
        . it's my birthday [today|on the {monthday} of {month}|]
        """),
}  # fmt: skip

_SHORT_TEXT: Final = """
    . [yes|no|okay|sure|maybe|alright|exactly|correct|right|yeah|nope|of course|not yet|not really]
    . yes please
    . no thanks
    . no thank you
    . no that's all
    . yes that's right
    . yes that's fine
    . i don't know
    . {count} [people|persons|of us|]
    . for {count} [people|]
    . just [me|one|two|the two of us]
    . [at|around|about|for|maybe at] {time}
    . {time}
    . {day}
    . {day} at {time}
    . [in|for] {duration}
    . {duration}
    . {name}
    . {name} {surname}
    . under {surname} [please|]
    . in the name of {surname}
    . the {room}
    . in the {room}
    . to the {destination}
    . the {size} one
    . {size} [please|]
    . {pizza} [please|]
    . {genre}
    . [a|the] {food} [please|]
    . [a|the] {drink} [please|]
    . room {roomno}
    . number {digits}
    . for {nights} nights
    . from {weekday}
    . with milk please
    . without sugar
    . to take away
    . the {label} one
    . both of them
    . all of them
    . the first one
    . the last one
    . something else
    . nothing else
"""

_OUT_OF_DOMAIN_TEXT: Final = """
    ? [what's|how's|what is] the weather [like|] in {city} [today|tomorrow|]
    ? what's the weather [like|] [today|tomorrow|{day}]
    ? will it [rain|snow] [today|tomorrow|in {city}|on {weekday}|{day}]
    ? is it [raining|sunny|cold|snowing|warm|windy] in {city}
    ? do i need an umbrella in {city}
    ? how [hot|cold] [is it|will it be] in {city}
    ~ what the weather is like in {city}
    ? what's the temperature in {city}
    ? what's [in the news|new in the world|happening in {country}|on the news]
    ! tell me the [latest|] news [from {country}|]
    ? who won the [match|game|election|world cup|race] [yesterday|last night|in {country}|]
    ? did {team} win [yesterday|last night|the game|]
    ? what was the score of the {team} game
    ? when does {team} play [next|{day}]
    ? what's the [stock price|share price] of {company}
    ? should i [buy|sell] [shares in {company}|a house|a new {vehicle}]
    ? how is the stock market doing
    ? what should i take for {ailment}
    ? what can i do [about|against] {ailment}
    . i have {ailment} what should i do
    ? is {ailment} dangerous
    ? can i sue {legal}
    . i need legal advice about {legal}
    ? what does the law say about {legal}
    ? how do i get [to|from here to] {city}
    ? how far is it [to {city}|from {city} to {city2}]
    ? what's the [fastest|best] way to {city}
    ? how do you say [hello|thank you|good night|i love you|where is the station] in {language}
    ! translate [this|that|good morning|thank you|my letter] into {language}
    ? do you speak {language}
    ? what's {big} [times|plus|minus|divided by] {level}
    ? what is the square root of {big}
    ? how many [kilometres|pounds|metres|litres] are in a [mile|kilo|gallon|foot]
    ? who [was|is] {person}
    ? when was {person} born
    ? how old is {person}
    ? what is the capital of {country}
    ? how many people live in [{city}|{country}]
    ? what language do they speak in {country}
    ! explain {topic} [to me|]
    ! tell me [something|more|] about {topic}
    ? how does [a {vehicle}|{topic}] work
    ? why is the sky blue
    ? what's the [meaning of life|population of {country}|price of {company}]
    ? how [big|far away|old|tall] is {thing}
    ? how long does a {animal} live
    ? what does a {animal} eat
    ! write [a poem|an essay|a story|a song] about [{topic}|a {animal}|{city}]
    ! write [a letter|an email] to my [boss|bank|teacher|friend]
    ! [book|find] [me|] a flight to {city}
    ? how much is a flight to {city}
    ? what's a good [film|movie|book|series] [to watch|]
    ? who should i vote for
    ? do you believe in [god|ghosts|love]
    ? what will the lottery numbers be
    ! sing [me|] a song
    ! recommend [a film|a book|a restaurant in {city}|a hotel in {city}]
    ? what's the recipe for {food}
    ? how do i [cook|make] [a|] {food}
    ? how do i fix my {vehicle}
    ! help me with my [homework|computer|essay|taxes|maths]
    ? what's the exchange rate for [dollars|euros|pounds]
    ? is there life on mars
    ? which [programming language|phone|{vehicle}] is the best
    ! write a computer program for me
    ? can you drive my {vehicle}
    ? what does {language} sound like
    ? is there a lot of traffic [in {city}|today|to {city}]
    ? when does the next [train|bus|plane] to {city} leave
    ? what happened in nineteen {year}
"""


def parse_shapes(text: str) -> tuple[Shape, ...]:
    """Read one shape a line, its kind given by the first character."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return tuple(Shape(_SIGNS[line[0]], line[1:].strip()) for line in lines)


INTENTS: Final[Mapping[str, tuple[Shape, ...]]] = {
    name: parse_shapes(text) for name, (_, text) in _INTENT_TEXT.items()
}
WEIGHTS: Final[Mapping[str, float]] = {name: weight for name, (weight, _) in _INTENT_TEXT.items()}
SHORT_ANSWERS: Final = parse_shapes(_SHORT_TEXT)
OUT_OF_DOMAIN: Final = parse_shapes(_OUT_OF_DOMAIN_TEXT)
OUT_OF_DOMAIN_SHARE: Final = 0.11
SHORT_ANSWER_SHARE: Final = 0.08

_CHOICE: Final = re.compile(r"\[([^\[\]]*)\]")
_SLOT: Final = re.compile(r"\{([a-z]+)(\d?)\}")


def slot_value(slot: str, rng: random.Random) -> str:
    """Draw one value of a slot, in spoken normal form."""
    if slot == "year":
        return spoken_number(rng.randint(10, 99))
    if slot in COMPUTED_SLOTS:
        return COMPUTED_SLOTS[slot](rng)
    return rng.choice(SLOTS[slot])


def choose_branches(template: str, rng: random.Random) -> str:
    """Resolve every ``[a|b|]``, innermost first, leaving ``{slot}`` in place."""
    while match := _CHOICE.search(template):
        choice = rng.choice(match.group(1).split("|"))
        template = template[: match.start()] + choice + template[match.end() :]
    return " ".join(template.split())


def fill(template: str, rng: random.Random, given: Mapping[str, str] | None = None) -> Utterance:
    """Expand a template; ``given`` fixes slot values. The result's intent is empty."""
    slots: dict[str, str] = {}

    def replace(match: re.Match[str]) -> str:
        key = match.group(1) + match.group(2)
        if given is not None and key in given:
            slots[key] = given[key]
        elif key not in slots:
            value = slot_value(match.group(1), rng)
            # A second value of the same slot must differ, or "a tea and a tea" is drawn.
            while match.group(2) and value == slots.get(match.group(1)):
                value = slot_value(match.group(1), rng)
            slots[key] = value
        return slots[key]

    text = _SLOT.sub(replace, choose_branches(template, rng))
    return Utterance("", _tidy(text), slots)


_AN: Final = re.compile(r"\ba (?=(?!one\b|europe)[aeiou]|hour\b)")
#: "a soup" is fine in an order, "a water" too; these can't follow "a" at all.
_NO_ARTICLE: Final = frozenset(
    {"salmon", "porridge", "garlic bread", "water", "sparkling water", "still water", "milk"}
)
_NO_ARTICLE_RE: Final = re.compile(rf"\ban? (?=(?:{'|'.join(sorted(_NO_ARTICLE))})\b)")


def _tidy(text: str) -> str:
    """Repair articles and plurals that templates can't know."""
    text = _AN.sub("an ", _NO_ARTICLE_RE.sub("some ", text))
    text = text.replace("teas bags", "tea bags").replace("glasss", "glasses")
    return " ".join(text.split())


def _weighted(pairs: Sequence[tuple[str, int]], rng: random.Random) -> str:
    return rng.choices([text for text, _ in pairs], [weight for _, weight in pairs])[0]


def expand(
    intent: str, shape: Shape, rng: random.Random, given: Mapping[str, str] | None = None
) -> Utterance:
    """Expand one shape with its prefix and suffix."""
    body = fill(shape.template, rng, given)
    return Utterance(intent, wrap(shape.kind, body.text, rng), body.slots)


def wrap(kind: Kind, body: str, rng: random.Random) -> str:
    """Put the politeness of a kind of shape around its filled body."""
    before, after = _weighted(PREFIXES[kind], rng), _weighted(SUFFIXES[kind], rng)
    if "please" in before.split() or "please" in body.split():
        after = after.replace("please", "").strip()
    if before == "do you have" and after.startswith("thank"):
        after = ""
    return " ".join(f"{before} {body} {after}".split())


def intent_utterance(
    intent: str, rng: random.Random, given: Mapping[str, str] | None = None
) -> Utterance:
    """One utterance of a named intent."""
    return expand(intent, rng.choice(INTENTS[intent]), rng, given)


def user_utterance(rng: random.Random) -> Utterance:
    """One user utterance with its meaning, well spread over the intents."""
    pick = rng.random()
    if pick < OUT_OF_DOMAIN_SHARE:
        return expand("out_of_domain", rng.choice(OUT_OF_DOMAIN), rng)
    if pick < OUT_OF_DOMAIN_SHARE + SHORT_ANSWER_SHARE:
        return expand("short", rng.choice(SHORT_ANSWERS), rng)
    intent = rng.choices(tuple(WEIGHTS), tuple(WEIGHTS.values()))[0]
    return intent_utterance(intent, rng)


def user_sentence(rng: random.Random) -> str:
    """One user utterance in spoken normal form."""
    return user_utterance(rng).text


def _vocabulary() -> frozenset[str]:
    """Every word that :func:`user_sentence` can produce."""
    words: set[str] = set(_COMPUTED_WORDS) | {"an", "some"}
    for shapes in (*INTENTS.values(), SHORT_ANSWERS, OUT_OF_DOMAIN):
        for shape in shapes:
            # "{drink}s" is a word of its own for each drink, so it is expanded, not split.
            flat = re.sub(r"[\[\]|]", " ", shape.template)
            for match in re.finditer(r"\{([a-z]+)\d?\}([a-z]+)", flat):
                words.update(f"{v}{match.group(2)}".split()[-1] for v in SLOTS[match.group(1)])
            words.update(_SLOT.sub(" ", re.sub(r"\{[a-z]+\d?\}[a-z]+", " ", flat)).split())
    for values in SLOTS.values():
        words.update(word for value in values for word in value.split())
    for table in (PREFIXES, SUFFIXES):
        words.update(word for pairs in table.values() for text, _ in pairs for word in text.split())
    return frozenset(words - {"zeroth"})


VOCABULARY: Final[frozenset[str]] = _vocabulary()


if __name__ == "__main__":
    _rng = random.Random(0)
    print(f"{len(VOCABULARY)} words, {sum(len(s) for s in INTENTS.values())} in-domain shapes")
    for _ in range(40):
        print(user_sentence(_rng))
