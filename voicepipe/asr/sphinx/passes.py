"""Whether a decoder of pocketsphinx goes over an utterance once more when it ends.

The second pass ("flat": every word it found, at every time) costs as much as 0.03 s for a second of
sound, all of it after the last word, while somebody waits. The library takes one decision for all
utterances; here it is taken for each. One byte of a private structure is written for that; what
lies around it is checked first."""

from __future__ import annotations

from ctypes import c_uint8
from typing import Any

from voicepipe.asr.sphinx.private import field, unknown_build

_SEARCH, _MODEL = 7, 2  # pointers of `ps_decoder_t`
_SEARCH_CONFIG, _SEARCH_MODEL = 4, 5  # of `ps_search_t`
_PASSES = 128  # bytes into `ngram_search_t`: whether there is a first, a second, and a last pass


class SecondPass:
    """Of one decoder, which has all passes as it begins."""

    def __init__(self, calls: Any, decoder: int) -> None:
        """Raises EngineUnavailable for a build of pocketsphinx whose structures are others."""
        search = field(decoder, _SEARCH)
        known = (calls.ps_get_config(decoder), field(decoder, _MODEL))
        if not search or (field(search, _SEARCH_CONFIG), field(search, _SEARCH_MODEL)) != known:
            raise unknown_build()
        if bytes((c_uint8 * 3).from_address(search + _PASSES)) != b"\1\1\1":
            raise unknown_build()
        self._flag = c_uint8.from_address(search + _PASSES + 1)

    def want(self, wanted: bool) -> None:
        """Whether the utterance that ends next has one."""
        self._flag.value = wanted
