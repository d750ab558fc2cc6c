"""Templated conversations that the built-in chat model is trained on.

Built on :mod:`domain`: its shapes give the user's words, the tables here give the assistant's.
A conversation is a list of OpenAI chat messages (one to four user turns) and the names of the
tools that the assistant may call. Everything is drawn from one ``random.Random``.

Answer templates: ``{slot}`` is the slot's value as the assistant says it, ``<...>`` is left out
when a slot inside it has no value, ``[a|b]`` is one of the alternatives.
"""

from __future__ import annotations

import datetime as dt
import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import domain
from domain import Kind, Shape

Message = dict[str, Any]

DEFAULT_SYSTEM: Final = (
    "You are a helpful desk and home assistant. Answer in one to three short sentences."
)
TOOLS: Final = ("get_time", "set_timer", "cancel_timer", "list_timers")

# --------------------------------------------------------------------------------------------
# Slot values: how they are typed or spoken by the user, how the assistant says them
# --------------------------------------------------------------------------------------------


class Value(NamedTuple):
    """One slot value: the user's text, the assistant's words, and the plain datum."""

    text: str
    say: str
    data: int | str | None = None


#: More values than the recognizer knows, so that copying is learnt rather than a list.
EXTRA: Final[Mapping[str, Sequence[str]]] = {
    "name": domain.phrases(
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
    "surname": domain.phrases(
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
    "label": domain.phrases(
        "beans, lentils, sauna, muffins, fish, steak, barbecue, charger, plants, dinner, breakfast,"
        "call, phone, parking, medicine, homework, piano, chess, washing, dryer, sprinkler, pool,"
        "run, walk, study, porridge, quiche, broccoli, carrots, pie, ham, turkey, sausages, paint"
    ),
    "food": domain.phrases(
        "vegetable curry, lentil soup, mushroom risotto, bacon roll, toast, egg salad,"
        "potato salad,"
        "spring roll, dumpling, kebab, fish pie, apple tart, lemon tart, banana split, scone,"
        "grilled cheese, veal cutlet, beef stew, chili, quiche, falafel wrap, beetroot salad"
    ),
    "drink": domain.phrases(
        "ginger tea, mango juice, cherry juice, double espresso, macchiato, chai, root beer,"
        "tonic water, grape juice, carrot juice, camomile tea, glass of milk, bottle of water"
    ),
    "pizza": domain.phrases("pineapple, bacon, broccoli, artichoke, pesto, beef, anchovy, tomato"),
    "grocery": domain.phrases(
        "lettuce, peas, corn, beans, pears, plums, cherries, vinegar, mustard, ketchup,"
        "noodles, tofu,"
        "candles, matches, tissues, sponges, deodorant, steak, salmon, sausages, raisins, oats"
    ),
    "room": domain.phrases(
        "cellar, pantry, workshop, conservatory, laundry room, gym, library, music room, stairwell,"
        "entrance, shed, terrace, loft, utility room, children's room, tv room"
    ),
    "appliance": domain.phrases(
        "microwave, stereo, projector, humidifier, freezer, stove, grill, electric blanket, router,"
        "speaker, lawn mower, hot tub, mixer, iron"
    ),
    "genre": domain.phrases(
        "techno, salsa, tango, swing, funk, house music, violin music, sea sounds, bird song,"
        "lullabies, marching music, film songs, harp music, choir music"
    ),
    "destination": domain.phrases(
        "embassy, castle, ferry, football ground, park, main square, shopping centre, church,"
        "bridge,"
        "ice rink, court, school, business park, golf club, vineyard"
    ),
    "appointment": domain.phrases(
        "pedicure, dance lesson, piano lesson, boat trip, fitting, dog walk, wine tasting,"
        "haircut and"
        "colour, swim, riding lesson, photo session"
    ),
    "chore": domain.phrases(
        "defrost the chicken, ring my sister, change the sheets, order a cake, check the post,"
        "bring my umbrella, back up my files, feed the fish, pay the electricity bill, vote,"
        "close the windows, pack my bag, email my boss, cut the grass, return the books"
    ),
    "lost": domain.phrases("diary, pen, earring, necklace, coat, tablet, book, belt, tie, mug"),
    "purchase": domain.phrases(
        "sofa, tent, guitar, mixer, curtains, rug, skirt, belt, clock, mirror"
    ),
    "supply": domain.phrases(
        "forks, candles, toothpaste tubes, sheets, soaps, umbrellas, adapters"
    ),
}
_CONSONANTS: Final = ("b", "br", "d", "f", "g", "gr", "h", "j", "k", "l", "m", "n", "p", "r", "s",
                      "st", "t", "tr", "v", "w", "z", "sh", "th", "ch")  # fmt: skip
_VOWELS: Final = ("a", "e", "i", "o", "u", "ee", "ai", "oo")
_CAPITALISED: Final = frozenset(
    {"name", "surname", "city", "country", "language", "weekday", "month", "person", "team"}
)
_NUMBER_SLOTS: Final = frozenset(
    {"count", "nights", "degrees", "percent", "level", "roomno", "big"}
)
_NUMBER_OF_WORDS: Final = {domain.spoken_number(n): n for n in range(1000)}


def invented_name(rng: random.Random) -> str:
    """A name nobody has, so that names are copied letter by letter."""
    parts = [rng.choice(_CONSONANTS) + rng.choice(_VOWELS) for _ in range(rng.randint(1, 3))]
    return "".join(parts) + rng.choice(("n", "l", "s", "ck", "r", "m", "", "rd"))


def capitalise(text: str) -> str:
    """First letter upper case, the rest as it is."""
    return text[:1].upper() + text[1:]


def proper(text: str) -> str:
    """Every word capitalised except small ones: ``the king of spain -> the King of Spain``."""
    return " ".join(w if w in ("the", "of") else capitalise(w) for w in text.split())


def _days_proper(text: str) -> str:
    names = domain.WEEKDAYS + domain.MONTHS
    return " ".join(capitalise(w) if w in names else w for w in text.split())


def second_person(text: str) -> str:
    """``call my mother -> call your mother``."""
    return re.sub(r"\bmy\b", "your", text)


def duration_words(seconds: int) -> str:
    """How the assistant says a duration in seconds."""
    return domain.spoken_duration(seconds)


def _time_value(rng: random.Random, written: bool) -> Value:
    hour, minute = domain.random_clock(rng)
    if not written:
        text = domain.spoken_time(hour, minute, rng)
        return Value(text, text.replace(" p m", " p.m.").replace(" a m", " a.m."))
    shown = (hour - 1) % 12 + 1
    word = domain.spoken_number(shown)
    if minute:
        tail = "oh five" if minute == 5 else domain.spoken_number(minute)
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
    words = domain.spoken_number(count)
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
            (f"{domain.spoken_number(10 * count)} seconds", 10 * count),
            ("ninety seconds", 90),
            ("ninety minutes", 5400),
            ("an hour", 3600),
        )
    )
    return Value(text, duration_words(seconds), seconds)


def _duration_value(rng: random.Random, written: bool) -> Value:
    if not written and rng.random() < 0.15:
        return _odd_duration(rng)
    seconds = domain.random_duration(rng)
    if not written:
        return Value(domain.spoken_duration(seconds, rng), duration_words(seconds), seconds)
    hours, rest = divmod(seconds, 3600)
    minutes, secs = divmod(rest, 60)
    units = ((hours, "hour"), (minutes, "minute"), (secs, "second"))
    text = " ".join(f"{n} {unit}{'' if n == 1 else 's'}" for n, unit in units if n)
    if rng.random() < 0.15:
        text = text.replace("minutes", "min").replace("seconds", "sec")
    return Value(text, duration_words(seconds), seconds)


def _digits_value(rng: random.Random, written: bool) -> Value:
    digits = [rng.randint(0, 9) for _ in range(rng.randint(3, 6))]
    words = " ".join(domain.spoken_number(d) for d in digits)
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
    if slot in ("name", "surname") and rng.random() < 0.4:
        text = invented_name(rng)
    elif slot in EXTRA and rng.random() < (0.6 if "name" in slot else 0.25):
        text = rng.choice(EXTRA[slot])
    else:
        text = domain.slot_value(slot, rng)
    if slot in _NUMBER_SLOTS:
        number = _NUMBER_OF_WORDS[text]
        return Value(str(number) if written else text, text, number)
    if slot in _CAPITALISED:
        return Value(proper(text) if written else text, proper(text))
    if slot in ("day", "monthday"):
        return Value(_days_proper(text) if written else text, _days_proper(text))
    return Value(text, second_person(text) if slot == "chore" else text)


# --------------------------------------------------------------------------------------------
# A user's turn
# --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Request:
    """A user turn with its meaning. ``flat`` is the chosen shape with its slots unfilled."""

    intent: str
    text: str
    flat: str
    values: dict[str, Value] = field(default_factory=dict)

    def say(self, template: str) -> str:
        """Fill a template with the slot values as the assistant says them."""
        return domain.fill(template, random.Random(0), self.said()).text

    def said(self) -> dict[str, str]:
        """All slot values as the assistant says them."""
        return {key: value.say for key, value in self.values.items()}


_SLOT: Final = re.compile(r"\{([a-z]+)(\d?)\}")
_SMALL_WORDS: Final = frozenset(
    "a the to for at in on of please i me my is and can you could do it up some".split()
)


def make_request(
    intent: str, shape: Shape, rng: random.Random, written: bool | None = None
) -> Request:
    """Expand a shape into a user turn, spoken (70 %) or typed (30 %)."""
    if written is None:
        written = rng.random() < 0.3
    flat = domain.choose_branches(shape.template, rng)
    values: dict[str, Value] = {}
    for slot, index in _SLOT.findall(flat):
        taken = {value.say for key, value in values.items() if key.startswith(slot)}
        while (value := draw_value(slot, rng, written)).say in taken:
            pass
        values[slot + index] = value
    body = domain.fill(flat, rng, {key: value.text for key, value in values.items()}).text
    text = wrap(shape.kind, body, rng)
    text = typed(text, shape.kind, rng) if written else misheard(text, rng)
    return Request(intent, text, flat, values)


