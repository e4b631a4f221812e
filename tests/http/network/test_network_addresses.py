"""Networks that may call from some addresses only: who calls, directly and behind a proxy, whatever headers say."""

from pathlib import Path
from typing import Iterator

import pytest

from callers import Caller, code_of, has_v6
from checked import expect, reply_in
from tests.stack import Stack, raw_request, wait_until
from tests.stack.web.front_proxy import FrontProxy
from world import COMMERCE, World

pytestmark = pytest.mark.web

# 5 s by the protocol; a busy machine takes longer for the requests that look.
TAKES_EFFECT = 30.0
PROXY = "127.0.0.5"
ALLOWED = "127.0.0.9"
V6 = has_v6()


@pytest.fixture(scope="module")
def behind() -> Iterator[World]:
    """An instance that trusts one proxy."""
    with Stack(dispatcher=False, buffer_pool="16M", trusted_proxy=PROXY, v6=V6) as stack:
        yield World(stack)


def network(world: World, *ranges: str) -> str:
    name = world.fresh("red")
    made = world.stack.ctl.json("network", "add", name, *(word for one in ranges for word in ("--allow", one)))
    world.hashes[name] = made["fixed_hash"]
    return name


def test_every_request_of_a_network(world: World) -> None:
    name = network(world, ALLOWED, "2001:db8::/32")
    order = world.order()
    with Caller(world, name, ALLOWED) as friend, Caller(world, name) as stranger:
        registered = world.register(friend, order)
        cause = "not authorised: this address is not on the network's list"
        with world.nothing_written():
            expect(stranger.lookup(order.reference), "0019", cause)
            expect(stranger.register(order.reference, "45000", world.fresh(), COMMERCE), "0019", cause)
            expect(stranger.confirm(registered), "0019", cause)
            expect(stranger.confirm(registered, False), "0019", cause)
        line = f'network="{name}" address="127.0.0.1": a right checksum from an address that is not allowed'
        wait_until(lambda: line in world.stack.worker.log_text(), "the line about the address")
        expect(friend.confirm(registered), "0000")


def test_without_the_secret_nothing_is_learned(world: World) -> None:
    """Whatever the address: a network that is not there, one that is, one that is bound elsewhere."""
    bound, free = network(world, ALLOWED), network(world)
    world.hashes["nobody"] = "a secret of nobody"
    for name in (bound, free, "nobody"):
        with Caller(world, name) as stranger:
            assert "address" not in expect(stranger.lookup("1", checksum="0" * 128), "0025").text


@pytest.mark.parametrize("allowed, source, code", [
    ("127.0.0.0/8", "127.0.0.1", "0101"), ("127.0.0.8/30", "127.0.0.8", "0101"), ("127.0.0.8/30", "127.0.0.11", "0101"),
    ("127.0.0.8/30", "127.0.0.7", "0019"), ("127.0.0.8/30", "127.0.0.12", "0019"), ("0.0.0.0/0", "127.0.0.1", "0101"),
    ("::ffff:127.0.0.9", "127.0.0.9", "0101"), ("::/0", "127.0.0.1", "0019"), ("::1", "127.0.0.1", "0019")])
def test_ranges(world: World, allowed: str, source: str, code: str) -> None:
    assert code_of(world, network(world, allowed), source) == code


if V6:  # without, there is no connection to look at
    @pytest.mark.parametrize("allowed, code", [("::1", "0101"), ("::/0", "0101"), ("::/127", "0101"),
                                               ("::2/127", "0019"), ("127.0.0.1", "0019"), ("0.0.0.0/0", "0019")])
    def test_v6_connections(behind: World, allowed: str, code: str) -> None:
        assert code_of(behind, network(behind, allowed), "::1") == code


FORGED = [{"X-Forwarded-For": ALLOWED}, {"X-Forwarded-For": f"{ALLOWED}, {PROXY}"}, {"X-Forwarded-For": f"{PROXY}, {ALLOWED}"},
          {"X-Real-IP": ALLOWED}, {"Forwarded": f"for={ALLOWED}"}, {"Remote-Addr": ALLOWED}, {"X-Forwarded-For": f"{ALLOWED},"}]


@pytest.mark.parametrize("headers", FORGED)
@pytest.mark.parametrize("source", ["127.0.0.1", PROXY])
def test_headers_count_nowhere_without_a_proxy(world: World, source: str, headers: dict[str, str]) -> None:
    assert code_of(world, network(world, ALLOWED), source, headers) == "0019"
    assert code_of(world, network(world, source), source, headers) == "0101"


@pytest.mark.parametrize("headers", FORGED)
def test_headers_of_who_is_not_the_proxy(behind: World, headers: dict[str, str]) -> None:
    assert code_of(behind, network(behind, ALLOWED), "127.0.0.1", headers) == "0019"
    assert code_of(behind, network(behind, "127.0.0.1"), "127.0.0.1", headers) == "0101"


