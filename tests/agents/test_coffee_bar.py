"""The till of the coffee bar reads orders in words, changes them, and says them again."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

BAR = Path(__file__).parents[2] / "agents" / "coffee_bar"


@pytest.fixture
def till(monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.syspath_prepend(str(BAR))
    from orders import app  # type: ignore[import-not-found]

    with TestClient(app) as client:
        yield client
    for name in ("orders", "menu"):
        sys.modules.pop(name, None)


def said(till: TestClient, act: str, **asked: str) -> dict[str, str]:
    answer: dict[str, str] = till.post(f"/{act}", json={"session_id": "s1", **asked}).json()
    return answer


@pytest.mark.parametrize(
    "items",
    [
        "a large iced latte with oat milk and two sugars and a blueberry muffin",
        "two lattes, a scone and three small americanos",
        "a sixteen ounce dark roast coffee with a bit of cream",
        "two sandwiches",
    ],
)
def test_what_is_read_is_said_again(till: TestClient, items: str) -> None:
    assert said(till, "add", items=items)["order"] == items


@pytest.mark.parametrize(
    ("to", "order"),
    [
        ("medium", "a medium latte with two sugars"),
        ("a twelve ounce", "a twelve ounce latte with two sugars"),
        ("three", "three large lattes with two sugars"),
        ("iced", "a large iced latte with two sugars"),
        ("cappuccino", "a large cappuccino"),
        ("three sugars", "a large latte with three sugars"),
        ("oat milk", "a large latte with two sugars and oat milk"),
        ("no sugar", "a large latte with no sugar"),
        ("sixteen ounces", "a sixteen ounce latte with two sugars"),
        ("weak", "a large weak latte with two sugars"),
        ("medium roast", "a large medium roast latte with two sugars"),
    ],
)
def test_a_change(till: TestClient, to: str, order: str) -> None:
    said(till, "add", items="a large latte with two sugars")
    assert said(till, "change", to=to)["order"] == order


def test_a_named_item_is_changed_and_taken_off(till: TestClient) -> None:
    said(till, "add", items="a latte and two muffins")
    assert (
        said(till, "change", item="latte", to="small")["order"] == "a small latte and two muffins"
    )
    assert said(till, "remove", item="muffins") == {
        "order": "a small latte",
        "total": "three euros ten",
    }
    assert said(till, "remove", item="everything")["order"] == "nothing"


@pytest.mark.parametrize(
    ("item", "order"),
    [
        ("small one", "a small tea with milk, a large tea, a cappuccino and two bagels"),
        ("large one", "a small tea, a large tea with milk, a cappuccino and two bagels"),
        ("coffee", "a small tea, a large tea, a cappuccino with milk and two bagels"),
        ("drink", "a small tea, a large tea, a cappuccino with milk and two bagels"),
        ("tea", "a small tea, a large tea with milk, a cappuccino and two bagels"),
    ],
)
def test_an_item_is_found_by_what_people_call_it(till: TestClient, item: str, order: str) -> None:
    said(till, "add", items="a small tea, a large tea, a cappuccino and two bagels")
    assert said(till, "change", item=item, to="milk")["order"] == order


def test_what_is_not_there_is_said(till: TestClient) -> None:
    nothing = {"error": "nothing is ordered yet"}
    assert said(till, "add", items="a helicopter") == {"error": "there is no helicopter"}
    assert said(till, "price", item="beer") == {"error": "there is no beer"}
    assert said(till, "remove", item="latte") == {"error": "there is no latte"}
    assert said(till, "change", to="large") == nothing
    assert said(till, "place") == nothing


def test_only_what_is_placed_is_made_and_calls_are_apart(till: TestClient) -> None:
    said(till, "add", items="a tea")
    other = till.post("/order", json={"session_id": "s2"}).json()
    assert other["order"] == "nothing"
    assert till.get("/orders").json() == []
    assert said(till, "place", caller="+15550111") == {"number": "one"}
    assert till.get("/orders").json() == [{"number": 1, "order": "a tea", "caller": "+15550111"}]
    assert said(till, "order")["order"] == "nothing"


def test_one_drink_at_once_as_the_guide_has_it(till: TestClient) -> None:
    made = till.post("/orders", json={"drink": "cappuccino", "size": "large", "caller": "+1555"})
    assert made.json() == {"number": 1, "order": "a large cappuccino", "caller": "+1555"}
    refused = till.post("/orders", json={"drink": "beer"})
    assert (refused.status_code, refused.json()) == (409, {"error": "there is no beer"})
