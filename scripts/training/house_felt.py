"""Complaints about the house instead of wishes: cold, heat, darkness, glare, noise, in anybody's words."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from conversation import Conversation
from domain import choose_branches
from house_state import answer
from house_things import Deed, draw_room
from open_words import open_word
from talk_numbers import plainly

_VERY: Final = "[|||so|absolutely|really|flipping|a bit|rather|pure|well|dead|awful|proper|too|very|fair|right|bloody|terribly|quite|mighty|fierce]"
_ASKED: Final = "[||||||can you do something|could you do something about it|do something please|can you help|please do something|sort it out would you|what can you do about it|can you fix that|would you see to it|help|can we do something about that|can you change that|could you see to it]"
_OPENING: Final = "[|||||||oh|brr|god|jeez|ugh|phew|hey|listen|please|i don't know about you but|um|right|goodness|honestly|so|ah|lord|man|hello] ~"
_HERE: Final = "[in here|in here|in here|in this house|in this room|here|inside|tonight|today|in this flat|round here|]"


@dataclass(frozen=True)
class Felt:
    """What is felt: its words, and the words where a room is named; what is done about it."""

    words: str
    thing: str
    state: str
    done: str
    of_room: str = ""


_FELT: Final = (
    (
        Felt(
            f"it's {_VERY} [cold|freezing|baltic|nippy|chilly|perishing|frosty|brass monkeys|arctic|icy|parky|draughty|bitter|fresh|cold as {{o}}|colder than outside|like a fridge|like an igloo|like the north pole|baltic] {_HERE}|"
            f"[i'm|i am|we're|the kids are|my wife is|the baby's|granny's|the cat is] {_VERY} [cold|freezing|frozen|shivering|chilly|foundered|perished|nithered|frozen stiff] {_HERE}|i [can see my breath|can't feel my toes|can't feel my fingers|need a blanket|have three jumpers on|'m shivering|can't get warm] {_HERE}|"
            f"my [feet|hands|toes|fingers|bones] are [freezing|like ice|blocks of ice|blue|numb|ice cold] {_HERE}|[could|can] we have it [warmer|a bit warmer|a little cosier|less cold] {_HERE}|[make|get] it [warmer|cosy|cosier|a bit warmer|nice and warm] {_HERE}|i want it [warmer|warm] {_HERE}|too cold {_HERE}|"
            f"[warm|heat] [the place|this place|the house|us] up [a bit|]|there's a [draught|chill|frost] {_HERE}|you could hang meat {_HERE}|i have cold|cold is here very much|it makes cold {_HERE}|turn the heat up [a bit|]|more heat [please|]|crank the heat|whack the heating up|bang the heating up [a bit|]",
            "heating", "up", "I've turned the heating up",
            f"the {{r}} is {_VERY} [cold|freezing|baltic|like a fridge|chilly|perishing]|it's {_VERY} [cold|freezing|chilly|nippy] in the {{r}}|[warm up|heat up|warm] the {{r}} [a bit|]|nobody can sit in the {{r}} it's so cold|could the {{r}} be warmer",
        ),
        8,
    ),
    (
        Felt(
            f"it's {_VERY} [hot|boiling|roasting|warm|sweltering|stuffy|baking|tropical|like an oven|like a sauna|like a furnace|hotter than {{o}}|muggy|close] {_HERE}|[i'm|we're|the kids are|my husband is|the dog's] {_VERY} [hot|boiling|roasting|sweating|melting|too warm|cooked|overheating] {_HERE}|i [can't breathe|'m sweating buckets|can't sleep in this heat|am dripping] {_HERE}|"
            f"too [hot|warm] {_HERE}|[could|can] we have it [cooler|a bit cooler|less hot] {_HERE}|[make|get] it [cooler|a bit cooler] {_HERE}|i could fry an egg {_HERE}|turn the heat down [a bit|]|less heat [please|]|cool [the place|this place|the house] down [a bit|]|the heat {_HERE} is killing me",
            "heating", "down", "I've turned the heating down",
            f"the {{r}} is {_VERY} [hot|boiling|roasting|like an oven|stuffy|too warm]|it's {_VERY} [hot|boiling|stuffy|warm] in the {{r}}|cool down the {{r}} [a bit|]|the {{r}} is too hot to sleep",
        ),
        5,
    ),
    (
        Felt(
            f"it's {_VERY} [dark|gloomy|dim|pitch black|black as night|dingy|murky] {_HERE}|i can't [see a thing|see my hand|see my tea|see what i'm doing|read this|find my {{o}} in the dark] {_HERE}|i [need|could do with|want] [some|more|a bit of] light {_HERE}|[could|can] we have [some|more] light {_HERE}|i keep bumping into things {_HERE}|it's getting dark {_HERE}",
            "lights", "on", "the lights are on",
        ),
        3,
    ),
    (
        Felt(
            f"it's {_VERY} [bright|glaring|dazzling] {_HERE}|the [light|lights|lamps] [is|are] {_VERY} [bright|harsh|blinding|strong]|[it's|that's|the light's] [blinding|dazzling] me|the light hurts my eyes|i need sunglasses {_HERE}|too bright {_HERE}".replace("lights|lamps] [is|are]", "lights] is").replace("[light|lights] is", "light is"),
            "lights", "dimmed", "the lights are dimmed",
        ),
        2,
    ),
)  # fmt: skip


def felt_turn(talk: Conversation) -> None:
    """Something is too cold, too bright or too loud: what can be done is done."""
    rng = talk.rng
    felt = rng.choices([felt for felt, _ in _FELT], [weight for _, weight in _FELT])[0]
    room = draw_room(rng) if felt.of_room and rng.random() < 0.25 else ""
    words = choose_branches(f"[{felt.of_room if room else felt.words}]", rng)
    words = words.replace("{r}", room).replace("{o}", open_word(rng)).replace(" 'm", "'m")
    plainly(talk, f"{_OPENING} {words} ~ {_ASKED}", exact=False)
    where = f" in the {room}" if room else ""
    kind = "switch" if felt.state == "on" else "turn"
    answer(talk, [Deed(kind, f"{felt.thing}{where}", felt.state, "", f"{felt.done}{where}")])
