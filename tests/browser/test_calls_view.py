"""The screen of the calls: found, heard, explained, made a test, deleted; and one that is up."""

from __future__ import annotations

import json
import re
import wave
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import DESKTOP, Console
from tests.browser.ear import open_ear
from tests.browser.talk_page import TalkPage
from tests.browser.test_accessibility import faults, sideways
from tests.serving import serving
from voicepipe.lab.bench import recordings
from voicepipe.whatif.recorded import read_recording

QUESTIONS = ("what time is it", "how are you today")
OPTIONS = ("calls.enabled=true", "calls.record_audio=true")


@pytest.fixture(scope="module")
def keeping(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """`host:port` of a server that writes calls down and records them."""
    folder = tmp_path_factory.mktemp("calls-server")
    places = (f"calls.database=sqlite:///{folder}/calls.sqlite3", f"calls.recordings_dir={folder}")
    given = [part for one in (*OPTIONS, *places) for part in ("--set", one)]
    with serving(folder / "serve.log", *given) as address:
        yield address


@pytest.fixture(scope="module")
def looked(browsers: Callable[..., Browser], keeping: str) -> Iterator[TalkPage]:
    """A page that has held a call of two turns over WebRTC, and shows it on the screen of calls."""
    browser = browsers(QUESTIONS[0], 5.0, QUESTIONS[1])
    context = browser.new_context(viewport=DESKTOP, accept_downloads=True)
    open_ear(context)
    page, console = context.new_page(), Console()
    console.watch(page)
    talk = TalkPage(page, keeping)
    talk.talk("webrtc")
    talk.ear.wait_for("voicepipe.turn", count=len(QUESTIONS))
    talk.hang_up()
    talk.by("view-calls").click()
    expect(talk.by("call")).to_have_count(1)
    yield talk
    page.goto("about:blank")
    context.close()
    assert not console.errors


def opened(talk: TalkPage) -> Locator:
    """The call, its sound there."""
    talk.by("call").locator("a").last.click()
    expect(talk.by("spoken-turn")).to_have_count(len(QUESTIONS))
    expect(talk.by("play")).to_be_enabled()
    return talk.by("call-detail")


def test_a_turns_figure_is_told_with_its_first_sound(looked: TalkPage) -> None:
    early = looked.ear.events("voicepipe.turn.provisional")
    final = looked.ear.events("voicepipe.turn")
    for first, last in zip(early, final, strict=True):
        assert first["turn"]["turn_id"] == last["turn"]["turn_id"]
        assert first["turn"]["critical_ms"] == last["turn"]["critical_ms"]
        assert last["at"] - first["at"] > 500  # ms: the answer is a sentence


def test_the_list_tells_what_was_waited_for(looked: TalkPage) -> None:
    line = looked.by("call").first
    expect(line).to_contain_text("WebRTC")
    expect(line).to_contain_text("2 turns")
    expect(line).to_contain_text("recorded")
    expect(line.locator(".strip .column")).to_have_count(2)
    heights = "bars => bars.map((bar) => bar.offsetHeight <= bar.parentElement.clientHeight)"
    assert line.locator(".strip .column").evaluate_all(heights) == [True, True]
    told = line.locator(".strip").get_attribute("aria-label") or ""
    assert re.fullmatch(r"Waits by turn, ms: [\d.]+, [\d.]+", told), told


def test_a_call_is_its_words_its_waits_and_its_sound(looked: TalkPage) -> None:
    detail = opened(looked)
    for number, question in enumerate(QUESTIONS):
        row = looked.by("spoken-turn").nth(number)
        expect(row.locator(".said")).to_have_text(re.compile(question, re.I))
        expect(row.locator(".answered")).not_to_be_empty()
        expect(row.get_by_test_id("turn-chip")).to_have_text(re.compile(r"[\d.]+ ms heard"))
    expect(detail.get_by_test_id("call-facts")).to_contain_text("Agent spoke over caller0")
    first = looked.by("spoken-turn").first
    expect(first).to_contain_text("get_time()")
    first.get_by_test_id("turn-chip").click()
    expect(first.get_by_test_id("waterfall")).to_be_visible()
    expect(looked.page).to_have_url(re.compile(r"call=call_\w+&at=1"))


def test_the_sound_plays_where_the_words_are(looked: TalkPage) -> None:
    opened(looked)
    second = looked.by("spoken-turn").nth(1)
    second.locator(".turn-time").click()
    expect(second).to_have_class(re.compile("now"))
    expect(looked.by("play")).to_have_attribute("aria-label", "Pause")
    before = seconds(looked)
    looked.page.wait_for_function(
        "(at) => Number(document.querySelector('.seek').value) > at + 0.3", arg=before
    )
    looked.page.locator("body").press("Space")
    expect(looked.by("play")).to_have_attribute("aria-label", "Play")


def test_the_gap_is_heard_again_and_again(looked: TalkPage) -> None:
    """It begins a second before the caller's last word, ends after the agent's first, returns."""
    opened(looked)
    first = looked.by("spoken-turn").first
    first.get_by_test_id("play-gap").click()
    expect(first.get_by_test_id("waterfall")).to_be_visible()
    looked.page.evaluate("window.__places = []")
    looked.page.wait_for_function(
        """() => {
            const at = Number(document.querySelector('.seek').value);
            if (window.__places.at(-1) !== at) window.__places.push(at);
            return window.__places.some((one, i) => i && one < window.__places[i - 1] - 0.5);
        }"""
    )
    places: list[float] = looked.page.evaluate("window.__places")
    assert 1.0 < max(places) - min(places) < 6.0
    looked.page.get_by_role("button", name="Stop the loop").click()
    looked.by("play").click()
    expect(looked.by("play")).to_have_attribute("aria-label", "Play")


def test_where_the_turns_lie_is_where_they_sound(looked: TalkPage) -> None:
    """The wall clock of a turn and the recording's own agree: the caller is heard before the turn's
    end, and the agent begins where its wait ends."""
    opened(looked)
    found = looked.page.evaluate(
        """async () => {
            const { readWav, envelopeOf, speechOf } = await import('/web/recording.js');
            const { momentOf } = await import('/web/logged_call.js');
            const id = document.querySelector('[data-testid=call]').dataset.callId;
            const call = await (await fetch(`/v1/calls/${id}`)).json();
            const bytes = await (await fetch(call.recording.url)).arrayBuffer();
            const envelope = envelopeOf(readWav(bytes));
            const caller = speechOf(envelope.caller), agent = speechOf(envelope.agent);
            return call.turns.map((turn) => {
                const { begins, said, answered } = momentOf(turn, call.recording);
                const spoke = caller.some(({ from, to }) => from < said && to > begins);
                const off = agent.map(({ from }) => Math.abs(from - answered));
                return [spoke, Math.min(...off)];
            });
        }"""
    )
    assert len(found) == len(QUESTIONS)
    for spoke, off_s in found:
        assert spoke
        assert off_s < 0.15


def test_a_turn_becomes_a_test(looked: TalkPage, tmp_path: Path) -> None:
    """It is kept over a reload, can be played, and what is saved `voicepipe bench` reads."""
    opened(looked)
    for number, answer in ((1, "fine"), (0, ""), (1, "thank you")):  # the last is the first, again
        row = looked.by("spoken-turn").nth(number)
        if row.get_by_test_id("case").count() == 0:
            row.get_by_test_id("turn-chip").click()
        if not row.get_by_test_id("case-answer").is_visible():
            row.get_by_test_id("case").locator("summary").click()
        row.get_by_test_id("case-answer").fill(answer)
        row.get_by_test_id("case-save").click()
        expect(row.get_by_test_id("case-said")).to_contain_text("in the question set")
    looked.page.reload()
    looked.by("cases").locator("summary").click()
    expect(looked.by("case-line")).to_have_text(
        [re.compile("how are you today.*“thank you”"), re.compile("what time is it.*any answer")]
    )
    assert faults(looked.page) == []
    options = looked.page.locator("#question option[data-case]")
    expect(options).to_have_text(["how are you today", "what time is it"])
    with looked.page.expect_download() as saved:
        looked.by("cases-save").click()
    assert saved.value.suggested_filename == "questions.zip"
    saved.value.save_as(tmp_path / "questions.zip")
    with zipfile.ZipFile(tmp_path / "questions.zip") as packed:
        assert packed.testzip() is None
        packed.extractall(tmp_path)
    lines = (tmp_path / "manifest.jsonl").read_text().splitlines()
    found = recordings.load(tmp_path)
    assert [one.answer for one in found] == ["thank you", ""]
    for line, recording in zip(map(json.loads, lines), found, strict=True):
        with wave.open(str(tmp_path / line["file"])) as sound:
            assert sound.getnchannels() == 1
            lasts_s = sound.getnframes() / sound.getframerate()
        assert 0 < line["speech_start_s"] < line["speech_end_s"] < lasts_s
        assert abs(recording.last_voiced * 0.02 - line["speech_end_s"]) < 0.05
    looked.by("case-remove").first.click()
    expect(looked.by("case-line")).to_have_count(1)
    looked.by("case-remove").first.click()
    expect(looked.by("cases")).to_be_hidden()
    expect(options).to_have_count(0)


def test_a_call_can_be_replayed_and_its_sound_saved(looked: TalkPage, tmp_path: Path) -> None:
    opened(looked)
    with looked.page.expect_download() as saved:
        looked.by("save-call").click()
    path = tmp_path / "call.jsonl"
    saved.value.save_as(path)
    recording = read_recording(path.read_text(), str(path))
    assert len(recording.turns) + sum(recording.left_out.values()) == len(QUESTIONS)
    with looked.page.expect_download() as saved:
        looked.by("save-sound").click()
    saved.value.save_as(tmp_path / "call.wav")
    with wave.open(str(tmp_path / "call.wav")) as sound:
        assert sound.getnchannels() == 2
        assert sound.getnframes() / sound.getframerate() > 5


def test_filters_stand_in_the_address_and_survive_a_reload(looked: TalkPage) -> None:
    looked.by("calls-text").fill("how are")
    expect(looked.page).to_have_url(re.compile("text=how"))
    expect(looked.by("call")).to_have_count(1)
    looked.by("calls-slow").select_option("3000")
    expect(looked.by("calls-empty")).to_contain_text("No call is like that")
    address = looked.page.url
    looked.page.reload()
    expect(looked.by("calls-empty")).to_contain_text("No call is like that")
    assert looked.page.url == address
    expect(looked.by("calls-text")).to_have_value("how are")
    looked.by("calls-reset").click()
    expect(looked.by("call")).to_have_count(1)


def test_keys_alone_are_enough(looked: TalkPage) -> None:
    page = looked.page
    page.goto(page.url.split("#")[0] + "#/calls")
    page.reload()
    expect(looked.by("call")).to_have_count(1)
    page.keyboard.press("n")
    expect(looked.by("play")).to_be_enabled()
    page.keyboard.press("k")
    expect(looked.by("spoken-turn").first.get_by_test_id("waterfall")).to_be_visible()
    page.keyboard.press("k")
    expect(looked.by("spoken-turn").nth(1).get_by_test_id("waterfall")).to_be_visible()
    page.keyboard.press("g")
    expect(looked.by("play")).to_have_attribute("aria-label", "Pause")
    page.keyboard.press("Space")
    expect(looked.by("play")).to_have_attribute("aria-label", "Play")
    page.keyboard.press("/")
    expect(looked.by("calls-text")).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible_and_fits(scheme: str, looked: TalkPage) -> None:
    page = looked.page
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    opened(looked)
    expect(looked.by("case")).to_have_count(0)  # a call's link opens none of its turns
    looked.by("turn-chip").first.click()
    expect(looked.by("transcript").get_by_test_id("waterfall")).to_be_visible()
    assert faults(page) == []
    for width in (320, 844, 3840):
        page.set_viewport_size({"width": width, "height": 900})
        assert sideways(page) == 0, width
    page.set_viewport_size({"width": 360, "height": 740})
    assert faults(page) == []
    looked.by("call-back").click()
    expect(looked.by("call").first).to_be_visible()
    assert sideways(page) == 0
    assert faults(page) == []
    page.set_viewport_size(DESKTOP)


def test_a_call_that_is_up_is_heard_read_and_ended(
    looked: TalkPage, browsers: Callable[..., Browser], keeping: str
) -> None:
    context = browsers(60.0).new_context(viewport=DESKTOP)
    open_ear(context)
    other = TalkPage(context.new_page(), keeping)
    other.talk("websocket")
    live = looked.by("live-call")
    expect(live).to_have_count(1)
    expect(looked.by("call")).to_have_count(1)  # the other one; this one is not listed twice
    live.get_by_test_id("listen").click()
    expect(looked.by("listening-said")).to_contain_text("You hear both")
    before = looked.ear.now()
    other.by("text-input").fill("how are you today")
    other.by("send-button").click()
    said = looked.by("listening-words")
    expect(said.get_by_test_id("caption-user")).to_have_text(re.compile("how are you today", re.I))
    expect(said.get_by_test_id("caption-agent")).not_to_be_empty()
    looked.ear.wait_for_sound(after=before)
    assert faults(looked.page) == []
    live.get_by_test_id("hang-up").click()
    expect(other.by("problem")).to_have_attribute("data-code", "ended")  # and it calls no more
    expect(looked.by("listening-said")).to_contain_text("The call has ended")
    expect(looked.by("live-call")).to_have_count(0)
    expect(looked.by("call")).to_have_count(2)
    other.page.goto("about:blank")
    context.close()


def test_a_deleted_call_is_gone(looked: TalkPage) -> None:
    opened(looked)
    address, before = looked.page.url, looked.by("call").count()
    looked.by("delete-call").click()
    question = looked.by("delete-question")
    expect(question).to_contain_text("cannot be brought back")
    looked.page.keyboard.press("Escape")
    expect(question).to_be_hidden()
    looked.by("delete-call").click()
    looked.by("delete-yes").click()
    expect(looked.by("call")).to_have_count(before - 1)
    assert answer_of(looked.page, address) == 404


def seconds(talk: TalkPage) -> float:
    return float(talk.page.locator(".seek").input_value())


def answer_of(page: Page, address: str) -> int:
    found = re.search(r"call=(call_\w+)", address)
    assert found is not None
    status: int = page.request.get(f"{page.url.split('#')[0]}v1/calls/{found[1]}").status
    return status
