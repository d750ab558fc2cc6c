"""Talk of the house: wishes, several at once, put right, done again elsewhere, and asked about."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from conversation import Conversation
from dialogue_values import Value, capitalise, draw_value
from domain import wrap
from house_things import Deed, be, draw_deed, draw_light, draw_room, light, opened
from order_items import joined
from person_turns import say
from shapes import Kind
from spoken_numbers import spoken_number
from timer_turns import open_timer, timer_wish

_PLEASE: Final = (
    "[|||please|can you|could you|could you please|hey|okay|now|would you|and|also|so|then|right|oh|um|uh|"
    "we have guests so|i'm going to bed|somebody is here|i'm cold so|while i think of it|"
    "it's getting late|before i forget|next|hello|quickly|just|when you can|and at the same time|at the same time|back to the house|one more thing|while you're at it|and at home|and one more thing|next thing]"
)
_AFTER: Final = "[|||||please|please|would you|thanks|for me|now|if you can|will you|at home|in my house|over there|right now|again]"


def sentences(deeds: list[Deed]) -> str:
    """``Okay, the hall light is on and the gate is open.``"""
    return f"Okay, {joined([deed.done for deed in deeds])}."


def house_turn(talk: Conversation) -> None:
    """Wishes, a question about what was done, or something about the last of it."""
    pick = talk.rng.random()
    if pick < 0.25 and talk.house:
        asked(talk)
    elif pick < 0.4 and talk.house:
        _follow(talk, talk.house[-1])
    elif pick < 0.5 and "set_timer" in talk.tools:
        _wished_with_a_timer(talk)
    elif pick < 0.55:
        _wished_for_later(talk)
    else:
        _wished(talk)


def _deeds(talk: Conversation, most: int) -> list[Deed]:
    deeds = [draw_deed(talk.rng) for _ in range(talk.rng.choice((1, 1, 1, 2, 2, 3)[: 2 * most]))]
    return list({deed.thing: deed for deed in deeds}.values())


def _remember(talk: Conversation, deeds: list[Deed]) -> None:
    """What holds of the house now, the last deed at the end."""
    new = {deed.thing for deed in deeds}
    talk.house = [deed for deed in talk.house if deed.thing not in new] + deeds


def _wished(talk: Conversation) -> None:
    """One to three wishes; then perhaps something about the last of them."""
    deeds = _deeds(talk, 3)
    words = _joined_wishes(talk, [deed.wish for deed in deeds])
    if len(deeds) == 1 and talk.rng.random() < 0.4:
        say(talk, wrap(Kind.REQUEST, words, talk.rng))
    else:
        say(talk, f"{_PLEASE} {words} {_AFTER}")
    _remember(talk, deeds)
    talk.assistant(sentences(deeds))
    while talk.rng.random() < 0.45 and len(deeds) == 1:
        deeds = _follow(talk, talk.house[-1])


def _wished_with_a_timer(talk: Conversation) -> None:
    """Something in the house and a timer, in either order; the timer's length may be missing."""
    rng, deeds = talk.rng, _deeds(talk, 2)
    words = _joined_wishes(talk, [deed.wish for deed in deeds])
    _remember(talk, deeds)
    if rng.random() < 0.3:
        say(talk, f"{_PLEASE} {words} and [set|start|also set] a timer {_AFTER}")
        talk.assistant(f"{sentences(deeds)} For how long shall I set the timer?")
        talk.assistant(open_timer(talk))
        return
    timer = timer_wish(talk)
    words = _joined_wishes(talk, [words, timer.wish][:: rng.choice((1, -1))])
    say(talk, f"{_PLEASE} {words} {_AFTER}")
    talk.assistant(f"{sentences(deeds)} {timer.set()}")


def _wished_for_later(talk: Conversation) -> None:
    """``open the blinds tomorrow at eight``."""
    deed, later = talk.rng.choice((light, opened))(talk.rng), _later(talk)
    say(talk, f"{_PLEASE} {deed.wish} {later.text}")
    _remember(talk, [deed])
    done = re.sub(r" (is|are) ", " will be ", deed.done)
    talk.assistant(f"Okay, {done} {later.say}.")


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


_NO: Final = (
    "[|no|no|sorry|actually|wait|no wait|oh|oh no|no sorry|hmm no|no hang on|that's too much|uh no]"
)


