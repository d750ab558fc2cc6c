"""Records under a key: nothing lies on the disk in the clear, and who has the key reads all."""

from __future__ import annotations

import base64
import json
import os
import secrets
import sqlite3
import wave
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.call_log.harness import (
    DEADLINE_S,
    call_settings,
    files_in,
    in_files,
    info,
    open_log,
    set_columns,
    sqlite_url,
    stored_calls,
    turn_record,
)
from tests.call_log.test_recording import read_stereo
from tests.server.test_call_pages import ended, ids, keeping
from tests.server.webhook_receiver import SECRET
from voicepipe.call_log.log import CallLog
from voicepipe.call_log.texts import ToolText
from voicepipe.cli.main import app
from voicepipe.config import Settings
from voicepipe.privacy.seal import NONCE_BYTES, TAG_BYTES
from voicepipe.privacy.sealed_file import BLOCK, HEAD_BYTES, is_sealed
from voicepipe.runtime.clock import ManualClock, MonotonicClock
from voicepipe.runtime.errors import ConfigError

KEY = base64.b64encode(bytes(range(32))).decode()
NEWER = base64.b64encode(bytes(range(1, 33))).decode()
SOUND = (np.arange(16_000) % 251 * 100).astype("<i2").tobytes()


async def made(
    folder: Path, key: str | None = KEY, caller: str = "+491", sound: bytes = SOUND, **more: Any
) -> str:
    """A call with words, a number and sound."""
    clock = ManualClock(0.0)
    settings = call_settings(folder, record_audio=True, encryption_key=key, **more)
    async with open_log(settings, clock=clock) as log:
        call = log.begin(info(f"sess_{len(files_in(folder))}", caller=caller, called="+4977"))
        clock.advance(1)
        call.heard_from_caller(sound, clock.now())
        call.turn(turn_record(1), "the bag is blue", "Half past seven.")
        call.end("caller hung up")
        assert await log.flush(DEADLINE_S)
    return call.id


def calls(folder: Path, *args: str, key: str | None = KEY) -> tuple[int, str, str]:
    """`voicepipe calls ...` in this process: exit status, stdout, stderr."""
    config = folder / "voicepipe.toml"
    line = "" if key is None else f'encryption_key = "{key}"\n'
    config.write_text(
        f'[calls]\ndatabase = "{sqlite_url(folder)}"\n{line}recordings_dir = "{folder}/sound"\n'
    )
    done = CliRunner(env={"COLUMNS": "160"}).invoke(app, ["calls", *args, "--config", str(config)])
    config.unlink()
    return done.exit_code, done.stdout, done.stderr or str(done.exception)


def exported(folder: Path, *args: str, key: str | None = KEY) -> list[dict[str, Any]]:
    """Caller and words of the calls that are found."""
    status, out, err = calls(folder, "export", *args, key=key)
    assert status == 0, err
    rows = [json.loads(line) for line in out.splitlines()]
    return [{**row["call"], **row["turns"][0]} for row in rows]


async def test_nothing_lies_there_in_the_clear_and_the_key_reads_all(tmp_path: Path) -> None:
    call_id = await made(tmp_path)
    for words in (b"bag is blue", b"Half past", b"+491", b"+4977", SOUND[400:440], KEY.encode()):
        assert not in_files(tmp_path, words)
    assert all(is_sealed(path) for path in files_in(tmp_path / "sound"))
    (one,) = exported(tmp_path, "--caller", "+491", "--recordings", str(tmp_path / "copies"))
    assert (one["caller"], one["user_text"]) == ("+491", "the bag is blue")
    samples, rate = read_stereo(tmp_path / "copies" / f"{call_id}.wav")
    assert rate == 8000
    assert samples[:, 0].any()
    assert exported(tmp_path, "--caller", "+49") == [], "a part of a number is not found"
    assert calls(tmp_path, "purge", "--caller", "+491", "--yes")[1] == "1 calls deleted\n"
    assert files_in(tmp_path / "sound") == []


async def test_without_the_key_there_is_nothing_to_read(tmp_path: Path) -> None:
    await made(tmp_path)
    for key in (None, NEWER):
        (one,) = exported(tmp_path, key=key)
        assert one["caller"] == one["user_text"] == one["agent_text"]
        assert "not in calls.encryption_key" in one["user_text"]
        status, _, err = calls(tmp_path, "export", "--recordings", str(tmp_path / "no"), key=key)
        assert ".wav: sealed" in " ".join(err.split()), "which one is said"
        assert status != 0
        assert "encryption_key" in err


@pytest.mark.parametrize(
    "webhooks", [{}, {"mine": {"url": "http://127.0.0.1:1", "secret": SECRET}}]
)
async def test_an_open_call_under_another_key_does_not_keep_the_server_from_starting(
    tmp_path: Path, webhooks: dict[str, Any]
) -> None:
    settings = call_settings(tmp_path, encryption_key=KEY)
    async with open_log(settings) as log:
        call = log.begin(info())
        call.turn(turn_record(1), "a", "b", [ToolText("pay", "{}", "paid")])
        call.end("done")
    set_columns(tmp_path, call.id, ended_at=None)
    newer = {**call_settings(tmp_path, encryption_key=NEWER).model_dump(), "webhooks": webhooks}
    async with open_log(Settings.model_validate(newer)) as log:
        log.begin(info("sess_2")).end("done")
        assert await log.flush(DEADLINE_S)
    (one,) = [one for one in stored_calls(tmp_path) if one.call["id"] == call.id]
    assert one.call["end_reason"] == "server stopped"
    (unread,) = one.turns[0]["tool_calls"]
    assert "not in calls.encryption_key" in unread["name"]


