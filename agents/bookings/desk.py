"""The desk of a place that takes bookings: a small HTTP service with every call's booking.

    python agents/bookings/desk.py                      # house.toml, on http://127.0.0.1:9001
    python agents/bookings/desk.py --house mine.toml

The agent's tool (voicepipe.toml) asks `POST /hear` in every turn, with what the caller `said`. The
answer has words to `say`, and what it was taken for (`heard`); it is `{}` where there is nothing in
it for the desk. A booking belongs to its call (`session_id`) and stands in `GET /bookings` when it
is confirmed.
"""

from __future__ import annotations

import argparse
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import uvicorn
from form import Form
from house import House, HouseError, load_house
from listening import hear
from spoken import answered
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

MAX_CALLS: Final = 10_000
MAX_CHARS: Final = 1_000  # of what a caller says at once: the last
HOUSE: Final = Path(__file__).with_name("house.toml")


@dataclass
class Call:
    """One call: its booking, and what it was when the caller's turn began."""

    form: Form
    before: Form
    turn: str = ""

    def begin(self, turn: str) -> Form:
        """A turn that comes again, after an interruption, is heard anew."""
        if turn and turn == self.turn:
            self.form = self.before
        self.before, self.turn = self.form.copy(), turn
        return self.form


def desk(house: House) -> Starlette:
    """The service of a house."""
    calls: OrderedDict[str, Call] = OrderedDict()  # the oldest go first

    async def answer(request: Request) -> JSONResponse:
        try:
            asked: dict[str, Any] = dict(await request.json())
            call, said = str(asked["session_id"]), str(asked["said"])[-MAX_CHARS:]
        except (ValueError, TypeError, LookupError):
            return JSONResponse({"error": "a JSON object has to have session_id and said"}, 400)
        if call not in calls:
            now = datetime.now()
            form = Form(house, now.date(), over=house.over(now))
            calls[call] = Call(form, form.copy())
        if len(calls) > MAX_CALLS:
            calls.popitem(last=False)
        form = calls[call].begin(str(asked.get("turn") or ""))
        before = form.when()
        result = hear(form, said)
        for news in {"booked", "changed", "cancelled"} & result.keys():  # the house must know
            print(f"{news}: {result[news]} ({form.when() or before})", flush=True)
        return JSONResponse(answered(result))

    async def show(request: Request) -> JSONResponse:
        """What is booked by the calls that are remembered, oldest first."""
        booked = [call.form for call in calls.values() if call.form.booked]
        return JSONResponse([{"booking": one.words(), "when": one.when()} for one in booked])

    return Starlette(
        routes=[Route("/hear", answer, methods=["POST"]), Route("/bookings", show, methods=["GET"])]
    )


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
