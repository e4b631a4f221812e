"""The instance that these tests share, with a network and a merchant in it."""

from typing import Iterator

import pytest

from tests.stack import Ctl, Network, Stack

from operator_steps import COMMERCE, MERCHANT, NETWORK


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes more than ten seconds")


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    with Stack(dispatcher=False, buffer_pool="64M") as stack:
        yield stack


@pytest.fixture(scope="session")
def ctl(stack: Stack) -> Ctl:
    stack.ctl.done("merchant", "add", MERCHANT, "--commerce", COMMERCE)
    return stack.ctl


@pytest.fixture(scope="session")
def network_hash(ctl: Ctl) -> str:
    return str(ctl.json("network", "add", NETWORK)["fixed_hash"])


@pytest.fixture
def network(stack: Stack, network_hash: str) -> Iterator[Network]:
    with Network(stack.base_url, NETWORK, network_hash) as network:
        yield network
