"""A call leaves a record and a recording, as the settings ask."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.call_log.harness import call_settings, files_in, stored_calls
from tests.server.telephony.harness import call, phone_server, tone
from tests.server.test_limits import nothing_left
from voicepipe.audio import files
from voicepipe.lab.carriers.dialect import CallDetails

ANSWER_S = 20.0


def recorded(folder: Path, **changes: Any) -> dict[str, Any]:
    settings = call_settings(folder, record_audio=True, **changes).calls
    return {**settings.model_dump(), "database": settings.database.get_secret_value()}


async def test_call_is_written_down_with_both_sides_of_its_sound(tmp_path: Path) -> None:
    details = CallDetails(caller="+15550007", called="+15550008")
    async with phone_server(calls=recorded(tmp_path)) as server:
        async with call(server, "telnyx", details=details) as phone:
            heard_at = await phone.sound(await phone.say(tone(400)), ANSWER_S)
            await phone.silence(heard_at, 700, ANSWER_S)
        await nothing_left(server)
    (stored,) = stored_calls(tmp_path)
    found = stored.call
    assert found["transport"] == "telnyx"
    assert (found["caller"], found["called"]) == ("+15550007", "+15550008")
    assert found["end_reason"] == "caller hung up"
    assert [turn["user_text"] for turn in stored.turns] == ["what time is it"]
    (recording,) = (path for path in files_in(tmp_path) if path.suffix == ".wav")
    assert np.abs(files.read(recording, 8000).astype(int)).max() > 1000


async def test_consent_is_said_first_and_then_the_greeting(tmp_path: Path) -> None:
    calls = recorded(tmp_path, consent="This call is recorded.")
    async with phone_server(calls=calls, greeting={"text": "Good morning."}) as server:
        async with call(server, "twilio") as phone:
            heard_at = await phone.sound(phone.clock.now(), ANSWER_S)
            await phone.silence(heard_at, 1000, ANSWER_S)
            (session,) = server.service.sessions
            said = [item.text for item in session.conversation.items]  # type: ignore[union-attr]
            assert said == ["This call is recorded.", "Good morning."]
        await nothing_left(server)
