"""The tables, and how an older database becomes a newer one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Connection,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    inspect,
    select,
    text,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeDecorator

from voicepipe.call_log.contract import CallStoreError
from voicepipe.call_log.sealed_columns import SealedJson, SealedText

VERSION = 4
MIGRATIONS: Mapping[int, tuple[str, ...]] = {
    1: (
        "ALTER TABLE calls ADD COLUMN live_id VARCHAR(64)",
        "ALTER TABLE calls ADD COLUMN agent VARCHAR(64)",
    ),
    2: (
        "ALTER TABLE calls ADD COLUMN key_name TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE turns ADD COLUMN waited_us BIGINT",
    ),
    3: ("ALTER TABLE turns ADD COLUMN tool_calls TEXT",),
}
"""From this version to the next: SQL that both databases understand. Only ever add columns, tables
and indexes, so that a server of the version before can finish its work."""

_CREATING = 0x766F6963  # any number that nothing else locks


class UtcTime(TypeDecorator[datetime]):
    """An instant, UTC: SQLite keeps no time zone, so it is taken off and put on here."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        utc = value.astimezone(UTC)
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


metadata = MetaData()
Json = JSON().with_variant(JSONB(), "postgresql")

schema_info = Table(
    "voicepipe_schema", metadata, Column("version", Integer, primary_key=True, autoincrement=False)
)

servers = Table(
    "servers",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("host", String(255), nullable=False),
    Column("pid", Integer, nullable=False),
    Column("version", String(64), nullable=False),
    Column("started_at", UtcTime, nullable=False),
    Column("seen_at", UtcTime, nullable=False),  # renewed while it lives
    Column("stopped_at", UtcTime),
)

calls = Table(
    "calls",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("server_id", String(64), ForeignKey("servers.id"), nullable=False),
    Column("session_id", String(64), nullable=False),
    Column("door", String(32), key="transport", nullable=False),  # its name of version 1
    Column("carrier_call_id", Text, nullable=False),
    Column("caller", SealedText("caller", findable=True), nullable=False),
    Column("called", SealedText("called", findable=True), nullable=False),
    Column("started_at", UtcTime, nullable=False),
    Column("answered", Boolean, nullable=False),
    Column("ended_at", UtcTime),
    Column("end_reason", Text),
    Column("recording", Text),  # path below the recordings folder
    Column("recording_started_at", UtcTime),
    Column("lost_turns", Integer, nullable=False, default=0),  # that could not be written
    Column("lost_sound_s", Float, nullable=False, default=0.0),
    Column("profile", Text, nullable=False),
    Column("version", String(64), nullable=False),
    Column("live_id", String(64)),  # as its client knew it while it was up; version 2, like ...
    Column("agent", String(64)),  # ... who answered it first
    Column("key_name", Text, nullable=False, server_default=""),  # of `keys`; "": the owner's
    Index("calls_started_at", "started_at"),
    Index("calls_caller", "caller"),
)

turns = Table(
    "turns",
    metadata,
    Column("call_id", String(64), ForeignKey("calls.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),  # from 1, in order of ending
    Column("turn_id", String(64), nullable=False),
    Column("recorded_at", UtcTime, nullable=False),
    Column("end", String(32), nullable=False),  # `latency.ledger.TurnEnd`
    Column("voice_to_voice_us", BigInteger),
    Column("user_text", SealedText("user_text")),
    Column("agent_text", SealedText("agent_text")),  # as heard
    Column("ledger", Json, nullable=False),  # `TurnRecord.as_dict()`: marks, critical, work, route
    Column("tool_calls", SealedJson("tool_calls")),  # name, arguments and result of each
    Column("waited_us", BigInteger),  # `voice_to_voice_us` and, as far as it is known, the network
)


webhook_events = Table(  # that have not been delivered yet; version 2
    "webhook_events",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),  # in order of happening
    Column("id", String(64), nullable=False, unique=True),  # the webhook-id of its deliveries
    Column("webhook", String(64), nullable=False),  # whose settings say where it goes
    Column("call_id", String(64), nullable=False),
    Column("server_id", String(64), nullable=False),  # that delivers it
    Column("type", String(32), nullable=False),
    Column("body", SealedText("body"), nullable=False),
    Column("traceparent", String(64), nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("due_at", UtcTime, nullable=False),
    Column("attempts", Integer, nullable=False, default=0),
    Column("dead", Boolean, nullable=False, default=False),  # given up
    Column("problem", Text, nullable=False, default=""),  # of the last attempt
    Index("webhook_events_due", "webhook", "dead", "due_at"),
)


def prepare(connection: Connection, place: str, *, create: bool) -> None:
    """Make the tables in an empty database, or bring older ones up to date; within the caller's
    transaction. `place` names the database in messages.

    Raises CallStoreError where it is somebody else's, newer than this voicepipe, or (`create`
    False) empty.
    """
    if connection.dialect.name == "postgresql":  # two servers may start at once
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _CREATING})
    names = set(inspect(connection).get_table_names())
    if schema_info.name in names:
        _migrate(connection, place)
        return
    ours = {table.name for table in metadata.sorted_tables}
    strange = names if connection.dialect.name == "sqlite" else names & ours
    if strange:
        raise CallStoreError(
            f"{place} holds tables that are not voicepipe's ({', '.join(sorted(strange)[:5])}); "
            "give calls.database a database of its own"
        )
    if not create:
        raise CallStoreError(f"{place} is empty: no calls were ever written to it")
    metadata.create_all(connection)
    connection.execute(schema_info.insert().values(version=VERSION))


def _migrate(connection: Connection, place: str) -> None:
    found = connection.execute(select(schema_info.c.version)).scalar_one_or_none()
    if found is None or found > VERSION:
        raise CallStoreError(
            f"{place} was made by a newer voicepipe (schema {found}; this one knows {VERSION}); "
            "upgrade voicepipe, or give calls.database another place"
        )
    for version in range(found, VERSION):
        for statement in MIGRATIONS[version]:
            connection.execute(text(statement))
    if found < VERSION:
        metadata.create_all(connection)  # tables that came later
        connection.execute(update(schema_info).values(version=VERSION))
