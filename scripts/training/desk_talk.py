"""Talk at a desk beside a booking: questions, little talk, and what is known of the booking asked for."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
import re
from typing import Final

from chat_turns import unknown_turn
from conversation import Conversation
from desk_facts import Desk
from desk_hours import DAYS
from desk_names import letters_of
from desk_words import BEHIND_THIS, HELLOS, IS_THIS, THIS_IS
from dialogue_values import capitalise, draw_value
from domain import choose_branches
from instructed_bookings import Plan
from instructed_questions import ask
from instructed_say import tell
from instructed_words import (
    ALL,
    PET_TALK,
    RECALLS,
    TALK,
)
from near_turns import refused_turn
from shapes import Kind
from talk_turns import turn

_LONGEST: Final = 2700  # characters of a conversation, after which it comes to its end


class DeskTalk:
    """One conversation at a desk: what is booked, and what is said beside it."""

    def __init__(self, talk: Conversation, desk: Desk) -> None:
        self.talk, self.desk, self.plan = talk, desk, Plan(desk)
        self.rng = talk.rng

    def long(self) -> bool:
        """Whether it should come to its end."""
        return sum(len(message["content"]) for message in self.talk.messages) > _LONGEST

    def say(self, text: str) -> None:
        """An answer; now and then one in other words than ours, which must not be imitated."""
        if self.rng.random() < 0.07 and (other := _otherwise(text, self.rng)):
            self.talk.messages.append({"role": "assistant", "content": other, "learn": False})
            return
        self.talk.assistant(text)

    def reached(self) -> None:
        """The caller wants to know whom they have reached: yes, this is the house."""
        rng, house = self.rng, self.desk.name
        short = [house]
        words = re.sub(r"^(the|The) ", "", house).split()
        if len(words) > 1:
            short += [" ".join(words[:2]), f"the {words[-1]}", words[0]]
        if self.desk.kind in _CALLED:
            said = choose_branches(_CALLED[self.desk.kind], rng)
            short += [f"the {said}", said, f"the {said}"]
        asked = rng.choice((f"{IS_THIS} {BEHIND_THIS}", f"{IS_THIS} {BEHIND_THIS}", THIS_IS))
        hello = HELLOS.replace("{w}", draw_value("name", rng, False).say)
        tell(self.talk, f"{hello} {asked}".replace("{n}", rng.choice(short)), Kind.QUESTION, exact=True)  # fmt: skip
        self.talk.assistant(f"Yes, this is {house}. How can I help you?")

    def person_asked(self) -> None:
        """When somebody is in, or whether they are on a day."""
        rng, person = self.rng, self.rng.choice(self.desk.people)
        name = rng.choice((person.name, person.name.split()[-1]))
        if rng.random() < 0.5:
            day = rng.randrange(7)
            while self.desk.hours.group(day) is None:
                day = rng.randrange(7)
            on = rng.choice((f"on {DAYS[day]}", f"on {DAYS[day]}s", DAYS[day], f"this {DAYS[day]}"))
            text = f"[is {name} [in|there|working|around|free] {on}|does {name} work {on}|can i see {name} {on}|has {name} got time {on}|and {name} {on}|will {name} be there {on}|is {on.removeprefix('on ')} one of {name}'s days]"
            tell(self.talk, text, Kind.QUESTION)
            self.talk.assistant(person.on(day))
            return
        text = f"[|well|oh|and|so|but] [when is {name} in|which days is {name} in|what days does {name} work|when does {name} work|when can i [see|get|have] {name}|when is {name} there then|and {name} when]"
        tell(self.talk, text, Kind.QUESTION)
        self.talk.assistant(person.answer())

    def aside(self) -> None:
        """Something else: a question to the desk, a little talk, a timer, what nobody here can do."""
        rng, pick = self.rng, self.rng.random()
        day = self.plan.known.get("day")
        if self.desk.people and rng.random() < 0.25:
            self.person_asked()
        elif day and day.data >= 0 and self.desk.hours.group(day.data) and rng.random() < 0.25:
            self.that_day(day.data)
        elif pick < 0.64:
            ask(self.talk, self.desk)
        elif pick < 0.8:
            self.chat()
        elif pick < 0.92 or not self.talk.tools:
            (unknown_turn if rng.random() < 0.5 else refused_turn)(self.talk)
        else:
            turn(self.talk, rng.choice(("set_timer", "list_timers", "time", "timers")))

    def that_day(self, day: int) -> None:
        """From when or until when it is open on the day of the booking."""
        hours, on = (
            self.desk.hours,
            self.rng.choice(
                (
                    "that day",
                    "then",
                    "on that day",
                    f"on {DAYS[day]}",
                    "that day in case we're late",
                )
            ),
        )
        if self.rng.random() < 0.6:
            tell(
                self.talk,
                f"[|and|so|okay and|oh and] [how long are you open|until when are you [there|open]|when do you close|what time do you close|till when can we stay] {on}",
                Kind.QUESTION,
            )
            self.talk.assistant(hours.closing(day))
        elif self.rng.random() < 0.5:
            tell(
                self.talk,
                f"[|and|so|okay and|oh and] [when do you open|from when are you there|what time do you open] {on}",
                Kind.QUESTION,
            )
            self.talk.assistant(hours.opening(day))
        else:
            tell(
                self.talk,
                f"[|and|so|okay and|oh and] [what are your hours|when are you open|from when till when are you open] {on}",
                Kind.QUESTION,
            )
            self.talk.assistant(f"{capitalise(hours.about(day))}.")

    def chat(self) -> None:
        """A little talk; the animal's owner worries."""
        if self.desk.kind == "vet" and self.rng.random() < 0.4:
            tell(self.talk, PET_TALK)
            self.talk.assistant("Poor thing. I hope all is well soon.")
            return
        if self.rng.random() < 0.25:
            turn(self.talk, "chat")
            return
        asked = self.rng.choice((next(iter(TALK)), *TALK))
        tell(self.talk, asked)
        self.talk.assistant(TALK[asked])

    def recall(self) -> None:
        """What is known is asked for: one thing or all of it."""
        rng, plan = self.rng, self.plan
        names = [name for name in RECALLS if name in plan.all()]
        if "name" in plan.known and rng.random() < 0.12:
            self.spell()
            return
        before = "[|||so|and|sorry|wait|okay|right|good|um|just to check|one more time|great]"
        if names and rng.random() < 0.7:
            name = rng.choice(names)
            animal = plan.known["animal"].say.split()[1] if "animal" in plan.known else "pet"
            tell(self.talk, f"{before} {RECALLS[name]}".replace("{a}", animal), Kind.QUESTION)
            whole = f"That is {plan.words()}."
            number = {"phone": "number", "card": "card number", "email": "e-mail address"}.get(name)
            self.talk.assistant(f"Your {number} is {plan.known[name].say}." if number else whole)
            return
        tell(self.talk, f"{before} {ALL}", Kind.QUESTION)
        self.talk.assistant(
            f"You have booked {plan.words()}." if plan.booked else f"That is {plan.words()}."
        )

    def spell(self) -> None:
        """The name is spelled back."""
        name = self.plan.known["name"].say
        letters = name if re.fullmatch(r"(\w )*\w", name) else letters_of(name.split()[-1])
        which = "[|sur|last ]name"
        tell(
            self.talk,
            f"[|and|so|sorry] [can you spell my {which}|how did you spell my {which}|spell the {which} [back|] for me|how have you got the {which} spelled|the {which} letter by letter please|how is my {which} spelled|spell my {which} so i can check it]",
            Kind.QUESTION,
            exact=True,
        )
        self.talk.assistant(f"That is {letters}.")


