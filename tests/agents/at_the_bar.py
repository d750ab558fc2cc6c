"""The till of the coffee bar, as its tests talk to it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest
from starlette.testclient import TestClient

BAR = Path(__file__).parents[2] / "agents" / "coffee_bar"
MODULES = sorted(path.stem for path in BAR.glob("*.py"))
Hear = Callable[..., str]


@pytest.fixture
def at_the_bar(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(BAR))
    yield
    for name in MODULES:
        sys.modules.pop(name, None)


@pytest.fixture
def till(at_the_bar: None) -> Iterator[TestClient]:
    with TestClient(import_module("orders").till()) as client:
        yield client


@pytest.fixture
def talk(till: TestClient) -> Hear:
    """`talk(words, ...)`: what is said to the last of them."""

    def say(*said: str) -> str:
        told = [hear(till, one).get("say", "") for one in said]
        return told[-1]

    return say


def hear(till: TestClient, said: str, **asked: str) -> dict[str, str]:
    answer: dict[str, str] = till.post(
        "/hear", json={"session_id": "s1", "said": said, **asked}
    ).json()
    return answer
