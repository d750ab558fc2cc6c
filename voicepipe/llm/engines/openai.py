"""Any server that speaks OpenAI's chat completions: vLLM, llama.cpp, Ollama, or OpenAI itself."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, replace

import httpx

from voicepipe.config import LlmSettings
from voicepipe.llm.call_ids import CallIds
from voicepipe.llm.contract import ChatRequest, Delta
from voicepipe.llm.engines.openai_wire import (
    ChunkReader,
    ServerFault,
    error_message,
    request_body,
)
from voicepipe.llm.sse import SseParser
from voicepipe.llm.thinking import ThoughtFilter
from voicepipe.runtime.errors import EngineError, EngineUnavailable, LimitExceeded

KEEPALIVE_S = 300.0
"""A new connection costs a turn one to three round trips, and callers pause for minutes."""

MAX_CONNECTIONS = 256
START_TIMEOUT_S = 5.0

RETRY_PAUSE_S = 0.05
MAX_RETRY_PAUSE_S = 0.25
"""One retry, soon, and never after the first token, which may have been spoken: a caller waits on
the line, and the session has a fallback for the rest."""

DRAIN_S = 0.05
"""After the last event the server ends the reply; waiting for that keeps the connection usable."""

MAX_ERROR_BYTES = 16_384

_RETRYABLE_STATUS = frozenset({429, 500, 502, 503, 504})
_BUILTIN_MODEL = "builtin/llm"  # the settings' default; means "whatever the server has" here
_DONE = "[DONE]"


class OpenAICompatibleModel:
    """`LanguageModel` over `POST {base_url}/chat/completions` with a kept-alive connection.

    Closing the stream closes the HTTP reply, by which servers notice and stop generating."""

    name = "openai"

    def __init__(self, settings: LlmSettings) -> None:
        if not settings.base_url:
            raise EngineUnavailable(
                "The openai engine needs llm.base_url, e.g. http://127.0.0.1:8000/v1.", stage="llm"
            )
        self._settings = settings
        self._model = "" if settings.model == _BUILTIN_MODEL else settings.model
        self._url = httpx.URL(settings.base_url.rstrip("/") + "/")
        self._host = self._url.netloc.decode("ascii").rpartition("@")[2]
        self._key = settings.api_key.get_secret_value() if settings.api_key else ""
        self._client: httpx.AsyncClient | None = None
        self._call_ids = CallIds()
        self.active_requests = 0

    async def start(self) -> None:
        """Connect and ask for the models; see the contract."""
        if self._client is not None:
            return
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        client = httpx.AsyncClient(
            base_url=self._url,
            headers=headers,
            timeout=None,
            limits=httpx.Limits(
                max_connections=MAX_CONNECTIONS,
                max_keepalive_connections=MAX_CONNECTIONS,
                keepalive_expiry=KEEPALIVE_S,
            ),
        )
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                reply = await client.get("models")
            self._check_start(reply)
        except BaseException as error:
            await client.aclose()
            if isinstance(error, httpx.HTTPError | TimeoutError):
                raise EngineUnavailable(
                    f"No OpenAI-compatible server answers at {self._host} ({_kind(error)}); start "
                    "it or correct llm.base_url.",
                    stage="llm",
                ) from error
            raise
        self._client = client

    def _check_start(self, reply: httpx.Response) -> None:
        if reply.status_code in (401, 403):
            raise EngineUnavailable(
                f"{self._host} refuses the key (status {reply.status_code}); set llm.api_key.",
                stage="llm",
            )
        if self._model:
            return  # a server without a model list is fine then
        try:
            self._model = str(reply.json()["data"][0]["id"])
        except (ValueError, LookupError, TypeError):
            raise EngineUnavailable(
                f"{self._host} lists no models (status {reply.status_code}); set llm.model.",
                stage="llm",
            ) from None

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """Generate; see the contract. Retried once, and only while nothing has come: what a server
        refused for the moment, and connections that broke.
        """
        began = asyncio.get_running_loop().time()
        deadlines = _Deadlines(
            began + self._settings.first_token_timeout_ms / 1000,
            began + self._settings.total_timeout_ms / 1000,
        )
        self.active_requests += 1
        try:
            for last in (False, True):
                try:
                    async with aclosing(self._attempt(request, deadlines)) as deltas:
                        async for delta in deltas:
                            yield delta
                    return
                except _Transient as failure:
                    if last:
                        raise failure.error from failure.__cause__
                    pause_s = failure.pause_s
                await self._pause(pause_s, deadlines)
        finally:
            self.active_requests -= 1

    async def warm(self, request: ChatRequest) -> None:
        """Send the prompt for one token, if `llm.prefill_on_warm` says that the server keeps it."""
        if not self._settings.prefill_on_warm:
            return
        async for _ in self.stream(replace(request, max_tokens=1)):
            pass

    async def aclose(self) -> None:
        """Close the connections. Idempotent."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    # One request ---------------------------------------------------------------------------

    async def _attempt(
        self, request: ChatRequest, deadlines: _Deadlines
    ) -> AsyncGenerator[Delta, None]:
        """Raises _Transient for what may go better the next time; then nothing was yielded."""
        reply = await self._open(request, deadlines.first)
        pieces = reply.aiter_bytes()
        delivered = False
        try:
            chunks = ChunkReader(request, self._call_ids, self._thoughts())
            async with aclosing(self._events(pieces, chunks)) as events:
                while True:
                    deadline = deadlines.total if delivered else deadlines.first
                    data = await self._next(events, deadline, delivered)
                    for delta in self._read(chunks, data, delivered):
                        delivered = True
                        yield delta
                    if data is None:
                        return
        finally:
            await reply.aclose()
            # httpx reads through nested generators. Dropped half-way, each would end in a task
            # of its own some time later; read once more, they all meet the closed connection.
            await _drain(pieces)

    async def _open(self, request: ChatRequest, deadline: float) -> httpx.Response:
        """The reply's head, status 200."""
        client = self._client
        if client is None:
            raise EngineError("The language model is not started.", stage="llm")
        body = request_body(request, self._model, self._call_ids, logprobs=self._settings.logprobs)
        http_request = client.build_request("POST", "chat/completions", json=body)
        try:
            async with asyncio.timeout_at(deadline):
                reply = await client.send(http_request, stream=True)
                if reply.status_code != httpx.codes.OK:
                    await self._refused(reply)
        except TimeoutError:
            raise self._late(delivered=False) from None
        except httpx.HTTPError as error:
            # Also a kept connection that the server closed meanwhile: nothing was generated.
            failure = self._error(f"cannot be reached ({_kind(error)})", retryable=True)
            if isinstance(error, httpx.TransportError):
                raise _Transient(failure) from error
            raise failure from error
        return reply

    async def _refused(self, reply: httpx.Response) -> None:
        """Raises what a reply that is not 200 means."""
        try:
            detail = await _body_start(reply)
        finally:
            await reply.aclose()
        retryable = reply.status_code in _RETRYABLE_STATUS
        message = error_message(detail)
        failure = self._error(
            f"answered with status {reply.status_code}{': ' if message else ''}{message}",
            retryable=retryable,
        )
        raise _Transient(failure, _retry_pause(reply)) if retryable else failure

    async def _pause(self, pause_s: float, deadlines: _Deadlines) -> None:
        try:
            async with asyncio.timeout_at(deadlines.first):
                await asyncio.sleep(pause_s)
        except TimeoutError:
            raise self._late(delivered=False) from None

    async def _events(
        self, pieces: AsyncIterator[bytes], chunks: ChunkReader
    ) -> AsyncGenerator[str, None]:
        parser = SseParser()
        async for piece in pieces:
            for data in parser.feed(piece):
                if data.strip() == _DONE:
                    chunks.end()
                    await _drain(pieces)
                    return
                yield data

    async def _next(
        self, events: AsyncIterator[str], deadline: float, delivered: bool
    ) -> str | None:
        try:
            async with asyncio.timeout_at(deadline):
                return await anext(events, None)
        except TimeoutError:
            raise self._late(delivered=delivered) from None
        except httpx.HTTPError as error:
            raise self._broken(f" ({_kind(error)})", delivered) from error
        except LimitExceeded as error:
            raise self._error(f"sent nonsense: {error}", retryable=False) from error

    def _thoughts(self) -> ThoughtFilter:
        settings = self._settings
        return ThoughtFilter(settings.thinking_tags, begun=settings.thinking_begun)

    def _read(self, chunks: ChunkReader, data: str | None, delivered: bool) -> list[Delta]:
        """Deltas of one event; None is the end of them."""
        if data is None and not chunks.finished:
            raise self._broken("", delivered)
        try:
            return list(chunks.close() if data is None else chunks.feed(json.loads(data)))
        except ServerFault as fault:
            failure = self._error(f"failed: {fault}", retryable=not delivered)
            raise failure if delivered else _Transient(failure) from None
        except (ValueError, AttributeError, TypeError) as error:
            raise self._error(
                "sent something that is no chat completion", retryable=not delivered
            ) from error

    def _broken(self, why: str, delivered: bool) -> Exception:
        failure = self._error(f"broke the answer off{why}", retryable=not delivered)
        return failure if delivered else _Transient(failure)

    def _late(self, *, delivered: bool) -> EngineError:
        settings = self._settings
        what = "did not finish" if delivered else "gave no token"
        total = (settings.total_timeout_ms, "total_timeout_ms")
        first = (settings.first_token_timeout_ms, "first_token_timeout_ms")
        limit_ms, setting = total if delivered else min(first, total)
        return self._error(f"{what} within {limit_ms} ms (llm.{setting})", retryable=not delivered)

    def _error(self, what: str, *, retryable: bool) -> EngineError:
        text = f"The language model server at {self._host} {what}."
        if self._key:
            text = text.replace(self._key, "***")
        return EngineError(text, stage="llm", retryable=retryable)