@pytest.mark.parametrize("allowed, forwarded, code", [
    ("192.0.2.7", "192.0.2.7", "0101"), ("192.0.2.7", "198.51.100.1", "0019"),
    ("192.0.2.7", "198.51.100.1, 192.0.2.7", "0101"), ("192.0.2.7", "192.0.2.7, 198.51.100.1", "0019"),
    ("192.0.2.7", "192.0.2.7,192.0.2.7,198.51.100.1", "0019"), ("192.0.2.7", "127.0.0.5, 198.51.100.1", "0019"),
    ("192.0.2.7", "garbage, 192.0.2.7", "0101"), ("192.0.2.7", "192.0.2.7, garbage", "0019"),
    ("192.0.2.7", "192.0.2.7, 192.0.2.256", "0019"), ("192.0.2.7", "192.0.2.7, ' OR 1=1", "0019"),
    ("192.0.2.7", "192.0.2.7 198.51.100.1", "0019"), ("192.0.2.7", "::ffff:192.0.2.7", "0101"),
    ("2001:db8::/32", "2001:db8::7", "0101"), ("2001:db8::/32", "2001:DB8:0:0::7", "0101"),
    ("2001:db8::/32", "192.0.2.7, 2001:db9::7", "0019"), ("2001:db8::/32", "2001:db8::7, 192.0.2.7", "0019"),
    (PROXY, "192.0.2.7", "0019"), (PROXY, "127.0.0.5, 192.0.2.7", "0019"), (PROXY, "garbage", "0101")])
def test_what_the_proxy_says(behind: World, allowed: str, forwarded: str, code: str) -> None:
    """The last entry, which the proxy has added; where that is none, the proxy itself."""
    assert code_of(behind, network(behind, allowed), PROXY, {"X-Forwarded-For": forwarded}) == code


def test_a_header_of_the_callers_before_the_proxys(behind: World) -> None:
    """A proxy may add a line of its own instead of an entry."""
    name = network(behind, "192.0.2.7")
    with Caller(behind, name, PROXY) as caller:
        path = caller.lookup_path("1")
        for own, code in (("198.51.100.1", "0019"), ("192.0.2.7", "0101")):
            caller.connection.putrequest("GET", path)
            caller.connection.putheader("X-Forwarded-For", "192.0.2.7")
            caller.connection.putheader("X-Forwarded-For", own)
            caller.connection.endheaders()
            response = caller.connection.getresponse()
            assert f'"CODE":"{code}"' in response.read().decode()


def test_a_proxy_in_front(behind: World, tmp_path: Path) -> None:
    """Its callers are told apart, and what they forge is only what stands in front."""
    name = network(behind, ALLOWED)
    with FrontProxy(tmp_path, behind.stack.base_url, PROXY) as front:
        assert code_of(behind, name, ALLOWED, base_url=front.base_url) == "0101"
        assert code_of(behind, name, ALLOWED, {"X-Forwarded-For": "198.51.100.1"}, front.base_url) == "0101"
        assert code_of(behind, name, "127.0.0.1", base_url=front.base_url) == "0019"
        for headers in FORGED:
            assert code_of(behind, name, "127.0.0.1", headers, front.base_url) == "0019"


def test_changes_take_effect(world: World) -> None:
    """In all worker processes, each of which remembers for itself."""
    name = network(world)

    def everywhere(code: str) -> None:
        wait_until(lambda: all(code_of(world, name) == code for _ in range(20)), f"lookups to get {code}", TAKES_EFFECT)

    everywhere("0101")
    world.stack.ctl.done("network", "set", name, "--allow", "192.0.2.0/24")
    everywhere("0019")
    world.stack.ctl.done("network", "set", name, "--allow", "192.0.2.0/24", "--allow", "127.0.0.1")
    everywhere("0101")
    world.stack.ctl.done("network", "set", name, "--allow", "none")
    assert code_of(world, name, ALLOWED) in ("0019", "0101")
    everywhere("0101")


def test_merchants_and_operators_are_not_bound(world: World) -> None:
    """The lists are of networks."""
    network(world, ALLOWED)
    with world.connect_merchant() as merchant:
        expect(merchant.consult("none"), "0041")
        expect(merchant.request("GET", "/healthz"), "0000")


def test_without_http_1_1_the_same(behind: World) -> None:
    name = network(behind, ALLOWED)
    with Caller(behind, name) as caller:
        request = f"GET {caller.lookup_path('1')} HTTP/1.0\r\nX-Forwarded-For: {ALLOWED}\r\n\r\n"
    expect(reply_in(raw_request(behind.stack.base_url, request.encode())), "0019")
