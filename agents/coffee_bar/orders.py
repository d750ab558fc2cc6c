"""The till of the coffee bar: a small HTTP service with the menu and every call's order.

    python agents/coffee_bar/orders.py          # listens on http://127.0.0.1:9000

What the agent's tools (voicepipe.toml) ask for: `POST /add`, `/change`, `/remove`, `/order`,
`/place`, `/price`, `/menu`. An order belongs to its call (`session_id`) and reaches the bar when it
is placed: `GET /orders` shows what is to be made. `POST /orders` takes one drink ({"drink": ...,
"size": ..., "caller": ...}) without more ado: the tool of docs/your-own-endpoint.md.
"""

from __future__ import annotations

import argparse
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import Any

import uvicorn
from menu import Item, changed, find, joined, number_words, price_words, read_item, read_items
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

MAX_ORDERS = 10_000
MAX_ITEMS = 20
SHOWN = ("coffee", "espresso", "cappuccino", "latte", "tea", "croissant", "muffin")

Words = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Placed:
    """An order that the bar makes."""

    number: int
    order: str  # in words: "a large cappuccino and two muffins"
    caller: str


PLACED: list[Placed] = []
OPEN: OrderedDict[str, list[Item]] = OrderedDict()  # by call; the oldest go first


def told(items: list[Item]) -> Words:
    """An order as the agent says it."""
    return {
        "order": joined([item.words for item in items]) or "nothing",
        "total": price_words(sum(item.cents for item in items)),
    }


def add(items: list[Item], asked: Words) -> Words:
    """More of the menu."""
    new = read_items(str(asked["items"]))
    if len(items) + len(new) > MAX_ITEMS:
        return {"error": f"an order has at most {MAX_ITEMS} items"}
    items += new
    return told(items)


def change(items: list[Item], asked: Words) -> Words:
    """The last item, or the one that is named, made another."""
    index = find(items, str(asked["item"])) if asked.get("item") else len(items) - 1
    if index < 0:
        return {"error": "nothing is ordered yet"}
    items[index] = changed(items[index], str(asked["to"]))
    return told(items)


def remove(items: list[Item], asked: Words) -> Words:
    """One item less, or none left."""
    if asked["item"] == "everything":
        items.clear()
    else:
        del items[find(items, str(asked["item"]))]
    return told(items)


def order(items: list[Item], asked: Words) -> Words:
    """What is ordered, and what it costs."""
    return told(items)


def place(items: list[Item], asked: Words) -> Words:
    """To the bar with it."""
    if not items or len(PLACED) >= MAX_ORDERS:
        return {"error": "nothing is ordered yet" if not items else "the bar is full"}
    placed = make(told(items)["order"], asked)
    items.clear()
    return {"number": number_words(placed.number % 100)}


def make(words: str, asked: Words) -> Placed:
    """The bar is told."""
    placed = Placed(len(PLACED) + 1, words, str(asked.get("caller") or ""))
    PLACED.append(placed)
    print(f"order {placed.number}: {words}", flush=True)
    return placed


def price(items: list[Item], asked: Words) -> Words:
    """What one thing costs."""
    item = read_item(str(asked["item"]).lower())
    if item is None:
        raise LookupError(asked["item"])
    return {"item": asked["item"], "price": price_words(item.cents)}


def menu(items: list[Item], asked: Words) -> Words:
    """The best of the menu."""
    return {"menu": joined(SHOWN)}


def answering(act: Callable[[list[Item], Words], Words]) -> Callable[[Request], Awaitable[Any]]:
    """A route of one of these; what is not there is told in words that the agent repeats."""

    async def answer(request: Request) -> JSONResponse:
        asked = await request.json()
        items = OPEN.setdefault(str(asked.get("session_id")), [])
        if len(OPEN) > MAX_ORDERS:
            OPEN.popitem(last=False)
        try:
            return JSONResponse(act(items, asked))
        except LookupError as error:
            return JSONResponse({"error": f"there is no {error.args[0]}"})

    return answer


async def take(request: Request) -> JSONResponse:
    """One drink. 409 for what is not on the menu: the agent tells the caller why."""
    asked = await request.json()
    item = read_item(f"{asked.get('size', '')} {asked.get('drink', '')}".strip().lower())
    if item is None or len(PLACED) >= MAX_ORDERS:
        what = f"there is no {asked.get('drink', '')}" if item is None else "the bar is full"
        return JSONResponse({"error": what}, 409)
    return JSONResponse(asdict(make(item.words, asked)))


async def show(request: Request) -> JSONResponse:
    """All that was placed, oldest first."""
    return JSONResponse([asdict(placed) for placed in PLACED])


ACTS = (add, change, remove, order, place, price, menu)
app = Starlette(
    routes=[
        *(Route(f"/{act.__name__}", answering(act), methods=["POST"]) for act in ACTS),
        Route("/orders", take, methods=["POST"]),
        Route("/orders", show, methods=["GET"]),
    ]
)

if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--port", type=int, default=9000)
    given = options.parse_args()
    # as long as voicepipe keeps a connection: no turn waits for a new one
    uvicorn.run(app, port=given.port, log_level="warning", timeout_keep_alive=75)
