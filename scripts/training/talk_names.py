"""Names: told in any words, spelled, put right, asked for."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from conversation import Conversation
from dialogue_values import capitalise, draw_value, invented_name, proper
from domain import choose_branches
from open_words import open_word
from set_phrases import NO_NAME_YET
from shapes import Kind
from talk_numbers import plainly, told_before

Asker = Callable[[], None]

_TITLES: Final = ("mrs", "mr", "miss", "ms", "doctor", "mister", "professor")


@dataclass(frozen=True)
class Name:
    """A name: as the user says it, as it is written, and the letters of the part that is spelled."""

    heard: str
    written: str
    letters: str
    part: str = "name"


def draw_name(rng: random.Random, *, whole: float = 0.2) -> Name:
    """Half of all names are nobody's, so that they are copied; some have a surname or a title."""
    first, last = _word(rng, "name"), _word(rng, "surname")
    if rng.random() < whole:
        if rng.random() < 0.3:
            title = rng.choice(_TITLES)
            return Name(f"{title} {last}", f"{capitalise(title)} {capitalise(last)}", apart(last))
        part = "first name" if rng.random() < 0.3 else "surname"
        letters = apart(first if part == "first name" else last)
        return Name(f"{first} {last}", proper(f"{first} {last}"), letters, part)
    return Name(first, capitalise(first), apart(first))


def _word(rng: random.Random, slot: str) -> str:
    pick = rng.random()
    if pick < 0.05:
        return _odd_word(rng)
    if pick < 0.33:
        return invented_name(rng)
    if pick < 0.42:
        return open_word(rng)
    return draw_value(slot, rng, False).text.replace(" ", "").replace("'", "")


def _odd_word(rng: random.Random) -> str:
    """Very short, or the same again and again, or with a letter doubled: ``bo``, ``lala``, ``berryn``."""
    short = rng.choice("bcdfghjklmnprstvwyz") + rng.choice("aeiou")
    pick = rng.random()
    if pick < 0.3:
        return short if rng.random() < 0.6 else short[::-1]
    if pick < 0.6:
        return short * rng.choice((2, 2, 3))
    word = invented_name(rng)
    at = rng.randrange(len(word))
    return word[:at] + word[at] + word[at:]


def apart(word: str) -> str:
    """``Kemp -> K E M P``."""
    return " ".join(word.upper())


def spelled(rng: random.Random, letters: str) -> str:
    """The letters as they are told: apart, in capitals, joined by dashes, doubled ones as "double s"."""
    text, pick = letters.lower(), rng.random()
    if pick < 0.35:
        text = re.sub(r"\b([a-z]) \1\b", r"double \1", text)
    elif pick < 0.5:
        return letters
    elif pick < 0.62:
        return letters.replace(" ", rng.choice(("-", "-", ", ", ".", " - ")))
    if rng.random() > 0.1:
        return text
    parts = text.split(" ")
    at = rng.randrange(len(parts))
    likes = [word for word in (open_word(rng) for _ in range(40)) if word[0] == parts[at]]
    if likes:
        parts[at] += f" {rng.choice(('as in', 'for', 'like'))} {likes[0]}"
    return " ".join(parts)


_TRAILERS: Final = "[|||||||||with [a|an] {l}|with [a|an] {l} at the end|with one {l}|not {m}|like the {o}|please|as you hear it|like it sounds|got that|with one {l} in the middle|okay|without {m}|it's {o}ish]"


def with_spelling(talk: Conversation, name: Name) -> str:
    """How the letters follow the name, and what may follow them."""
    rng = talk.rng
    return (
        choose_branches(
            "[that's|that's|that is|spelled|it's spelled|you spell it|you spell that|i spell it||with|so that's|spelt|the spelling is]",
            rng,
        )
        + f" {spelled(rng, name.letters)} {_trailer(rng, name)}"
    )


def _trailer(rng: random.Random, name: Name) -> str:
    text = choose_branches(_TRAILERS, rng).replace("{l}", name.letters[-1].lower())
    return text.replace(
        "{m}", rng.choice([c for c in "abcdefgikmnopstvz" if c.upper() not in name.letters])
    ).replace("{o}", open_word(rng))


