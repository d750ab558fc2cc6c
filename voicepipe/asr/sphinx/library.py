"""The pocketsphinx library by its C interface (`pocketsphinx.h` 5.1), through ctypes.

Not through its Python module: that one holds the interpreter's lock while it decodes, so every
other session would wait; and it would bring `sounddevice`, which needs PortAudio."""

from __future__ import annotations

import ctypes
import importlib.util
from collections.abc import Mapping
from ctypes import POINTER, c_char_p, c_double, c_int, c_int16, c_long, c_size_t, c_void_p
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from voicepipe.runtime.errors import EngineUnavailable

_INSTALL = "pip install pocketsphinx"

_PROTOTYPES: Mapping[str, tuple[Any, list[Any]]] = {
    "ps_config_init": (c_void_p, [c_void_p]),
    "ps_config_free": (c_int, [c_void_p]),
    "ps_config_set_str": (c_void_p, [c_void_p, c_char_p, c_char_p]),
    "ps_config_set_int": (c_void_p, [c_void_p, c_char_p, c_long]),
    "ps_config_set_float": (c_void_p, [c_void_p, c_char_p, c_double]),
    "ps_init": (c_void_p, [c_void_p]),
    "ps_free": (c_int, [c_void_p]),
    "ps_start_stream": (c_int, [c_void_p]),
    "ps_start_utt": (c_int, [c_void_p]),
    "ps_process_raw": (c_int, [c_void_p, POINTER(c_int16), c_size_t, c_int, c_int]),
    "ps_end_utt": (c_int, [c_void_p]),
    "ps_get_hyp": (c_char_p, [c_void_p, c_void_p]),
    "ps_get_cmn": (c_char_p, [c_void_p, c_int]),
    "ps_set_cmn": (c_int, [c_void_p, c_char_p]),
    "ps_get_config": (c_void_p, [c_void_p]),
    "ps_get_fe": (c_void_p, [c_void_p]),
    "ps_seg_iter": (c_void_p, [c_void_p]),
    "ps_seg_next": (c_void_p, [c_void_p]),
    "ps_seg_word": (c_char_p, [c_void_p]),
    "ps_seg_frames": (None, [c_void_p, POINTER(c_int), POINTER(c_int)]),
    "ps_seg_prob": (c_int, [c_void_p, POINTER(c_int), POINTER(c_int), POINTER(c_int)]),
}


@dataclass(frozen=True, slots=True)
class Library:
    """The loaded C library, and where its English model lies."""

    calls: Any  # ctypes.CDLL with prototypes
    acoustic: Path  # a directory
    dictionary: Path
    language: Path  # its general language model


@cache
def load_library() -> Library:
    """Find and open the library of the installed package. Raises EngineUnavailable."""
    spec = importlib.util.find_spec("pocketsphinx")
    if spec is None or not spec.submodule_search_locations:
        raise EngineUnavailable(
            f"the pocketsphinx engine needs the package pocketsphinx: {_INSTALL}", stage="asr"
        )
    folder = Path(spec.submodule_search_locations[0])
    english = folder / "model" / "en-us"
    try:
        calls = ctypes.CDLL(str(next(folder.glob("_pocketsphinx*.so"))))
        for name, (result, arguments) in _PROTOTYPES.items():
            call = getattr(calls, name)
            call.restype, call.argtypes = result, arguments
    except (StopIteration, OSError, AttributeError) as error:
        raise EngineUnavailable(
            f"this build of pocketsphinx does not open ({error or 'no library in it'}): "
            f"{_INSTALL}==5.1.1",
            stage="asr",
        ) from None
    return Library(
        calls, english / "en-us", english / "cmudict-en-us.dict", english / "en-us.lm.bin"
    )
