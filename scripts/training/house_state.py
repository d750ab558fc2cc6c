"""What was done in the house, kept for what is asked and changed later."""

# ruff: noqa: E501  lists of words are read across

from __future__ import annotations

import re
from typing import Final

from conversation import Conversation
from house_things import Deed
from order_items import joined

#: How somebody begins who wants it otherwise.
NO: Final = (
    "[|no|no|sorry|actually|wait|no wait|oh|oh no|no sorry|hmm no|no hang on|that's too much|uh no|"
    "hmm|nah|on second thoughts|er no|mm no]"
)
_NO_ROOM: Final = re.compile(
    "ceiling|floor|desk|bed|night|fairy|reading|table|big|little|standing|tall|piano|main|mood|wall"
    "|christmas|sewing|outside|corner|mirror|new|lava|cooker|strip| the |lights|your"
)
_LIGHT: Final = re.compile("light|lamp")


_ASKING: Final = re.compile(r"(could you|can you|would you|please|i'd like|let's have) (.*)")
_VERBS: Final = frozenset(
    "set put turn stick get pop bring leave have keep make warm heat cool crank whack add bump push raise drop knock"
    " take nudge lower dim switch change play throw give start blast find let's pause stop skip repeat carry go continue"
    " resume kill cut end shut tell count run cancel drop forget delete clear remind check read swap unpause hold".split()
)  # fmt: skip


def tidy(words: str) -> str:
    """``can you hall light off -> hall light off``: what asks for a deed needs a verb."""
    found = _ASKING.fullmatch(" ".join(words.split()))
    if found and found.group(2).split()[:1] and found.group(2).split()[0] not in _VERBS:
        return words if found.group(1) == "please" else found.group(2)
    return words


def sentences(deeds: list[Deed]) -> str:
    """``Okay, the hall light is on and the gate is open.``"""
    return f"Okay, {joined([deed.done for deed in deeds])}."


def remember(talk: Conversation, deeds: list[Deed]) -> None:
    """What holds of the house now, the last deed at the end."""
    new = {deed.thing for deed in deeds}
    kept = [deed for deed in talk.house if deed.thing not in new]
    if any(deed.kind == "every" for deed in deeds):
        kept = [deed for deed in kept if deed.kind == "set"]
    talk.house = kept + deeds


def answer(talk: Conversation, deeds: list[Deed]) -> None:
    """It is done, and said; in a few conversations another assistant said so in its own words."""
    remember(talk, deeds)
    if talk.rng.random() < 0.1 and not any(deed.kind in ("every", "later") for deed in deeds):
        _told_by_another(talk, joined([deed.done for deed in deeds]))
        return
    talk.assistant(sentences(deeds))


_DONE: Final = ("Done.", "Okay, I changed it.", "No problem.", "All right.", "Sure thing.", "Of course.", "Okay, done.", "There you go.", "Consider it done.", "Okay, I've changed that.", "Okay.")  # fmt: skip


def _told_by_another(talk: Conversation, done: str) -> None:
    """The same in other words, numbers with a hyphen at times: history, never imitated."""
    rng = talk.rng
    if rng.random() < 0.3:  # what holds now stands in the caller's words alone
        talk.messages.append({"role": "assistant", "content": rng.choice(_DONE), "learn": False})
        return
    if rng.random() < 0.6:
        done = re.sub(r"\b(twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety) (?=(one|two|three|four|five|six|seven|eight|nine)\b)", r"\1-", done)  # fmt: skip
    text = rng.choice(("Sure, {d}.", "Done, {d}.", "{D}.", "All right, {d}.", "Of course, {d}.", "No problem, {d} for you.", "Okay, {d} now.", "Okay, {d}. Anything else?"))  # fmt: skip
    text = text.replace("now now", "now").replace("{d}", done).replace("{D}", done[:1].upper() + done[1:])  # fmt: skip
    talk.messages.append({"role": "assistant", "content": text, "learn": False})


def is_light(deed: Deed) -> bool:
    """Whether it is of a lamp, of one or of several."""
    return bool(_LIGHT.search(deed.thing)) and deed.kind not in ("every", "later")


def last_light(talk: Conversation) -> Deed | None:
    """The lamp spoken of last."""
    return next((deed for deed in reversed(talk.house) if is_light(deed)), None)


def single(talk: Conversation) -> bool:
    """Whether the last answer was about one thing alone, so that "it" is clear."""
    last = (talk.last_answer() or "").lower().replace("ty-", "ty ")
    return bool(talk.house) and talk.house[-1].done.lower() in last and " and " not in last


def last_room(talk: Conversation) -> str | None:
    """The room spoken of last, where the last deed was in one."""
    if not talk.house:
        return None
    thing = talk.house[-1].thing
    found = re.search(r"(?:in the (.+)$)|^(.+) (?:lights?|lamps?)$", thing)
    room = (found.group(1) or found.group(2)) if found else None
    return None if room is None or _NO_ROOM.search(room) else room
