"""What a caller's words come to: acts on an order."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from things import Thing


class Act(Enum):
    """What is to be done, or answered."""

    ADD = auto()
    AGAIN = auto()  # what is pointed at once more
    CHANGE = auto()
    REMOVE = auto()
    CLEAR = auto()
    PRICE = auto()
    TOTAL = auto()
    COUNT = auto()  # how many there are
    ORDER = auto()  # what is ordered so far
    NUMBER = auto()  # of the order that was placed
    MENU = auto()
    WHICH = auto()  # of two would they like
    HAVE = auto()  # whether there is such a thing
    DONE = auto()
    PLACE = auto()
    YES = auto()
    NO = auto()
    UNKNOWN = auto()  # is wanted, and not on the menu
    AGAIN_PLEASE = auto()  # what was said last
    FREE = auto()  # what an extra costs
    OURS = auto()  # a question about the house, of which nothing is known


@dataclass(frozen=True, slots=True)
class Part:
    """One act. `thing` or `what` say what; `which`: of the order, "" = the newest, and "all" of an
    ADD: there are to be as many as are told; `off`: what is taken out for it; `wish`: it is ordered
    where it is not yet."""

    act: Act
    thing: Thing | None = None
    what: str = ""
    which: str = ""
    instead: bool = False  # of what was said just before
    off: str = ""
    wish: bool = False
