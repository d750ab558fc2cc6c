"""Slot values of a conversation: how the user says or types them, how the assistant says them."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from domain import slot_value
from more_names import FIRST_NAMES, SURNAMES
from slots import phrases
from spoken_numbers import (
    MONTHS,
    WEEKDAYS,
    random_clock,
    random_duration,
    spoken_duration,
    spoken_number,
    spoken_time,
)


class Value(NamedTuple):
    """One slot value: the user's text, the assistant's words, and the plain datum."""

    text: str
    say: str
    data: int | str | None = None


#: More values than the recognizer knows, so that copying is learnt rather than a list.
EXTRA: Final[Mapping[str, Sequence[str]]] = {
    "name": phrases(
        "zoe, olga, hugo, felix, marta, stefan, bruno, elena, igor, jasmine, kofi, lena, milo,"
        "nora,"
        "omar, petra, quentin, rita, sven, tara, ursula, vera, wendy, xavier, yvonne, zack, abdul,"
        "adelaide, albert, alexander, alfred, amanda, angela, antonia, barbara, benedict, benjamin,"
        "bernard, beverly, bridget, camilla, caroline, catherine, cecilia, christopher, constance,"
        "cornelius, cynthia, deborah, dominic, dorothy, douglas, edmund, eleanor, elizabeth, emily,"
        "ernest, esther, eugene, evelyn, fiona, florence, francis, frederick, gabriel, geoffrey,"
        "gerald, gloria, gordon, harriet, harrison, herbert, howard, imogen, isabel, jennifer,"
        "jeremy, jessica, jonathan, josephine, joshua, katherine, kenneth, lawrence, leonard,"
        "louise,"
        "lydia, madeleine, malcolm, margaret, marianne, matilda, matthew, melanie, michael,"
        "mildred,"
        "miranda, montgomery, nicholas, norman, octavia, patricia, penelope, philip, raymond,"
        "rebecca, reginald, richard, roderick, rosemary, rupert, samantha, sebastian, stephanie,"
        "sylvia, terence, theodore, theresa, thomas, timothy, valentina, vanessa, veronica,"
        "vincent,"
        "virginia, vivian, walter, wilfred, winifred, zachary, agatha, beatrix, charles, charlie,"
        "bianca, cedric, dora, erik, flora, gwen, harold, irene, jack, kurt, lily, monica, nathan"
    ),
    "surname": phrases(
        "anderson, bennett, costa, dawson, eriksen, ferrari, gomez, harris, ibrahim, jensen,"
        "kowalski,"
        "armstrong, atkinson, bradley, brennan, buchanan, campbell, chamberlain, crawford,"
        "cunningham,"
        "davenport, donaldson, edwards, ellington, ferguson, fitzgerald, fletcher, gallagher,"
        "gardner,"
        "goldberg, gonzalez, goodman, griffin, hamilton, hastings, hawkins, hernandez, hoffmann,"
        "holloway, hutchinson, johansson, johnson, kensington, lancaster, livingston, lockwood,"
        "macdonald, marshall, mitchell, montague, newman, nicholson, patterson, pemberton,"
        "peterson,"
        "richardson, robinson, rosenberg, sanders, shepherd, simmons, spencer, stevenson, sullivan,"
        "underwood, wallace, watson, wellington, whitaker, williamson, winchester, yamamoto,"
        "zimmermann,"
        "lopez, meyer, nguyen, olsen, petrov, quinn, roberts, santos, thompson, ueda, vargas,"
        "wright"
    ),
    "label": phrases(
        "beans, lentils, sauna, muffins, fish, steak, barbecue, charger, plants, dinner, breakfast,"
        "call, phone, parking, medicine, homework, piano, chess, washing, dryer, sprinkler, pool,"
        "run, walk, study, porridge, quiche, broccoli, carrots, pie, ham, turkey, sausages, paint"
    ),
    "food": phrases(
        "vegetable curry, lentil soup, mushroom risotto, bacon roll, toast, egg salad,"
        "potato salad,"
        "spring roll, dumpling, kebab, fish pie, apple tart, lemon tart, banana split, scone,"
        "grilled cheese, veal cutlet, beef stew, chili, quiche, falafel wrap, beetroot salad"
    ),
    "drink": phrases(
        "ginger tea, mango juice, cherry juice, double espresso, macchiato, chai, root beer,"
        "tonic water, grape juice, carrot juice, camomile tea, glass of milk, bottle of water"
    ),
    "pizza": phrases("pineapple, bacon, broccoli, artichoke, pesto, beef, anchovy, tomato"),
    "grocery": phrases(
        "lettuce, peas, corn, beans, pears, plums, cherries, vinegar, mustard, ketchup,"
        "noodles, tofu,"
        "candles, matches, tissues, sponges, deodorant, steak, salmon, sausages, raisins, oats"
    ),
    "room": phrases(
        "cellar, pantry, workshop, conservatory, laundry room, gym, library, music room, stairwell,"
        "entrance, shed, terrace, loft, utility room, children's room, tv room"
    ),
    "appliance": phrases(
        "microwave, stereo, projector, humidifier, freezer, stove, grill, electric blanket, router,"
        "speaker, lawn mower, hot tub, mixer, iron"
    ),
    "genre": phrases(
        "techno, salsa, tango, swing, funk, house music, violin music, sea sounds, bird song,"
        "lullabies, marching music, film songs, harp music, choir music"
    ),
    "destination": phrases(
        "embassy, castle, ferry, football ground, park, main square, shopping centre, church,"
        "bridge,"
        "ice rink, court, school, business park, golf club, vineyard"
    ),
    "appointment": phrases(
        "pedicure, dance lesson, piano lesson, boat trip, fitting, dog walk, wine tasting,"
        "haircut and"
        "colour, swim, riding lesson, photo session"
    ),
    "chore": phrases(
        "defrost the chicken, ring my sister, change the sheets, order a cake, check the post,"
        "bring my umbrella, back up my files, feed the fish, pay the electricity bill, vote,"
        "close the windows, pack my bag, email my boss, cut the grass, return the books"
    ),
    "lost": phrases("diary, pen, earring, necklace, coat, tablet, book, belt, tie, mug"),
    "purchase": phrases("sofa, tent, guitar, mixer, curtains, rug, skirt, belt, clock, mirror"),
    "supply": phrases("forks, candles, toothpaste tubes, sheets, soaps, umbrellas, adapters"),
}
_MORE: Final = {"name": FIRST_NAMES, "surname": SURNAMES}
_CONSONANTS: Final = (
    "b|br|d|f|g|gr|h|j|k|l|m|n|p|r|s|st|t|tr|v|w|z|sh|th|ch|c|cl|fr|qu|x|y|gl|pr|dr|kr|ll|nn|rl|nd"
    "|mb|lv|".split("|")
)
_VOWELS: Final = "a e i o u a e i o ee ai oo ia ea y ie ou eo".split()
_ENDINGS: Final = (
    "n|l|s|ck|r|m|||rd|ne|tte|ry|na|lyn|la|th|nt|sson|ert|dra|wyn|line|bell|d|x|ko".split("|")
)
_CAPITALISED: Final = frozenset(
    {"name", "surname", "city", "country", "language", "weekday", "month", "person", "team"}
)
_NUMBER_SLOTS: Final = frozenset(
    {"count", "nights", "degrees", "percent", "level", "roomno", "big"}
)
_NUMBER_OF_WORDS: Final = {spoken_number(n): n for n in range(1000)}


def invented_name(rng: random.Random) -> str:
    """A name nobody has, so that names are copied letter by letter."""
    parts = [rng.choice(_CONSONANTS) + rng.choice(_VOWELS) for _ in range(rng.randint(1, 3))]
    return "".join(parts) + rng.choice(_ENDINGS)


def capitalise(text: str) -> str:
    """First letter upper case, the rest as it is."""
    return text[:1].upper() + text[1:]


def proper(text: str) -> str:
    """Every word capitalised except small ones: ``the king of spain -> the King of Spain``."""
    return " ".join(w if w in ("the", "of") else capitalise(w) for w in text.split())


def _days_proper(text: str) -> str:
    names = WEEKDAYS + MONTHS
    return " ".join(capitalise(w) if w in names else w for w in text.split())


def second_person(text: str) -> str:
    """``call my mother -> call your mother``."""
    return re.sub(r"\bmy\b", "your", text)


def with_an(text: str) -> str:
    """``a apple -> an apple``."""
    return re.sub(r"\ba (?=[aeio])", "an ", text)


def duration_words(seconds: int) -> str:
    """How the assistant says a duration in seconds."""
    return spoken_duration(seconds)


def _time_value(rng: random.Random, written: bool) -> Value:
    hour, minute = random_clock(rng)
    if not written:
        text = spoken_time(hour, minute, rng)
        return Value(text, text.replace(" p m", " p.m.").replace(" a m", " a.m."))
    shown = (hour - 1) % 12 + 1
    word = spoken_number(shown)
    if minute:
        tail = "oh five" if minute == 5 else spoken_number(minute)
        return Value(f"{shown}:{minute:02d}", f"{word} {tail}")
    half = "am" if hour < 12 else "pm"
    return rng.choice(
        (
            Value(f"{shown}", word),
            Value(f"{shown}:00", f"{word} o'clock"),
            Value(f"{shown} {half}", f"{word} {half[0]}.m."),
        )
    )


def _odd_duration(rng: random.Random) -> Value:
    """Lengths whose everyday wording isn't their plain wording."""
    count = rng.randint(1, 12)
    words = spoken_number(count)
    text, seconds = rng.choice(
        (
            (f"{words} and a half minutes", 60 * count + 30),
            (
                f"{words} minutes and a half" if count > 1 else "a minute and a half",
                60 * count + 30,
            ),
            (f"{words} and a half hours", 3600 * count + 1800),
            ("an hour and a half", 5400),
            ("half an hour", 1800),
            ("a quarter of an hour", 900),
            ("three quarters of an hour", 2700),
            ("an hour and a quarter", 4500),
            (f"{spoken_number(10 * count)} seconds", 10 * count),
            ("ninety seconds", 90),
            ("ninety minutes", 5400),
            ("an hour", 3600),
        )
    )
    return Value(text, duration_words(seconds), seconds)


