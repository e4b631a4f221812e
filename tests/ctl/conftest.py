"""The instances that these tests share: one with a network and a merchant in it, and one for notifications."""

from typing import Iterator

import pytest

from tests.stack import Ctl, Network, Stack
from tests.stack.dispatch_rig import DispatchRig, database_only
from tests.stack.merchant_stub import MerchantStub

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


@pytest.fixture(scope="session")
def shared_rig() -> Iterator[DispatchRig]:
    """A database of its own for notifications: the dispatchers of these tests send what is in it."""
    with database_only(buffer_pool="64M") as stack:
        yield DispatchRig(stack)


@pytest.fixture
def rig(shared_rig: DispatchRig) -> Iterator[DispatchRig]:
    shared_rig.empty()
    yield shared_rig
    shared_rig.stop_all()


@pytest.fixture
def stub() -> Iterator[MerchantStub]:
    with MerchantStub() as stub:
        yield stub
