"""`get_digits`: the model waits for keys of the caller's telephone.

The function does not hold the reply up that calls it. It opens a wait and returns; the reply (the
question) is played to its end, and from then on the caller's time runs. When the keys are in, the
call and its result stand in the conversation and the model is asked for its next reply. So the
caller is heard all the while as in any silence, and whoever presses before the question is over
cuts it short as any key does.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from voicepipe.conversation.items import FunctionCallItem, FunctionOutputItem, Item
from voicepipe.llm.contract import Tool
from voicepipe.session.context import Context
from voicepipe.session.dtmf_entry import END_KEY, MAX_KEYS, DtmfEntry
from voicepipe.session.ids import new_id
from voicepipe.session.turn_taking import TurnTaking
from voicepipe.tools.contract import Arguments, Facts, Output, ServerTool, ToolError

GET_DIGITS = "get_digits"
KEYS = "0123456789*#ABCD"

TIMEOUT_S = 5.0
MAX_TIMEOUT_S = 60.0

LONGEST_DELAY_S = 60.0
"""While somebody speaks a wait is not over for want of keys, for no longer than this."""

STRAY_S = 3.0
"""Who has been asked for a number presses # behind it out of habit, asked or not."""

MAX_IN_VAIN = 3
"""Waits in a row without a key or a word: nobody is there, and a model might ask for ever."""

EndedBy = Literal["count", "end_key", "timeout", "speech"]

DECLARATION = Tool(
    GET_DIGITS,
    "Wait for digits that the caller enters on the telephone's keypad. Say in the same breath what "
    "they shall enter. When they are in, you get the digits, and what ended the entry (ended_by): "
    "count, end_key, timeout, or speech, if the caller spoke before it was complete.",
    {
        "type": "object",
        "properties": {
            "max_digits": {
                "type": "integer",
                "minimum": 1,
                "maximum": MAX_KEYS,
                "description": "the entry is complete with so many; leave it out if you do not "
                "know how many there will be",
            },
            "end_key": {
                "type": "string",
                "enum": [*KEYS, ""],
                "description": f'the key that ends the entry, "{END_KEY}" if left out; "" for none',
            },
            "timeout_s": {
                "type": "number",
                "minimum": 1,
                "maximum": MAX_TIMEOUT_S,
                "description": "no key for so long ends the entry, "
                f"{TIMEOUT_S:g} s if left out; it begins when you have finished speaking",
            },
        },
    },
)

