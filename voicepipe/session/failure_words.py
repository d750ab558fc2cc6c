"""What a client is told of an engine that failed. Where engines are is the operator's own affair:
an error that names a server or a file stands in the log alone."""

from __future__ import annotations

import re

from voicepipe.runtime.errors import EngineError

_PLACE = re.compile(
    r"""
      [a-z][a-z0-9+.-]*://                      # a URL
    | \b(?:server|answers|host)\ at\ \S         # a server, whatever its name
    | \blocalhost\b
    | \b[a-z][\w.-]*:\d{2,5}\b                  # a host and its port
    | \b\d{1,3}(?:\.\d{1,3}){3}\b               # IPv4
    | \[[0-9a-f]*:[0-9a-f:.]+\]                 # IPv6
    | (?<![\w/<])(?:~|\.{1,2})?/[\w.~-]         # a path
    | \b[a-z]:\\                                # one of Windows'
    """,
    re.VERBOSE | re.IGNORECASE,
)
_WHO = {"asr": "the recognizer", "llm": "the language model", "tts": "the synthesizer"}


def for_clients(error: EngineError) -> str:
    """Its own words, unless they name a place."""
    text = str(error)
    if _PLACE.search(text) is None:
        return text
    return f"{_WHO.get(error.stage, 'an engine')} failed; the server's log says why"