#: What a caller calls a house of a kind.
_CALLED: Final = {
    "restaurant": "[restaurant|trattoria|pub|bistro]", "practice": "[surgery|doctor's|practice|doctor's surgery|clinic]", "vet": "[vet|vet's|animal clinic]", "hair": "[hairdresser's|hairdresser|salon|barber|barber's|barbers]",
    "garage": "[garage|workshop]", "hotel": "[hotel|guest house|reception]", "rooms": "[meeting room desk|office]", "court": "[sports hall|club|courts]", "lessons": "[school|music school]", "tours": "[ticket desk|museum|castle]",
    "groomer": "[dog groomer|dog salon|groomer's]", "therapy": "[practice|massage place|physio]", "studio": "[studio|photographer]", "driving": "[driving school]", "courses": "[school|studio]", "repair": "[repair shop|workshop]", "games": "[games place]", "camping": "[campsite]", "trips": "[tour people|boats]",
    "hire": "[hire shop|bike hire|rental|boat hire]", "library": "[library|front desk]", "shown": "[museum|ticket office|box office]", "pool": "[pool|gym|swimming pool]", "shop": "[shop]", "bar": "[coffee bar|cafe|coffee shop]",
}  # fmt: skip


def _otherwise(text: str, rng: random.Random) -> str:
    """Another wording of a question of ours, as another assistant would have put it."""
    head, _, question = text.rpartition(". ")
    said = head.removeprefix("Okay, ").removeprefix("Okay. ").removeprefix("That is ")
    others = {
        "For which day?": ("What day would suit you?", "Which day?"), "For what time?": ("What time?", "At what time would you like it?"),
        "For how many people?": ("How many people will there be?", "How many of you?"), "Whose name shall I put it under?": ("And the name, please?", "What's the name?", "Under what name?"),
        "What is your telephone number?": ("And a phone number, please?", "Which number can we reach you on?"), "For how long?": ("How long do you need it?", "And how long?"),
        "Shall I book it?": ("Is that right?", "Is that correct?", "May I confirm that?", "Shall I go ahead?"), "For how many nights?": ("How many nights?", "How long will you stay?"),
    }  # fmt: skip
    if question not in others or "I'm sorry" in text or "Thank you" in text:
        return ""
    return f"{capitalise(said)}. {rng.choice(others[question])}"
