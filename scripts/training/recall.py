"""Drills in recall: short questions about few things, so that every third word is a look-up.

What a tiny model must learn before it can read a desk's prompt: to find what was told of a thing, to
take the newer of two tellings, to keep all of a form in mind while it fills. In a real conversation
one word in thirty teaches that. Things and facts are drawn apart, so nothing can be known.
"""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from conversation import Conversation
from dialogue_values import capitalise, draw_value, proper
from domain import choose_branches
from lookup_facts import KINDS, Told, distinct
from lookups import QUALITIES, SERVICES, THINGS, UNKNOWN, draw_keys
from open_words import open_word
from spoken_numbers import MONTHS, WEEKDAYS, spoken_ordinal

Draw = Callable[[random.Random, int], tuple[Told, ...]]


@dataclass(frozen=True)
class Recalled:
    """A kind of fact: how so many different ones are drawn, what asks for one, how one is said."""

    draw: Draw
    asks: str
    answer: str


def _date(rng: random.Random) -> Told:
    day, month = rng.randint(1, 28), rng.choice(MONTHS).capitalize()
    return Told(f"{day} {month}", f"the {spoken_ordinal(day)} of {month}")


def _any_of(draw: Callable[[random.Random], str]) -> Draw:
    def told(rng: random.Random) -> Told:
        word = draw(rng)
        return Told(word, word)

    return distinct(told)


_DRAWN: Final = {kind.title: kind.draw for kind in KINDS}
FACTS: Final[Mapping[str, Recalled]] = {
    "price": Recalled(_DRAWN["Prices"], "[how much is|what's the price of|price of|what does it cost,]", "That is {v}."),
    "time": Recalled(_DRAWN["Times"], "[what time is|when is|at what time is]", "At {v}."),
    "number": Recalled(_DRAWN["Numbers"], "[how many of|what number is|number of]", "That is {v}."),
    "length": Recalled(_DRAWN["Durations"], "[how long is|how long for|how long does it take,]", "That is {v}."),
    "date": Recalled(distinct(_date), "[what date is|which date is|on what date is]", "On {v}."),
    "code": Recalled(_DRAWN["Extensions"], "[what's the code of|code of|what code is]", "It is {v}."),
    "name": Recalled(_DRAWN["People"], "[who does|who is with|whose is]", "That is {v}."),
    "colour": Recalled(_DRAWN["Colours"], "[what colour is|which colour is|colour of]", "It is {v}."),
    "place": Recalled(_DRAWN["Places"], "[where is|where's|where do i find]", "It is {v}."),
    "day": Recalled(_DRAWN["Days"], "[which day is|what day is]", "On {v}."),
    "town": Recalled(_DRAWN["Origins"], "[where from is|which town is|where does it come from,]", "From {v}."),
    "word": Recalled(_any_of(open_word), "[what goes with|what's with|what belongs to]", "It is {v}."),
    "thing": Recalled(_any_of(lambda rng: rng.choice(THINGS)), "[what comes with|what is in|what do you get with]", "It is {v}."),
}  # fmt: skip
#: Kinds of which one is known for what it is without its name.
_PLAIN: Final = ("colour", "date", "day", "place", "time")
_ROWS: Final = (
    "{k} {v}", "{k} {v}", "{k}: {v}", "{k} - {v}", "{k} = {v}", "{k} is {v}", "{v} {k}", "{v}: {k}", "{v} for the {k}", "the {k} is {v}",
    "the {k} has {v}", "{k} ({v})", "for the {k} {v}", "{v} is the {k}", "with the {k} goes {v}", "to the {k} belongs {v}",
)  # fmt: skip
_JOINTS: Final = (", ", ", ", "; ", ". ", "\n", "\n- ", " and ")
_ASKED: Final = (
    "{k}", "{k}", "{k} please", "the {k}", "and the {k}", "what about the {k}", "and {k}", "now the {k}", "i mean the {k}", "{k} then",
    "what was it with the {k}", "tell me about the {k}", "i'd like to know about the {k}", "um the {k}", "sorry the {k}", "{o} {k}",
    "my {o} wants the {k}", "i've lost my {o} so what about the {k}", "it's the {k} i'm after",
)  # fmt: skip
_BACKWARD: Final = (
    "what is {v}", "{v}", "which one has {v}", "and {v}", "who or what has {v}", "it was {v} which one is that",
)  # fmt: skip
_FIRST: Final = (
    "the {k} is {v}", "{k} {v}", "remember the {k} is {v}", "put the {k} down with {v}", "{v} for the {k}",
)  # fmt: skip
_CHANGED: Final = (
    "no make the {k} {v}", "the {k} is {v} now", "change the {k} to {v}", "sorry the {k} is {v}",
)  # fmt: skip
_FORMS: Final = (
    "Take down {f}. Repeat all that you have.", "You note {f} and read back everything each time.", "Form: {f}.",
)  # fmt: skip

