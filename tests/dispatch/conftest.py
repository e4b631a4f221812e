"""The database that most tests share, emptied for each. Tests that break things, or pay as a network does, start their own."""

from contextlib import contextmanager
from typing import Iterator

import pytest

from tests.stack import Stack

from mailroom import Mailroom
from merchant_stub import MerchantStub


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes more than ten seconds")


@contextmanager
def database_only(buffer_pool: str = "256M") -> Iterator[Stack]:
    """An instance without workers and web server."""
    stack = Stack(dispatcher=False, buffer_pool=buffer_pool)
    try:
        stack.write_config()
        stack.mariadb.start()
        stack.migrate()
        yield stack
    finally:
        stack.close()


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    with database_only() as stack:
        yield stack


@pytest.fixture(scope="session")
def shared_mailroom(stack: Stack) -> Mailroom:
    return Mailroom(stack)


@pytest.fixture
def mailroom(shared_mailroom: Mailroom) -> Iterator[Mailroom]:
    shared_mailroom.empty()
    yield shared_mailroom
    shared_mailroom.stop_all()


@pytest.fixture
def stub() -> Iterator[MerchantStub]:
    with MerchantStub() as stub:
        yield stub
