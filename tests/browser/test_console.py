"""The console beside the conversation: what a wait cost, why, and how to try something else."""

from __future__ import annotations

import filecmp
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import DESKTOP, Console
from tests.browser.ear import open_ear
from tests.browser.smoothness import FRAME_MS, busy_s, frames
from tests.browser.talk_page import TRANSPORTS, TalkPage, Transport
from tests.serving import serving

Browsers = Callable[..., Browser]
OpenTalk = Callable[..., TalkPage]

ROOT = Path(__file__).parents[2]
SHORT = "what time is it"


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_an_answer_carries_what_it_cost(
    transport: Transport, browsers: Browsers, open_talk: OpenTalk
) -> None:
    """Playout is part of it, by WebSocket too, where only the page can measure it."""
    talk = open_talk(browsers(SHORT))
    talk.talk(transport)
    chip = talk.by("latency-chip")
    expect(chip).to_have_text(re.compile(r"^\d+ ms heard$"))
    told = talk.ear.wait_for("voicepipe.turn")["turn"]
    if transport == "websocket":
        assert told["network_ms"] == {}
    shown_ms = int(chip.inner_text().split()[0])
    assert shown_ms >= round(told["voice_to_voice_ms"]) + 1  # no buffer is empty
    assert "network and playout" in (chip.get_attribute("title") or "")
    chip.click()
    expect(talk.by("panel-turns")).to_be_visible()
    expect(talk.by("waterfall")).to_have_attribute("data-turn-id", told["turn_id"])
    talk.hang_up()


def test_the_chip_comes_with_the_first_sound(browsers: Browsers, open_talk: OpenTalk) -> None:
    """By the page's own ear, if the server has told nothing yet; its record follows."""
    talk = open_talk(browsers("tell me a joke"))
    talk.talk("webrtc")
    chip = talk.by("latency-chip")
    expect(chip).to_be_visible()
    final = [e for e in talk.ear.events("voicepipe.turn") if not e["turn"].get("provisional")]
    assert not final  # the answer is still being heard
    guess_ms = float(chip.inner_text().strip("≈ ").split()[0])
    told = talk.ear.wait_for("response.done")  # the record comes behind it
    assert told
    expect(chip).to_have_text(re.compile(r"^\d+ ms heard$"))
    exact_ms = float(chip.inner_text().split()[0])
    assert guess_ms == pytest.approx(exact_ms, abs=max(350, exact_ms / 2))  # on a busy machine
    talk.hang_up()


def test_a_tool_call_is_shown_and_nothing_is_said_that_is_not_so(
    browsers: Browsers, open_talk: OpenTalk
) -> None:
    """Its row, its chip; "ready before the endpoint" only where the marks bear it out."""
    talk = open_talk(browsers(SHORT))
    talk.talk("webrtc")
    talk.open_panel("turns")
    told = talk.ear.wait_for("voicepipe.turn")["turn"]
    row = talk.by("waterfall").locator("[data-name=tool]")
    expect(row).to_contain_text("get_time")
    span = told["tools"][0]
    took_ms = (span["end_us"] - span["start_us"]) / 1000
    assert float(row.get_attribute("data-work-ms") or 0) == pytest.approx(took_ms, abs=0.01)
    expect(talk.by("caption-agent").last).to_contain_text("get_time()")
    ready = told["marks_ms"]["tts_first_audio"] <= told["marks_ms"]["endpoint"]
    note = talk.by("waterfall").locator("figcaption").inner_text()
    assert (" ms before the endpoint" in note and "ready" in note) == ready
    talk.hang_up()


@pytest.fixture(scope="module")
def slow_to_answer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that waits so long that the page's clock ticks even on a busy machine."""
    options = ("--set", "turns.endpointing=text", "--set", "turns.endpoint_complete_ms=1500")
    with serving(tmp_path_factory.mktemp("slow") / "serve.log", *options) as address:
        yield address