def _duration_value(rng: random.Random, written: bool) -> Value:
    if not written and rng.random() < 0.22:
        return _odd_duration(rng)
    seconds = random_duration(rng)
    if not written:
        return Value(spoken_duration(seconds, rng), duration_words(seconds), seconds)
    hours, rest = divmod(seconds, 3600)
    minutes, secs = divmod(rest, 60)
    units = ((hours, "hour"), (minutes, "minute"), (secs, "second"))
    text = " ".join(f"{n} {unit}{'' if n == 1 else 's'}" for n, unit in units if n)
    if rng.random() < 0.15:
        text = text.replace("minutes", "min").replace("seconds", "sec")
    return Value(text, duration_words(seconds), seconds)


def _digits_value(rng: random.Random, written: bool) -> Value:
    digits = [rng.randint(0, 9) for _ in range(rng.randint(3, 6))]
    words = " ".join(spoken_number(d) for d in digits)
    if written:
        return Value("".join(map(str, digits)), words, "".join(map(str, digits)))
    text = words.replace("zero", "oh") if rng.random() < 0.3 else words
    return Value(text, words, "".join(map(str, digits)))


def draw_value(slot: str, rng: random.Random, written: bool) -> Value:
    """One value of a slot; ``written`` users type digits and capitals."""
    if slot == "time":
        return _time_value(rng, written)
    if slot == "duration":
        return _duration_value(rng, written)
    if slot == "length":  # a duration before a noun: "a ten minute timer"
        value = _duration_value(rng, written)
        return value._replace(text=re.sub(r"(hour|minute|second)s\b", r"\1", value.text))
    if slot == "digits":
        return _digits_value(rng, written)
    if slot in ("name", "surname") and rng.random() < 0.3:
        text = invented_name(rng)
    elif slot in _MORE and rng.random() < 0.6:
        text = rng.choice(_MORE[slot])
    elif slot in EXTRA and rng.random() < (0.6 if "name" in slot else 0.25):
        text = rng.choice(EXTRA[slot])
    else:
        text = slot_value(slot, rng)
    if slot in _NUMBER_SLOTS:
        number = _NUMBER_OF_WORDS[text]
        return Value(str(number) if written else text, text, number)
    if slot in _CAPITALISED:
        return Value(proper(text) if written else text, proper(text))
    if slot in ("day", "monthday"):
        return Value(_days_proper(text) if written else text, _days_proper(text))
    return Value(text, second_person(text) if slot == "chore" else text)
