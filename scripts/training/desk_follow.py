"""A booking that follows from what was asked before: it begins in mid-talk, and what it needs is asked for."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from typing import Final

from desk_asked import AskedTalk
from dialogue_values import capitalise, with_an
from domain import choose_branches
from instructed_bookings import QUESTIONS
from instructed_say import tell
from instructed_values import Told
from order_items import joined
from shapes import Kind

#: What stands before a day or a time of somebody who has asked and now wants to come.
_SO: Final = "[okay|ok|right|good|great|fine|alright|lovely|perfect|super|cool|sounds good|hm okay|in that case|ah okay|brilliant|grand|well then|then|so|oh good|very good|nice|that's fine|okay great|that's alright then|good to know|no problem|oh well|too bad|never mind|sweet|not bad|hmm|ah|yes|||]"
_COME: Final = (
    "[let's do|let's say|can we do|could we do|i'd come|i'll come|i come|we'll come|we come|we'd come|can i get something|put me down for|put us down for|book me in for|book us in|book us in for|i could do|i could come|i can make|can you do|can you fit me in|i'd take|i'll take|then i come|how about|what about|have you anything|is there something|is there space|"
    "could i bring it|i bring it|we want to come|i want to come|i'd like to come|could you do|shall we say|make it|i was thinking|i'm thinking of|can you squeeze me in|let me come|i'd do|we could do|we'd like it|i'd like it|i need it|pencil me in|save me a place|get me in|||]"
)
_THEN: Final = "[then|then please|please|if that's okay|if it's free|if you can|would that work|is that okay||||||]"
#: What was just spoken of is wanted.
_THAT: Final = (
    "[i'll take that|i'd like that|let's do that|can i book that|book me in for that|i want one of those|could i have that|then i take that|i need that|put me down for that|i'd like to book it|can i get that|that one please|i'll have that|then i want that one|"
    "let's book that|i'd like to book that|sign me up for that|i'd take that|could i book one of those|can i have one|i'll go for that|we'll take it|give me that one|that'll do put me down for it|i'd like one|sounds right can i book it]"
)
_THE: Final = "[i'd like {v}|book me in for {v}|can i book {v}|then {v}|let's do {v}|i'll take {v}|could i have {v}|put me down for {v}|i want {v}|so {v}|i need {v}|can i get {v}|i'd go for {v}]"
#: What each thing is called that a booking needs.
_NOUNS: Final = {
    "number": "the number", "day": "the day", "time": "the time", "span": "the start and the end", "count": "the number of people", "nights": "the number of nights", "length": "the length", "term": "the length", "name": "the name",
    "phone": "a telephone number", "plate": "the number plate", "card": "a card number", "birth": "the date of birth", "heights": "the heights", "age": "the age", "place": "inside or outside", "service": "what you would like done", "work": "what you would like done",
    "room": "the room", "kind": "which one", "person": "who it is with", "animal": "the animal and its name", "matter": "what is the matter", "email": "an e-mail address", "postcode": "the postcode",
}  # fmt: skip
_NEEDED: Final = (
    "[what do you need [from me|to know|]|what else do you need [from me|to know|]|what information do you need|is there anything else you need|what's still missing|what do you still need|what do you have to know|do you need anything else from me|what should i tell you|which details do you need|anything else you need|"
    "what details do you want|what else do you want to know|what must i give you|what's missing|is that all you need|are we missing something|do you need more|what do i have to tell you|and what else]"
)
_WHAT: Final = {
    "day": "[what day|which day|on what day|on which day|what date]", "time": "[what time|at what time|when exactly|at what hour]", "count": "[for how many|for how many people|how many of us]",
    "name": "[under what name|under whose name|what name|who is it for|on what name]", "person": "[with whom|who with|with who]", "nights": "[how many nights|for how many nights|for how long]",
    "room": "[which room|what room]", "service": "[what for|for what]", "length": "[how long|for how long]", "kind": "[which one]", "number": "[how many]", "phone": "[what number]", "animal": "[for which animal]",
}  # fmt: skip
_IS_IT: Final = "[is it|is that|was that|was it|have you got|did you write down|did you put down|am i booked for|have i got it|did we say|do i come|is it now|have you got me down for] [again|now|]"
_COMING: Final = (
    "[when am i coming|when are we coming|when do you expect me|what time do you expect us|what time are you expecting us|when do i have to be there and under what name|who's coming and when|tell me when i have to come|remind me when it is|when's my appointment then|so when will i see you|when shall i come|"
    "what's it under and when is it|when is it again and who is it for|when and for how many is it|just tell me when i need to be there|give me the day and the time again|the day and the time once more please|when did we say|what did we say|what's the day and the name|so i come when|when must i be there]"
)


class FollowTalk(AskedTalk):
    """A booking at a desk that follows from the talk before it."""

    def asked_before(self) -> bool:
        """Whether the desk has already answered something."""
        last = self.talk.messages[-1]
        return last["role"] == "assistant" and last.get("learn", True) and bool(last["content"])

    def spoken_of(self) -> tuple[str, Told] | None:
        """What can be booked and was spoken of just now."""
        names = {"service", "room", "kind"} & {*self.desk.needs, *self.desk.extra}
        if not names or self.desk.sizes:
            return None
        last = self.talk.messages[-1]["content"]
        for option in self.desk.options:
            said = option if option.split()[0] in ("a", "an", "the") else with_an(f"a {option}")
            if last.startswith(f"{capitalise(said)} "):
                return min(names), Told(said, said)
        return None

    def follow(self) -> str:
        """The first words of a booking in mid-talk; empty where a day or a time comes first."""
        rng, spoken = self.rng, self.spoken_of()
        if spoken is None:
            return choose_branches(f"{_SO} {_COME}", rng)
        name, value = spoken
        self.plan.take(name, value)
        words = _THAT if rng.random() < 0.6 else _THE.replace("{v}", value.say)
        return choose_branches(f"{_SO} {words}", rng)

    def then(self) -> str:
        """What may stand behind such words."""
        return choose_branches(_THEN, self.rng)

    def needed(self) -> None:
        """What the booking still needs is asked for; the first of it is asked for again."""
        missing = [need for need in self.desk.needs if need not in self.plan.known]
        asks = f"[|||and|okay|so|right|um|sorry] {_NEEDED}"
        tell(self.talk, asks, Kind.QUESTION)
        self.talk.assistant(f"I need {joined([_NOUNS[n] for n in missing])}. {QUESTIONS[missing[0]]}")  # fmt: skip

    def recall(self) -> None:
        """At times two things of the booking at once."""
        names = [name for name in _WHAT if name in self.plan.all()]
        if self.rng.random() < 0.35 and len(names) > 1:
            one, other = self.rng.sample(names, 2)
            asks = f"{_WHAT[one]} [and|and] {_WHAT[other]} {_IS_IT}"
            if {"day", "time"} <= set(names) and self.rng.random() < 0.5:
                asks = _COMING
            tell(self.talk, f"[|||so|and|sorry|wait|okay|right|um|just to check] {asks}", Kind.QUESTION)  # fmt: skip
            self.talk.assistant(f"That is {self.plan.words()}.")
            return
        super().recall()
