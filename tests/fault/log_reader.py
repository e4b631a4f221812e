"""Whoever reads the workers' log: a pipe of 4 KiB, and a thread that brings what comes to the log's file unless it is stopped."""

import fcntl
import os
import select
import threading
from pathlib import Path

PIPE_BYTES = 4096
TURN = 0.05


class LogReader(threading.Thread):
    """`pipe` is there as long as this is: who writes to it needs not be started again when the reading stops."""

    def __init__(self, pipe: Path, log: Path) -> None:
        super().__init__(name="log reader", daemon=True)
        self.pipe = pipe
        self.log = log
        os.mkfifo(pipe)
        self.end = os.open(pipe, os.O_RDWR)
        fcntl.fcntl(self.end, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        self.reads = threading.Event()
        self.ended = threading.Event()
        self.reads.set()
        self.start()

    def run(self) -> None:
        while not self.ended.is_set():
            if self.reads.wait(TURN) and select.select([self.end], [], [], TURN)[0] and self.reads.is_set():
                with open(self.log, "ab") as log:
                    log.write(os.read(self.end, PIPE_BYTES))

    def halt(self) -> None:
        self.reads.clear()

    def go_on(self) -> None:
        self.reads.set()

    def close(self) -> None:
        self.ended.set()
        self.join()
        os.close(self.end)
