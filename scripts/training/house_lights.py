"""Lights: in colours, in several rooms at once, brighter for a while, and asked about."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from conversation import Conversation
from dialogue_values import capitalise
from domain import choose_branches
from house_state import NO, answer, is_light, last_light, single, tidy
from house_things import Deed, bare_lamp, be, coloured, draw_colour, draw_room
from order_items import joined
from person_turns import say
from shapes import Kind
from spoken_numbers import spoken_number

_BEFORE: Final = "[|||||can you|could you|please|hey|okay|now|and|uh|um|right|it's film night so|the guests are coming so|i'm reading so|we're eating so|for the party|it's too bright so|i'd like|let's have|would you|oh and|also]"
_AFTER: Final = "[||||||please|thanks|would you|now|for now|it's getting dark|i'm going to read|my eyes hurt|while we eat|for the film|if you can|for the kids]"
_DIM: Final = "a bit darker|darker|dim it a bit|not so bright|less bright|down a little|dim it|a little dimmer|turn it down [really|very|] low|softer light"
_BRIGHT: Final = "a bit brighter|bit brighter|brighter|more light|a little brighter|brighten it up|i need more light|turn it up a bit|make it brighter"
_READING: Final = "[|||please|please i can't make out the page|i can't see a thing|i'm trying to read|i'm sewing|for my homework|i can't read the label|it's gloomy in here]"
_RESTING: Final = "[|||please|my eyes hurt|i have a headache|the baby is sleeping|we're watching a film|it's blinding me|so i can sleep]"


def lights_turn(talk: Conversation) -> None:
    """A colour, several lights at once, or a bit brighter; then more of it, and questions."""
    begun = talk.rng.choices(
        (colour_light, _several, _brightness, _bare, _percent), (4, 5, 3, 2, 3)
    )[0]
    begun(talk)
    while talk.rng.random() < 0.5:
        _later(talk)


def colour_light(talk: Conversation) -> None:
    """A light gets a colour."""
    deed = coloured(talk.rng)
    say(talk, tidy(choose_branches(f"{_BEFORE} {deed.wish} {_AFTER}", talk.rng)))
    answer(talk, [deed])


def _bare(talk: Conversation) -> None:
    """``desk lamp on``: no room is named, none is needed."""
    thing, state = bare_lamp(talk.rng), talk.rng.choice(("on", "off"))
    say(
        talk,
        f"{_BEFORE} [switch the {thing} {state}|turn {state} the {thing}|{thing} {state}|the {thing} {state}|put the {thing} {state}|turn my {thing} {state}] {_AFTER}",
    )
    answer(talk, [_light(thing, state)])


def _light(thing: str, state: str) -> Deed:
    """``the hall lights are red now``."""
    kind = "switch" if state in ("on", "off") else "colour"
    if state in ("brighter", "dimmed") or state.endswith("percent"):
        kind = "turn"
    how = f"at {state}" if state.endswith("percent") else state
    return Deed(
        kind, thing, state, "", f"the {thing} {be(thing)} {how}{' now' if kind == 'colour' else ''}"
    )


def _state(rng: random.Random) -> tuple[str, str]:
    """How it is asked for, and what is said."""
    pick = rng.random()
    if pick < 0.7:
        state = rng.choice(("on", "off"))
        return state, state
    if pick < 0.85:
        colour = draw_colour(rng)
        return colour, colour
    if pick < 0.93:
        return rng.choice(
            (
                ("down", "dimmed"),
                ("low", "dimmed"),
                ("brighter", "brighter"),
                ("up", "brighter"),
                ("dimmed", "dimmed"),
            )
        )
    percent = f"{spoken_number(5 * rng.randint(1, 19))} percent"
    return rng.choice((f"to {percent}", f"at {percent}", percent)), percent


def _several(talk: Conversation) -> None:
    """Two or three lights: the same for all, or each its own."""
    rng = talk.rng
    rooms = list(dict.fromkeys(draw_room(rng) for _ in range(rng.choice((2, 2, 2, 3)))))
    if len(rooms) < 2:
        return
    words, deeds = (_same if rng.random() < 0.4 else _different)(rng, rooms)
    say(talk, tidy(choose_branches(f"{_BEFORE} {words} {_AFTER}", rng)))
    answer(talk, deeds)


def _same(rng: random.Random, rooms: list[str]) -> tuple[str, list[Deed]]:
    said, state = _state(rng)
    noun = rng.choice(("lights", "lights", "light", "lamps"))
    listed = joined([f"the {room}" for room in rooms]) if rng.random() < 0.5 else joined(rooms)
    bare = listed.removeprefix("the ")
    both = rng.choice(("", "", "both ")) if len(rooms) == 2 else rng.choice(("", "all "))
    words = f"[{noun} {said} in {listed}|{both}{listed} {noun} {said}|turn {both}the {bare} {noun} {said}|the {bare} {noun} {said}|[put|have|switch] the {noun} in {listed} {said}]"
    if state in ("on", "off"):
        words = f"[{words}|{words}|turn {said} the {noun} in {listed}|{said} with the {noun} in {listed}|{bare} {said}]"
        noun = noun if noun in words else "lights"
    chosen = choose_branches(words, rng)
    noun = noun if re.search(rf"\b{noun}\b", chosen) else "lights"
    return chosen, [_light(f"{room} {noun}", state) for room in rooms]


def _different(rng: random.Random, rooms: list[str]) -> tuple[str, list[Deed]]:
    states = [_state(rng) for _ in rooms]
    if len(rooms) == 2 and rng.random() < 0.3:
        lamps = list(dict.fromkeys((bare_lamp(rng), bare_lamp(rng))))
        link = rng.choice((" ", ", ", " and ", " but "))
        parts = [f"{lamp} {said}" for lamp, (said, _) in zip(lamps, states, strict=False)]
        return link.join(parts), [
            _light(lamp, state) for lamp, (_, state) in zip(lamps, states, strict=False)
        ]
    noun, link = (
        rng.choice(("lights", "lights", "light", "lamp")),
        rng.choice((" and ", " and ", " but ", ", ", " ")),
    )
    (first, one), (second, two) = states[:2]
    a, b = rooms[:2]
    words = rng.choice(
        (
            f"{noun} {first} in the {a}{link}{second} in the {b}",
            f"[turn|put|switch|] the {a} {noun} {first}{link}the {b} [{noun}|] {second}",
            f"{a} {noun} {first}{link}{b} {second}",
            f"the {noun} in the {a} {first}{link}in the {b} {second}",
            f"{a} {noun} {first} but [leave|keep] the {b} {noun} {second}",
            f"{first} in the {a} {second} in the {b} the {noun} i mean"
            if one in ("on", "off")
            else f"{noun} {first} in the {a}{link}{second} in the {b}",
        )
    )
    return choose_branches(words, rng), [_light(f"{a} {noun}", one), _light(f"{b} {noun}", two)]


def _brightness(talk: Conversation) -> None:
    """Brighter or darker: the light spoken of last, else the lights."""
    bright = talk.rng.random() < 0.5
    known = (
        talk.house[-1]
        if single(talk) and is_light(talk.house[-1]) and talk.house[-1].state != "off"
        else None
    )
    thing = known.thing if known else "lights"
    say(
        talk,
        f"[|||okay|and|uh|hmm|now] [{_BRIGHT if bright else _DIM}] {_READING if bright else _RESTING}".replace(
            "turn it up a bit" if not known else "\0", "more light"
        ),
    )
    deed = _light(thing, "brighter" if bright else "dimmed")
    if known and known.kind == "colour":
        deed = replace(known, done=deed.done)
    answer(talk, [deed])


def _percent(talk: Conversation) -> None:
    """A lamp at so many percent: set, put right by the bare number, asked for."""
    rng = talk.rng
    room = draw_room(rng)
    thing = rng.choice((bare_lamp(rng), f"{room} lights", f"{room} light", "lights"))
    level = _level(rng)
    words = f"[dim|set|turn|put|bring] the {thing} [to|down to|up to|at|on] {_said_level(rng, level)}|[the|] {thing} [to|at|on] {_said_level(rng, level)}|{_said_level(rng, level)} on the {thing}"
    say(talk, tidy(choose_branches(f"{_BEFORE} [{words}] {_AFTER}", rng)))
    answer(talk, [_light(thing, f"{spoken_number(level)} percent")])
    while rng.random() < 0.6:
        if not single(talk) or talk.house[-1].thing != thing or rng.random() < 0.5:
            _ask_percent(talk, thing)
            continue
        old, level = level, _level(rng)
        brighter = level > old
        why = "[hmm|no|that's [too|a bit] dark|it's too dark|still dark|too dim|not enough]" if brighter else "[hmm|no|that's [too|a bit] bright|too bright|it's too much|still too bright]"  # fmt: skip
        n = spoken_number(level)
        say(talk, f"{why} [{n} is better|make it {n}|{n} percent|try {n}|let's say {n} percent|rather {n}|i'd rather have {n}|{n} please|put it to {n}|go for {n} percent]")  # fmt: skip
        answer(talk, [_light(thing, f"{n} percent")])


def _level(rng: random.Random) -> int:
    return 5 * rng.randint(1, 19) if rng.random() < 0.85 else rng.randint(2, 99)


def _said_level(rng: random.Random, level: int) -> str:
    return f"{spoken_number(level)} percent" if rng.random() < 0.8 else f"{level}%"


def _ask_percent(talk: Conversation, thing: str) -> None:
    known = next((deed for deed in talk.house if deed.thing == thing), None)
    if known is None or not known.state.endswith("percent"):
        return
    verb = be(thing)
    say(
        talk,
        f"[|||so|and|okay|um|right|never mind|wait] [how bright {verb} the {thing} [now|]|what {verb} the {thing} [at|on|set to] [now|]|at how many percent {verb} the {thing} [now|]|how many percent {verb} the {thing} at|what percentage {verb} the {thing} on|what did i set the {thing} to|how dim {verb} the {thing} [now|]|"
        f"how far up {verb} the {thing}|what level did i set for the {thing}|what brightness did i ask for]",
        Kind.QUESTION,
    )
    talk.assistant(capitalise(f"{known.done}."))


def _later(talk: Conversation) -> None:
    known = last_light(talk)
    if known is None:
        return
    pick, last = talk.rng.random(), talk.house[-1] is known and single(talk)
    if pick < 0.4:
        ask_light(talk)
    elif pick < 0.6 and last and known.kind == "colour":
        _recoloured(talk, known)
    elif pick < 0.75 and last and known.kind == "switch":
        _named_again(talk, known)
    elif pick < 0.88 and last:
        _brightness(talk)
    else:
        colour_light(talk)


def _recoloured(talk: Conversation, known: Deed) -> None:
    colour = draw_colour(talk.rng)
    say(talk, f"[{NO} [make it|i meant|i said|rather|better] {colour}|no {colour} {colour} is better|{colour} is nicer|hmm {colour} please|{colour} not {known.state}|i don't like {known.state} [make it|try] {colour}|"
              f"[now|and now|how about|try] {colour} [please|instead|]|change it to {colour}|actually {colour}|not {known.state} {colour}]")  # fmt: skip
    answer(talk, [_light(known.thing, colour)])


def _named_again(talk: Conversation, known: Deed) -> None:
    """``lamp off then``: the one that was meant before."""
    noun = known.thing.split(" in the ")[0].split(" on the ")[0].rsplit(maxsplit=1)[-1]
    state = "off" if known.state == "on" else "on"
    say(
        talk,
        f"[{noun} {state} [then|again]|[now|and now|okay|right] [turn|switch] that {noun} {state} [again|]|the {noun} {state} again [please|]|turn {state} that {noun} [now|again|]|{noun} {state} again please]",
    )
    answer(talk, [_light(known.thing, state)])


def ask_light(talk: Conversation) -> None:
    """Its colour, which room it was, what is on."""
    rng = talk.rng
    lamps = [deed for deed in talk.house if is_light(deed)]
    if not lamps or lamps[-1].thing == "lights":
        return
    asks: list[tuple[int, Callable[[], None]]] = [(1, lambda: _ask_room(talk, lamps[-1]))]
    colours = [deed for deed in lamps if deed.kind == "colour"]
    if colours:
        asks.append((4, lambda: _ask_colour(talk, colours)))
    states = [deed.state for deed in lamps]
    if len(lamps) == 2 and sorted(states) == ["off", "on"]:
        asks.append((3, lambda: _ask_which(talk, lamps)))
    rng.choices([ask for _, ask in asks], [weight for weight, _ in asks])[0]()


def _ask_colour(talk: Conversation, colours: list[Deed]) -> None:
    """Of a named light, or of the last that got one."""
    deed = talk.rng.choice(colours)
    room, verb = re.sub(r" (lights?|lamps?)$", "", deed.thing), be(deed.thing)
    words = (
        f"what colour {verb} the {deed.thing} [now|again|]|what colour [is|was] the {room} [now|again|]|what colour's the {room} [again|now|]|what colour did i [ask for|want|pick|choose] for the {room}|"
        f"what did i make the {deed.thing}|which colour has the {room} got"
    )
    if deed is colours[-1]:
        words += (
            "|what colour did i [ask for|want|pick|choose|say] [in the end|]|what colour is my light [now|]|which colour [is it|was it] [now|again|]|what colour was that [light|] [again|]|"
            f"what colour {verb} {'they' if verb == 'are' else 'it'} now|which colour did i go for [in the end|]"
        )
    say(talk, f"[|||so|and|um|wait|sorry] [{words}]", Kind.QUESTION)
    talk.assistant(capitalise(f"{_light(deed.thing, deed.state).done}."))


def _ask_room(talk: Conversation, deed: Deed) -> None:
    say(talk, f"[|||so|and|um|wait|sorry] [which room [was it|did i say|did i mean] [that i wanted the [light|lights] [{deed.state if deed.kind == 'switch' else 'changed'}|]|again|]|what room did i [say|want|ask for]|"
              f"where did i [turn|want|change] the [light|lights] {deed.state if deed.kind == 'switch' else ''}|which [light|lights|lamp] was it [again|]|which [light|lamp] did i [mean|say|change]]", Kind.QUESTION)  # fmt: skip
    talk.assistant(capitalise(f"{deed.done}."))


def _ask_which(talk: Conversation, lamps: list[Deed]) -> None:
    state = talk.rng.choice(("on", "off"))
    say(
        talk,
        f"[which [of the two|one|of them|one of them] is {state} [now|]|and which one is {state}|which is {state} now]",
        Kind.QUESTION,
    )
    deed = next(lamp for lamp in lamps if lamp.state == state)
    talk.assistant(capitalise(f"{deed.done}."))
