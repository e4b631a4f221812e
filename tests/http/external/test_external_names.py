"""Merchants whose endpoint has a name: one that is never found, one that moves to a private address."""

import time
from typing import Iterator

import pytest

from tests.stack import Stack
from tests.stack.merchant_stub import MerchantStub

from asked import Asked, make_asked
from checked import CheckedNetwork, expect
from names import Names
from own_instance import own_world
from world import World

pytestmark = pytest.mark.preloads


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Names:
    names = Names(tmp_path_factory.mktemp("names"))
    names.set("merchant.test", "127.0.0.1")
    return names


@pytest.fixture(scope="module")
def stack(names: Names) -> Iterator[Stack]:
    stack = Stack(settings={"worker": {"processes": 1}}, dispatcher=False, buffer_pool="64M")
    stack.worker.environment |= names.environment()
    with stack:
        yield stack


world = own_world


def named(world: World, stub: MerchantStub, name: str) -> Asked:
    return make_asked(world, stub, endpoint=lambda url: url.replace("127.0.0.1", name))


def test_name_that_is_never_found(world: World, network: CheckedNetwork, stub: MerchantStub, names: Names) -> None:
    shop = named(world, stub, "silent.test")
    names.set("silent.test", "127.0.0.1")
    shop.await_well(network)
    names.set("silent.test", "hang")
    world.stack.worker.restart()  # addresses are remembered for a minute
    began = time.monotonic()
    expect(network.lookup(shop.reference()), "0108")
    assert 5 <= time.monotonic() - began < 9
    order = world.order()
    expect(network.lookup(order.reference), "0000")


def test_endpoint_that_moves_to_a_private_address(world: World, network: CheckedNetwork, stub: MerchantStub,
                                                  names: Names) -> None:
    shop = named(world, stub, "merchant.test")
    shop.await_well(network)
    asked = len(stub.requests)
    names.set("merchant.test", "10.0.0.1")
    world.stack.worker.restart()
    began = time.monotonic()
    expect(network.lookup(shop.reference()), "0108")
    assert time.monotonic() - began < 5  # not by the time-out of a query
    assert len(stub.requests) == asked
    (query,) = world.rows("SELECT outcome, field FROM external_queries ORDER BY id DESC LIMIT 1")
    assert (query["outcome"], query["field"]) == ("silent", "address")
