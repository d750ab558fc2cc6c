"""Other things in place of a scene's own: what is asked about has to be read in the prompt.

A scene that is told some dozen times is known by heart, and nothing is learnt of it any more. So
in about half of its tellings things that the prompt names ("boots") become others ("kettles")
throughout, where the caller names them too whenever an answer does.
"""

from __future__ import annotations

import random
import re
from dataclasses import replace
from typing import Final

from dialogue_values import capitalise
from scene_form import Scene, Turn, wordings

#: Things whose plural is a mere "s".
NOUNS: Final = tuple(
    """
    anchor apple apron armchair aquarium arch attic axe badge bag ball balloon banana bandage banner
    barrel basket bath battery beach bean bear beard bed bell belt bench bicycle bike bird biscuit
    blanket boat boiler bolt book boot bottle bowl bracelet bracket brake bread breakfast bridge
    broom bucket buffet bulb burger button cabin cable cactus cage cake camel camera candle canoe
    cap car caravan card carpet carrot cart castle cat ceiling cello certificate chain chair
    charger cheese cherry chicken chimney chisel cigar clarinet clock cloak coat coffee coin collar
    comb compass computer concert cone cork costume cot cottage couch counter cow crate crown cup
    cupboard curtain cushion cymbal dagger dinner desk dial diver doll donkey door drain drawer
    drill drum dryer duck duvet eagle earring egg elbow elephant engine envelope eraser falcon fan
    feather fence ferry fiddle film filter flag flask floor flower flute fork fountain frame fridge
    frog funnel garden garlic gate ghost glove goat goose grape guitar gutter hammer hamster hammock
    harp hat hawk heater hedge helmet hen hinge hook horn horse hostel house iron island jacket jar
    jewel jug kayak ketchup kettle key keyboard kilt kite kitchen lace ladder ladle lake lamp
    lantern laptop lawn lemon letter lettuce lid lift lighter lion lizard lock locker loom machine
    magnet map mask mast mattress meal melon mirror monkey motor motorbike mug mushroom nail napkin
    necklace needle nest net noodle oar oboe olive onion orange organ oven owl oyster paddle
    paintball pan pancake parcel parrot passport pear pedal pen pencil penguin pepper piano pick
    pillow pin pipe pizza plank plant plate plough plug plum poem pond pony pot potato pram printer
    puddle pump pumpkin puppet quilt rabbit racket radio radish raft rake raincoat razor ribbon rice
    rickshaw ring robe robot rocket rod roof room rope rose router rucksack rug saddle sail salad
    salmon sandal sauna sausage saw scarf scooter screen screw sculpture seat shawl shed sheet ship
    shirt shoe shovel shower sink skate skateboard ski sled sleeve slide slipper snail soap sock
    sofa soup spade spider spoon spring stable stage stair stamp statue stick stool stove strap
    string suit suitcase sundial surfboard swan sweater sword table tablet tandem tank tap tart tea
    telescope tent thermometer thread ticket tie tile toaster toilet tool tortoise towel tower toy
    track tractor trailer train tram tray tree trolley trophy trout trousers truck trumpet tub tulip
    tunnel turtle tyre ukulele umbrella urn vase veil vest video viola violin waffle wagon waistcoat
    wallet walnut wardrobe wetsuit wheel wheelbarrow wheelchair whistle wig window wine wing yacht
    """.split()
)
_NOUN: Final = frozenset(NOUNS)
_SHARE: Final = 0.5  # of the tellings
_OF_THEM: Final = 0.7
_DRAWN_FROM: Final = re.compile(r"\{\w+:")
_WORD: Final = re.compile(r"(?<![\w{:/#])([A-Za-z]+?)([sS]?)(?![\w}'])")


def with_other_things(scene: Scene, rng: random.Random) -> Scene:
    """The scene, or the same about other things."""
    others: dict[str, str] = {}
    if rng.random() < _SHARE:
        for noun in _told(scene.system):
            if rng.random() < _OF_THEM and all(
                _kept(turn, {*others, noun}) for turn in scene.turns
            ):
                others[noun] = _another(noun, scene.system, rng)
    if not others:
        return scene
    turns = [
        (optional, [step._replace(text=_with(step.text, others)) for step in steps])
        for optional, steps in (_kept(turn, set(others)) or turn for turn in scene.turns)
    ]
    return replace(scene, system=_with(scene.system, others), turns=turns)


def _told(prompt: str) -> list[str]:
    """The things that it names, each time as a word of its own."""
    named = [match[1].lower() for match in _WORD.finditer(prompt)]
    whole = prompt.lower()
    return sorted(
        noun for noun in _NOUN.intersection(named) if whole.count(noun) == named.count(noun)
    )


def _kept(turn: Turn, nouns: set[str]) -> Turn | None:
    """The turn with those wordings that name all of the things which its answer names; None: there
    is no such wording, or another one tells what a value is drawn from."""
    optional, (asked, *answered) = turn
    needed = nouns.intersection(*[_named(" ".join(step.text for step in answered))])
    kept = [one for one in wordings(asked.text) if needed <= _named(one)]
    text = " | ".join(kept)
    if not kept or set(_DRAWN_FROM.findall(asked.text)) - set(_DRAWN_FROM.findall(text)):
        return None
    return optional, [asked._replace(text=text), *answered]


def _named(text: str) -> set[str]:
    return {match[1].lower() for match in _WORD.finditer(text)}


def _another(noun: str, prompt: str, rng: random.Random) -> str:
    """Another thing, with the same article."""
    while True:
        other = rng.choice(NOUNS)
        if other not in prompt.lower() and (other[0] in "aeiou") == (noun[0] in "aeiou"):
            return other


def _with(text: str, others: dict[str, str]) -> str:
    def change(match: re.Match[str]) -> str:
        word, plural = match.groups()
        other = others.get(word.lower())
        if other is None:
            return match[0]
        other += plural.lower()
        return (
            other.upper()
            if match[0].isupper()
            else capitalise(other)
            if word[0].isupper()
            else other
        )

    return _WORD.sub(change, text)
