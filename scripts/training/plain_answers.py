"""Answers that need neither a tool nor a form."""

from __future__ import annotations

import re

from answers import ANSWERS, FLOORS, HOURS, JOKES, Rules, render_answer
from conversation import Conversation
from set_phrases import NO_NAME_YET, REFUSED
from user_requests import Request


def extras(req: Request) -> dict[str, str]:
    """Values that an answer needs beside the slots: verb forms, what is meant by "my booking"."""
    said = req.said()
    if req.intent.startswith("light"):
        said.setdefault("light", "light")
    said["be"] = "are" if said.get("light", "").endswith("s") else "is"
    said["to"] = f"room {said['roomno']}" if "roomno" in said else "your room"
    booking = re.search(r"\b(booking|reservation|appointment|table|taxi|room|meeting)\b", req.flat)
    said["what"] = booking.group(1) if booking else "booking"
    said["when"] = re.sub(r"^on ", "", said.get("time") or said.get("day") or "")
    kind = re.search(r"\b(single|double|twin|family|quiet)\b", req.flat)
    said["kind"] = f"{kind.group(1)} " if kind else ""
    return said


def _rule(rules: Rules, flat: str) -> str:
    return next(answer for pattern, answer in rules if re.search(pattern, flat))


def _hours_answer(req: Request) -> str:
    place = req.said().get("place")
    opens, closes = HOURS.get(place or "", ("eight in the morning", "ten in the evening"))
    subject = f"The {place} is" if place else "We're"
    return f"{subject} open every day from {opens} to {closes}."


def _where_answer(req: Request) -> str:
    facility = req.said()["facility"]
    verb = "are" if facility.endswith("s") and facility != "bus" else "is"
    return f"The {facility} {verb} {FLOORS.get(facility, 'on the ground floor')}."


def _grocery_answer(talk: Conversation, req: Request) -> str:
    items = [value.say for key, value in req.values.items() if key.startswith("grocery")]
    if not items:
        if not talk.groceries:
            return "Your shopping list is empty."
        listed = talk.groceries
        text = listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} and {listed[-1]}"
        return f"Your list has {text}."
    if "off" in req.flat:
        talk.groceries = [item for item in talk.groceries if item not in items]
        return f"Okay, I've taken {items[0]} off your list."
    talk.groceries += [item for item in items if item not in talk.groceries]
    return f"Okay, I've added {' and '.join(items)} to your shopping list."


def _short_answer(req: Request) -> str:
    if re.match(r"(yes|okay|sure|alright|exactly|correct|right|yeah|of course)", req.flat):
        return "Okay. What can I do for you?"
    if re.match(r"(no\b|nope|nothing|not)", req.flat):
        return "Okay."
    return "I'm sorry, I'm not sure what you mean. What can I do for you?"


def plain_answer(talk: Conversation, req: Request) -> str:
    """The answer to a request that needs neither tools nor further questions."""
    if req.intent == "hours":
        return _hours_answer(req)
    if req.intent == "where":
        return _where_answer(req)
    if req.intent == "grocery_list":
        return _grocery_answer(talk, req)
    if req.intent == "ask_name":
        return f"Your name is {talk.name}." if talk.name else NO_NAME_YET
    if req.intent == "out_of_domain":
        return REFUSED
    if req.intent == "short":
        return _short_answer(req)
    if req.intent == "joke":
        return JOKES[1] if re.search("another|more|laugh", req.flat) else JOKES[0]
    return render_answer(_rule(ANSWERS[req.intent], req.flat), extras(req), talk.rng)
