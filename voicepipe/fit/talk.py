"""The conversation that predictions play: what is asked and answered, how turns are ended. Pure.

All that depends on words is worked out by the server's own rules: which wait ends a turn, where the
first clause is cut, what of a prompt is new.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from voicepipe.config import BudgetSettings
from voicepipe.dialog.endpointing import text_wait_ms
from voicepipe.dialog.options import TurnOptions
from voicepipe.languages.finished import finished
from voicepipe.languages.known import ENGLISH
from voicepipe.session.spoken_clauses import Spent, sized
from voicepipe.tts.clauses import ClauseOptions, ClauseSplitter

_TOKEN = re.compile(r"'\w+| ?\w+| ?[^\w\s]+")
"""Common English as byte-pair tokenizers cut it, near enough to count."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """`speech_ms`: the question's, from its first sound to its last."""

    question: str
    speech_ms: float
    answer: str


NO_CLOCK = "I'm sorry, I can't see a clock here."
EXCHANGES = (
    Exchange("what time is it", 1144, NO_CLOCK),
    Exchange("set a timer for five minutes", 2179, "I'm sorry, I can't set timers here."),
    Exchange("turn on the lights in the kitchen", 1929, "Okay, the kitchen lights are on."),
    Exchange(
        "i would like to book a table for two at seven",
        3152,
        "Okay, a table for two at seven. Whose name shall I put it under?",
    ),
    Exchange("what is the weather in paris", 1639, "I'm sorry, I can't help with the weather."),
    Exchange("play some music please", 1603, "Okay. What would you like to hear?"),
    Exchange("remind me to call the doctor tomorrow", 2558, "Okay. When shall I remind you?"),
    Exchange("cancel all the timers", 1767, "I'm sorry, I can't see any timers here."),
    Exchange("how are you today", 1304, "I'm fine, thank you. How can I help you?"),
    Exchange(
        "order a pizza for me",
        1606,
        "We have margherita, mushroom and pepperoni. Which pizza would you like?",
    ),
    Exchange("what day of the week is it", 1608, NO_CLOCK),
    Exchange(
        "tell me a joke",
        1121,
        "Why did the clock go to school? It wanted to be on time.",
    ),
)
"""The questions of `voicepipe bench turns`, and answers of an assistant that is brief."""


TURNS, BUDGET = TurnOptions(), BudgetSettings()
"""As they are where nobody has set them."""


@dataclass(frozen=True, slots=True)
class Talk:
    """What a conversation is like, and the settings that its turns are ended by. Times in ms."""

    exchanges: tuple[Exchange, ...] = EXCHANGES  # in turn, each caller beginning at another one
    head_tokens: int = 2  # of a chat template, before the caller's words: "user" and a line's end
    tail_tokens: int = 5  # behind them, up to the answer
    pause_ms: float = 750  # before the caller speaks again
    first_partial_ms: float = 60  # from the first sound: when it is sure to be speech
    output_ms: float = 2
    spread: float = 0.2  # of an engine's time for the same work, as ledgers show it
    turns: TurnOptions = TURNS
    budget: BudgetSettings = BUDGET

    def wait_ms(self, heard: str) -> float:
        """Silence that ends the turn, by what was heard so far."""
        return _wait_ms(heard, self.turns)

    def new_tokens(self, question: str, known_words: int) -> int:
        """Of a prompt whose history is in the cache, and so many words of the question too."""
        left = tokens(question) - tokens(" ".join(question.split()[:known_words]))
        return left + self.tail_tokens + (0 if known_words else self.head_tokens)

    def warm_tokens(self, question: str, known_words: int, words: int) -> int:
        """To be computed when so many words are stable and so many were."""
        return self.new_tokens(question, known_words) - self.new_tokens(question, words)

    def first_clause(self, answer: str, since_end_ms: float, over: bool) -> str:
        """As the server cuts it when the first token comes so long after the caller's last word;
        `over`: the endpoint has passed.
        """
        budget = self.budget
        if not budget.act:
            return first_clause(answer, ClauseOptions())
        options = sized(
            Spent(
                since_speech_end_ms=since_end_ms,
                over=over,
                due_ms=budget.endpoint_ms + budget.asr_ms + budget.llm_ms + budget.clause_ms,
                earliest_end_ms=min(budget.endpoint_ms, self.turns.endpoint_complete_ms),
                speech_ms=budget.tts_ms,
            )
        )
        return first_clause(answer, options)


def tokens(text: str) -> int:
    """About as many as a language model's tokenizer makes of it."""
    return len(_TOKEN.findall(text.rstrip()))


@cache
def first_clause(answer: str, options: ClauseOptions) -> str:
    """Where the server cuts an answer that comes word by word."""
    splitter = ClauseSplitter(options, ENGLISH)
    return (splitter.push(answer) or splitter.flush())[0]


def steps_to(clause: str) -> int:
    """Of the language model, from its first token until the clause is known to be whole: by the
    token behind it, or by the answer's end.
    """
    return tokens(clause)


@cache
def _wait_ms(heard: str, options: TurnOptions) -> int:
    return text_wait_ms(options, finished(heard, ENGLISH))
