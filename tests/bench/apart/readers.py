"""What people who read the console cost those who pay:

    /usr/bin/python3 -m tests.bench.apart.readers --orders 50000 --keep DIRECTORY

A hundred people each have the console open and go to another page every half minute, through the web server with its check of
passwords. Two figures: the share of all processors that their pages take from web server, console and database, measured while
nobody pays; and flows (look up, register, confirm) beside them and alone, a ratio for each round. Single rounds differ by more
than what is wanted, so the middle of many is told with its margin (95 %), and the share decides: exit status 1 if it is more than
the rest of the ratio that is wanted.
"""

import argparse
import base64
import http.client
import itertools
import math
import os
import statistics
import tempfile
import threading
import time
from pathlib import Path

from tests.stack import Stack

from . import console
from ..cost import session_seconds
from ..instance import Instance
from ..measures import interleave
from ..sizes import buffer_pool
from ..tools import Tools

PASSWORD = "lee-cada-dia"
WANTED = 0.98
MARGIN = 1.96  # standard errors
FLOWS_PER_SECOND = 3_000  # at most
TIMEOUT = 30.0
QUIET_SECONDS = 30.0  # what idle processes take is measured as long
FASTER = 4  # times as many pages while their processor time is measured: ticks of the kernel's clock are coarse


class Readers(threading.Thread):
    """A context manager: so many people, evenly spread over the time between two pages of one of them, each with a connection."""

    def __init__(self, port: int, pages: list[str], people: int, every: float) -> None:
        super().__init__(name="readers", daemon=True)
        names = [console.STAFF, console.OWN]
        self.people = [(http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT), authorization(name))
                       for name, _ in zip(itertools.cycle(names), range(people))]
        self.pages = itertools.cycle(pages)
        self.pause = every / people
        self.read = 0
        self.stopping = threading.Event()
        self.error: BaseException | None = None

    def __enter__(self) -> "Readers":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self.join()
        for connection, _ in self.people:
            connection.close()
        if self.error:
            raise RuntimeError("who reads has ended badly") from self.error

    def run(self) -> None:
        began = time.monotonic()
        try:
            for number, (connection, header) in enumerate(itertools.cycle(self.people)):
                if self.stopping.wait(max(0.0, began + number * self.pause - time.monotonic())):
                    return
                self.turn_to(connection, header, next(self.pages))
        except BaseException as error:  # reported when they leave
            self.error = error

    def turn_to(self, connection: http.client.HTTPConnection, header: str, page: str) -> None:
        """A page of staff that a merchant's user may not see is answered as one that is not there."""
        connection.request("GET", page, headers={"Authorization": header})
        reply = connection.getresponse()
        reply.read()
        if reply.status not in (200, 302, 303, 403, 404):
            raise RuntimeError(f"{page}: {reply.status}")
        self.read += 1


def authorization(name: str) -> str:
    return "Basic " + base64.b64encode(f"{name}:{PASSWORD}".encode()).decode()


class Contest:
    """Flows of new orders, alone and beside readers."""

    def __init__(self, instance: Instance, tools: Tools, options: argparse.Namespace) -> None:
        self.tools = tools
        self.options = options
        self.url = instance.stack.base_url
        self.port = instance.stack.console.port
        self.pages = console.pages(instance)
        self.orders = instance.fill(int((2 * options.rounds + 1) * options.seconds * FLOWS_PER_SECOND))
        self.used = 0

    def alone(self) -> float:
        most = int(self.options.seconds * FLOWS_PER_SECOND)
        result = self.tools.load(self.url, "flow", self.orders, connections=self.options.connections, skip=self.used,
                                 requests=most)
        self.used += most
        return float(result["operations"]["flow"]["per_second"])

    def beside(self) -> float:
        with Readers(self.port, self.pages, self.options.people, self.options.every):
            return self.alone()