def test_the_wait_is_counted_while_it_lasts(
    browsers: Browsers, new_page: Callable[..., Page], slow_to_answer: str
) -> None:
    talk = TalkPage(new_page(browsers("how are you today", 2.0)), slow_to_answer)
    watched = """() => {
        window.__waits = [];
        const wait = document.getElementById("wait");
        new MutationObserver(() => wait.textContent && __waits.push(
            [parseFloat(wait.textContent), wait.dataset.sure]
        )).observe(wait, { childList: true, characterData: true, subtree: true });
    }"""
    talk.page.evaluate(watched)
    talk.talk("webrtc")
    talk.ear.wait_for("voicepipe.turn")
    seen = talk.page.evaluate("__waits")
    assert len(seen) >= 2
    assert max(seconds for seconds, _ in seen) > 1.0
    talk.hang_up()


@pytest.fixture(scope="module")
def waits_by_text(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server whose waits are numbers, so that a turn's can be foretold."""
    log = tmp_path_factory.mktemp("waits-by-text") / "serve.log"
    with serving(log, "--set", "turns.endpointing=text") as address:
        yield address


@pytest.fixture(scope="module")
def compared(browsers: Browsers, waits_by_text: str) -> Iterator[TalkPage]:
    """A page on which the same question was played twice under each of two settings."""
    context = browsers(60.0).new_context(viewport=DESKTOP)
    open_ear(context)
    page, console = context.new_page(), Console()
    console.watch(page)
    talk = TalkPage(page, waits_by_text)
    talk.choose("transport-select", "webrtc")
    talk.open_panel("try")
    talk.by("question-select").select_option(label="how are you today")
    talk.by("question-times").fill("2")
    talk.open_panel("turns")
    play(talk, answers=2, by="ask-first")  # offered where there is no turn yet
    expect(talk.by("panel-try")).to_be_visible()
    talk.by("slider-endpoint_complete_ms").fill("1500")
    expect(talk.by("slider-endpoint_complete_ms")).to_have_attribute("data-confirmed", "1500")
    play(talk, answers=4)
    yield talk
    page.goto("about:blank")
    context.close()
    assert not console.errors


def play(talk: TalkPage, answers: int, by: str = "question-play") -> None:
    talk.by(by).click()
    expect(talk.by("question-state")).to_have_text("Done.", timeout=60_000)
    talk.ear.wait_for("voicepipe.turn", count=answers)


def test_settings_are_compared_without_a_voice(compared: TalkPage) -> None:
    """Nobody has spoken: a recording has. What the table says is what the ledger tells."""
    runs = compared.by("runs").locator("tbody tr")
    expect(runs).to_have_count(2)
    expect(runs.nth(0)).to_have_attribute("data-n", "2")
    expect(runs.nth(1)).to_have_attribute("data-n", "2")
    expect(runs.nth(1)).to_contain_text("Complete 1500 ms")
    heard_ms = [
        turn["voice_to_voice_ms"] + sum(turn["network_ms"].values())
        for turn in (event["turn"] for event in compared.ear.events("voicepipe.turn"))
        if turn["critical_ms"]
    ]
    change_ms = min(heard_ms[2:]) - min(heard_ms[:2])  # of two the lower is the median
    change = runs.nth(1).locator("td").last.inner_text()
    assert float(change.split()[0]) == pytest.approx(change_ms, abs=1)
    compared.open_panel("turns")
    letters = [turn.get_attribute("data-letter") for turn in compared.by("turn").all()]
    assert letters == ["B", "B", "A", "A"]


def test_a_played_question_is_waited_for_like_a_spoken_one(compared: TalkPage) -> None:
    """Its silence takes as long as anybody's: it is sent too."""
    ends_ms = [
        event["turn"]["critical_ms"]["endpoint"]
        for event in compared.ear.events("voicepipe.turn")
        if event["turn"]["critical_ms"]
    ]
    assert min(ends_ms[:2]) > 100  # 300 are set, less what a busy machine delivers late
    assert min(ends_ms[2:]) > 1000  # 1500


def test_all_bars_share_an_axis(compared: TalkPage) -> None:
    """So the longer wait for the endpoint is the longer bar."""
    compared.open_panel("turns")
    ends = []
    for turn in compared.by("turn").all():
        part = turn.locator(".turn-line .stage-endpoint").bounding_box()
        assert part is not None
        ends.append(part["x"] + part["width"])
    assert min(ends[:2]) > max(ends[2:]) + 20


def test_the_page_says_why_and_what_to_try(compared: TalkPage) -> None:
    compared.open_panel("turns")
    expect(compared.by("why")).to_contain_text("Endpointing took")
    compared.by("try-lever").click()
    expect(compared.by("panel-try")).to_be_visible()
    value = compared.by("slider-endpoint_complete_ms")
    expect(value).not_to_have_attribute("data-confirmed", "1500")


def test_a_reload_loses_nothing(compared: TalkPage) -> None:
    compared.open_panel("try")
    compared.by("slider-endpoint_complete_ms").fill("500")
    expect(compared.page).to_have_url(re.compile("endpoint_complete_ms"))
    compared.page.wait_for_timeout(600)  # what is kept is written when it rests
    compared.page.reload()
    expect(compared.by("talk-button")).to_be_enabled()
    expect(compared.by("caption-user")).to_have_count(4)
    expect(compared.by("latency-chip")).to_have_count(4)
    compared.open_panel("turns")
    expect(compared.by("turn")).to_have_count(4)
    expect(compared.by("headline")).to_contain_text("ms heard")
    compared.open_panel("try")
    expect(compared.page.locator("#row-endpoint_complete_ms")).to_have_class(re.compile("differs"))
    expect(compared.by("panel-try")).to_be_visible()


def test_a_new_call_is_divided_from_the_last(compared: TalkPage) -> None:
    """After the reload above."""
    compared.talk("webrtc")
    expect(compared.by("captions").locator(".divider")).to_contain_text("remembers nothing")
    compared.hang_up()


def test_the_agent_can_be_told_something_else(browsers: Browsers, open_talk: OpenTalk) -> None:
    talk = open_talk(browsers(60.0))
    talk.open_panel("try")
    instructions, speed = talk.by("instructions"), talk.by("slider-speed")
    assert instructions.input_value()
    instructions.fill("You are a pirate.")
    expect(speed).to_have_value("0.75")  # as this server is set
    talk.by("apply-instructions").click()
    expect(talk.by("choice-model")).to_be_hidden()  # there is one only, and it says so
    expect(talk.page.locator("#only-model")).to_contain_text("is the only one here")
    talk.by("choice-voice").select_option("en-gb")
    expect(talk.by("voice-select")).to_have_value("en-gb")
    talk.talk("websocket")
    opening = talk.ear.wait_for("session.update", count=2)["session"]  # the second one tunes
    assert opening["instructions"] == "You are a pirate."
    assert opening["audio"]["output"] == {"voice": "en-gb"}
    instructions.fill("You are a parrot.")
    before = talk.ear.now()
    talk.by("apply-instructions").click()
    confirmed = talk.ear.wait_for("session.updated", after=before)
    assert confirmed["session"]["instructions"] == "You are a parrot."
    speed.fill("1.2")
    expect(speed).to_have_attribute("data-confirmed", "1.2")
    talk.by("copy-toml").click()
    for line in ('instructions = "You are a parrot."', "[tts]", 'voice = "en-gb"', "speed = 1.2"):
        expect(talk.by("taken")).to_contain_text(line)
    talk.open_panel("agent")
    expect(talk.by("panel-agent")).to_contain_text("You are a parrot.")
    expect(talk.by("panel-agent")).to_contain_text("get_time")
    expect(talk.by("agent-limits")).to_contain_text("knows nothing of the world")
    expect(talk.by("agent-limits")).to_contain_text("scripts/serve --profile cpu")
    talk.hang_up()
    talk.page.wait_for_timeout(600)  # what is kept is written when it rests
    talk.page.reload()
    talk.open_panel("try")
    expect(talk.by("instructions")).to_have_value("You are a parrot.")


WITH_MODELS = """
[llm]
engine = "simulated"

[llm.others.quick]
engine = "ctranslate2"
model = "builtin/llm"

[simulated.llm_first_token]
mean_ms = 2000
"""


@pytest.fixture(scope="module")
def with_models(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with a slow language model, and a quick one that a call may choose."""
    folder = tmp_path_factory.mktemp("with-models")
    (folder / "voicepipe.toml").write_text(WITH_MODELS)
    with serving(folder / "serve.log", "--config", str(folder / "voicepipe.toml")) as address:
        yield address


def test_a_developer_finds_the_slow_stage_and_tries_another_model(
    browsers: Browsers, new_page: Callable[..., Page], with_models: str
) -> None:
    """Nothing else is read: the page names the stage, offers the model, shows the gain with its n,
    and gives the setting away."""
    talk = TalkPage(new_page(browsers(60.0)), with_models)
    talk.unfold("drawer-toggle")
    talk.open_panel("try")
    talk.by("question-select").select_option(label="how are you today")
    talk.by("question-times").fill("2")
    play(talk, answers=2)
    talk.open_panel("turns")
    expect(talk.by("why")).to_contain_text("LLM first token took")
    expect(talk.by("why")).to_contain_text("beyond its budget")
    talk.by("try-lever").click()
    expect(talk.by("choice-model")).to_have_value("quick")
    expect(talk.by("choice-model")).to_have_attribute("data-confirmed", "quick")
    play(talk, answers=4)
    runs = talk.by("runs").locator("tbody tr")
    expect(runs.nth(1)).to_contain_text("Language model quick")
    expect(runs.nth(1)).to_have_attribute("data-n", "2")
    assert float(runs.nth(1).locator("td").last.inner_text().split()[0]) < -400
    talk.by("copy-toml").click()
    expect(talk.by("taken")).to_have_text('[llm]\nuse = "quick"\n')
    told = [event["turn"]["route"].get("model") for event in talk.ear.events("voicepipe.turn")]
    assert told[-1] == "quick"
    assert told[0] is None
    talk.hang_up()


def test_sound_can_be_turned_down(browsers: Browsers, open_talk: OpenTalk) -> None:
    talk = open_talk(browsers(60.0))
    talk.unfold("settings-toggle")
    talk.by("volume").fill("0")
    talk.by("mic-test").click()
    expect(talk.by("mic-test")).to_have_attribute("aria-pressed", "true")
    talk.talk("websocket")
    expect(talk.by("mic-test")).to_have_attribute("aria-pressed", "false")  # the call has it now
    talk.by("text-input").fill("how are you today")
    talk.by("text-input").press("Enter")
    talk.ear.wait_for("voicepipe.turn")
    assert talk.page.evaluate("Math.max(...__ear.chunks.map(([, rms]) => rms))") < 0.001
    talk.hang_up()


def test_a_voice_can_be_heard_before_a_call(browsers: Browsers, open_talk: OpenTalk) -> None:
    talk = open_talk(browsers(60.0))
    talk.unfold("settings-toggle")
    assert talk.by("voice-select").locator("optgroup").count() > 20  # by language
    talk.by("voice-select").select_option("de")
    talk.by("voice-sample").click()
    talk.ear.wait_for_sound(ms=500)
    expect(talk.by("voice-sample")).to_be_enabled()
    expect(talk.by("voice-sample")).to_have_text("Hear it")


def test_themes_can_be_chosen(browsers: Browsers, open_talk: OpenTalk) -> None:
    talk = open_talk(browsers(60.0), color_scheme="light")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = talk.page.evaluate(ground)
    talk.choose("theme-select", "dark")
    assert talk.page.evaluate(ground) != light
    talk.page.reload()
    assert talk.page.evaluate(ground) != light


def test_the_questions_are_those_of_the_tests() -> None:
    """Copies, so that the page's folder can be installed by itself."""
    for copy in (ROOT / "web" / "questions").glob("*.flac"):
        assert filecmp.cmp(copy, ROOT / "tests" / "data" / "questions" / copy.name, shallow=False)


def test_the_page_leaves_the_processor_alone(browsers: Browsers, open_talk: OpenTalk) -> None:
    """The scope draws at every frame of a call; its own work is a small part of one. Counted in
    processor time, which a busy machine does not lengthen; `tests/browser/smoothness.py` measures
    the frames themselves."""
    talk = open_talk(browsers(SHORT, 1.0))
    talk.open_panel("turns")
    talk.talk("webrtc")
    talk.ear.wait_for_sound()
    tools = talk.page.context.new_cdp_session(talk.page)
    tools.send("Performance.enable", {"timeDomain": "threadTicks"})
    before_s = busy_s(tools.send("Performance.getMetrics"))
    drawn = frames(talk.page, 3.0)
    worked_s = busy_s(tools.send("Performance.getMetrics")) - before_s
    assert worked_s > 0
    assert 1000 * worked_s / len(drawn) < FRAME_MS / 2
    talk.open_panel("figures")
    expect(talk.by("gaps")).to_have_text(re.compile(r"^\d+$"))
    talk.hang_up()
