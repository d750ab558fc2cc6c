"""Conversations written one by one are read whole, told with new values, refused with a reason."""

from __future__ import annotations

import json
import random
import re
import sys
from pathlib import Path

import pytest

from tests.random_cases import ALL

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts" / "training"))

from scene_form import Scene, read_scenes, wordings
from scene_nouns import with_other_things
from scene_values import SceneError
from scenes import all_scenes, check, in_another_order, scene_files, told
from spoken_numbers import WEEKDAYS

TABLE = """
== a table
system: Da Lucia. Lunch costs {p1#} euros.
  Open daily.
greet: Da Lucia, hello.
> a table for {n1} under {last1}, {spelt1} | {n1} of us, {last1}, spelt {spelt1}
That is a table for {n1} people for {SPELT1}. Shall I book it?
>? how much is lunch for all of us
{P1} euros each, {n1*p1} euros together.
"""


def scene(text: str) -> Scene:
    (one,) = read_scenes(text)
    return one


def said(one: Scene, seed: int, role: str = "assistant") -> list[str]:
    talk = told(one, random.Random(seed))
    return [m["content"] for m in talk.messages if m["role"] == role]


@pytest.mark.parametrize("path", scene_files(), ids=lambda path: path.name)
def test_every_file_can_be_told(path: Path) -> None:
    check(path, 20 if ALL else 1)


def test_there_are_many() -> None:
    assert len(all_scenes()) > 6000


@pytest.mark.parametrize("seed", range(3 if ALL else 1))
def test_nothing_that_is_read_aloud_needs_a_reader(seed: int) -> None:
    """No signs and no figures, since a voice says it. What a till tells is said as it came."""
    for one in (one for one in all_scenes() if "place_order" not in one.tools):
        for text in said(one, seed):
            assert not re.search(r"[0-9{}\[\]|€£$%*_#]", text), (one.title, text)


def test_values_are_the_same_throughout_and_new_each_time() -> None:
    one = scene(TABLE)
    (prompt,) = said(one, 1, "system")
    assert re.fullmatch(r"Da Lucia\. Lunch costs \d+ euros\.\nOpen daily\.", prompt)
    assert len({said(one, seed, "system")[0] for seed in range(9)}) > 3
    _, booked = said(one, 1)[:2]
    letters = re.search(r"for ((?:[A-Z] )*[A-Z])\.", booked)
    assert letters
    heard = " ".join(said(one, 1, "user")).lower()
    assert letters.group(1).lower() in heard


def test_a_turn_that_may_be_left_out_is_left_out_at_times() -> None:
    lengths = {len(said(scene(TABLE), seed)) for seed in range(20)}
    assert lengths == {2, 3}  # the greeting, and one or two answers


def test_turns_may_come_in_any_order() -> None:
    text = "== x\norder: any\n> a\nA.\n> b\nB.\n> c\nC."
    assert len({tuple(said(scene(text), seed)) for seed in range(60)}) == 6


def test_the_facts_of_a_prompt_come_in_any_order() -> None:
    rng = random.Random(1)
    prompt = "You are Mill. Tea is 3. It is hot. Cake is 4. Open to 5 p.m. Daily."
    orders = {in_another_order(prompt, rng) for _ in range(60)}
    assert len(orders) == 6
    for order in orders:
        assert order.startswith("You are Mill. ")
        assert "Tea is 3. It is hot." in order
        assert sorted(order) == sorted(prompt)
    for whole in ("One. Two.", "A: one. Two. Three.\nB: one. Two. Three."):
        assert all(in_another_order(whole, rng) == whole for _ in range(20))


def test_sums_are_worked_out() -> None:
    one = scene("== x\nsystem: {n1#} {p1#} {p2#}\n> x\n{n1*p1#} {p1+p2#} {n1+1#} {p1-p2#}")
    for seed in range(5):
        n, p, q = map(int, said(one, seed, "system")[0].split())
        if p < q:
            continue
        assert said(one, seed) == [f"{n * p} {p + q} {n + 1} {p - q}"]


def test_sums_have_any_number_of_parts_and_products_come_first() -> None:
    one = scene("== x\nsystem: {n1#} {p1#} {p2#}\n> x\n{n1*p1+p2-2#} {p2+n1*3#}")
    for seed in range(5):
        n, p, q = map(int, said(one, seed, "system")[0].split())
        assert said(one, seed) == [f"{n * p + q - 2} {q + n * 3}"]


def test_amounts_are_said_and_written() -> None:
    one = scene("== x\nsystem: {euros1:3-5#} {n1#}\n> x\n{n1*euros1+2#}, {euros1}, {pounds1:1-1}.")
    for seed in range(5):
        amount, n = said(one, seed, "system")[0].split()
        total, words, pound = said(one, seed)[0].split(", ")
        assert 3 <= float(amount) <= 5
        assert float(total) == pytest.approx(int(n) * float(amount) + 2)
        assert words.split()[0] in ("three", "four", "five")
        assert words.split()[1] == "euros"
        assert pound == "one pound."


