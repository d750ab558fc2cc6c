"""The heating: set, put right, a degree more or less, in one room and another, and asked about."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from typing import Final

from conversation import Conversation
from dialogue_values import capitalise
from domain import choose_branches
from house_state import NO, answer, last_room, remember, single, tidy
from house_things import Deed, draw_room
from person_turns import say
from shapes import Kind
from spoken_numbers import spoken_number

_NUMBERS: Final = {f"{spoken_number(n)} degrees": n for n in range(5, 96)}
_WHY: Final = (
    "[||||it's [freezing|cold|nippy|chilly|so cold|rather chilly|perishing|boiling|roasting|stuffy|a bit fresh|like an oven] in here|i'm [frozen|cold|freezing|boiling|sweating|shivering]|"
    "we're [cold|hot|freezing]|brr|the baby is cold|my feet are cold|hi|right|okay|um|uh|hey|and|now|also|listen|could you|can you|would you|please] "
)
_WAIT: Final = (
    "[no|no that's too [much|hot|warm|cold]|no wait|sorry|er no|hmm no|no make that|or better|actually|nah|no hang on|i mean|wait|uh no|"
    "no that's [silly|a lot|not enough]|oh no|or no|hmm]"
)
_AFTER: Final = "[||||please|thanks|would you|will you|for the night|tonight|now|for now|if you can|cheers|for the baby|before i get home|for a while]"
_SET: Final = (
    "[set|put|turn|stick|get|pop|bring|leave|have|keep] the heating [to|at|up to|on|down to] {d} [degrees|]",
    "[heating|thermostat|temperature] [to|at|up to|down to|] {d} [degrees|]",
    "[set|put|turn] the [thermostat|temperature|radiators|radiator|heat] [to|at|up to|down to] {d} [degrees|]",
    "[i'd like|i want|give me|we need|can we have|could i have] {d} degrees [in here|in the house|]",
    "make it {d} [degrees|] [in here|]",
    "[could|can] the heating [go|be put|go up|go down] to {d}",
    "the [heating|temperature] should be [at|] {d} [degrees|]",
    "[crank|turn|whack] it up to {d} [degrees|]",
    "[turn|put|bung|set|bring] [up|down] the heating [for me|] [there|] to [maybe|about|say|around|] {d} [degrees|]",
    "[turn|put|bung|set|bring] the heating [up|down] [a bit|a small bit|a touch|a little|] [there|] to [maybe|about|say|around|] {d} [degrees|]",
    "would you [ever|] [turn|put] [up|down] the heating [for me|] to [maybe|about|] {d}",
    "heating you [put|make|set] [to|at|on] {d} [degrees|] [for all rooms|everywhere|]",
    "the heating [everywhere|in all rooms|in the whole house] [to|at|on] {d} [degrees|]",
)
_SET_ROOM: Final = (
    "[set|put|make|get|keep|have] the {r} [to|at] {d} [degrees|]",
    "the {r} [to|at] {d} [degrees|]",
    "{r} [to|at|] {d} degrees",
    "[warm up|heat|heat up|warm|cool|cool down|bring] the {r} [up|down|] to {d} [degrees|]",
    "heating in the {r} [to|at|] {d}",
    "[put|set|turn] the [heating|radiator|temperature] in the {r} [to|at|on] {d} [degrees|]",
    "{d} [degrees|] in the {r}",
    "[i'd like|i want|we need] the {r} at {d} [degrees|]",
    "[set|put|turn] the {r} [heating|radiator|thermostat] [to|at|on] {d} [degrees|]",
)
_WARMER: Final = (
    "{k} more {g}", "{k} {g} [warmer|more|higher|up|hotter]", "up {k} {g}", "[turn|put|bump|push] it up [by|] {k} {g}",
    "add {k} {g}", "make it {k} {g} warmer", "{k} {g} more [would do|will do|then]", "raise it {k} {g}", "put {k} {g} on", "put it {k} {g} higher", "[go up|raise it] [by|] {k} {g}",
)  # fmt: skip
_COOLER: Final = (
    "{k} {g} [less|cooler|lower|down|colder]", "down {k} {g}", "[turn|put|bring|drop|knock] it down [by|] {k} {g}",
    "take off {k} {g}", "make it {k} {g} cooler", "{k} {g} less [would do|will do|then]", "drop it {k} {g}", "knock {k} {g} off", "take {k} {g} off", "put it {k} {g} lower", "[go down|lower it] [by|] {k} {g}",
)  # fmt: skip
_BIT_WARMER: Final = (
    "[a bit|a little|a touch|slightly|a tad|just a bit] [warmer|higher|more|hotter]", "[still|it's still] [cold|not warm enough|chilly] [turn it up a bit|a bit more|]",
    "[bump|turn|nudge|put] it up [a bit|a notch|a little|a touch|a tad|]", "not warm enough", "warmer", "i'm still cold", "up a [notch|bit|little]",
)  # fmt: skip
_BIT_COOLER: Final = (
    "[a bit|a little|a touch|slightly|a tad|just a bit] [cooler|lower|less|colder]", "[now|oh now] it's too [warm|hot] [turn it down a bit|a bit less|]",
    "[turn|nudge|put|bring] it down [a bit|a notch|a little|a touch|a tad|]", "cooler", "too warm now", "down a [notch|bit|little]",
)  # fmt: skip
#: What is said of the last number before it is changed.
_TOO_MUCH: Final = "[|||okay|hmm|actually|and|can you|no|oh|that's a bit much|that's too much|bit warm that|a bit high|that's a lot|too hot for me|that's a bit hot|we're roasting|it's roasting now|oh that's warm|my wife says it's too hot|on second thoughts]"
_TOO_LITTLE: Final = "[|||okay|hmm|actually|and|can you|no|oh|that's not enough|still a bit cold|bit chilly that|that's a bit low|still cold|not quite|the baby's cold|that's too little|on second thoughts|my feet are still cold]"


def draw_degrees(rng: random.Random) -> int:
    """What people want it at; some count in Fahrenheit."""
    if rng.random() < 0.1:
        return rng.randint(58, 80)
    return rng.randint(16, 24) if rng.random() < 0.75 else rng.randint(10, 29)


def _room(rng: random.Random) -> str:
    """A room that something can be in."""
    room = draw_room(rng)
    return "hall" if room.endswith("stairs") else room


def set_to(thing: str, degrees: int) -> Deed:
    """The heating (there) has so many degrees."""
    words = f"{spoken_number(degrees)} degrees"
    return Deed("set", thing, words, "", f"the {thing} is set to {words}")


def heating_turn(talk: Conversation) -> None:
    """Set, then changed and asked about; or only changed where nothing is known of it."""
    known = last_heating(talk)
    if known is None and talk.rng.random() < 0.12:
        _changed_unknown(talk)
        return
    if known is None or talk.rng.random() < 0.3:
        (_two_rooms if talk.rng.random() < 0.15 else set_heating)(talk)
    while talk.rng.random() < 0.55:
        _later(talk)


def last_heating(talk: Conversation) -> Deed | None:
    """The heating spoken of last that has a number."""
    return next((deed for deed in reversed(talk.house) if deed.state in _NUMBERS and deed.thing.startswith("heating")), None)  # fmt: skip


def _said(rng: random.Random, degrees: int) -> str:
    """The number; one in seven says another one first."""
    words = spoken_number(degrees)
    if rng.random() < 0.85:
        return words
    return f"{spoken_number(draw_degrees(rng))} {choose_branches(_WAIT, rng)} {words}"


def set_heating(talk: Conversation) -> None:
    """To a number, here or in a room."""
    rng, degrees = talk.rng, draw_degrees(talk.rng)
    room, there = _room(rng) if rng.random() < 0.4 else None, last_room(talk)
    where = f"heating in the {room}" if room else "heating"
    shape = rng.choice(_SET_ROOM if room else _SET)
    if there and rng.random() < 0.3:
        where = f"heating in the {there}"
        shape = "[and|] [set|put] the heating [there|in there] [to|at] {d} [degrees|]"
    words = tidy(choose_branches(f"{_WHY} {shape} {_AFTER}", rng))
    say(talk, words.replace("{d}", _said(rng, degrees)).replace("{r}", room or ""))
    answer(talk, [set_to(where, degrees)])


def _two_rooms(talk: Conversation) -> None:
    """``bedroom eighteen and bathroom twenty two``."""
    rng = talk.rng
    rooms = list(dict.fromkeys((_room(rng), _room(rng))))
    if len(rooms) < 2:
        return
    (a, b), (m, n) = rooms, (draw_degrees(rng), draw_degrees(rng))
    x, y = spoken_number(m), spoken_number(n)
    say(talk, tidy(choose_branches(f"{_WHY} [[set|put|turn] the {a} [to|at] {x} and the {b} [to|at] {y}|{a} {x} [and|] {b} {y} [degrees|]|heating to {x} in the {a} and {y} in the {b}|"
              f"{x} [degrees|] in the {a} and {y} in the {b}|the {a} at {x} but the {b} at {y}|[heat|warm] the {a} to {x} and the {b} to {y}] {_AFTER}", rng)))  # fmt: skip
    answer(talk, [set_to(f"heating in the {a}", m), set_to(f"heating in the {b}", n)])


def _changed_unknown(talk: Conversation) -> None:
    """A degree more of nobody knows what."""
    rng, up = talk.rng, talk.rng.random() < 0.5
    room = _room(rng) if rng.random() < 0.5 else None
    if room:
        shape = (
            f"[[warm|heat] up the {room}|make the {room} [warmer|nice and warm|cosy]|the {room} is [freezing|too cold|like ice]|get the {room} [warm|nice and warm]] [before i wash|before i get up|for the guests|please|for the kids|]"
            if up
            else f"[cool down the {room}|make the {room} [cooler|less hot]|the {room} is [boiling|too hot|too warm]] [a bit|please|before we sleep|]"
        )
    else:
        shape = rng.choice(_BIT_WARMER[:2] if up else _BIT_COOLER[:2]).replace(
            "[warmer|higher|more|hotter]", "warmer [in here|]"
        )
        if rng.random() < 0.6:
            shape = f"[turn|put] the heating {'up' if up else 'down'} [a bit|one degree|two degrees|a notch|a little|one notch|]"
    say(talk, tidy(choose_branches(f"[|||could you|can you|please|hey|um] {shape}", rng)))
    state = "up" if up else "down"
    thing = f"heating in the {room}" if room else "heating"
    where = f" in the {room}" if room else ""
    answer(talk, [Deed("turn", thing, state, "", f"I've turned the heating {state}{where}")])


def _later(talk: Conversation) -> None:
    known = last_heating(talk)
    if known is None:
        return
    pick, last = talk.rng.random(), talk.house[-1] is known and single(talk)
    if pick < 0.35:
        ask_heating(talk)
    elif pick < 0.6 and last:
        _stepped(talk, known)
    elif pick < 0.8 and last:
        _put_right(talk, known)
    elif last:
        _elsewhere(talk, known)
    else:
        _named_again(talk, known)


def _stepped(talk: Conversation, known: Deed) -> None:
    """So many degrees more or less than it has."""
    rng, up, step = talk.rng, talk.rng.random() < 0.5, talk.rng.choice((1, 1, 1, 2, 2, 3))
    if step == 1 and rng.random() < 0.5:
        shape = rng.choice(_BIT_WARMER if up else _BIT_COOLER)
    else:
        one = rng.choice(("one", "a")) if step == 1 else spoken_number(step)
        unit = rng.choice(("degree", "degree", "notch")) if step == 1 else "degrees"
        shape = rng.choice(_WARMER if up else _COOLER).replace("{k}", one).replace("{g}", unit)
        shape = shape.replace("a more degree", "another degree").replace(
            "a more notch", "one more notch"
        )
    say(
        talk,
        tidy(
            choose_branches(
                f"{_TOO_MUCH if not up else _TOO_LITTLE} {shape} [please|||then|would you]", rng
            )
        ),
    )
    deed = set_to(known.thing, _NUMBERS[known.state] + (step if up else -step))
    if rng.random() < 0.2:  # another assistant says how much warmer, not how warm
        by = "a degree" if step == 1 else f"{spoken_number(step)} degrees"
        way = "warmer" if up else "cooler"
        told = rng.choice((f"Okay, {by} {way}.", f"{capitalise(by)} {way}, done.", f"Sure, {by} {way}.", f"Okay, it's {by} {way} now."))  # fmt: skip
        remember(talk, [deed])
        talk.messages.append({"role": "assistant", "content": told, "learn": False})
        ask_heating(talk)
        return
    answer(talk, [deed])


def _put_right(talk: Conversation, known: Deed) -> None:
    rng, degrees = talk.rng, draw_degrees(talk.rng)
    degrees += degrees == _NUMBERS[known.state]
    old, new = known.state.removesuffix(" degrees"), _said(rng, degrees)
    say(talk, f"[{NO} [make it|make that|better make it|i meant|i said|i'd rather have|let's say|go for|put it at|set it to|rather] {new} [degrees|please|is better|is enough|then|]|"
              f"[no|actually|hmm] {new} [degrees|is better|is plenty|please|is enough]|[not {old}|i don't want {old}] {new}|that's too [warm|hot|cold|much] [make it|] {new} [please|]|"
              f"[she|he|my wife|my husband|the baby] wants it [cooler|warmer] so it's {new}|on second thought {new}|hmm no [make it|] {new}|{new} not {old}]")  # fmt: skip
    answer(talk, [set_to(known.thing, degrees)])


def _elsewhere(talk: Conversation, known: Deed) -> None:
    rng, degrees, room = talk.rng, draw_degrees(talk.rng), _room(talk.rng)
    number = spoken_number(degrees)
    if rng.random() < 0.35:
        say(
            talk,
            f"[[and|] the same in the {room}|and the {room} too|same for the {room}|{room} too please|the {room} as well]",
        )
        answer(talk, [set_to(f"heating in the {room}", _NUMBERS[known.state])])
        return
    say(talk, f"[and [in|] the {room} {number}|and {number} in the {room}|and the {room} to {number} [degrees|]|but {number} in the {room}|the {room} only {number}|"
              f"in the {room} {number} [please|is enough]|{number} for the {room}]")  # fmt: skip
    answer(talk, [set_to(f"heating in the {room}", degrees)])


def _named_again(talk: Conversation, known: Deed) -> None:
    """Back to the heating after something else."""
    rng, step = talk.rng, talk.rng.choice((1, -1))
    way = "[up|warmer]" if step > 0 else "[down|cooler]"
    if rng.random() < 0.5:
        degrees = draw_degrees(rng)
        say(
            talk,
            f"[put|set|turn|change] the {known.thing} to {_said(rng, degrees)} [after all|instead|now|please|]",
        )
        answer(talk, [set_to(known.thing, degrees)])
        return
    say(
        talk,
        f"[turn|put] the {known.thing} [{way} a degree|{way} one degree|a degree {way}|one degree {way}]",
    )
    answer(talk, [set_to(known.thing, _NUMBERS[known.state] + step)])


def ask_heating(talk: Conversation) -> None:
    """What it was set to: of a named room, or the last."""
    rng = talk.rng
    deeds = [
        deed
        for deed in talk.house
        if deed.state.endswith("degrees") and deed.thing.startswith("heating")
    ]
    if not deeds:
        return
    deed = deeds[-1] if rng.random() < 0.6 else rng.choice(deeds)
    thing, room = deed.thing, deed.thing.removeprefix("heating").removeprefix(" in the ")
    plain = (
        "what did [i|we] [set|put|turn] [the heating|it] [to|on|at] [in the end|again|]|what did i finally put the heating on|what's the [heating|temperature|thermostat] [at|on|set to] [now|]|"
        "what temperature did i [want|ask for|say|pick|choose|set]|how [warm|hot] did i want it|how many degrees [did i say|is it now|was it]|what was the temperature [again|i wanted]|"
        "the heating is at|and the heating is [at|on]|what number did i give you for the heating|so how warm is it going to be|what's it set to [now|]|remind me what the heating is [at|on]"
    )
    general = "|and the other rooms|and the rest of the house|what about the other rooms|and everywhere else|what are the other rooms at"
    number = deed.state.removesuffix(" degrees")
    other = spoken_number(_NUMBERS.get(deed.state, 20) + rng.choice((-1, 1)))
    pair = " or ".join(rng.sample((number, other), 2))
    named = (
        f"did i say {pair} for the {room}|which room [was to be|is|did i want at|was it at|gets] {number}|what did i say about the {room}|was it {pair} in the {room}|which room did i say {number} for|"
        f"what did i [set|put] the {thing} [to|on|at]|what's the {thing} [at|on|set to] [now|]|how is the {thing} set|what temperature did i want in the {room}|"
        f"what's the temperature i wanted in the {room}|how warm did i want the {room}|and the {room}|the {room} is at|how many degrees in the {room} [again|]|what about the {room}"
    )
    there = "|the heating in there is on what|and in there the heating is|how warm is it in there|what did i set it to in there"
    if deed is not deeds[-1] or (room and rng.random() < 0.5):
        words = (
            named
            if room
            else f"what's the {thing} [at|on] in general|what did i set the {thing} [to|on]{general}"
        )
    else:
        words = plain + (there if room else "")
    say(talk, f"[|||so|okay|and|sorry|um|uh|wait|remind me] [{words}]", Kind.QUESTION)
    talk.assistant(capitalise(f"{deed.done}."))