#: Politeness and hesitation that the recognizer was not trained on.
MORE_PREFIXES: Final[Mapping[Kind, Sequence[str]]] = {
    Kind.PLAIN: domain.phrases("um, uh, oh, well, okay so, hi, hello there, so, yes, alright, hey"),
    Kind.QUESTION: domain.phrases(
        "quick question, hi there, oh, listen, i wanted to ask, one question, i have a question,"
        "uh, now, okay so, hello there, may i ask, sorry to bother you, tell me please, wait"
    ),
    Kind.INDIRECT: domain.phrases(
        "would you know, i wonder, i'd love to know, are you able to tell me, i want to know,"
        "could you please tell me, hey can you tell me, let me know, quick question do you know"
    ),
    Kind.REQUEST: domain.phrases(
        "please could you, hey assistant, can you quickly, would it be possible to, um can you,"
        "i would like you to, it would be nice if you could, would you kindly, oh and, then,"
        "could somebody, be so kind and, why don't you, i'd love you to, uh please, quickly"
    ),
    Kind.WISH: domain.phrases(
        "we'll take, i'll take, can i just have, let me have, i'd love, we would like, give me,"
        "could we get, could we order, can i order, hello can we get, we want, um i'd like,"
        "i think i'll have, please could i have, i would love, we will have, may we have"
    ),
}
_THANKS: Final = domain.phrases(
    "if possible, if you don't mind, thanks a lot, would be great, when you can, would you,"
    "would you please, if that's okay, thank you very much, if you would, right away, as well,"
    "would be nice, and thanks, as soon as possible, please and thank you"
)
_REASONS: Final = domain.phrases(
    "i'm in a hurry, we are leaving, it's late, i'm on the phone, i'm very tired, my hands are full"
    ",the children are asleep, it's for a friend, before we go, we have guests, i'm busy,"
    "it's for my wife, i have to go soon, it's morning already, that's what i need, by the way"
)
_AT_PRESENT: Final = domain.phrases(
    "at the moment, right now, these days, here, please, then, by now, exactly, again, by the way,"
    "i forgot, i have no idea, just curious, i can't remember, in here, if i may ask"
)
MORE_SUFFIXES: Final[Mapping[Kind, Sequence[str]]] = {
    Kind.PLAIN: ("please", "thanks", "by the way", "now", *_REASONS),
    Kind.QUESTION: _AT_PRESENT,
    Kind.INDIRECT: _AT_PRESENT,
    Kind.REQUEST: (*_THANKS, *_REASONS),
    Kind.WISH: (*_THANKS, *_REASONS),
}


def wrap(kind: Kind, body: str, rng: random.Random) -> str:
    """Politeness as in :func:`domain.wrap`, in one turn of four with wordings of our own."""
    if rng.random() > 0.25:
        return domain.wrap(kind, body, rng)
    before = rng.choice(MORE_PREFIXES[kind]) if rng.random() < 0.75 else ""
    after = rng.choice(MORE_SUFFIXES[kind]) if rng.random() < 0.4 else ""
    return " ".join(f"{before} {body} {after}".split())


def typed(text: str, kind: Kind, rng: random.Random) -> str:
    """Give a user's text the case and punctuation of typed or well recognized text."""
    text = re.sub(r"\bi(?='|\b)", "I", text)
    asks = re.match(
        r"(hey |hi |hello |so |and |excuse me )?"
        r"(can|could|would|will|do|does|is|are|what|when|where|who|how|which|why|may|did|has|any)\b",
        text,
    )
    end = "?" if asks or kind is Kind.QUESTION else "."
    if rng.random() < 0.2:
        end = ""
    text = re.sub(r"^(hey|hi|hello|excuse me|sorry|okay|please) (?=\w)", r"\1, ", text)
    text = text.replace("please, ", "please ")
    return capitalise(text) + end


def misheard(text: str, rng: random.Random) -> str:
    """In one text of ten, lose or swap a small word as a recognizer might."""
    words = text.split()
    small = [i for i, word in enumerate(words) if word in _SMALL_WORDS]
    if len(words) < 4 or not small or rng.random() > 0.12:
        return text
    index = rng.choice(small)
    if rng.random() < 0.6:
        del words[index]
    else:
        words[index] = rng.choice(sorted(_SMALL_WORDS))
    return " ".join(words)


def request(intent: str, rng: random.Random) -> Request:
    """One user turn of an intent, out-of-domain and short answers included."""
    if intent == "out_of_domain":
        shapes: Sequence[Shape] = domain.OUT_OF_DOMAIN if rng.random() < 0.5 else MORE_UNKNOWN
    elif intent == "short":
        shapes = domain.SHORT_ANSWERS
    else:
        shapes = domain.INTENTS[intent]
        if intent in MORE_SHAPES and rng.random() < 0.5:
            shapes = MORE_SHAPES[intent]
    return make_request(intent, rng.choice(shapes), rng)


# --------------------------------------------------------------------------------------------
# Answers
# --------------------------------------------------------------------------------------------

_OPTIONAL: Final = re.compile(r"<([^<>]*)>")


def render_answer(template: str, values: Mapping[str, str], rng: random.Random) -> str:
    """Fill an answer template and give it proper case."""

    def optional(match: re.Match[str]) -> str:
        inner = match.group(1)
        return inner if all(s + i in values for s, i in _SLOT.findall(inner)) else ""

    # Spaces inside <...> matter ("set< for tea>"), so nothing is stripped before the fill.
    template = _OPTIONAL.sub(optional, template)
    if missing := [s + i for s, i in _SLOT.findall(template) if s + i not in values]:
        raise KeyError(f"answer {template!r} lacks {missing}")
    text = domain.fill(template, rng, values).text
    text = re.sub(r"\s+([.,?!])", r"\1", text).replace(".m..", ".m.")
    return re.sub(r"(^|(?<!\.m)[.?!] )([a-z])", lambda m: m.group(1) + m.group(2).upper(), text)


Rules = Sequence[tuple[str, str]]

#: intent -> (pattern searched in the unfilled shape, answer); the first match wins.
ANSWERS: Final[Mapping[str, Rules]] = {
    "alarm": (("", "Okay, your alarm is set for {time}< {day}>."),),
    "alarm_off": (("", "Okay, your alarm is off."),),
    "remind": (("", "Okay, I'll remind you to {chore}< {day}>< at {time}>."),),
    "light_on": (
        ("dark|light in the", "Okay, the {room} {light} {be} on."),
        ("", "Okay, the {room} {light} {be} on."),
    ),
    "light_off": (("", "Okay, the {room} {light} {be} off."),),
    "light_all": (("", "Okay, all the lights are off."),),
    "light_dim": (
        ("percent", "Okay, the {room} {light} {be} at {percent} percent."),
        ("brighter", "Okay, the {room} is brighter now."),
        ("darker", "Okay, the {room} is darker now."),
        ("", "Okay, I've dimmed the {room} {light}."),
    ),
    "light_colour": (("", "Okay, the {room} {light} {be} {colour} now."),),
    "heating_set": (
        (r"\{room\}", "Okay, the {room} is set to {degrees} degrees."),
        ("", "Okay, the heating is set to {degrees} degrees."),
    ),
    "heating_change": (
        ("heating off|heating in .* off", "Okay, the heating is off< in the {room}>."),
        ("heating on|heating in .* on", "Okay, the heating is on< in the {room}>."),
        ("hot|too warm|down|cooler|colder", "Okay, I've turned the heating down< in the {room}>."),
        ("", "Okay, I've turned the heating up< in the {room}>."),
    ),
    "music_play": (
        (r"\{name\}", "Okay, playing {name} {surname}."),
        ("", "Okay, playing {genre}< in the {room}>."),
    ),
    "music_control": (
        ("what song", "I'm sorry, I don't know the name of this song."),
        ("volume to", "Okay, the volume is at {level}."),
        ("pause", "Okay, the music is paused."),
        ("stop|music off", "Okay, the music is off."),
        ("next|skip", "Okay, here is the next song."),
        ("repeat|again", "Okay, playing it again."),
        ("up", "Okay, I've turned the volume up."),
        ("", "Okay, I've turned the volume down."),
    ),
    "lock": (
        ("forgot", "Don't worry, I've locked the {door}."),
        ("unlock", "Okay, the {door} is unlocked."),
        ("lock", "Okay, the {door} is locked."),
        ("open", "Okay, the {door} is open."),
        ("", "Okay, the {door} is closed."),
    ),
    "lock_state": (("", "I can't see that from here, but I can lock the {door} for you."),),
    "cover": (
        ("half", "Okay, the {cover} in the {room} are half open."),
        ("open|up|raise", "Okay, the {cover} in the {room} are open."),
        ("", "Okay, the {cover} in the {room} are closed."),
    ),
    "appliance": (
        ("still", "I can't see that from here, but I can turn the {appliance} off for you."),
        (r"\boff\b|stop", "Okay, the {appliance}< in the {room}> is off."),
        ("", "Okay, the {appliance}< in the {room}> is on."),
    ),
    "change_booking": (
        ("cancel the booking for", "Okay, the booking for {surname} is cancelled."),
        ("people instead", "Okay, I've changed it to {count} people."),
        ("late", "No problem, we'll wait for you."),
        ("to {", "Okay, I've moved your {what} to {when}."),
        ("cancel", "Okay, your {what}< {day}> is cancelled."),
        ("", "Of course. What would you like to change?"),
    ),
    "diet": (
        ("vegetarian|vegan", "Yes, the tomato soup and the fruit salad are vegan."),
        ("without nuts|without gluten|without milk|anything", "Yes, I'll ask the kitchen for you."),
        ("allergic to nuts", "Thank you for telling me. We'll leave out the nuts."),
        ("allergic to milk", "Thank you for telling me. We'll leave out the milk."),
        ("allergic to eggs", "Thank you for telling me. We'll leave out the eggs."),
        ("allergic to fish", "Thank you for telling me. We'll leave out the fish."),
        ("eat meat", "Okay, no meat for you."),
        ("eat fish", "Okay, no fish for you."),
        ("eat cheese", "Okay, no cheese for you."),
        ("", "I'm not sure about the {food}. I'll ask the kitchen for you."),
    ),
    "price": (
        ("double", "A double room is ninety euros a night."),
        ("single|room", "A single room is seventy euros a night."),
        ("breakfast", "Breakfast is twelve euros."),
        ("parking", "Parking is ten euros a day."),
        ("taxi", "A taxi to the {destination} is about thirty euros."),
        (r"\{food\}", "The {food} is nine euros."),
        ("", "The {drink} is three euros."),
    ),
    "wifi": (
        ("isn't|doesn't|won't|is not|keeps", "I'm sorry about that. Please restart your device."),
        ("name of", "The network is called Guest."),
        ("do you have", "Yes, it's free. The network is called Guest."),
        ("", "The network is called Guest and the password is sunflower."),
    ),
    "parking": (
        ("space", "Okay, a parking space is reserved for you {day}."),
        ("how much|free here|the parking free", "Parking is ten euros a day."),
        ("^can i leave", "Yes, you can leave your car behind the building."),
        ("", "You can park behind the building. It's ten euros a day."),
    ),
    "breakfast": (
        (r"\{time\}", "Okay, breakfast in your room at {time}."),
        ("included", "Yes, breakfast is included."),
        ("in my room", "Yes, we can bring breakfast to your room."),
        ("for breakfast", "There is bread, fruit, eggs and coffee."),
        ("where", "Breakfast is in the breakfast room on the ground floor."),
        ("", "Breakfast is from seven to ten in the breakfast room."),
    ),
    "checkout": (
        ("in at", "Yes, you can check in at {time}."),
        ("out at", "Yes, you can check out at {time}."),
        ("late", "Yes, you can check out at two o'clock."),
        ("early", "Yes, you can check in at noon."),
        ("like to check out|leave my room", "Of course. Please leave your key at reception."),
        ("like to check in", "Welcome! Your room is ready."),
        ("is check in|from when", "Check in is from three o'clock."),
        ("", "Check out is until eleven o'clock."),
    ),
    "lost": (
        ("locked", "I'm sorry. I'll send someone with a spare key."),
        ("stolen", "I'm sorry to hear that. Please come to reception and we'll call the police."),
        ("found|hand in|seen", "I'm not sure. I'll ask the staff to look for your {lost}."),
        ("", "I'm sorry to hear that. I'll ask the staff to look for your {lost}."),
    ),
    "invoice": (
        ("mistake", "I'm sorry about that. I'll have your bill checked."),
        (r"\{roomno\}", "Of course. I'll send you the invoice for room {roomno}."),
        ("on my room", "Okay, I'll put it on your room."),
        ("receipt", "Of course. I'll send you the receipt by email."),
        ("bill", "Of course. I'll get your bill ready."),
        ("", "Of course. I'll send you the invoice by email."),
    ),
    "payment": (
        ("separately", "Yes, you can pay separately."),
        ("later", "Yes, you can pay later."),
        ("like to", "Of course. Would you like to pay by card or in cash?"),
        ("", "Yes, you can pay by card, in cash or with your phone."),
    ),
    "returns": (
        ("policy|something|my order", "You can return anything within thirty days."),
        (
            r"\{purchase\}",
            "You can return your {purchase} within thirty days. What's your order number?",
        ),
        ("", "Of course. What's your order number?"),
    ),
    "delivery": (
        (r"\{digits\}", "Thank you. Order {digits} is on its way and should arrive tomorrow."),
        ("", "I'll check that for you. What's your order number?"),
    ),
    "supply": (
        ("no {", "I'm sorry. I'll bring some {supply} to your room."),
        (r"\{count\}", "Of course. I'll bring {count} {supply} to {to}."),
        ("", "Of course. I'll bring some {supply} to {to}."),
    ),
    "fault": (("", "I'm sorry about that. I'll send someone to {to}."),),
    "cleaning": (
        (r"\{time\}", "Okay, we'll clean your room at {time}."),
        ("don't", "Okay, we won't clean your room today."),
        ("clean my", "Okay, we'll clean your room."),
        ("shirt", "Of course. We'll collect your shirt from your room."),
        ("suit", "Of course. We'll collect your suit from your room."),
        ("", "Of course. We'll collect your dress from your room."),
    ),
    "luggage": (
        ("room", "Of course. We'll bring your bags to {to}."),
        ("", "Yes, you can leave your bags at reception< until {time}>."),
    ),
    "pets": (("", "Yes, pets are welcome here."),),
    "call": (
        ("message|tell", "Okay, I'll send {name} your message."),
        ("", "Okay, calling {name}< {surname}>."),
    ),
    "human": (
        ("manager|boss", "Of course. I'll put you through to the manager."),
        ("reception", "Of course. I'll put you through to reception."),
        ("kitchen", "Of course. I'll put you through to the kitchen."),
        (r"\{roomno\}", "Of course. I'll put you through to room {roomno}."),
        ("", "Of course. I'll put you through to a colleague."),
    ),
    "hello": (
        ("hear me|anybody", "Hello! Yes, I can hear you. How can I help you?"),
        ("good morning", "Good morning! How can I help you?"),
        ("good afternoon", "Good afternoon! How can I help you?"),
        ("good evening", "Good evening! How can I help you?"),
        ("", "Hello! How can I help you?"),
    ),
    "how_are_you": (
        ("meet", "Nice to meet you too."),
        ("", "I'm fine, thank you. How can I help you?"),
    ),
    "who_are_you": (
        ("old|where|made|built", "I'm a computer program that runs right here."),
        ("", "I'm your desk and home assistant, a small computer program."),
    ),
    "abilities": (
        ("", "I can tell the time, set timers, control your home, book tables and take orders."),
    ),
    "thanks": (("", "You're welcome."),),
    "bye": (("night", "Good night!"), ("", "Goodbye! Have a nice day.")),
    "volume": (
        ("louder|up|hear|quiet$", "Okay, I'll speak louder."),
        ("quiet", "Okay, I'll speak more quietly."),
        ("slow|fast$", "Okay, I'll speak more slowly."),
        ("loud", "Okay, I'll speak more quietly."),
        ("", "Okay, I'll speak faster."),
    ),
    "stop": (
        ("quiet|stop|shut", "Okay."),
        ("wait|moment|hold|second|minute", "Okay, take your time."),
        ("never|forget|cancel", "Okay, never mind."),
        ("", "Okay."),
    ),
    "wrong": (
        (r"\{time\}", "I'm sorry. I've changed it to {time}."),
        (r"\{room\}", "I'm sorry. I've changed it to the {room}."),
        (r"\{count2\}", "I'm sorry. I've changed it to {count2}."),
        ("", "I'm sorry. Please say it again."),
    ),
    "feeling": (
        ("birthday", "Happy birthday!"),
        ("happy|great", "That's good to hear."),
        ("hurry|late", "I'll be quick. What do you need?"),
        ("", "I'm sorry to hear that. Shall I play some relaxing music?"),
    ),
}

