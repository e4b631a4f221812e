"""What the documents say is compared with the programs, and what they show is run: in a sandbox of these tests' own."""

from typing import Iterator

import pytest

from tools.sandbox.instance import Instance


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes more than ten seconds")


@pytest.fixture(scope="session")
def shared_sandbox() -> Iterator[Instance]:
    with Instance(window=3.0) as sandbox:
        yield sandbox


@pytest.fixture
def sandbox(shared_sandbox: Instance) -> Instance:
    """Whole again, if a part of it has ended."""
    shared_sandbox.mend()
    return shared_sandbox
