"""The till of the coffee bar: a small HTTP service that takes orders.

    python agents/coffee_bar/orders.py          # listens on http://127.0.0.1:9000

`POST /orders` takes {"drink": ..., "size": ..., "caller": ...} and answers with a number;
`GET /orders` shows what is to be made.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict, dataclass

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

MENU = ("coffee", "espresso", "cappuccino", "latte", "tea")
MAX_ORDERS = 10_000


@dataclass(frozen=True, slots=True)
class Order:
    number: int
    order: str  # in words: "a large cappuccino"
    caller: str


ORDERS: list[Order] = []


async def take(request: Request) -> JSONResponse:
    """A new order. 409 for what is not on the menu: the agent tells the caller why."""
    asked = await request.json()
    drink, size = str(asked.get("drink", "")), str(asked.get("size", ""))
    if drink not in MENU:
        return JSONResponse({"error": f"there is no {drink}; there is {', '.join(MENU)}"}, 409)
    if len(ORDERS) >= MAX_ORDERS:
        return JSONResponse({"error": "the bar is full"}, 409)
    words = " ".join(part for part in (size, drink) if part)
    article = "an" if words[0] in "aeiou" else "a"
    order = Order(len(ORDERS) + 1, f"{article} {words}", str(asked.get("caller", "")))
    ORDERS.append(order)
    print(f"order {order.number}: {order.order}", flush=True)
    return JSONResponse(asdict(order))


async def show(request: Request) -> JSONResponse:
    """All orders, oldest first."""
    return JSONResponse([asdict(order) for order in ORDERS])


app = Starlette(
    routes=[
        Route("/orders", take, methods=["POST"]),
        Route("/orders", show, methods=["GET"]),
    ]
)

if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--port", type=int, default=9000)
    uvicorn.run(app, port=options.parse_args().port, log_level="warning")
