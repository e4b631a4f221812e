"""One instance with the console and a small world in it, for all tests of pages that only read."""

from typing import Iterator

import pytest

from tests.stack import Stack
from tests.stack.merchant_stub import MerchantStub

from world import World


@pytest.fixture(scope="session")
def world() -> Iterator[World]:
    settings = {"worker": {"cancel_window": "2s"}, "security": {"allow_addresses": "127.0.0.0/8"}}
    with MerchantStub() as stub, Stack(settings=settings, buffer_pool="64M", console=True) as stack:
        yield World(stack, stub)
