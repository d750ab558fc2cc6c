"""Who holds a named key, and what they have used of it."""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, date, datetime

from pydantic import SecretStr

from voicepipe.config.keys import KeySettings
from voicepipe.ledger.records import TurnRecord
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import ConfigError, LimitExceeded
from voicepipe.server.key_meter import SpokenChars, Used
from voicepipe.server.key_use import ForgottenKeyUse, KeyUse
from voicepipe.session.listener import Listener

log = logging.getLogger(__name__)

BOOK_S = 10.0
"""So much of each session's time may be missing in what other gateways see, and after a crash."""


def today_utc() -> date:
    """The day that minutes are counted on."""
    return datetime.now(UTC).date()


class KeyHolder:
    """One key, and its use since the process began; of the day's minutes, that of the day."""

    def __init__(
        self,
        name: str,
        settings: KeySettings,
        clock: Clock,
        today: Callable[[], date] = today_utc,
        use: KeyUse | None = None,
    ) -> None:
        """`use`: where the day's minutes are written down; None: they are forgotten."""
        self.name, self.settings = name, settings
        self._clock, self._today = clock, today
        self._use = use or ForgottenKeyUse()
        self._open: dict[str, float] = {}  # session id -> when it was opened
        self._booked: dict[str, float] = {}  # session id -> until when its time is written down
        self.sessions = 0
        self.used = Used()
        self._by_session: dict[str, Used] = {}  # of those that are open

    def may_name(self, agent: str) -> bool:
        """Whether its holder may ask for an agent; nobody in particular may always be asked for."""
        allowed = self.settings.agents
        return not agent or allowed is None or agent in allowed

    def check(self) -> None:
        """Raises LimitExceeded where today's minutes are used up. How many sessions it has at once,
        `Seats` counts."""
        limits = self.settings
        if limits.minutes_a_day is not None and self._used_today_s() >= limits.minutes_a_day * 60:
            raise LimitExceeded(
                f"this key has used its {limits.minutes_a_day:g} minutes of today "
                f"(keys.{self.name}.minutes_a_day)"
            )

    def opened(self, session_id: str) -> Listener:
        """A session of its holder's has begun, and is to be listened to."""
        self._open[session_id] = self._booked[session_id] = self._clock.now()
        self.sessions += 1
        used = self._by_session[session_id] = Used()
        return SpokenChars(used, self.used)

    def closed(self, session_id: str) -> None:
        """It has ended; the log says what it used."""
        self.book()
        del self._booked[session_id]
        used = self._by_session.pop(session_id)
        used.connected_s = self._clock.now() - self._open.pop(session_id)
        self.used.connected_s += used.connected_s
        log.info("keys.%s: session %s has used %s", self.name, session_id, used)

    def book(self) -> None:
        """Write down what its open sessions have used, so that a process that dies forgets little,
        and other gateways see it."""
        used_s = self._not_booked_s()
        if used_s > 0:
            self._use.add(self.name, self._today(), used_s)
        self._booked = dict.fromkeys(self._booked, self._clock.now())

    def turn_finished(self, record: TurnRecord) -> None:
        """A turn of one of its sessions was written down."""
        used = self._by_session.get(record.session_id)
        if used is not None:
            used.turn(record)
            self.used.turn(record)

    def _used_today_s(self) -> float:
        return self._use.seconds(self.name, self._today()) + self._not_booked_s()

    def _not_booked_s(self) -> float:
        now = self._clock.now()
        return sum(now - since for since in self._booked.values())


class Keys:
    """All of them. Raises ConfigError for a key that comes twice, is the owner's, names an agent
    that there is not, or is there while the owner has none: then nobody would be asked for any."""

    def __init__(
        self,
        settings: Mapping[str, KeySettings],
        clock: Clock,
        *,
        owner: SecretStr | None,
        agents: Collection[str],
        use: KeyUse | None = None,
    ) -> None:
        problems = key_problems(settings, agents)
        if settings and owner is None:
            problems.append("keys: set server.api_key too, which is the owner's")
        problems += [
            f"keys.{name}.key: server.api_key is the same"
            for name, one in settings.items()
            if one.key == owner
        ]
        if problems:
            raise ConfigError("\n".join(problems))
        self._use = use or ForgottenKeyUse()
        self.holders = tuple(
            KeyHolder(name, one, clock, use=self._use) for name, one in settings.items()
        )

    def holder(self, offered: str | None) -> KeyHolder | None:
        """Whose key it is; takes the same time whoever's it is."""
        given = (offered or "").encode("utf-8", "replace")
        found = None
        for one in self.holders:
            if hmac.compare_digest(one.settings.key.get_secret_value().encode(), given):
                found = one
        return found

    def turn_finished(self, record: TurnRecord) -> None:
        """For the log of turns."""
        for one in self.holders:
            one.turn_finished(record)

    async def book_on(self) -> None:
        """For ever. Its owner, the service, cancels it."""
        while True:
            await asyncio.sleep(BOOK_S)
            for one in self.holders:
                one.book()

    async def aclose(self) -> None:
        """All is written down."""
        for one in self.holders:
            one.book()
        await asyncio.to_thread(self._use.close)


def key_problems(settings: Mapping[str, KeySettings], agents: Collection[str]) -> list[str]:
    """What is wrong with them where there are these agents."""
    problems: list[str] = []
    owners: dict[str, str] = {}
    for name, one in settings.items():
        owner = owners.setdefault(one.key.get_secret_value(), name)
        if owner != name:
            problems.append(f"keys.{name}.key: {owner} has the same")
        for agent in (one.agent, *(one.agents or ())):
            if agent and agent not in agents:
                problems.append(f"keys.{name}: there is no agent {agent!r}")
    return problems
