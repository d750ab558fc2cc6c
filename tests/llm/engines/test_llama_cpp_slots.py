"""Which slot a request gets: the one that knows its conversation."""

from __future__ import annotations

from voicepipe.llm.contract import Message
from voicepipe.llm.engines.llama_cpp_slots import SlotBook

SYSTEM = Message("system", "You help.")


def said(*texts: str) -> tuple[Message, ...]:
    turns = [Message("user" if n % 2 == 0 else "assistant", t) for n, t in enumerate(texts)]
    return (SYSTEM, *turns)


def serve(book: SlotBook, *texts: str, key: str = "", ahead: bool = False) -> int:
    slot = book.claim(said(*texts), key, ahead=ahead)
    book.release(slot)
    return slot.number


def test_a_conversation_comes_back_to_its_slot_and_a_new_one_takes_the_longest_idle() -> None:
    book = SlotBook(3)
    first, second = serve(book, "hello"), serve(book, "what time is it")
    assert first != second
    assert serve(book, "hello", "Hi!", "a joke") == first
    assert serve(book, "what time is it", "Noon.", "thanks") == second
    third = serve(book, "good morning")
    assert third not in (first, second)
    assert serve(book, "a fourth caller") == first, "it has waited longest"


def test_instructions_alone_are_everybodys() -> None:
    """Two callers begin alike; the second must not take the first one's history."""
    book = SlotBook(2)
    assert serve(book, "hello") != serve(book, "hello there, good day")


def test_words_computed_ahead_are_found_by_the_whole_sentence() -> None:
    book = SlotBook(3)
    warmed = serve(book, "tell me", ahead=True)
    assert serve(book, "tell me a joke") == warmed


def test_instructions_computed_ahead_are_found_by_the_first_question() -> None:
    book = SlotBook(3)
    warmed = serve(book, ahead=True)
    assert serve(book, "hello") == warmed
    assert serve(book, "good day") != warmed, "that one has a history now"


def test_a_session_that_says_who_it_is_needs_no_guessing() -> None:
    book = SlotBook(3)
    one, two = serve(book, "hello", key="one"), serve(book, "hello", key="two")
    assert one != two
    assert serve(book, "hello", "Hi!", "a joke", key="two") == two
    assert serve(book, "hello", "Hi!", "a joke", key="one") == one
    assert serve(book, "something else altogether", key="one") == one


def test_a_busy_slot_is_nobodys_and_after_a_death_none_knows_anything() -> None:
    book = SlotBook(2)
    held = book.claim(said("hello"))
    assert book.claim(said("hello", "Hi!", "more")).number != held.number
    book.forget()
    assert held.messages == ()
    assert held.busy, "its request is still under way"
