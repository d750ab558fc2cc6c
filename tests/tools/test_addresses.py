"""What counts as public: everything that is not, by name or in disguise, is private. And what a
redirect makes of an order."""

from __future__ import annotations

import httpx
import pytest

from voicepipe.tools.addresses import is_public, redirected
from voicepipe.tools.contract import ToolError

PRIVATE = [
    "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
    "0.0.0.0", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1",
    "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "2002:7f00:1::", "64:ff9b::7f00:1",
    "::127.0.0.1", "64:ff9b:1::a00:1", "fec0::1",
]  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
def test_private(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"])
def test_public(address: str) -> None:
    assert is_public(address)


async def test_an_order_that_is_sent_on_to_https_stays_one() -> None:
    sent = httpx.Request("POST", "http://shop.example/orders?of=1", content=b"coffee")
    there = httpx.Response(301, headers={"location": "https://shop.example/orders?of=1"})
    again = await redirected(sent, there, "same_origin")
    assert (again.method, str(again.url), again.read()) == (
        "POST",
        "https://shop.example/orders?of=1",
        b"coffee",
    )


async def test_an_order_that_is_sent_on_to_another_host_is_refused() -> None:
    sent = httpx.Request("POST", "http://shop.example/orders", content=b"coffee")
    there = httpx.Response(301, headers={"location": "https://www.shop.example/orders"})
    with pytest.raises(ToolError) as refused:
        await redirected(sent, there, "any")
    assert "takes the request's body to www.shop.example" in refused.value.detail


@pytest.mark.parametrize(
    ("status", "asked", "where"),
    [
        (301, "/orders", "/orders"),
        (302, "/orders", "/orders"),
        (302, "/orders", "/orders#1"),
        (302, "/orders", "/orders/"),
        (302, "/orders", "/orders?1"),
        (302, "/orders", "https://shop.example/orders"),  # by a service behind a proxy
        (301, "/tables/a%3A4", "/tables/a:4"),  # the same, as its framework spells it
        (301, "/t/a%2Fb", "/t/a/b"),  # another one
    ],
)
async def test_an_order_that_was_taken_is_not_placed_again(
    status: int, asked: str, where: str
) -> None:
    """A form is answered so: by then it is a question."""
    sent = httpx.Request("POST", f"http://shop.example{asked}", content=b"coffee")
    there = httpx.Response(status, headers={"location": where})
    again = await redirected(sent, there, "same_origin")
    assert (again.method, again.read()) == ("GET", b"")