#: Opening hours and places of the house, so that the same question gets the same answer.
HOURS: Final[Mapping[str, tuple[str, str]]] = {
    "restaurant": ("noon", "ten in the evening"),
    "bar": ("five in the afternoon", "midnight"),
    "gym": ("six in the morning", "ten in the evening"),
    "pool": ("seven in the morning", "nine in the evening"),
    "spa": ("ten in the morning", "eight in the evening"),
    "sauna": ("ten in the morning", "eight in the evening"),
    "shop": ("nine in the morning", "six in the evening"),
    "kitchen": ("noon", "nine in the evening"),
    "cafe": ("eight in the morning", "six in the evening"),
    "library": ("nine in the morning", "six in the evening"),
    "breakfast room": ("seven", "ten in the morning"),
    "roof terrace": ("noon", "midnight"),
}
FLOORS: Final[Mapping[str, str]] = {
    "gym": "on the third floor",
    "pool": "in the basement",
    "spa": "in the basement",
    "sauna": "in the basement",
    "meeting rooms": "on the first floor",
    "conference room": "on the first floor",
    "laundry room": "in the basement",
    "ice machine": "on the second floor",
    "bus stop": "across the street",
    "car park": "behind the building",
    "exit": "next to reception",
    "cash machine": "next to reception",
    "toilets": "next to the lift",
    "stairs": "next to the lift",
    "bathroom": "next to the lift",
}
JOKES: Final = (
    "Why did the clock go to school? It wanted to be on time.",
    "What do you call a sleeping pizza? A pizza that needs a timer.",
)
UNKNOWN_SUBJECTS: Final[Rules] = (
    (
        "weather|rain|snow|sunny|umbrella|how (hot|cold)|temperature|forecast|storm",
        "with the weather",
    ),
    (r"\bnews\b|happening|new in the world|headline", "with the news"),
    ("won|team|score|game|match|football", "with sports results"),
    ("stock|share|invest|exchange rate|bitcoin", "with money questions"),
    ("ailment|medicine|doctor|hurts|symptom|pill", "with medical questions. Please ask a doctor"),
    ("legal|law|sue|lawyer", "with legal questions. Please ask a lawyer"),
    ("translate|how do you say|speak", "with translations"),
    ("times|plus|minus|divided|square root|how many (kilo|pou|met|lit)", "with maths"),
)

_MORE_UNKNOWN_TEXT: Final = """
    ? what's the forecast for [tomorrow|{weekday}|the weekend|{city}]
    ? will there be a storm {day}
    ? is it going to be [sunny|cloudy|windy|foggy|icy] {day}
    ? what are the headlines [today|]
    ? did anything happen in {country} [today|]
    ? who is playing [football|tennis|cricket|basketball] tonight
    ? how many goals did {team} score
    ? who won the {city} marathon
    ? is it a good time to invest in {company}
    ? how much is one euro in [dollars|pounds|yen]
    ? how many pills should i take for {ailment}
    . my [knee|back|head|stomach|foot|tooth|ear|chest] hurts what [should i do|helps|can i do]
    . my [arm|neck|eyes|throat|leg|hand|belly] [hurts|hurt] which [pill|medicine] can i take
    . i feel [ill|dizzy|feverish|a pain in my arm] [what should i take|is it serious|]
    ? which medicine is good for {ailment}
    ? do i need a lawyer for {legal}
    . my [boss|landlord|neighbour|bank|brother] wants to [sue me|fire me|raise the rent]
    . my [boss|landlord|neighbour|bank|brother] [hates me|lied to me|owes me money] what can i do
    . [the bank|my landlord|my boss|the school] wants me to [leave|pay|move out] what are my rights
    ? do i have a right to [a refund from the bank|a holiday|see my file|stay in my flat]
    ? what are my rights [as a tenant|at work|as a customer|when i'm ill]
    ? can [they|my boss|the police|a shop] [fire|arrest|stop|charge|search] me [for that|for it|]
    ? am i allowed to [vote|drive at sixteen|record a call|work at night|leave my job]
    ? do i have to pay [tax|a fine|for the accident|my brother's debts]
    ? is it legal to [park on the pavement|record a call|keep a {animal}|download films]
    ? what does [bonjour|danke|gracias|ciao|konnichiwa] mean
    ? how do i spell [necessary|rhythm|accommodation|{city}]
    ! spell [necessary|rhythm|accommodation|{name}]
    ? which road do i take to {city}
    ? how long is the drive [to {city}|from {city} to {city2}]
    ? how long does it take to fly to {city}
    ? where can i buy a [{animal}|{vehicle}|house|ring] in {city}
    ? what's the best [restaurant|museum|hotel|beach|school] in {city}
    ? who [invented|discovered|wrote|composed] [the telephone|penicillin|the mona lisa|hamlet]
    ? who [invented|discovered|built] {thing}
    ? when did [the titanic sink|the war end|columbus sail|the wall fall|the queen die]
    ? in which year did [the war end|the wall fall|man land on the moon|{person} die]
    ? what is [the chemical symbol for gold|the boiling point of water|a prime number|{topic}]
    ? how many [planets|countries|oceans|bones|languages|stars|continents] are there
    ? what's the [largest|longest|oldest] [city|river|lake|mountain] in [the world|{country}]
    ? how high is [mount fuji|the tower|the mountain|everest]
    ? why do [cats purr|leaves fall|we dream|birds sing|people yawn|dogs bark|{animal}s sleep]
    ? why is [the sea salty|grass green|fire hot|ice slippery|the {animal} so big]
    ? can [pigs fly|a {animal} swim|fish sleep|robots feel|you feel pain]
    ? what's [fifteen percent of {big}|half of {big}|{big} divided by {level}|{big} times {big2}]
    ! add {big} and {big2}
    ! multiply {big} by {level}
    ! calculate [the area of a circle|my tax|the tip|the interest]
    ! convert {big} [miles to kilometres|pounds to kilos|dollars to euros]
    ! tell me [a story|a fairy tale|a secret|the truth about {topic}|who {person} was]
    ! tell me about [{person}|{city}|{country}|your childhood|the history of {city}]
    ! give me a [recipe|poem|horoscope|riddle|quote|fun fact|workout plan|diet plan]
    ! summarise [the news|this book|my emails|{topic}]
    ! search the internet for [{topic}|cheap flights|{animal} pictures]
    ! look up [{topic}|my symptoms|{person}]
    ! show me [a map|pictures of {city}|a video|the route to {city}]
    ! play [chess|a game|a quiz|a film] with me
    ! write [a speech|some code|a cover letter|a birthday card] for [me|{name}]
    ! draw [a picture|a {animal}|a map]
    ! [transfer|send|pay] [money to {name}|{big} euros to {name}]
    ! buy [a lottery ticket|shares in {company}|a plane ticket|tickets for the game]
    ! book [a cruise|a flight to {city} for {weekday}|a train to {city}|a hotel in {city}|a car]
    ? when is [the next train to {city}|my flight|the next bus|easter|the next full moon|sunset]
    ? is my [flight|train] [late|on time|delayed]
    ? which [film|book|series|song|laptop|camera|college] [do you recommend|should i get]
    ? what's on [television|at the cinema] tonight
    ? what is [{big}|{count}] [times|plus|minus] [{big2}|{count2}]
    ? how much is [{big}|{count}] [times|plus|minus] [{big2}|{count2}]
    ? what is {percent} percent of {big}
    ? have you [heard of|read about|been to] [{person}|{city}|{topic}|the titanic]
    ? what do you [think about|know about|say to] [{topic}|{person}|{country}|{company}]
    ? is {city} [bigger|older|nicer|warmer|more expensive] than {city2}
    ? which is [bigger|better|faster|older] a {animal} or a {vehicle}
    ? who is {name} {surname}
    ? what is [a verb|an atom|a black hole|inflation|a haiku|democracy|a mortgage|dna|a tsunami]
    ? why did [{person} die|the dinosaurs die|rome fall|{company} fail|they cancel that show]
    ? when [was|is] [the next election|the olympic games|{city} founded|the world cup]
    ? where does [coffee|rain|gold|the wind|chocolate] come from
    ? how [is|was] [glass|paper|cheese|steel|the universe] made
    ? what's your opinion [on|about] [politics|religion|{topic}|the election]
    ? which party should i vote for
    ? are you in love
    ? what should i wear [today|tomorrow|to a wedding]
    ? what should i name my [dog|cat|baby|boat]
    ? how do i [lose weight|learn {language}|get rich|find a job|tie a tie|grow roses]
    ? how do i [change a tyre|fix my {vehicle}|bake {food}|write an application|stop smoking]
    ? how do you [make|bake|cook] [{food}|bread|sushi|pancakes]
    ? how many calories are in [a {food}|an apple|chocolate]
    ? is [{food}|coffee|chocolate|red wine|sugar] [healthy|bad for you|good for my heart]
    ? does [god exist|money make you happy|{company} pay well|a {animal} lay eggs]
    ? where [was {person} born|is {city}|is {country}|do {animal}s live|does {person} live]
    ? what [currency|language] do they use in {country}
    ? who is [the president|the richest man in the world|the boss of {company}|my neighbour]
    ? how [fast|heavy|old] is [a {animal}|{thing}|the fastest {vehicle}]
    ? how much does a [{vehicle}|house in {city}|{animal}] cost
    . i [need|want] [help with my homework|a lawyer|a new job|to lose weight|to learn {language}]
    . i'd like to [know about {topic}|learn about {topic}|talk about politics|apply for a loan]
"""
MORE_UNKNOWN: Final = domain.parse_shapes(_MORE_UNKNOWN_TEXT)

