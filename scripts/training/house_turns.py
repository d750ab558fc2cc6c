"""Talk of the house: wishes, several at once, put right, done again elsewhere, and asked about."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from chat_turns import filled
from conversation import Conversation
from dialogue_values import Value, capitalise, draw_value
from domain import choose_branches, wrap
from house_asked import asked
from house_felt import felt_turn
from house_heating import draw_degrees, heating_turn, set_to
from house_lights import lights_turn
from house_state import NO, answer, remember, sentences, tidy
from house_things import Deed, be, draw_deed, draw_light, draw_room, heated, light, machine, opened
from house_which import which_turn
from music_turns import music_turn
from person_turns import say
from set_phrases import REFUSED
from shapes import Kind
from spoken_numbers import spoken_number
from talk_numbers import plainly
from timer_turns import open_timer, timer_wish
from timer_words import draw_length

_PLEASE: Final = (
    "[|||please|can you|could you|could you please|hey|okay|now|would you|and|also|so|then|right|oh|um|uh|"
    "we have guests so|i'm going to bed|somebody is here|i'm cold so|while i think of it|"
    "it's getting late|before i forget|next|hello|quickly|just|when you can|and at the same time|at the same time|back to the house|one more thing|while you're at it|and at home|and one more thing|next thing]"
)
_AFTER: Final = "[|||||please|please|would you|thanks|for me|now|if you can|will you|at home|in my house|over there|right now|again]"


#: Why it is wished, said after it: nothing more is to be done.
_WHY: Final = (
    "[i'm|we're|i am|my wife is|the kids are|my mum's] [about to|going to|just about to|off to|getting ready to|trying to] [have a shower|have a bath|go to bed|watch a film|eat|cook|read|sleep|work|go out|{o}|get up|have dinner|do some {o}|put the baby down|paint]|"
    "[my|the] [guests|friends|children|parents|{o}s] [are coming|will be here soon|arrive at eight|are asleep|are here]|i [can't see|can't sleep|have a headache|just got home|just woke up|have my hands full|want to read|forgot again|left it on|feel like dancing|need to concentrate|don't need it any more]|"
    "it's [for the baby|getting late|for the cat|so dark out|film night|my favourite|a long story|for the {o}|laundry day|saturday after all]|somebody left [it|them] [on|like that] again|{p} is [coming over|asleep|cold|reading|here]|that's much better for the {o}|i saw a {o} outside|nobody's [in there|using it]"
)


def house_turn(talk: Conversation) -> None:
    """Wishes, a question about what was done, or something about the last of it."""
    pick = talk.rng.random()
    last = (talk.last_answer() or "").lower()
    elsewhere = bool(talk.house) and talk.house[-1].done.lower() not in last
    if elsewhere and talk.rng.random() < 0.3:
        asked(talk)  # other things were talked of since
    elif pick < 0.2 and talk.house:
        asked(talk)
    elif pick < 0.3 and talk.house:
        _follow(talk, talk.house[-1])
    elif pick < 0.37 and "set_timer" in talk.tools:
        _wished_with_a_timer(talk)
    elif pick < 0.4:
        _wished_for_later(talk)
    elif pick < 0.44:
        _one_room(talk)
    elif pick < 0.49:
        felt_turn(talk)
    elif pick < 0.53:
        which_turn(talk)
    elif pick < 0.74:
        talk.rng.choice((heating_turn, lights_turn, music_turn))(talk)
    else:
        _wished(talk)


def _deeds(talk: Conversation, most: int) -> list[Deed]:
    deeds = [draw_deed(talk.rng) for _ in range(talk.rng.choice((1, 1, 1, 2, 2, 3)[: 2 * most]))]
    return list({deed.thing: deed for deed in deeds}.values())


def _wished(talk: Conversation) -> None:
    """One to three wishes; then perhaps something about the last of them."""
    deeds = _deeds(talk, 3)
    words = _joined_wishes(talk, [deed.wish for deed in deeds])
    if talk.rng.random() < 0.14:
        wish = tidy(choose_branches(f"{_PLEASE} {words} [||please|would you|will you]", talk.rng))
        plainly(talk, f"{wish} ~ {filled(talk.rng, f'[{_WHY}]')}", exact=False)
    elif len(deeds) == 1 and talk.rng.random() < 0.4:
        say(talk, wrap(Kind.REQUEST, words, talk.rng))
    else:
        say(talk, tidy(choose_branches(f"{_PLEASE} {words} {_AFTER}", talk.rng)))
    answer(talk, deeds)
    if len(deeds) == 1 and deeds[0].thing.startswith("all the lights") and talk.rng.random() < 0.4:
        _but_one(talk, deeds[0].state)
        return
    while talk.rng.random() < 0.45 and len(deeds) == 1:
        deeds = _follow(talk, talk.house[-1])


def _but_one(talk: Conversation, state: str) -> None:
    """``leave only the one in the bathroom``: that one has the other state."""
    room, other = draw_room(talk.rng), "off" if state == "on" else "on"
    words = f"leave [only|just] the [one|light] in the {room}|[only|just] the {room} [one|light] [stays|should stay] {other}|but [keep|leave] the {room} [light|one] {other}|not the {room} [one|light]|all but the {room} [one|light]|except the {room} [one|light]|the {room} one {other} [again|]|put the {room} one back {other}|leave the {room} [light|one] {other}"
    say(talk, f"[|oh wait|wait|no wait|oh|sorry|ah|hang on] [{words}] [||please]")
    thing = f"{room} light"
    answer(talk, [Deed("switch", thing, other, "", f"the {thing} is {other}")])


def _one_room(talk: Conversation) -> None:
    """The heating and a lamp of one room, named once."""
    rng, room, degrees = talk.rng, draw_room(talk.rng), draw_degrees(talk.rng)
    lamp, number = rng.choice(("light", "lights", "lamp", "little lamp")), spoken_number(degrees)
    state = rng.choice(("on", "on", "off"))
    warm, lit = set_to(f"heating in the {room}", degrees), f"{lamp} in the {room}"
    switched = Deed("switch", lit, state, "", f"the {lit} {be(lit)} {state}")
    deeds = [warm, switched]
    words = f"[warm up|set|put|heat] the {room} to {number} [degrees|] and [turn {state}|switch {state}] the {lamp} [in there|there|as well]"
    if rng.random() < 0.5:
        deeds = deeds[::-1]
        words = f"[turn {state}|switch {state}|put {state}] the {lamp} in the {room} and [set|put|turn] the heating [there|in there] to {number} [degrees|]"
    say(talk, tidy(choose_branches(f"{_PLEASE} {words} {_AFTER}", rng)))
    answer(talk, deeds)


def _wished_with_a_timer(talk: Conversation) -> None:
    """Something in the house and a timer, in either order; the timer's length may be missing."""
    rng, deeds = talk.rng, _deeds(talk, 2)
    words = _joined_wishes(talk, [deed.wish for deed in deeds])
    remember(talk, deeds)
    if rng.random() < 0.3:
        say(talk, f"{_PLEASE} {words} and [set|start|also set] a timer {_AFTER}")
        talk.assistant(f"{sentences(deeds)} For how long?")
        talk.assistant(open_timer(talk))
        return
    timer = timer_wish(talk)
    words = _joined_wishes(talk, [words, timer.wish][:: rng.choice((1, -1))])
    say(talk, f"{_PLEASE} {words} {_AFTER}")
    talk.assistant(f"{sentences(deeds)} {timer.set()}")


