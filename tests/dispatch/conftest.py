"""The database that most tests share, emptied for each. Tests that break things, or pay as a network does, start their own."""

from typing import Iterator

import pytest

from tests.stack import Stack

from tests.stack.config import default_settings
from tests.stack.database_proxy import DatabaseProxy
from tests.stack.dispatch_rig import DispatchRig, database_only
from tests.stack.merchant_stub import MerchantStub
from tests.stack.inspection.observable import stay_observable


def pytest_configure(config: pytest.Config) -> None:
    stay_observable()
    config.addinivalue_line("markers", "slow: takes more than ten seconds")
    config.addinivalue_line("markers", "preloads: runs a program with a library before it, which sanitizers do not allow")


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    with database_only() as stack:
        yield stack


@pytest.fixture(scope="session")
def shared_rig(stack: Stack) -> DispatchRig:
    return DispatchRig(stack)


@pytest.fixture
def rig(shared_rig: DispatchRig) -> Iterator[DispatchRig]:
    shared_rig.empty()
    yield shared_rig
    shared_rig.stop_all()


@pytest.fixture
def stub() -> Iterator[MerchantStub]:
    with MerchantStub() as stub:
        yield stub


@pytest.fixture
def proxy(rig: DispatchRig) -> Iterator[DatabaseProxy]:
    settings = default_settings(rig.stack.mariadb, rig.stack.worker.socket, rig.stack.key_file)
    with DatabaseProxy(str(settings["database"]["socket"]), str(rig.stack.directory / "proxy.sock")) as proxy:
        yield proxy
