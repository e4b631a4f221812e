"""Processes that may open no more files."""

import os
import resource
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Callable, Iterator

from ..waiting import wait_until

WATCHED_FOR = 2.0


def free_file(process: int) -> int:
    taken = {int(name) for name in os.listdir(f"/proc/{process}/fd")}
    return next(number for number in range(len(taken) + 1) if number not in taken)


def closed(command: list[str]) -> list[str]:
    """The command with standard input, output and error closed, as a careless daemon(1) leaves them."""
    return ["bash", "-c", 'exec "$@" <&- >&- 2>&-', "bash", *command]


def standard_files(process: int) -> list[str]:
    """What stands where standard input, output and error were."""
    return [os.readlink(f"/proc/{process}/fd/{number}") for number in range(3)]


@contextmanager
def no_more_files(processes: list[int]) -> Iterator[None]:
    before = {process: resource.prlimit(process, resource.RLIMIT_NOFILE) for process in processes}
    try:
        for process, (_, most) in before.items():
            resource.prlimit(process, resource.RLIMIT_NOFILE, (free_file(process), most))
        yield
    finally:
        for process, limits in before.items():
            resource.prlimit(process, resource.RLIMIT_NOFILE, limits)


def processor_seconds(processes: list[int]) -> float:
    ticks = 0
    for process in processes:
        user, system = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
        ticks += int(user) + int(system)
    return ticks / os.sysconf("SC_CLK_TCK")


def check_connections_wait(processes: list[int], what: str, log_text: Callable[[], str], connect: Callable[[], object]) -> None:
    """While they may open no more files: connections stay, the processes do not ask for them without end, and one line of each
    says why."""
    def lines() -> int:
        return log_text().count(f" cannot accept {what}, which wait: ")

    said = lines()
    with no_more_files(processes):
        for _ in range(20):
            connect()
        wait_until(lambda: lines() > said, "the line that says it")
        began, used = time.monotonic(), processor_seconds(processes)
        wait_until(lambda: time.monotonic() - began > WATCHED_FOR, "some time")
        assert processor_seconds(processes) - used < 0.1 * (time.monotonic() - began)
        assert said < lines() <= said + len(processes)
