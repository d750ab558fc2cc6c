"""The desk of a place that takes bookings: a small HTTP service with every call's booking.

    python agents/bookings/desk.py                      # house.toml, on http://127.0.0.1:9001
    python agents/bookings/desk.py --house mine.toml

What the agent's tools (voicepipe.toml) ask for: `POST /note`, `/fact`, `/get`, `/confirm`,
`/cancel`. The caller's own words come along (`said`), and the answer has words to `say`. A booking
belongs to its call (`session_id`) and stands in `GET /bookings` when it is confirmed.
"""

from __future__ import annotations

import argparse
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import uvicorn
from form import Form, Words
from house import House, HouseError, load_house
from listening import agreed, dropped, hear
from spoken import answered
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

MAX_CALLS: Final = 10_000
MAX_CHARS: Final = 1_000  # of what a caller says at once: the last
HOUSE: Final = Path(__file__).with_name("house.toml")

Act = Callable[[Form, str], Words]


def note(form: Form, said: str) -> Words:
    """Something of the booking: told, changed, put right."""
    return hear(form, said)


def fact(form: Form, said: str) -> Words:
    """What the house says to a question."""
    return hear(form, said, asking=True)


def get(form: Form, said: str) -> Words:
    """What is booked or noted so far."""
    return form.told()


def confirm(form: Form, said: str) -> Words:
    """Book what was read back."""
    return agreed(form, said)


def cancel(form: Form, said: str) -> Words:
    """Forget it."""
    return dropped(form, said)


ACTS: Final[tuple[Act, ...]] = (note, fact, get, confirm, cancel)


@dataclass
class Call:
    """One call: its booking, and what it was when the caller's turn began."""

    form: Form
    before: Form
    turn: str = ""

    def begin(self, turn: str) -> Form:
        """A turn that comes again, by another tool or after an interruption, is heard anew."""
        if turn and turn == self.turn:
            self.form = self.before
        self.before, self.turn = self.form.copy(), turn
        return self.form


def desk(house: House) -> Starlette:
    """The service of a house."""
    calls: OrderedDict[str, Call] = OrderedDict()  # the oldest go first

    def answering(act: Act) -> Callable[[Request], Awaitable[JSONResponse]]:
        async def answer(request: Request) -> JSONResponse:
            try:
                asked: dict[str, Any] = dict(await request.json())
                call = str(asked["session_id"])
            except (ValueError, TypeError, LookupError):
                return JSONResponse({"error": "a call is asked by its session_id, in JSON"}, 400)
            if call not in calls:
                now = datetime.now()
                form = Form(house, now.date(), over=house.over(now))
                calls[call] = Call(form, form.copy())
            if len(calls) > MAX_CALLS:
                calls.popitem(last=False)
            form = calls[call].begin(str(asked.get("turn") or ""))
            said = str(asked.get("said") or asked.get("what") or asked.get("about") or "")
            before = form.when()
            result = act(form, said[-MAX_CHARS:])
            for news in {"booked", "changed", "cancelled"} & result.keys():  # the house must know
                print(f"{news}: {result[news]} ({form.when() or before})", flush=True)
            return JSONResponse(answered(result))

        return answer

    async def show(request: Request) -> JSONResponse:
        """What is booked by the calls that are remembered, oldest first."""
        booked = [call.form for call in calls.values() if call.form.booked]
        return JSONResponse([{"booking": one.words(), "when": one.when()} for one in booked])

    routes = [Route(f"/{act.__name__}", answering(act), methods=["POST"]) for act in ACTS]
    return Starlette(routes=[*routes, Route("/bookings", show, methods=["GET"])])


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--port", type=int, default=9001)
    options.add_argument("--house", type=Path, default=HOUSE)
    given = options.parse_args()
    try:
        house = load_house(given.house)
    except (HouseError, OSError) as error:
        raise SystemExit(str(error)) from None
    # as long as voicepipe keeps a connection: no turn waits for a new one
    uvicorn.run(desk(house), port=given.port, log_level="warning", timeout_keep_alive=75)
