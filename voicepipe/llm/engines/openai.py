"""Any server that speaks OpenAI's chat completions: vLLM, llama.cpp, Ollama, or OpenAI itself."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace

import httpx

from voicepipe.config import LlmSettings
from voicepipe.config.engines import EngineContext
from voicepipe.llm.call_ids import CallIds
from voicepipe.llm.contract import ChatRequest, Delta
from voicepipe.llm.engines.openai_wire import (
    ChunkReader,
    ServerFault,
    error_message,
    request_body,
)
from voicepipe.llm.session_key import session_key
from voicepipe.llm.sse import SseParser
from voicepipe.llm.thinking import ThoughtFilter
from voicepipe.llm.token_limit import token_limit
from voicepipe.runtime.errors import EngineError, EngineUnavailable, LimitExceeded
from voicepipe.runtime.http_service import (
    RETRY_PAUSE_S,
    RETRYABLE_STATUS,
    HttpService,
    drain,
    kind,
    reading,
    start_of,
)

MAX_CONNECTIONS = 256
START_TIMEOUT_S = 5.0

MAX_MODELS = 200
"""Of a server's list; some have thousands."""

MAX_RETRY_PAUSE_S = 0.25
"""However long a server asks us to wait; nothing is retried after the first token, which may have
been spoken."""

USAGE_S = 1.0
"""For the counts and the end mark of an answer that is there; some servers send neither, and leave
the connection open."""

