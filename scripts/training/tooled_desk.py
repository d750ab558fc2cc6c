"""Bookings told once more with tools: the desk keeps the booking and the facts, not the model.

Scenes and templates (:mod:`scenes`, :mod:`instructed_turns`) tell a booking with a prompt of facts
alone. Their answers are worded alike everywhere ("Okay, a table on Friday. For how many people?"),
so what ``agents/bookings/desk.py`` would have answered can be read from them, and with it the call.
"""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import set_phrases
from conversation import Conversation, Message
from desk_words import AGREES
from instructed_say import tell
from instructed_words import CANCELS, DROPPED

DESK: Final = ("get_fact", "note_booking", "get_booking", "confirm_booking", "cancel_booking")
_ASK: Final = r"(?P<ask>[A-Z][^.?!]*\?)"
_READ_BACK: Final = re.compile(r"^(?P<before>.*?)Okay\. That is (?P<booking>.+)\. (?P<ask>Shall I [a-z ]+\?)$")  # fmt: skip
_GOES_ON: Final = re.compile(rf"^(?P<before>.*?)(?:Okay|Thank you), (?P<booking>.+)\. {_ASK}$")
_ONLY_ASKED: Final = re.compile(rf"^(?P<before>.*?)Okay\. {_ASK}$")
_REFUSED: Final = re.compile(rf"^(?:I'm sorry, |No, |(?=We're closed ))(?P<refused>.+)\. {_ASK}$")
_BOOKED: Final = re.compile(
    r"^Thank you\. (?P<booking>.+) (?P<verb>(?:is|are) [a-z]+(?: [a-z]+)?)\.$"
)
_CHANGED: Final = re.compile(
    r"^Okay, I've changed it\. (?P<changed>(?P<booking>.+) (?:is|are) [a-z ]+)\.$"
)
_CANCELLED: Final = re.compile(r"^Okay, (?P<cancelled>.+ (?:is|are) cancelled)\.$")
_UNKNOWN: Final = "I'm sorry, I don't know that."
_DROPPED: Final = "Okay, I won't book it."
_SAID_AGAIN: Final = "I said: "
#: Computed from facts: no desk tells it so.
_COMPUTED: Final = re.compile(r"together\b|^That is |altogether|in all\b")
_RECALLED: Final = re.compile(
    r"\b(again|did i|have i|i said|you got|have you|got me|so far|read|repeat|remind|what was|when was|which|what|when|who|whose|how many|is it|am i|was it|my (?:name|number|booking|time|day|date))\b"
)
_AGAIN: Final = re.compile(
    r"\b(again|did i|have i got|i said|was it|was that|you got me|so far|what was|am i|my (?:name|number|booking|time|day|date))\b"
)
_TELLING: Final = re.compile(
    r"^(No|Yes)\b|day|\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b"
)
_SET: Final = frozenset(v for k, v in vars(set_phrases).items() if k.isupper())
#: What answers about a booking have that it does not say itself.
_OF_ANY: Final = frozenset(
    "number name under o'clock booked booking people person telephone".split()
)
_BETWEEN: Final = re.compile(r"(?<=[a-z0-9)])(?<!\.[a-z])(?<!Mr|Dr|St)(?<!Mrs)\. (?=[A-Z])")
_WORD: Final = re.compile(r"[a-z']+")
_COMMON: Final = frozenset(
    "the and for that this with you your are was were is it its it's we're we our have has had not no yes can can't on at in of to a an or from by as be so but if all one two three four five six seven eight nine ten "
    "there then they them i i'm my me do does don't will would please okay thank thanks sorry know what when who how which any per each only also than very".split()
)
STYLES: Final = ("", "", " Answer in one short sentence.", " Be brief.", " Answer in one to three short sentences.", " Bookings and facts are at the desk's tools.", " Book visits and answer questions with your tools.")  # fmt: skip
#: How often a booking is given up, booked before it is changed, cancelled again; and talk between.
_GIVEN_UP_SHARE: Final = 0.05
_CHANGED_SHARE: Final = 0.5
_CANCELLED_SHARE: Final = 0.25
_BETWEEN_SHARE: Final = 0.04
_BESIDE: Final = (
    (
        "[who are you|who are you again|what's your name|am i talking to a machine|are you a real person|who am i speaking to]",
        set_phrases.PROGRAM,
    ),
    (
        "[one moment|hang on a second|let me look|wait a moment please|bear with me|just a tick]",
        set_phrases.TAKE_TIME,
    ),
    ("[thank you|thanks|cheers|oh lovely thanks|thank you dear]", set_phrases.WELCOME),
    ("[how are you|how are you today|you all right]", set_phrases.FINE),
    ("[hello|hello are you there|can you hear me]", set_phrases.HELLO),
    (
        "[what's the weather like|can you play some music|who won the match|ring my wife please|what's in the news|send a text to my son]",
        set_phrases.REFUSED,
    ),
)
_FACTS_KEPT: Final = 0.2
_FACTS_IN_PROMPT: Final = 0.1


