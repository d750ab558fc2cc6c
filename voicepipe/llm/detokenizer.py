"""Token ids to text while they come, without ever showing half a character."""

from __future__ import annotations

from collections.abc import Container

from tokenizers import Tokenizer

_REPLACEMENT = "�"
"""What decoding shows for bytes that are not (yet) a whole character."""

MAX_HELD_TOKENS = 8
"""A character has at most four bytes; tokens beyond that are really broken text, or none."""


class Detokenizer:
    """Incremental decoding for one answer.

    A few tokens of context are decoded along with the new ones, because some tokenizers spell a
    token differently at the start of a text. A token that shows nothing by itself (a mark that the
    next word has a capital) waits for the next. Ids in `hidden` (control tokens) yield nothing.
    """

    def __init__(self, tokenizer: Tokenizer, hidden: Container[int] = ()) -> None:
        self._tokenizer = tokenizer
        self._hidden = hidden
        self._ids: list[int] = []
        self._context_start = 0  # first id decoded again
        self._shown_end = 0  # ids before this one have been shown

    def feed(self, token_id: int) -> str:
        """Text that this token completes; may be empty."""
        if token_id in self._hidden:
            return ""
        self._ids.append(token_id)
        text = self._new_text()
        held = len(self._ids) - self._shown_end
        is_whole = text and not text.endswith(_REPLACEMENT)
        if not is_whole and held <= MAX_HELD_TOKENS:
            return ""
        self._context_start, self._shown_end = self._shown_end, len(self._ids)
        return text

    def close(self) -> str:
        """The answer is over: whole characters still held back, without a cut-off last one."""
        text = self._new_text()
        self._context_start = self._shown_end = len(self._ids)
        return text.rstrip(_REPLACEMENT)

    def _new_text(self) -> str:
        context = self._decode(self._ids[self._context_start : self._shown_end])
        return self._decode(self._ids[self._context_start :])[len(context) :]

    def _decode(self, ids: list[int]) -> str:
        if not ids:
            return ""
        text: str = self._tokenizer.decode(ids, skip_special_tokens=False)
        return text