def _wished_for_later(talk: Conversation) -> None:
    """``open the blinds tomorrow at eight``."""
    deed, later = talk.rng.choice((light, light, opened, heated, machine))(talk.rng), _later(talk)
    say(talk, f"{_PLEASE} {deed.wish} {later.text}")
    done = re.sub(r" (is|are) ", " will be ", deed.done)
    answer(talk, [replace(deed, kind="later", done=f"{done} {later.say}")])


def _later(talk: Conversation) -> Value:
    """When a wish is for later: ``tomorrow at eight``."""
    rng, time = talk.rng, draw_value("time", talk.rng, False)
    day = rng.choice(
        (
            "",
            "",
            "tomorrow ",
            "tonight ",
            f"on {capitalise(draw_value('weekday', rng, False).say)} ",
        )
    )
    if rng.random() < 0.15:
        when = rng.choice(
            ("go to bed", "go", "leave", "am asleep", "get up", "come home", "am gone", "go out")
        )
        return Value(f"when i {when}", f"when you {when.replace('am ', 'are ')}")
    if rng.random() < 0.15:
        length = draw_length(rng)
        return Value(f"in {length.text}", f"in {length.say}")
    return Value(f"{day.lower()}at {time.text}", f"{day}at {time.say}")


def _joined_wishes(talk: Conversation, wishes: list[str]) -> str:
    links = (
        " and ",
        " and ",
        " and ",
        " and then ",
        " and also ",
        ", ",
        " then ",
        " ",
        " and please ",
    )
    text = wishes[0]
    for wish in wishes[1:-1]:
        text += talk.rng.choice((" ", ", ", " and ")) + wish
    return text + (talk.rng.choice(links) + wishes[-1] if len(wishes) > 1 else "")


