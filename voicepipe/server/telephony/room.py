"""Whether there is room for another call."""

from __future__ import annotations

from voicepipe.server.service import Service


def busy(service: Service) -> str | None:
    """Why no call can be taken now; None: one can."""
    if service.closing:
        return "the server is stopping; try again later"
    if not service.ready:
        return "the engines are still starting; see /readyz"
    if (full := service.seats.problem) is not None:
        return full
    if (pool := service.engines.full()) is not None:
        return f"all replicas of the pool {pool} are full; try again soon"
    refusal = service.admission.check()
    return None if refusal is None else str(refusal)
