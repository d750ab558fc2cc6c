"""Through how many files of voicepipe a turn goes: counted on a real server, by what is called.

    python -m scripts.turn_path

Two ways are counted on a WebSocket session with simulated engines: an audio frame from the socket
to the dialog's decision, and a turn from its final transcript to the first audio on the socket.
Prints each file in the order in which it is first entered, and how often the way moves between
files.
"""

from __future__ import annotations

import asyncio
import base64
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from websockets.asyncio.client import ClientConnection, connect

import voicepipe
from voicepipe.config.loading import load_settings
from voicepipe.server.app import create_app
from voicepipe.server.run import uvicorn_server
from voicepipe.server.service import Service

PACKAGE = str(Path(voicepipe.__file__).parent) + "/"
RATE, FRAME = 24_000, 480
LOUD = (8000 * np.sin(np.arange(FRAME) * 0.1)).astype("<i2").tobytes()
SILENT = bytes(2 * FRAME)


@dataclass
class Way:
    """From one call to another. `begin`, `end`: a file's name and a function's, with its class."""

    name: str
    begin: tuple[str, str]
    end: tuple[str, str]
    beside: bool = False  # frames come in meanwhile: what the socket's reader does is left out
    files: list[str] = field(default_factory=list)
    moves: int = 0
    calls: int = 0
    state: str = "waits"
    last: str = ""

    def called(self, file: str, function: str) -> None:
        """A function of voicepipe's was entered."""
        if self.state == "waits" and (file, function) == self.begin:
            self.state, self.files, self.moves, self.calls, self.last = "goes", [], 0, 0, ""
        if self.state != "goes":
            return
        self.calls += 1
        self.moves += file != self.last
        self.last = file
        if file not in self.files:
            self.files.append(file)
        if (file, function) == self.end:
            self.state = "done"


async def talk(socket: ClientConnection, ways: list[Way]) -> None:
    """One spoken turn; frames are counted in its midst."""
    for number in range(150):
        loud = 20 <= number < 60
        audio = base64.b64encode(LOUD if loud else SILENT).decode()
        await socket.send(json.dumps({"type": "input_audio_buffer.append", "audio": audio}))
        if number == 40:
            ways[0].state = "waits"  # a frame in the midst of speech, when all is warm
        await asyncio.sleep(FRAME / RATE)
        if all(way.state == "done" for way in ways):
            return


async def read(socket: ClientConnection) -> None:
    async for _ in socket:
        pass


async def count(ways: list[Way]) -> None:
    """Run a server and a client in this process; only what the server does is counted."""
    settings = load_settings("simulated", overrides={"server.port": 0})
    app = create_app(Service(settings))
    server = uvicorn_server(app, settings)
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
        await asyncio.sleep(0.05)
    port = server.servers[0].sockets[0].getsockname()[1]

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or not frame.f_code.co_filename.startswith(PACKAGE):
            return
        file = frame.f_code.co_filename.removeprefix(PACKAGE)
        task = asyncio.current_task()
        reading = task is None or task.get_name() == "realtime-reader"
        for way in ways:
            if not (way.beside and reading):
                way.called(file, frame.f_code.co_qualname)

    ways[0].state = "off"
    async with connect(f"ws://127.0.0.1:{port}/v1/realtime?model=x") as socket:
        reading = asyncio.create_task(read(socket))
        sys.setprofile(note)
        await talk(socket, ways)
        sys.setprofile(None)
        reading.cancel()
    server.should_exit = True
    await serving


def main() -> None:
    """Count and print."""
    ways = [
        Way(
            "an audio frame, from the socket to the dialog",
            ("server/websocket_reading.py", "ReadingProtocol.data_received"),
            ("dialog/core.py", "Dialog.frame"),
        ),
        Way(
            "a turn, from its final transcript to the first audio",
            ("session/turn.py", "Turn._decode"),
            ("protocols/openai_realtime/server_events.py", "AudioDeltas.render"),
            beside=True,
        ),
    ]
    asyncio.run(count(ways))
    for way in ways:
        print(f"{way.name}: {len(way.files)} files, {way.calls} calls, {way.moves} moves")
        print("  " + " > ".join(way.files) + ("" if way.state == "done" else f"  ({way.state})"))


if __name__ == "__main__":
    main()
