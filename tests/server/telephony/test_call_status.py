"""What a carrier tells of a call that the server makes, at a moment or in words that one does not
expect."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.call_log.harness import sqlite_url
from tests.server.telephony.dialing import TO, dialing, judged
from tests.server.telephony.signing import PUBLIC
from tests.server.telephony.test_outbound import being_asked, status_request
from tests.server.test_limits import nothing_left
from tests.server.webhook_receiver import receiver
from voicepipe.server.live_calls import State
from voicepipe.server.telephony.outbound import MAX_EARLY, Outbound


@pytest.mark.parametrize(("name", "word"), [("vonage", "busy"), ("telnyx", "user_busy")])
async def test_carrier_that_tells_why_before_it_answers_our_request_is_heard(
    name: str, word: str, tmp_path: Path
) -> None:
    """Only its answer says which call that is: else it would ring here for another minute."""
    async with receiver() as told:
        sections = {
            "calls": {"enabled": True, "database": sqlite_url(tmp_path)},
            "webhooks": told.settings(events=["call.ended"]),
        }
        async with dialing(name, sections=sections) as (server, rest, program):
            asking, live = await being_asked(server, rest, program)
            call = judged(name, rest.asked[0])
            path = call.status_url.removeprefix(PUBLIC)
            outbound: Outbound = server.app.state.telephony.outbound
            for number in range(1000):  # others' calls, which end all the time
                outbound.unanswered(f"other-{number}", "busy")
            assert len(outbound._early) == MAX_EARLY
            for call_id in ("CALL2", "CALL1"):
                body, headers = status_request(name, call, word, call_id)
                answer = await program.post(path, content=body, headers=headers)
                assert answer.status_code == 200
            assert live.state is State.DIALING, "it may be another's"
            rest.answers.set()
            assert (await asking).json()["state"] == "ended"
            assert (await told.until("call.ended"))["data"]["end_reason"] == "busy"
            assert len(rest.asked) == 1, "there is nothing to hang up"
            assert not len(server.service.live_calls)
            assert not outbound._early


PICKED_UP = [
    ("twilio", "completed"),
    ("signalwire", "completed"),
    ("telnyx", "normal_clearing"),
    ("plivo", "completed"),
    ("vonage", "completed"),
]


@pytest.mark.parametrize(("name", "word"), PICKED_UP)
async def test_call_that_was_picked_up_and_never_streamed_here_rings_no_more(
    name: str, word: str
) -> None:
    """A proxy that lets no WebSocket through: each would take a caller's room for a minute."""
    async with dialing(name) as (server, rest, program):
        assert (await program.post("/v1/calls", json={"to": TO})).status_code == 201
        call = judged(name, rest.asked[0])
        body, headers = status_request(name, call, word)
        path = call.status_url.removeprefix(PUBLIC)
        assert (await program.post(path, content=body, headers=headers)).status_code == 200
        assert not len(server.service.live_calls)
        await nothing_left(server)


CALLED_OFF = [
    ("twilio", "canceled"),
    ("signalwire", "canceled"),
    ("telnyx", "originator_cancel"),
    ("plivo", "cancel"),
    ("vonage", "cancelled"),
    ("telnyx", "no_answer"),
    ("telnyx", "time_limit"),
]


@pytest.mark.parametrize(("name", "word"), CALLED_OFF)
async def test_call_that_is_ended_at_the_carrier_while_it_rings_rings_no_more(
    name: str, word: str
) -> None:
    """By somebody at its console, say: else it would take a caller's room for a minute."""
    async with dialing(name) as (server, rest, program):
        assert (await program.post("/v1/calls", json={"to": TO})).status_code == 201
        call = judged(name, rest.asked[0])
        body, headers = status_request(name, call, word)
        path = call.status_url.removeprefix(PUBLIC)
        assert (await program.post(path, content=body, headers=headers)).status_code == 200
        assert not len(server.service.live_calls)
        await nothing_left(server)
        assert len(rest.asked) == 1, "there is nothing to hang up"