_SYLLABLES: Final = tuple(map(str.split, (
    "al an ar ash bar bel ben ber black brad bran bre brom bur cal car chal chel clar col cor crom dal dar del don dor dra dun ed el"
    " em esk fair fal far fen fin flan gal gar gil glen gold gor grim gu hal ham har haw hel hol hor hum hux il in is jar jen jo kal"
    " kel ken kin kir lam lan lar leo lin lo lor lu mac mal mar mel mid mon mor na nel new nor o ob ol or os pal par pem pen per pol"
    " quin rad ram rav red ren rich ro ros row ru sal san sed sel shel sher sil sla sor stan sten sut swan tal tam tar tem ten thor"
    " tor tre tris tur ul und ur val van ver vi wal war wes whit wil win wor wy yar yor zan zel zo",
    "a ad am an ar as be bel bing bo bro da de den der dle e ed el em en er es ga ge gel hau i il in ing is ka ke ko la le len li lo"
    " ma men mi mo na ne ni no o ol om on or os pe ra re ren ri ro sa se sen si so ta te ter ti to u ul um und va ven vi za",
    "ane ard back berg berry borough bourne bridge brook bury by combe court cott dale den don dorf ell elli ens er ery ett ey field"
    " ford gate grave greave ham hart head hurst ian ich ier in ine ini ington is ish ison ka ker king la land las le leigh ler ley"
    " lin ling lock low man mann mere mond more mouth nell ner ni nova o off old one oni opoulos or ory os ott ova over ow ridge"
    " rick ron rop row sby sen ser shaw ska ski smith son stead sted stein ster stock stone stow strom ta tan ter thorne thwaite ton"
    " tree ulf una vale vas vich ville wald wall ward water way weather well wen wick win witz wood worth wright wyn yard zak zar",
)))  # fmt: skip
_CALLED: Final = (
    "{v}", "{v}", "{v} please", "my name is {v}", "it's {v}", "the name's {v}", "i'm {v}", "no {v}", "for {v}", "{v} is my name",
    "under {v}", "my surname is {v}", "ask for {v}", "this is {v} speaking", "the last name is {v}", "um {v}",
)  # fmt: skip
_GREETED: Final = (
    "{v}.", "{v}, right?", "Thank you, {v}.", "The name is {v}.", "Hello {v}.", "I have {v}. Is that right?", "For {v}.",
)  # fmt: skip


def recall_conversation(rng: random.Random) -> Conversation:
    """One drill."""
    talk = Conversation(rng, ())
    drill = rng.choices((_table, _told_by_caller, _form, _names), (6, 2, 2, 1))[0]
    drill(talk)
    return talk


def _say(talk: Conversation, text: str, **values: str) -> None:
    """The user says it as a recognizer writes it, or types it. ``{o}`` is any word."""
    rng = talk.rng
    text = choose_branches(text, rng).format(o=open_word(rng), **values)
    spoken = rng.random() < 0.75
    text = text.lower().replace(",", "") if spoken else capitalise(text) + rng.choice("?.! ")
    talk.messages.append({"role": "user", "content": text.strip()})


def _a_key(rng: random.Random) -> Callable[[], str]:
    """What the things of one conversation are."""
    pick = rng.random()
    if pick < 0.25:
        noun = rng.choice((*THINGS, *SERVICES))
        return lambda: f"{rng.choice(QUALITIES)} {noun}"
    if pick < 0.5:
        return lambda: rng.choice(THINGS)
    if pick < 0.6:
        return lambda: rng.choice(SERVICES)
    if pick < 0.75:
        return lambda: open_word(rng)
    if pick < 0.85:
        return lambda: proper(draw_value("name", rng, written=True).text)
    if pick < 0.9:
        return lambda: rng.choice(WEEKDAYS).capitalize()
    word = rng.choice(("room", "door", "bay", "line", "hall"))
    return lambda: f"{word} {rng.randint(1, 30)}"


