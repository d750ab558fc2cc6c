"""How a caller says what they say: spoken, typed, among other words; and small talk."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from chatter import figures, with_chatter
from conversation import Conversation
from domain import choose_branches
from set_phrases import ABILITIES, BYE, FINE, HEAR_YOU
from shapes import Kind
from user_requests import misheard, typed

#: Where every further word would be taken for a part of what is told.
_EXACT: Final = re.compile(r"name|spell|number|\b[a-z] [a-z]\b|\b(zero|oh|double)\b|pin|code")
#: Letters one by one, of which none may get lost.
_LETTERS: Final = re.compile(r"\b[a-z] [a-z] [a-z]\b")


def say(talk: Conversation, text: str, kind: Kind = Kind.PLAIN) -> None:
    """The user says one of the wordings: spoken or typed."""
    rng, text = talk.rng, choose_branches(text, talk.rng)
    if rng.random() < 0.08 and len(text.split()) > 2 and not _EXACT.search(text):
        text = with_chatter(text, rng)
    if rng.random() > 0.3:
        talk.user(text if _LETTERS.search(text) else misheard(text, rng))
        return
    talk.user(typed(figures(text) if rng.random() < 0.5 else text, kind, rng))


#: (what is said, what is answered): small talk beyond that of the domain.
_SMALL_TALK: Final[Mapping[str, str]] = {
    "[what a [lovely|beautiful|nice|great] day|it's a [nice|lovely|beautiful] day|the sun is shining"
    "|it's raining here|it's snowing]": "I hope you enjoy the day.",
    "[see you later|talk to you later|take care|until tomorrow|so long]": BYE,
    "[i'm [fine|good|well|great|okay|doing well] [thanks|thank you|] [and you|how are you|and yourself]]": FINE,
    "[that's [funny|a good one|hilarious]|haha [that's funny|]|very funny|ha ha|good joke]": "I'm "
    "glad you liked it.",
    "[nothing|nothing really|i don't need anything|i'm just looking|just testing|this is a test|"
    "i'm just trying this|testing testing|one two three testing]": "Okay. I'm here when you need me.",
    "[i'm back|here i am again|it's me again|me again]": "Welcome back! How can I help you?",
    "[add [five|ten|two] [more|] minutes to the timer|make the timer longer|[pause|resume|change|rename|extend]"
    " the timer]": "I'm sorry, I can't help with changing a timer. I can cancel it and set a new one.",
    "[how [warm|cold|hot] is it [in here|inside|in the house|in the kitchen|in the bedroom]|what's the "
    "temperature [inside|in here|in the living room]|what is the heating set to]": "I can't see that from "
    "here, but I can set the heating for you.",
    "[are the lights [on|off]|is the light [on|off]|did i leave the lights on|which lights are on]": "I "
    "can't see that from here, but I can turn the lights on or off for you.",
    "[are you [still there|there|listening|awake]|can you still hear me]": HEAR_YOU,
    "[what can i say|i don't know what to say|help|help me|what now|what do i do now]": ABILITIES,
}


def small_talk_turn(talk: Conversation) -> None:
    """A little talk."""
    seen = "can't see" if talk.house else "no such answer"  # the house's own turns tell its state
    asked = talk.rng.choice([words for words, answer in _SMALL_TALK.items() if seen not in answer])
    words = choose_branches(asked, talk.rng)
    kind = Kind.QUESTION if re.match(r"(do|are|what|can)\b", words) else Kind.PLAIN
    say(talk, words, kind)
    talk.assistant(_SMALL_TALK[asked])
