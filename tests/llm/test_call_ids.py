from __future__ import annotations

from voicepipe.llm.call_ids import MAX_IDS, CallIds


def test_ours_never_repeats_where_the_servers_does() -> None:
    ids = CallIds()
    ours = [ids.ours(theirs) for theirs in ("0", "0", "", "call_1")]
    assert len(set(ours)) == 4
    assert all(own.startswith("call_") for own in ours)
    assert [ids.theirs(own) for own in ours] == ["0", "0", ours[2], "call_1"]


def test_an_id_of_somebody_else_stays_as_it_is() -> None:
    assert CallIds().theirs("call_of_a_client") == "call_of_a_client"


def test_the_oldest_is_forgotten() -> None:
    ids = CallIds()
    first, *others = (ids.ours("0") for _ in range(MAX_IDS + 1))
    assert ids.theirs(first) == first
    assert ids.theirs(others[0]) == ids.theirs(others[-1]) == "0"