#: Wordings that the recognizer was not trained on, for the chat model alone.
_MORE_SHAPES_TEXT: Final[Mapping[str, str]] = {
    "time": """
        . time [please|]
        ? what time do we have
        ? how late is it [now|already]
        ! look at the clock [and tell me the time|]
        . i need [the time|to know the time|to know what time it is]
        ? could you check what time it is
        ? is it [noon|lunchtime|midnight|bedtime] [yet|already]
        ? what hour is it
        . i've lost my watch what time is it
        """,
    "date": """
        ! remind me [which|what] date it is
        ? what's today's date again
        ? what date do we have today
        . i need today's date [for a form|]
        ? what's the date of today
        ? which date should i write
        ? what year is it
        ! say the date
        """,
    "weekday": """
        ! remind me [what|which] [day|weekday] it is
        ? is it [the weekend|already {weekday}|{weekday} already|a {weekday}] [today|]
        ? what's the day today
        ? what weekday is it [today|]
        . i forgot what day it is
        ? which weekday do we have
        """,
    "set_timer": """
        . i need [to be reminded|a reminder] in {duration}
        ! give me {duration} [on the clock|]
        ! let me know when {duration} [are over|have passed|is up]
        ! tell me when {duration} are up
        ! start counting {duration}
        . the {label} [takes|needs|has to cook for] {duration} [please|] set a timer
        . i'm making {label} set a timer for {duration}
        . set the {label} timer for {duration}
        . {label} timer {duration} [please|]
        . set {duration} on the timer
        ! set a {length} timer
        ! [set|start|give] me a {length} timer
        ! set a {length} timer for the {label}
        ! start a {length} {label} timer
        ! [start|set|begin|make] a {length} [timer|countdown]
        + a {length} timer
        + a {length} timer for the {label}
        . timer for {duration} [please|]
        ! set a timer called {label} for {duration}
        ! set up a {label} timer of {duration}
        ! time the {label} for {duration}
        ! use the timer for {duration}
        """,
    "cancel_timer": """
        ! kill the [timer|{label} timer]
        ! end [the|my] [timer|{label} timer]
        ! get rid of the [timer|{label} timer]
        . the {label} is [done|ready] [you can stop|stop|cancel|please stop] the timer
        . the {label} is done already cancel its timer
        . i don't want the [timer|{label} timer] any more
        . i don't need [the|my] [timer|{label} timer] [any longer|now|any more]
        . no more timers [please|]
        ! stop [every timer|all timers|the clock for the {label}]
        ! switch off the [timer|{label} timer]
        . [timer|{label} timer] off [please|]
        """,
    "list_timers": """
        ? how many minutes [are left|do i have left|left] [on the {label} timer|for the {label}|]
        ? how long do i [still|] have [to wait|] for the {label}
        ? how much longer [for the {label}|does the {label} take|will the timer run|]
        ? do i have any timers [set|running|on]
        ? have i got any timers [running|]
        ? what's left on [the|my] [timer|timers|{label} timer]
        ? what's the status of my [timer|timers|{label} timer]
        ? when will the [{label} timer|timer] ring
        ? when does the [{label} timer|timer] go off
        ? how is the {label} timer doing
        ? which timers have i set
        ! read me my timers
        """,
    "light_on": """
        . i can't see anything in the {room}
        . we need light in the {room}
        ! light up the {room}
        . [lights|light] on {room}
        """,
    "light_off": """
        . no light in the {room} please
        . i forgot the {light} in the {room} please turn it off
        ! kill the {light} in the {room}
        . we don't need the {light} in the {room}
        . the {room} {light} off please
        . the {light} in the {room} off
        . all the {light} in the {room} off [please|]
        . would you mind [turning|switching] off the {light} in the {room}
        ! switch the {room} {light} off
        . the {light} in the {room} can go off
        """,
    "light_all": """
        ! turn [every lamp|all lamps|everything] off [i'm leaving|we're going out|]
        ! switch off all the lights in the house
        . we are going to bed turn off all the lights
        . no lights at all please
        ! put out every light
        """,
    "light_dim": """
        . the {light} in the {room} [is|are] too bright
        ! make the {light} in the {room} [darker|a bit darker|less bright|a little brighter]
        ! turn the {room} {light} down to {percent} percent
        ! put the {light} in the {room} at {percent} percent
        . {percent} percent light in the {room}
        ! dim [the lights|the light] a little in the {room}
        """,
    "light_colour": """
        + the {light} in the {room} in {colour}
        . i want {colour} light in the {room}
        . can the {room} {light} be {colour}
        . can we have the {room} in {colour} light
        """,
    "heating_set": """
        . i want {degrees} degrees in the {room}
        . i'd like it to be {degrees} degrees [in the {room}|]
        . the {room} should be at {degrees} degrees
        ! put the heating [on|at|to] {degrees} degrees
        ! keep the {room} at {degrees} degrees
        . {degrees} degrees in the {room} please
        . can we have {degrees} degrees here
        """,
    "heating_change": """
        . it's [freezing|chilly|really cold|far too cold|very cold] in the {room}
        ! warm up the {room}
        . the {room} is [too cold|freezing|cold again]
        . it's [far too hot|boiling|really hot|very warm] in the {room} turn it down
        . the {room} is [too hot|boiling] turn the heating down
        . i feel [cold|chilly|frozen]
        . we're [cold|freezing]
        """,
    "music_play": """
        . i'd love [some|] {genre}
        . how about [some|a little] {genre}
        . can we have [some|] {genre} in the {room}
        ! play a little {genre} [in the {room}|]
        ! start [some|the] {genre}
        . i feel like {genre}
        . let's hear [some|] {genre}
        """,
    "music_control": """
        . that's too loud turn the music down
        ! turn it down a bit please the music is too loud
        . pause the music for a while
        . pause the song for now
        ! go to the next song
        ! skip this one
        . no more music turn the music off
        ! stop the song
        """,
    "lock": """
        ! please see that the {door} is locked
        . we're leaving lock the {door}
        ! lock up the {door}
        . the {door} should be locked
        ! unlock the {door} [for my sister|for the postman|for {name}]
        ! let {name} in and unlock the {door}
        """,
    "lock_state": """
        . have i locked the {door}
        . has [anyone|anybody|somebody] locked the {door}
        . i'm not sure if the {door} is locked
        . tell me if the {door} is open
        """,
    "cover": """
        ! [open|close] all the {cover} in the {room}
        . the {cover} in the {room} should be [open|closed]
        ! [open|close] the {cover} of the {room}
        . it's dark outside close the {cover} in the {room}
        . i want some sun open the {cover} in the {room}
        """,
    "appliance": """
        . i need the {appliance} on
        . the {appliance} [on|off] please
        ! get the {appliance} started
        ! turn [on|off] the {appliance} in the {room}
        ! switch the {appliance} in the {room} [on|off]
        . we don't need the {appliance} turn it off
        """,
    "alarm": """
        . i [have to|must|want to|need to] get up at {time} [set an alarm|wake me|]
        . i [have to|must] be up at {time} {day}
        ! get me up at {time} [{day}|]
        ! wake us [up|] at {time}
        . alarm at {time} [please|]
        . alarm {day} at {time}
        ! make sure i'm awake at {time}
        """,
    "remind": """
        ! remind me {day} that i [have to|must] {chore}
        . i must {chore} at {time} please remind me
        ! tell me to {chore} at {time}
        ! remind me to {chore} at {time} {day}
        . at {time} i want to {chore} remind me
        """,
    "grocery_list": """
        . {grocery} and {grocery2} go on the list
        . we [have|'ve got] no {grocery} left
        . we need to [buy|get] {grocery} [and {grocery2}|]
        . i have to buy {grocery} put it on the list
        . there's no {grocery} left [in the house|]
        . put {grocery} and {grocery2} down please
        . [read me|show me|tell me] my shopping list
        . what do [i|we] have to buy
        . what's on the list [now|]
        . what is on my list [again|so far]
        """,
    "table": """
        . we are {count} and we'd like to come {day} at {time}
        . is there a table for {count} free at {time}
        . have you got a table for {count} {day} at {time}
        . can you fit {count} of us in {day} at {time}
        . dinner for {count} {day} at {time}
        . lunch for {count} at {time} please
        ! keep a table for {count} at {time}
        . we're {count} people can we come at {time}
        . could we [have dinner|have lunch|come] at {time} we are {count}
        . is it possible to [have|get] a table for {count} {day} at {time}
        """,
    "table_open": """
        . could we [have|get] a table
        . we would like to have dinner [with you|] {day}
        . a table for {count} people is what we need
        . have you got a table [for tonight|free|left]
        . we want to come for [dinner|lunch]
        . is there a table left at {time}
        . i need to reserve a table for {count}
        """,
    "hotel": """
        . is there a [single|double|twin] room free for {nights} nights
        . have you got a [single|double] room for {nights} nights
        . we want to stay for {nights} nights
        . i need somewhere to sleep for {nights} nights
        . do you have a [single|double|family] room
        . i'd like to reserve a room
        """,
    "meeting": """
        . we need the meeting room for {count} people {day} at {time}
        . i have to meet {name} {day} at {time} put it in my calendar
        . can i have the meeting room at {time} for {count} people
        ! make an appointment with {name} {day} at {time}
        """,
    "taxi": """
        . can you get me a taxi to the {destination} [at {time}|for {time}|]
        . we want to go to the {destination} at {time}
        . i have to go to the {destination} {day} at {time} please book a taxi
        . my train leaves soon i need a taxi to the {destination}
        ! have a taxi take us to the {destination} at {time}
        """,
    "taxi_open": """
        . can [someone|somebody|you] call me a taxi
        . we need a [cab|taxi]
        . could i get a [cab|taxi] [here|]
        ! find me a taxi
        """,
    "appointment": """
        . can i come for a {appointment} {day} at {time}
        . could you book me in for a {appointment} {day} at {time}
        . is {time} {day} free for a {appointment}
        . {day} at {time} i'd like a {appointment}
        """,
    "appointment_open": """
        . my hair is too long i need a {appointment}
        . could you book me in for a {appointment} [{day}|]
        . do you have time for a {appointment} [{day}|]
        """,
    "change_booking": """
        . i'm afraid i [have to|must] cancel my [table|booking|reservation|appointment|taxi|room]
        . we can't come please cancel our [table|reservation|booking]
        . can we [move|change] our [booking|reservation|table] to {time}
        . could we come at {time} instead so move the booking to {time}
        . is it possible to move my [appointment|reservation] to {day}
        . i want to cancel my [meeting|table|appointment]
        """,
    "drink": """
        + [just|] a {drink}
        + a [glass|cup|bottle|mug|pot] of {drink}
        + a [big|small|large|nice] [glass|cup] of {drink}
        + {count} [glasses|cups|bottles] of {drink}
        + a {size} {drink} to go
        + {count} {drink}s and a {drink2}
        + {count} {drink}s and a {food}
        + a {drink} and {count} {food}s
        ! make me a {drink}
        + a {drink} with [milk|lemon|ice] to go
        """,
    "pizza": """
        + {count} {pizza} pizzas and a {drink}
        + {count} {pizza} pizzas and {count2} {drink}s
        + one {size} {pizza} pizza
        + a {size} {pizza} pizza and a {drink}
        + the {pizza} pizza
        """,
    "food": """
        + the {food} and the {food2}
        + the {food} and some {food2}
        + the {food} and a {drink}
        + {count} {food}s
        + a {food} with [extra cheese|extra sauce|butter|no onions|cream]
        ! bring a {food} to room {roomno}
        ! bring a {food} and a {drink} to room {roomno}
        """,
    "food_open": """
        . i'm [so|really|very] hungry
        . what do you [have|serve|offer] [to eat|for dinner|for lunch|]
        . what food do you have
        . what can we get to eat
        . we'd like to eat something
        """,
    "pizza_open": """
        . what [kind of|sorts of|] pizzas do you have
        . which pizzas [do you have|are there|can i get]
        . we want pizza
        """,
    "diet": """
        . is there [something|anything] [vegan|vegetarian] [on the menu|to eat|]
        . i can't eat [nuts|milk|eggs|fish] i'm allergic to [nuts|milk|eggs|fish]
        . my son is allergic to [nuts|milk|eggs|fish]
        . which dishes are [vegan|vegetarian]
        . i am [vegan|vegetarian] what can i have
        """,
    "price": """
        . how much [would|will|is] a {drink} [be|cost]
        . what do you [charge|want] for a [{food}|{drink}|double room|single room]
        . what's the price of [a {food}|a {drink}|a double room|a single room|breakfast|parking]
        . what does [parking|breakfast|a double room|a single room] cost [for one day|per night|]
        . is [a {food}|a {drink}] expensive
        """,
    "hours": """
        . until what time is the {place} open [today|tonight|]
        . how long is the {place} open
        . when can i [use|go to|visit] the {place}
        . is the {place} [still|already] open
        . does the {place} open [early|late|{day}]
        . at what time [does|will] the {place} [open|close] [{day}|]
        . are you open [at the weekend|on {weekday}s|every day|on holidays|late]
        """,
    "wifi": """
        . how [can|do] i [get into|use|join] the [wifi|internet|network]
        . i need the [wifi|internet] [password|code]
        . my [phone|laptop|computer] [doesn't|won't] [connect|find the wifi]
        . the [internet|wifi] [isn't|is not] working isn't it
        . is there [wifi|internet] [here|in the room] and what's the password
        . which password do i need for the [wifi|internet]
        . can i have the internet password
        """,
    "parking": """
        . where [should|do|can|may] i [leave|put] [my|the] car
        . i came by car where can i park
        . what does it cost to park here how much is it
        . how much do you charge for parking
        . i need somewhere to park
        """,
    "where": """
        . i can't find the {facility}
        . i'm looking for the {facility}
        . we are looking for the {facility}
        . on which floor is the {facility}
        . which floor has the {facility}
        . which way to the {facility}
        . where can i find the {facility}
        . is the {facility} [far|near here|on this floor]
        """,
    "breakfast": """
        . from when [is|can i have|do you serve] breakfast
        . [at what time|when] do you serve breakfast
        . [how long|until what time] can [i|we] have breakfast
        . is breakfast included in the price
        . does the room [include breakfast is it included|come with breakfast included]
        . can [we|i] have breakfast [up|] in [our|my] room at {time}
        . where do we get breakfast
        """,
    "checkout": """
        . [when|by when|by what time|at what time] [must|do] [i|we] [leave|be out|check out]
        . how long can i [stay|keep] in my room on the last day
        . is it possible to check out [late|a bit later]
        . could we [check out|stay] late
        . from when can i check in
        . can i come early for check in
        """,
    "lost": """
        . my {lost} is gone
        . i can't find my {lost} anywhere
        . i forgot my {lost} [in the {place}|in the taxi|yesterday|]
        . oh no my {lost} [is missing|has disappeared]
        . i must have dropped my {lost} [somewhere|in the {place}]
        . have you [seen|found] my {lost}
        """,
    "invoice": """
        . could you [mail|email|send] me my [invoice|receipt|bill]
        . i need [a receipt|an invoice] for [my boss|my company|the taxes]
        . my bill is wrong there's a mistake
        . can i have my [bill|receipt|invoice]
        """,
    "payment": """
        . can i [pay|settle the bill] with [my|a] [credit card|card|phone]
        . do you want cash or card
        . is it okay to pay [in cash|by card]
        . can each of us pay separately
        """,
    "returns": """
        . the {purchase} i bought [doesn't fit|is too small|is too big|is the wrong colour]
        . this {purchase} is broken can i [give it back|return it|exchange it]
        . i want to give my {purchase} back
        . i don't like the {purchase} i want to return it
        . my {purchase} [is|are] too [small|big] can i give it back
        """,
    "delivery": """
        . my [parcel|package|order] [still|] hasn't [come|arrived|been delivered] [yet|]
        . i ordered [a|some] {purchase} and [it hasn't come|nothing came]
        . when do i get my [parcel|order|{purchase}]
        . how long does my [order|parcel|delivery] take
        . what's [happening with|the status of] my [order|parcel]
        """,
    "supply": """
        . we've run out of {supply}
        . could somebody bring {supply} to room {roomno}
        . the {supply} are missing
        . we need {count} [more|] {supply} in room {roomno}
        . room {roomno} needs {count} [more|] {supply}
        . can we get {count} [more|extra|] {supply}
        """,
    "fault": """
        . the [lamp|heater|fridge|safe|window|bed|door] [is broken|doesn't work] in room {roomno}
        . the [fridge|safe|heater|phone|fan] in my room [is broken|doesn't work|makes a noise]
        . the [shower|television|heating|toilet|lamp] in our room [is broken|doesn't work|leaks]
        . there's a [spider|leak|strange smell|lot of noise] in my room
        . there is no [hot water|heating|soap|light] in [room {roomno}|my room|our bathroom]
        . i can't sleep because of the noise
        . something is wrong with [the shower|the toilet|the lamp|my bed]
        . our [shower|toilet|window|heating] is broken
        """,
    "luggage": """
        . can you [keep|look after|store] my [bags|luggage|suitcase] [until {time}|]
        . may i leave my [bags|luggage|suitcase] [with you|at reception|here] [until {time}|]
        . is there a place for my luggage
        """,
    "human": """
        . could i [please|] [talk|speak] to [your|the] manager
        . let me talk to a [human|person|real person]
        . is there a [human|person|real person] i can talk to
        . i want to complain to the manager
        . i don't want to talk to a machine
        """,
    "name": """
        . i am {name} [by the way|]
        . my name is {name} by the way
        . hello my name is {name}
        . hi [i'm|this is] {name} [speaking|here|]
        . you can call me {name}
        . call me {name} [please|]
        . {name} {surname} is my name
        """,
    "ask_name": """
        . what is my name [again|]
        . do you [still|] know [my name|what my name is|who i am]
        . who am i
        . what did i say my name was
        """,
    "how_are_you": """
        . how are you [this morning|tonight|these days]
        . how do you do
        . are you having a good day
        . hello how are you [doing|today|]
        . what's up
        """,
    "hello": """
        . [hello|hey|hi] assistant
        . greetings
        . [hello|good day] [sir|madam|everyone|my friend]
        . is anyone there
        . [yo|howdy|good day]
        . [good morning|good evening|good afternoon] [to you|everybody|there|]
        . [hello|hi] [again|you|hello]
        . i have a question
        """,
    "who_are_you": """
        ? am i [talking|speaking] to a [machine|computer|person|robot]
        ? do you have a name
        ? are you alive
        ? what kind of [assistant|thing] are you
        . who am i [talking|speaking] to
        . with whom am i speaking
        . are you a [real|human|living] [person|being]
        . tell me who you are
        """,
    "abilities": """
        ? what are you good at
        ? what sort of things can you do
        ? tell me what you can do
        ? what do you do
        ? which things can i ask for
        . what [exactly|] can you do [for me|for us|here]
        . how do you help people
        . in what way can you help
        """,
    "thanks": """
        . [cheers|thanks a million|many thanks|that helps|awesome|brilliant|excellent|super]
        . [good job|well done|nice|i appreciate it|you saved me|great job]
        . [thanks|thank you] that was [very|so|really] [helpful|kind|nice|quick]
        . [oh|] that's [very|so] [nice|kind] of you
        """,
    "joke": """
        . say something funny
        . tell me something funny
        . i want to hear a joke [about {animal}s|]
        . do you know [a|any] [joke|jokes] [about {animal}s|about {food}|]
        . cheer me up with a joke
        """,
    "bye": """
        . [okay|alright|well] [bye|goodbye] [then|now|]
        . [bye|goodbye] and [thank you|thanks]
        . good night [and sleep well|everyone|]
        . i'm leaving now goodbye
        . take care [bye|]
        . until tomorrow
        """,
    "repeat": """
        ? what was that [again|]
        . once more please
        . excuse me what did you just say
        . i missed that
        . huh
        . [could|can] you [say|tell me] that [once more|one more time]
        . one more time please
        . what did you say
        """,
    "volume": """
        . could you [talk|speak] [louder|slower|faster|more slowly|more quietly] [please|]
        . [talk|speak] a [bit|little] [louder|slower|more quietly]
        . please [slow|slowly] [down|] [a little|a bit|]
        . it's noisy here speak louder
        . not so [fast|loud]
        """,
    "stop": """
        . [oh|ah|no|] [never mind|forget it|forget about it]
        . [please|] [stop|be quiet] [now|for a minute|for a moment|]
        . hold on a [second|minute|moment]
        . one [second|minute] please
        . give me a [second|moment]
        . just a [second|moment|minute]
        . okay stop
        """,
    "feeling": """
        . i am [so|very|really] [tired|bored|sad|sick|stressed|lonely]
        . i feel [sad|bad|tired|bored|sick|lonely] [today|]
        . today is my birthday
        . [guess what|you know] it's my birthday
        . i'm [so|very] happy [today|]
        . i didn't sleep well
        """,
}  # fmt: skip
MORE_SHAPES: Final = {name: domain.parse_shapes(t) for name, t in _MORE_SHAPES_TEXT.items()}

