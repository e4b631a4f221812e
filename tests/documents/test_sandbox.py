"""./sandbox: words that it does not know, and parts that end."""

import os
import subprocess
import time

import pytest

from tools.sandbox.instance import Instance
from tests.stack.paths import ROOT
from tests.stack.process import children
from tests.stack.waiting import wait_until


def sandbox_says(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(["./sandbox", *words], cwd=ROOT, text=True, capture_output=True, timeout=20)


@pytest.mark.parametrize("words", [["update"], ["up", "--dettach"], ["up", "--port"], ["up", "--port", "http"], ["up", "now"],
                                   ["demo", "--slow"], ["down", "--now"], ["logs", "worker", "nginx"]], ids=" ".join)
def test_wrong_words_are_named_before_anything_is_done(words: list[str]) -> None:
    said = sandbox_says(*words)
    assert said.returncode == 2 and said.stdout == ""
    first, second = said.stderr.splitlines()[:2]
    assert first.endswith(": " + " ".join(words)) and second.startswith("usage: ./sandbox")


@pytest.mark.parametrize("words", [["--help"], ["up", "--help"], ["demo", "-h"]], ids=" ".join)
def test_help(words: list[str]) -> None:
    said = sandbox_says(*words)
    assert said.returncode == 0 and said.stdout.startswith("usage: ./sandbox up") and said.stderr == ""


def test_part_that_was_killed_is_started_again_and_leaves_nothing_behind(sandbox: Instance) -> None:
    nginx = next(part for part in sandbox.parts() if part.name == "nginx")
    wait_until(lambda: time.monotonic() - nginx.spawned_at > 1.1 and nginx.children(), "nginx and its worker process")
    first, (worker,) = nginx.pid, nginx.children()
    os.kill(first, 9)
    messages = wait_until(sandbox.mend, "nginx to be started again")
    assert messages == [f"nginx was ended by SIGKILL and was started again, process {nginx.pid}"]
    nginx.await_ready()
    assert nginx.pid != first and worker not in children(nginx.pid)
    wait_until(lambda: not os.path.exists(f"/proc/{worker}"), "the old worker process to be gone")