def _keys(rng: random.Random, count: int) -> list[str]:
    draw, found = _a_key(rng), dict[str, str]()
    while len(found) < count:
        one = draw()
        found.setdefault(one.lower(), one)
    return list(found.values())


# -- a table that the prompt tells -------------------------------------------------------------------


@dataclass(frozen=True)
class Table:
    """Things, and one fact of each kind of each."""

    keys: Sequence[str]
    facts: Mapping[str, Sequence[Told]]

    def only(self, told: Told) -> bool:
        """Whether it is told of one thing alone."""
        return [one.spoken for row in self.facts.values() for one in row].count(told.spoken) == 1


def draw_table(rng: random.Random) -> Table:
    """Two to six things, one to three kinds of facts."""
    count = rng.choice((2, 2, 2, 3, 3, 4, 5, 6))
    kinds = rng.sample(sorted(FACTS), rng.choice((1, 1, 1, 2, 2, 3)))
    return Table(_keys(rng, count), {kind: FACTS[kind].draw(rng, count) for kind in kinds})


def prompt(table: Table, rng: random.Random) -> str:
    """All of it, thing by thing or kind by kind, with a word that says nothing now and then."""
    if len(table.facts) > 1 and rng.random() < 0.5:
        rows = [
            f"{key}: "
            + ", ".join(f"{kind} {told[at].written}" for kind, told in table.facts.items())
            for at, key in enumerate(table.keys)
        ]
        parts = [rng.choice(("; ", "\n", ". ")).join(rows)]
    else:
        parts = [_column(table, kind, rng) for kind in table.facts]
    if rng.random() < 0.4:
        odd = [open_word(rng) for _ in range(4)]
        parts.insert(rng.randrange(len(parts) + 1), "The {} {} the {} of {}".format(*odd))
    if rng.random() < 0.3:
        parts.insert(0, f"You speak for {capitalise(open_word(rng))}")
    return rng.choice((". ", "\n")).join(map(capitalise, parts)) + "."


def _column(table: Table, kind: str, rng: random.Random) -> str:
    row, joint = rng.choice(_ROWS), rng.choice(_JOINTS)
    pairs = rng.sample(list(zip(table.keys, table.facts[kind], strict=True)), len(table.keys))
    items = joint.join(row.format(k=key, v=told.written) for key, told in pairs)
    head = f"{kind}s: " if len(table.facts) > 1 or rng.random() < 0.4 else ""
    return head + (joint + items if joint == "\n- " else items)


def _table(talk: Conversation) -> None:
    rng = talk.rng
    table = draw_table(rng)
    talk.messages.append({"role": "system", "content": prompt(table, rng)})
    for _ in range(rng.randint(2 * len(table.keys), 4 * len(table.keys))):
        ask = rng.choices((_forward, _backward, _whether, _unknown), (6, 2, 1, 1))[0]
        ask(talk, table, rng.choice(sorted(table.facts)), rng.randrange(len(table.keys)))


def _forward(talk: Conversation, table: Table, kind: str, at: int) -> None:
    """From the thing to the fact; where one kind is told alone, the thing is question enough."""
    bare = len(table.facts) == 1 and talk.rng.random() < 0.5
    asked = talk.rng.choice(_ASKED) if bare else FACTS[kind].asks + " [the|the|] {k} [||please]"
    _say(talk, asked, k=table.keys[at])
    talk.assistant(FACTS[kind].answer.format(v=table.facts[kind][at].spoken))


def _backward(talk: Conversation, table: Table, kind: str, at: int) -> None:
    """From the fact to the thing."""
    told = table.facts[kind][at]
    if not table.only(told):
        return _forward(talk, table, kind, at)
    _say(talk, talk.rng.choice(_BACKWARD), v=told.spoken)
    return talk.assistant(f"The {table.keys[at]}.")


def _whether(talk: Conversation, table: Table, kind: str, at: int) -> None:
    """Whether it is so: yes, or no and what it is."""
    told = table.facts[kind]
    asked = talk.rng.choice((told[at], talk.rng.choice(told)))
    _say(talk, "is the {k} {v}", k=table.keys[at], v=asked.spoken)
    talk.assistant("Yes." if asked == told[at] else f"No, {told[at].spoken}.")


