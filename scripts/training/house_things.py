"""Things of a house that are switched, opened, locked or set, and how people ask for that."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from dialogue_values import draw_value
from domain import choose_branches
from open_words import open_word
from slots import phrases
from spoken_numbers import spoken_number

Rng = random.Random

_ROOMS: Final = phrases(
    "landing, spare room, guest room, stairs, hall, hallway, porch, attic, playroom, den, nursery,"
    "upstairs, downstairs, back room, corner, dressing room, pantry, garage, balcony, gym, studio,"
    "reading corner, kids' room, cloakroom, laundry, basement, dining room, study, main bedroom"
)
_LAMPS: Final = phrases(
    "light, light, lights, lights, lights, lamp, lamps, ceiling light, floor lamp, desk lamp, spotlights,"
    "fairy lights, night light, bedside lamp"
)
_BARE: Final = phrases(
    "desk lamp, ceiling light, floor lamp, bedside lamp, reading lamp, table lamp, fairy lights, night light, big light,"
    "little lamp, spotlights, standing lamp, tall lamp, piano lamp, main light, mood lights, christmas lights, sewing lamp,"
    "outside light, garden lights, wall lights, corner lamp, mirror light, new lamp, lava lamp, cooker light, strip lights"
)
_COLOURS: Final = phrases(
    "turquoise, violet, deep blue, soft pink, light green, cold white, warm yellow, gold, amber, lilac, teal, dark red, cream,"
    "navy, magenta, peach, lime green, sky blue, silver, mint, daylight, candlelight, a warm orange, rainbow colours"
)
_MACHINES: Final = phrases(
    "kettle, dishwasher, washing machine, tumble dryer, dryer, fan, oven, iron,"
    "coffee machine, hoover, vacuum, robot vacuum, heater, fridge light, printer, sprinkler,"
    "garden hose, toaster, air conditioning, extractor fan, slow cooker, electric blanket"
)
_OPENED: Final = phrases(
    "garage, garage door, gate, garden gate, front gate, skylight, window, patio door, cat flap,"
    "blinds, curtains, shutters, bedroom blinds, kitchen blinds, living room curtains, window blinds,"
    "study shutters, awning, back door, roof window, bathroom window, balcony door, barn door"
)
_LOCKED: Final = phrases(
    "front door, back door, patio door, garage, side door, garden gate, car, shed, cellar door, safe,"
    "main door, balcony door, house, kitchen door, bike shed"
)


@dataclass(frozen=True)
class Deed:
    """One thing done: what of (``kitchen lights``), its state, the wish, and what is said of it."""

    kind: str
    thing: str
    state: str
    wish: str
    done: str


def be(thing: str) -> str:
    """``are`` for lights and blinds, else ``is``."""
    thing = re.split(" (?:in|on|by|over|behind|beside|under) the ", thing, maxsplit=1)[0]
    many = thing.endswith("s") and not thing.endswith(("upstairs", "downstairs", "stairs", "ss"))
    return "are" if many else "is"


def draw_room(rng: Rng) -> str:
    """A room; now and then one that no house has."""
    pick = rng.random()
    if pick < 0.5:
        return draw_value("room", rng, False).say
    return rng.choice(_ROOMS) if pick < 0.9 else f"{open_word(rng)} room"


def bare_lamp(rng: Rng) -> str:
    """A lamp that needs no room: ``desk lamp``, ``fairy lights``."""
    return (
        rng.choice(_BARE)
        if rng.random() < 0.85
        else f"{open_word(rng)} {rng.choice(('lamp', 'light', 'lights'))}"
    )


def draw_colour(rng: Rng) -> str:
    """A colour of light; now and then one that no lamp has."""
    pick = rng.random()
    if pick < 0.6:
        return draw_value("colour", rng, False).say
    return rng.choice(_COLOURS) if pick < 0.92 else open_word(rng)


def coloured(rng: Rng) -> Deed:
    """A light gets a colour."""
    colour, pick = draw_colour(rng), rng.random()
    if pick < 0.25:
        thing = "light in your room"
        wish = "[[make|turn|set] my room {s}|[make|turn] my room {s} just the light|my light {s}|{s} light in my room|make my light {s}|can my room be {s}|i want my room {s}|[make|turn] the light in my room {s}|my room in {s}]"
    elif pick < 0.33:
        thing = "lights"
        wish = "[[make|turn|set|put] the lights {s}|{s} lights|the lights in {s}|all the lights {s}|lights {s}|i want {s} light]"
    elif pick < 0.42:
        thing = bare_lamp(rng)
        wish = "[[make|turn|set] the {t} [to|] {s}|{t} {s}|the {t} in {s}]"
    else:
        room, lamp = draw_room(rng), rng.choice(("light", "light", "lights", "lamp"))
        thing = f"{room} {lamp}"
        wish = f"[[make|turn|set|change] the {thing} [to|] {{s}}|{thing} {{s}}|[a|] {{s}} {lamp} in the {room}|[make|turn] the {lamp} in the {room} {{s}}|i want the {room} {lamp} in {{s}}|can the {room} {lamp} be {{s}}|{lamp} {{s}} in the {room}]"
    return Deed(
        "colour",
        thing,
        colour,
        _filled(wish, thing, colour, rng),
        f"the {thing} {be(thing)} {colour} now",
    )


def plain_lights(rng: Rng) -> Deed:
    """The lights of no room in particular."""
    state, wish = rng.choice(
        (("dimmed", "[lights down|dim the lights|lights low|turn the lights down|lights down a bit|lower the lights]"),
         ("dimmed", "[lights down low|turn down the lights|dim the lights a bit|the lights down a little]"),
         ("brighter", "[lights up|brighter lights|turn the lights up|make the lights brighter|more light]"),
         ("on", "[lights on|all lights on|the lights on]"), ("off", "[lights off|lights out|the lights off]"))
    )  # fmt: skip
    return Deed(
        "turn" if state in ("dimmed", "brighter") else "switch",
        "lights",
        state,
        choose_branches(wish, rng),
        f"the lights are {state}",
    )


def draw_light(rng: Rng) -> str:
    """``kitchen lights``, ``lamp on the landing``, ``bathroom light``, ``desk lamp``."""
    if rng.random() < 0.1:
        return bare_lamp(rng)
    lamp, room = rng.choice(_LAMPS), draw_room(rng)
    if rng.random() < 0.06:
        near = rng.choice(
            ("sofa", "table", "bed", "door", "desk", "mirror", "piano", open_word(rng))
        )
        return f"{lamp} {rng.choice(('over', 'behind', 'beside', 'under'))} the {near}"
    if rng.random() < 0.15 or room.endswith("stairs"):
        return f"{lamp} {rng.choice(('in', 'in', 'on', 'by'))} the {room}"
    return f"{room} {lamp}"


def _switched(rng: Rng, thing: str) -> Deed:
    state = rng.choice(("on", "off"))
    wish = rng.choice(
        (
            "[turn|switch|turn|switch|put] {s} the {t}",
            "[turn|switch|turn|put] the {t} {s}",
            "{t} {s}",
            "the {t} {s}",
            "[have|get|leave|i'd like|i want|i need|let's have] the {t} {s}",
            "[start|run] the {t}" if state == "on" else "[stop|kill|shut off] the {t}",
            "[flick|pop|stick|put|get|leave|keep] the {t} {s}",
            "i need the {t} {s}",
            "is the {t} {s} if not turn it {s}",
            "[did i leave the {t} on|i left the {t} on|i think the {t} is still on|the {t} is still on|nobody needs the {t}] [turn|switch] [it|that] off"
            if state == "off"
            else "[the {t} is off|is the {t} off] [turn|switch|put] it on",
            "[turn|switch|put|knock] off the {t} [somebody|he|himself|the kids|my son|she|my husband|i|that boy] [left|has left|is after leaving|always leaves|keeps leaving|forgot and left] it on [again|all night|]"
            if state == "off"
            else "[turn|switch|put] on the {t} [somebody|he|she|my wife|i] [turned|switched|had] it off [again|]",
            _foreign(thing, state),
        )
    )
    return Deed("switch", thing, state, _filled(wish, thing, state, rng), _is(thing, state))


def _foreign(thing: str, state: str) -> str:
    """As said by those who say it otherwise at home: ``on the fan light``, ``close the lamp``."""
    if not re.search("light|lamp|spot", thing):
        return "{s} the {t}" if state == "off" else "{s} the {t} please"
    verbs = "off|close|put out|kill|knock off|shut|out with" if state == "off" else "on|open|light|light up|fire up"  # fmt: skip
    return f"[{verbs}] the {{t}}"


def _filled(wish: str, thing: str, state: str, rng: Rng) -> str:
    return choose_branches(wish.replace("{t}", thing).replace("{s}", state), rng)


def _is(thing: str, state: str) -> str:
    return f"the {thing} {be(thing)} {state}"


def light(rng: Rng) -> Deed:
    """A light goes on or off."""
    return _switched(rng, draw_light(rng))


def machine(rng: Rng) -> Deed:
    """A machine goes on or off."""
    thing = rng.choice(_MACHINES) if rng.random() < 0.6 else draw_value("appliance", rng, False).say
    if rng.random() < 0.08:
        thing = f"{open_word(rng)} {rng.choice(('machine', 'heater', 'fan', 'cooker'))}"
    return _switched(rng, thing)


def opened(rng: Rng) -> Deed:
    """Something is opened or closed."""
    thing, state = rng.choice(_OPENED), rng.choice(("open", "closed"))
    if rng.random() < 0.3:
        thing = f"{draw_room(rng)} {rng.choice(('blinds', 'curtains', 'shutters', 'window'))}"
    verbs = "open|raise|pull up|let up" if state == "open" else "close|shut|lower|pull down"
    short = "up" if state == "open" else "down"
    wish = rng.choice((f"[{verbs}] the {{t}}", f"[{verbs}] the {{t}}", f"{{t}} {short}", "{t} {s}"))
    return Deed("open", thing, state, _filled(wish, thing, state, rng), _is(thing, state))


def locked(rng: Rng) -> Deed:
    """A door is locked or unlocked."""
    thing, verb = rng.choice(_LOCKED), rng.choice(("lock", "lock", "unlock"))
    wish = rng.choice(
        (
            f"{verb} the {{t}}",
            f"{verb} the {{t}}",
            f"{verb} up the {{t}}" if verb == "lock" else f"{verb} the {{t}}",
        )
    )
    return Deed("lock", thing, f"{verb}ed", _filled(wish, thing, "", rng), _is(thing, f"{verb}ed"))


def heated(rng: Rng) -> Deed:
    """The heating, here or there, is set to some degrees."""
    where = "heating" if rng.random() < 0.6 else f"heating in the {draw_room(rng)}"
    degrees = spoken_number(rng.randint(15, 26))
    wish = rng.choice(
        (
            "[set|put|turn] the {t} [to|at|up to|down to] {s} [degrees|]",
            "{t} [to|at] {s} [degrees|]",
            "[make it|i'd like it] {s} degrees"
            if where == "heating"
            else "[set|put] the {t} to {s}",
            "set the [thermostat|temperature] to {s} [degrees|]"
            if where == "heating"
            else "{t} to {s} degrees",
        )
    )
    if rng.random() < 0.07:
        degrees = f"{degrees} and a half"
        wish = "[set|put|turn] the {t} to {s} degrees"
    done = f"the {where} is set to {degrees} degrees"
    return Deed("set", where, f"{degrees} degrees", _filled(wish, where, degrees, rng), done)


def oven(rng: Rng) -> Deed:
    """The oven, or another thing with a number, is set."""
    hundred = rng.choice(
        ("one hundred and ", "two hundred", "one hundred and ", "two hundred and ")
    )
    number = (
        hundred if hundred == "two hundred" else hundred + spoken_number(10 * rng.randint(1, 9))
    )
    wish = "[set the oven to {s} [degrees|]|heat the oven to {s} degrees|the oven should be at {s} [degrees|]|oven to {s}|preheat the oven to {s} [degrees|]]"
    return Deed(
        "set",
        "oven",
        f"{number} degrees",
        _filled(wish, "oven", number, rng),
        f"the oven is set to {number} degrees",
    )


def dimmed(rng: Rng) -> Deed:
    """A light is set to a percentage."""
    thing, percent = (
        draw_light(rng),
        rng.choice(("half", *(spoken_number(5 * n) for n in range(1, 20)))),
    )
    state = "half" if percent == "half" else f"{percent} percent"
    wish = "[[set|dim|put|turn] the {t} to {s}|{t} to {s}|{t} at {s}|dim the {t} to {s}]"
    return Deed(
        "dim", thing, state, _filled(wish, thing, state, rng), f"the {thing} {be(thing)} at {state}"
    )


def turned(rng: Rng) -> Deed:
    """A light brighter or dimmer, the heating up or down."""
    kind = rng.choice(("light", "light", "heating", "heating", "room"))
    up = rng.random() < 0.5
    if kind == "light":
        thing = draw_light(rng)
        wish = (
            "[[make the {t} brighter|turn the {t} up|brighten the {t}|more light from the {t}]"
            if up
            else (
                "[[dim the {t}|turn the {t} down|make the {t} darker|lower the {t}|the {t} a bit darker]"
            )
        )
        return Deed("turn", thing, "brighter" if up else "dimmed", _filled(wish[1:], thing, "", rng),
                    f"the {thing} {be(thing)} {'brighter' if up else 'dimmed'}")  # fmt: skip
    if kind == "room":
        room = draw_room(rng)
        wish = (
            "[warm up the {t}|make the {t} warmer|it's cold in the {t}|more heat in the {t}]"
            if up
            else (
                "[cool down the {t}|make the {t} cooler|it's too warm in the {t}|it's boiling in the {t}]"
            )
        )
        return Deed("turn", f"heating in the {room}", "up" if up else "down", _filled(wish, room, "", rng),
                    f"I've turned the heating {'up' if up else 'down'} in the {room}")  # fmt: skip
    thing, way = kind, "up" if up else "down"
    wish = "[turn|put] [the {t} {s}|{s} the {t}|the {t} {s} a bit|the {t} {s} a little] "
    return Deed(
        "turn", thing, way, _filled(wish, thing, way, rng), f"I've turned the {thing} {way}"
    )


def every(rng: Rng) -> Deed:
    """All lights, all blinds."""
    if rng.random() < 0.2:
        wish = "[everything off|turn everything off|switch everything off|switch it all off|turn it all off|all off|turn the lot off|shut everything down|everything off in the house|power everything off]"
        return Deed("every", "everything", "off", choose_branches(wish, rng), "everything is off")
    thing, verb, state = rng.choice(
        (("all the lights", "[turn off|switch off|put off|close|kill|put out|shut]", "off"), ("all the lights", "[turn|switch|put] on", "on"),
         ("all the blinds", "[close|shut|lower]", "closed"), ("all the blinds", "[open|raise]", "open"),
         ("all the shutters", "[close|lower]", "closed"), ("all the windows", "[close|shut]", "closed"),
         ("all the doors", "lock", "locked"))
    )  # fmt: skip
    where = rng.choice(
        ("", "", " downstairs", " upstairs", " in the house", " in the flat", " in the whole house")
    )
    noun = thing.removeprefix("all the ")
    wish = f"[{verb} {thing}{where}|{verb} {thing}{where}|{verb} every one of the {noun}{where}|{verb} the {noun}{where} all of them]"
    if thing == "all the doors":
        wish = "[lock up|lock up for the night|lock all the doors|lock everything|lock the doors]"
        where = ""
    return Deed(
        "every", thing + where, state, choose_branches(wish, rng), f"{thing}{where} are {state}"
    )


DEEDS: Final[tuple[tuple[Callable[[Rng], Deed], int], ...]] = (
    (light, 12),
    (machine, 6),
    (opened, 6),
    (locked, 3),
    (heated, 6),
    (oven, 2),
    (dimmed, 2),
    (coloured, 3),
    (plain_lights, 2),
    (turned, 5),
    (every, 3),
)


def draw_deed(rng: Rng) -> Deed:
    """Anything that can be done in the house."""
    makers = [make for make, _ in DEEDS]
    return rng.choices(makers, [weight for _, weight in DEEDS])[0](rng)
