"""One request of the user and all that follows from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from answers import OPTIONAL, Rules, render_answer
from booking_turns import asked, book_turn, cancelled
from chat_turns import (
    ask_lost,
    chat_turn,
    desk_turn,
    lost_turn,
    named_number,
    shopping_turn,
    unknown_turn,
)
from conversation import Conversation
from domain import SLOT, VOCABULARY
from follow_turns import follow_turn
from form_turns import FORM_OF, form_turn, recall_booking
from house_told import tell_house
from house_turns import house_turn, unseen
from memory_turns import alarm_turn, ask_alarm, ask_reminder, remind_turn
from near_turns import near_turn, refused_turn
from note_turns import ask_note, note_turn
from order_add import MENUS, order_turn
from order_turns import bar_turn
from person_turns import small_talk_turn
from plain_answers import extras, plain_answer
from set_phrases import REFUSED
from several_turns import several_turn
from shapes import Kind, Shape
from talk_between import exchange, replied_first
from talk_codes import tell_address, tell_code
from talk_counter import tell_order, tell_price
from talk_facts import tell_fact, tell_to_keep
from talk_family import tell_nickname, tell_several, tell_spelled_person, tell_together
from talk_foreign import foreign_turn
from talk_manners import manners_turn
from talk_names import Asker, ask_who, name_turn, spelled_turn, tell_name
from talk_numbers import ask_phone_turn, long_run, number_put_right, phone_turn
from talk_people import tell_people
from talk_refusals import refused_outside
from talk_repeat import repeat_turn, tell_figures
from talk_social import social_turn
from talk_their_numbers import tell_guests, tell_their_number
from till import has_till
from timer_turns import timer_turn
from tool_turns import NAME_OF_INTENT_TOOL, tool_turn
from user_requests import Request, make_request, request
from wish_turns import CORRECTABLE, correct_turn, wishes_turn

_Turn = Callable[[Conversation], None]

#: Follow-ups to something just done at home or set.
_AGAIN: Final[Mapping[str, Rules]] = {
    "light_on": (
        ("[and|] turn [it|them] off again", "Okay, the {room} {light} {be} off."),
        ("and in the {room2} too", "Okay, the {room2} {light} {be} on."),
        ("and the {room2}", "Okay, the {room2} {light} {be} on."),
    ),
    "light_off": (
        ("[no|] turn [it|them] [back|] on [again|]", "Okay, the {room} {light} {be} on."),
        ("and in the {room2} too", "Okay, the {room2} {light} {be} off."),
    ),
    "appliance": (
        ("[and|] [now|] turn it off [again|]", "Okay, the {appliance}< in the {room}> is off."),
    ),
    "cover": (("[and|] in the {room2} too", "Okay, the {cover} in the {room2} are {state}."),),
    "lock": (("and the {door2}", "Okay, the {door2} is {state}."),),
}


def _state_of(answer: str) -> str:
    return answer.rstrip(".").rsplit(" ", 1)[-1]


def again_turn(talk: Conversation, req: Request) -> None:
    """Refer back to what was just done ("turn it off again", "and in the hall too")."""
    template, answer = talk.rng.choice(_AGAIN[req.intent])
    values = extras(req)
    if not all(s + i in values or i for s, i in SLOT.findall(OPTIONAL.sub("", answer))
               if s != "state"):  # fmt: skip
        return
    values["state"] = _state_of(talk.last_answer() or "")
    later = make_request("again", Shape(Kind.PLAIN, template), talk.rng)
    talk.user(later.text)
    talk.assistant(render_answer(answer, values | later.said(), talk.rng))


def noise_turn(talk: Conversation) -> None:
    """Words that make no sense together, as a recognizer hears in noise."""
    words = talk.rng.sample(_ALL_WORDS, talk.rng.randint(2, 6))
    talk.user(" ".join(words))
    talk.assistant("I'm sorry, I didn't catch that. Could you say it again?")


_ALL_WORDS: Final = sorted(VOCABULARY)
_ORDERS: Final = frozenset({"drink", "food", "pizza", *MENUS})


def _tell_number(talk: Conversation) -> list[Asker]:
    phone_turn(talk)
    return [lambda: ask_phone_turn(talk)]


_TELLERS: Final[Mapping[Callable[[Conversation], list[Asker]], float]] = {
    tell_name: 4,
    tell_people: 5,
    tell_fact: 4,
    tell_to_keep: 3,
    tell_figures: 2.5,
    _tell_number: 2,
    tell_house: 4,
    tell_code: 5,
    tell_order: 2,
    tell_price: 1.5,
    tell_address: 1.5,
    tell_several: 2.5,
    tell_nickname: 1,
    tell_together: 2.5,
    tell_spelled_person: 1,
    tell_their_number: 2,
    tell_guests: 1.5,
}
#: What is talked of between telling a thing and asking for it.
_BETWEEN: Final[Mapping[str, float]] = {
    "time": 3,
    "weekday": 2,
    "set_timer": 3,
    "list_timers": 1,
    "social": 5,
    "hours": 1,
    "house": 4,
    "unknown": 3,
    "refused": 2,
    "joke": 1,
    "several": 1,
    "front": 2,
    "repeat": 1,
}


def remembered_turn(talk: Conversation) -> None:
    """Something is told; other things are talked of; then what was told is asked for."""
    rng = talk.rng
    tellers, weights = tuple(_TELLERS), tuple(_TELLERS.values())
    drawn = dict.fromkeys(rng.choices(tellers, weights, k=2 if rng.random() < 0.3 else 1))
    askers = [asker for tell in drawn for asker in tell(talk)]
    reply = ""
    for _ in range(rng.choice((0, 0, 0, 1, 1, 2, 3, 5))):
        reply = ""
        if rng.random() < 0.3 and not has_till(talk) and not talk.order:
            reply = exchange(talk)
        else:
            _something_else(talk)
    rng.shuffle(askers)
    if reply and not askers:
        return
    for asker in askers:
        if reply or rng.random() < 0.85:
            start = len(talk.messages)
            asker()
            if reply and start < len(talk.messages):
                replied_first(talk, start, reply)
                reply = ""
        if rng.random() < 0.15:
            _something_else(talk)


def _something_else(talk: Conversation) -> None:
    if (talk.order or has_till(talk)) and talk.rng.random() < 0.5:
        turn(talk, "bar")
        return
    turn(talk, talk.rng.choices(tuple(_BETWEEN), tuple(_BETWEEN.values()))[0])


def _either(first: _Turn, share: float, other: _Turn) -> _Turn:
    """The first in this share of cases, else the other."""

    def drawn(talk: Conversation) -> None:
        (first if talk.rng.random() < share else other)(talk)

    return drawn


#: Turns that are no request of the domain's.
SPECIAL: Final[Mapping[str, _Turn]] = {
    "noise": noise_turn,
    "wishes": wishes_turn,
    "phone": phone_turn,
    "ask_phone": ask_phone_turn,
    "spelled": spelled_turn,
    "small_talk": _either(social_turn, 0.75, small_talk_turn),
    "social": _either(manners_turn, 0.3, social_turn),
    "repeat": repeat_turn,
    "followed": follow_turn,
    "remembered": remembered_turn,
    "recall_booking": recall_booking,
    "bar": bar_turn,
    "name": name_turn,
    "alarm_kept": alarm_turn,
    "ask_alarm": ask_alarm,
    "remind_kept": remind_turn,
    "ask_reminder": ask_reminder,
    "ask_who": ask_who,
    "introduced": remembered_turn,
    "number_put_right": number_put_right,
    "house": house_turn,
    "house_unseen": unseen,
    "timers": timer_turn,
    "book": book_turn,
    "book_asked": asked,
    "book_cancelled": cancelled,
    "chat": _either(social_turn, 0.65, chat_turn),
    "front": desk_turn,
    "unknown": _either(foreign_turn, 0.45, _either(refused_outside, 0.5, unknown_turn)),
    "shopping": shopping_turn,
    "lost_and_found": lost_turn,
    "ask_lost": ask_lost,
    "named_number": named_number,
    "several": several_turn,
    "near": _either(social_turn, 0.4, near_turn),
    "note": _either(note_turn, 0.7, long_run),
    "ask_note": ask_note,
    "refused": _either(foreign_turn, 0.4, _either(refused_outside, 0.6, refused_turn)),
}


#: Deeds in the house that no :class:`Deed` is kept of.
_UNRECORDED: Final = frozenset(
    "light_on light_off light_all light_dim light_colour heating_set heating_change music_play"
    " music_control lock cover appliance".split()
)


def _forget(talk: Conversation, req: Request) -> None:
    """What was done before is no longer the last, or no longer so."""
    if req.intent in _UNRECORDED:
        talk.house = []
    if req.intent == "change_booking" and "cancel" in req.flat:
        talk.booked = []


def turn(talk: Conversation, intent: str) -> None:
    """One request of the user and all that follows from it."""
    if intent in SPECIAL:
        SPECIAL[intent](talk)
        return
    req = request(intent, talk.rng)
    if talk.order and intent in ("thanks", "bye") and " all" in req.flat:
        return  # at a counter that ends the order
    talk.user(req.text)
    if intent in NAME_OF_INTENT_TOOL:
        tool_turn(talk, req)
    elif intent == "delivery" and "digits" not in req.values:
        talk.assistant(REFUSED)  # nobody here can see where a parcel is
    elif intent in _ORDERS:
        order_turn(talk, req)
    elif intent in FORM_OF and intent != "delivery":
        if intent == "returns" and re.search("policy|something|my order", req.flat):
            talk.assistant(plain_answer(talk, req))
        else:
            form_turn(talk, req)
    else:
        talk.assistant(plain_answer(talk, req))
        _forget(talk, req)
    if intent in CORRECTABLE and talk.rng.random() < 0.3:
        correct_turn(talk, req)
        return
    if intent in _AGAIN and talk.rng.random() < 0.2 and "?" not in (talk.last_answer() or ""):
        again_turn(talk, req)


def interrupt(talk: Conversation) -> None:
    """Cut the last answer off where a user barged in; nobody should learn to stop there."""
    if not talk.messages:
        return
    message = talk.messages[-1]
    if message["role"] != "assistant" or message.get("tool_calls"):
        return
    words = message["content"].split()
    if len(words) < 3:
        return
    message["content"] = " ".join(words[: talk.rng.randint(1, len(words) - 1)])
    message["learn"] = False
