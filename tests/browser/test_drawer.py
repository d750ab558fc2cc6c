"""The developer's drawer, with one real spoken turn in it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import ARTIFACTS, DESKTOP, Console
from tests.browser.ear import open_ear
from tests.browser.talk_page import TalkPage

STAGES = ["endpoint", "asr", "llm", "tool", "clause", "tts", "output"]
WAY = "network"


@pytest.fixture(scope="module")
def talked(browsers: Callable[..., Browser], server: str) -> Iterator[TalkPage]:
    """A page in a call, after its first turn, with the drawer open."""
    context = browsers("what time is it").new_context(viewport=DESKTOP)
    context.grant_permissions(["clipboard-read", "clipboard-write", "microphone"])
    open_ear(context)
    page, console = context.new_page(), Console()
    console.watch(page)
    talk = TalkPage(page, server)
    talk.talk("webrtc")
    talk.unfold("drawer-toggle")
    expect(talk.by("waterfall")).to_have_count(1)
    talk.expect_state("listening")
    yield talk
    page.screenshot(path=ARTIFACTS / "drawer.png")
    talk.hang_up()
    context.close()
    assert not console.errors


def number(text: str | None) -> float:
    assert text is not None
    return float(text)


def test_the_waterfall_adds_up(talked: TalkPage) -> None:
    """To what was heard: the stages are the server's part, the network is the rest."""
    talked.open_panel("turns")
    waterfall = talked.by("waterfall").first
    segments = waterfall.get_by_test_id("segment").all()
    assert [segment.get_attribute("data-name") for segment in segments] == [*STAGES, WAY]
    critical_ms = [number(segment.get_attribute("data-critical-ms")) for segment in segments]
    total_ms = number(waterfall.get_attribute("data-total-ms"))
    heard_ms = number(waterfall.get_attribute("data-heard-ms"))
    assert sum(critical_ms[:-1]) == pytest.approx(total_ms, abs=0.01)
    assert sum(critical_ms) == pytest.approx(heard_ms, abs=0.01)
    told = talked.ear.events("voicepipe.turn")[-1]["turn"]
    assert total_ms == pytest.approx(told["voice_to_voice_ms"], abs=0.01)
    assert critical_ms[-1] == pytest.approx(sum(told["network_ms"].values()), abs=0.01)
    assert dict(zip(STAGES, critical_ms, strict=False)) == pytest.approx(
        told["critical_ms"], abs=0.01
    )


def test_the_headline_is_what_the_user_heard(talked: TalkPage) -> None:
    """The listener's own buffer included, which the server's figure leaves out."""
    talked.open_panel("turns")
    told = talked.ear.events("voicepipe.turn")[-1]["turn"]
    heard_ms = told["voice_to_voice_ms"] + sum(told["network_ms"].values())
    assert heard_ms > told["voice_to_voice_ms"] + 5  # a jitter buffer is never empty
    headline = talked.by("headline")
    assert number(headline.get_attribute("data-heard-ms")) == pytest.approx(heard_ms, abs=0.01)
    expect(headline).to_contain_text(f"{heard_ms:.0f} ms heard")
    expect(talked.by("latency-chip").last).to_have_text(f"{heard_ms:.0f} ms heard")


def test_the_waterfall_is_drawn_to_scale(talked: TalkPage) -> None:
    """Each bar begins where the one before ends, and is as wide as its stage was long."""
    talked.open_panel("turns")
    waterfall = talked.by("waterfall").first
    heard_ms = number(waterfall.get_attribute("data-heard-ms"))
    bars = []
    for segment in waterfall.get_by_test_id("segment").all():
        box = segment.locator(".waited").first.bounding_box()
        assert box is not None
        bars.append((number(segment.get_attribute("data-critical-ms")), box))
    width = sum(box["width"] for _, box in bars)
    assert width > 30  # it is drawn, however long the turns took that share the axis
    px_per_ms = width / heard_ms
    for (_, bar), (_, following) in pairwise(bars):
        assert following["x"] == pytest.approx(bar["x"] + bar["width"], abs=1)
    for ms, bar in bars:
        assert bar["width"] == pytest.approx(ms * px_per_ms, abs=1)