def _follow(talk: Conversation, last: Deed) -> list[Deed]:
    """The last thing put right, undone, or done elsewhere as well."""
    choices: dict[str, Callable[[Conversation, Deed], Deed | None]] = {
        "switch": _switched_again,
        "open": _opened_again,
        "set": _set_again,
        "dim": _turned_again,
        "turn": _turned_again,
        "play": _played_again,
        "lock": _locked_again,
    }
    if last.kind not in choices:
        return []
    deed = choices[last.kind](talk, last)
    if deed is None:
        return []
    _remember(talk, [deed])
    talk.assistant(sentences([deed]))
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
        say(talk, f"[{_NO} [turn|switch] {it} [back|] {other} [again|]|{short or last.thing} {other} again [please|]|"
                  f"[okay|now|and now|and] {other} again|and now {other}|{other} again please|{other}]")  # fmt: skip
        return replace(last, state=other, done=f"the {last.thing} {be(last.thing)} {other}")
    if not re.search("light|lamp", last.thing) or " the " in last.thing:
        return None
    if last.thing == "lights" or pick > 0.92:
        state = rng.choice(("brighter", "darker", "dimmed"))
        say(
            talk,
            "[a bit|even|make it|make them|] "
            + ("[dimmer|dim them|lower|down a bit]" if state == "dimmed" else state),
        )
        return Deed("turn", last.thing, state, "", f"the {last.thing} {be(last.thing)} {state}")
    room, noun = draw_room(rng), _noun(last.thing)
    if pick < 0.7:
        say(talk, f"[[and|also|now] [in|] the {room} [too|as well|one|ones|] [please|]|same [thing|] for the {room} {noun}|"
                  f"the same in the {room}|and the {room} {noun}|do the {room} {noun} too|{room} too]")  # fmt: skip
    else:
        say(talk, f"{_NO} [i meant the {room} [{noun}|]|the {room} i meant|not the {_room_of(last.thing)} the {room}|"
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
    say(talk, f"[[and|also] the {thing} [too|as well|]|{_NO} i meant the {thing}|{_NO} the {thing}|"
              f"not the {last.thing} the {thing}]")  # fmt: skip
    return Deed("open", thing, last.state, "", f"the {thing} {be(thing)} {last.state}")


def _locked_again(talk: Conversation, last: Deed) -> Deed | None:
    verb = "unlock" if last.state == "locked" else "lock"
    say(talk, f"[{_NO} {verb} it [again|please|]|{verb} it [again|anyway|then]|okay {verb} it]")
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
        f"{_NO} [make it|i meant|rather|set it to|better|] {said} [degrees|please|sorry|is better|is enough|]",
    )
    return Deed(
        "set", last.thing, f"{number} degrees", "", f"the {last.thing} is set to {number} degrees"
    )


def _turned_again(talk: Conversation, last: Deed) -> Deed | None:
    rng = talk.rng
    if not re.search("light|lamp", last.thing):
        return None
    if rng.random() < 0.3:
        room = draw_room(rng)
        say(talk, f"{_NO} [i meant the {room}|the {room} i meant|not there in the {room}]")
        thing = f"{room} {_noun(last.thing)}"
        done = last.done.replace(last.thing, thing).replace(f" {be(last.thing)} ", f" {be(thing)} ")
        return replace(last, thing=thing, done=done)
    state = rng.choice(("brighter", "darker"))
    say(
        talk,
        f"[{_NO} i mean {state}|a bit {state}|{state}|even {state}|make it {state}|{state} please]",
    )
    return Deed("turn", last.thing, state, "", f"the {last.thing} {be(last.thing)} {state}")


def _played_again(talk: Conversation, last: Deed) -> Deed | None:
    rng = talk.rng
    if last.state == "off":
        return None
    wish, done = rng.choice(
        (
            ("[louder|a bit louder|a little louder|turn it up|turn it up a bit|volume up|make it louder]", "the music is louder"),
            ("[quieter|lower|softer|turn it down|a bit quieter|volume down|not so loud]", "the music is quieter"),
            ("[next|next song|next track|skip this one|skip it|another song|i don't like this one|not this one please]", "here is the next song"),
            ("[off|turn it off|stop it|that's enough|music off|stop the music]", "the music is off"),
            ("[pause|pause it|hold the music]", "the music is paused"),
        )
    )  # fmt: skip
    say(talk, f"{wish} [please|]")
    return Deed("play", "music", "off" if done.endswith("off") else last.state, "", done)


