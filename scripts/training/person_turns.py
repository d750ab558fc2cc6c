"""What a caller tells of themselves: names, spelled names, telephone numbers; and small talk."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import Final

from chatter import figures, with_chatter
from conversation import Conversation
from dialogue_values import capitalise, draw_value, invented_name
from domain import choose_branches
from shapes import Kind
from spoken_numbers import UNITS
from user_requests import misheard, typed

#: Where every further word would be taken for a part of what is told.
_EXACT: Final = re.compile(r"name|spell|number|\b[a-z] [a-z]\b|\b(zero|oh|double)\b|pin|code")


def say(talk: Conversation, text: str, kind: Kind = Kind.PLAIN) -> None:
    """The user says one of the wordings: spoken or typed."""
    rng, text = talk.rng, choose_branches(text, talk.rng)
    if rng.random() < 0.08 and len(text.split()) > 2 and not _EXACT.search(text):
        text = with_chatter(text, rng)
    if rng.random() > 0.3:
        talk.user(misheard(text, rng))
        return
    talk.user(typed(figures(text) if rng.random() < 0.5 else text, kind, rng))


def _number(rng: random.Random) -> tuple[str, str]:
    """A telephone number: as the user gives it, as the assistant says it."""
    digits = [rng.randint(0, 9) for _ in range(rng.choice((6, 7, 7, 7, 8, 9, 10, 10, 11)))]
    if rng.random() < 0.3:
        digits[1] = digits[2] = digits[0]
    words = " ".join(UNITS[digit] for digit in digits)
    pick = rng.random()
    if pick < 0.15:
        return "".join(map(str, digits)), words
    if pick < 0.3:
        figures = "".join(map(str, digits))
        return f"{figures[:3]}{rng.choice('- ')}{figures[3:]}", words
    return (words.replace("zero", "oh") if rng.random() < 0.3 else words), words


_KINDS: Final = ("number",) * 6 + (
    "code",
    "customer number",
    "booking number",
    "membership number",
    "pin",
    "ticket number",
    "reference number",
)


def phone_turn(talk: Conversation) -> None:
    """Somebody gives their telephone number, or another number of theirs."""
    given, words = _number(talk.rng)
    kind = talk.rng.choice(_KINDS)
    if kind == "number":
        wording = (
            f"[my [phone|telephone|mobile|cell|] number is|you can reach me [at|on|under]|"
            f"call me back [at|on]|my number's|the number is|it's my number|here is my number|"
            f"write down my number|my new number is] {given}"
        )
    else:
        wording = f"[my {kind} is|the {kind} is|here is my {kind}|write down my {kind}] {given}"
    say(talk, wording)
    talk.numbers[kind] = words
    talk.assistant(f"Thank you. Your {kind} is {words}.")
    if talk.rng.random() < 0.15:
        given, words = _number(talk.rng)
        say(talk, f"[no|sorry|no sorry|actually|wait] [it's|i meant|the {kind} is|] {given}")
        talk.numbers[kind] = words
        talk.assistant(f"I'm sorry. Your {kind} is {words}.")


def ask_phone_turn(talk: Conversation) -> None:
    """Somebody wants to hear a number of theirs again."""
    kind = talk.rng.choice(tuple(talk.numbers)) if talk.numbers else "number"
    phone = "[phone|telephone|] " if kind == "number" else ""
    say(
        talk,
        f"[[so|and|] what's my {phone}{kind}|do you [have|know|remember] my {kind}|"
        f"[can|could] you [repeat|read back|say] my {phone}{kind} [again|please|]|"
        f"which {kind} did i give you|what {kind} do you have|read my {kind} back|"
        f"what was my {kind} [again|]]",
        Kind.QUESTION,
    )
    known = talk.numbers.get(kind)
    talk.assistant(f"Your {kind} is {known}." if known else f"I don't know your {kind} yet.")


def spelled_turn(talk: Conversation) -> None:
    """Somebody spells their name."""
    rng = talk.rng
    name = invented_name(rng) if rng.random() < 0.5 else draw_value("name", rng, False).text
    letters = list(name.replace(" ", ""))
    given = " ".join(letters)
    if rng.random() < 0.3:
        given = rng.choice((given.upper(), "-".join(letters).upper()))
    words = " ".join(letters).upper()
    said = f"{name} " if rng.random() < 0.25 else ""
    say(
        talk,
        f"[my [last|first|] name is [spelled|]|it's spelled|that's|you spell it|i spell it|"
        f"the name is [spelled|]|it is spelled|spelled] {said}{given}",
    )
    talk.name = words
    talk.assistant(f"Thank you, that is {words}.")


#: (what is said, what is answered): small talk beyond that of the domain.
_SMALL_TALK: Final[Mapping[str, str]] = {
    "[do you like [coffee|tea|music|your job|people|it here]|what's your favourite [colour|food|song"
    "|film|drink]|do you [sleep|eat|drink|dream|have a family|have friends|have feelings]|are you "
    "[married|alone|hungry|bored]]": "I'm only a program, but thank you for asking.",
    "[i love you|i like you|you are [nice|sweet|cute|clever|smart|funny|lovely|my favourite]|"
    "you're [funny|smart|clever|sweet|a star|amazing|awesome]|well done|good job|good [boy|girl]|"
    "nice one|that's clever|you have been [very|] [kind|helpful|nice|great]]": "Thank you, that's "
    "very kind.",
    "[you are [stupid|slow|useless|wrong|bad|terrible]|you're [annoying|dumb|an idiot|no help]|"
    "i hate you|that was bad|you never understand me|this is annoying]": "I'm sorry. I'll try to do "
    "better.",
    "[what a [lovely|beautiful|nice|great] day|it's a [nice|lovely|beautiful] day|the sun is shining"
    "|it's raining here|it's snowing]": "I hope you enjoy the day.",
    "[see you later|talk to you later|have a good one|take care|until tomorrow|so long]": "Goodbye! "
    "Have a nice day.",
    "[i'm [fine|good|well|great|okay|doing well] [thanks|thank you|] [and you|how are you|]]": "I'm "
    "fine, thank you. How can I help you?",
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
    "[are you [still there|there|listening|awake]|can you still hear me]": "Yes, I'm here. How can I "
    "help you?",
    "[what can i say|i don't know what to say|help|help me|i need help|what now|what do i do now]": "I can tell the time, set timers, control your home, book tables and take orders.",
}


def small_talk_turn(talk: Conversation) -> None:
    """A little talk."""
    asked = talk.rng.choice(tuple(_SMALL_TALK))
    words = choose_branches(asked, talk.rng)
    kind = Kind.QUESTION if re.match(r"(do|are|what|can)\b", words) else Kind.PLAIN
    say(talk, words, kind)
    talk.assistant(_SMALL_TALK[asked])


def name_turn(talk: Conversation) -> None:
    """Somebody says who they are; the name is one nobody has heard in six cases of ten."""
    rng = talk.rng
    value = draw_value("name", rng, False)
    text = invented_name(rng) if rng.random() < 0.35 else value.text
    name = capitalise(text)
    text = name if rng.random() < 0.3 else text
    if rng.random() < 0.3:
        surname = draw_value("surname", rng, False).say
        say(talk, f"[my name is|i'm|this is|i am] {text} {surname.lower()} [here|speaking|]")
        name = f"{name} {surname}"
    else:
        say(
            talk,
            f"[my name is|my name's|i'm|i am|this is|call me|hi i'm|hello my name is|the name is|"
            f"it's|people call me|you can call me|hi this is] {text} [by the way|speaking|]",
        )
    talk.name = name
    talk.assistant(f"Nice to meet you, {name}. How can I help you?")
