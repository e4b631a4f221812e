"""Marks, as in the other folders."""

import pytest

from tests.stack.inspection.observable import stay_observable


def pytest_configure(config: pytest.Config) -> None:
    stay_observable()
    config.addinivalue_line("markers", "slow: takes more than ten seconds")
    config.addinivalue_line("markers", "preloads: runs a program with a library before it, which sanitizers do not allow")
    config.addinivalue_line("markers", "once: finds by chance what is wrong; ./check --repeat gives it no second attempt")