def test_each_stage_has_its_budget(talked: TalkPage) -> None:
    talked.open_panel("turns")
    segments = talked.by("waterfall").first.get_by_test_id("segment").all()
    budgets = [number(segment.get_attribute("data-budget-ms")) for segment in segments]
    assert budgets == [320, 60, 100, 300, 50, 80, 30, 80]


def test_percentiles_and_round_trip_are_shown(talked: TalkPage) -> None:
    talked.open_panel("figures")
    row = talked.by("percentiles").locator("[data-name=heard]")
    expect(row).to_have_attribute("data-n", "1")
    expect(row.locator("td").nth(1)).to_have_text(re.compile(r"\d"))  # p50
    expect(row.locator("td").nth(2)).to_have_text("·")  # p95 of one turn is no p95
    expect(talked.by("percentiles").locator("[data-name=network]")).to_contain_text(
        re.compile(r"\d")
    )
    expect(talked.by("rtt")).to_have_attribute("data-ms", re.compile(r"^\d"))
    preemption = talked.by("preemption")
    tried = [number(preemption.get_attribute(f"data-{what}")) for what in ("hits", "misses")]
    assert sum(tried) >= 1


@pytest.mark.parametrize(
    ("name", "value"), [("eager_end_ms", 200), ("interrupt_ms", 400), ("llm_ms", 150)]
)
def test_a_slider_changes_the_live_session(name: str, value: int, talked: TalkPage) -> None:
    talked.open_panel("try")
    talked.by("panel-try").locator("details").evaluate("(targets) => { targets.open = true }")
    slider = talked.by(f"slider-{name}")
    before = talked.ear.now()
    slider.fill(str(value))
    expect(slider).to_have_attribute("data-confirmed", str(value))
    expect(talked.by(f"confirmed-{name}")).to_contain_text(str(value))
    assert str(value) in json.dumps(talked.ear.events("session.updated", after=before))


def test_preemptive_generation_can_be_switched(talked: TalkPage) -> None:
    talked.open_panel("try")
    choice = talked.by("choice-preemptive_generation")
    choice.select_option("off")
    expect(choice).to_have_attribute("data-confirmed", "off")


def test_changes_are_taken_away_and_undone(talked: TalkPage) -> None:
    """After the tests above: four values differ from the server's."""
    talked.open_panel("try")
    talked.by("copy-toml").click()
    expect(talked.by("taken")).to_contain_text('preemptive_generation = "off"')
    expect(talked.by("taken")).to_contain_text("[budget]")
    talked.page.wait_for_function(
        "navigator.clipboard.readText().then((text) => text.includes('eager_end_ms = 200'))"
    )
    talked.by("copy-options").click()
    expect(talked.by("taken")).to_contain_text("--set turns.interrupt_ms=400")
    talked.by("tuning-reset").click()
    expect(talked.by("slider-eager_end_ms")).to_have_attribute("data-confirmed", "120")
    expect(talked.by("choice-preemptive_generation")).to_have_attribute(
        "data-confirmed", "eager_end"
    )
    expect(talked.by("tuning-reset")).to_be_disabled()


def test_the_log_filters(talked: TalkPage) -> None:
    talked.open_panel("events")
    rows = talked.by("event-log").locator("[data-type]")
    assert rows.count() > 5
    talked.by("log-filter").fill("transcription.completed")
    visible = rows.filter(visible=True)
    expect(visible).to_have_count(1)
    kind = "conversation.item.input_audio_transcription.completed"
    expect(visible).to_have_attribute("data-type", kind)
    expect(visible).to_have_attribute("data-direction", "in")
    talked.by("log-filter").fill("")
    expect(visible).not_to_have_count(1)


def test_the_log_is_copied(talked: TalkPage) -> None:
    talked.open_panel("events")
    talked.by("log-filter").fill("response.created")
    talked.by("log-copy").click()
    talked.page.wait_for_function(
        "navigator.clipboard.readText().then((text) => text.includes('response.created'))"
    )
    copied = talked.page.evaluate("navigator.clipboard.readText()")
    assert "session.created" not in copied  # what the filter hides is not copied
    talked.by("log-filter").fill("")
