"""What is wrong, told by whoever calls about it: a tooth that hurts, a car that won't start, a wet phone."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Final

from dialogue_values import with_an
from domain import choose_branches
from instructed_values import Told
from slots import phrases

_VERY: Final = "[|||terrible|horrible|bad|awful|nasty]"
#: What is said, and what is noted of it.
_BODY: Final[Sequence[tuple[str, str]]] = (
    (f"[i've got a {_VERY} toothache|my tooth hurts [so much|a lot|]|i have a {_VERY} toothache|my tooth is killing me|i couldn't sleep my tooth hurts]", "a toothache"),
    ("[my back hurts|i hurt my back|i've done my back in|my back is killing me|i can't move my back is so bad]", "back pain"),
    (f"[i've got a {_VERY} sore throat|my throat hurts|i can't swallow my throat is sore]", "a sore throat"),
    (f"[i've got a {_VERY} cough|i can't stop coughing|i've been coughing [all week|for days]]", "a cough"),
    ("[i have a rash|i've got a rash|my skin is itching|i'm itching all over]", "a rash"),
    (f"[i've got a {_VERY} headache|my head hurts|my head is killing me]", "a headache"),
    ("[my knee hurts|i hurt my knee|my knee is swollen|i fell on my knee]", "your knee"),
    ("[my shoulder hurts|i can't lift my arm|my shoulder is stiff]", "your shoulder"),
    ("[i've got a fever|i have a temperature|i'm burning hot]", "a fever"),
    ("[my filling fell out|i've lost a filling|a filling came out|there's a hole where my filling was]", "a filling"),
    ("[my crown came off|i've lost my crown|the crown is loose]", "a crown"),
    ("[it's time for my check up|i haven't been for a check up in years|my check up is due]", "a check up"),
)  # fmt: skip
_CAR: Final[Sequence[tuple[str, str]]] = (
    ("[my brakes squeal|the brakes are bad|my brakes make a noise|the brakes feel soft|something's wrong with my brakes]", "the brakes"),
    ("[i've got a flat|my tyre is flat|there's a nail in my tyre|one tyre loses air]", "a flat tyre"),
    ("[my car won't start|the battery is dead|the car doesn't start any more|my battery's flat]", "a new battery"),
    ("[it needs new oil|the oil light is on|it's time for new oil]", "an oil change"),
    ("[one of my lights is out|my headlight is broken|the brake light doesn't work]", "a broken light"),
    ("[it makes a [funny|strange|terrible|weird] noise|there's a [funny|strange] noise|it rattles all the time|something rattles]", "a strange noise"),
    ("[it's leaking [oil|water|something]|there's a puddle under the car|something drips out of it]", "a leak"),
    ("[somebody scratched my car|there's a scratch in the door|i scratched the car]", "a scratch"),
    ("[the inspection is due|it has to go through the inspection|my inspection runs out]", "an inspection"),
    ("[somebody broke my window|the window won't close|my window is smashed]", "a broken window"),
    ("[it's always hot in the car|the air conditioning doesn't cool|the air conditioning is broken]", "the air conditioning"),
)  # fmt: skip
_DEVICE: Final[Sequence[tuple[str, str]]] = (
    ("[my {d} won't [start|turn on]|my {d} doesn't [start|turn on|go on|work] any more|my {d} is dead|my {d} don't turn on]", "a {d} that won't start"),
    ("[the screen of my {d} is [broken|cracked]|i dropped my {d} and the screen broke|my {d} has a cracked screen]", "a {d} with a broken screen"),
    ("[my {d} keeps crashing|my {d} crashes all the time|my {d} switches itself off]", "a {d} that keeps crashing"),
    ("[my {d} fell in [water|the sink|the bath]|i spilled tea over my {d}|my {d} got wet|my son dropped my {d} in the toilet]", "a {d} that got wet"),
    ("[my {d} is [very|so|terribly] slow|my {d} takes ages|my {d} got so slow]", "a {d} that is very slow"),
    ("[my {d} doesn't charge|my {d} won't charge any more|i can't charge my {d}]", "a {d} that doesn't charge"),
    ("[my {d} makes a [strange|funny|terrible] noise|my {d} buzzes|my {d} sounds strange]", "a {d} that makes a strange noise"),
)  # fmt: skip
_DEVICES: Final = phrases(
    "laptop, phone, tablet, computer, camera, watch, sewing machine, scooter, radio, console, coffee machine, e-bike, printer, clock"
)
#: By the kind of house: which part of a booking it is, and what may be wrong.
_WRONG: Final[Mapping[str, tuple[str, Sequence[tuple[str, str]]]]] = {
    "practice": ("reason", _BODY), "garage": ("work", _CAR), "repair": ("work", _DEVICE),
}  # fmt: skip
#: What is wanted with it.
THEN: Final = "[can i come in|can i come by|can i get seen|can somebody [look at it|have a look]|could i come in|i'd like to come in|can you have a look|can you help|i need somebody to look at it|is there any chance to come|could you fit me in|when can i come|what can i do||||]"


def problem(kind: str, needs: Sequence[str], rng: random.Random) -> tuple[str, Told] | None:
    """Which part of a booking is told, in what words; none where nothing can be wrong."""
    if kind not in _WRONG:
        return None
    name, pairs = _WRONG[kind]
    if name not in needs:
        return None
    said, noted = rng.choice(pairs)
    device = rng.choice(_DEVICES)
    text = choose_branches(said, rng).replace("{d}", device)
    return name, Told(text, with_an(noted.replace("{d}", device)))
