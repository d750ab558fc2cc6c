"""Drills in reading: a prompt tells one to four facts each of several things, and is asked about them.

What a tiny model lacks at a desk is not what to say but where to look: of three prices told in an
order that it had not met it found the right one in 4 of 40 tries. Here the things are words of all
walks of life (``lookup_words.txt``) and invented ones, the facts come before their things or behind
them, one by one or in lists, and the questions go either way: from the thing to the fact, from the
fact to the thing, to two of them at once, to what is not told.
"""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from conversation import Conversation
from dialogue_values import capitalise, draw_value, proper, with_an
from domain import choose_branches
from instructed_say import tell
from lookup_facts import KINDS, Kind, Told
from open_words import open_word

_WORDS: Final = Path(__file__).with_name("lookup_words.txt")
UNKNOWN: Final = "I'm sorry, I don't know that."
_HOUSES: Final = (
    "You answer the phone of {n}.", "You are the voice of {n}.", "You are the desk of {n}.", "You are the receptionist of {n}.",
    "You take calls for {n}.", "This is {n}.", "You work at the counter of {n}.", "Assistant of {n}.", "You help callers of {n}.",
    "You are the telephone assistant of {n}, and answer in one sentence.", "You speak for {n}.",
)  # fmt: skip
_NAMES: Final = (
    "{odd} and Sons", "{odd}'s", "{odd} House", "the {odd} Centre", "{odd} Brothers", "{last} and {odd}", "the {odd} Works", "{odd} Yard",
    "{last}'s", "{last} Hire", "the {odd} Club", "{odd} Market", "{odd} {last}", "the {odd} Rooms", "Studio {odd}", "{odd}",
)  # fmt: skip
_CLOSERS: Final = (
    "Keep it short.", "Be brief.", "Answer in one sentence.", "Be polite.", "If you do not know, say so.", "Never guess.",
    "Speak plainly.", "", "", "", "", "",
)  # fmt: skip


def _words(part: str) -> tuple[str, ...]:
    text = _WORDS.read_text().split(f"== {part}\n")[1].split("\n\n")[0]
    return tuple(word.strip() for word in text.replace("\n", " ").split(","))


THINGS: Final = _words("things")
SERVICES: Final = _words("services")
QUALITIES: Final = _words("qualities")


class Key(NamedTuple):
    """A thing by its name: ``red kettle``."""

    one: str
    many: str

    def fill(self, text: str, **more: str) -> str:
        """``{k}``, ``{a}`` (with its article), ``{ks}`` (many), and what else stands in it."""
        return text.format(k=self.one, a=f"a {self.one}", ks=self.many, **more)


@dataclass(frozen=True)
class Sheet:
    """The things of one prompt, and what is told of each, kind by kind."""

    keys: tuple[Key, ...]
    facts: tuple[tuple[Kind, tuple[Told, ...]], ...]


def lookup_conversation(rng: random.Random) -> Conversation:
    """A prompt and three or more questions about it."""
    sheet, talk = _begun(rng)
    for _ in range(rng.randint(3, 3 * len(sheet.keys))):
        ASKED[rng.choice(_OFTEN)](talk, sheet)
    return talk


def lookup_question(rng: random.Random, way: str) -> Conversation:
    """A prompt and one question, of one of the ways that ``ASKED`` names."""
    sheet, talk = _begun(rng)
    ASKED[way](talk, sheet)
    return talk


def _begun(rng: random.Random) -> tuple[Sheet, Conversation]:
    sheet, talk = draw_sheet(rng), Conversation(rng, ())
    talk.messages.append({"role": "system", "content": prompt(sheet, rng)})
    if rng.random() < 0.2:
        talk.messages.append({"role": "assistant", "content": "Hello.", "learn": False})
    return sheet, talk


# -- what is told ------------------------------------------------------------------------------------