async def test_older_records_are_read_beside_newer_ones(tmp_path: Path) -> None:
    """Plain ones of before, some under the first key, some under the next."""
    both = f"{NEWER},{KEY}"
    for key, caller in ((None, "+1"), (KEY, "+2"), (both, "+3")):
        await made(tmp_path, key, caller)
    found = exported(tmp_path, "--recordings", str(tmp_path / "copies"), key=both)
    assert sorted(one["caller"] for one in found) == ["+1", "+2", "+3"]
    assert {one["user_text"] for one in found} == {"the bag is blue"}
    assert len(files_in(tmp_path / "copies")) == 3
    for caller in ("+1", "+2", "+3"):
        (one,) = exported(tmp_path, "--caller", caller, key=both)
        assert one["caller"] == caller


async def test_a_recording_that_broke_off_does_not_keep_the_next_server_from_starting(
    tmp_path: Path,
) -> None:
    call_id = await made(tmp_path)
    (path,) = files_in(tmp_path / "sound")
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 5)
    set_columns(tmp_path, call_id, ended_at=None)
    settings = call_settings(tmp_path, record_audio=True, encryption_key=KEY)
    async with open_log(settings) as log:
        assert await log.flush(DEADLINE_S)
    assert is_sealed(path)


@pytest.mark.parametrize("which", [0, 2, -1])  # the last one is shorter than the others
async def test_a_block_that_a_crash_has_torn_costs_what_was_in_it(
    which: int, tmp_path: Path
) -> None:
    """The first one is written anew each second, since the file's length stands in it."""
    rate: dict[str, Any] = {"recording_rate": 16_000}
    call_id = await made(tmp_path, sound=SOUND * 2, **rate)
    (path,) = files_in(tmp_path / "sound")
    exported(tmp_path, "--recordings", str(tmp_path / "before"))
    stored = BLOCK + NONCE_BYTES + TAG_BYTES
    torn = which % -(-(path.stat().st_size - HEAD_BYTES) // stored)
    with path.open("r+b") as file:
        file.seek(HEAD_BYTES + torn * stored)
        file.write(secrets.token_bytes(8192))
    set_columns(tmp_path, call_id, ended_at=None)
    settings = call_settings(tmp_path, record_audio=True, encryption_key=KEY, **rate)
    async with open_log(settings) as log:
        assert await log.flush(DEADLINE_S)
    exported(tmp_path, "--recordings", str(tmp_path / "after"))
    whole, left = (files_in(tmp_path / folder)[0] for folder in ("before", "after"))
    meant = bytearray(whole.read_bytes())
    lost = slice(max(44, torn * BLOCK), min(len(meant), (torn + 1) * BLOCK))
    meant[lost] = bytes(len(meant[lost]))
    assert left.read_bytes() == meant
    with wave.open(str(left)) as sound:
        assert (sound.getframerate(), sound.getnframes()) == (16_000, (len(meant) - 44) // 4)


@pytest.mark.parametrize("key", [None, KEY])
async def test_an_ended_call_has_its_sound_on_the_disk_before_its_end(
    key: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody mends the recording of a call that has ended: where the power fails then, a block that
    is half on the disk, the first one as a rule, would cost all of it."""
    on_disk: dict[str, bytes] = {}
    sync = os.fsync

    def noted(file: int) -> None:
        sync(file)
        path = Path(os.readlink(f"/proc/self/fd/{file}"))
        with closing(sqlite3.connect(tmp_path / "calls.sqlite3")) as database:
            if not database.execute("SELECT 1 FROM calls WHERE ended_at IS NOT NULL").fetchall():
                on_disk[path.name] = path.read_bytes()

    monkeypatch.setattr(os, "fsync", noted)
    call_id = await made(tmp_path, key)
    (path,) = files_in(tmp_path / "sound")
    assert on_disk == {f"{call_id}.wav": path.read_bytes()}
    set_columns(tmp_path, call_id, ended_at=None)
    on_disk.clear()
    async with open_log(call_settings(tmp_path, encryption_key=key)) as log:  # which mends it
        assert await log.flush(DEADLINE_S)
    assert on_disk == {f"{call_id}.wav": path.read_bytes()}


async def test_the_page_plays_what_is_sealed(tmp_path: Path) -> None:
    async with keeping(tmp_path, encryption_key=KEY) as (server, client):
        call_id = await ended(server, "sess_1", turn_record(1))
        assert all(is_sealed(path) for path in files_in(tmp_path / "sound"))
        call = (await client.get(f"/v1/calls/{call_id}")).json()
        assert call["turns"][0]["user_text"] == "what time is it"
        about = call["recording"]
        whole = await client.get(about["url"])
        assert (whole.status_code, len(whole.content)) == (200, about["bytes"])
        assert whole.headers["cache-control"] == "no-store"
        with wave.open(BytesIO(whole.content)) as sound:
            assert sound.getnframes() / about["rate"] == pytest.approx(about["seconds"], abs=1e-3)
        for asked, part in (
            ("44-143", whole.content[44:144]),
            ("-100", whole.content[-100:]),
            ("44-", whole.content[44:]),
        ):
            answer = await client.get(about["url"], headers={"Range": f"bytes={asked}"})
            assert (answer.status_code, answer.content) == (206, part)
        beyond = await client.get(about["url"], headers={"Range": "bytes=99999999-"})
        assert beyond.status_code == 416
        assert await ids(client, caller="+4912345") == [call_id]
        searched = await client.get("/v1/calls", params={"text": "time"})
        assert (searched.status_code, searched.json()["error"]["param"]) == (400, "text")


def test_a_key_that_is_none_fails_the_start(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"calls\.encryption_key must be 32 bytes"):
        CallLog(call_settings(tmp_path, encryption_key="abc"), MonotonicClock())
