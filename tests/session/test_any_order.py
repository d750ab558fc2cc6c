"""Whatever the user and the client do, and in whatever order: the session comes to rest, answers
the next question, and its history holds what came out of the loudspeaker.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.session.harness import SIMULATED, Conversation, conversation
from tests.virtual_time import run_virtual
from voicepipe.config import LatencySettings, Settings
from voicepipe.conversation.heard import heard_text, spoken_evenly
from voicepipe.conversation.items import (
    AudioPart,
    FunctionCallItem,
    FunctionOutputItem,
    MessageItem,
    TextPart,
)
from voicepipe.dialog.options import PreemptiveGeneration, TurnOptions
from voicepipe.llm.contract import Tool
from voicepipe.llm.engines.simulated import Answer
from voicepipe.runtime.errors import EngineError, ProtocolError
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.backchannels import METADATA
from voicepipe.session.ids import new_id
from voicepipe.session.settings import Modality, SessionSettings, Transcription, TurnDetection
from voicepipe.tts.engines.simulated import CHARS_PER_S

ANSWER = "One two three four five. Six seven eight nine ten eleven twelve. Thirteen fourteen."
WHOLE, UNFINISHED = "what will the weather be like tomorrow", "what will the weather be like in the"
LOOK_UP = Tool("look_up", "Looks something up.", {"type": "object", "properties": {}})
PAUSED = 12_000  # longer than any answer here and all its delays


@dataclass(frozen=True)
class Scene:
    """Where the steps are played."""

    lead_ms: float | None
    preemption: PreemptiveGeneration
    interruptible: bool
    asr_ms: int
    llm_ms: int
    tts_ms: int
    raises_on_close: bool
    pauses: bool  # what is heard sounds unfinished, and the agent shows that it listens


scenes = st.builds(
    Scene,
    lead_ms=st.sampled_from([None, 20.0, 60.0, 200.0]),
    preemption=st.sampled_from(["off", "eager_end", "stable_text"]),
    interruptible=st.sampled_from([True, True, False]),
    asr_ms=st.sampled_from([20, 100, 900]),
    llm_ms=st.sampled_from([20, 100, 1500]),
    tts_ms=st.sampled_from([20, 60, 1200]),
    raises_on_close=st.sampled_from([False, False, True]),
    pauses=st.sampled_from([False, False, True]),
)

Step = tuple[str, int]
steps = st.lists(
    st.one_of(
        st.tuples(st.just("speak"), st.sampled_from([40, 80, 300, 600, 1200])),
        st.tuples(st.just("quiet"), st.sampled_from([20, 140, 280, 340, 500, 800, 1500, 3000])),
        st.tuples(
            st.sampled_from(
                [
                    *("respond", "aside", "cancel", "clear output", "clear audio", "commit"),
                    *("type", "truncate", "delete", "push to talk", "listen"),
                    *("instruct", "answer the call", "read", "hear", "cut in progress"),
                ]
            ),
            st.just(0),
        ),
    ),
    max_size=12,
)


async def do(talk: Conversation, step: Step) -> None:
    name, ms = step
    commands: dict[str, Callable[[], cmd.Command]] = {
        "respond": cmd.CreateResponse,
        "aside": lambda: cmd.CreateResponse(out_of_band=True, modality="text"),
        "cancel": cmd.CancelResponse,
        "clear output": cmd.ClearOutput,
        "clear audio": cmd.ClearAudio,
        "commit": cmd.CommitAudio,
        "truncate": lambda: truncate(talk),
        "delete": lambda: cmd.DeleteItem(talk.session.conversation.items[-1].id),
        "push to talk": lambda: detect(talk, None),
        "listen": lambda: detect(talk, TurnDetection()),
        "instruct": lambda: instruct(talk),
        "read": lambda: modality(talk, "text"),
        "hear": lambda: modality(talk, "audio"),
        "cut in progress": lambda: cmd.TruncateItem(in_progress(talk).id, 0, 20),
        "type": lambda: cmd.CreateItem(MessageItem(new_id("item"), "user", (TextPart("And?"),))),
    }
    if name == "speak":
        await talk.speak(ms)
    elif name == "quiet":
        await talk.quiet(ms)
    elif name == "answer the call":
        answer_the_call(talk)
    else:
        try:
            talk.session.handle(commands[name]())
        except (ProtocolError, IndexError):
            return  # nothing to cancel, to clear, to commit, to cut: the client is told


def instruct(talk: Conversation) -> cmd.Command:
    """New instructions, whatever is being prepared."""
    settings = talk.session.settings
    return cmd.UpdateSession(replace(settings, instructions=settings.instructions + " More."))


def modality(talk: Conversation, kind: Modality) -> cmd.Command:
    return cmd.UpdateSession(replace(talk.session.settings, modality=kind))


def answer_the_call(talk: Conversation) -> None:
    """The outputs of the client's calls that have none, and at once the next response."""
    items = talk.session.conversation.items
    answered = {i.call_id for i in items if isinstance(i, FunctionOutputItem)}
    calls = [i for i in items if isinstance(i, FunctionCallItem) and i.call_id not in answered]
    for call in calls:
        output = FunctionOutputItem(new_id("item"), call.call_id, "{}")
        talk.session.handle(cmd.CreateItem(output))
    if calls:
        with suppress(ProtocolError):  # the response that calls is not done
            talk.session.handle(cmd.CreateResponse())


