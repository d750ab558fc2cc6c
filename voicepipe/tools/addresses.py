"""Where a tool's request may go. Settings name the address; a redirect may lead elsewhere only as
far as `redirects` says, and what it leads to is looked up once and connected to by number, so that
a name which changes its mind between the check and the connection reaches nothing.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from typing import Literal

import httpx

from voicepipe.tools.contract import ToolError

Redirects = Literal["same_origin", "public", "any"]
"""same_origin  only to the address that settings name (http to https counts as the same)
public       to other addresses too, unless they lie in a private network
any          to private networks too"""

MAX_REDIRECTS = 3
DEFAULT_PORTS = {"http": 80, "https": 443}

_BY_NUMBER = "sni_hostname"
"""httpx's extension that holds the name of a host which is connected to by number."""

_IPV4_AT_THE_END = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("::/96"))

_LOCAL_USE = (ipaddress.IPv6Network("64:ff9b:1::/48"), ipaddress.IPv6Network("fec0::/10"))
"""A network's own translation of IPv4 addresses, and what was site-local: not every version of
Python knows that neither belongs to the internet."""

_OF_THE_BODY = {"host", "content-length", "content-type", "transfer-encoding"}


async def redirected(
    sent: httpx.Request, answer: httpx.Response, allowed: Redirects
) -> httpx.Request:
    """The request that follows a redirect. To another origin it takes nothing along that was meant
    for the first: no header of the settings, no body. Raises ToolError where it may not go."""
    asked = _logical_url(sent)
    target = _target(asked, answer.headers.get("location", ""))
    becomes_get = _becomes_get(sent.method, answer.status_code, asked, target)
    method = "GET" if becomes_get else sent.method
    if _same_origin(asked, target) and _BY_NUMBER not in sent.extensions:
        return _repeated(sent, method, target)
    if allowed == "same_origin":
        raise _refused(f"a redirect to another address ({target.host}); see its `redirects`")
    if method != "GET":
        raise _refused(f"a redirect that takes the request's body to {target.host}")
    return await _pinned(target, private=allowed == "any")


def _repeated(sent: httpx.Request, method: str, target: httpx.URL) -> httpx.Request:
    if method == sent.method:
        headers = {k: v for k, v in sent.headers.items() if k != "host"}
        return httpx.Request(method, target, headers=headers, content=sent.read())
    headers = {k: v for k, v in sent.headers.items() if k not in _OF_THE_BODY}
    return httpx.Request(method, target, headers=headers)


def _logical_url(request: httpx.Request) -> httpx.URL:
    """The URL by name, where the request went out by number."""
    name = request.extensions.get(_BY_NUMBER)
    return request.url if name is None else request.url.copy_with(host=name)


def _target(asked: httpx.URL, location: str) -> httpx.URL:
    try:
        target = asked.join(location)
    except (httpx.InvalidURL, ValueError):
        raise _refused("a redirect to something that is no address") from None
    if not location or target.scheme not in DEFAULT_PORTS or not target.host or target.userinfo:
        raise _refused("a redirect to something that is no plain http address")
    return target


def _becomes_get(method: str, status: int, asked: httpx.URL, target: httpx.URL) -> bool:
    """303 says where the answer is to be fetched, and to a POST so do 301 and 302, by custom, but
    from an address that has moved for good; all else repeats the request."""
    if method == "POST" and status == 301:
        return not _has_moved(asked, target)
    return status == 303 or (method == "POST" and status == 302)


def _has_moved(asked: httpx.URL, target: httpx.URL) -> bool:
    """The same path, to the letter, by https or on another host, or here with a slash at its end:
    whoever says so has not taken the request."""
    here = (asked.scheme, asked.host, asked.port) == (target.scheme, target.host, target.port)
    if not here:
        return asked.raw_path == target.raw_path
    old, new = (url.raw_path.partition(b"?") for url in (asked, target))
    return old[1:] == new[1:] and old[0] != new[0] and old[0].rstrip(b"/") == new[0].rstrip(b"/")


def _same_origin(one: httpx.URL, other: httpx.URL) -> bool:
    if one.host != other.host:
        return False
    upgraded = (one.scheme, other.scheme) == ("http", "https") and not (one.port or other.port)
    return upgraded or (one.scheme, _port(one)) == (other.scheme, _port(other))


def _port(url: httpx.URL) -> int:
    return url.port or DEFAULT_PORTS[url.scheme]


async def _pinned(target: httpx.URL, *, private: bool) -> httpx.Request:
    """A GET of `target`, by an address that has been looked at."""
    address = await _look_up(target)
    if not private and not is_public(address):
        raise _refused(f"a redirect into a private network ({target.host})")
    url = target.copy_with(host=address)
    headers = {"host": target.netloc.decode("ascii"), "accept-encoding": "identity"}
    return httpx.Request("GET", url, headers=headers, extensions={_BY_NUMBER: target.host})


async def _look_up(target: httpx.URL) -> str:
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(target.host, _port(target), type=socket.SOCK_STREAM)
    except OSError:
        raise _refused(f"a redirect to {target.host}, which has no address") from None
    return str(found[0][4][0])


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the internet: not loopback, not local, not a cloud's
    metadata service, and not an IPv6 way of writing one of those."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        if any(ip in network for network in _LOCAL_USE):
            return False
        inner = _inside(ip)
        if inner is not None:
            return is_public(str(inner))
    return ip.is_global and not ip.is_multicast


def _inside(ip: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address that an IPv6 address stands for, if it does."""
    if any(ip in network for network in _IPV4_AT_THE_END):
        return ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF)
    return ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)


def _refused(what: str) -> ToolError:
    return ToolError("the service is set up wrongly and gave no answer", detail=f"refused {what}")