#: How people say who they are; ``{n}`` is the name.
_I_AM: Final = (
    "[[|hi|hello|hey|hey good morning|hello good evening|hi hello|morning|yo|bonsoir sorry|good morning|hi there|hiya|um|so|well|oh|right|evening|by the way|oh and|mustn't grumble|not bad not bad|good good|i'm fine thanks|very well|ah lovely|nice to meet you|pleased to meet you|thanks|hello dear|i don't think we've met|fine and you] ~ [i'm {n}|i am {n}|my name is {n}|my name's {n}|this is {n}|it's {n}|the name's {n}|the name is {n}|call me {n}|{n} here|it's {n} here|"
    "you can call me {n}|they call me {n}|people call me {n}|everyone calls me {n}|{n} is my name|{n} is the name|you're [talking|speaking] [to|with] {n}|it's me {n}|name's {n}|i'm called {n}|my good name is {n}|me name is {n}|i go by {n}|myself {n}|remember my name it's {n}|please note my name it's {n}|you can write down my name it's {n}|my name by the way is {n}|just call me {n}|"
    "i'm {n} by the way|my name is {n} by the way|this is {n} speaking|{n} speaking|and i'm {n}|i'm well my name's {n}|it's {n} again]|"
    "and my name is {n} so we've been introduced|my name's {n} ~ [so you know|just so you know|in case you need it|if you need it|if anybody asks|you know|right]|"
    "i'm {n} you know|i should say i'm {n}|i haven't said i'm {n}|i forgot to say my name is {n}|let me introduce myself i'm {n}|may i introduce myself my name is {n}|we haven't met i'm {n}|"
    "not bad i'm {n}|i'm fine i'm {n}|oh i can't complain i'm {n} you know|good good so i'm {n}|thanks i'm {n}|my friends call me {n}|put me down as {n}|you may call me {n}|"
    "my name is {n} and i'm [new here|a guest|ninety|from {c}|{g}|{g} years old|happy to be here]|i'm {n} and [i live here|this is my house|i'm the new tenant|we're staying for a week|i'm calling about something]|"
    "i'm {n} and i'm {g}|it's {n} here how [you keeping|are you]|this is {n} how are you [today|]|i'm {n} how are you|"
    "i'm {n} [you know|] ~ my [son|daughter|grandson|wife|brother|niece] [installed you|bought you|set you up|told me about you|gave you to me]]"
)
_GREETED: Final = "[Hello {n}, what can I do for you?|Hi {n}.|Hello {n}.|Nice to meet you, {n}!|Hi {n}, how can I help?|Welcome, {n}.|Hello {n}, nice to hear from you.]"


def tell_name(talk: Conversation) -> list[Asker]:
    """The caller says who they are: with or without letters, at times put right."""
    rng, name = talk.rng, draw_name(talk.rng, whole=0.3)
    shown = proper(name.heard) if rng.random() < 0.3 else name.heard
    if name.heard.split()[0] in _TITLES[:4] and rng.random() < 0.4:
        shown = proper(name.heard.replace(" ", ". ", 1))
    pick = rng.random()
    if pick < 0.62:
        _introduce(talk, name, shown)
        if rng.random() < 0.15:
            name = _corrected(talk, name)
    elif pick < 0.85:
        opening = choose_branches(
            f"[{'surname' if ' ' in name.heard else 'name'}'s|my name's|i'm|it's|the name is|this is|my name is||for the name it's]",
            rng,
        )
        plainly(talk, f"{opening} {shown} ~ {with_spelling(talk, name)}")
        talk.assistant(f"Thank you, that is {name.letters}.")
        if " " not in name.heard and rng.random() < 0.15:
            letters = _respelled(talk, name.letters)
            word = letters.replace(" ", "").lower()
            name = Name(word, capitalise(word), letters)
    else:
        letters = spelled_alone(talk, name)
        name = Name("", letters, letters)
    talk.name = name.written
    askers: list[Asker] = [partial(ask_name, talk)]
    if rng.random() < 0.6:
        askers.append(partial(ask_letters, talk, "my", name))
    return askers


def name_turn(talk: Conversation) -> None:
    """Somebody says who they are."""
    tell_name(talk)


