from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepipe.languages.known import language_of
from voicepipe.tts.speakable import WordAligner, speakable

marks = st.sampled_from([*"*_`~#>|[]()<>&$€=@-.,:/\n\t 0aA1é🙂", "http://", "```\n", "www.a.b"])


@given(st.lists(marks | st.text(max_size=3)).map("".join))
def test_the_map_leads_back_into_the_clause_and_forward(clause: str) -> None:
    spoken = speakable(clause)
    assert len(spoken.starts) == len(spoken.ends) == len(spoken.text)
    assert list(spoken.starts) == sorted(spoken.starts)
    assert all(0 <= a < b <= len(clause) for a, b in zip(spoken.starts, spoken.ends, strict=True))
    spoken.text.encode()
    assert spoken.text == spoken.text.strip()
    assert not spoken.text or any(char.isalnum() for char in spoken.text)


@given(st.lists(st.from_regex(r"[a-zA-Z]{1,8}", fullmatch=True), min_size=1).map(" ".join))
def test_plain_text_is_said_as_it_is(text: str) -> None:
    spoken = speakable(text)
    assert spoken.text == text
    assert spoken.starts == tuple(range(len(text)))


@pytest.mark.parametrize(
    ("clause", "text"),
    [
        ("**Note.** See [the docs, v2](https://x.y/z) & more.", "Note. See the docs, v2 and more."),
        ("***Very*** _good_ and ~~bad~~ __fine__", "Very good and bad fine"),
        ("# Title\n", "Title"),
        ("> quoted\n", "quoted"),
        ("- *Milk* 🥛 and `eggs`\n", "Milk and eggs"),
        ("- [x] done", "done"),
        ("2. Second", "2. Second"),
        ("![a cat](cat.png) sits", "a cat sits"),
        ("Try this:\n```python\nprint(1)\n```\nand go.", "Try this: and go."),
        ("```\nprint(1)", ""),
        ("\t```\n\tprint(1)\n\t```\n", ""),
        ("😀🎉 👩‍👩‍👧", ""),
        ("...", ""),
        ("---\n", ""),
        ("", ""),
        ("See https://www.example.com:80/a/b?c=1.", "See example dot com."),
        ("<https://a.org> or www.b.org, ok", "a dot org or b dot org, ok"),
        ("Mail bob.b@example.co.uk!", "Mail bob dot b at example dot co dot uk!"),
        ("$5.20, $1, €3 million", "5.20 dollars, 1 dollar, 3 million euros"),
        (
            "$50K a year, $3bn, $1M, £20pp",
            "50K dollars a year, 3bn dollars, 1M dollars, 20pp pounds",
        ),
        ("AT&T &amp; co", "AT and T and co"),
        ("It&#39;s &quot;fine&quot; &lt; 5&#x21;", 'It\'s "fine" < 5!'),
        ("Up by .5 percent in .NET , ok ?", "Up by .5 percent in .NET, ok?"),
        ("snake_case and 5 * 3 = 15", "snake_case and 5 * 3 equals 15"),
        ("#1 of #all → x", "number 1 of all to x"),
        ("a <br/> b <b>c</b>, 1 < 2", "a b c, 1 < 2"),
        ("| a | b |\n|---|---|\n", "a, b"),
        ("Hi \ud800 the\x00re\u200b.", "Hi there."),
        ("**open bold", "open bold"),
        ("bold** closed", "bold closed"),
        ("[[h@loU]] now", "h@loU now"),
        ("It is 3.5 °C, i.e. 38 °F – ok?", "It is 3.5 °C, i.e. 38 °F – ok?"),
    ],
)
def test_what_is_said(clause: str, text: str) -> None:
    assert speakable(clause).text == text


@pytest.mark.parametrize(
    ("code", "clause", "text"),
    [
        (
            "zh",
            "请打开https://a.com/help，然后点击登录。",
            "请打开a点com，然后点击登录。",
        ),
        (
            "ja",
            "詳細はhttps://a.com/bをご覧ください。",
            "詳細はaドットcomをご覧ください。",
        ),
        ("ja", "www.example.com?a=1。次です", "exampleドットcom。次です"),
        ("th", "ดูที่ https://example.com/aนะครับ", "ดูที่ exampleจุดcomนะครับ"),
    ],
)
def test_what_follows_an_address_without_a_space_is_said(code: str, clause: str, text: str) -> None:
    assert speakable(clause, language_of(code)).text == text


def test_a_letter_for_thousands_stays_with_its_number() -> None:
    assert speakable("年収は$50Kです", language_of("ja")).text == "年収は50Kドルです"
    assert speakable("Ça coûte $5M.", language_of("fr")).text == "Ça coûte 5M de dollars."


def test_words_lead_back_to_what_was_written() -> None:
    clause = "See **[the docs](http://x.y)** at https://a.org/b now"
    spoken = speakable(clause)
    assert spoken.text == "See the docs at a dot org now"
    aligner = WordAligner(spoken)
    written = []
    for char in (0, 4, 8, 13, 16, 18, 22, 26):
        word = aligner.word_at(char, char / 10)
        assert word is not None
        written.append(clause[word.char : word.char + word.length])
    url = "https://a.org/b"
    assert written == ["See", "the", "docs", "at", url, url, url, "now"]


def test_a_word_is_timed_once_and_times_never_go_back() -> None:
    aligner = WordAligner(speakable("it is 3.5 now"))
    assert aligner.word_at(6, 0.5) is not None  # "3.5"
    assert aligner.word_at(7, 0.7) is None  # its second half
    assert aligner.word_at(3, 0.8) is None  # back to "is"
    assert aligner.word_at(9, 0.9) is None  # between words
    assert aligner.word_at(99, 0.9) is None
    last = aligner.word_at(10, 1.0)
    assert last is not None
    assert (last.char, last.length, last.start_s) == (10, 3, 1.0)


@pytest.mark.parametrize(
    "seed", ["-", "*a", "* ", " ", "\n", "|-", "<a ", "http://", "`", "[", "a@"]
)
def test_nothing_takes_long(seed: str) -> None:
    begun = time.perf_counter()
    speakable(seed * 1000 + "x")
    assert time.perf_counter() - begun < 2
