"""Turns that have happened, under other settings, without leaving the page.

The turns were spoken in virtual time, so that a busy machine's lateness is not in them; the server
that replays them is a real one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import Browser, Locator, Route, expect

from tests.browser.conftest import DESKTOP, Console
from tests.browser.talk_page import TalkPage
from tests.browser.test_accessibility import faults, sideways
from tests.virtual_time import run_virtual
from tests.whatif.users import run, users
from voicepipe.dialog.options import TurnOptions
from voicepipe.whatif.changes import parse_changes


@pytest.fixture(scope="module")
def turns() -> str:
    """What `/v1/turns` gives."""
    with ThreadPoolExecutor(1) as other:  # Playwright's event loop runs on this thread
        rows = other.submit(lambda: run_virtual(run(users(8, 3, 5), TurnOptions()))).result()
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture(scope="module")
def looked(browsers: Callable[..., Browser], server: str, turns: str) -> Iterator[TalkPage]:
    """The view of the turns, with these."""
    context = browsers(60.0).new_context(viewport=DESKTOP)
    context.route("**/v1/turns?*", lambda route: route.fulfill(body=turns))
    page, console = context.new_page(), Console()
    console.watch(page)
    talk = TalkPage(page, server)
    yield talk
    page.goto("about:blank")
    context.close()
    assert not console.errors


@pytest.fixture
def replay(looked: TalkPage) -> TalkPage:
    """Nothing has been replayed yet."""
    address = looked.page.url.split("#")[0]
    looked.page.goto("about:blank")
    looked.page.goto(f"{address}#/turns")
    expect(looked.by("turns-list").locator(".turn-line").first).to_be_visible()
    return looked


def figures(replay: TalkPage, label: str) -> Locator:
    return replay.by("replay-table").locator(f"tr[data-label='{label}'] td")


def test_the_change_is_predicted_less_replayed(replay: TalkPage, turns: str) -> None:
    """With its n and its interval; kept over a reload, tried on a call, and taken away."""
    page = replay.page
    expect(replay.by("replay-of").locator("option").first).to_have_text(
        f"the {len(turns.splitlines())} turns that are seen"
    )
    replay.by("replay-value").fill("500")
    replay.by("replay-go").click()
    _, replayed, predicted, change = told(figures(replay, "Voice to voice p50"))
    assert int(predicted) - int(replayed) == pytest.approx(int(change), abs=1)
    assert int(change) > 50
    _, cut_off, fewer, _ = told(figures(replay, "Callers cut off"))
    assert int(fewer) < int(cut_off)
    expect(replay.by("replay-found")).to_contain_text(re.compile(r"between \+\d+ and \+\d+ ms"))
    expect(figures(replay, "Voice to voice p99")).to_have_text(["·", "·", "·", ""])  # of so few
    expect(page).to_have_url(re.compile("replay=turns.endpoint_complete_ms%3D500"))
    assert faults(page) == []
    page.reload()
    expect(figures(replay, "Answered turns")).to_have_count(4)
    replay.by("replay-copy").click()
    expect(replay.by("replay-toml")).to_have_text("[turns]\nendpoint_complete_ms = 500\n")
    replay.by("replay-try").click()
    expect(replay.by("panel-try")).to_be_visible()
    expect(replay.by("slider-endpoint_complete_ms")).to_have_value("500")


def told(cells: Locator) -> list[str]:
    expect(cells).to_have_count(4)
    return [text.replace("−", "-") for text in cells.all_inner_texts()]


def test_one_turn_is_replayed_by_keys_alone(replay: TalkPage) -> None:
    page = replay.page
    page.keyboard.press("r")
    expect(replay.by("replay-key")).to_be_focused()
    page.keyboard.type("LLM")
    page.keyboard.press("Tab")
    expect(replay.by("replay-value")).to_have_value("-50")
    page.keyboard.type("+700")
    page.keyboard.press("Enter")
    assert told(figures(replay, "Answered turns")) == ["1", "1", "1", "0"]
    assert int(told(figures(replay, "Voice to voice p50"))[3]) > 200
    expect(replay.by("replay-try")).to_have_count(0)  # an engine's time is no setting
    expect(page).to_have_url(re.compile("replay=llm.first_token_ms%3D%2B700&of=turn"))


def test_several_changes_at_once(replay: TalkPage) -> None:
    replay.by("replay-key").select_option("turns.preemptive_generation")
    expect(replay.by("replay-value")).to_have_value("off")
    replay.by("replay-more").click()
    replay.by("replay-key").last.select_option("tts.first_audio_ms")
    replay.by("replay-value").last.fill("soon")
    replay.by("replay-go").click()
    expect(replay.page).to_have_url(re.compile("replay=turns.preemptive_generation%3Doff&?"))
    assert told(figures(replay, "Replies thrown away"))[2] == "0"


def test_it_begins_with_what_the_policy_asks_for(replay: TalkPage, turns: str) -> None:
    """The built-in profile's does not ask for a wait after whole sentences: the page says so."""
    fused = turns.replace('"endpointing": "text"', '"endpointing": "fused"')
    assert fused != turns
    replay.page.context.route("**/v1/turns?*", lambda route: route.fulfill(body=fused))
    replay.page.reload()
    expect(replay.by("replay-key")).to_have_value("turns.cut_off_cost_ms")
    expect(replay.by("replay-value")).to_have_value("2250")
    replay.by("replay-key").select_option("turns.endpoint_complete_ms")
    replay.by("replay-go").click()
    expect(replay.by("replay-found")).to_contain_text("does not ask for it")
    replay.page.context.route("**/v1/turns?*", lambda route: route.fulfill(body=turns))


def test_what_is_not_reproduced_is_not_predicted(replay: TalkPage) -> None:
    def bent(route: Route) -> None:
        body = json.loads(route.request.post_data or "")
        for turn in body["turns"]:
            if turn["critical_ms"]:
                turn["critical_ms"]["endpoint"] *= 1.5
        route.continue_(post_data=json.dumps(body))

    replay.page.route("**/v1/whatif", bent)
    replay.by("replay-go").click()
    expect(replay.by("replay-said")).to_contain_text("No prediction")
    expect(replay.by("replay-table").locator("thead th")).to_have_count(3)
    expect(replay.by("replay-try")).to_have_count(0)
    replay.page.unroute("**/v1/whatif")


def test_the_page_and_the_server_know_the_same_changes(looked: TalkPage) -> None:
    sets: list[str] = looked.page.evaluate(
        """async () => {
            const { CHANGES } = await import('/web/replay.js');
            return CHANGES.flatMap(({ key, choices, relative }) =>
                choices ? choices.map(([value]) => `${key}=${value}`)
                    : [`${key}=${relative ? '+10' : '520'}`]);
        }"""
    )
    assert len(sets) > 15
    for one in sets:
        parse_changes([one])


@pytest.mark.parametrize("width", [320, 1920])
def test_it_fits(width: int, replay: TalkPage) -> None:
    replay.page.set_viewport_size({"width": width, "height": 900})
    replay.by("replay-more").click()
    replay.by("replay-go").click()
    expect(replay.by("replay-table")).to_be_visible()
    assert sideways(replay.page) == 0
    replay.page.set_viewport_size(DESKTOP)
