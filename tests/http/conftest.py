"""The instance that most tests share. Tests that need another configuration, or break things, start their own."""

from pathlib import Path
from typing import Iterator

import pytest

from tests.stack import Stack
from tests.stack.inspection.observable import stay_observable
from tests.stack.merchant_stub import MerchantStub
from tests.stack.stack import WEB

from checked import CheckedClient, CheckedMerchant, CheckedNetwork
from world import OTHER_NETWORK, World

WINDOW_SECONDS = 5  # long enough for a busy machine to act inside it, short enough to wait for its end
LONG_WINDOW_SECONDS = 30  # where no test waits for its end


def pytest_configure(config: pytest.Config) -> None:
    stay_observable()
    config.addinivalue_line("markers", "slow: takes more than ten seconds")
    config.addinivalue_line("markers", "preloads: runs a program with a library before it, which sanitizers do not allow")
    config.addinivalue_line("markers", "nginx: what Apache does not have, and is tested with nginx only")
    config.addinivalue_line("markers", "web: a web server decides it, so that ./check --quick runs it behind Apache too")
    config.addinivalue_line("markers", "last: looks at what all other tests have left behind")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """What one web server answers by itself is tested with that one only."""
    other = {"nginx": "apache", "apache": "nginx"}[WEB]
    return True if collection_path.name == f"test_{other}.py" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items[:] = [item for item in items if WEB == "nginx" or item.get_closest_marker("nginx") is None]
    items.sort(key=lambda item: item.get_closest_marker("last") is not None)


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    settings = {"worker": {"cancel_window": f"{WINDOW_SECONDS}s", "processes": 2}}  # each remembers for itself
    with Stack(settings=settings, dispatcher=False, buffer_pool="64M") as stack:
        yield stack


@pytest.fixture(scope="session")
def world(stack: Stack) -> World:
    return World(stack)


@pytest.fixture
def network(world: World) -> Iterator[CheckedNetwork]:
    with world.connect() as network:
        yield network


@pytest.fixture
def other(world: World) -> Iterator[CheckedNetwork]:
    """Another network."""
    with world.connect(OTHER_NETWORK) as network:
        yield network


@pytest.fixture
def merchant(world: World) -> Iterator[CheckedMerchant]:
    with world.connect_merchant() as merchant:
        yield merchant


@pytest.fixture
def client(stack: Stack, world: World) -> Iterator[CheckedClient]:
    """Somebody without a name."""
    with CheckedClient(stack.base_url) as client:
        yield client


@pytest.fixture(scope="module")
def stub() -> Iterator[MerchantStub]:
    """Where the merchants of a module have their endpoints."""
    with MerchantStub() as stub:
        yield stub
