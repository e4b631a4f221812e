"""Doing what a plan says, to an arena."""

import heapq
import os
import signal
import time
from collections import Counter
from itertools import count
from typing import Callable, Sequence

from tests.stack import Process

from .arena import Arena
from .plan import Fault

End = Callable[[], None]
TURN = 0.05
DELAYS = (0.01, 0.05, 0.2, 0.5, 2.5)
CUTS = ("cut before 1", "cut half 1", "cut after 1", "cut before 6", "cut half 3", "cut after 6")
STEPS = (-86400, -3600, -1, 1, 3600, 86400)


def nothing() -> None:
    """What ends by itself."""


def send(process: int, number: int) -> None:
    try:
        os.kill(process, number)
    except ProcessLookupError:
        pass


def send_all(part: Process, number: int) -> None:
    try:
        os.killpg(part.pid, number)
    except ProcessLookupError:
        pass


class Conductor:
    """Works in the thread that owns the arena: what a thread has started ends with it.

    `done` counts the faults by kind; `killed_dispatchers` how many processes that may have had messages in hand.
    """

    def __init__(self, arena: Arena, plan: Sequence[Fault]) -> None:
        self.arena = arena
        self.waiting = list(plan)
        self.numbers = count()
        self.ends: list[tuple[float, int, End]] = []
        self.done: Counter[str] = Counter()
        self.killed_dispatchers = 0
        self.acts: dict[str, Callable[[Fault], End]] = {
            "kill a serving process": lambda fault: self.kill_child(self.arena.stack.worker, fault),
            "kill all workers": lambda fault: self.kill(self.arena.stack.worker),
            "kill a dispatcher": lambda fault: self.kill(self.dispatcher(fault)),
            "kill a task of a dispatcher": self.kill_task,
            "kill all dispatchers": lambda fault: self.kill_dispatchers(),
            "kill an nginx process": lambda fault: self.kill_child(self.arena.stack.web.process, fault),
            "kill nginx": lambda fault: self.kill(self.arena.stack.web.process),
            "kill the database": lambda fault: self.kill(self.arena.stack.mariadb.process),
            "stop a serving process": lambda fault: self.stop_child(self.arena.stack.worker, fault),
            "stop all workers": lambda fault: self.stop(self.arena.stack.worker),
            "stop a dispatcher": lambda fault: self.stop(self.dispatcher(fault)),
            "stop a task of a dispatcher": lambda fault: self.stop_child(self.dispatcher(fault), fault),
            "stop nginx": lambda fault: self.stop(self.arena.stack.web.process),
            "stop the database": lambda fault: self.stop(self.arena.stack.mariadb.process),
            "slow database": self.slow,
            "cut commits": self.cut,
            "full disk": lambda fault: self.fill(),
            "step the clock": self.step,
            "stop the log's reader": lambda fault: self.stop_reading(),
            "kill the query process": lambda fault: self.kill_query_process(),
            "stop the query process": lambda fault: self.stop_query_process(),
        }

    def run(self, seconds: float, enough: Callable[[], bool]) -> None:
        """The whole plan, for so long at least, and until enough was done."""
        began = time.monotonic()
        try:
            while self.waiting or self.ends or time.monotonic() - began < seconds or not enough():
                self.turn(time.monotonic() - began)
                time.sleep(TURN)
        finally:
            self.end_all()

    def turn(self, now: float) -> None:
        while self.ends and self.ends[0][0] <= now:
            heapq.heappop(self.ends)[2]()
        while self.waiting and self.waiting[0].at <= now:
            fault = self.waiting.pop(0)
            end = self.acts[fault.kind](fault)
            self.done[fault.kind] += 1
            heapq.heappush(self.ends, (fault.at + fault.length, next(self.numbers), end))
        self.arena.mend()

    def end_all(self) -> None:
        while self.ends:
            heapq.heappop(self.ends)[2]()

    def dispatcher(self, fault: Fault) -> Process:
        return self.arena.dispatchers[fault.which % len(self.arena.dispatchers)]

    def kill(self, part: Process) -> End:
        if part in self.arena.dispatchers and part.running():
            self.killed_dispatchers += 1
        part.kill()
        return nothing

    def kill_task(self, fault: Fault) -> End:
        """One that settles, or one that delivers: its parent starts another."""
        self.killed_dispatchers += self.dispatcher(fault).running()
        return self.kill_child(self.dispatcher(fault), fault)

    def kill_dispatchers(self) -> End:
        for dispatcher in self.arena.dispatchers:
            self.kill(dispatcher)
        return nothing

    def kill_child(self, part: Process, fault: Fault) -> End:
        children = part.children()
        if children:
            send(children[fault.which % len(children)], signal.SIGKILL)
        return nothing

    def stop(self, part: Process) -> End:
        send_all(part, signal.SIGSTOP)
        return lambda: send_all(part, signal.SIGCONT)

    def kill_query_process(self) -> End:
        """The process that asks merchants for the workers: their parent starts another."""
        asks = self.arena.stack.worker.query_process()
        if asks is not None:
            send(asks, signal.SIGKILL)
        return nothing

    def stop_query_process(self) -> End:
        asks = self.arena.stack.worker.query_process()
        return nothing if asks is None else self.stop_one(asks)

    def stop_child(self, part: Process, fault: Fault) -> End:
        children = part.children()
        if not children:
            return nothing
        return self.stop_one(children[fault.which % len(children)])

    def stop_one(self, process: int) -> End:
        send(process, signal.SIGSTOP)
        return lambda: send(process, signal.SIGCONT)

    def slow(self, fault: Fault) -> End:
        self.arena.proxy.tell(f"delay {DELAYS[fault.which % len(DELAYS)]}")
        return lambda: self.arena.proxy.tell("delay 0")

    def cut(self, fault: Fault) -> End:
        self.arena.proxy.tell(CUTS[fault.which % len(CUTS)])
        return nothing

    def fill(self) -> End:
        self.arena.full_sign.touch()
        return lambda: self.arena.full_sign.unlink(missing_ok=True)

    def stop_reading(self) -> End:
        self.arena.log_reader.halt()
        return self.arena.log_reader.go_on

    def step(self, fault: Fault) -> End:
        self.arena.step_clock(STEPS[fault.which % len(STEPS)])
        return nothing