def in_progress(talk: Conversation) -> MessageItem:
    """The answer that is being written."""
    items = [i for i in talk.session.conversation.items if isinstance(i, MessageItem)]
    return [i for i in items if i.status == "in_progress"][-1]


def truncate(talk: Conversation) -> cmd.Command:
    """The newest answer, to half of what it is."""
    item = written_by_agent(talk)[-1]
    (part,) = item.content
    half_ms = round(part.duration_ms / 2) if isinstance(part, AudioPart) else 10
    return cmd.TruncateItem(item.id, 0, half_ms)


def detect(talk: Conversation, detection: TurnDetection | None) -> cmd.Command:
    return cmd.UpdateSession(replace(talk.session.settings, turn_detection=detection))


def written_by_agent(talk: Conversation) -> list[MessageItem]:
    """Without messages that are still being written."""
    return [item for item in talk.said_by_agent() if item.content]


def words_in(text: str) -> int:
    return len(text.split())


def raising(stream: Any) -> Any:
    """A model that fails while it is being closed, and only then."""

    async def closed_badly(request: Any) -> AsyncIterator[Any]:
        whole = False
        try:
            async for delta in stream(request):
                yield delta
            whole = True
        finally:
            if not whole:
                raise EngineError("closing failed", stage="llm")

    return closed_badly


async def play(scene: Scene, script: list[Step]) -> None:
    simulated = SIMULATED.model_copy(
        update={
            "asr": LatencySettings(mean_ms=scene.asr_ms),
            "llm_first_token": LatencySettings(mean_ms=scene.llm_ms),
            "tts": LatencySettings(mean_ms=scene.tts_ms),
        }
    )
    wanted = SessionSettings(
        transcription=Transcription(),
        turn_detection=TurnDetection(interrupt_response=scene.interruptible),
        tools=(LOOK_UP,),
    )
    turns = TurnOptions(
        preemptive_generation=scene.preemption, listening_after_ms=300 if scene.pauses else 0
    )
    config = Settings(simulated=simulated, turns=turns)
    async with conversation(
        heard=(UNFINISHED if scene.pauses else WHOLE,),
        answers=(ANSWER, Answer(ANSWER, ("look_up", "{}")), ANSWER),
        settings=wanted,
        simulated=simulated,
        config=config,
        lead_ms=scene.lead_ms,
    ) as talk:
        if scene.raises_on_close:
            talk.engines.model.stream = raising(talk.engines.model.stream)  # type: ignore[method-assign]
        for step in script:
            await do(talk, step)
        await do(talk, ("listen", 0))
        await do(talk, ("hear", 0))
        await talk.quiet(PAUSED)
        comes_to_rest(talk)
        before = len(answers(talk))
        await talk.speak(600)
        await talk.quiet(PAUSED)
        comes_to_rest(talk)
        assert len(answers(talk)) == before + 1, "the next question is answered"
        assert talk.of(ev.ResponseDone)[-1].response.status == "completed"
        wire_is_in_order(talk)
        meddled = any(name in ("truncate", "delete", "cut in progress") for name, _ in script)
        history_is_as_heard(talk, meddled=meddled)


def answers(talk: Conversation) -> list[ev.Response]:
    """Responses that have begun, but for what the agent says to show that it listens."""
    return [e.response for e in talk.of(ev.ResponseCreated) if e.response.metadata != METADATA]


def comes_to_rest(talk: Conversation) -> None:
    assert talk.session.at_rest
    explained = talk.session.explain()
    assert (explained["user"], explained["agent"]) == ("silent", "idle")
    assert not explained["replies"]
    assert talk.session.task_count == 0


def wire_is_in_order(talk: Conversation) -> None:
    created = [e.response.id for e in talk.of(ev.ResponseCreated)]
    done = [e.response.id for e in talk.of(ev.ResponseDone)]
    assert sorted(created) == sorted(done)
    playing: str | None = None
    for event in talk.events:
        if isinstance(event, ev.OutputAudioStarted):
            assert playing is None, "two replies at once"
            playing = event.response_id
        elif isinstance(event, ev.OutputAudioStopped | ev.OutputAudioCleared):
            playing = None if playing == event.response_id else playing
    turns = [record.turn_id for record in talk.log.recent()]
    assert len(turns) == len(set(turns)), "a turn has one line in the ledger"


def history_is_as_heard(talk: Conversation, *, meddled: bool) -> None:
    """`meddled`: the client has cut or deleted some of it. Without a sink too: what a client that
    plays by itself has heard is what had time to be played."""
    heard_ms = 0.0
    for item in written_by_agent(talk):
        (part,) = item.content
        if not isinstance(part, AudioPart):
            continue  # it was read
        heard_ms += part.duration_ms
        assert ANSWER.startswith(item.text)
        whole_ms = len(ANSWER) / CHARS_PER_S * 1000
        expected = heard_text(ANSWER, spoken_evenly(ANSWER, whole_ms), part.duration_ms)
        assert abs(words_in(item.text) - words_in(expected)) <= 1
    if talk.phone.heard_ms and not meddled:
        done = [e.response for e in talk.of(ev.ResponseDone)]
        beside_ms = sum(one.output_audio_ms for one in done if one.metadata == METADATA)
        assert heard_ms - 5 <= talk.phone.heard_ms <= heard_ms + beside_ms + 5


@given(scene=scenes, script=steps)
@settings(max_examples=30, deadline=None)
def test_any_order(scene: Scene, script: list[Step]) -> None:
    run_virtual(play(scene, script))
