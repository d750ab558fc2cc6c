"""`voicepipe cluster`: what replicas report of themselves, on a terminal."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from voicepipe.cli.cluster import _table
from voicepipe.cluster.listing import Place


@pytest.mark.parametrize("node", ["[fe80::1]", "[/]"])
def test_what_a_replica_says_of_itself_is_shown_as_it_is(node: str) -> None:
    shown = io.StringIO()
    place = Place("r1", node, "127.0.0.1", 4000, 1, "llm", "ready")
    Console(file=shown, width=120).print(_table([place]))
    assert node in shown.getvalue()