_BUILTIN_MODEL = "builtin/llm"  # the settings' default; means "whatever the server has" here
_DONE = "[DONE]"
_ODD = (ValueError, AttributeError, TypeError, OverflowError, RecursionError)
"""What an event raises that is no chat completion."""


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
        self._server = HttpService(
            settings.base_url, settings.api_key, max_connections=MAX_CONNECTIONS
        )
        self.models: tuple[str, ...] = ()  # beside its own, once started; ChatRequest.model
        self._call_ids = CallIds()
        self.active_requests = 0

    async def start(self) -> None:
        """Connect and ask for the models; see the contract."""
        if self._server.is_open:
            return
        self._server.open()
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                reply = await self._server.get("models")
            self._check_start(reply)
        except BaseException as error:
            await self.aclose()
            if isinstance(error, httpx.HTTPError | TimeoutError):
                raise EngineUnavailable(
                    f"No OpenAI-compatible server answers at {self._server.host} ({kind(error)}); "
                    "start it or correct llm.base_url.",
                    stage="llm",
                ) from error
            raise

    def _check_start(self, reply: httpx.Response) -> None:
        if reply.status_code in (401, 403):
            raise EngineUnavailable(
                f"{self._server.host} refuses the key (status {reply.status_code}); "
                "set llm.api_key.",
                stage="llm",
            )
        try:
            listed = [str(one["id"]) for one in reply.json()["data"][:MAX_MODELS]]
        except (ValueError, LookupError, TypeError):
            listed = []
        if not self._model and not listed:
            raise EngineUnavailable(
                f"{self._server.host} lists no models (status {reply.status_code}); set llm.model.",
                stage="llm",
            )
        self._model = self._model or listed[0]  # where one is named, the server need not list any
        self.models = tuple(name for name in listed if name != self._model)

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """Generate; see the contract. Retried once, and only while nothing has come: what a server
        refused for the moment, and connections that broke.
        """
        loop = asyncio.get_running_loop()
        began = loop.time()
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
                    if last or loop.time() >= deadlines.first:  # it had begun, and broke off
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
        await self._server.aclose()

    # One request ---------------------------------------------------------------------------

    async def _attempt(
        self, request: ChatRequest, deadlines: _Deadlines
    ) -> AsyncGenerator[Delta, None]:
        """Raises _Transient for what may go better the next time; then nothing was yielded."""
        chunks = ChunkReader(request, self._call_ids, self._thoughts())
        reply = await self._open(request, deadlines.first)
        chunks.hop_ms = self._server.round_trip_ms
        delivered = False
        async with (
            reading(reply) as pieces,
            aclosing(self._events(pieces, chunks)) as events,
        ):
            while True:
                deadline = deadlines.total if chunks.begun else deadlines.first
                if chunks.finished:
                    data = await self._behind_the_end(events, deadline)
                else:
                    data = await self._next(events, deadline, chunks.begun, delivered)
                for delta in self._read(chunks, data, delivered):
                    delivered = True
                    yield delta
                if data is None:
                    return

    async def _open(self, request: ChatRequest, deadline: float) -> httpx.Response:
        """The reply's head, status 200."""
        if not self._server.is_open:
            raise EngineError("The language model is not started.", stage="llm")
        settings = self._settings
        body = request_body(
            request, request.model or self._model, self._call_ids, logprobs=settings.logprobs
        )
        body |= _named(settings.session_field, request)
        headers = _named(settings.session_header, request)
        try:
            async with asyncio.timeout_at(deadline):
                reply = await self._server.post("chat/completions", body, headers)
                if reply.status_code != httpx.codes.OK:
                    await self._refused(reply)
        except TimeoutError:
            raise self._late() from None
        except httpx.HTTPError as error:
            # Also a kept connection that the server closed meanwhile: nothing was generated.
            failure = self._error(f"cannot be reached ({kind(error)})", retryable=True)
            if isinstance(error, httpx.TransportError):
                raise _Transient(failure) from error
            raise failure from error
        except (ValueError, TypeError) as error:  # what no JSON can hold, in a tool's schema
            raise self._error(f"cannot be asked this ({kind(error)})", retryable=False) from error
        return reply

    async def _refused(self, reply: httpx.Response) -> None:
        """Raises what a reply that is not 200 means."""
        retryable = reply.status_code in RETRYABLE_STATUS
        message = error_message(await start_of(reply))
        if reply.status_code == httpx.codes.NOT_FOUND and not message:
            message = "nothing is there; llm.base_url mostly ends in /v1"
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
            raise self._late() from None

    async def _events(
        self, pieces: AsyncIterator[bytes], chunks: ChunkReader
    ) -> AsyncGenerator[str, None]:
        parser = SseParser()
        async for piece in pieces:
            for data in parser.feed(piece):
                if data.strip() == _DONE:
                    chunks.end()
                    await drain(pieces)
                    return
                yield data

    async def _next(
        self, events: AsyncIterator[str], deadline: float, begun: bool, delivered: bool
    ) -> str | None:
        try:
            async with asyncio.timeout_at(deadline):
                return await anext(events, None)
        except TimeoutError:
            raise self._late(begun=begun, delivered=delivered) from None
        except httpx.HTTPError as error:
            raise self._broken(f" ({kind(error)})", delivered) from error
        except LimitExceeded as error:
            raise self._error(f"sent nonsense: {error}", retryable=False) from error

    async def _behind_the_end(self, events: AsyncIterator[str], deadline: float) -> str | None:
        """What still comes when all of the answer has: nothing of that can fail it."""
        soon = asyncio.get_running_loop().time() + USAGE_S
        try:
            return await self._next(events, min(soon, deadline), True, True)
        except EngineError:
            return None

    def _thoughts(self) -> ThoughtFilter:
        settings = self._settings
        return ThoughtFilter(settings.thinking_tags, begun=settings.thinking_begun)

    def _read(self, chunks: ChunkReader, data: str | None, delivered: bool) -> list[Delta]:
        """Deltas of one event; None is the end of them."""
        if data is None and not chunks.finished:
            raise self._broken("", delivered)
        if data is not None and chunks.finished:
            with suppress(ServerFault, *_ODD):
                return list(chunks.feed(json.loads(data)))
            return []
        try:
            return list(chunks.close() if data is None else chunks.feed(json.loads(data)))
        except ServerFault as fault:
            failure = self._error(f"failed: {fault}", retryable=not delivered)
            raise failure if delivered else _Transient(failure) from None
        except _ODD as error:
            raise self._error(
                "sent something that is no chat completion", retryable=not delivered
            ) from error

    def _broken(self, why: str, delivered: bool) -> Exception:
        failure = self._error(f"broke the answer off{why}", retryable=not delivered)
        return failure if delivered else _Transient(failure)

    def _late(self, *, begun: bool = False, delivered: bool = False) -> EngineError:
        what = "did not finish" if begun else "gave no token"
        limit_ms, setting = token_limit(self._settings, begun=begun)
        return self._error(f"{what} within {limit_ms} ms (llm.{setting})", retryable=not delivered)

    def _error(self, what: str, *, retryable: bool) -> EngineError:
        text = f"The language model server at {self._server.host} {what}."
        return EngineError(self._server.masked(text), stage="llm", retryable=retryable)


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


def _named(name: str, request: ChatRequest) -> dict[str, str]:
    """The session's key under `name`; {} where either is wanting."""
    return {name: session_key(request.session_id)} if name and request.session_id else {}


def _retry_pause(reply: httpx.Response) -> float:
    try:
        asked_s = float(reply.headers.get("retry-after", ""))
    except ValueError:
        return RETRY_PAUSE_S
    return min(max(asked_s, RETRY_PAUSE_S), MAX_RETRY_PAUSE_S)


def make(context: EngineContext[LlmSettings, None]) -> OpenAICompatibleModel:
    """See `Engine.make`."""
    return OpenAICompatibleModel(context.stage)