def _follow(talk: Conversation, last: Deed) -> list[Deed]:
    """The last thing put right, undone, or done elsewhere as well."""
    choices: dict[str, Callable[[Conversation, Deed], Deed | None]] = {
        "switch": _switched_again,
        "open": _opened_again,
        "set": _set_again,
        "dim": _turned_again,
        "turn": _turned_again,
        "lock": _locked_again,
        "colour": _turned_again,
    }
    if last.kind not in choices:
        return []
    deed = choices[last.kind](talk, last)
    if deed is None:
        return []
    answer(talk, [deed])
    return [deed]


def _noun(thing: str) -> str:
    return thing.rsplit(maxsplit=1)[-1]


def _room_of(thing: str) -> str:
    return " ".join(thing.split()[:-1])


def _switched_again(talk: Conversation, last: Deed) -> Deed | None:
    rng, pick = talk.rng, talk.rng.random()
    other = "off" if last.state == "on" else "on"
    if pick < 0.4:
        short = (
            last.thing if be(last.thing) == "are" or rng.random() < 0.6 else _room_of(last.thing)
        )
        it = "them" if be(last.thing) == "are" else "it"
        say(talk, f"[{NO} [turn|switch] {it} [back|] {other} [again|]|{short or last.thing} {other} again [please|]|"
                  f"[okay|now|and now|and] {other} again|and now {other}|{other} again please|{other}]")  # fmt: skip
        return replace(last, state=other, done=f"the {last.thing} {be(last.thing)} {other}")
    if not re.search("light|lamp", last.thing) or " the " in last.thing:
        return None
    if last.thing == "lights" or pick > 0.92:
        state = rng.choice(("brighter", "dimmed"))
        words = "[darker|dimmer|lower|less bright]" if state == "dimmed" else "[brighter|lighter]"
        say(talk, f"[a bit|even|make it|make them|a little|] {words} [please|]")
        return Deed("turn", last.thing, state, "", f"the {last.thing} {be(last.thing)} {state}")
    room, noun = draw_room(rng), _noun(last.thing)
    if pick < 0.7:
        say(talk, f"[[and|also|now] [in|] the {room} [too|as well|one|ones|] [please|]|same [thing|] for the {room} {noun}|"
                  f"the same in the {room}|and the {room} {noun}|do the {room} {noun} too|{room} too]")  # fmt: skip
    else:
        say(talk, f"{NO} [i meant the {room} [{noun}|]|the {room} i meant|not the {_room_of(last.thing)} the {room}|"
                  f"i said the {room}|the {room} [{noun}|one|]|the {room} not the {_room_of(last.thing)}]")  # fmt: skip
    thing = f"{room} {noun}"
    return Deed("switch", thing, last.state, "", f"the {thing} {be(thing)} {last.state}")


def _opened_again(talk: Conversation, last: Deed) -> Deed | None:
    rng = talk.rng
    it = "them" if be(last.thing) == "are" else "it"
    if rng.random() < 0.6:
        other, verb = ("closed", "[close|shut]") if last.state == "open" else ("open", "open")
        say(
            talk,
            f"[[okay|and|now|and now|right|] {verb} [{it}|the {last.thing}] [again|then|please|]|{verb} {it} again]",
        )
        return replace(last, state=other, done=f"the {last.thing} {be(last.thing)} {other}")
    thing = opened(rng).thing
    say(talk, f"[[and|also] the {thing} [too|as well|]|{NO} i meant the {thing}|{NO} the {thing}|"
              f"not the {last.thing} the {thing}]")  # fmt: skip
    return Deed("open", thing, last.state, "", f"the {thing} {be(thing)} {last.state}")


def _locked_again(talk: Conversation, last: Deed) -> Deed | None:
    verb = "unlock" if last.state == "locked" else "lock"
    say(talk, f"[{NO} {verb} it [again|please|]|{verb} it [again|anyway|then]|okay {verb} it]")
    return replace(last, state=f"{verb}ed", done=f"the {last.thing} {be(last.thing)} {verb}ed")


def _set_again(talk: Conversation, last: Deed) -> Deed | None:
    rng = talk.rng
    if rng.random() < 0.2 and last.thing.startswith("heating"):
        say(
            talk,
            "[turn it off|off|turn it off [again|please]|switch it off|then turn it off at ten]",
        )
        return Deed("set", last.thing, "off", "", f"the {last.thing} is off")
    number = spoken_number(rng.randint(15, 26))
    if last.thing == "oven":
        number = f"one hundred and {spoken_number(10 * rng.randint(1, 9))}"
    said = number.replace(" hundred and ", rng.choice((" ", " hundred and ", " hundred ")))
    say(
        talk,
        f"{NO} [make it|i meant|rather|set it to|better|] {said} [degrees|please|sorry|is better|is enough|]",
    )
    return Deed(
        "set", last.thing, f"{number} degrees", "", f"the {last.thing} is set to {number} degrees"
    )


