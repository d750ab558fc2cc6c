"""Questions about what was done in the house."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from conversation import Conversation
from dialogue_values import capitalise
from house_heating import ask_heating
from house_lights import ask_light
from house_state import is_light
from house_things import be
from house_which import ask_which
from order_items import joined
from person_turns import say
from shapes import Kind


def asked(talk: Conversation) -> None:
    """A question about what was done."""
    rng, deed = talk.rng, talk.rng.choice(talk.house)
    if rng.random() < 0.25 and ask_which(talk):
        return
    running = [d for d in talk.house if d.kind == "switch" and d.state == "on"]
    if running and rng.random() < 0.15:
        say(
            talk,
            "[|so|and|okay|um] [what's still on|is anything still on|what did i leave on|what have i got switched on|is there anything on in the house|what did i turn on|what things are on]",
            Kind.QUESTION,
        )
        verb = be(running[0].thing) if len(running) == 1 else "are"
        talk.assistant(capitalise(f"the {joined([d.thing for d in running])} {verb} on."))
        return
    if deed.kind == "set" and deed.thing.startswith("heating") and deed.state.endswith("s"):
        ask_heating(talk)
        return
    if deed.kind == "colour" or (is_light(deed) and rng.random() < 0.2):
        ask_light(talk)
        return
    if deed.kind == "set":
        named = (
            f"what did [you set|i set|i ask for] the {deed.thing} [to|at]|what [is|was] the {deed.thing} set to|how is the {deed.thing} set|"
            f"how hot did i want the {deed.thing}|what temperature is the {deed.thing} at|what's the {deed.thing} [at|on|set to] [now|]"
        )
        last = [d for d in talk.house if d.kind == "set"][-1]
        bare = "|what temperature did i [ask for|want|say]|how [hot|warm] did i want it"
        say(talk, f"[{named}{bare if deed is last else ''}]", Kind.QUESTION)
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