def test_tools_get_numbers() -> None:
    one = scene(
        "== x\ntools: house\n> {n1} minutes\n"
        'call set_timer {"seconds": "{n1*60#}", "label": "{n1}"}\n'
        'result {"id": 1, "seconds": "{n1*60#}", "label": "{n1}"}\nSet.'
    )
    (called,) = (m for m in told(one, random.Random(1)).messages if m.get("tool_calls"))
    arguments = json.loads(called["tool_calls"][0]["function"]["arguments"])
    assert arguments["seconds"] % 60 == 0
    assert arguments["label"].isalpha()


def test_values_keep_within_their_bounds() -> None:
    one = scene("== x\nsystem: {n1:12-14#} {time1:9-9}\n> x\n{n1#} {day1} {day1+1}")
    for seed in range(20):
        number, clock = said(one, seed, "system")[0].split(" ", 1)
        again, day, after = said(one, seed)[0].split()
        assert 12 <= int(number) <= 14
        assert number == again
        assert "nine" in clock or "ten" in clock  # quarter to ten is after nine
        assert (WEEKDAYS.index(day.lower()) + 1) % 7 == WEEKDAYS.index(after.lower())


def test_times_and_dates_are_counted_on() -> None:
    one = scene(
        "== x\n> {n1:3-3}\n{time1:9-9#} {time1+n1*60#} {date1#} {date1+1#} {day1#} {day1+7#}"
    )
    for seed in range(20):
        early, late, day, month, next_day, next_month, weekday, again = said(one, seed)[0].split()
        assert (early.split(":")[0], early[-3:]) == ("9", late[-3:])
        assert late.startswith("12:")
        assert (int(next_day) == int(day) + 1 and month == next_month) or next_day == "1"
        assert weekday == again


def test_one_of_these_is_picked() -> None:
    one = scene("== x\n> {pick1:red/dark blue}\n{Pick1}, {pick2:a/b}.")
    assert {said(one, seed)[0].split(",")[0] for seed in range(20)} == {"Red", "Dark blue"}


def test_two_of_a_kind_may_be_one_where_the_bounds_leave_no_other() -> None:
    assert said(scene("== x\n> x\n{n1:3-3#} {n2:3-3#}"), 1) == ["3 3"]


def test_a_word_that_does_not_exist_is_the_same_throughout() -> None:
    one = scene("== x\nsystem: {Odd1} {odd2}\n> {odd1}\n{Odd1}")
    (prompt,) = said(one, 1, "system")
    assert prompt.split()[0] == said(one, 1)[0] != prompt.split()[1].capitalize()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("> hello\nHello.", "before the first scene"),
        ("== x\n> what time\ncall get_time {}", "none of its tools"),
        ("== x\ntools: house\n> what time\ncall get_time {\nresult {}\nTen.", "line 4"),
        ("== x\nHello.", "line 2"),
    ],
)
def test_what_cannot_be_read_says_where(text: str, why: str) -> None:
    with pytest.raises(SceneError, match=why):
        list(read_scenes(text))


@pytest.mark.parametrize(
    "slot",
    [
        "{x1}",
        "{n1*x2}",
        "{name1+2}",
        "{euros1*pounds1}",
        "{time1*2}",
        "{day1+date1}",
        "{pick1}",
        "{2*n1}",
    ],
)
def test_what_is_no_value_is_told(slot: str) -> None:
    with pytest.raises(SceneError, match="no"):
        told(scene(f"== x\n> hello\nIt is {slot}."), random.Random(1))


@pytest.mark.parametrize("turn", ["> hello", "> hello\nHello.\nHello again."])
def test_each_turn_has_one_answer(turn: str, tmp_path: Path) -> None:
    file = tmp_path / "x.txt"
    file.write_text(f"== x\n> hi\nHi.\n{turn}\n")
    with pytest.raises(SceneError, match="answer"):
        check(file)


def test_wordings_are_apart_and_choices_within_them_are_not() -> None:
    assert wordings("a [very|quite|] big one | b") == ["a [very|quite|] big one", "b"]


BOOTS = """
== rental
system: BOOTS cost 5, a boot alone 3. Skis cost 9.
  {"tents_eur": 4, "Tent": "big"}
> what are boots | and for the feet | Boots please
Boots are five.
> and skis then | and the long things
Skis are nine.
> how much is a tent
I'm sorry, I don't know that.
"""


def test_things_become_others_where_the_caller_names_them_too() -> None:
    told_of = set()
    for seed in range(200):
        other = with_other_things(scene(BOOTS), random.Random(seed))
        thing = other.system.split()[0]
        assert thing.isupper()
        told_of.add(thing)
        if thing == "BOOTS":
            continue
        asked, answer = (step.text for step in other.turns[0][1])
        assert thing.lower() in wordings(asked)[0]
        assert len(wordings(asked)) == 2, "the one that does not name it is gone"
        assert answer == f"{thing.capitalize()} are five."
        assert f"a {thing[:-1].lower()} alone" in other.system
        assert '{"tents_eur": 4, "Tent": "big"}' in other.system, "a key would tell the old name"
    assert len(told_of) > 30


def test_every_scene_can_be_told_of_other_things() -> None:
    rng, changed = random.Random(2), 0
    scenes = all_scenes()[:: 1 if ALL else 5]
    for one in scenes:
        other = with_other_things(one, rng)
        changed += other.system != one.system
        told(other, rng)
    assert changed > len(scenes) / 10