class Share:
    """Processor time of those who serve pages, while nobody pays."""

    def __init__(self, instance: Instance, options: argparse.Namespace) -> None:
        stack = instance.stack
        self.leaders = {"web server": stack.web.process.pid, "console": stack.console.pid, "database": stack.mariadb.process.pid}
        self.options = options
        self.port = stack.console.port
        self.pages = console.pages(instance)

    def used(self) -> dict[str, float]:
        """Seconds of a processor in each second, in the next half minute."""
        before, began = session_seconds(self.leaders), time.monotonic()
        time.sleep(QUIET_SECONDS)
        after, took = session_seconds(self.leaders), time.monotonic() - began
        return {name: (after[name] - before[name]) / took for name in self.leaders}

    def of_page(self) -> dict[str, float]:
        """Milliseconds of a processor for each page."""
        idle = self.used()
        with Readers(self.port, self.pages, self.options.people, self.options.every / FASTER) as readers:
            read = readers.read
            busy = self.used()
            each = QUIET_SECONDS / max(1, readers.read - read)
        return {name: (busy[name] - idle[name]) * each * 1000 for name in self.leaders}


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--orders", type=int, default=50_000, help="in the database before (50000)")
    parser.add_argument("--keep", type=Path, help="keeps what was filled for the next run")
    parser.add_argument("--people", type=int, default=100, help="who have the console open (100)")
    parser.add_argument("--every", type=float, default=30.0, help="seconds between two pages of one of them (30)")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=3.0, help="of each half of a round (3)")
    parser.add_argument("--connections", type=int, default=32, help="of those who pay (32)")
    return parser.parse_args()


def measure(folder: Path, options: argparse.Namespace) -> tuple[dict[str, float], dict[str, list[float]]]:
    """Milliseconds of a processor for a page; flows per second, by round."""
    settings: dict[str, dict[str, object]] = {"console": {"threads": 4}}
    with Stack(folder, settings=settings, dispatcher=False, buffer_pool=buffer_pool(options.orders), console=True) as stack, \
            Instance(stack) as instance:
        console.fill(instance, options.orders)
        console.add_users(instance)
        stack.console.write_users({console.STAFF: PASSWORD, console.OWN: PASSWORD})
        tools = Tools(instance, options.seconds)
        contest = Contest(instance, tools, options)
        contest.alone()  # warms up
        page = Share(instance, options).of_page()
        found = interleave(options.rounds, {"alone": contest.alone, "beside": contest.beside})
        if tools.wrong:
            raise RuntimeError(f"{tools.wrong} wrong replies")
    return page, found


def middle(ratios: list[float]) -> tuple[float, float]:
    """The geometric mean, and how far from it the true one may be."""
    logs = [math.log(ratio) for ratio in ratios]
    error = statistics.stdev(logs) / math.sqrt(len(logs)) if len(logs) > 1 else math.inf
    return math.exp(statistics.fmean(logs)), MARGIN * error


def main() -> int:
    options = parse()
    with tempfile.TemporaryDirectory(prefix="recaudo-readers-") as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        page, found = measure(folder, options)
    share = sum(page.values()) / 1000 * options.people / options.every / len(os.sched_getaffinity(0))
    print(f"{options.people} people, a page every {options.every:g} s each, {options.orders} orders")
    for name, rates in found.items():
        print(f"{name:<8}{statistics.median(rates):9.0f} flows per second, {min(rates):.0f} to {max(rates):.0f}")
    ratio, margin = middle([beside / alone for alone, beside in zip(found["alone"], found["beside"])])
    print(f"ratio   {ratio:9.3f} +- {margin:.3f} in {options.rounds} rounds")
    print("a page: " + ", ".join(f"{name} {taken:.1f} ms" for name, taken in page.items()))
    print(f"share of all processors {share:.4f}, at most {1 - WANTED:.4f} wanted")
    return 0 if share <= 1 - WANTED else 1


if __name__ == "__main__":
    raise SystemExit(main())
