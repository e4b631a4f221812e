"""What deployment rests on: units, reload, and what the service manager is told."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes more than ten seconds")