def with_tools(talk: Conversation) -> Conversation | None:
    """The same talk at a desk with tools; None where it books nothing or has tools of its own."""
    rng, first = talk.rng, talk.messages[0]
    if talk.tools or first["role"] != "system" or not any(map(_books, talk.messages)):
        return None
    asked = rng.random() >= _FACTS_IN_PROMPT  # the desk is asked for facts
    kept = not asked or rng.random() < _FACTS_KEPT
    told = Conversation(rng, _tools(rng, asked))
    prompt = first["content"] if kept else _opening(first["content"]) + rng.choice(STYLES)
    told.messages.append({"role": "system", "content": prompt})
    _Retold(told, frozenset(_words(first["content"])), asked).tell(talk.messages[1:])
    return told


def _books(message: Message) -> bool:
    return message["role"] == "assistant" and bool(
        _READ_BACK.match(message["content"]) or _BOOKED.match(message["content"])
    )


def _tools(rng: random.Random, asked: bool) -> tuple[str, ...]:
    desk = DESK if asked else DESK[1:]
    more = rng.choice(
        ((), (), (), ("get_time",), ("get_time", "set_timer", "cancel_timer", "list_timers"))
    )
    return (*desk, *more)


def _opening(prompt: str) -> str:
    """Who answers: the first sentence of a prompt."""
    first = prompt.partition("\n")[0]
    return _BETWEEN.split(first, maxsplit=1)[0].rstrip(".") + "."


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _words(text: str) -> list[str]:
    return [w for w in _WORD.findall(text.lower()) if len(w) > 2 and w not in _COMMON]