# --------------------------------------------------------------------------------------------
# Forms: bookings that need several answers
# --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Form:
    """A booking: what it echoes, what it must know (slot, question), and how it closes."""

    echo: str
    needs: tuple[tuple[str, str], ...]
    done: str


FORMS: Final[Mapping[str, Form]] = {
    "table": Form(
        "Okay, a table< for {count}>< {day}>< at {time}>.",
        (
            ("count", "For how many people?"),
            ("time", "For what time?"),
            ("name", "Whose name shall I put it under?"),
        ),
        "Thank you, {name}. Your table for {count}< {day}> at {time} is booked.",
    ),
    "hotel": Form(
        "Okay, a {kind}room< for {count} people>< {day}>< for {nights} nights>< from {weekday}>.",
        (("nights", "For how many nights?"), ("name", "Whose name shall I put it under?")),
        "Thank you, {name}. Your {kind}room for {nights} nights is booked.",
    ),
    "meeting": Form(
        "Okay, a meeting room< for {count}>< {day}>< at {time}>.",
        (("count", "For how many people?"), ("time", "For what time?")),
        "Okay, the meeting room for {count}< {day}> at {time} is booked.",
    ),
    "meeting_with": Form(
        "Okay, a meeting with {name}< {day}>.",
        (("time", "For what time?"),),
        "Okay, your meeting with {name}< {day}> at {time} is in the calendar.",
    ),
    "taxi": Form(
        "Okay, a taxi< for {count}>< to the {destination}>< {day}>< at {time}>.",
        (("destination", "Where would you like to go?"), ("time", "For what time?")),
        "Okay, your taxi to the {destination}< {day}> at {time} is booked.",
    ),
    "appointment": Form(
        "Okay, a {appointment}< {day}>.",
        (("time", "For what time?"),),
        "Okay, your {appointment}< with {name}>< {day}> at {time} is booked.",
    ),
    "alarm": Form(
        "Okay, an alarm< {day}>.",
        (("time", "For what time?"),),
        "Okay, your alarm is set for {time}< {day}>.",
    ),
    "remind": Form(
        "Okay.",
        (("when", "When shall I remind you?"),),
        "Okay, I'll remind you to {chore}< {day}>< at {time}>.",
    ),
    "light": Form(
        "Okay.",
        (("room", "In which room?"),),
        "Okay, the {room} {light} {be} on.",
    ),
    "music": Form(
        "Okay.",
        (("genre", "What would you like to hear?"),),
        "Okay, playing {genre}.",
    ),
    "delivery": Form(
        "I'll check that for you.",
        (("digits", "What's your order number?"),),
        "Thank you. Order {digits} is on its way and should arrive tomorrow.",
    ),
    "returns": Form(
        "<You can return your {purchase} within thirty days.>",
        (("digits", "What's your order number?"),),
        "Thank you. I'll send you a return label for order {digits}.",
    ),
}
_FORM_OF: Final[Mapping[str, str]] = {
    "table": "table",
    "table_open": "table",
    "hotel": "hotel",
    "meeting": "meeting",
    "taxi": "taxi",
    "taxi_open": "taxi",
    "appointment": "appointment",
    "appointment_open": "appointment",
    "alarm_open": "alarm",
    "remind_open": "remind",
    "light_open": "light",
    "music_open": "music",
    "delivery": "delivery",
    "returns": "returns",
}

