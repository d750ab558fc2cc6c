"""What the desk's results are in words: the agent says them as they stand (`say`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

UNKNOWN = "I'm sorry, I don't know that."
_BEFORE = {"booked": "Thank you.", "changed": "Okay, I've changed it.", "stays": ""}
_SET = {
    "greeted": "Hello. How can I help you?",
    "earlier": "I'm sorry, I only know what is booked in this call. What would you like to book?",
    "announced": "Of course. What shall it be?",
    "denied": "Okay. What shall I change?",
    "waits": "Take your time.",
    "dropped": "Okay, I won't book it, all of it is cancelled.",
}


def spoken(result: Mapping[str, Any]) -> str:
    """What the agent says of one result: the fact first, then what became of the booking."""
    first = [str(result["fact"])] if "fact" in result else []
    if error := result.get("error"):
        first.append(UNKNOWN if error == "not known" else f"I'm sorry, {error}.")
    return " ".join(filter(None, [*first, _booking(result)]))


def answered(result: Mapping[str, Any]) -> dict[str, Any]:
    """What the tool gives: the words to `say`, and what was `heard`; `{}` for nothing."""
    return {"say": spoken(result), "heard": heard(result)} if result else {}


def heard(result: Mapping[str, Any]) -> list[str]:
    """What a turn was taken for, as a log would like to know it."""
    kinds = {
        "question": "fact" in result or result.get("error") == "not known",
        "note": bool({"changed", "refused"} & result.keys()),
        "yes": bool({"booked", "stays"} & result.keys()),
        "no": bool({"cancelled", "dropped", "denied"} & result.keys()),
        "read back": "read_back" in result or result.get("error") == "nothing is booked yet",
        "unclear": "unclear" in result,
    }
    kinds["note"] |= "booking" in result and not (kinds["read back"] or kinds["unclear"])
    return [kind for kind, is_so in kinds.items() if is_so]


def _booking(result: Mapping[str, Any]) -> str:
    for kind in _SET.keys() & result.keys():
        return _SET[kind]
    for key, before in _BEFORE.items():
        if words := result.get(key):
            return f"{before} {words[0].upper()}{words[1:]}.".strip()
    if words := result.get("cancelled"):
        return f"Okay, {words}."
    ask = result.get("ask", "")
    if refused := result.get("refused"):
        return f"I'm sorry, {refused}. {ask}"
    if words := result.get("read_back"):
        return f"That is {words}. {ask}".strip()
    if result.get("unclear"):
        return f"Sorry, I didn't catch that. {ask}".strip()
    if "booking" not in result:
        return ""
    if ask.startswith("Shall I"):
        return f"Okay. That is {result['booking']}. {ask}"
    return f"Okay, {result['booking']}. {ask}"
