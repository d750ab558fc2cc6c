"""Talk to a running voicepipe server with the official OpenAI SDK.

    pip install 'openai[realtime]'
    python examples/speak.py                      # your microphone and loudspeaker (ALSA)
    python examples/speak.py question.wav         # a 24 kHz mono 16-bit WAV instead of a microphone

Needs `arecord` and `aplay` (Debian: alsa-utils) unless a WAV is given and --quiet.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import wave
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from openai import AsyncOpenAI

RATE = 24_000
CHUNK = RATE // 50 * 2  # 20 ms of 16-bit samples, in bytes
RAW = ("-q", "-t", "raw", "-f", "S16_LE", "-c", "1", "-r", str(RATE))


async def microphone() -> AsyncIterator[bytes]:
    """What arecord hears, 20 ms at a time."""
    recorder = await asyncio.create_subprocess_exec("arecord", *RAW, stdout=PIPE, stderr=DEVNULL)
    assert recorder.stdout is not None
    while True:
        yield await recorder.stdout.readexactly(CHUNK)


async def recording(path: Path) -> AsyncIterator[bytes]:
    """A WAV file at its own pace, then silence."""
    with wave.open(str(path)) as source:
        if (source.getframerate(), source.getnchannels(), source.getsampwidth()) != (RATE, 1, 2):
            raise SystemExit(f"{path}: wanted {RATE} Hz, mono, 16 bit")
        data = source.readframes(source.getnframes())
    loop = asyncio.get_running_loop()
    began, number = loop.time(), 0
    while True:
        yield data[number * CHUNK : (number + 1) * CHUNK].ljust(CHUNK, b"\0")
        number += 1
        await asyncio.sleep(max(0.0, began + number * CHUNK / 2 / RATE - loop.time()))


async def listen(connection: Any, player: Process | None, once: bool) -> None:
    """Print both sides and play the answers."""
    async for event in connection:
        if event.type == "conversation.item.input_audio_transcription.completed":
            print(f"you    {event.transcript}")
        elif event.type == "response.output_audio_transcript.done":
            print(f"agent  {event.transcript}")
        elif event.type == "response.output_audio.delta" and player and player.stdin:
            player.stdin.write(base64.b64decode(event.delta))
        elif event.type == "error":
            print(f"error  {event.error.message}")
        elif event.type == "response.done" and once:
            return


async def main() -> None:
    parser = argparse.ArgumentParser(description="Talk to a voicepipe server.")
    parser.add_argument("wav", nargs="?", type=Path, help="a question, instead of the microphone")
    parser.add_argument("--server", default="127.0.0.1:8080")
    parser.add_argument("--key", default="unused")
    parser.add_argument("--quiet", action="store_true", help="print the answer, do not play it")
    args = parser.parse_args()
    player = None
    if not args.quiet:
        player = await asyncio.create_subprocess_exec("aplay", *RAW, stdin=PIPE, stderr=DEVNULL)
    openai = AsyncOpenAI(
        api_key=args.key,
        base_url=f"http://{args.server}/v1",
        websocket_base_url=f"ws://{args.server}/v1",
    )
    async with openai, openai.realtime.connect(model="voicepipe") as connection:
        session: Any = {
            "type": "realtime",
            "audio": {"input": {"transcription": {"model": "default"}}},
        }
        await connection.session.update(session=session)
        listener = asyncio.create_task(listen(connection, player, once=args.wav is not None))
        source = recording(args.wav) if args.wav else microphone()
        async for chunk in source:
            if listener.done():
                break
            await connection.input_audio_buffer.append(audio=base64.b64encode(chunk).decode())
        await listener
    if player and player.stdin:
        player.stdin.close()
        await player.wait()


if __name__ == "__main__":
    asyncio.run(main())
