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
    refusal = service.admission.check()
    return None if refusal is None else str(refusal)