_ASKED = {
    "waiting": True,
    "note": "Keys are being taken. If you have not said yet what the caller shall enter, say it "
    "now, in one sentence; the digits come to you when they are in.",
}
_NOBODY = (
    f"nothing was entered the last {MAX_IN_VAIN} times. Ask the caller whether they are there, in "
    "words; do not wait for keys before they have said something."
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What ends an entry."""

    max_digits: int = MAX_KEYS
    end_key: str = END_KEY  # "" = none
    timeout_s: float = TIMEOUT_S


def read_wanted(arguments: Mapping[str, Any]) -> Wanted | str:
    """The arguments, or what is wrong with them, in words for the model."""
    known = tuple(DECLARATION.parameters["properties"])
    for name in arguments:
        if name not in known:
            return f"there is no argument {name!r}; there are: {', '.join(known)}"
    given = {name: value for name, value in arguments.items() if value is not None}
    digits = given.get("max_digits", MAX_KEYS)
    if isinstance(digits, bool) or not isinstance(digits, int) or not 1 <= digits <= MAX_KEYS:
        return f"max_digits must be a whole number from 1 to {MAX_KEYS}"
    key = given.get("end_key", END_KEY)
    if not isinstance(key, str) or (key != "" and (len(key) != 1 or key not in KEYS)):
        return f'end_key must be one of {" ".join(KEYS)}, or "" for none'
    timeout_s = given.get("timeout_s", TIMEOUT_S)
    if (
        isinstance(timeout_s, bool)
        or not isinstance(timeout_s, int | float)
        or not 1 <= timeout_s <= MAX_TIMEOUT_S
    ):
        return f"timeout_s must be a number of seconds from 1 to {MAX_TIMEOUT_S:g}"
    return Wanted(digits, key, float(timeout_s))


class Wait:
    """One entry. `busy`: somebody speaks; `on_end` is called once, `close` prevents it."""

    def __init__(
        self, wanted: Wanted, keys: str, busy: Callable[[], bool], on_end: Callable[[EndedBy], None]
    ) -> None:
        """`keys`: pressed already."""
        self.wanted = wanted
        self._ended = bool(wanted.end_key) and wanted.end_key in keys
        keys = keys.partition(wanted.end_key)[0] if self._ended else keys
        self.keys = keys[: wanted.max_digits]
        self._busy, self._on_end = busy, on_end
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._latest_at = 0.0  # by the loop's time: no speech delays the end any further
        self.run_anew()

    def press(self, key: str) -> None:
        """One of `KEYS`."""
        if key == self.wanted.end_key:
            self._end("end_key")
            return
        self.keys += key
        if self._complete:
            self._end("count")
        else:
            self.run_anew()

    def run_anew(self) -> None:
        """The caller's time begins now."""
        self._latest_at = self._loop.time() + self.wanted.timeout_s + LONGEST_DELAY_S
        self._start_timer()

    def close(self) -> None:
        """Wait for nothing any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    @property
    def _complete(self) -> bool:
        return len(self.keys) >= self.wanted.max_digits

    def _start_timer(self) -> None:
        self.close()
        delay_s = 0.0 if self._complete or self._ended else self.wanted.timeout_s
        self._timer = self._loop.call_later(delay_s, self._run_out)

    def _run_out(self) -> None:
        if self._complete:
            self._end("count")
        elif self._ended:
            self._end("end_key")
        elif self._busy() and self._loop.time() < self._latest_at:
            self._start_timer()
        else:
            self._end("timeout")

    def _end(self, by: EndedBy) -> None:
        self.close()
        self._on_end(by)


class DtmfGather:
    """The waits of one session, one at a time. `add_item` puts an item at the conversation's end
    and tells the client of it; False: there is no room for it."""

    def __init__(
        self,
        context: Context,
        turns: TurnTaking,
        keypad: DtmfEntry,
        add_item: Callable[[Item], bool],
    ) -> None:
        self._context, self._turns, self._keypad = context, turns, keypad
        self._add_item = add_item
        self._wait: Wait | None = None
        self._asked_in: str | None = None  # the response that asks
        self._arguments = ""  # of the call, as the model wrote them
        self._output: FunctionOutputItem | None = None  # of the wait, once there is a key
        self._told = False  # the model has been asked to answer an entry; its response is to begin
        self._stray_key, self._stray_until = "", 0.0
        self._in_vain = 0

    @property
    def tool(self) -> ServerTool:
        """For the model."""
        return ServerTool(DECLARATION, self._run, source="telephony.tools", in_history=False)

    @property
    def waiting(self) -> bool:
        return self._wait is not None

    def swallows(self, key: str) -> bool:
        """The end key behind an entry that was complete without it: nothing to act on."""
        stray = key == self._stray_key and self._context.clock.now() <= self._stray_until
        self._stray_key = ""
        return stray

    def press(self, key: str) -> None:
        """A key while `waiting`. What the caller is saying meanwhile is dropped: many read the
        number aloud as they press."""
        assert self._wait is not None
        self._in_vain = 0
        self._turns.forget_user_audio()
        wait = self._wait
        wait.press(key)
        if self._wait is wait:
            self._note("speech")  # a prompt made before the entry ends is made because of speech

    def response_begins(self, response_id: str) -> None:
        """One that did not ask: the caller has said something instead, and is being answered."""
        told, self._told = self._told, False
        if response_id == self._asked_in:
            return
        if not told:
            self._in_vain = 0
        self.close()

    def close(self) -> None:
        """Wait for nothing any more; what was entered stays in the conversation."""
        if self._wait is not None:
            self._wait.close()
        self._wait = self._asked_in = self._output = None

    async def _run(self, arguments: Arguments, facts: Facts) -> Output:
        wanted = read_wanted(arguments)
        if isinstance(wanted, str):
            raise ToolError(wanted, fault=False)
        if self._in_vain >= MAX_IN_VAIN:
            raise ToolError(_NOBODY, fault=False)
        keys = self._keypad.take() if self._wait is None else self._wait.keys
        output = self._output
        self.close()
        self._output = output  # the model asks again before anything was answered: one entry
        self._asked_in = self._turns.response_id
        self._arguments = json.dumps(arguments)
        wait = Wait(wanted, keys, lambda: not self._turns.at_rest, self._end)
        self._wait = wait

        def asked() -> None:
            if self._wait is wait:
                wait.run_anew()

        return Output(json.dumps(_ASKED), asked)

    def _end(self, by: EndedBy) -> None:
        assert self._wait is not None
        wanted = self._wait.wanted
        if by == "count":
            self._stray_key = wanted.end_key
            self._stray_until = self._context.clock.now() + STRAY_S
        if by == "timeout" and not self._wait.keys:
            self._in_vain += 1
        noted = self._note(by)
        self.close()
        if noted:
            self._told = True
            self._turns.keys_entered()

    def _note(self, ended_by: EndedBy) -> bool:
        """Put what is known of the entry into the conversation: the call, and its result."""
        assert self._wait is not None
        text = json.dumps({"digits": self._wait.keys, "ended_by": ended_by})
        if self._output is not None and self._output.id in self._context.conversation:
            self._output = FunctionOutputItem(self._output.id, self._output.call_id, text)
            self._context.conversation.replace(self._output)
            return True
        call_id = new_id("call")
        call = FunctionCallItem(new_id("item"), call_id, GET_DIGITS, self._arguments)
        self._output = FunctionOutputItem(new_id("item"), call_id, text)
        return self._add_item(call) and self._add_item(self._output)
