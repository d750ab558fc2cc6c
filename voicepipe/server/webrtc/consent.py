"""Whether the peer is still there (RFC 7675), on networks and machines where its word takes long.

aioice gives each answer half a second and a call six of them: where a round trip takes longer, by
radio or on a busy machine, every call ends after 30 s. The RFC asks for any valid answer in 30 s.
aioice has no setting for it, so `be_patient` replaces its method, for the whole process.
"""

from __future__ import annotations

import asyncio
import logging
import random

from aioice import stun
from aioice.ice import Connection

log = logging.getLogger(__name__)

EVERY_S = 5.0
EXPIRES_S = 30.0

RETRANSMISSIONS = 3
"""An answer may come 7.5 s later; where the first comes in half a second none are sent."""

STOCK = vars(Connection).get("query_consent")
"""aioice's own."""


def be_patient() -> None:
    """For all connections that are made from now on."""
    if STOCK is None or not hasattr(Connection, "build_request"):
        log.warning("aioice's consent checks are not where they were: slow networks end calls")
        return
    Connection.query_consent = _query_consent  # type: ignore[assignment]


async def _query_consent(connection: Connection) -> None:
    loop = asyncio.get_running_loop()
    heard_at = loop.time()
    while True:
        await asyncio.sleep(EVERY_S * random.uniform(0.8, 1.2))
        for pair in list(connection._nominated.values()):
            try:
                async with asyncio.timeout_at(heard_at + EXPIRES_S):
                    await pair.protocol.request(
                        connection.build_request(pair, nominate=False),
                        pair.remote_addr,
                        integrity_key=str(connection.remote_password).encode(),
                        retransmissions=RETRANSMISSIONS,
                    )
                heard_at = loop.time()
            except stun.TransactionError:
                pass  # the next one may be answered
            except TimeoutError:
                log.info("a peer has not answered for %.0f s", EXPIRES_S)
                connection._query_consent_task = None
                await connection.close()
                return
