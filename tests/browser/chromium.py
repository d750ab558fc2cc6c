"""Debian's chromium with a microphone that plays a WAV file, or with trouble."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from playwright.sync_api import Browser, Playwright

QUIET = (
    "--no-sandbox",  # it refuses to run as root otherwise
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--allow-loopback-in-peer-connection",  # for machines that have no other network
)


def executable() -> str:
    """The browser's path: $CHROMIUM, or Debian's. Raises RuntimeError if there is none."""
    name = os.environ.get("CHROMIUM", "chromium")
    path = shutil.which(name)
    if path is None:
        raise RuntimeError(
            f"{name} is not installed. As root: apt-get install --no-install-recommends chromium"
        )
    return path


def launch(playwright: Playwright, *flags: str) -> Browser:
    """A headless browser; without flags for one, it has no microphone."""
    no_sound_card = {"ALSA_CONFIG_PATH": os.devnull, "PULSE_SERVER": "none"}
    return playwright.chromium.launch(
        executable_path=executable(),
        headless=True,
        args=[*QUIET, *flags],
        env={**os.environ, **no_sound_card},
        ignore_default_args=["--mute-audio"],  # what is played shall be rendered
    )


REFUSED = ("--use-fake-device-for-media-stream",)
"""There is a microphone, and the user does not allow it."""

ALLOWED = ("--use-fake-ui-for-media-stream",)
"""The user allows the microphone, if there is one."""


def microphone(wav: Path) -> tuple[str, ...]:
    """A microphone that plays `wav` once, from its start at each getUserMedia, and is allowed."""
    file = f"--use-file-for-fake-audio-capture={wav.absolute()}%noloop"
    return (*REFUSED, *ALLOWED, file)