def _unknown(talk: Conversation, table: Table, kind: str, at: int) -> None:
    """A thing that is not told of."""
    other = draw_keys(talk.rng, 1)[0].one
    if set(other.split()) & {word for key in table.keys for word in key.lower().split()}:
        return _forward(talk, table, kind, at)
    _say(talk, FACTS[kind].asks + " the {k}", k=other)
    return talk.assistant(UNKNOWN)


# -- what the caller tells ---------------------------------------------------------------------------


def _told_by_caller(talk: Conversation) -> None:
    """The caller tells, changes and asks."""
    rng = talk.rng
    keys = _keys(rng, rng.choice((3, 4, 5, 6)))
    known: dict[str, str] = {}  # as it is said
    for _ in range(rng.randint(6, 16)):
        pick = rng.random()
        if not known or pick < 0.35:
            _tell(talk, rng.choice(keys), known)
        elif pick < 0.9:
            key = rng.choice(list(known))
            again = ("what was the {k}", "what did i say about the {k}", "what's the {k} again")
            _say(talk, rng.choice((*_ASKED, *again)), k=key)
            talk.assistant(f"The {key} is {known[key]}.")
        else:
            _say(talk, "[say all of it|what have you got|all of them please|read it back]")
            talk.assistant(" ".join(f"The {key} is {told}." for key, told in known.items()))


def _tell(talk: Conversation, key: str, known: dict[str, str]) -> None:
    kind = talk.rng.choice([kind for kind in FACTS if kind != "code"])
    told = FACTS[kind].draw(talk.rng, 1)[0].spoken
    _say(talk, talk.rng.choice(_CHANGED if key in known else _FIRST), k=key, v=told)
    known[key] = told
    talk.assistant(f"Okay, the {key} is {told}.")


def _form(talk: Conversation) -> None:
    """A form that fills bit by bit, is read back each time, and put right."""
    rng = talk.rng
    fields = rng.sample(sorted(FACTS), rng.randint(3, 6))
    head = rng.choice(_FORMS).format(f=", ".join(fields))
    talk.messages.append({"role": "system", "content": head})
    have: dict[str, str] = {}
    for field in rng.sample(fields, len(fields)):
        have[field] = FACTS[field].draw(rng, 1)[0].spoken
        named = "{f} {v}|the {f} is {v}|um {f} {v}|it's {f} {v}"
        plain = "|{v}|{v} please" if field in _PLAIN else "|{v} is the {f}"
        _say(talk, f"[{named}{plain}]", f=field, v=have[field])
        _read_back(talk, fields, have)
        if rng.random() < 0.3:
            change = rng.choice(list(have))
            have[change] = FACTS[change].draw(rng, 1)[0].spoken
            _say(
                talk, "[no the {f} is {v}|make the {f} {v}|sorry {f} {v}]", f=change, v=have[change]
            )
            _read_back(talk, fields, have)
        if rng.random() < 0.3:
            asked = rng.choice(list(have))
            _say(talk, "[what's the {f}|the {f} again|which {f} have you got]", f=asked)
            talk.assistant(f"It is {have[asked]}.")


# -- names that nobody has met -----------------------------------------------------------------------


def rare_name(rng: random.Random) -> str:
    """In lower case, of syllables as names have them: "ravensworth", "obrelini"."""
    if rng.random() < 0.25:
        return open_word(rng)
    begin, middle, end = (rng.choice(part) for part in _SYLLABLES)
    return begin + end if rng.random() < 0.5 else begin + middle + end


def _names(talk: Conversation) -> None:
    """Names told as a recognizer writes them, said back as they are written."""
    rng = talk.rng
    for _ in range(rng.randint(5, 12)):
        names = [rare_name(rng) for _ in range(rng.choice((1, 1, 2, 2, 3)))]
        joint = rng.choice((" ", " ", " and ")) if len(names) == 2 else " "
        _say(talk, rng.choice(_CALLED), v=joint.join(names))
        called = joint.join(map(str.capitalize, names))
        talk.assistant(rng.choice(_GREETED).format(v=called))


def _read_back(talk: Conversation, fields: Sequence[str], have: Mapping[str, str]) -> None:
    said = ", ".join(f"{field} {have[field]}" for field in fields if field in have)
    missing = next((f"What {field}?" for field in fields if field not in have), "Is that right?")
    talk.assistant(f"I have {said}. {missing}")


if __name__ == "__main__":
    for seed in range(12):
        for message in recall_conversation(random.Random(seed)).messages:
            print(f"  {message['role']:9} {message['content']}")
        print()