@dataclass(frozen=True, slots=True)
class _Deadlines:
    """By the loop's clock, for all attempts together."""

    first_token: float
    total: float

    @property
    def first(self) -> float:
        return min(self.first_token, self.total)


class _Transient(Exception):
    """An attempt failed before its first delta; the next may not."""

    def __init__(self, error: EngineError, pause_s: float = RETRY_PAUSE_S) -> None:
        super().__init__(str(error))
        self.error = error
        self.pause_s = pause_s


async def _drain(pieces: AsyncIterator[bytes]) -> None:
    """Read to the end, which is near."""
    try:
        async with asyncio.timeout(DRAIN_S):
            async for _ in pieces:
                pass
    except (TimeoutError, httpx.HTTPError, httpx.StreamError):
        pass  # only the connection is lost


async def _body_start(reply: httpx.Response) -> bytes:
    body = b""
    async for piece in reply.aiter_bytes():
        body += piece
        if len(body) >= MAX_ERROR_BYTES:
            break
    return body[:MAX_ERROR_BYTES]


def _retry_pause(reply: httpx.Response) -> float:
    try:
        asked_s = float(reply.headers.get("retry-after", ""))
    except ValueError:
        return RETRY_PAUSE_S
    return min(max(asked_s, RETRY_PAUSE_S), MAX_RETRY_PAUSE_S)


def _kind(error: BaseException) -> str:
    """What went wrong, without addresses or headers."""
    return type(error).__name__