#: Answers to a form's question, one set of shapes a slot.
_FOLLOW_UPS_TEXT: Final[Mapping[str, str]] = {
    "count": """
        . {count} [people|persons|of us|please|guests|]
        . for {count} [people|please|]
        . [we are|we're|there are|there'll be|it's|it's for|make it] {count} [people|of us|]
        . {count} people at {time}
        . {count} and at {time} please
        """,
    "time": """
        . [at|for|around|about|maybe at|let's say|how about|make it|say|] {time} [please|is fine|]
        . {time} would be [great|perfect|fine|nice]
        . {time}
        . at {time}
        . {day} at {time}
        . at {time} {day}
        . is {time} possible
        """,
    "name": """
        . {name} [please|]
        . [under|my name is|it's|put it under|i'm|the name is] {name}
        . {name} {surname}
        . my name is {name} {surname}
        . [mister|] {surname}
        . under {surname} please
        . in the name of {surname}
        """,
    "nights": """
        . [for|just|] {nights} nights [please|]
        . {nights}
        . {nights} nights from {weekday}
        """,
    "destination": """
        . to the {destination} [please|]
        . the {destination}
        . i need to go to the {destination}
        . to the {destination} at {time}
        """,
    "when": """
        . at {time}
        . {day} [please|]
        . {day} at {time}
        . around {time}
        """,
    "room": """
        . the {room}
        . in the {room} [please|]
        . {room} please
        """,
    "genre": """
        . [some|] {genre} [please|]
        . i'd like [some|] {genre}
        . play {genre}
        """,
    "digits": """
        . [it's|number|order|order number|my order number is|the number is|] {digits}
        """,
    "duration": """
        . [for|] {duration} [please|]
        . {duration}
        . make it {duration}
        """,
}
FOLLOW_UPS: Final = {name: domain.parse_shapes(text) for name, text in _FOLLOW_UPS_TEXT.items()}

_ORDER_VERBS: Final = re.compile(
    r"^(?:bring me|order me|order|send|i'd like to order|we'd like to order|for me"
    r"|bring|make me|i'm (?:hungry|starving) can i get|can i get|just)\s+"
)
_MENUS: Final[Mapping[str, tuple[str, str]]] = {
    "drink_open": ("We have coffee, tea, juice and water. What would you like?", "drink"),
    "pizza_open": (
        "We have margherita, mushroom and pepperoni. Which pizza would you like?",
        "pizza",
    ),
    "food_open": ("We have soup, salad, pasta and pizza. What would you like?", "food"),
}
_ORDER_ANSWERS: Final = {
    "drink": domain.parse_shapes("+ a {drink}\n. {drink} please\n+ a {size} {drink}"),
    "food": domain.parse_shapes("+ a {food}\n. the {food} please\n+ a {food} and a {drink}"),
    "pizza": domain.parse_shapes(". {pizza} please\n+ a {pizza} pizza\n. a {size} {pizza} pizza"),
}
_MORE_ORDER: Final = domain.parse_shapes("""
    . and a {drink} [please|]
    . [yes|] a {drink} [please|too|]
    . also a {food}
    . and a {food} please
    . yes {count} {drink}s
    . i'd also like a {food}
""")
_NO_MORE: Final = domain.parse_shapes("""
    . no [thanks|thank you|that's all|that's it|nothing else|]
    . that's all [thanks|thank you|]
    . that's it [thanks|]
    . nothing else [thank you|]
    . no that's everything
""")
#: Follow-ups to something just done at home or set.
_AGAIN: Final[Mapping[str, Rules]] = {
    "light_on": (
        ("[and|] turn [it|them] off again", "Okay, the {room} {light} {be} off."),
        ("and in the {room2} too", "Okay, the {room2} {light} {be} on."),
        ("and the {room2}", "Okay, the {room2} {light} {be} on."),
    ),
    "light_off": (
        ("[no|] turn [it|them] [back|] on [again|]", "Okay, the {room} {light} {be} on."),
        ("and in the {room2} too", "Okay, the {room2} {light} {be} off."),
    ),
    "appliance": (
        ("[and|] [now|] turn it off [again|]", "Okay, the {appliance}< in the {room}> is off."),
    ),
    "heating_set": (
        ("[actually|no|] make it {degrees2} degrees", "Okay, it's set to {degrees2} degrees."),
        ("[a bit|] warmer please", "Okay, I've turned it up."),
    ),
    "music_play": (
        ("[a bit|] louder [please|]", "Okay, I've turned the volume up."),
        ("[stop it|turn it off|that's enough music]", "Okay, the music is off."),
        ("[no|] play [some|] {genre2} instead", "Okay, playing {genre2}."),
    ),
    "table": (
        ("[actually|sorry|no] [make it|at] {time2}", "Okay, I've changed it to {time2}."),
        ("[actually|sorry] we are {count2}", "Okay, I've changed it to {count2} people."),
    ),
    "cover": (("[and|] in the {room2} too", "Okay, the {cover} in the {room2} are {state}."),),
    "lock": (("and the {door2}", "Okay, the {door2} is {state}."),),
}

# --------------------------------------------------------------------------------------------
# Tools
# --------------------------------------------------------------------------------------------


def clock_answer(intent: str, result: Mapping[str, Any]) -> str:
    """Say a ``get_time`` result: the time, the date or the weekday, by intent."""
    if intent == "time":
        hour, minute = (int(part) for part in result["time"].split(":")[:2])
        return f"It's {domain.plain_time(hour, minute)}."
    weekday = result["weekday"]
    if intent == "weekday":
        return f"Today is {weekday}."
    _, month, day = (int(part) for part in result["date"].split("-"))
    month_name = capitalise(domain.MONTHS[month - 1])
    return f"Today is {weekday}, the {domain.spoken_ordinal(day)} of {month_name}."


