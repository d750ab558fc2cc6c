"""Numbers of other people, told in passing: ``the piano tuner's number is``, ``her mobile is``."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from functools import partial
from typing import Final

from conversation import Conversation
from dialogue_values import capitalise, draw_value, invented_name
from domain import choose_branches
from shapes import Kind
from talk_names import AFTER, BEFORE, Asker, draw_name
from talk_numbers import draw_digits, heard_number, number_words, plainly, told_before
from talk_people import draw_person

_KEEP: Final = "[||keep that [would ya|for me|please|]|hold that for me|remember it|note it down|will you hold that for me|write it down|save that|store it for me|don't lose it]"


def tell_their_number(talk: Conversation) -> list[Asker]:
    """Whose number it is, and the number; asked for by whose it is."""
    rng, digits = talk.rng, draw_digits(talk.rng)
    heard = heard_number(talk, digits)
    if rng.random() < 0.45:
        name = draw_name(rng, whole=0.1)
        who, said = name.heard, name.written
        plainly(
            talk,
            f"[{who} is [coming|coming over|here|ill|calling later]|{who} just rang|i have to ring {who}|{who} wants to come]",
        )
        told_before(
            talk,
            choose_branches(
                f"[How nice.|Okay.|I see.|Say hello to {said} from me.|All right.]", rng
            ),
        )
        first = f"[her|his|their|{who}'s] [mobile|number|phone|phone number|mobile number] is"
    else:
        person = draw_person(rng)
        who, said = (
            (person.heard, person.said)
            if rng.random() < 0.6
            else (f"the {person.noun}", f"the {person.noun}")
        )
        first = f"{who}'s [phone|mobile|] number is"
    plainly(talk, f"[||okay|oh|and|listen] {first} {heard} ~ {_KEEP}")
    told = f"{capitalise(said)}'s number is {number_words(digits)}."
    talk.assistant(f"Thank you. {told}")
    if rng.random() < 0.2:
        digits = [*digits[:-1], (digits[-1] + rng.randint(1, 9)) % 10]
        last = number_words(digits[-1:])
        plainly(
            talk,
            f"[no|sorry|wait|oh no] ~ [it ends in {last}|the last one is [a|] {last}|the last digit is {last}|make the last one {last}]",
        )
        told = f"{capitalise(said)}'s number is {number_words(digits)}."
        talk.assistant(f"I'm sorry. {told}")
    return [partial(_ask, talk, who, told)]


def _ask(talk: Conversation, who: str, told: str) -> None:
    plainly(
        talk,
        f"{BEFORE} [what's {who}'s [phone|mobile|] number|what was {who}'s number|{who}'s number|{who}'s number please|read me {who}'s number|read me out that number|what's that number i gave you|so what's the whole number|what number did i give you for {who}|how do i reach {who}|tell me {who}'s number|have you [still|] got {who}'s number] {AFTER}",
        Kind.QUESTION,
    )
    talk.assistant(told)


def draw_guests(talk: Conversation) -> tuple[str, str]:
    """Two or three who are expected, as they are heard and as they are written."""
    rng, names = talk.rng, []
    for _ in range(rng.choice((1, 2, 2))):
        last = (
            draw_value("surname", rng, False).say
            if rng.random() < 0.6
            else capitalise(invented_name(rng))
        )
        title = rng.choice(("Mr", "Mrs", "Miss", "Doctor", ""))
        names.append(f"{title} {last}".strip())
    said = " and ".join(names)
    return said if rng.random() < 0.3 else said.lower(), said


def tell_guests(talk: Conversation) -> list[Asker]:
    """Who is expected and at what time; the time may change; then who comes, and when."""
    rng, (heard, said) = talk.rng, draw_guests(talk)
    many = " and " in said
    come = "come" if many else "comes"
    time = draw_value("time", rng, False)
    be, arrive = ("are", "arrive") if many else ("is", "arrives")
    plainly(
        talk,
        f"[[i am expecting|i'm expecting|we're expecting|we're having] {heard} [at|around] {time.text}|{heard} [{be} coming|{come}|{arrive}] at {time.text} [tonight|today|]]",
    )
    known = f"{said} {come} at {time.say}."
    _heard(talk, known)
    if rng.random() < 0.4:
        time = draw_value("time", rng, False)
        plainly(
            talk,
            f"[|no|oh|sorry] [it's {time.text} now|it is to be {time.text} now|they come at {time.text}|make that {time.text}|they just rang it's {time.text}|at {time.text} after all]",
        )
        known = f"{said} {come} at {time.say}."
        _heard(talk, known)

    def ask() -> None:
        plainly(
            talk,
            f"{BEFORE} [who is [it that is|] coming [tonight|today|]|who am i expecting|who's coming|who did i say is coming|[at what time|when|what time] do my guests [arrive|come]|at what hour do [they|my guests] arrive|when are they coming|when is it they come|what are the names of my guests] {AFTER}",
            Kind.QUESTION,
        )
        talk.assistant(known)

    return [ask]


def _heard(talk: Conversation, known: str) -> None:
    if talk.rng.random() < 0.6:
        talk.assistant(f"Okay, I'll remember that {known}")
    else:
        told_before(
            talk,
            talk.rng.choice(
                (
                    "Noted.",
                    "How nice!",
                    "I'll keep that in mind.",
                    "Very well.",
                    f"{known[:-1]}, noted.",
                )
            ),
        )
