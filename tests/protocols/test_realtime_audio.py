"""Audio through the codec: formats, limits, base64, the items that carry sound."""

from __future__ import annotations

import base64
import json

import numpy as np
import pytest

from tests.protocols.realtime_kit import REF, make_codec, receive, refused, sent
from voicepipe.audio.formats import PCM_24K, PCMA_8K, PCMU_8K, AudioFormat
from voicepipe.audio.pcm import Int16
from voicepipe.conversation.items import AudioPart, MessageItem
from voicepipe.protocols.json_fields import audio_field
from voicepipe.session import events as ev
from voicepipe.session.commands import AppendAudio, CreateItem
from voicepipe.session.settings import SessionSettings

FORMATS = [PCM_24K, PCMU_8K, PCMA_8K]


def tone(seconds: float, rate: int) -> Int16:
    t = np.arange(int(seconds * rate)) / rate
    return (8000 * np.sin(2 * np.pi * 440 * t)).astype(np.int16)


def likeness(a: Int16, b: Int16) -> float:
    """Signal to difference, dB, without the first and last 10 ms."""
    n = min(a.size, b.size)
    x, y = a[160 : n - 160].astype(float), b[160 : n - 160].astype(float)
    return float(10 * np.log10(np.sum(x**2) / np.sum((x - y) ** 2)))


@pytest.mark.parametrize("fmt", FORMATS, ids=lambda f: f.encoding)
def test_appends_take_the_sessions_format(fmt: AudioFormat) -> None:
    codec = make_codec(defaults=SessionSettings(input_format=fmt))
    audio = bytes(range(256))
    encoded = base64.b64encode(audio).decode()
    assert receive(codec, type="input_audio_buffer.append", audio=encoded) == [AppendAudio(audio)]


def test_only_pcm16_needs_an_even_number_of_bytes() -> None:
    three = base64.b64encode(b"abc").decode()
    exc = refused(make_codec(), type="input_audio_buffer.append", audio=three, event_id="e")
    assert (exc.code, exc.event_id) == ("invalid_value", "e")
    assert "3 bytes" in str(exc)
    codec = make_codec(defaults=SessionSettings(input_format=PCMU_8K))
    assert receive(codec, type="input_audio_buffer.append", audio=three) == [AppendAudio(b"abc")]


def test_a_format_change_holds_for_the_next_append() -> None:
    codec = make_codec()
    three = base64.b64encode(b"abc").decode()
    session = {"type": "realtime", "audio": {"input": {"format": {"type": "audio/pcma"}}}}
    receive(codec, type="session.update", session=session)
    assert receive(codec, type="input_audio_buffer.append", audio=three) == [AppendAudio(b"abc")]


def as_sent(text: str, audio: bytes = bytes(range(240))) -> bytes:
    return text.replace("AUDIO", base64.b64encode(audio).decode()).encode()


@pytest.mark.parametrize(
    "text",
    [
        '{"type":"input_audio_buffer.append","audio":"AUDIO"}',
        '{"type": "input_audio_buffer.append", "audio": "AUDIO"}',
    ],
)
def test_sound_in_its_usual_form_is_read_without_a_parser(text: str) -> None:
    codec, frame = make_codec(), as_sent(text)
    assert [AppendAudio(codec.sound(frame) or b"")] == codec.receive(frame.decode())


@pytest.mark.parametrize(
    "text",
    [
        '{"audio":"AUDIO","type":"input_audio_buffer.append"}',
        '{"type":"input_audio_buffer.append","audio":"AUDIO","event_id":"e"}',
        '{"type":"input_audio_buffer.append","audio":"AUDIO","audio":"AAAA"}',
        '{"type":"input_audio_buffer.append","audio":"\\u0041UDIO"}',
        '{"type":"input_audio_buffer.append","audio":"AUDIO" }',
        '{"type":"input_audio_buffer.append","audio":"AUDIO\\n"}',
        '{"type":"input_audio_buffer.append","audio":"AUDIO"}}',
        '{"type":"input_audio_buffer.append","audio":"AUD',
        '{"type":"input_audio_buffer.append","audio":"A-_="}',
        '{"type":"input_audio_buffer.append","audio":""}',
        '{"type":"input_audio_buffer.append","audio":"',
        '{"type":"input_audio_buffer.append","audio":"}',
        '{"type":"input_audio_buffer.append","audio":AUDIO"}',
        '{"type":"input_audio_buffer.commit"}',
        "",
    ],
)
def test_whatever_else_is_left_to_the_parser(text: str) -> None:
    assert make_codec().sound(as_sent(text)) is None