def _turned_again(talk: Conversation, last: Deed) -> Deed | None:
    rng = talk.rng
    if not re.search("light|lamp", last.thing):
        return None
    if rng.random() < 0.3 and not re.search(" the | your ", last.thing):
        room = draw_room(rng)
        say(talk, f"{NO} [i meant the {room}|the {room} i meant|not there in the {room}]")
        thing = f"{room} {_noun(last.thing)}"
        done = last.done.replace(last.thing, thing).replace(f" {be(last.thing)} ", f" {be(thing)} ")
        return replace(last, thing=thing, done=done)
    state, said = rng.choice((("brighter", "brighter"), ("dimmed", "darker")))
    say(talk, f"[{NO} i mean {said}|a bit {said}|{said}|even {said}|make it {said}|{said} please]")
    return Deed("turn", last.thing, state, "", f"the {last.thing} {be(last.thing)} {state}")


_ABLE: Final = "I can control your lights, heating, blinds and doors, and I can set timers."


def unseen(talk: Conversation) -> None:
    """Questions about the house that nothing said before answers."""
    rng = talk.rng
    if talk.house:
        return
    thing = rng.choice((draw_light, lambda r: opened(r).thing))(rng)
    machine = draw_value("appliance", rng, False).say
    wish, told = rng.choice(
        (
            (f"[is|are] the {thing} [on|off|open|closed|still on]", f"I can't see the {thing} from here, but I can change that for you."),
            (f"is the {machine} [done|finished|still running|still going|on|ready|still on]", f"I can't see the {machine} from here, but I can turn it off for you."),
            ("[how warm is it|what's the temperature [inside|in here]|what is the heating set to|how is the heating set]", "I can't see that from here, but I can set the heating for you."),
            ("[are the lights on|which lights are on|did i leave the lights on|are there any lights on]", "I can't see that from here, but I can turn the lights on or off for you."),
            ("[too bright in here|it's too bright|it's so bright in here|the light is too bright|it's very bright in here]", "Okay, the lights are dimmed."),
            ("[it's dark in here|it's too dark|i can't see anything|it's getting dark]", "Okay, the lights are on."),
            ("[it's freezing|it's freezing in here|it's cold in here|i'm cold|it's chilly|brr]", "Okay, I've turned the heating up."),
            ("[it's hot in here|it's boiling|it's too warm|i'm sweating|it's stuffy]", "Okay, I've turned the heating down."),
            ("[lights on|lights please|all lights on|all the lights on|get the lights]", "Okay, the lights are on."),
            ("[turn on the lights|light please|switch the light on|put a light on]", "Okay. In which room?"),
            ("[heating off|turn the heating off|no heating please]", "Okay, the heating is off."),
            ("[what can you do|what can i ask you|what do you do|what things can you do|what can you control|what are you able to do|what works|what is it you can do] [in this house|at home|in the house|around the house|here at home]", _ABLE),
            ("[which things in [the|this] house can you [control|switch|change]|what can you switch on and off|what in this house listens to you|can you run the house|what can i control with you]", _ABLE),
            ("[mow the lawn|walk the dog|do the washing up|fold the laundry|iron my shirt|make the bed|clean the [bathroom|windows|oven]|feed the [cat|fish]|water the plants|cook dinner|fix the [tap|roof]|paint the wall|take out the bins|lay the table] [please|for me|today|would you|]", REFUSED),
        )
    )  # fmt: skip
    say(talk, wish, Kind.QUESTION if re.match("is|are|how|what", wish.strip("[")) else Kind.PLAIN)
    talk.assistant(told)
    if told == "Okay, the lights are on.":
        talk.house.append(Deed("switch", "lights", "on", "", "the lights are on"))
        if rng.random() < 0.5:
            _follow(talk, talk.house[-1])
    elif told.endswith("room?"):
        room = draw_room(rng)
        say(talk, f"[the {room}|{room}|in the {room}|{room} please]")
        thing = f"{room} lights"
        talk.house.append(Deed("switch", thing, "on", "", f"the {thing} are on"))
        talk.assistant(f"Okay, the {thing} are on.")
    elif told.startswith("I can't") and "turn it off" in told and rng.random() < 0.5:
        say(talk, "[yes please|okay do that|then turn it off|yes turn it off|please do]")
        talk.assistant(f"Okay, the {machine} is off.")
