"""The whole house on real engines: a spoken question in, a spoken answer out."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from openai import AsyncOpenAI

from tests.e2e.speaking import RATE, Speaker, at_24k, recording_of
from tests.forked import voicepipe
from voicepipe.audio import files

TRANSCRIBED: Any = {
    "type": "realtime",
    "audio": {"input": {"transcription": {"model": "builtin"}}},
    "voicepipe": {"turn_events": True},
}


@asynccontextmanager
async def spoken_session(address: str) -> AsyncIterator[tuple[Any, Speaker]]:
    openai = AsyncOpenAI(
        api_key="unused",
        base_url=f"http://{address}/v1",
        websocket_base_url=f"ws://{address}/v1",
    )
    async with openai, openai.realtime.connect(model="builtin") as connection:
        await connection.session.update(session=TRANSCRIBED)
        speaker = Speaker(connection)
        try:
            yield connection, speaker
        finally:
            await speaker.aclose()


async def turn_events(connection: Any, limit_s: float = 40) -> dict[str, Any]:
    """Read one whole turn: what was heard, said, the audio and its ledger."""
    heard: dict[str, Any] = {"audio": b"", "said": "", "question": None}
    async with asyncio.timeout(limit_s):
        async for event in connection:
            match event.type:
                case "conversation.item.input_audio_transcription.completed":
                    heard["question"] = event.transcript
                case "response.output_audio_transcript.delta":
                    heard["said"] += event.delta
                case "response.output_audio.delta":
                    heard["audio"] += base64.b64decode(event.delta)
                case "response.done":
                    heard["status"] = event.response.status
                case "voicepipe.turn":
                    return {**heard, "turn": event.model_dump()["turn"]}
    raise AssertionError("the connection ended in mid-turn")


def test_health_and_readiness(builtin_server: str) -> None:
    ready = httpx.get(f"http://{builtin_server}/readyz").json()
    assert ready["profile"] == "builtin"
    engines = {kind: row["engine"] for kind, row in ready["engines"].items()}
    assert engines == {"asr": "faster_whisper+pocketsphinx", "llm": "ctranslate2", "tts": "espeak"}


async def test_official_sdk_holds_a_spoken_conversation(builtin_server: str) -> None:
    async with spoken_session(builtin_server) as (connection, speaker):
        speaker.say(recording_of("what time is it"))
        first = await turn_events(connection)
        assert first["question"] == "what time is it"
        assert first["status"] == "completed"
        assert re.search(r"\b(o'clock|past|to|noon|midnight|[a-z]+ [a-z-]+)\b", first["said"])
        samples = np.frombuffer(first["audio"], dtype="<i2").astype(np.int32)
        assert samples.size > RATE // 2  # "It's noon." is short
        assert np.abs(samples).max() > 3000
        turn = first["turn"]
        assert abs(sum(turn["critical_ms"].values()) - turn["voice_to_voice_ms"]) < 0.01

        speaker.say(recording_of("set a timer for five minutes"))
        second = await turn_events(connection)
        assert second["question"] == "set a timer for five minutes"
        assert "timer" in second["said"].lower()
        assert "five" in second["said"].lower()


async def test_killed_voice_costs_at_most_one_turn(builtin_server: str) -> None:
    async with spoken_session(builtin_server) as (connection, speaker):
        for worker in _workers_of(builtin_server):
            os.kill(worker, signal.SIGKILL)
        speaker.say(recording_of("how are you today"))
        await turn_events(connection)  # retried or failed, but it ends
        speaker.say(recording_of("how are you today"))
        again = await turn_events(connection)
        assert again["status"] == "completed"
        assert again["audio"]


def _workers_of(address: str) -> list[int]:
    """Worker processes of the server that listens on `address`."""
    port = address.rsplit(":", 1)[1]
    found = subprocess.run(
        ["pgrep", "-f", f"voicepipe serve --port {port}"],
        capture_output=True,
        text=True,
        check=True,
    )
    (server,) = found.stdout.split()
    children = subprocess.run(["pgrep", "-P", server], capture_output=True, text=True, check=True)
    return [int(pid) for pid in children.stdout.split()]


def test_talk_answers_a_recording_aloud_and_its_waterfall_adds_up(tmp_path: Path) -> None:
    out = tmp_path / "answer.wav"
    question = str(recording_of("turn on the lights in the kitchen"))
    done = voicepipe("talk", question, "-o", str(out), "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["questions"] == ["turn on the lights in the kitchen"]
    (answer,) = result["answers"]
    assert "kitchen" in answer.lower()
    (turn,) = result["turns"]
    assert abs(sum(turn["critical_ms"].values()) - turn["voice_to_voice_ms"]) < 0.01
    spoken = files.read(out).astype(np.int32)
    assert spoken.size > 16_000
    assert np.abs(spoken).max() > 3000


def test_talk_shows_the_picture(tmp_path: Path) -> None:
    question = str(recording_of("tell me a joke"))
    svg = tmp_path / "turn.svg"
    talk = [sys.executable, "-m", "voicepipe", "talk", question, "--fast", "--svg", str(svg)]
    done = subprocess.run(talk, check=False, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, "real engines, a really started process, and a clean end"
    for word in ("tell me a joke", "endpoint", "critical", "voice to voice", "budget"):
        assert word in done.stdout, done.stdout
    assert svg.read_text().startswith("<svg")


def test_talk_names_a_file_that_is_not_there(tmp_path: Path) -> None:
    done = voicepipe("talk", "no-such.wav", cwd=tmp_path)
    assert done.returncode == 2
    assert "no-such.wav" in done.stderr
    assert "Traceback" not in done.stderr


def test_readme_example_talks_through_the_sdk(builtin_server: str, tmp_path: Path) -> None:
    question = tmp_path / "question.wav"
    files.write_wav(question, at_24k(recording_of("what time is it")), RATE)
    example = Path(__file__).parent.parent.parent / "examples" / "speak.py"
    speak = [sys.executable, str(example), str(question), "--server", builtin_server, "--quiet"]
    done = subprocess.run(speak, check=False, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
    assert "you    what time is it" in done.stdout
    assert re.search(r"agent  \w+", done.stdout)
