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

STAGES = ["endpoint", "asr", "llm", "clause", "tts", "output"]


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
    waterfall = talked.by("waterfall").first
    segments = waterfall.get_by_test_id("segment").all()
    assert [segment.get_attribute("data-name") for segment in segments] == STAGES
    critical_ms = [number(segment.get_attribute("data-critical-ms")) for segment in segments]
    total_ms = number(waterfall.get_attribute("data-total-ms"))
    assert sum(critical_ms) == pytest.approx(total_ms, abs=0.01)
    (told,) = talked.ear.events("voicepipe.turn")
    assert total_ms == pytest.approx(told["turn"]["voice_to_voice_ms"], abs=0.01)
    assert dict(zip(STAGES, critical_ms, strict=True)) == pytest.approx(
        told["turn"]["critical_ms"], abs=0.01
    )


def test_the_waterfall_is_drawn_to_scale(talked: TalkPage) -> None:
    """Each bar begins where the one before ends, and is as wide as its stage was long."""
    waterfall = talked.by("waterfall").first
    total_ms = number(waterfall.get_attribute("data-total-ms"))
    bars = []
    for segment in waterfall.get_by_test_id("segment").all():
        box = segment.locator(".waited").first.bounding_box()
        assert box is not None
        bars.append((number(segment.get_attribute("data-critical-ms")), box))
    px_per_ms = sum(box["width"] for _, box in bars) / total_ms
    assert px_per_ms > 0.1
    for (_, bar), (_, following) in pairwise(bars):
        assert following["x"] == pytest.approx(bar["x"] + bar["width"], abs=1)
    for ms, bar in bars:
        assert bar["width"] == pytest.approx(ms * px_per_ms, abs=1)


def test_each_stage_has_its_budget(talked: TalkPage) -> None:
    segments = talked.by("waterfall").first.get_by_test_id("segment").all()
    budgets = [number(segment.get_attribute("data-budget-ms")) for segment in segments]
    assert budgets == [320, 60, 100, 50, 80, 30]


def test_percentiles_and_round_trip_are_shown(talked: TalkPage) -> None:
    expect(talked.by("percentiles").locator("[data-name=endpoint]")).to_contain_text(
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
    slider = talked.by(f"slider-{name}")
    before = talked.ear.now()
    slider.fill(str(value))
    expect(slider).to_have_attribute("data-confirmed", str(value))
    expect(talked.by(f"confirmed-{name}")).to_contain_text(str(value))
    assert str(value) in json.dumps(talked.ear.events("session.updated", after=before))


def test_the_log_filters(talked: TalkPage) -> None:
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
    talked.by("log-filter").fill("response.created")
    talked.by("log-copy").click()
    talked.page.wait_for_function(
        "navigator.clipboard.readText().then((text) => text.includes('response.created'))"
    )
    copied = talked.page.evaluate("navigator.clipboard.readText()")
    assert "session.created" not in copied  # what the filter hides is not copied
    talked.by("log-filter").fill("")
