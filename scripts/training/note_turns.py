"""Notes: any words at all, kept as they were said. Nothing teaches a small model better to copy."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from conversation import Conversation
from dialogue_values import capitalise, draw_value, invented_name
from open_words import open_drink, open_snack, open_word
from order_items import joined
from person_turns import say
from shapes import Kind
from talk_numbers import plainly


def note_turn(talk: Conversation) -> None:
    """Something is to be noted: words, things or names; and perhaps read back."""
    rng, pick = talk.rng, talk.rng.random()
    if pick < 0.45:
        heard = said = " ".join(open_word(rng) for _ in range(rng.randint(1, 5)))
        wish = "[note|note down|write down|take a note|make a note|please note|the note is|jot down] {w}"
    elif pick < 0.7:
        things = [
            rng.choice((open_snack, open_drink))(rng) if rng.random() < 0.5 else open_word(rng)
            for _ in range(rng.randint(2, 4))
        ]
        heard = said = joined(things)
        wish = "[note|note down|write down|please note|keep in mind] {w}"
    else:
        names = [
            invented_name(rng) if rng.random() < 0.25 else draw_value("name", rng, False).text
            for _ in range(rng.randint(2, 4))
        ]
        heard, said = joined(names), joined([capitalise(name) for name in names])
        wish = "[the guests are|we are|note the names|invited are|the names are|the team is|coming are] {w}"
    plainly(talk, f"[|please|can you|and|okay|also] {wish}".replace("{w}", heard))
    talk.note = said
    talk.assistant(f"Okay, I've noted {said}.")
    if rng.random() < 0.3:
        ask_note(talk)


def ask_note(talk: Conversation) -> None:
    """The note is read back."""
    say(
        talk,
        "[|so|and|sorry|okay] [read me my note|what did i ask you to [note|write down]|what's in my note|what did you note [down|]|read my note back|what was my note]",
        Kind.QUESTION,
    )
    talk.assistant(f"You noted {talk.note}." if talk.note else "There are no notes.")
