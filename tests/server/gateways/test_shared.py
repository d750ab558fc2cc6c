"""What two gateways know together, each by its own connection to one database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import choose_encoder

from voicepipe.runtime.clock import ManualClock
from voicepipe.runtime.errors import LimitExceeded
from voicepipe.server.gateways.channel import Channel
from voicepipe.server.gateways.place import Place
from voicepipe.server.live_calls import LiveCall, LiveCalls, Parties
from voicepipe.server.secret_store import ClientSecrets
from voicepipe.server.shared.directory import Directory, ticket_name
from voicepipe.server.shared.metrics import with_departed
from voicepipe.server.shared.seats import Seats
from voicepipe.server.shared.state import FILE, SharedState, StateUnavailable, forget, prepare
from voicepipe.server.shared.sums import Family, added_up, as_registry, families
from voicepipe.server.telephony.tickets import CallerId, Tickets

Pair = tuple[SharedState, SharedState]


def state(folder: Path, number: int, gateway: str = "") -> SharedState:
    ours, theirs = Channel.pair()
    theirs.close()
    ours.close()
    return SharedState(Place(number, gateway or f"{number}-{number}", folder, ours))


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    prepare(tmp_path)
    one, other = state(tmp_path, 1), state(tmp_path, 2)
    yield one, other
    one.close()
    other.close()


def test_seats_are_counted_together_and_a_dead_gateways_are_free(
    pair: Pair, tmp_path: Path
) -> None:
    one, other = Seats(pair[0], 3), Seats(pair[1], 3)
    one.take("a")
    other.take("b", "shop", 1)
    with pytest.raises(LimitExceeded, match=r"1 sessions.*keys\.shop\.max_sessions"):
        one.take("c", "shop", 1)
    one.take("c")
    with pytest.raises(LimitExceeded, match=r"limits\.max_sessions"):
        other.take("d")
    assert len(one) == 3
    assert [gateway["sessions"] for gateway in pair[0].gateways()] == [2, 1]
    forget(tmp_path, "1-1")
    other.take("d")
    assert len(other) == 2
    other.free("d")
    assert len(other) == 1


def test_what_could_not_be_freed_is_freed_before_the_next_is_taken(
    pair: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("voicepipe.server.shared.state.BUSY_S", 0.01)
    one, other = Seats(pair[0], 1), Seats(pair[1], 1)
    one.take("a")
    pair[0].rows("PRAGMA busy_timeout=10")
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as locking:
        locking.execute("BEGIN IMMEDIATE")
        one.free("a")
        with pytest.raises(StateUnavailable):
            one.take("b")
        assert not forget(tmp_path, "2-2")
        locking.execute("ROLLBACK")
    one.take("b")
    one.free("b")
    other.take("c")
    assert forget(tmp_path, "2-2")
    assert len(one) == 0


def test_what_could_not_be_freed_is_freed_before_newcomers_are_refused(
    pair: Pair, tmp_path: Path
) -> None:
    """All sessions have ended, so that nothing else would change the database."""
    one = Seats(pair[0], 2)
    pair[0].rows("PRAGMA busy_timeout=10")

    def ended(session: str) -> None:
        with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as locking:
            locking.execute("BEGIN IMMEDIATE")
            one.free(session)
            locking.execute("ROLLBACK")

    one.take("a", "shop", 1)
    ended("a")
    one.check_key("shop", 1, ringing=0)
    one.take("b")
    one.take("c")
    assert one.problem is not None
    ended("b")
    assert one.problem is None
    with pytest.raises(LimitExceeded, match="1 sessions"):
        one.check_key("shop", 1, ringing=1)


def test_the_directory_knows_who_holds_a_call_until_it_is_over(pair: Pair, tmp_path: Path) -> None:
    one, other = Directory(pair[0]), Directory(pair[1])
    one.enter(["rtc_1", "CA1"])
    assert (other.elsewhere("rtc_1"), one.elsewhere("rtc_1")) == ("1-1", None)
    other.strike(["rtc_1"])  # it is not its to strike
    assert other.elsewhere("rtc_1") == "1-1"
    one.strike(["rtc_1"])
    assert other.elsewhere("rtc_1") is None
    forget(tmp_path, "1-1")
    assert other.elsewhere("CA1") is None


def test_a_secret_of_one_is_good_at_the_other(pair: Pair) -> None:
    clock = ManualClock()
    one, other = ClientSecrets(clock, state=pair[0]), ClientSecrets(clock, state=pair[1])
    value = one.mint({"instructions": "a"}, 10)
    assert other.session_of(value) == {"instructions": "a"}
    clock.advance(10)
    assert other.session_of(value) is None


def test_a_ticket_of_one_is_redeemed_once_by_either(pair: Pair) -> None:
    spent: list[str] = []
    one = Tickets(ManualClock(), 60, spent.append, pair[0])
    other = Tickets(ManualClock(), 60, spent.append, pair[1])
    ticket = one.issue("twilio", "sig", CallerId("+1", "+2", "bar"))
    assert ticket is not None
    assert other.issue("twilio", "sig", CallerId()) == ticket
    assert other.redeem("twilio", ticket) == CallerId("+1", "+2", "bar")
    assert one.redeem("twilio", ticket) is None
    assert one.issue("twilio", "sig", CallerId()) is None
    assert spent == ["sig"]


async def test_the_ticket_of_a_call_that_rings_leads_to_it_or_nowhere(
    pair: Pair, tmp_path: Path
) -> None:
    calls = LiveCalls(Directory(pair[0]))
    live = calls.add(LiveCall("rtc_1", Parties("twilio")))
    ticket = Tickets(ManualClock(), 60, state=pair[0]).issue("twilio", "s", CallerId(live=live))
    assert ticket is not None
    assert Directory(pair[1]).elsewhere(ticket_name(ticket)) == "1-1"
    forget(tmp_path, "1-1")  # the call rings nowhere any more: nobody must answer for it
    assert Tickets(ManualClock(), 60, state=pair[1]).redeem("twilio", ticket) is None


def counted(turns: int, exemplar_at: str, sessions: int, ready: int) -> list[Family]:
    registry = CollectorRegistry()
    Counter("turns", "T.", ["end"], registry=registry).labels("completed").inc(turns)
    took = Histogram("took", "H.", buckets=(1.0, 2.0), registry=registry)
    for _ in range(turns):
        took.observe(0.5, {"turn_id": exemplar_at})
    Gauge("voicepipe_sessions", "S.", registry=registry).set(sessions)
    Gauge("voicepipe_engine_ready", "R.", registry=registry).set(ready)
    return families(registry)


def lines(parts: list[list[Family]]) -> list[str]:
    encode, _ = choose_encoder("application/openmetrics-text")
    return encode(as_registry(added_up(parts))).decode().splitlines()


def test_one_scrape_adds_up_and_keeps_the_newest_exemplar() -> None:
    told = lines([counted(2, "old", 3, 1), counted(5, "new", 4, 0)])
    assert 'turns_total{end="completed"} 7.0' in told
    assert "took_count 7.0" in told
    assert "took_sum 3.5" in told
    (bucket,) = [line for line in told if line.startswith('took_bucket{le="1.0"} 7.0')]
    assert '{turn_id="new"}' in bucket
    assert "voicepipe_sessions 7.0" in told
    assert "voicepipe_engine_ready 0.0" in told


def test_what_all_gateways_see_alike_is_not_added_up() -> None:
    """A cluster's pools: each gateway knows the same replicas, and the calls of all gateways."""
    seen = {"replicas": 2, "calls": 5, "waiting": 1, "queue_seconds": 0.25}
    parts = []
    for _ in range(3):
        registry = CollectorRegistry()
        for name, value in seen.items():
            Gauge(f"voicepipe_pool_{name}", "P.", ["pool"], registry=registry).labels("llm").set(
                value
            )
        parts.append(families(registry))
    told = lines(parts)
    for name, value in seen.items():
        assert f'voicepipe_pool_{name}{{pool="llm"}} {float(value)}' in told


