"""What deployment rests on: units, reload, and what the service manager is told."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes more than ten seconds")
    config.addinivalue_line("markers", "preloads: runs a program with a library before it, which sanitizers do not allow")
