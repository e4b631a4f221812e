"""A plugin of pytest: with the first failure beside an instance come the ends of its logs, and which of its programs ended."""

from typing import Iterator

import pytest

from tests.stack import Stack

SHOWN: list[Stack] = []


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport() -> Iterator[None]:
    outcome = yield
    report = outcome.get_result()  # type: ignore[attr-defined]
    for stack in Stack.at_work if report.failed else []:
        if stack not in SHOWN:
            SHOWN.append(stack)
            ended = ", ".join(part.name for part in stack.parts() if not part.running()) or "none"
            report.sections.append((f"instance in {stack.directory}, programs that have ended: {ended}", stack.log_tails()))
