"""Talking to the page, by WebRTC and by WebSocket."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.talk_page import TRANSPORTS, TalkPage, Transport

LONG = "i would like to book a table for two at seven"  # its answer takes five seconds here
SHORT = "what time is it"
BEFORE_INTERRUPTING_S = 2.2  # with the 0.3 s before SHORT's first word: amid the long answer

AN_HOUR = re.compile(
    r"\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight)\b"
)

CUT_BY: dict[Transport, str] = {
    "webrtc": "output_audio_buffer.cleared",  # the server plays, so it stops
    "websocket": "conversation.item.truncate",  # the page plays, stops, and tells what was heard
}

DECIDED_BY = "voicepipe.output_paused"
"""Silence comes first; what it was that the caller said is judged afterwards."""

SILENCE_BOUND_MS = 600
"""From the decision to silence in the page: 200 ms are promised, on a machine that is not busy."""

Browsers = Callable[..., Browser]
OpenTalk = Callable[..., TalkPage]


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_spoken_question_is_answered(
    transport: Transport, browsers: Browsers, open_talk: OpenTalk
) -> None:
    talk = open_talk(browsers(SHORT))
    expect(talk.by("profile")).to_contain_text("builtin")
    talk.talk(transport)
    talk.expect_said("user", SHORT)
    talk.expect_said("agent", AN_HOUR)
    talk.ear.wait_for_sound(ms=300)
    talk.expect_state("listening")
    expect(talk.by("caption-agent").locator(".unheard")).to_have_count(0)  # all of it was heard
    expect(talk.by("problem")).to_be_hidden()
    talk.hang_up()


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_speaking_over_the_answer_silences_it(
    transport: Transport,
    browsers: Browsers,
    open_talk: OpenTalk,
    record_testsuite_property: Callable[[str, object], None],
) -> None:
    talk = open_talk(browsers(LONG, BEFORE_INTERRUPTING_S, SHORT))
    talk.talk(transport)
    ear = talk.ear
    ear.wait_for_sound(ms=200)
    cut = ear.wait_for(CUT_BY[transport])["at"]
    talk.expect_said("user", SHORT)
    answer = ear.wait_for("response.created", after=cut)["at"]
    decided = ear.events(DECIDED_BY, before=cut)[-1]["at"]
    silence_ms = ear.last_loud_at(before=answer) - decided
    record_testsuite_property(f"{transport}_silence_after_decision_ms", round(silence_ms))
    assert silence_ms < SILENCE_BOUND_MS
    ear.wait_for_sound(after=answer, ms=300)
    heard = talk.by("caption-agent").first.locator("p > :not(.unheard)").all_inner_texts()
    assert "Okay" in " ".join(heard)
    assert "under?" not in " ".join(heard)  # the answer's last word
    talk.hang_up()


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_push_to_talk(transport: Transport, browsers: Browsers, open_talk: OpenTalk) -> None:
    talk = open_talk(browsers(1.0, SHORT))
    talk.talk(transport, "push-to-talk")
    hold = talk.by("hold-button")
    hold.dispatch_event("pointerdown", {"pointerId": 1, "button": 0, "isPrimary": True})
    expect(hold).to_have_attribute("aria-pressed", "true")
    talk.ear.wait_until_caller_is_silent()
    assert not talk.ear.events("response.created")  # nobody answers while the button is held
    hold.dispatch_event("pointerup", {"pointerId": 1, "button": 0, "isPrimary": True})
    talk.expect_said("user", SHORT)
    talk.ear.wait_for_sound()


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_who_was_muted_is_heard_when_they_press_the_button(
    transport: Transport, browsers: Browsers, open_talk: OpenTalk
) -> None:
    """No other button is there to unmute with once one must be pressed to talk."""
    talk = open_talk(browsers(8.0, SHORT))
    talk.talk(transport)
    talk.by("mute-button").click()
    talk.choose("mode-select", "push-to-talk")
    hold = talk.by("hold-button")
    hold.dispatch_event("pointerdown", {"pointerId": 1, "button": 0, "isPrimary": True})
    talk.ear.wait_until_caller_is_silent()
    hold.dispatch_event("pointerup", {"pointerId": 1, "button": 0, "isPrimary": True})
    talk.expect_said("user", SHORT)
    talk.choose("mode-select", "hands-free")
    expect(talk.by("state")).to_have_text("Muted")


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_another_microphone_can_be_taken_in_mid_call(
    transport: Transport, browsers: Browsers, open_talk: OpenTalk
) -> None:
    """Each of the fake ones says the question when it is opened."""
    talk = open_talk(browsers(SHORT))
    talk.talk(transport)
    talk.expect_said("agent", AN_HOUR)
    talk.expect_state("listening")
    talk.choose("mic-select", "Fake Audio Input 2")
    expect(talk.by("caption-user").filter(has_text=SHORT)).to_have_count(2)
    expect(talk.by("caption-agent").filter(has_text=AN_HOUR)).to_have_count(2)


def test_a_typed_question_is_answered_aloud(browsers: Browsers, open_talk: OpenTalk) -> None:
    talk = open_talk(browsers(60.0))  # a caller who says nothing
    talk.talk("websocket")
    talk.by("text-input").fill("how are you today")
    talk.by("send-button").click()
    talk.expect_said("user", "how are you today")
    talk.expect_said("agent", "thank")
    talk.ear.wait_for_sound()


def test_stop_silences_the_agent(browsers: Browsers, open_talk: OpenTalk) -> None:
    talk = open_talk(browsers(60.0))
    talk.talk("websocket")
    talk.by("text-input").fill(LONG)
    talk.by("text-input").press("Enter")
    talk.ear.wait_for_sound()
    talk.by("stop-button").click()
    stopped = talk.ear.now()
    talk.expect_state("listening")
    expect(talk.by("caption-agent").locator(".unheard.never").first).to_be_visible()
    assert talk.ear.last_loud_at(before=talk.ear.now()) - stopped < SILENCE_BOUND_MS
