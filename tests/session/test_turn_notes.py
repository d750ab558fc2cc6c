"""What is noted of a turn for a replay of it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from voicepipe.asr.contract import Hypothesis
from voicepipe.dialog.core import Dialog
from voicepipe.dialog.options import TurnOptions
from voicepipe.session.turn_notes import TurnTrace


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (("Is it five?", "is it five"), [0]),
        (("5", "-5", "5"), [0, 1, 0]),
        (("I like C", "I like C++"), [0, 1]),
        (("5%", "5"), [0, 1]),
    ],
)
def test_texts_have_one_number_where_the_dialog_takes_them_for_the_same(
    texts: Sequence[str], numbers: list[int]
) -> None:
    """Else a reply prepared for the one would be let out in the replay for the other."""
    trace = TurnTrace(0, Dialog(TurnOptions()))
    for text in texts:
        trace.partial(Hypothesis(text, "", 1.0))
    assert [partial.text for partial in trace._partials] == numbers
