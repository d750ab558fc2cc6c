"""Reading the library's private structures, where its interface leaves no other way."""

from __future__ import annotations

from ctypes import c_void_p

from voicepipe.runtime.errors import EngineUnavailable


def field(structure: int, n: int) -> int:
    """The n-th pointer of a structure."""
    return c_void_p.from_address(structure + 8 * n).value or 0


def unknown_build() -> EngineUnavailable:
    """Its structures are not those that we know."""
    return EngineUnavailable(
        "this build of pocketsphinx is not known to voicepipe: pip install pocketsphinx==5.1.1",
        stage="asr",
    )
