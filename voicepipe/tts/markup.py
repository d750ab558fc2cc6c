"""Is a text cut off inside a piece of Markdown? Pure."""

from __future__ import annotations

import re

_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"!?\[[^\]\n]*\]\([^)\n]*\)")
_OPEN_LINK = re.compile(r"\[[^\]\n]*$|\]\([^)\n]*$")
_OPEN_CODE = re.compile(r"`[^`\n]*$")
# Opens where a word could start and text follows; closes behind text. `5 * 3` and snake_case don't.
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|_{1,3}|~~)(?=[^\s*_])[^\n]*?(?<=[^\s])\1(?!\w)")
_OPEN_EMPHASIS = re.compile(r"(?<![\w*])(?:\*{1,3}|_{1,3}|~~)(?=[^\s*_])[^\n]*$")


def ends_inside_markup(text: str) -> bool:
    """True if `text` ends within inline code, a link or emphasis that it opened. All of them end
    with their line.
    """
    line = text[text.rfind("\n") + 1 :]
    if not any(mark in line for mark in "`[*_~"):
        return False
    line = _CODE.sub("x", line)
    if _OPEN_CODE.search(line):
        return True
    line = _LINK.sub("x", line)
    if _OPEN_LINK.search(line):
        return True
    return _OPEN_EMPHASIS.search(_EMPHASIS.sub("x", line)) is not None
