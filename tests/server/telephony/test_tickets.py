"""One ticket, one stream."""

from __future__ import annotations

from voicepipe.runtime.clock import ManualClock
from voicepipe.server.telephony.tickets import MAX_TICKETS, REMEMBER_S, CallerId, Tickets

ANNA = CallerId("+1555", "+1666")


def test_ticket_is_redeemed_once_and_knows_the_caller() -> None:
    tickets = Tickets(ManualClock(), 60)
    ticket = tickets.issue("twilio", "sig", ANNA)
    assert ticket is not None
    assert tickets.redeem("plivo", ticket) is None
    assert tickets.redeem("twilio", ticket) == ANNA
    assert tickets.redeem("twilio", ticket) is None
    assert tickets.redeem("twilio", "") is None


def test_request_sent_again_gets_the_same_ticket_until_it_is_used() -> None:
    tickets = Tickets(ManualClock(), 60)
    ticket = tickets.issue("twilio", "sig", ANNA)
    assert ticket is not None
    assert tickets.issue("twilio", "sig", ANNA) == ticket
    assert tickets.issue("twilio", "other", ANNA) != ticket
    tickets.redeem("twilio", ticket)
    assert tickets.issue("twilio", "sig", ANNA) is None


def test_unused_ticket_grows_old_and_a_replay_is_remembered_for_a_day() -> None:
    clock = ManualClock()
    tickets = Tickets(clock, 60)
    old, used = tickets.issue("twilio", "a", ANNA), tickets.issue("twilio", "b", ANNA)
    assert old is not None
    assert used is not None
    tickets.redeem("twilio", used)
    clock.advance(61)
    assert tickets.redeem("twilio", old) is None
    clock.advance(REMEMBER_S - 62)
    assert tickets.issue("twilio", "b", ANNA) is None


def test_number_of_tickets_is_bounded() -> None:
    tickets = Tickets(ManualClock(), 60)
    first = tickets.issue("twilio", "first", ANNA)
    assert first is not None
    for number in range(MAX_TICKETS + 1):
        tickets.issue("twilio", str(number), ANNA)
    assert tickets.redeem("twilio", first) is None
