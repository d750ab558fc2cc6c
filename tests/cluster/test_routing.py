"""Who gets which call: the order of replicas, the table of `voicepipe cluster status`, and settings
that cannot be."""

from __future__ import annotations

import asyncio
from collections import Counter
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from voicepipe.cli.cluster import _places, _table
from voicepipe.cluster.listing import NotListed, Place
from voicepipe.cluster.pool_engines import pool_of
from voicepipe.cluster.rendezvous import ranked
from voicepipe.cluster.secret import Handshake, WrongKey, nonce, proof
from voicepipe.cluster.served import ServedEngine
from voicepipe.config import ClusterSettings, SimulatedSettings
from voicepipe.config.loading import load_settings
from voicepipe.llm.engines.simulated import SimulatedModel
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import ConfigError
from voicepipe.server.engine_factory import create_language_model
from voicepipe.server.shared_engines import has_heavy, pooled_engines

PLACES = tuple(f"replica {n}" for n in range(5))
KEYS = tuple(f"session {n}" for n in range(1000))


def test_a_place_that_goes_moves_its_own_keys_only() -> None:
    before = {key: ranked(key, PLACES)[0] for key in KEYS}
    after = {key: ranked(key, PLACES[:-1])[0] for key in KEYS}
    moved = [key for key in KEYS if before[key] != after[key]]
    assert {before[key] for key in moved} == {PLACES[-1]}
    assert all(ranked(key, PLACES)[1] == after[key] for key in moved), "to their second choice"
    assert all(150 < count < 250 for count in Counter(before.values()).values())


def test_two_ends_with_one_key_believe_each_other_and_others_do_not() -> None:
    ours = Handshake("key")
    asked = ours.begin()["nonce"]
    theirs = nonce()
    given = {"nonce": theirs, "proof": proof("key", "host", asked, theirs)}
    assert ours.answer(given) == proof("key", "gateway", theirs, asked)
    ours.check()
    with pytest.raises(WrongKey):
        ours.answer({**given, "proof": proof("other", "host", asked, theirs)})
    again = Handshake("key")
    again.begin()
    with pytest.raises(WrongKey, match="asks for no key"):
        again.check()
    with pytest.raises(WrongKey):
        Handshake("").answer(given)


async def test_the_urgent_wait_shorter_and_the_wait_is_told() -> None:
    engine = ServedEngine("llm", SimulatedModel(SimulatedSettings()), at_once=1, max_waiting=2)
    order: list[int] = []

    async def call(priority: int) -> None:
        async with engine.turn(priority):
            order.append(priority)
            await asyncio.sleep(0.01)

    await asyncio.gather(*(call(priority) for priority in (1, 2, 0)))
    assert order == [1, 0, 2]
    assert engine.max_ongoing == 3


def test_status_is_a_table_of_replicas() -> None:
    load = {"ongoing": 3, "waiting": 0, "at_once": 8, "queue_ms": 1.6, "first_ms": None}
    more = {**load, "served": 7, "prompt_tokens": 200, "cached_tokens": 150}
    places = [
        Place("r2", "n1", "10.0.0.1", 4000, 1, "llm", "ready", more),
        Place("r1", "n2", "10.0.0.2", 4000, 1, "asr", "ready", load, leaving=True),
    ]
    out = StringIO()
    Console(file=out, width=80).print(_table(places))
    rows = [row.split() for row in out.getvalue().splitlines()[1:]]
    assert rows == [
        ["asr", "r1", "n2", "leaving", "3/8", "2", "ms", "-", "0", "0", "-"],
        ["llm", "r2", "n1", "ready", "3/8", "2", "ms", "-", "7", "0", "75%"],
    ]


def test_status_shows_what_a_report_of_another_version_says() -> None:
    loads: tuple[dict[str, object], ...] = (
        {},
        {"ongoing": 3},
        {"queue_ms": "soon", "prompt_tokens": "many", "at_once": None},
    )
    places = [
        Place(f"r{n}", "n1", "10.0.0.1", 4000, 1, "llm", "ready", load)
        for n, load in enumerate(loads)
    ]
    out = StringIO()
    Console(file=out, width=80).print(_table(places))
    rows = [row.split()[4:] for row in out.getvalue().splitlines()[1:]]
    assert rows == [[calls, "-", "-", "0", "0", "-"] for calls in ("-/-", "3/-", "-/-")]


async def test_a_cluster_that_is_not_there_is_said_in_one_line() -> None:
    with pytest.raises(NotListed, match=r"http://127\.0\.0\.1:9 does not answer \(ConnectError\)"):
        await _places(("http://127.0.0.1:9",))


def test_what_belongs_in_a_pool(tmp_path: Path) -> None:
    file = tmp_path / "voicepipe.toml"
    file.write_text('profile = "simulated"\n[cluster.pools]\nllm = {at_once = 4}\n')
    assert set(pooled_engines(load_settings(None, file, {}))) == {"llm"}
    builtin = pooled_engines(load_settings("builtin", environ={}))
    assert {"asr", "asr.second", "llm", "tts"} <= set(builtin)
    assert has_heavy(load_settings("builtin", environ={}))
    away = {"cluster.address": ["http://a:1"]}
    assert not has_heavy(load_settings("builtin", environ={}, overrides=away))


def test_engine_ray_needs_an_address() -> None:
    settings = load_settings("simulated", environ={}, overrides={"llm.engine": "ray"})
    with pytest.raises(ConfigError, match=r"cluster\.address names none; see docs/cluster\.md"):
        create_language_model(settings, MonotonicClock())
    more = {"llm.engine": "ray", "cluster.address": ["http://a:1"], "cluster.llm": "llm.small"}
    made = create_language_model(
        load_settings("simulated", environ={}, overrides=more), MonotonicClock()
    )
    assert made.name == "llm.small"


def test_a_process_has_one_way_to_a_cluster() -> None:
    settings = ClusterSettings(address=("http://a:1",))
    one = pool_of(settings)
    assert pool_of(settings) is one
    assert pool_of(ClusterSettings(address=("http://b:1",))) is not one
