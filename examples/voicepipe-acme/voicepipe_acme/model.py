"""Acme's model over HTTP. It answers a POST of the conversation with one JSON object a line:
`{"text": "..."}` for a piece of the answer, `{"end": "stop"}` at last."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator

import httpx

from voicepipe.llm.contract import ChatRequest, Delta, Finish, TextDelta
from voicepipe.runtime.errors import EngineError, EngineUnavailable


class AcmeModel:
    """`LanguageModel`; see `voicepipe/llm/contract.py`."""

    name = "acme"

    def __init__(self, model: str, url: str, api_key: str, timeout_s: float) -> None:
        self._model = model
        self._client = httpx.AsyncClient(
            base_url=url, headers={"Authorization": f"Bearer {api_key}"}, timeout=timeout_s
        )

    async def start(self) -> None:
        """Ask for the model, so that a wrong key or name is told before the first call."""
        try:
            answer = await self._client.get(f"/models/{self._model}")
            answer.raise_for_status()
        except httpx.HTTPError as error:
            raise EngineUnavailable(
                f"Acme does not offer {self._model}: {error}", stage="llm"
            ) from error

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """Generate. Closing the iterator closes the connection, which stops Acme's work."""
        said_anything = False
        try:
            async with self._client.stream("POST", "/answers", json=self._body(request)) as answer:
                answer.raise_for_status()
                async for line in answer.aiter_lines():
                    piece = json.loads(line)
                    if "end" in piece:
                        yield Finish(piece["end"])
                        return
                    said_anything = True
                    yield TextDelta(piece["text"])
        except (httpx.HTTPError, ValueError, KeyError) as error:
            # Once something was said, asking again would say it twice.
            raise EngineError(f"Acme: {error}", stage="llm", retryable=not said_anything) from error
        raise EngineError("Acme: the answer broke off", stage="llm", retryable=not said_anything)

    async def warm(self, request: ChatRequest) -> None:
        """Acme keeps no prefixes."""

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    def _body(self, request: ChatRequest) -> dict[str, object]:
        messages = [{"role": m.role, "content": m.content} for m in request.messages]
        return {"model": self._model, "messages": messages, "max_tokens": request.max_tokens}