def _introduce(talk: Conversation, name: Name, shown: str) -> None:
    rng = talk.rng
    words = choose_branches(_I_AM, rng)
    words = words.replace("{c}", draw_value("city", rng, False).text)
    words = words.replace("{g}", draw_value("count", rng, False).text).replace("{n}", shown)
    plainly(talk, words)
    if rng.random() < 0.12:
        told_before(talk, choose_branches(_GREETED, rng).replace("{n}", name.written))
        return
    talk.assistant(f"Nice to meet you, {name.written}. How can I help you?")


def spelled_turn(talk: Conversation) -> None:
    """Somebody spells their name and does not say it."""
    talk.name = spelled_alone(talk, draw_name(talk.rng))


def spelled_alone(talk: Conversation, name: Name) -> str:
    """The letters, one by one; they are said back one by one, and at times one is put right."""
    plainly(
        talk,
        "[[my|the] [last|first|sur|] name is [spelled|]|it's spelled|that's|you spell it|i spell it|the name is|it is spelled|spelled|my name is spelled|"
        f"let me spell it|i'll spell it for you|it's|name|it's written|you write it|my surname is||i write it] {spelled(talk.rng, name.letters)} {_trailer(talk.rng, name)}".replace(
            "sur name", "surname"
        ),
    )
    talk.assistant(f"Thank you, that is {name.letters}.")
    return _respelled(talk, name.letters) if talk.rng.random() < 0.15 else name.letters


def _respelled(talk: Conversation, letters: str) -> str:
    """One letter was wrong: it is replaced, the others stay."""
    rng, parts = talk.rng, letters.split(" ")
    new = rng.choice("ABCDEFGHIKLMNOPRSTUVWYZ")
    pick = rng.random()
    single = [at for at, letter in enumerate(parts) if parts.count(letter) == 1]
    if pick < 0.4 or not single:
        at, where = (
            len(parts) - 1,
            "[the last letter is [a|an|] {n}|it ends in [a|an|] {n}|with [a|an|] {n} at the end|{n} at the end|the last one's [a|an|] {n}|it should end with [a|an|] {n}]",
        )
    elif pick < 0.6:
        at, where = (
            0,
            "[the first letter is [a|an|] {n}|it starts with [a|an|] {n}|it begins with [a|an|] {n}|with [a|an|] {n} at the start|{n} at the beginning]",
        )
    else:
        at, where = (
            rng.choice(single),
            "[{n} not {o}|with [a|an|] {n} not [a|an|] {o}|not {o} but {n}|it's {n} not {o}|a {n} instead of the {o}|{n} instead of {o}|the {o} is [a|an|] {n}|change the {o} to [a|an|] {n}]",
        )
    where = where.replace("{n}", new.lower()).replace("{o}", parts[at].lower())
    plainly(talk, f"[no|sorry|no sorry|wait|nearly|not quite|hmm no|almost] ~ {where}")
    letters = " ".join((*parts[:at], new, *parts[at + 1 :]))
    talk.assistant(f"I'm sorry, that is {letters}.")
    return letters


def _corrected(talk: Conversation, old: Name) -> Name:
    """The name was heard wrongly: another, or one with another letter."""
    rng = talk.rng
    new = draw_name(rng, whole=0.0)
    if " " not in old.heard and rng.random() < 0.6:
        at = rng.choice((0, 0, len(old.heard) - 1))
        word = old.heard[:at] + rng.choice("abcdefghjklmnprstvwz") + old.heard[at + 1 :]
        new = Name(word, capitalise(word), apart(word))
    plainly(
        talk,
        f"[no|sorry|no sorry|wait|actually|no no|not quite|that's wrong|hm no|that's not my name|you got my name wrong|i'm not {old.heard}|not {old.heard}] ~ [it's {{n}}|my name is {{n}}|i said {{n}}|{{n}}|not {old.heard} {{n}}|i'm {{n}}|i'm {{n}} not {old.heard}|"
        f"{{n}} with [a|an] {new.heard[0]}|it's {{n}} with [a|an] {new.heard[0]}|{{n}} not {old.heard}|i meant {{n}}|it's {{n}} actually]".replace(
            "{n}", new.heard
        ),
    )
    talk.assistant(f"I'm sorry, {new.written}. How can I help you?")
    return new


BEFORE: Final = "[||||so|and|sorry|right|okay|tell me|now|um|uh|wait|great|perfect|hang on|never mind|fine|okay okay|nice|one thing|lovely|clever you] ~"
AFTER: Final = "[||||again|then|please|now|again please|do you remember|do you recall|you know|by the way|you must know that]"


