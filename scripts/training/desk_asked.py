"""What callers ask of their own booking: its price, what is booked now; and houses called in error."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from conversation import Conversation
from desk_changes import ChangeTalk
from desk_facts import Desk, named
from desk_kinds import KINDS
from desk_limits import draw_limits
from desk_prices import Thing
from desk_topics import UNTOLD
from desk_wishes import WISHES, draw_wish
from desk_words import BEHIND_THIS, HELLOS, IS_THIS, THIS_IS
from dialogue_values import draw_value
from domain import choose_branches
from instructed_say import tell
from instructed_values import Told
from open_words import with_open_words
from shapes import Kind
from spoken_numbers import spoken_number

_BEFORE: Final = "[||||and|so|okay and|oh|um|right|sorry|wait|just quickly|before you book it]"
#: The price of what is being booked, without its name.
_PRICE: Final = "[what's it gonna set me back|what's that gonna cost me|how much is that|how much is it|what does that cost|how much will that be|what do i owe you for that|what's the damage|how much would that come to|what do i pay for that|what's the price|and the price|how much do you charge for that|how much money is it|what am i looking at price wise|is it expensive|how much must i pay|how dear is that]"
_TOGETHER: Final = "[how much is that together|what's that together|how much for both|what do both cost|how much is it altogether|and together that's how much|what does that come to|how much is the lot|both together how much|what's the total]"
#: The whole booking, asked for when it has been made.
_BOOKED: Final = "[what have i got booked|what did i book now|what did i book now in total|so what am i booked in for|what's booked for me|what is my booking|tell me once again my booking|what have you got me down for now|remind me what i booked|what did we agree|can you tell me again what i have booked|just tell me my booking once more|what was it all again|what do i have with you now]"
#: Whose feast it is, and which: ``my`` becomes ``your``.
_WHOSE: Final = (
    "[mum|mother|dad|husband|wife|son|daughter|sister|brother|friend|gran|boss|nephew|niece]"
)
_WHAT: Final = "[birthday|birthday|birthday|leaving do|graduation|retirement|engagement|promotion]"
_MONEY: Final = re.compile(r"euro|pound|dollar|cent|pence|[€£$]|free|cost|price|charge")
_COMMON: Final = frozenset(("the", "of", "a", "and", "doctor", "practice", "surgery", "hotel", "museum", "room", "rooms", "library", "town", "school", "club", "hall", "shop", "salon", "hire"))  # fmt: skip
_WISHED: Final = "[{v}|{v}|{v} please|{v} if you can|{v} if possible|{v} because of the [dog|kids|{o}]|it should be {v}|ideally {v}|{v} if that's alright]"


class AskedTalk(ChangeTalk):
    """A booking at a desk, asked about as what it is."""

    def __init__(self, talk: Conversation, desk: Desk) -> None:
        super().__init__(talk, desk)
        before = desk.system
        self.plan.limits = draw_limits(desk, self.rng)
        first = talk.messages[0] if talk.messages else None
        if first and first["content"].startswith(before):
            first["content"] = desk.system + first["content"][len(before) :]

    def reached(self) -> None:
        """Now and then it is another house of the kind that they wanted."""
        rng, kind = self.rng, KINDS.get(self.desk.kind)
        if kind is None or rng.random() > 0.3:
            super().reached()
            return
        other = named(kind.names, rng)
        words = {word for word in re.sub("'s", "", other.lower()).split() if word not in _COMMON}
        if not words or words & set(re.sub("'s", "", self.desk.name.lower()).split()) or other.startswith("the museum"):  # fmt: skip
            super().reached()
            return
        asked = rng.choice((f"{IS_THIS} {BEHIND_THIS}", f"{IS_THIS} {BEHIND_THIS}", THIS_IS))
        hello = HELLOS.replace("{w}", draw_value("name", rng, False).say)
        tell(self.talk, f"{hello} {asked}".replace("{n}", other), Kind.QUESTION, exact=True)
        self.talk.assistant(f"No, this is {self.desk.name}. How can I help you?")

    def aside(self) -> None:
        """At times the price of what is being booked; else anything."""
        if self.rng.random() < 0.3 and self.price_asked():
            return
        super().aside()

    def price_asked(self) -> bool:
        """What is being booked is asked for its price, without being named again."""
        value = next(
            (v for n, v in self.plan.known.items() if n in ("service", "room", "kind")), None
        )
        if value is None:
            return False
        parts = value.say.split(" and ")
        prices = [one for part in parts for one in self.desk.things if one.said == part]
        if len(prices) < len(parts) and (self.desk.things or " and " in value.say):
            return False  # perhaps its price is told in other words
        if not self.desk.things:
            if _MONEY.search(self.desk.system.lower()):
                return False
            answer = UNTOLD
        else:
            answer = _answer(prices)
        asks = _TOGETHER if len(parts) > 1 and self.rng.random() < 0.6 else _PRICE
        tell(self.talk, f"{_BEFORE} {asks}", Kind.QUESTION)
        self.talk.assistant(answer)
        return True

    def recall(self) -> None:
        """What is booked is at times asked for as a whole."""
        if self.plan.booked and self.rng.random() < 0.35:
            tell(self.talk, f"[||and|so|oh and|sorry] {_BOOKED}", Kind.QUESTION)
            self.talk.assistant(f"You have booked {self.plan.words()}.")
            return
        super().recall()

    def wished(self) -> str:
        """A wish or an occasion, in the caller's words; it is kept with the booking."""
        rng, known = self.rng, self.plan.known
        if self.desk.kind not in WISHES or "wish" in known or "place" in self.desk.needs:
            return ""
        if self.desk.kind == "restaurant" and rng.random() < 0.3 and "occasion" not in known:
            whose = choose_branches(_WHOSE, rng)
            what = choose_branches(_WHAT, rng)
            known["occasion"] = Told(f"for my {whose}'s {what}", f"for your {whose}'s {what}")
            return known["occasion"].text
        known["wish"] = draw_wish(self.desk.kind, rng)
        behind = with_open_words(choose_branches(_WISHED, rng), rng)
        return behind.replace("{v}", known["wish"].text)


def _answer(prices: Sequence[Thing]) -> str:
    """The price of one, the sum of several of whole prices, or one after the other."""
    if len(prices) == 1:
        return prices[0].answer()
    total = sum(one.euros for one in prices)
    if all(one.euros and not one.unit for one in prices) and total <= 100:
        coin = prices[0].price.split()[-1].removesuffix("s") + "s"
        return f"That is {spoken_number(total)} {coin} together."
    return " ".join(one.answer() for one in prices)
