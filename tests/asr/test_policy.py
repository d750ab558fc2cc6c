"""The streaming policy, without a model: a toy language stands for speech."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.asr.toy_speech import PAUSE_SAMPLES, decode, hear, say
from voicepipe.asr.contract import Hypothesis, Word
from voicepipe.asr.decoding import Decoded, DecodeRequest
from voicepipe.asr.filters import FilterLimits
from voicepipe.asr.policy import DecodePlan, StreamPolicy
from voicepipe.asr.windows import WindowLimits, first_pause, quietest_point
from voicepipe.audio.pcm import SAMPLE_RATE, Int16

NUMBER = "call me back on one two three four five six"
LIMITS = WindowLimits(min_s=1.0, max_s=4.0, margin_s=0.5)
PARTIAL = 3840  # 240 ms
WORDS = st.lists(st.integers(0, 99), min_size=1, max_size=9, unique=True)
"""Of one sentence: a word eight times in a row is withheld, as a decoder that runs in circles."""


class Bench:
    """A policy with audio that grows as told, and the perfect decoder."""

    def __init__(self, pcm: Int16, partial: int = PARTIAL, limits: WindowLimits = LIMITS) -> None:
        self.pcm = pcm
        self.longest = limits.max_s * SAMPLE_RATE
        self.total = 0
        self.policy = StreamPolicy(limits, FilterLimits(), partial_samples=partial)
        self.plans: list[DecodePlan] = []

    def grow(self, samples: int) -> None:
        new = self.pcm[self.total : self.total + samples]
        loud = np.flatnonzero(np.abs(new.astype(np.int32)) > 33)
        sound = (self.total + int(loud[0]), self.total + int(loud[-1]) + 1) if len(loud) else None
        self.total += len(new)
        self.policy.heard(self.total, sound)

    def quietest(self, low: int, high: int) -> int:
        return low + quietest_point(self.pcm[low:high])

    def pause(self, low: int, high: int, pause_s: float) -> int | None:
        found = first_pause(self.pcm[low:high], pause_s)
        return None if found is None else low + found

    def decoded(self, plan: DecodePlan) -> Decoded:
        assert self.policy.needed_from <= plan.start
        assert plan.end <= self.total
        assert plan.end - plan.start <= plan.window <= self.longest
        self.plans.append(plan)
        return decode(DecodeRequest(self.pcm[plan.start : plan.end], plan.window, 99))

    def partials(self) -> Iterable[Hypothesis]:
        while self.policy.partial_due():
            plan = self.policy.plan_partial(self)
            if plan is None:
                return
            hypothesis = self.policy.absorb(plan, self.decoded(plan))
            if hypothesis:
                yield hypothesis

    def final(self, upto: int | None = None) -> str:
        upto = self.total if upto is None else upto
        while plan := self.policy.plan(upto, self, timed=False):
            self.policy.absorb(plan, self.decoded(plan))
        return self.policy.transcript(upto).text


def text(numbers: Sequence[int]) -> str:
    return " ".join(f"w{n}" for n in numbers)


def test_one_piece_is_one_decode() -> None:
    bench = Bench(say([1, 2, 3]))
    bench.grow(10**6)
    assert bench.final() == "w1 w2 w3"
    (plan,) = bench.plans
    assert plan.start == 0
    assert plan.end == len(bench.pcm) - PAUSE_SAMPLES  # trailing silence is not decoded
    assert plan.window == 2.5 * SAMPLE_RATE  # 1.92 s of audio and half a second


def test_silence_is_never_decoded() -> None:
    bench = Bench(np.zeros(SAMPLE_RATE * 20, dtype=np.int16))
    while bench.total < len(bench.pcm):
        bench.grow(320)
        assert not bench.policy.partial_due()
    assert bench.final() == ""
    transcript = bench.policy.transcript(bench.total)
    assert (bench.plans, transcript.refused, transcript.audio_s) == ([], "silence", 20.0)
    assert bench.policy.needed_from > 19 * SAMPLE_RATE  # its memory can go


def test_partials_come_after_so_much_new_audio_and_not_in_silence() -> None:
    bench = Bench(np.concatenate([say([1, 2]), np.zeros(SAMPLE_RATE, dtype=np.int16)]))
    asked = []
    while bench.total < len(bench.pcm):
        bench.grow(320)
        if list(bench.partials()):
            asked.append(bench.total)
    assert all(b - a >= PARTIAL for a, b in pairwise(asked))
    assert 4 <= len(asked) <= 6
    assert asked[-1] <= len(say([1, 2])) + PARTIAL


def test_no_partials_when_switched_off() -> None:
    bench = Bench(say([1, 2, 3]), partial=0)
    bench.grow(10**6)
    assert not bench.policy.partial_due()


def test_final_after_more_silence_needs_no_engine() -> None:
    bench = Bench(np.concatenate([say([1, 2]), np.zeros(SAMPLE_RATE, dtype=np.int16)]))
    bench.grow(len(say([1, 2])))
    assert bench.final() == "w1 w2"
    bench.grow(10**6)
    assert bench.final() == "w1 w2"
    assert len(bench.plans) == 1
    assert bench.policy.transcript(bench.total).audio_s == bench.total / SAMPLE_RATE


def test_final_after_more_speech_covers_all_of_it() -> None:
    bench = Bench(say([1, 2, 3]))
    bench.grow(len(say([1, 2])))
    assert bench.final() == "w1 w2"
    bench.grow(10**6)
    assert bench.final() == "w1 w2 w3"
    assert [plan.start for plan in bench.plans] == [0, 0]


def test_measured_times_are_decoded_for_even_if_the_text_is_known() -> None:
    bench = Bench(say([1, 2]))
    bench.grow(10**6)
    bench.final()
    plan = bench.policy.plan(bench.total, bench, timed=True)
    assert plan is not None
    assert plan.timed
    bench.policy.absorb(plan, bench.decoded(plan))
    assert bench.policy.plan(bench.total, bench, timed=True) is None
    assert bench.policy.hypothesis(bench.total).stable == ""  # the same audio proves nothing


def test_a_final_looks_no_further_than_the_call() -> None:
    bench = Bench(say([1, 2, 3, 4], hum=40))
    bench.grow(10**6)
    assert bench.final(len(say([1, 2]))) == "w1 w2"


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(0, 99), min_size=1, max_size=40),
    st.integers(320, 40_000),
    st.booleans(),
    st.sampled_from([0, 40]),
)
def test_long_utterances_lose_and_double_no_word(
    numbers: list[int], step: int, partials: bool, hum: int
) -> None:
    bench = Bench(say(numbers, hum=hum), partial=PARTIAL if partials else 0)
    stable = ""
    while bench.total < len(bench.pcm):
        bench.grow(step)
        for hypothesis in bench.partials():
            assert hypothesis.stable.startswith(stable)
            stable = hypothesis.stable
            assert text(numbers).startswith(hypothesis.text.removesuffix("broken").strip())
    assert bench.final() == text(numbers)
    assert text(numbers).startswith(bench.policy.hypothesis(0).stable)
    words = bench.policy.transcript(bench.total).words
    true = hear(bench.pcm)
    assert [w.start_s for w in words] == pytest.approx([w.start_s for w in true], abs=1e-6)
    closing = [plan for plan in bench.plans if plan.closes]
    assert all(a.end == b.start for a, b in pairwise(closing)) or hum == 0


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 99), min_size=1, max_size=30), st.integers(0, 60_000))
def test_however_the_audio_comes_the_last_decodes_are_the_same(
    numbers: list[int], lead: int
) -> None:
    pcm = np.concatenate([np.zeros(lead, dtype=np.int16), say(numbers)])
    at_once, bit_by_bit = Bench(pcm), Bench(pcm)
    at_once.grow(10**8)
    assert at_once.final() == text(numbers)
    while bit_by_bit.total < len(pcm):
        bit_by_bit.grow(320)
        list(bit_by_bit.partials())
    assert bit_by_bit.final() == text(numbers)
    finals = {(p.start, p.end, p.window) for p in bit_by_bit.plans}
    assert {(p.start, p.end, p.window) for p in at_once.plans} <= finals


@settings(max_examples=25, deadline=None)
@given(
    st.lists(WORDS, min_size=1, max_size=5),
    st.integers(320, 20_000),
)
def test_models_that_want_it_get_their_pieces_cut_at_pauses(
    sentences: list[list[int]], step: int
) -> None:
    limits = WindowLimits(min_s=1.0, max_s=8.0, margin_s=0.5, pause_s=0.5)
    still = np.zeros(640, np.int16)  # pauses are 520 ms between sentences, 240 ms inside
    pcm = np.concatenate([np.concatenate([say(numbers), still]) for numbers in sentences])
    bench, at_once = Bench(pcm, limits=limits), Bench(pcm, limits=limits)
    at_once.grow(10**8)
    said = " ".join(text(numbers) for numbers in sentences)
    assert at_once.final() == said
    assert len([plan for plan in at_once.plans if plan.closes]) == len(sentences) - 1
    while bench.total < len(pcm):
        bench.grow(step)
        list(bench.partials())
    assert bench.final() == said
    closed = {(p.start, p.end) for p in at_once.plans if p.closes}
    assert closed == {(p.start, p.end) for p in bench.plans if p.closes}


def test_an_overtaken_decode_is_ignored() -> None:
    bench = Bench(say([1, 2, 3]))
    bench.grow(len(say([1])))
    early = bench.policy.plan_partial(bench)
    bench.grow(10**6)
    assert bench.final() == "w1 w2 w3"
    assert early is not None
    assert bench.policy.absorb(early, bench.decoded(early)) is None
    assert bench.policy.transcript(bench.total).text == "w1 w2 w3"


def test_a_decode_of_a_closed_piece_is_ignored() -> None:
    numbers = list(range(20))
    bench = Bench(say(numbers))
    bench.grow(len(say([1, 2])))
    early = bench.policy.plan_partial(bench)
    bench.grow(10**6)
    assert bench.final() == text(numbers)
    assert early is not None
    late = DecodePlan(early.start, early.end, early.window, True, False)
    assert bench.policy.absorb(late, decode(DecodeRequest(bench.pcm[:1], 320, 9))) is None
    assert bench.policy.transcript(bench.total).text == text(numbers)


def answer(words: str, logprob: float = -0.1, no_speech: float = 0.0) -> Decoded:
    spoken = tuple(Word(word, 0.0, 1.0, 0.9) for word in words.split())
    return Decoded(spoken, len(spoken), logprob, no_speech, "en", 0.01)


@pytest.mark.parametrize(
    ("decoded", "heard", "refused"),
    [
        (answer("turn it on"), "turn it on", None),
        (answer(""), "", "noise"),
        (answer("thank you", logprob=-1.3, no_speech=0.9), "", "noise"),
        (answer("hm " + "thank you so much " * 5), "", "loop"),
        (answer("call me back on one two three four five" + " six" * 8), NUMBER, None),
    ],
)
def test_refusals(decoded: Decoded, heard: str, refused: str | None) -> None:
    bench = Bench(say([1]))
    bench.grow(10**6)
    plan = bench.policy.plan(bench.total, bench, timed=False)
    assert plan is not None
    hypothesis = bench.policy.absorb(plan, decoded)
    transcript = bench.policy.transcript(bench.total)
    assert (transcript.text, transcript.refused) == (heard, refused)
    assert hypothesis is not None
    assert hypothesis.text == heard


def test_confidence_is_the_mean_over_the_tokens_of_all_pieces() -> None:
    bench = Bench(say(list(range(12))))
    bench.grow(10**6)
    chances = [-0.1, -0.5, -0.3]
    counts: list[int] = []
    while plan := bench.policy.plan(bench.total, bench, timed=False):
        bench.policy.absorb(plan, answer("a b" if counts else "a b c", chances[len(counts)]))
        counts.append(2 if counts else 3)
    mean = sum(c * n for c, n in zip(chances, counts, strict=False)) / sum(counts)
    assert len(counts) >= 2
    assert bench.policy.transcript(0).confidence == pytest.approx(np.exp(mean))
    assert bench.policy.transcript(0).language == "en"


def test_unspaced_languages_are_joined_without_spaces() -> None:
    bench = Bench(say([1]))
    bench.grow(10**6)
    plan = bench.policy.plan(bench.total, bench, timed=False)
    assert plan is not None
    words = tuple(Word(word, 0, 1, 0.9) for word in ("你", "好"))
    bench.policy.absorb(plan, Decoded(words, 2, -0.1, 0.0, "zh", 0.01))
    assert bench.policy.transcript(0).text == "你好"
