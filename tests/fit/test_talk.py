"""What of a conversation costs time, by the server's own rules."""

from __future__ import annotations

from voicepipe.config import BudgetSettings
from voicepipe.fit.talk import EXCHANGES, Talk, steps_to, tokens

TALK = Talk()
LIGHTS = "Okay, the kitchen lights are on."


def test_a_turn_is_ended_by_what_was_heard_of_it() -> None:
    assert TALK.wait_ms("what time is it") == TALK.turns.endpoint_complete_ms
    assert TALK.wait_ms("i would like to") == TALK.turns.endpoint_incomplete_ms
    assert TALK.wait_ms("") == TALK.turns.endpoint_unknown_ms
    waits = [TALK.wait_ms(one.question) for one in EXCHANGES]
    assert waits.count(TALK.turns.endpoint_complete_ms) == len(waits)


def test_of_a_prompt_only_what_is_not_in_the_cache_is_new() -> None:
    question = "turn on the lights in the kitchen"
    whole = TALK.new_tokens(question, known_words=0)
    assert whole == TALK.head_tokens + 7 + TALK.tail_tokens
    assert TALK.new_tokens(question, known_words=4) == 3 + TALK.tail_tokens
    assert TALK.warm_tokens(question, 0, 4) == whole - (3 + TALK.tail_tokens)


def test_a_late_turn_gets_a_shorter_first_clause() -> None:
    assert TALK.first_clause(LIGHTS, 200, over=False) == LIGHTS
    assert TALK.first_clause(LIGHTS, 900, over=True) == "Okay, "
    idle = Talk(budget=BudgetSettings(act=False))
    assert idle.first_clause(LIGHTS, 900, over=True) == LIGHTS
    assert TALK.first_clause("Okay. What would you like?", 200, over=False) == "Okay. "


def test_a_clause_is_whole_at_the_token_behind_it_the_first_of_which_came_with_the_prompt() -> None:
    assert tokens("I'm sorry, I can't see a clock here.") == 12
    assert steps_to("Okay, ") == 2
    assert steps_to(LIGHTS) == tokens(LIGHTS) == 8