def test_sound_that_is_to_be_refused_is_left_to_the_parser_too() -> None:
    text = '{"type":"input_audio_buffer.append","audio":"AUDIO"}'
    assert make_codec().sound(as_sent(text, b"abc")) is None  # half a sample
    assert make_codec(max_audio_bytes=238).sound(as_sent(text)) is None
    telephone = make_codec(defaults=SessionSettings(input_format=PCMU_8K))
    assert telephone.sound(as_sent(text, b"abc")) == b"abc"


@pytest.mark.parametrize(("size", "allowed"), [(1000, True), (1002, False), (50_000, False)])
def test_audio_has_a_limit_per_message(size: int, allowed: bool) -> None:
    codec = make_codec(max_audio_bytes=1000)
    audio = base64.b64encode(bytes(size)).decode()
    if allowed:
        assert receive(codec, type="input_audio_buffer.append", audio=audio)
    else:
        exc = refused(codec, type="input_audio_buffer.append", audio=audio)
        assert "limit of 1000 bytes" in str(exc)


def test_fifteen_mebibytes_pass() -> None:
    audio = base64.b64encode(bytes(15 * 1024 * 1024)).decode()
    (command,) = receive(make_codec(), type="input_audio_buffer.append", audio=audio)
    assert isinstance(command, AppendAudio)
    assert len(command.audio) == 15 * 1024 * 1024


def test_audio_deltas_keep_their_place_and_bytes() -> None:
    codec = make_codec()
    other = ev.PartRef('resp_"2"', "item_9", 1, 2)
    for ref in (REF, REF, other, REF):
        audio = bytes([ref.output_index]) * 960
        message = sent(codec, ev.AudioDelta(ref, audio))
        assert base64.b64decode(message.pop("delta")) == audio
        assert message.pop("event_id").startswith("event_")
        assert message == {
            "type": "response.output_audio.delta",
            "response_id": ref.response_id,
            "item_id": ref.item_id,
            "output_index": ref.output_index,
            "content_index": ref.content_index,
        }


@pytest.mark.parametrize("fmt", FORMATS, ids=lambda f: f.encoding)
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_retrieved_items_carry_their_audio(fmt: AudioFormat, role: str) -> None:
    user = role == "user"
    settings = SessionSettings(input_format=fmt) if user else SessionSettings(output_format=fmt)
    codec = make_codec(defaults=settings)
    speech = tone(0.5, 16_000)
    item = MessageItem("i", "user" if user else "assistant", (AudioPart("hi", speech, 500.0),))
    (part,) = sent(codec, ev.ItemRetrieved(item))["item"]["content"]
    audio = base64.b64decode(part["audio"])
    assert part["type"] == ("input_audio" if user else "output_audio")
    assert fmt.ms(len(audio)) == 500.0
    assert likeness(speech, audio_field.to_samples(audio, fmt)) > 20


@pytest.mark.parametrize("fmt", FORMATS, ids=lambda f: f.encoding)
def test_created_user_audio_is_kept_at_16_khz(fmt: AudioFormat) -> None:
    codec = make_codec(defaults=SessionSettings(input_format=fmt))
    speech = tone(2.5, 16_000)
    audio = base64.b64encode(audio_field.from_samples(speech, fmt)).decode()
    content = [{"type": "input_audio", "audio": audio, "transcript": "mm"}]
    item = {"type": "message", "role": "user", "content": content}
    (command,) = receive(codec, type="conversation.item.create", item=item)
    assert isinstance(command, CreateItem)
    assert isinstance(command.item, MessageItem)
    (part,) = command.item.content
    assert isinstance(part, AudioPart)
    assert part.pcm is not None
    assert part.pcm.size == speech.size
    assert (part.transcript, part.duration_ms) == ("mm", 2500.0)
    assert likeness(speech, part.pcm) > 20


def test_empty_audio_in_an_item_is_empty() -> None:
    content = [{"type": "input_audio", "audio": ""}]
    item = {"type": "message", "role": "user", "content": content}
    (command,) = receive(make_codec(), type="conversation.item.create", item=item)
    assert isinstance(command, CreateItem)
    assert isinstance(command.item, MessageItem)
    (part,) = command.item.content
    assert isinstance(part, AudioPart)
    assert part.duration_ms == 0.0


def test_base64_goes_out_on_one_line() -> None:
    (text,) = make_codec().send(ev.AudioDelta(REF, bytes(10_000)))
    assert "\n" not in json.loads(text)["delta"]
