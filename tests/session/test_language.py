"""The session's language: who says what it is, and what follows from it."""

from __future__ import annotations

import pytest

from tests.session.harness import SIMULATED, Conversation, conversation
from tests.virtual_time import LoopClock
from voicepipe.asr.contract import AsrOptions, Transcript
from voicepipe.asr.decoding import Decoded
from voicepipe.asr.engines.simulated import SimulatedRecognizer, SimulatedUtterance
from voicepipe.config import FillerSettings, GreetingSettings, Settings
from voicepipe.config.budget import BudgetSettings
from voicepipe.languages.known import LANGUAGES
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.language import SessionLanguage, given_language
from voicepipe.session.settings import SessionSettings, Transcription

pytestmark = pytest.mark.virtual_time
GERMAN = SessionSettings(transcription=Transcription(language="de"))


def heard_language(language: SessionLanguage, code: str, seconds: float = 3.0) -> None:
    language.spoken.heard(Decoded((), language=code, language_probability=0.9), seconds)


@pytest.mark.parametrize(
    ("client", "agent", "server", "given"),
    [
        ("fr", "de", "en", "fr"),
        (None, "de", "en", "de"),
        (None, None, "en", "en"),
        (None, None, None, None),
        (None, None, "", None),  # TOML has no null
    ],
)
async def test_the_client_is_asked_first_then_the_agent_then_the_server(
    client: str | None, agent: str | None, server: str | None, given: str | None
) -> None:
    config = Settings(asr={"language": server})
    settings = SessionSettings(language=agent, transcription=Transcription(language=client))
    assert given_language(settings, config) == given


async def test_what_is_heard_counts_where_nothing_is_given() -> None:
    language = SessionLanguage(None)
    assert language.table.code == ""
    assert language.prompts.greeting == "Hello, how can I help you?"
    heard_language(language, "de", seconds=0.5)
    assert language.code is None  # too short to be sure: turns are judged by no table
    assert language.reply_code == "de"  # ... but better answered in it than in English
    heard_language(language, "de")
    assert language.table is LANGUAGES["de"]
    assert language.prompts.silence == "Sind Sie noch da?"
    assert language.instructed("Be brief.") == (
        "Be brief.\nThe caller speaks German. Answer in German."
    )


async def test_words_are_counted_in_every_script() -> None:
    assert SessionLanguage("zh").word_count("我们明天去上海") == 4
    assert SessionLanguage(None).word_count("我们明天") == 2
    assert SessionLanguage("en").word_count("what time, is it") == 4
    assert SessionLanguage("en").word_count("") == 0


async def test_the_servers_own_language_needs_no_line_in_the_prompt() -> None:
    assert SessionLanguage("en", "en").instructed("Be brief.") == "Be brief."
    assert SessionLanguage("de", "de").instructed("Fass dich kurz.") == "Fass dich kurz."
    assert SessionLanguage(None, None).instructed("Be brief.") == "Be brief."
    assert SessionLanguage("fi", "en").instructed("") == (
        "The caller speaks language 'fi'. Answer in language 'fi'."
    )


async def ended_after_ms(talk: Conversation, text_ms: int = 600) -> int:
    """Silence from the end of speech until the turn was ended."""
    await talk.speak(text_ms)
    for waited in range(20, 2000, 20):
        await talk.quiet(20)
        if talk.of(ev.AudioCommitted):
            return waited
    raise AssertionError("the turn was not ended")


@pytest.mark.parametrize(
    ("settings", "text", "least", "most"),
    [
        (GERMAN, "ich möchte einen Termin für", 900, 1100),
        (GERMAN, "ich möchte einen Termin für morgen", 280, 420),
        (SessionSettings(language="hi"), "मुझे चार लोगों के लिए", 900, 1100),
        (SessionSettings(transcription=Transcription(language="fi")), "minä haluan", 580, 720),
    ],
)
async def test_the_wait_follows_the_language(
    settings: SessionSettings, text: str, least: int, most: int
) -> None:
    async with conversation(heard=[text], settings=settings) as talk:
        assert least <= await ended_after_ms(talk) <= most


async def test_a_client_that_names_another_language_is_followed() -> None:
    async with conversation(heard=["ich möchte einen Termin für"]) as talk:
        changed = SessionSettings(
            transcription=Transcription(language="de"),
            input_format=talk.session.settings.input_format,
            output_format=talk.session.settings.output_format,
        )
        talk.session.handle(cmd.UpdateSession(changed))
        assert await ended_after_ms(talk) >= 900


async def test_greeting_and_fillers_are_the_languages_own() -> None:
    config = Settings(
        asr={"language": "fr"},
        greeting=GreetingSettings(enabled=True),
        filler=FillerSettings(after_ms=50),
        budget=BudgetSettings(act=False),
    )
    async with conversation(config=config, answers=["Oui."]) as talk:
        talk.session.greet()
        await talk.quiet(6000)
        await talk.speak(400)
        await talk.quiet(3000)
        said = "".join(delta.delta for delta in talk.of(ev.TextDelta))
        assert said.startswith("Bonjour, comment puis-je vous aider ?")
        request = talk.engines.model.requests[-1]  # type: ignore[attr-defined]
        assert "Answer in" not in str(request.messages[0])  # the server's own language


class Polyglot(SimulatedRecognizer):
    """Its finals detect the languages that the script names, one after the other."""

    def __init__(self, heard: list[tuple[str, str]]) -> None:
        super().__init__(SIMULATED, [text for text, _ in heard], LoopClock())
        self._codes = [code for _, code in heard]

    def open(self, options: AsrOptions) -> SimulatedUtterance:
        utterance, code = super().open(options), self._codes.pop(0)
        final = utterance.final

        async def detected() -> Transcript:
            transcript = await final()
            if options.spoken is not None and options.language is None and transcript.text:
                found = Decoded((), language=code, language_probability=0.9)
                options.spoken.heard(found, 3.0)
            return transcript

        utterance.final = detected  # type: ignore[method-assign]
        return utterance


async def test_a_caller_who_is_heard_is_answered_in_their_language_and_may_change_it() -> None:
    spoken = [
        ("ich möchte einen Termin", "de"),
        ("um acht Uhr", "de"),
        ("sorry I speak English", "en"),  # once is an accident
        ("can you hear me now", "en"),
        ("what time is it", "en"),
    ]
    config = Settings(asr={"language": ""}, simulated=SIMULATED)
    async with conversation(config=config, answers=["Gut."]) as talk:
        talk.engines.recognizer = Polyglot(spoken)
        lines = []
        for _ in spoken:
            await talk.speak(600)
            await talk.quiet(4000)
            lines.append(str(talk.engines.model.requests[-1].messages[0]))  # type: ignore[attr-defined]
    answered_in = ["German" if "Answer in German" in line else "English" for line in lines]
    assert answered_in == ["German", "German", "German", "English", "English"]