def asked(talk: Conversation) -> None:
    """A question about what was done."""
    rng, deed = talk.rng, talk.rng.choice(talk.house)
    lit = [d for d in talk.house if re.search("light|lamp", d.thing) and d.state == "on"]
    if lit and rng.random() < 0.4:
        say(talk, "[which [lights are|light is] [on|still on]|are any lights [still|] on|did i leave a light on|"
                  "what lights are on|which [light|lights] did [i|we] leave on|is there a light on]", Kind.QUESTION)  # fmt: skip
        one = f"the {joined([d.thing for d in lit])} {be(lit[0].thing) if len(lit) == 1 else 'are'} on."
        talk.assistant(capitalise(one))
        return
    if deed.kind == "set":
        say(talk, f"[what did [you set|i set|i ask for] the {deed.thing} [to|at]|what [is|was] the {deed.thing} set to|"
                  f"how is the {deed.thing} set|what temperature did i [ask for|want|say]|how [hot|warm] did i want [it|the "
                  f"{deed.thing}]|what temperature is the {deed.thing} at|what's the {deed.thing} [at|on|set to] [now|]]",
            Kind.QUESTION)  # fmt: skip
        talk.assistant(capitalise(f"{deed.done}."))
        return
    if deed.kind in ("switch", "open", "lock"):
        state = deed.state if rng.random() < 0.6 else _opposite(deed.state)
        say(talk, f"[is|are] the {deed.thing} [{state}|{state} now|still {state}]", Kind.QUESTION)
        talk.assistant(f"{'Yes' if state == deed.state else 'No'}, {deed.done}.")
        return
    say(
        talk,
        "[what did you [do|just do|change]|what was the last thing you did|what have you done]",
        Kind.QUESTION,
    )
    talk.assistant(capitalise(f"{talk.house[-1].done}."))


def _opposite(state: str) -> str:
    pairs = ("on", "off", "open", "closed", "locked", "unlocked")
    index = pairs.index(state)
    return pairs[index + 1 if index % 2 == 0 else index - 1]


def unseen(talk: Conversation) -> None:
    """Questions about the house that nothing said before answers."""
    rng = talk.rng
    if talk.house:
        return
    thing = rng.choice((draw_light, lambda r: opened(r).thing))(rng)
    machine = draw_value("appliance", rng, False).say
    wish, answer = rng.choice(
        (
            (f"[is|are] the {thing} [on|off|open|closed|still on]", f"I can't see the {thing} from here, but I can change that for you."),
            (f"is the {machine} [done|finished|still running|still going|on|ready|still on]", f"I can't see the {machine} from here, but I can turn it off for you."),
            ("[how warm is it|what's the temperature [inside|in here]|what is the heating set to|how is the heating set]", "I can't see that from here, but I can set the heating for you."),
            ("[are the lights on|which lights are on|did i leave the lights on|are there any lights on]", "I can't see that from here, but I can turn the lights on or off for you."),
            ("[too bright in here|it's too bright|it's so bright in here|the light is too bright|it's very bright in here]", "Okay, I've dimmed the lights."),
            ("[it's dark in here|it's too dark|i can't see anything|it's getting dark|more light please]", "Okay, the lights are on."),
            ("[it's freezing|it's freezing in here|it's cold in here|i'm cold|it's chilly|brr]", "Okay, I've turned the heating up."),
            ("[it's hot in here|it's boiling|it's too warm|i'm sweating|it's stuffy]", "Okay, I've turned the heating down."),
            ("[lights on|lights please|all lights on|all the lights on|get the lights]", "Okay, the lights are on."),
            ("[turn on the lights|light please|switch the light on|put a light on]", "Okay. In which room?"),
            ("[heating off|turn the heating off|no heating please]", "Okay, the heating is off."),
            ("[put on something cheerful|play something nice|music|music please|some music|put some music on|play something]", "Okay, playing some music."),
        )
    )  # fmt: skip
    say(talk, wish, Kind.QUESTION if re.match("is|are|how|what", wish.strip("[")) else Kind.PLAIN)
    talk.assistant(answer)
    if answer == "Okay, the lights are on.":
        talk.house.append(Deed("switch", "lights", "on", "", "the lights are on"))
        if rng.random() < 0.5:
            _follow(talk, talk.house[-1])
    elif answer.endswith("room?"):
        room = draw_room(rng)
        say(talk, f"[the {room}|{room}|in the {room}|{room} please]")
        thing = f"{room} lights"
        talk.house.append(Deed("switch", thing, "on", "", f"the {thing} are on"))
        talk.assistant(f"Okay, the {thing} are on.")
    elif answer.startswith("I can't") and "turn it off" in answer and rng.random() < 0.5:
        say(talk, "[yes please|okay do that|then turn it off|yes turn it off|please do]")
        talk.assistant(f"Okay, the {machine} is off.")
