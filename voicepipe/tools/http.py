"""A tool that is an HTTP endpoint: arguments go out as JSON (or in the query), JSON or words come
back. Whatever else comes back is a failure that the model is told of in a sentence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any
from urllib.parse import quote

import anyio.lowlevel
import httpx

from voicepipe.config.tools import HttpToolSettings
from voicepipe.llm.contract import Tool
from voicepipe.resilience.breaker import Breaker, BreakerOptions
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import ConfigError
from voicepipe.runtime.http_service import reading
from voicepipe.tools.addresses import MAX_REDIRECTS, redirected
from voicepipe.tools.contract import Arguments, Facts, Output, ServerTool, ToolError, ToolOptions
from voicepipe.tools.schema import object_schema
from voicepipe.tools.secrets import filled

WITHOUT_BODY = {"GET", "DELETE"}
"""Their arguments go into the query."""

MAX_REFUSAL_CHARS = 500
"""Of the body of a 4xx, which often says what was wrong with the arguments."""

MAX_REFUSAL_BYTES = 4 * MAX_REFUSAL_CHARS
"""Of it are read; error pages are long."""

KEPT_S = 60.0
"""For which a connection is kept that nobody uses: turns are seconds apart, and to connect anew
costs the caller two or three round trips."""

LIMITS = httpx.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=KEPT_S)

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_PLACE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


class HttpTools:
    """All `[[tools.http]]`, on one pool of connections."""

    name = "tools.http"
    problem = ""

    def __init__(
        self, settings: Sequence[HttpToolSettings], environ: Mapping[str, str], clock: Clock
    ) -> None:
        """Raises ConfigError for a schema, an address or a variable that cannot be."""
        self._client = httpx.AsyncClient(
            follow_redirects=False,
            timeout=None,  # whoever calls has a deadline
            trust_env=False,  # no proxy that the settings do not name
            headers={"user-agent": "voicepipe", "accept-encoding": "identity"},
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),  # callers share the client
            transport=httpx.AsyncHTTPTransport(retries=1, trust_env=False, limits=LIMITS),
        )
        self._tools = tuple(
            _tool(self._client, one, environ, clock, f"tools.http[{index}] ({one.name})")
            for index, one in enumerate(settings)
        )

    async def start(self) -> None:
        """The endpoints are asked when they are needed; what the library loads when it first
        connects, 20 ms of the event loop, is loaded now."""
        await anyio.lowlevel.checkpoint()

    def tools(self) -> tuple[ServerTool, ...]:
        return self._tools

    async def aclose(self) -> None:
        await self._client.aclose()


def _tool(
    client: httpx.AsyncClient,
    settings: HttpToolSettings,
    environ: Mapping[str, str],
    clock: Clock,
    where: str,
) -> ServerTool:
    endpoint = _Endpoint(client, settings, environ, where)
    schema = object_schema(settings.parameters, where)
    endpoint.check_names(schema, where)
    if settings.first and schema.get("required"):
        raise ConfigError(f"{where}: first: it is given no arguments: nothing can be required")
    return ServerTool(
        Tool(settings.name, settings.description, schema),
        endpoint.call,
        ToolOptions.of(settings),
        where,
        Breaker(BreakerOptions(**settings.breaker.model_dump()), clock),
    )


class _Endpoint:
    """One address, and how it is asked."""

    def __init__(
        self,
        client: httpx.AsyncClient,
        settings: HttpToolSettings,
        environ: Mapping[str, str],
        where: str,
    ) -> None:
        self._client, self._settings = client, settings
        self._url = filled(settings.url, environ, f"{where}: url")
        _check_url(self._url, where)
        self._headers = {
            name: filled(value.get_secret_value(), environ, f"{where}: headers.{name}")
            for name, value in settings.headers.items()
        }
        _check_headers(self._headers, where)

    def check_names(self, schema: Mapping[str, Any], where: str) -> None:
        """Every `{name}` of the URL is an argument that the model must give, and no fact is one."""
        required = schema.get("required", ())
        for name in _PLACE.findall(self._url):
            if not isinstance(required, Sequence) or name not in required:
                raise ConfigError(f"{where}: url: {{{name}}} is not in parameters.required")
        for name in self._settings.facts:
            if name in (*schema.get("properties", ()), *required):
                raise ConfigError(f"{where}: facts: {name!r} is in parameters too: whose is it?")

    async def call(self, arguments: Arguments, facts: Facts) -> Output:
        """Raises ToolError for anything but an answer that a model can use."""
        request = self._request(arguments, facts)
        try:
            for _ in range(MAX_REDIRECTS + 1):
                answer = await self._client.send(request, stream=True)
                try:
                    if not answer.has_redirect_location:
                        return Output(await self._read(answer))
                    request = await redirected(request, answer, self._settings.redirects)
                finally:
                    await answer.aclose()
        except (httpx.TransportError, OSError) as error:
            raise self._failed("could not be reached", _cause(error)) from error
        raise self._failed("gave no answer", f"over {MAX_REDIRECTS} redirects")

    def _request(self, arguments: Arguments, facts: Facts) -> httpx.Request:
        known = {name: facts.get(name, "") for name in self._settings.facts}
        given = {**arguments, **known}  # no caller talks a model into another caller's number
        url = _PLACE.sub(lambda place: _in_path(place[1], arguments[place[1]]), self._url)
        for name in _PLACE.findall(self._url):
            given.pop(name, None)
        method, headers = self._settings.method, self._headers
        if method in WITHOUT_BODY:
            address = httpx.URL(url)
            fixed = address.params  # as the settings have it, whatever a model adds
            params = {name: _plain(value) for name, value in given.items() if name not in fixed}
            merged = address.copy_merge_params(params) if params else address
            return self._client.build_request(method, merged, headers=headers)
        return self._client.build_request(method, url, headers=headers, json=given)

    async def _read(self, answer: httpx.Response) -> str:
        if not answer.is_success:
            raise self._refusal(answer, await _beginning(answer))
        if _is_compressed(answer):
            raise self._failed("gave an answer that cannot be read", "it came compressed")
        limit, body = self._settings.max_result_bytes, bytearray()
        async for chunk in answer.aiter_raw():
            body += chunk
            if len(body) > limit:
                detail = f"over {limit} bytes (max_result_bytes)"
                raise self._failed("gave an answer that is too long", detail)
        return self._words(answer, bytes(body))

    def _words(self, answer: httpx.Response, body: bytes) -> str:
        """The body of a success, for the model."""
        if not body.strip():
            return '{"ok": true}'
        kind = _content_type(answer)
        if _is_json(kind):
            try:
                value = json.loads(body)
            except (ValueError, RecursionError):
                raise self._failed("gave an answer that cannot be read", "invalid JSON") from None
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        if kind in ("text/plain", "text/markdown", "text/csv"):
            return _decoded(body, answer.charset_encoding or "utf-8")
        shown = kind or "no content type"
        raise self._failed("gave an answer that cannot be read", f"{shown} instead of JSON or text")

    def _refusal(self, answer: httpx.Response, body: bytes) -> ToolError:
        status = answer.status_code
        if status < 500 and status not in (401, 403, 407, 408, 429):
            about = ""
            if _is_json(_content_type(answer)) or _content_type(answer) == "text/plain":
                about = ": " + body.decode("utf-8", errors="replace")[:MAX_REFUSAL_CHARS]
            return ToolError(f"{self._settings.name} answered {status}{about}", fault=False)
        return self._failed("is not available at the moment", f"it answered {status}")

    def _failed(self, what: str, detail: str) -> ToolError:
        return ToolError(f"{self._settings.name} {what}", detail=f"{self._place}: {detail}")

    @property
    def _place(self) -> str:
        """For the log: the address without what may be secret in it."""
        url = httpx.URL(_PLACE.sub("x", self._url))
        return f"{url.scheme}://{url.netloc.decode('ascii').rpartition('@')[2]}"


def _check_url(url: str, where: str) -> None:
    try:
        parsed = httpx.URL(_PLACE.sub("x", url))
    except httpx.InvalidURL as error:
        raise ConfigError(f"{where}: url: {error}") from None
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise ConfigError(f"{where}: url: must begin with http:// or https:// and name a host")
    authority = url.partition("//")[2].partition("/")[0].partition("?")[0]
    if _PLACE.search(authority):
        raise ConfigError(f"{where}: url: only its path and query may hold an argument")


def _check_headers(headers: Mapping[str, str], where: str) -> None:
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name) or not value.isprintable() or not value.isascii():
            raise ConfigError(f"{where}: headers.{name}: a name or a value no header can have")


def _in_path(name: str, value: object) -> str:
    text = _plain(value)
    if text in ("", ".", ".."):
        raise ToolError(f"wrong arguments: {name}: {text!r} cannot be used here", fault=False)
    return quote(text, safe="")


def _plain(value: object) -> str:
    """A value as a query shows it."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _decoded(body: bytes, charset: str) -> str:
    """Services name charsets that are none, and mostly mean UTF-8."""
    try:
        return body.decode(charset, errors="replace")
    except LookupError:
        return body.decode("utf-8", errors="replace")


async def _beginning(answer: httpx.Response) -> bytes:
    """As much of a refusal's body as is told; nothing of one that came compressed."""
    body = b""
    if not _is_compressed(answer):
        async with reading(answer) as pieces:
            async for piece in pieces:
                body += piece
                if len(body) >= MAX_REFUSAL_BYTES:
                    break
    return body


def _is_compressed(answer: httpx.Response) -> bool:
    return bool(answer.headers.get("content-encoding", "identity") != "identity")


def _content_type(answer: httpx.Response) -> str:
    header: str = answer.headers.get("content-type", "")
    return header.partition(";")[0].strip().lower()


def _is_json(kind: str) -> bool:
    return kind == "application/json" or kind.endswith("+json")


def _cause(error: Exception) -> str:
    """Which kind of failure; its message is left out, it may quote the URL."""
    inner = error.__cause__ or error.__context__
    reason = f" ({inner.strerror})" if isinstance(inner, OSError) and inner.strerror else ""
    return type(error).__name__ + reason