def timer_set_answer(seconds: int, label: str | None) -> str:
    """Say that a timer was set."""
    words, thing = duration_words(seconds), f"{label} timer" if label else "timer"
    if " and " in words:
        return f"Your {thing} for {words} is set."
    return f"Your {words.removesuffix('s')} {thing} is set."


def time_left_words(seconds: int) -> str:
    """Seconds left, as roughly as people say it."""
    if seconds < 60:
        return f"{domain.spoken_number(seconds)} second{'' if seconds == 1 else 's'}"
    if seconds < 3600:
        minutes = seconds // 60
        return f"about {domain.spoken_number(minutes)} minute{'' if minutes == 1 else 's'}"
    hours = seconds // 3600
    return f"about {domain.spoken_number(hours)} hour{'' if hours == 1 else 's'}"


def timers_answer(timers: Sequence[Mapping[str, Any]], asked: str | None) -> str:
    """Say a ``list_timers`` result; ``asked`` is the label in the question, if any."""
    if asked is not None:
        timers = [timer for timer in timers if timer.get("label") == asked]
        if not timers:
            return f"There is no {asked} timer running."
    if not timers:
        return "There are no timers running."
    parts = [
        f"{timer['label']} timer has {time_left_words(timer['seconds_left'])} left"
        if timer.get("label")
        else f"timer has {time_left_words(timer['seconds_left'])} left"
        for timer in timers
    ]
    if len(parts) == 1:
        return f"Your {parts[0]}."
    count = domain.spoken_number(len(parts))
    return f"You have {count} timers. " + " ".join(f"The {part}." for part in parts)


def cancelled_answer(cancelled: int, label: str | None) -> str:
    """Say a ``cancel_timer`` result."""
    if label:
        if cancelled:
            return f"Your {label} timer is cancelled."
        return f"There is no {label} timer running."
    if not cancelled:
        return "There are no timers running."
    if cancelled == 1:
        return "Your timer is cancelled."
    return f"Your {domain.spoken_number(cancelled)} timers are cancelled."


# --------------------------------------------------------------------------------------------
# Conversations
# --------------------------------------------------------------------------------------------

_NAME_OF_INTENT_TOOL: Final = {
    "time": "get_time",
    "date": "get_time",
    "weekday": "get_time",
    "set_timer": "set_timer",
    "set_timer_open": "set_timer",
    "cancel_timer": "cancel_timer",
    "list_timers": "list_timers",
}
_NO_TOOL: Final = {
    "get_time": "I'm sorry, I can't see a clock here.",
    "set_timer": "I'm sorry, I can't set timers here.",
    "cancel_timer": "I'm sorry, I can't see any timers here.",
    "list_timers": "I'm sorry, I can't see any timers here.",
}
_BOOST: Final = {
    "time": 8.0,
    "date": 7.0,
    "weekday": 4.0,
    "set_timer": 18.0,
    "set_timer_open": 3.0,
    "cancel_timer": 7.0,
    "list_timers": 9.0,
    "name": 4.0,
    "stop": 1.8,
    "hello": 2.5,
    "out_of_domain": 22.0,
    "short": 2.5,
    "noise": 2.0,
}
_WEIGHTS: Final = {**domain.WEIGHTS, **_BOOST}
_OTHER_SYSTEMS: Final = (
    "You are a helpful assistant.",
    "You are a helpful voice assistant. Keep your answers short.",
    "You are a friendly desk assistant.",
    "You are the assistant of a small hotel. Answer briefly and politely.",
    "You are a home assistant. Answer in one sentence.",
    "You are a voice agent on the phone. Be brief.",
    "Answer in one to three short sentences.",
    "You are the front desk of {name}'s guest house in {city}. Be kind and short.",
    "You are {name}, a voice assistant for the home. Answer briefly.",
    "You are a receptionist in {city}. Help the caller. Never use lists or symbols.",
    "You help {name} {surname} at home. Speak plainly.",
    "You are on a phone line. Your answers are read aloud, so write plain words.",
    "You are a helpful desk and home assistant. Answer in one short sentence. Be polite.",
)


@dataclass
class Conversation:
    """A conversation under construction and what the assistant knows in it."""

    rng: random.Random
    tools: tuple[str, ...]
    messages: list[Message] = field(default_factory=list)
    timers: list[dict[str, Any]] = field(default_factory=list)
    groceries: list[str] = field(default_factory=list)
    name: str | None = None
    calls: int = 0

    def user(self, text: str) -> None:
        """Append a user message, now and then split in two as turns are when merged."""
        words = text.split()
        if len(words) > 5 and self.rng.random() < 0.04:
            cut = self.rng.randint(2, len(words) - 2)
            self.messages.append({"role": "user", "content": " ".join(words[:cut])})
            words = words[cut:]
        self.messages.append({"role": "user", "content": " ".join(words)})

    def assistant(self, text: str) -> None:
        """Append a spoken answer."""
        self.messages.append({"role": "assistant", "content": text})

    def call(self, tool: str, arguments: Mapping[str, Any], result: Mapping[str, Any]) -> None:
        """Append a tool call and its result."""
        self.calls += 1
        call_id = f"call_{self.calls}"
        function = {"name": tool, "arguments": json.dumps(arguments)}
        self.messages += [
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"id": call_id, "type": "function", "function": function}],
            },
            {"role": "tool", "tool_call_id": call_id, "content": json.dumps(result)},
        ]

    def last_answer(self) -> str | None:
        """The last thing the assistant said."""
        for message in reversed(self.messages):
            if message["role"] == "assistant" and message["content"]:
                return str(message["content"])
        return None


def _extras(req: Request) -> dict[str, str]:
    """Values that an answer needs beside the slots: verb forms, what is meant by "my booking"."""
    said = req.said()
    if req.intent.startswith("light"):
        said.setdefault("light", "light")
    said["be"] = "are" if said.get("light", "").endswith("s") else "is"
    said["to"] = f"room {said['roomno']}" if "roomno" in said else "your room"
    booking = re.search(r"\b(booking|reservation|appointment|table|taxi|room|meeting)\b", req.flat)
    said["what"] = booking.group(1) if booking else "booking"
    said["when"] = re.sub(r"^on ", "", said.get("time") or said.get("day") or "")
    kind = re.search(r"\b(single|double|twin|family|quiet)\b", req.flat)
    said["kind"] = f"{kind.group(1)} " if kind else ""
    return said


def _rule(rules: Rules, flat: str) -> str:
    return next(answer for pattern, answer in rules if re.search(pattern, flat))


def _hours_answer(req: Request) -> str:
    place = req.said().get("place")
    opens, closes = HOURS.get(place or "", ("eight in the morning", "ten in the evening"))
    subject = f"The {place} is" if place else "We're"
    return f"{subject} open every day from {opens} to {closes}."


def _where_answer(req: Request) -> str:
    facility = req.said()["facility"]
    verb = "are" if facility.endswith("s") and facility != "bus" else "is"
    return f"The {facility} {verb} {FLOORS.get(facility, 'on the ground floor')}."


def _grocery_answer(talk: Conversation, req: Request) -> str:
    items = [value.say for key, value in req.values.items() if key.startswith("grocery")]
    if not items:
        if not talk.groceries:
            return "Your shopping list is empty."
        listed = talk.groceries
        text = listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} and {listed[-1]}"
        return f"Your list has {text}."
    if "off" in req.flat:
        talk.groceries = [item for item in talk.groceries if item not in items]
        return f"Okay, I've taken {items[0]} off your list."
    talk.groceries += [item for item in items if item not in talk.groceries]
    return f"Okay, I've added {' and '.join(items)} to your shopping list."


def _name_answer(talk: Conversation, req: Request) -> str:
    talk.name = req.said()["name"]
    return f"Nice to meet you, {talk.name}. How can I help you?"


def _unknown_answer(req: Request) -> str:
    for pattern, subject in UNKNOWN_SUBJECTS:
        if re.search(pattern, req.flat):
            return f"I'm sorry, I can't help {subject}."
    return "I'm sorry, I can't help with that."


def _short_answer(req: Request) -> str:
    if re.match(r"(yes|okay|sure|alright|exactly|correct|right|yeah|of course)", req.flat):
        return "Okay. What can I do for you?"
    if re.match(r"(no\b|nope|nothing|not)", req.flat):
        return "Okay."
    return "I'm sorry, I'm not sure what you mean. What can I do for you?"


def _repeat_answer(talk: Conversation) -> str:
    last = talk.last_answer()
    return f"I said: {last}" if last else "I haven't said anything yet. How can I help you?"


def plain_answer(talk: Conversation, req: Request) -> str:
    """The answer to a request that needs neither tools nor further questions."""
    if req.intent == "hours":
        return _hours_answer(req)
    if req.intent == "where":
        return _where_answer(req)
    if req.intent == "grocery_list":
        return _grocery_answer(talk, req)
    if req.intent == "name":
        return _name_answer(talk, req)
    if req.intent == "ask_name":
        return f"Your name is {talk.name}." if talk.name else "I don't know your name yet."
    if req.intent == "out_of_domain":
        return _unknown_answer(req)
    if req.intent == "short":
        return _short_answer(req)
    if req.intent == "repeat":
        return _repeat_answer(talk)
    if req.intent == "joke":
        return JOKES[1] if re.search("another|more|laugh", req.flat) else JOKES[0]
    return render_answer(_rule(ANSWERS[req.intent], req.flat), _extras(req), talk.rng)


def _clock_turn(talk: Conversation, req: Request) -> None:
    rng = talk.rng
    day = dt.date(2024, 1, 1) + dt.timedelta(days=rng.randrange(3300))
    hour, minute = rng.randrange(24), rng.choice((rng.randrange(60), 5 * rng.randrange(12)))
    result = {
        "time": f"{hour:02d}:{minute:02d}",
        "date": day.isoformat(),
        "weekday": capitalise(domain.WEEKDAYS[day.weekday()]),
    }
    talk.call("get_time", {}, result)
    talk.assistant(clock_answer(req.intent, result))


def _set_timer(talk: Conversation, seconds: int, label: str | None) -> None:
    arguments: dict[str, Any] = {"seconds": seconds} | ({"label": label} if label else {})
    if talk.rng.random() < 0.03:
        talk.call("set_timer", arguments, {"error": "timer service unavailable"})
        talk.assistant("I'm sorry, that didn't work.")
        return
    talk.timers.append({"label": label, "seconds_left": seconds})
    result: dict[str, Any] = {"id": len(talk.timers), "seconds": seconds}
    if label or talk.rng.random() < 0.5:
        result["label"] = label
    talk.call("set_timer", arguments, result)
    talk.assistant(timer_set_answer(seconds, label))


def _label(req: Request) -> str | None:
    return req.values["label"].say if "label" in req.values else None


def _set_timer_turn(talk: Conversation, req: Request) -> None:
    label = _label(req)
    if "length" in req.values:
        req.values["duration"] = req.values["length"]
    if "duration" not in req.values:
        thing = f"the {label} timer" if label else "the timer"
        talk.assistant(f"For how long shall I set {thing}?")
        req = follow_up(talk, "duration")
    _set_timer(talk, int(req.values["duration"].data or 0), label)
    if talk.rng.random() < 0.08:
        shape = Shape(Kind.PLAIN, "[no|sorry|actually] make it {duration}")
        change = make_request("", shape, talk.rng)
        talk.user(change.text)
        _set_timer(talk, int(change.values["duration"].data or 0), label)