def total(parts: list[list[Family]]) -> float:
    (line,) = [one for one in lines(parts) if one.startswith("turns_total")]
    return float(line.rpartition(" ")[2])


def test_sums_do_not_fall_when_a_gateway_dies(pair: Pair, tmp_path: Path) -> None:
    mine, theirs = counted(2, "a", 1, 1), counted(5, "b", 1, 1)

    def scraped(parts: dict[str, list[Family]]) -> float:
        return total([list(part) for part in with_departed(pair[0], parts)])

    assert scraped({"1-1": mine, "2-2": theirs}) == 7
    assert scraped({"1-1": mine}) == 7  # it did not answer
    forget(tmp_path, "2-2")
    assert scraped({"1-1": mine}) == 7
    assert scraped({"1-1": mine, "2-2": theirs}) == 7  # it answered, and died before the sum
    again = state(tmp_path, 2, "2-3")
    assert scraped({"1-1": mine, "2-3": counted(1, "c", 1, 1)}) == 8
    again.close()
    forget(tmp_path, "2-3")
    assert scraped({"1-1": mine}) == 8


def test_a_scrape_leaves_the_loops_connection_alone(pair: Pair) -> None:
    one, _ = pair
    one.close()  # whoever uses it now fails
    assert total([list(part) for part in with_departed(one, {"2-2": counted(5, "b", 1, 1)})]) == 5