def _ask_whether(talk: Conversation, name: str) -> None:
    """Whether this is the name: yes or no, and the name."""
    rng = talk.rng
    guess = name if rng.random() < 0.5 else draw_name(rng).written
    heard = guess.lower()
    plainly(
        talk,
        f"{BEFORE} [is my name {heard}|am i {heard}|my name is {heard} isn't it|you have me down as {heard} right|do you think i'm {heard}|did i say {heard}|is {heard} my name|did you write {heard}]",
        Kind.QUESTION,
    )
    talk.assistant(f"{'Yes' if guess == name else 'No'}, your name is {name}.")


def ask_name(talk: Conversation) -> None:
    """Who the caller is."""
    if talk.name and talk.rng.random() < 0.07:
        _ask_whether(talk, talk.name)
        return
    plainly(
        talk,
        f"{BEFORE} [what's my name|what is my name|what was my name|who am i|who was i|what name did i [give|say|tell you]|which name did i give you|"
        "what am i called|how am i called|say my name|what do you call me|what name [have you got|do you have|did you write down|did you get|did you hear] [for me|]|who are you talking to|tell me my name|tell me who i am|what did i say my name was|"
        f"what did i tell you my name is|what do they call me|how do they call me|what am i called i told you|my name what was it|you got my name what is it|what's the name i told you|what name have you got down [for me|]|under what name do you have me|how did i introduce myself|what's the name i gave you|who is speaking to you] {AFTER}".replace(
            "{AFTER}", AFTER
        )
        if talk.rng.random() < 0.6
        else f"{BEFORE} [do you [still|] [know|remember|recall] [who i am|my name|what i'm called|what my name is]|can you [tell me|say] [my name|who i am|what i'm called]|have you [forgotten|remembered|noted|got] my name [what is it|]|"
        "you know my name don't you|did you [get|note|catch|keep] my name|you do remember my name don't you|i bet you've forgotten my name|you did write my name down what is it|remind me what my name is|who do you think i am|do you know who you're talking to|could you say my name for me|can you [still|] remember [what my name is|my name|who i am|what i'm called]|do you remember what they call me|have you still got my name|you still know my name do you|my name do you have it]",
        Kind.QUESTION,
    )
    talk.assistant(f"Your name is {talk.name}." if talk.name else NO_NAME_YET)


def ask_letters(talk: Conversation, whose: str, name: Name) -> None:
    """How a name is spelled that was told: letter by letter."""
    if whose == "my" and talk.name != name.written:
        return  # another name was told since
    part = "surname" if name.part == "name" and talk.rng.random() < 0.12 else name.part
    w = f"{whose} {part}"
    words = (
        f"[can|could] you spell {w} [please|just to check|to be on the safe side|for me|back to me|]|how [do you spell|have you spelled|did i spell|do i spell|do i write|do you write] {w}|how's {w} spelled|how is {w} spelled|spell {w} [please|for me|]|"
        f"how have you [got|written] {w} [down|]|how have you got {w} down in letters|how do i spell {w} in your notes|what letters are in {w}|which letters did i give you for {w}|{w} letter by letter please|{w} spelled out please"
    )
    last = talk.last_answer() or ""
    if (name.written in last or name.letters in last) and talk.rng.random() < 0.6:
        words = (
            "spell it for me|how did i spell it|and how did i spell that|letter by letter please|what letters [have you got|did i say]|spell it back to me|how is it spelled|how is that spelled|how's that spelled|spell that back|"
            "can you spell it [back|] [for me|letter by letter|]|how do you write that|how do you spell that|and the spelling|can you spell that|spelled how|could you spell that out"
        )
    plainly(talk, f"{BEFORE} [{words}] [|||once more]", Kind.QUESTION)
    talk.assistant(f"That is {name.letters}.")


def ask_who(talk: Conversation) -> None:
    """Who the caller is, or how their name is spelled."""
    name = talk.name
    if name and talk.rng.random() < 0.3:
        letters = name.upper() if re.fullmatch(r"(\w )*\w", name) else apart(name.replace(" ", ""))
        if re.fullmatch("[A-Z ]+", letters):
            ask_letters(talk, "my", Name(name, name, letters))
            return
    ask_name(talk)
