"""The pictures that scripts/screenshots makes can be made; they stay in artifacts/browser."""

from __future__ import annotations

import struct
from pathlib import Path

from playwright.sync_api import Playwright

from tests.browser.chromium import launch, microphone
from tests.browser.conftest import ARTIFACTS
from tests.browser.pictures import DESKTOP, PHONE, SHARPNESS, take_pictures, write_caller


def size(png: Path) -> tuple[int, int]:
    """Width and height in px, from the header."""
    data = png.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    return width, height


def test_pictures_of_a_conversation(playwright: Playwright, server: str, tmp_path: Path) -> None:
    ARTIFACTS.mkdir(parents=True, exist_ok=True)
    with launch(playwright, *microphone(write_caller(tmp_path))) as browser:
        pictures = {path.stem: path for path in take_pictures(browser, server, ARTIFACTS)}
    desktop = (DESKTOP["width"] * SHARPNESS, DESKTOP["height"] * SHARPNESS)
    phone = (PHONE["width"] * SHARPNESS, PHONE["height"] * SHARPNESS)
    for name, path in pictures.items():
        assert size(path) == (phone if "phone" in name else desktop), name
        assert path.stat().st_size > 50_000  # an empty page has 20,000
    assert len(pictures) == 5
