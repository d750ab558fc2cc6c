"""The view of all turns: select, look into one, lay another over it, take them away."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.conftest import DESKTOP, Console
from tests.browser.ear import open_ear
from tests.browser.talk_page import TalkPage
from tests.browser.test_accessibility import faults, sideways
from voicepipe.whatif.recorded import read_recording

TURNS = 3


@pytest.fixture(scope="module")
def looked(browsers: Callable[..., Browser], server: str) -> Iterator[TalkPage]:
    """A page with three spoken turns, in the view of all turns, its call still standing."""
    microphone = browsers("how are you today", 4.0, "what time is it", 4.0, "how are you today")
    context = microphone.new_context(viewport=DESKTOP, accept_downloads=True)
    open_ear(context)
    page, console = context.new_page(), Console()
    console.watch(page)
    talk = TalkPage(page, server)
    talk.talk("webrtc")
    talk.ear.wait_for("voicepipe.turn", count=TURNS)
    talk.expect_state("listening")
    session = talk.ear.events("voicepipe.turn")[0]["turn"]["session_id"]
    talk.by("view-turns").click()
    talk.by("turns-filter").fill(f"session:{session}")
    expect(rows(talk)).to_have_count(TURNS)
    yield talk
    page.goto("about:blank")
    context.close()
    assert not console.errors


def rows(talk: TalkPage) -> Locator:
    return talk.by("turns-list").locator(".turn-line")


def test_the_call_goes_on_meanwhile(looked: TalkPage) -> None:
    looked.by("view-talk").click()
    looked.expect_state("listening")
    looked.by("view-turns").click()
    expect(rows(looked)).to_have_count(TURNS)


def test_a_turn_is_seen_in_lanes_and_its_path_adds_up(looked: TalkPage) -> None:
    rows(looked).last.click()  # the oldest
    told = looked.ear.events("voicepipe.turn")[0]["turn"]
    heard_ms = told["voice_to_voice_ms"] + sum(told["network_ms"].values())
    expect(looked.by("detail")).to_contain_text("how are you today")
    expect(looked.by("path-sum")).to_contain_text(f"= {heard_ms:.0f} ms heard")
    labels = looked.by("lanes").locator(".lane-label").all_inner_texts()
    assert labels[0] == "Caller"
    assert labels[-1] == "Agent"
    assert "LLM first token" in labels
    points = looked.by("lanes").locator(".critical-path").get_attribute("points")
    assert points is not None
    assert len(points.split()) >= 4


def test_keys_step_zoom_and_lay_over(looked: TalkPage) -> None:
    page = looked.page
    rows(looked).first.click()
    newest = page.url
    page.keyboard.press("j")
    assert page.url != newest
    page.keyboard.press("k")
    assert page.url == newest
    before = looked.by("lanes").locator(".lane-axis").inner_text()
    page.keyboard.press("w")
    assert looked.by("lanes").locator(".lane-axis").inner_text() != before
    page.keyboard.press("x")
    expect(looked.by("overlay").locator("tbody tr").last).to_contain_text("Heard")
    page.keyboard.press("x")
    expect(looked.by("overlay")).to_have_count(0)
    page.keyboard.press("/")
    expect(looked.by("turns-filter")).to_be_focused()


def test_brushing_the_points_selects(looked: TalkPage) -> None:
    """It writes what it means into the filter, from where it can be shared or undone."""
    filter_line = looked.by("turns-filter").input_value()
    box = looked.by("scatter").locator(".points").bounding_box()
    assert box is not None
    mouse = looked.page.mouse
    mouse.move(box["x"] + 2, box["y"] + 2)
    mouse.down()
    mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] * 0.3, steps=4)
    mouse.up()
    expect(looked.by("turns-filter")).to_have_value(re.compile(r"nr:\d+\.\.\d+ heard:\d+\.\.\d+"))
    expect(looked.page).to_have_url(re.compile("heard"))
    looked.by("turns-filter").fill(filter_line)
    expect(rows(looked)).to_have_count(TURNS)


def test_what_is_seen_can_be_replayed_and_traced(looked: TalkPage, tmp_path: Path) -> None:
    with looked.page.expect_download() as saved:
        looked.by("save-turns").click()
    turns = tmp_path / "turns.jsonl"
    saved.value.save_as(turns)
    recording = read_recording(turns.read_text(), str(turns))
    assert len(recording.turns) == TURNS - 1  # the one that called a tool is left out
    assert recording.left_out == {"answered after a tool call": 1}
    with looked.page.expect_download() as traced:
        looked.by("save-trace").click()
    trace = tmp_path / "trace.json"
    traced.value.save_as(trace)
    events = json.loads(trace.read_text())["traceEvents"]
    assert {event["pid"] for event in events if event["ph"] == "X"} != set()
    assert all(event["dur"] >= 1 for event in events if event["ph"] == "X")


def test_an_address_leads_to_the_same_place(looked: TalkPage, server: str) -> None:
    rows(looked).last.click()
    address, said = looked.page.url, looked.by("path-sum").inner_text()
    other = looked.page.context.new_page()
    other.goto(address)
    expect(other.get_by_test_id("path-sum")).to_have_text(said)
    other.close()


def test_a_stage_that_drifts_is_said_with_its_cause(looked: TalkPage) -> None:
    """The week that it takes is not waited for: the page is told what such a server tells."""
    told = {"stage": "llm", "quantile": 0.95, "before_ms": 150, "now_ms": 231, "cause": "more load"}
    expect(looked.by("drift")).to_be_hidden()
    looked.page.route("**/readyz", lambda route: route.fulfill(json={"drift": [told]}))
    looked.by("view-talk").click()
    looked.by("view-turns").click()
    expect(looked.by("drift")).to_have_text(
        "LLM first token is slower than last week: p95 is 231 ms, was 150 ms. Likely: more load."
    )
    looked.page.unroute("**/readyz")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible_and_fits(scheme: str, looked: TalkPage) -> None:
    looked.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    assert faults(looked.page) == []
    for width in (320, 844, 3840):
        looked.page.set_viewport_size({"width": width, "height": 900})
        assert sideways(looked.page) == 0, width
    looked.page.set_viewport_size(DESKTOP)
