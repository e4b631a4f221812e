"""Somebody reads our log, or does not: requests do not wait for them, and what is dropped is said."""

import fcntl
import os
import re
import subprocess
import threading
from typing import Iterator

import pytest

from checked import CheckedClient, expect
from tests.stack import Stack, wait_until

REQUESTS = 2000
PIPE_BYTES = 65536


class Pipe:
    """The worker's standard error, which nobody reads until somebody does."""

    def __init__(self) -> None:
        self.reading, self.writing = os.pipe()
        fcntl.fcntl(self.writing, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        self.text = b""
        self.reader = threading.Thread(target=self._read, daemon=True)

    def _read(self) -> None:
        while more := os.read(self.reading, 1 << 16):
            self.text += more

    def lines(self) -> list[str]:
        return self.text.decode().splitlines()


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    settings = {"worker": {"processes": "2"}, "log": {"level": "debug"}}
    with Stack(settings=settings, dispatcher=False, buffer_pool="16M") as stack:
        stack.dispatcher.show_life()
        yield stack


def dropped(stack: Stack) -> int:
    with stack.client() as client:
        text = client.request("GET", "/metrics").text
    found = re.search(r"^recaudo_log_lines_dropped_total ([0-9]+)$", text, re.MULTILINE)
    assert found is not None
    return int(found[1])


def test_reader_that_stops(stack: Stack) -> None:
    """Every request is answered; what found no room is counted, and said once somebody reads again."""
    stack.worker.stop()
    pipe = Pipe()
    worker = subprocess.Popen(stack.worker.command, env=stack.worker.environment, stdin=subprocess.DEVNULL,
                              stderr=pipe.writing)
    os.close(pipe.writing)
    try:
        wait_until(stack.worker.ready, "the worker to serve")
        with CheckedClient(stack.base_url) as client:
            for _ in range(REQUESTS):
                expect(client.request("GET", "/healthz"), "0000")
            # The buffer of a process holds thousands of lines: until they are full, nothing is lost.
            wait_until(lambda: all(client.request("GET", "/healthz").code == "0000" for _ in range(200))
                       and dropped(stack) > 0, "lines to be dropped", 600.0, pause=0)
            pipe.reader.start()
            wait_until(lambda: any(" lines of this log were dropped" in line for line in pipe.lines()), "the line that says it")
            expect(reply := client.request("GET", "/healthz"), "0000")
            wait_until(lambda: any(f"id={reply.headers['X-Request-Id']}" in line for line in pipe.lines()), "the next line")
            told = wait_until(lambda: sum(int(found) for found in
                                          re.findall(r" warning ([0-9]+) lines of this log were dropped", pipe.text.decode())),
                              "the number")
            assert told <= dropped(stack)
    finally:
        worker.terminate()
        assert worker.wait(60) == 0
    assert all(re.match(r"[0-9T:.-]{23}Z (error|warning|info|debug) \S", line) for line in pipe.lines())
    stack.worker.start()


def test_worker_ends_although_nobody_reads(stack: Stack) -> None:
    """The last lines wait for a second, no longer."""
    stack.worker.stop()
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    os.set_blocking(writing, False)
    while True:
        try:
            os.write(writing, b"x" * 512)
        except BlockingIOError:
            break
    os.set_blocking(writing, True)
    worker = subprocess.Popen(stack.worker.command, env=stack.worker.environment, stdin=subprocess.DEVNULL, stderr=writing)
    os.close(writing)
    wait_until(stack.worker.ready, "the worker to serve")
    with CheckedClient(stack.base_url) as client:
        expect(client.request("GET", "/healthz"), "0000")
    worker.terminate()
    assert worker.wait(8) == 0
    os.close(reading)
    stack.worker.start()
