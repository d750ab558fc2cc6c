"""One call from an emulated carrier: what is said, which keys are pressed, and what comes back."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx

from voicepipe.audio.pcm import Int16
from voicepipe.lab.carriers.call import EmulatedCall, ring
from voicepipe.lab.carriers.carriers import carrier
from voicepipe.lab.carriers.dialect import CallDetails
from voicepipe.lab.carriers.heard import Heard
from voicepipe.runtime.errors import ConfigError

PATHS = {"plain": "/v1/pcm"}
"""Where carriers stream to; the others to `/telephony/<name>`."""

FETCH_DEADLINE_S = 5.0

LONGEST_S = 60.0
"""A greeting or an answer that goes on for so long is spoken into."""

Step = Callable[[str], None]
"""Told what the call is about, for a person who waits."""


@dataclass(frozen=True, slots=True)
class PhoneCall:
    """What came of it. `spoken_at`: the end of the last recording, or key, by the call's clock in
    seconds. `answered`: each was."""

    heard: Heard
    spoken_at: float
    answered: bool
    problems: tuple[str, ...]  # rules of the carrier that the server broke


def stream_url(server: str, name: str, audiosocket_port: int | None = None) -> str:
    """The address that carrier `name` streams to at `server` (ws://host:port or http://host:port);
    an address with a path of its own is taken as it is. Raises ConfigError."""
    try:
        parts = urlsplit(server)
    except ValueError:
        raise ConfigError(f"{server}: write it as ws://host:port") from None
    if parts.scheme == "tcp":
        return server
    if parts.scheme not in ("ws", "wss", "http", "https") or parts.hostname is None:
        raise ConfigError(f"{server}: write it as ws://host:port")
    if name == "audiosocket":
        if audiosocket_port is None:
            raise ConfigError("audiosocket is plain TCP: write its --url as tcp://host:port")
        return f"tcp://{parts.hostname}:{audiosocket_port}"
    scheme = parts.scheme.replace("http", "ws")
    path = parts.path if parts.path.strip("/") not in ("", "v1") else ""
    return f"{scheme}://{parts.netloc}{path or PATHS.get(name, f'/telephony/{name}')}"


async def make_call(
    name: str,
    url: str,
    recordings: Sequence[Int16],
    *,
    keys: Sequence[str] = (),
    key: str | None = None,
    wait_s: float = 20.0,
    quiet_s: float = 1.5,
    on_step: Step = lambda step: None,
    details: CallDetails | None = None,
) -> PhoneCall:
    """Ring (`details`: who calls whom), let a greeting finish, speak `recordings` (int16 [n],
    16 kHz) and then press `keys`, after each of them listen until nothing was heard for `quiet_s`,
    hang up. What is not answered ends it. Raises CallRefused, ConfigError."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    on_step(f"ringing {url}")
    async with ring(carrier(name, details), url, headers=headers) as call:
        picked_up_at = call.clock.now()
        await _quiet(call, picked_up_at, quiet_s * 500, wait_s)
        answered, spoken_at = True, picked_up_at
        steps: list[Int16 | str] = [*recordings, *keys]
        for said in steps:
            spoken_at = await _say(call, said, on_step)
            on_step("listening")
            try:
                heard_at = await call.sound(spoken_at, wait_s)
            except TimeoutError:
                answered = False
                break
            await _quiet(call, heard_at, quiet_s * 1000, wait_s)
        return PhoneCall(call.heard, spoken_at, answered, tuple(call.problems))


async def _quiet(call: EmulatedCall, after: float, for_ms: float, wait_s: float) -> None:
    with suppress(TimeoutError):
        await call.silence(after, for_ms, wait_s + LONGEST_S)


async def _say(call: EmulatedCall, said: Int16 | str, on_step: Step) -> float:
    """Speak a recording, or press keys; when that was over."""
    if isinstance(said, str):
        on_step(f"pressing {said}")
        await call.press(said)
        return call.clock.now()
    on_step(f"speaking, {said.size / 16_000:.1f} s")
    return await call.say(said)


async def turns_of(
    server: str, key: str | None, *, limit: int = 100
) -> Sequence[Mapping[str, Any]]:
    """The server's latest turns, oldest first; none where it cannot be asked."""
    parts = urlsplit(server)
    if parts.scheme == "tcp":
        return ()
    address = f"{parts.scheme.replace('ws', 'http')}://{parts.netloc}/v1/turns"
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        async with httpx.AsyncClient(trust_env=False, timeout=FETCH_DEADLINE_S) as http:
            answer = await http.get(address, params={"limit": str(limit)}, headers=headers)
            answer.raise_for_status()
        return [json.loads(line) for line in answer.text.splitlines()]
    except (httpx.HTTPError, httpx.InvalidURL, ValueError):
        return ()
