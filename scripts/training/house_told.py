"""What was set in the house, to be asked for when other things were talked of."""

from __future__ import annotations

from collections.abc import Callable

from conversation import Conversation
from house_heating import ask_heating, set_heating
from house_lights import ask_light, colour_light


def tell_house(talk: Conversation) -> list[Callable[[], None]]:
    """The heating is set or a light coloured: what asks for it later."""
    tell, ask = talk.rng.choice(((set_heating, ask_heating), (colour_light, ask_light)))
    tell(talk)
    return [lambda: ask(talk)]
