"""What ./check shows when tests fail: once, with the first failure, the logs of the instances that run."""

import subprocess
import sys
from pathlib import Path

from tests.stack.paths import ROOT

TWO_FAILURES = """
import pytest
from tests.stack import Stack

@pytest.fixture(scope="module")
def stack():
    stack = Stack(dispatcher=False, buffer_pool="16M")
    with stack:
        yield stack

def test_first(stack):
    stack.worker.stop()
    assert False

def test_second(stack):
    assert False
"""


def test_logs_come_once_and_say_what_ended(tmp_path: Path) -> None:
    (tmp_path / "test_two.py").write_text(TWO_FAILURES)
    result = subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "tests.stack.inspection.failure_logs",
                             "-q", "--rootdir", str(tmp_path), str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "2 failed" in result.stdout, result.stdout + result.stderr
    assert result.stdout.count("programs that have ended: worker") == 1
    assert "serves with 8 database connections" in result.stdout
