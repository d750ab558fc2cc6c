"""The till of the coffee bar: a small HTTP service with the menu and every call's order.

    python agents/coffee_bar/orders.py          # listens on http://127.0.0.1:9000

The agent's tool (voicepipe.toml) asks `POST /hear` in every turn, with what the caller `said`. The
answer has words to `say`; it is `{}` where there is nothing in it for the till. An order belongs to
its call (`session_id`) and reaches the bar when it is placed: `GET /orders` shows what is to be
made. `POST /orders` takes one drink ({"drink": ..., "size": ..., "caller": ...}) without more ado:
the tool of docs/your-own-endpoint.md.
"""

from __future__ import annotations

import argparse
from collections import OrderedDict
from dataclasses import asdict, dataclass, field
from itertools import count
from typing import Any, Final

import uvicorn
from order import Order, new
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from things import things
from turn import hear

MAX_ORDERS: Final = 10_000
MAX_CALLS: Final = 10_000
MAX_CHARS: Final = 500  # of what a caller says at once: the last


@dataclass(frozen=True, slots=True)
class Placed:
    """An order that the bar makes."""

    number: int
    order: str  # in words: "a large cappuccino and two muffins"
    caller: str


@dataclass
class Call:
    """One call: its order, and what it was when the caller's turn began; what was placed in it."""

    order: Order = field(default_factory=Order)
    before: Order = field(default_factory=Order)
    turn: str = ""
    placed: Placed | None = None

    def begin(self, turn: str) -> Order:
        """A turn that comes again, after an interruption, is heard anew."""
        if turn and turn == self.turn:
            self.order = self.before
        else:
            self.placed = None
        self.before, self.turn = self.order.copy(), turn
        return self.order


def till() -> Starlette:
    """The service, with nothing ordered yet."""
    calls: OrderedDict[str, Call] = OrderedDict()  # the oldest go first
    placed: list[Placed] = []
    numbers = count(1)

    def make(words: str, caller: str) -> Placed:
        """The bar is told. LookupError: it takes no more."""
        if len(placed) >= MAX_ORDERS:
            raise LookupError("the bar is full")
        made = Placed(next(numbers), words, caller)
        placed.append(made)
        print(f"order {made.number}: {words}", flush=True)
        return made

    async def answer(request: Request) -> JSONResponse:
        try:
            asked: dict[str, Any] = dict(await request.json())
            call, said = str(asked["session_id"]), str(asked["said"])[-MAX_CHARS:]
        except (ValueError, TypeError, LookupError):
            return JSONResponse({"error": "a JSON object has to have session_id and said"}, 400)
        one = calls.setdefault(call, Call())
        if len(calls) > MAX_CALLS:
            calls.popitem(last=False)
        order = one.begin(str(asked.get("turn") or ""))
        if (
            one.placed is not None and one.placed in placed
        ):  # "yes", and on with "but make it large"
            placed.remove(one.placed)
            print(f"order {one.placed.number} is taken back", flush=True)

        def place(words: str) -> int:
            one.placed = make(words, str(asked.get("caller") or ""))
            return one.placed.number

        say = hear(order, said, place)
        return JSONResponse({"say": say} if say else {})

    async def take(request: Request) -> JSONResponse:
        """One drink. 409 for what is not on the menu: the agent tells the caller why."""
        try:
            asked: dict[str, Any] = dict(await request.json())
        except (ValueError, TypeError):
            return JSONResponse({"error": "a JSON object has to have drink"}, 400)
        named = things(f"{asked.get('size', '')} {asked.get('drink', '')}".strip().lower())
        if len(named) != 1:
            return JSONResponse({"error": f"there is no {asked.get('drink', '')}"}, 409)
        try:
            return JSONResponse(asdict(make(new(named[0]).words, str(asked.get("caller") or ""))))
        except LookupError as error:
            return JSONResponse({"error": str(error)}, 409)

    async def show(request: Request) -> JSONResponse:
        """All that was placed, oldest first."""
        return JSONResponse([asdict(one) for one in placed])

    return Starlette(
        routes=[
            Route("/hear", answer, methods=["POST"]),
            Route("/orders", take, methods=["POST"]),
            Route("/orders", show, methods=["GET"]),
        ]
    )


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--port", type=int, default=9000)
    given = options.parse_args()
    # as long as voicepipe keeps a connection: no turn waits for a new one
    uvicorn.run(till(), port=given.port, log_level="warning", timeout_keep_alive=75)
