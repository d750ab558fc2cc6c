"""Several lamps one after another, and then: which ones are on, which ones did I turn off."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from typing import Final

from conversation import Conversation
from dialogue_values import capitalise
from domain import choose_branches
from house_state import answer, is_light, tidy
from house_things import Deed, be, draw_room
from order_items import joined
from person_turns import say
from shapes import Kind

_ON: Final = (
    "which [lights are|light is] [on|still on] [now|]|are any lights [still|] on|did i leave [a light|any lights|a lamp] on|what lights are on|which [light|lights] did [i|we] leave on|is there a light on|which rooms [have i got lit|are lit|did i light|have the light on] [now|at the minute|at the moment|]|"
    "where is the light [on|still on]|which lights [did i turn|have i turned|did i put|have i got|have you put|did you switch] on [now|so far|]|which lamps are on [now|]|in which rooms is the light on|what's lit [in the house|now|at the moment]|what have i got lit"
)
_OFF: Final = "which [lights are|light is] off [now|]|which lights [did i turn|have i turned|did i put|have i switched|did you turn|was it you turned] off [now|so far|again|]|which ones did [i|you] [just|] turn off|what lights have i [turned|switched] off|which lamps are off [now|]|which rooms are dark now|where did i turn the light off"
_FIRST: Final = (
    "[turn|switch|put] {s} the {t}|[turn|switch|put] the {t} {s}|{t} {s}|{s} with the {t}"
)
_MORE: Final = "[and|also|now|] the one in the {r} [too|as well|]|[and|] the {r} [too|as well|one too|one as well|]|and in the {r} [too|]|same in the {r}|and the {r} {n} [too|]|the {r} {n} as well|oh and the {r}|the {r} one too|{r} too"
_BOTH: Final = "[light up|put the lights on in|lights on in|turn on the lights in] the {a} and the {b}|the {a} and {b} lights on"


def lit(talk: Conversation, state: str) -> list[Deed]:
    """The lamps that are on, or that were turned off."""
    lamps = [deed for deed in talk.house if is_light(deed) and deed.thing != "lights"]
    return [lamp for lamp in lamps if (lamp.state == "off") == (state == "off")]


def ask_which(talk: Conversation, state: str = "") -> bool:
    """Which lamps are on or off, where any are known; whether it was asked."""
    state = state or talk.rng.choice(("on", "on", "off"))
    lamps = lit(talk, state)
    if not lamps:
        return False
    say(talk, f"[|||so|and|okay|um|wait] [{_ON if state == 'on' else _OFF}]", Kind.QUESTION)
    verb = be(lamps[0].thing) if len(lamps) == 1 else "are"
    talk.assistant(capitalise(f"{joined([f'the {lamp.thing}' for lamp in lamps])} {verb} {state}."))
    return True


def which_turn(talk: Conversation) -> None:
    """Two or three lamps in as many turns; then which they were."""
    rng, state = talk.rng, talk.rng.choice(("on", "off"))
    rooms = list(dict.fromkeys(draw_room(rng) for _ in range(rng.choice((2, 2, 3)))))
    noun = rng.choice(("light", "light", "lights", "lamp"))
    if len(rooms) < 2:
        return
    if rng.random() < 0.2 and state == "on":
        words = _BOTH.replace("{a}", rooms[0]).replace("{b}", rooms[1])
        say(
            talk,
            tidy(
                choose_branches(f"[||please|would you|could you] [{words}] [||please|for me]", rng)
            ),
        )
        noun = "lights"
        answer(talk, [_switched(room, noun, state) for room in rooms[:2]])
    else:
        for index, room in enumerate(rooms):
            if index == 0 or rng.random() < 0.2:
                words = _FIRST.replace("{t}", f"{room} {noun}").replace("{s}", state)
            else:
                words = _MORE.replace("{r}", room).replace("{n}", noun)
            say(
                talk,
                tidy(
                    choose_branches(
                        f"[|||please|could you|oh|okay] [{words}] [|||please|thanks]", rng
                    )
                ),
            )
            answer(talk, [_switched(room, noun, state)])
    for _ in range(rng.choice((1, 1, 2))):
        if not ask_which(talk, state):
            return


def _switched(room: str, noun: str, state: str) -> Deed:
    thing = f"{room} {noun}"
    return Deed("switch", thing, state, "", f"the {thing} {be(thing)} {state}")
