"""What may stand in a template's ``{slot}``: names of things, numbers, times.

All of it is written for voicepipe, in spoken normal form (see :mod:`domain`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from spoken_numbers import (
    MONTHS,
    ORDINALS,
    TENS,
    UNITS,
    WEEKDAYS,
    random_clock,
    random_duration,
    spoken_duration,
    spoken_number,
    spoken_ordinal,
    spoken_time,
)


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
    "fish and chips,"
    "pancake, waffle, croissant, muffin, bagel, brownie, cookie, cheesecake, apple pie,"
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
    "fan, oven, dishwasher, washing machine, kettle, coffee machine, heater,"
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
    return " ".join("oh" if d == 0 and rng.random() < 0.3 else UNITS[d] for d in digits)


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
COMPUTED_WORDS: Final = frozenset(
    {*UNITS, *TENS, *ORDINALS[1:], "thirtieth", "hundred", "and", "oh", "o'clock", "past", "to"}
    | {"half", "quarter", "quarters", "of", "a", "an", "m", "p", "noon", "midnight", "in", "the"}
    | {"morning", "afternoon", "evening", "hour", "hours", "minute", "minutes", "second", "seconds"}
    | {"couple"}
)