def draw_sheet(rng: random.Random) -> Sheet:
    """Two to five things and one to three kinds of facts."""
    keys = draw_keys(rng, rng.choice((2, 2, 3, 3, 4, 5)))
    kinds = rng.sample(KINDS, rng.choice((1, 1, 1, 2, 2, 3)))
    return Sheet(keys, tuple((kind, kind.draw(rng, len(keys))) for kind in kinds))


def draw_keys(rng: random.Random, count: int) -> tuple[Key, ...]:
    """Things that differ in a noun, or in nothing but an adjective before it."""
    pick = rng.random()
    if pick < 0.25:
        noun = rng.choice((*THINGS, *SERVICES))
        return tuple(_key(f"{quality} {noun}") for quality in rng.sample(QUALITIES, count))
    if pick < 0.45:
        return tuple(map(_key, rng.sample(SERVICES, count)))
    if pick < 0.6:
        odd: set[str] = set()
        while len(odd) < count:
            odd.add(open_word(rng).lower() if rng.random() < 0.5 else rng.choice(THINGS))
        return tuple(map(_key, rng.sample(sorted(odd), count)))
    return tuple(map(_key, rng.sample(THINGS, count)))


def _key(one: str) -> Key:
    ending = "es" if one.endswith(("s", "x", "ch", "sh")) else "s"
    return Key(one, one[:-1] + "ies" if one[-1] == "y" and one[-2] not in "aeiou" else one + ending)


def prompt(sheet: Sheet, rng: random.Random) -> str:
    """All of it, thing by thing or kind by kind."""
    name = choose_branches(rng.choice(_NAMES), rng).format(
        odd=capitalise(open_word(rng)), last=proper(draw_value("surname", rng, written=True).text)
    )
    parts = [rng.choice(_HOUSES).format(n=name)]
    if len(sheet.facts) > 1 and rng.random() < 0.5:
        parts += _by_thing(sheet, rng)
    else:
        parts += [_by_kind(kind, told, sheet.keys, rng) for kind, told in sheet.facts]
    head, *rest = parts
    rng.shuffle(rest)
    apart = "\n" if any("\n" in part for part in rest) else " "
    return with_an(apart.join(filter(None, (head, *rest, rng.choice(_CLOSERS)))))


def _by_thing(sheet: Sheet, rng: random.Random) -> list[str]:
    order = rng.sample(range(len(sheet.facts)), len(sheet.facts))
    sentences = []
    for index, key in enumerate(sheet.keys):
        said = [
            choose_branches(kind.does, rng).format(v=told[index].written)
            for kind, told in map(sheet.facts.__getitem__, order)
        ]
        joined = said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"
        sentences.append(f"{rng.choice(('The', 'A', 'Our'))} {key.one} {joined}.")
    rng.shuffle(sentences)
    return [" ".join(sentences)]


def _by_kind(kind: Kind, told: Sequence[Told], keys: Sequence[Key], rng: random.Random) -> str:
    pairs = rng.sample(list(zip(keys, told, strict=True)), len(keys))
    if rng.random() < 0.35:
        forms = (
            [choose_branches(kind.sentence, rng) for _ in pairs]
            if rng.random() < 0.3
            else [choose_branches(kind.sentence, rng)] * len(pairs)
        )
        return " ".join(
            capitalise(key.fill(form, v=fact.written)) + "."
            for form, (key, fact) in zip(forms, pairs, strict=True)
        )
    head, item = rng.choice(kind.lists)
    items = [key.fill(item, v=fact.written) for key, fact in pairs]
    head = choose_branches(head, rng)
    if rng.random() < 0.15:
        return "\n".join(
            (head if head.endswith(":") else f"{kind.title}:", *(f"- {one}" for one in items))
        )
    apart = rng.choice((", ", ", ", "; "))
    last = rng.choice((" and ", ", and ", apart)) if apart == ", " else apart
    return capitalise(f"{head} {apart.join(items[:-1])}{last}{items[-1]}.".strip())


# -- what is asked -----------------------------------------------------------------------------------