def _some_timers(talk: Conversation, label: str | None) -> list[dict[str, Any]]:
    """Timers that a ``list_timers`` may report: those set before, else invented ones."""
    rng = talk.rng
    if talk.timers:
        return [
            {"label": t["label"], "seconds_left": rng.randint(1, t["seconds_left"])}
            for t in talk.timers
        ]
    count = rng.choice((0, 1, 1, 1, 2, 2, 3))
    labels: list[str | None] = [draw_value("label", rng, False).say for _ in range(count)]
    if label and labels and rng.random() < 0.75:
        labels[rng.randrange(count)] = label
    if not label and count == 1 and rng.random() < 0.5:
        labels = [None]
    unique = list(dict.fromkeys(labels))
    return [{"label": name, "seconds_left": _seconds_left(rng)} for name in unique]


def _seconds_left(rng: random.Random) -> int:
    return rng.choice((rng.randint(1, 59), rng.randint(60, 999), rng.randint(60, 999),
                       rng.randint(60, 3600), rng.randint(60, 3600),
                       rng.randint(3600, 43200)))  # fmt: skip


def _list_timers_turn(talk: Conversation, req: Request) -> None:
    label = _label(req)
    timers = _some_timers(talk, label)
    shown = [dict(timer) for timer in timers]
    if talk.rng.random() < 0.4:
        shown = [{k: v for k, v in timer.items() if v is not None} for timer in shown]
    if talk.rng.random() < 0.3:
        shown = [{"id": i + 1, **timer} for i, timer in enumerate(shown)]
    talk.call("list_timers", {}, {"timers": shown})
    talk.assistant(timers_answer(timers, label))


def _cancel_timer_turn(talk: Conversation, req: Request) -> None:
    label = _label(req)
    every = bool(re.search(r"\ball\b|every|no more", req.flat))
    count = talk.rng.choice((0, 1, 2, 2, 3, 4)) if every else talk.rng.choice((0, 1, 1, 1, 1, 1))
    talk.timers = []
    talk.call("cancel_timer", {"label": label} if label else {}, {"cancelled": count})
    talk.assistant(cancelled_answer(count, label))


def tool_turn(talk: Conversation, req: Request) -> None:
    """Answer a request about the clock or the timers."""
    tool = _NAME_OF_INTENT_TOOL[req.intent]
    if tool not in talk.tools:
        talk.assistant(_NO_TOOL[tool])
    elif tool == "get_time":
        _clock_turn(talk, req)
    elif tool == "set_timer":
        _set_timer_turn(talk, req)
    elif tool == "list_timers":
        _list_timers_turn(talk, req)
    else:
        _cancel_timer_turn(talk, req)


def follow_up(talk: Conversation, slot: str) -> Request:
    """The user answers a question about ``slot``."""
    req = make_request("follow_up", talk.rng.choice(FOLLOW_UPS[slot]), talk.rng)
    talk.user(req.text)
    return req


def _known(form: Form, values: dict[str, str]) -> dict[str, str]:
    """Let a surname stand for a name and any time or day for "when"."""
    if "surname" in values:
        full = f"{values['name']} {values['surname']}" if "name" in values else values["surname"]
        values["name"] = full
        del values["surname"]
    if any(slot == "when" for slot, _ in form.needs) and ("time" in values or "day" in values):
        values["when"] = values.get("time") or values["day"]
    return values


def form_turn(talk: Conversation, req: Request) -> None:
    """Fill a form: echo what is known, ask for what is missing, close."""
    name = _FORM_OF[req.intent]
    if name == "meeting" and "name" in req.values:
        name = "meeting_with"
    form, values = FORMS[name], _extras(req)
    del values["when"]  # a form asks for it under this name
    values = _known(form, values)
    while missing := [(s, question) for s, question in form.needs if s not in values]:
        slot, question = missing[0]
        echo = render_answer(form.echo, values, talk.rng)
        talk.assistant(f"{echo} {question}".strip())
        if talk.rng.random() < 0.06:
            return
        # One slot can be answered with another beside it ("two people at six").
        values |= follow_up(talk, slot).said()
        values = _known(form, values)
    talk.assistant(render_answer(form.done, values, talk.rng))


def _order_words(req: Request) -> str:
    words = _ORDER_VERBS.sub("", req.say(req.flat))
    words = re.sub(r"^(and|yes|also|i'd also like|no|please)\s+", "", words)
    words = re.sub(r"^(and|yes|also)\s+", "", words)
    return re.sub(r"\s+(please|too)$", "", words)


def order_turn(talk: Conversation, req: Request) -> None:
    """Take an order: repeat it, ask for more, close."""
    if req.intent in _MENUS:
        menu, kind = _MENUS[req.intent]
        talk.assistant(menu)
        req = make_request("order", talk.rng.choice(_ORDER_ANSWERS[kind]), talk.rng)
        talk.user(req.text)
    talk.assistant(f"Okay, {_order_words(req)}. Anything else?")
    while talk.rng.random() < 0.6:
        if talk.rng.random() < 0.6:
            talk.user(make_request("", talk.rng.choice(_NO_MORE), talk.rng).text)
            talk.assistant("Thank you. Your order is on its way.")
            return
        more = make_request("order", talk.rng.choice(_MORE_ORDER), talk.rng)
        talk.user(more.text)
        talk.assistant(f"Okay, {_order_words(more)}. Anything else?")


def _state_of(answer: str) -> str:
    return answer.rstrip(".").rsplit(" ", 1)[-1]


def again_turn(talk: Conversation, req: Request) -> None:
    """Refer back to what was just done ("turn it off again", "and in the hall too")."""
    template, answer = talk.rng.choice(_AGAIN[req.intent])
    values = _extras(req)
    if not all(s + i in values or i for s, i in _SLOT.findall(_OPTIONAL.sub("", answer))
               if s != "state"):  # fmt: skip
        return
    values["state"] = _state_of(talk.last_answer() or "")
    later = make_request("again", Shape(Kind.PLAIN, template), talk.rng)
    talk.user(later.text)
    talk.assistant(render_answer(answer, values | later.said(), talk.rng))


def _comfort_turn(talk: Conversation) -> None:
    """Yes or no to "Shall I play some relaxing music?"."""
    yes = talk.rng.random() < 0.5
    shape = "yes [please|]|sure|okay|that would be nice" if yes else "no [thanks|thank you|]"
    req = make_request("", Shape(Kind.PLAIN, f"[{shape}]"), talk.rng)
    talk.user(req.text)
    talk.assistant("Okay, playing relaxing music." if yes else "Okay.")


def noise_turn(talk: Conversation) -> None:
    """Words that make no sense together, as a recognizer hears in noise."""
    words = talk.rng.sample(_ALL_WORDS, talk.rng.randint(2, 6))
    talk.user(" ".join(words))
    talk.assistant("I'm sorry, I didn't catch that. Could you say it again?")


_ALL_WORDS: Final = sorted(domain.VOCABULARY)
_ORDERS: Final = frozenset({"drink", "food", "pizza", *_MENUS})


def turn(talk: Conversation, intent: str) -> None:
    """One request of the user and all that follows from it."""
    if intent == "noise":
        noise_turn(talk)
        return
    req = request(intent, talk.rng)
    talk.user(req.text)
    if intent in _NAME_OF_INTENT_TOOL:
        tool_turn(talk, req)
    elif intent in _ORDERS:
        order_turn(talk, req)
    elif intent in _FORM_OF and not (intent == "delivery" and "digits" in req.values):
        if intent == "returns" and re.search("policy|something|my order", req.flat):
            talk.assistant(plain_answer(talk, req))
        else:
            form_turn(talk, req)
    else:
        talk.assistant(plain_answer(talk, req))
    if intent in _AGAIN and talk.rng.random() < 0.2 and "?" not in (talk.last_answer() or ""):
        again_turn(talk, req)
    if (talk.last_answer() or "").endswith("relaxing music?") and talk.rng.random() < 0.6:
        _comfort_turn(talk)


def _interrupt(talk: Conversation) -> None:
    """Cut the last answer off where a user barged in; nobody should learn to stop there."""
    message = talk.messages[-1]
    if message["role"] != "assistant" or message.get("tool_calls"):
        return
    words = message["content"].split()
    if len(words) < 3:
        return
    message["content"] = " ".join(words[: talk.rng.randint(1, len(words) - 1)])
    message["learn"] = False


def _system(rng: random.Random) -> str | None:
    pick = rng.random()
    if pick < 0.55:
        return DEFAULT_SYSTEM
    if pick < 0.70:
        return None
    given = {"name": proper(domain.slot_value("name", rng)),
             "surname": proper(domain.slot_value("surname", rng)),
             "city": proper(domain.slot_value("city", rng))}  # fmt: skip
    return domain.fill(rng.choice(_OTHER_SYSTEMS), rng, given).text


def _tools(rng: random.Random) -> tuple[str, ...]:
    pick = rng.random()
    if pick < 0.80:
        return TOOLS
    if pick < 0.90:
        return ()
    some = tuple(tool for tool in TOOLS if rng.random() < 0.6)
    return (*some, rng.choice(("get_weather", "send_email", "search"))) if pick > 0.97 else some


@dataclass(frozen=True)
class Dialogue:
    """One training conversation: OpenAI messages and the tools declared with them.

    A message with ``"learn": False`` is history that must not be imitated.
    """

    messages: tuple[Message, ...]
    tools: tuple[str, ...]


def dialogue(rng: random.Random) -> Dialogue:
    """Draw one conversation of one to four user requests."""
    talk = Conversation(rng, _tools(rng))
    if (system := _system(rng)) is not None:
        talk.messages.append({"role": "system", "content": system})
    names, weights = tuple(_WEIGHTS), tuple(_WEIGHTS.values())
    # A few conversations are much longer, so that far positions are seen in training too.
    requests = rng.randint(6, 12) if rng.random() < 0.03 else rng.choice((1, 1, 2, 2, 3, 3, 4, 4))
    for index in range(requests):
        if index and rng.random() < 0.06:
            _interrupt(talk)
        intent = rng.choices(names, weights)[0]
        if talk.name and rng.random() < 0.35:
            intent = "ask_name"
        elif talk.groceries and rng.random() < 0.4:
            intent = "grocery_list"
        elif index and rng.random() < 0.06:
            intent = "repeat"
        turn(talk, intent)
    return Dialogue(tuple(talk.messages), talk.tools)


def dialogues(seed: int) -> Iterator[Dialogue]:
    """An endless, reproducible stream of conversations."""
    rng = random.Random(seed)
    while True:
        yield dialogue(rng)


if __name__ == "__main__":
    for item, _ in zip(dialogues(0), range(30), strict=False):
        print("tools:", *item.tools)
        for message in item.messages:
            content = message["content"] or json.dumps(message["tool_calls"][0]["function"])
            print(f"  {message['role']:9} {content}")
