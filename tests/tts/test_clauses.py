from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from voicepipe.tts.clauses import ClauseOptions, ClauseSplitter, ends_inside_markup

# Text rich in what the rules look at.
pieces = st.sampled_from(
    """Dr. Mr. e.g. i.e. a.m. p.m. U.S. No. 5 3.5 1,000 7:30 $4.20 https://a.b/c?d=1. x@y.org, ...
    …
    ``` ```python `code` **bold bold** *it* _x_ [link text](http://u.v) [a b ( ) " ' ” » - —
    – ; : , . ! ? 。 ， 「 」
    and but Then then the of I J. 1. - # > | 🙂 é é 你好 \u200d etc. min. no""".split()
)
texts = st.lists(
    pieces | st.sampled_from([" ", "\n", "  ", "\n\n", "word"]) | st.text(max_size=4)
).map("".join)
spaced = st.lists(pieces | st.sampled_from(["word", "other", "\n"])).map(" ".join)


def split(*deltas: str, options: ClauseOptions | None = None) -> list[str]:
    splitter = ClauseSplitter(options)
    clauses = [clause for delta in deltas for clause in splitter.push(delta)]
    return clauses + splitter.flush()


@given(texts | spaced, st.lists(st.integers(0, 400)))
@example("```\n" * 5, [])
def test_the_whole_text_is_kept_and_the_cuts_do_not_depend_on_the_deltas(
    text: str, cuts: list[int]
) -> None:
    whole = split(text)
    assert "".join(whole) == text
    assert all(whole)
    assert split(*text) == whole
    bounds = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    assert split(*(text[a:b] for a, b in pairwise(bounds))) == whole


@settings(max_examples=30)
@given(st.lists(st.sampled_from(["word", "**bold", "[link", "`code", "a.b"]), min_size=90))
def test_no_clause_grows_without_end(words: list[str]) -> None:
    options = ClauseOptions()
    for clause in split(" ".join(words)):
        assert len(clause) <= options.max_chars + max(map(len, words)) + 1


def test_a_word_without_end_is_cut() -> None:
    assert [len(clause) for clause in split("x" * 1500)] == [600, 600, 300]


@pytest.mark.parametrize("space", [" ", "\n"])
def test_space_without_end_is_cut(space: str) -> None:
    """A model may go on with it for ever, and what is made of one clause takes the longer by the
    square of its length."""
    assert max(len(clause) for clause in split("Hello. " + space * 8000 + "There.")) <= 606


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("Sure. I can do that now.", ["Sure. ", "I can do that now."]),
        ("Of course, I can do that for you now.", ["Of course, ", "I can do that for you now."]),
        (
            "Sure, I can help you with that. What time suits you?",
            ["Sure, I can help you with that. ", "What time suits you?"],
        ),
        (
            "I have set the timer and it rings in ten minutes.",
            ["I have set the timer ", "and it rings in ten minutes."],
        ),
        (
            "Tomorrow will be mostly cloudy with some light rain showers in the afternoon.",
            ["Tomorrow will be mostly cloudy with some light ", "rain showers in the afternoon."],
        ),
        (  # does not stop behind "in the"
            "Tomorrow it will be mostly cloudy in the north of Spain.",
            ["Tomorrow it will be mostly cloudy in the north ", "of Spain."],
        ),
        ("Yes of course—I will do that.", ["Yes of course—", "I will do that."]),
        ("It is done - what else is there?", ["It is done - ", "what else is there?"]),
    ],
)
def test_the_first_clause_is_short(text: str, clauses: list[str]) -> None:
    assert split(text) == clauses