def _forward(talk: Conversation, sheet: Sheet) -> None:
    """From the thing to the fact, and now and then to the same of another."""
    kind, told = talk.rng.choice(sheet.facts)
    at, other = talk.rng.sample(range(len(sheet.keys)), 2)
    _ask(talk, sheet.keys[at].fill(kind.asks))
    _answer(talk, sheet.keys[at].fill(kind.answer, v=told[at].spoken))
    if talk.rng.random() < 0.35:
        _ask(
            talk,
            sheet.keys[other].fill(
                "[and|what about|and what about|how about|now] [the|for the|a] {k} [|please|then]"
            ),
        )
        _answer(talk, sheet.keys[other].fill(kind.answer, v=told[other].spoken))


def _backward(talk: Conversation, sheet: Sheet) -> None:
    """From the fact to the thing, where it is told of one alone."""
    kind, told = talk.rng.choice(sheet.facts)
    at = talk.rng.randrange(len(sheet.keys))
    if not kind.back or [fact.spoken for fact in told].count(told[at].spoken) > 1:
        return _forward(talk, sheet)
    _ask(talk, sheet.keys[at].fill(kind.back, v=told[at].spoken))
    return _answer(talk, sheet.keys[at].fill(kind.back_answer, v=told[at].spoken))


def _two(talk: Conversation, sheet: Sheet) -> None:
    """Two of them: which is the least of all or of both, or what they are together."""
    kind, told = talk.rng.choice(sheet.facts)
    if not kind.compared:
        return _forward(talk, sheet)
    one, two = talk.rng.sample(range(len(sheet.keys)), 2)
    question, answer = talk.rng.choice(kind.compared)(
        talk.rng, (sheet.keys[one].one, told[one]), (sheet.keys[two].one, told[two])
    )
    _ask(talk, question)
    return _answer(talk, answer)


def _unknown(talk: Conversation, sheet: Sheet) -> None:
    """A thing, or a kind of fact, that the prompt doesn't tell."""
    if talk.rng.random() < 0.5:
        kind, key = talk.rng.choice(sheet.facts)[0], draw_keys(talk.rng, 1)[0]
        if set(key.one.split()) & {word for known in sheet.keys for word in known.one.split()}:
            return _forward(talk, sheet)
    else:
        known = {kind.title for kind, _ in sheet.facts}
        kind = talk.rng.choice([kind for kind in KINDS if not known & {kind.title, *kind.near}])
        key = talk.rng.choice(sheet.keys)
    _ask(talk, key.fill(kind.asks))
    return _answer(talk, UNKNOWN)


def _whether(talk: Conversation, sheet: Sheet) -> None:
    """Whether it is so: yes, or no and what it is."""
    kind, told = talk.rng.choice(sheet.facts)
    at, other = talk.rng.sample(range(len(sheet.keys)), 2)
    asked = told[at if talk.rng.random() < 0.5 else other].spoken
    _ask(talk, sheet.keys[at].fill(kind.whether, v=asked))
    if asked == told[at].spoken:
        return _answer(talk, choose_branches(kind.yes, talk.rng).format(v=asked))
    return _answer(talk, "No. " + sheet.keys[at].fill(kind.answer, v=told[at].spoken))


def _ask(talk: Conversation, text: str) -> None:
    tell(talk, f"[{text}]")


def _answer(talk: Conversation, text: str) -> None:
    talk.assistant(capitalise(with_an(text)))


ASKED: Final[Mapping[str, Callable[[Conversation, Sheet], None]]] = {
    "forward": _forward,
    "backward": _backward,
    "two": _two,
    "unknown": _unknown,
    "whether": _whether,
}
_OFTEN: Final = ("forward", *ASKED, "forward")

if __name__ == "__main__":
    for seed in range(12):
        for message in lookup_conversation(random.Random(seed)).messages:
            print(f"  {message['role']:9} {message['content']}")
        print()