@dataclass
class _Retold:
    """A talk as it is retold: the calls, what the desk keeps."""

    told: Conversation
    facts: frozenset[str]
    asked: bool
    booking: str = ""
    ask: str = ""  # what it asked last; nothing once it is booked
    booked: bool = False
    given_up: bool = False

    def tell(self, messages: list[Message]) -> None:
        """All of it, until the booking is given up."""
        heard: list[Message] = []
        for message in messages:
            if message["role"] == "user":
                heard.append(message)
            elif message.get("learn", True):
                self.turn(heard, message["content"])
                heard = []
            else:
                self.told.messages.append(message)
            if self.given_up:
                return
        if self.booked and self.told.rng.random() < _CANCELLED_SHARE:
            tell(self.told, CANCELS.replace("{n}", "booking"))
            self.call("cancel_booking", {}, {"cancelled": f"{self.booking} is cancelled"})
            self.told.assistant(f"Okay, {self.booking} is cancelled.")

    def turn(self, heard: list[Message], said: str) -> None:
        """One turn; before it, at times, one that changes what this one is."""
        rng, back = self.told.rng, _READ_BACK.match(said)
        offered = self.ask.startswith("Shall I") and not self.booked
        if self.booked and _BOOKED.match(said):
            return  # it was, a while ago
        if offered and rng.random() < _GIVEN_UP_SHARE:
            tell(self.told, DROPPED)
            self.call("cancel_booking", {}, {"dropped": True})
            self.told.assistant(_DROPPED)
            self.given_up = True
            return
        if offered and back and back["booking"] != self.booking and rng.random() < _CHANGED_SHARE:
            tell(self.told, AGREES.replace("{n}", "booking"))
            self.confirm(self.booking, "is booked")
        if rng.random() < _BETWEEN_SHARE:
            asked, answer = rng.choice(_BESIDE)
            tell(self.told, asked)
            self.told.assistant(answer)
        self.told.messages += heard
        words = " ".join(message["content"] for message in heard)
        if self.booked and back and back["booking"] != self.booking:
            self.booking = back["booking"]
            self.call("note_booking", {"what": words}, {"changed": f"{self.booking} is booked"})
            self.told.assistant(f"Okay, I've changed it. {_capital(self.booking)} is booked.")
        elif self.booked and (back or _GOES_ON.match(said)):
            self.told.messages.append({"role": "assistant", "content": said, "learn": False})
            self.given_up = True  # nothing follows from it that a desk would say
        else:
            self.answer(words, said)

    def confirm(self, booking: str, verb: str) -> None:
        """It is booked."""
        self.ask, self.booked = "", True
        self.call("confirm_booking", {}, {"booked": f"{booking} {verb}"})
        self.told.assistant(f"Thank you. {_capital(booking)} {verb}.")

    def answer(self, heard: str, said: str) -> None:
        """One answer of the assistant's, behind the calls that it rests on."""
        if said.startswith(_SAID_AGAIN):
            self.told.assistant(said)
        elif match := _READ_BACK.match(said) or _GOES_ON.match(said) or _ONLY_ASKED.match(said):
            self.keep(heard, match.groupdict(), said)
        elif match := _BOOKED.match(said):
            booking = match["booking"]
            first = self.booking[:1] or booking[0].lower()  # a name keeps its capital
            self.confirm(first + booking[1:] if first.lower() == booking[0].lower() else booking, match["verb"])  # fmt: skip
        elif said == _DROPPED:
            self.call("cancel_booking", {}, {"dropped": True})
            self.told.assistant(said)
        elif match := _CANCELLED.match(said):
            self.call("cancel_booking", {}, {"cancelled": match["cancelled"]})
            self.told.assistant(said)
        elif said.endswith("?") and (match := _REFUSED.match(said)) and not self.small_talk(said):
            refused = re.sub("^(?:We|It|There|That)", lambda one: one[0].lower(), match["refused"])
            self.call("note_booking", {"what": heard}, {"refused": refused, "ask": match["ask"]})
            self.told.assistant(f"I'm sorry, {refused}. {match['ask']}")
        elif match := _CHANGED.match(said):
            self.booking = match["booking"]
            self.call("note_booking", {"what": heard}, {"changed": match["changed"]})
            self.told.assistant(said)
        else:
            self.tell_fact(heard, said)

    def keep(self, heard: str, parts: Mapping[str, Any], said: str) -> None:
        """Something of the booking was told, or all of it was asked for."""
        booking, before = parts.get("booking", ""), parts["before"].strip()
        if before and self.asked:
            self.call("get_fact", {"about": heard}, {"fact": before})
        same = booking == self.booking and _RECALLED.search(heard.lower()) is not None
        tool, what = ("get_booking", {}) if same else ("note_booking", {"what": heard})
        known = {"booking": booking} if booking else {}
        self.call(tool, what, {**known, "ask": parts["ask"]})
        self.booking, self.ask = booking or self.booking, parts["ask"]
        self.told.assistant(said.replace("Thank you, ", "Okay, "))

    def small_talk(self, said: str) -> bool:
        """Whether an answer tells nothing of the house and nothing of the booking."""
        words = frozenset(_words(said))
        known = self.facts | frozenset(_words(self.booking))
        return said in _SET or said.endswith("can I help you?") or not words & known

    def tell_fact(self, heard: str, said: str) -> None:
        """A fact, what is booked, or mere talk."""
        if said == _UNKNOWN:
            if self.asked:
                self.call("get_fact", {"about": heard}, {"error": "not known"})
            self.told.assistant(said)
        elif said == f"That is {self.booking}." or self.recalled(heard, said):
            ask = {"ask": self.ask} if self.ask else {}
            self.call("get_booking", {}, {"booking": self.booking, **ask})
            self.told.assistant(self.read_back())
        elif self.small_talk(said) or not self.asked:
            unsure = said not in _SET and _TELLING.search(said)
            self.told.messages.append({"role": "assistant", "content": said, "learn": not unsure})
        elif _COMPUTED.search(said) or said.endswith("?"):
            self.told.messages.append({"role": "assistant", "content": said, "learn": False})
        else:
            self.call("get_fact", {"about": heard}, {"fact": said})
            self.told.assistant(said)

    def read_back(self) -> str:
        """What is booked or noted so far, as the agent says it."""
        if not self.ask:
            return f"That is {self.booking}."
        whole = self.ask.startswith("Shall I")
        return f"Okay{'. That is' if whole else ','} {self.booking}. {self.ask}"

    def recalled(self, heard: str, said: str) -> bool:
        """Whether it was told by the caller and not by the house."""
        words = set(_words(said))
        known = set(_words(self.booking))
        return bool(
            words & known
            and words - _OF_ANY <= known
            and (_AGAIN.search(heard.lower()) or not words <= self.facts)
            and _RECALLED.search(heard.lower())
        )

    def call(self, tool: str, arguments: Mapping[str, Any], result: Mapping[str, Any]) -> None:
        """A call, if the desk has that tool."""
        self.told.call(tool, arguments, result)


if __name__ == "__main__":
    from instructed_turns import instructed_conversation
    from scenes import scene_conversation

    drawn = random.Random(3)
    for number in range(40):
        source = scene_conversation(drawn) if number % 3 else instructed_conversation(drawn, ())
        retold = with_tools(source)
        if retold is None:
            continue
        print("\ntools:", *retold.tools)
        for one in retold.messages:
            asked = one.get("tool_calls")
            content = json.dumps(asked[0]["function"]) if asked else one["content"]
            print(f"  {one['role']:9} {content}")
