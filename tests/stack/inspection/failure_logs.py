"""A plugin of pytest: with the first failure beside an instance come the ends of its logs, and which of its programs ended."""

from typing import Iterator

import pytest

from tests.stack import Stack

SHOWN: set[int] = set()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport() -> Iterator[None]:
    outcome = yield
    report = outcome.get_result()  # type: ignore[attr-defined]
    if report.failed:
        for stack in [stack for stack in Stack.at_work if id(stack) not in SHOWN]:
            SHOWN.add(id(stack))
            ended = [part.name for part in stack.parts() if not part.running()]
            report.sections.append((f"instance in {stack.directory}, ended: {ended}", stack.log_tails()))
