"""espeak-ng through ctypes. Runs in a worker process only: the library is GPL-3, keeps global
state and may crash. Functions and constants: espeak-ng's `speak_lib.h`, version 1.52.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from voicepipe.workers.engine import BadRequest, Cancelled, Emit, Unavailable

_AUDIO_OUTPUT_SYNCHRONOUS = 2
_INITIALIZE_DONT_EXIT = 0x8000  # return an error instead of ending the process
_POS_CHARACTER = 1
_CHARS_UTF8 = 1
_IPA = 2  # phonemes in the letters of the International Phonetic Alphabet
_EVENT_LIST_TERMINATED = 0
_EVENT_WORD = 1
_PARAMETER_RATE = 1
_WORDS_PER_MINUTE = 165  # espeak's own 175 is brisk for a phone
_SLOWEST, _FASTEST = 80, 450  # words per minute espeak can do by itself
_STOP, _GO_ON = 1, 0
_LATER_PIECE_BYTES = 22_050 * 2 // 4  # 250 ms: the first piece goes at once, the rest in fewer
_WITH_TIMBRES = ("en-us", "en-gb")  # whose combinations with every timbre are listed


class _EventId(ctypes.Union):
    _fields_ = (
        ("number", ctypes.c_int),
        ("name", ctypes.c_char_p),
        ("string", ctypes.c_char * 8),
    )


class _Event(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_int),
        ("unique_identifier", ctypes.c_uint),
        ("text_position", ctypes.c_int),  # characters, from 1
        ("length", ctypes.c_int),
        ("audio_position", ctypes.c_int),  # ms
        ("sample", ctypes.c_int),  # exact, from the request's first sample
        ("user_data", ctypes.c_void_p),
        ("id", _EventId),
    )


class _VoiceEntry(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("languages", ctypes.c_char_p),  # a priority byte, then the language code
        ("identifier", ctypes.c_char_p),  # the voice's file
        ("gender", ctypes.c_ubyte),
    )


_SynthCallback = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(_Event)
)


class _Request:
    """What the callback needs, and what it has gathered and not yet sent."""

    def __init__(self, emit: Emit, cancelled: Cancelled) -> None:
        self.cancelled = cancelled
        self.pcm = bytearray()
        self.words: list[tuple[int, int]] = []
        self.sent = False
        self._emit = emit

    def send(self) -> None:
        if self.pcm and not self.cancelled():
            self._emit({"words": self.words}, bytes(self.pcm))
            self.pcm.clear()
            self.words = []
            self.sent = True


class EspeakEngine:
    """One espeak-ng per process. Streams: 60 ms at once, then 250 ms at a time."""

    def __init__(self, default_voice: str) -> None:
        self._library, data = _load()
        self._sample_rate = self._library.espeak_Initialize(
            _AUDIO_OUTPUT_SYNCHRONOUS, 0, data.encode(), _INITIALIZE_DONT_EXIT
        )
        if self._sample_rate <= 0:
            raise Unavailable(f"espeak-ng does not start with its data in {data}")
        self._library.espeak_TextToPhonemes.restype = ctypes.c_char_p
        self._files = self._voice_files()
        self._timbres = sorted(p.name for p in Path(data, "voices", "!v").iterdir())
        self._default_voice = default_voice
        self._request = _Request(lambda *_: None, lambda: False)
        # Kept: the library calls it as long as it lives.
        self._callback = _SynthCallback(self._on_audio)
        self._library.espeak_SetSynthCallback(self._callback)
        try:
            self._set_voice(default_voice)
        except BadRequest as error:
            raise Unavailable(f"tts.voice: {error}") from None
        self.info: Mapping[str, Any] = {
            "sample_rate": self._sample_rate,
            "voices": self._voice_names(),
        }
        self.handle({"text": "Ready.", "voice": "", "speed": 1.0}, lambda *_: None, lambda: False)

    def handle(self, request: Mapping[str, Any], emit: Emit, cancelled: Cancelled) -> None:
        """Speak `request["text"]`; or, of each of `request["phonemes"]`, say only how it would be
        said. Raises BadRequest for an unknown voice."""
        self._set_voice(request["voice"] or self._default_voice)
        if "phonemes" in request:
            emit({"phonemes": [self._phonemes(text) for text in request["phonemes"]]}, b"")
            return
        rate = round(_WORDS_PER_MINUTE * request["speed"])
        self._library.espeak_SetParameter(_PARAMETER_RATE, min(_FASTEST, max(_SLOWEST, rate)), 0)
        self._request = _Request(emit, cancelled)
        text = request["text"].encode() + b"\0"
        status = self._library.espeak_Synth(
            text, len(text), 0, _POS_CHARACTER, 0, _CHARS_UTF8, None, None
        )
        if status != 0:
            raise RuntimeError(f"espeak_Synth returned {status}")
        self._request.send()

    def _phonemes(self, text: str) -> str:
        """In IPA, words separated by spaces. The library takes a clause at a time."""
        rest, clauses = ctypes.c_char_p(text.encode()), []
        while rest.value:
            said = self._library.espeak_TextToPhonemes(ctypes.byref(rest), _CHARS_UTF8, _IPA)
            clauses.append((said or b"").decode())
        return " ".join(clauses)

    def _on_audio(self, wav: Any, count: int, events: Any) -> int:
        """Called by the library with each piece of audio; the answer says whether to go on."""
        request = self._request
        if request.cancelled():
            return _STOP
        request.words += _words(events)
        if count > 0:
            request.pcm += ctypes.string_at(wav, 2 * count)
            if not request.sent or len(request.pcm) >= _LATER_PIECE_BYTES:
                request.send()
        return _GO_ON

    # --- voices

    def _set_voice(self, name: str) -> None:
        language, plus, timbre = name.partition("+")
        file = self._files.get(language)
        if file is None or (plus and timbre not in self._timbres):
            raise BadRequest(f"espeak-ng has no voice {name!r}")
        # By file, since a code plus timbre is not found for every language ("en-gb+f3").
        if self._library.espeak_SetVoiceByName(f"{file}{plus}{timbre}".encode()) != 0:
            raise BadRequest(f"espeak-ng cannot load the voice {name!r}")

    def _voice_files(self) -> dict[str, str]:
        self._library.espeak_ListVoices.restype = ctypes.POINTER(ctypes.POINTER(_VoiceEntry))
        entries = self._library.espeak_ListVoices(None)
        files: dict[str, str] = {}
        index = 0
        while entries[index]:  # ends with NULL
            voice = entries[index].contents
            file = voice.identifier.decode()
            files.setdefault(voice.languages[1:].decode(), file)
            files.setdefault(file.rpartition("/")[2].lower(), file)  # "fr" for "fr-fr"
            index += 1
        return files

    def _voice_names(self) -> list[str]:
        timbred = [f"{base}+{timbre}" for base in _WITH_TIMBRES for timbre in self._timbres]
        return sorted(self._files) + timbred


def create(options: Mapping[str, Any]) -> EspeakEngine:
    """The worker's factory. Options: `voice`, the default one. Raises Unavailable."""
    return EspeakEngine(options["voice"])


def _words(events: Any) -> list[tuple[int, int]]:
    """(offset into the text, sample) of the word events in a callback's event list."""
    words = []
    index = 0
    while events[index].type != _EVENT_LIST_TERMINATED:
        event = events[index]
        if event.type == _EVENT_WORD:
            words.append((event.text_position - 1, event.sample))
        index += 1
    return words


def _load() -> tuple[ctypes.CDLL, str]:
    try:
        import espeakng_loader
    except ImportError:
        raise Unavailable(
            "the espeak engine needs the package 'espeakng_loader', which is not installed: "
            "pip install espeakng-loader"
        ) from None
    try:
        return ctypes.CDLL(espeakng_loader.get_library_path()), espeakng_loader.get_data_path()
    except (OSError, RuntimeError) as error:
        raise Unavailable(f"espeak-ng's library cannot be loaded: {error}") from None
