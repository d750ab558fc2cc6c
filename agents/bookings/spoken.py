"""What the desk's results are in words: the agent says them as they stand (`say`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

UNKNOWN = "I'm sorry, I don't know that."


def spoken(result: Mapping[str, Any]) -> str:
    """What the agent says of one result: the fact first, then what became of the booking."""
    first = [str(result["fact"])] if "fact" in result else []
    if error := result.get("error"):
        first.append(UNKNOWN if error == "not known" else f"I'm sorry, {error}.")
    return " ".join(filter(None, [*first, _booking(result)]))


def answered(result: Mapping[str, Any]) -> dict[str, Any]:
    """What a tool gives: with the words to `say`, which tell an error, too: one that stood beside
    them would be a failure, of which the model speaks."""
    return {key: value for key, value in result.items() if key != "error"} | {"say": spoken(result)}


def _booking(result: Mapping[str, Any]) -> str:
    for key, before in (("booked", "Thank you."), ("changed", "Okay, I've changed it.")):
        if words := result.get(key):
            return f"{before} {words[0].upper()}{words[1:]}."
    if words := result.get("cancelled"):
        return f"Okay, {words}."
    if result.get("dropped"):
        return "Okay, I won't book it, all of it is cancelled."
    ask = result.get("ask", "")
    if refused := result.get("refused"):
        return f"I'm sorry, {refused}. {ask}"
    if "booking" not in result:
        return ""
    if not ask:
        return f"That is {result['booking']}."
    if ask.startswith("Shall I"):
        return f"Okay. That is {result['booking']}. {ask}"
    return f"Okay, {result['booking']}. {ask}"
