"""What other assistants talk of between a telling and the question after it, in words of their own.

None of it is learnt. It is there because what was told must be found again behind answers that this
assistant would never give, and behind a question of theirs that the caller answers in passing.
"""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from typing import Final

from chat_turns import filled
from conversation import Conversation
from domain import choose_branches
from talk_numbers import plainly, told_before

#: What the caller says, what is answered, and how the caller answers that where it is a question.
_EXCHANGES: Final = (
    ("[is it okay if i ask you things|can i ask you something|may i ask you a question|i have a few questions]", "[Of course, ask away.|Sure, go ahead.|Yes, what would you like to know?|Certainly.]", ""),
    ("[how's your day going|how are you today|how are things with you|are you well]", "[Very well, thank you. Anything else for you?|All good here, thanks!|Can't complain. And you?|I'm doing well.]", "[good thanks|fine|not bad|i'm well]"),
    ("[we're|we are|i'm] looking for a room for {n} nights", "[How lovely. From which date?|A room, certainly. When would you arrive?|Certainly. From which day?]", "[from the {d}|on {w}|the {d} of {m}|from {w}|on the {d}]"),
    ("[we'd like|i need|can i book] a table [for {n}|for tonight|on {w}|]", "[Of course. What time?|A table, lovely. At what time?|Certainly. For when?]", "[at eight|around seven|half six|on {w}|tonight at nine]"),
    ("[i just wanted to say hello|just saying hi|i'm just chatting|i was in the area]", "[That's kind of you. Hello!|How nice.|Lovely to hear from you.]", ""),
    ("[it's lovely outside|what a day|i've been walking all day|it's busy today|i've just had lunch with {p}|we came from {c} today]", "[How nice!|I see.|That sounds lovely.|Good for you.|I hope it was fun.]", ""),
    ("[what can you do|who are you|where are you|how old are you]", "[I help people all day long.|I'm the assistant here.|I'm right here for you.|I answer questions.]", ""),
    ("[do you have wifi|is there parking|can i bring my dog|are you open on {w}|when do you close]", "[Yes, we do.|Yes, until eight.|Of course.|No, I'm afraid not.|Yes, at the back.]", ""),
    ("[my {o} is {o}|i saw a {o} in {c}|the {o} was {o}|we bought a {o}]", "[Really?|How interesting.|I see.|Is that so?]", ""),
    ("[under which name is it|who is it booked for|is it still booked for {p}] [by the way|]", "[It is under {f}.|Yes, it's under {f}.|The booking is for {f}.]", ""),
)  # fmt: skip


def exchange(talk: Conversation) -> str:
    """One of these; what the caller answers to the question at its end, if it has one."""
    said, answered, reply = talk.rng.choice(_EXCHANGES)
    words = filled(talk.rng, said)
    plainly(talk, words, exact=False)
    told = choose_branches(answered, talk.rng)
    told_before(talk, filled(talk.rng, told))
    return filled(talk.rng, reply) if reply and told.endswith("?") else ""


def replied_first(talk: Conversation, start: int, reply: str) -> None:
    """The turn that begins at ``start`` gets the reply before its question: ``from the ninth and ...``."""
    if start >= len(talk.messages) or talk.messages[start]["role"] != "user":
        return
    asked = str(talk.messages[start]["content"])
    if asked[:1].isupper():
        text = f"{reply[:1].upper()}{reply[1:]}. {asked}"
    else:
        text = f"{reply} {talk.rng.choice(('and ', 'and ', '', 'but '))}{asked}"
    talk.messages[start] = {"role": "user", "content": text}