@pytest.mark.parametrize(
    "sentence",
    [
        "Dr. Smith and Mrs. Jones met Prof. Li on Main St. yesterday. ",
        "Use a tool, e.g. a hammer, i.e. something heavy. ",
        "It opens at 7 a.m. on weekdays and closes at 5 p.m. sharp. ",
        "The U.S. Army and J. R. R. Tolkien had no Ph.D. at all. ",
        "It is 3.5 degrees and costs 1,000 or $4.20 at 7:30 today. ",
        "See https://example.com/a.b?c=d.e#f and write to a.b@c.co.uk please. ",
        "Well... let me see... that is fine. ",
        "It is No. 5 of them, see fig. 3 there. ",
        "It is **no. Really. Not** so *hot. Very* there. ",
        "Read [the manual. All of it](https://x.y/z. a) first. ",
        "Type `git commit. now` and wait. ",
        'They said "come in" and we did. ',
        "This is v2.0.1 of node.js and so on. ",
    ],
)
def test_a_later_sentence_stays_whole(sentence: str) -> None:
    assert split("Hello. ", sentence, "Next one.")[1:] == [sentence, "Next one."]


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("We meet at 7 a.m. The room is small.", ["We meet at 7 a.m. ", "The room is small."]),
        ("No. I can not do it.", ["No. ", "I can not do it."]),
        ("So do I. Then we go.", ["So do I. ", "Then we go."]),
        ("She said “Stop.” Then she left.", ["She said “Stop.” ", "Then she left."]),
        ("**Done.** Next.", ["**Done.** ", "Next."]),
        ("Really?! Yes!", ["Really?! ", "Yes!"]),
        ("It costs 3. You pay.", ["It costs 3. ", "You pay."]),
        (
            "Steps:\n1. Open it.\n2. Close it.\n- And *go. Now* on\n",
            ["Steps:\n", "1. Open it.\n", "2. Close it.\n", "- And *go. Now* on\n"],
        ),
        (
            "Try:\n```python\nprint(1). \n\nx = 2\n```\nThat is all.",
            ["Try:\n", "```python\nprint(1). \n\nx = 2\n```\n", "That is all."],
        ),
        ("今天天气很好。我们走吧！好", ["今天天气很好。", "我们走吧！", "好"]),
        ("「真的吗？」他说。", ["「真的吗？」", "他说。"]),
        ("", []),
        ("   ", ["   "]),
    ],
)
def test_cuts(text: str, clauses: list[str]) -> None:
    assert split(text) == clauses


def test_a_clause_is_out_with_the_space_behind_its_end() -> None:
    splitter = ClauseSplitter()
    assert splitter.push("It is 3.") == []  # may become 3.5
    assert splitter.push("5 degrees.") == []
    assert splitter.push(" ") == ["It is 3.5 degrees. "]
    assert splitter.push("At 7 a.m. ") == []  # may go on
    assert splitter.push("T") == ["At 7 a.m. "]
    assert splitter.flush() == ["T"]


def test_a_long_sentence_is_cut_at_a_comma() -> None:
    long = "Then " + "we walk and talk " * 8
    assert split("Hi. ", long + "again, ", "and so on.")[1] == long + "again, "


def test_flush_starts_afresh() -> None:
    splitter = ClauseSplitter()
    splitter.push("Hello. ```\nsome code")
    assert splitter.flush() == ["```\nsome code"]
    assert splitter.push("Of course, yes") == ["Of course, "]


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("**bold", True),
        ("**bold**", False),
        ("a `code", True),
        ("[text", True),
        ("[text](http", True),
        ("[text](http://x)", False),
        ("5 * 3", False),
        ("snake_case", False),
        ("*it", True),
        ("*it\n", False),
        ("`a * b`", False),
    ],
)
def test_ends_inside_markup(text: str, inside: bool) -> None:
    assert ends_inside_markup(text) is inside


@pytest.mark.parametrize("seed", ["*a", "`", "[", "_", " ", "\n", "—", "a, ", "```\n", "A. "])
def test_nothing_takes_long(seed: str) -> None:
    begun = time.perf_counter()
    split(seed * 2000)
    assert time.perf_counter() - begun < 2
