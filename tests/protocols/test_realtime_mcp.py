"""MCP servers that a client names: which addresses it may, and which of their tools it gets."""

from __future__ import annotations

from typing import Any

import pytest

from tests.protocols.realtime_kit import make_codec, receive, refused
from voicepipe.session.settings import McpServer

ALLOWED = "https://tools.example/mcp"


def mcp_tool(**given: Any) -> dict[str, Any]:
    return {"type": "mcp", "server_label": "tools", "server_url": ALLOWED, **given}


def update(**given: Any) -> dict[str, Any]:
    session = {"type": "realtime", "tools": [mcp_tool(**given)]}
    return {"type": "session.update", "session": session}


def taken(**given: Any) -> McpServer:
    """The server as the session has it then."""
    codec = make_codec(mcp_servers=(ALLOWED,))
    receive(codec, **update(**given))
    (server,) = codec.settings.mcp
    return server


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({}, ()),
        ({"allowed_tools": None}, ()),
        ({"allowed_tools": ["find"]}, ("find",)),
        ({"allowed_tools": {"tool_names": ["find"]}}, ("find",)),
    ],
)
def test_allowed_tools(given: dict[str, Any], names: tuple[str, ...]) -> None:
    assert taken(**given).allowed_tools == names


@pytest.mark.parametrize(
    ("allowed", "field"),
    [
        ([], "allowed_tools"),
        ({"tool_names": []}, "allowed_tools"),
        ({"read_only": True}, "allowed_tools.read_only"),
        ({"tool_names": ["find"], "read_only": True}, "allowed_tools.read_only"),
    ],
)
def test_who_allows_only_some_tools_is_not_given_all(allowed: Any, field: str) -> None:
    exc = refused(make_codec(mcp_servers=(ALLOWED,)), **update(allowed_tools=allowed))
    assert exc.param == f"session.tools[0].{field}"


@pytest.mark.parametrize("below", ["", "/", "/deep/er", "?key=1", "/a%20b"])
def test_an_address_that_lies_below_an_allowed_one(below: str) -> None:
    assert taken(server_url=ALLOWED + below).url == ALLOWED + below


@pytest.mark.parametrize(
    ("allowed", "url"),
    [
        (ALLOWED, "https://tools.example:443/mcp"),
        ("https://tools.example:443/mcp", ALLOWED),
        ("http://tools.example:80", "http://tools.example/mcp"),
    ],
)
def test_a_ports_default_need_not_be_written(allowed: str, url: str) -> None:
    codec = make_codec(mcp_servers=(allowed,))
    receive(codec, **update(server_url=url))
    assert codec.settings.mcp[0].url == url


@pytest.mark.parametrize(
    "url",
    [
        "https://tools.example:80/mcp",
        "http://tools.example:443/mcp",
        "https://tools.example/mcp/%2e%2e/admin",
        "https://tools.example/mcp/.%2E/admin",
        "https://tools.example/mcp/..%2fadmin",
        "https://tools.example/mcp/%5c..%5cadmin",
        "HTTPS://tools.example/mcp",  # whoever connects to it knows small letters only
    ],
)
def test_an_address_that_only_looks_as_if_it_did(url: str) -> None:
    exc = refused(make_codec(mcp_servers=(ALLOWED,)), **update(server_url=url))
    assert exc.param == "session.tools[0].server_url"
