"""Instructions that the database executes for one lookup, registration or confirmation, beside the floor's:

    /usr/bin/python3 -m tests.bench.apart.instructions

valgrind's callgrind counts them (Debian package valgrind). Times vary by a fifth from round to round, and more on a busy machine; this
count does not: a second run differs by about 2 %. It is no measure of time: a system call, a cache miss and a wait for the disk count as
little as an addition. Use it to see what a trigger, a key or a check costs: `--sql FILE` is run by root before it is counted.
"""

import argparse
import re
import subprocess
from pathlib import Path
from typing import Callable

from tests.stack import Stack
from tests.stack.mariadb import MariaDB
from tests.stack.paths import system_program
from tests.stack.process import Process

from ..contest import Contest
from ..instance import Instance
from ..tools import Tools

OPERATIONS = ("lookup", "register", "confirm")
WARM, SECONDS_MOST = 100, 600.0
TOTAL = re.compile(r"^(?:totals|summary): (\d+)", re.MULTILINE)
# callgrind's address space is small, and it knows nothing of io_uring.
SERVER_OPTIONS = ("--loose-innodb-buffer-pool-size-max=512M", "--innodb-use-native-aio=0")


class CountedMariaDB(MariaDB):
    """A MariaDB under callgrind, which counts nothing yet."""

    def __init__(self, directory: Path, sockets: Path, buffer_pool: str = "256M") -> None:
        super().__init__(directory, sockets, buffer_pool, SERVER_OPTIONS)
        self.counts = directory / "callgrind"
        valgrind = [system_program("valgrind"), "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={self.counts}"]
        self.process = Process("mariadb", [*valgrind, *self.process.command], self.log, self._answers)

    def _control(self, *words: str) -> None:
        subprocess.run([system_program("callgrind_control"), *words, str(self.process.pid)], check=True, capture_output=True, timeout=120)

    def count(self, run: Callable[[], object]) -> int:
        """Instructions of all threads of the server while `run` runs."""
        self._control("--instr=on")
        run()
        self._control("--instr=off")
        self._control("--dump")
        newest = max(self.counts.parent.glob(f"{self.counts.name}.*"), key=lambda path: path.stat().st_mtime_ns)
        found = TOTAL.findall(newest.read_text(errors="replace"))
        newest.unlink()
        self._control("--zero")
        if not found or found[-1] == "0":
            raise RuntimeError("callgrind has counted nothing")
        return int(found[-1])


def measure(options: argparse.Namespace) -> dict[str, dict[str, float]]:
    """Thousands of instructions for one of each operation, by system."""
    with Stack(dispatcher=False, database=CountedMariaDB) as stack, Instance(stack) as instance:
        server = stack.mariadb
        assert isinstance(server, CountedMariaDB)
        tools = Tools(instance, SECONDS_MOST)
        found: dict[str, dict[str, float]] = {}
        done: dict[str, dict[str, float]] = {}
        with Contest(tools, options.systems, 1) as contest:
            warm, orders = contest.fill(WARM), contest.fill(options.requests)
            if options.sql is not None:
                run_as_root(server, options.sql)
            for name, system in contest.systems.items():
                found[name] = {}
                for operation in OPERATIONS:
                    def run(file: Path, requests: int, transactions: str) -> None:
                        done.update(tools.load(system.url, operation, file, connections=1, requests=requests,
                                               transactions=transactions)["operations"])
                    run(warm, WARM, f"{name}-warm")
                    counted = server.count(lambda: run(orders, options.requests, name))
                    if done[operation]["count"] != options.requests:
                        raise RuntimeError(f"only {done[operation]['count']} of {options.requests} requests in {SECONDS_MOST:g} s")
                    found[name][operation] = counted / options.requests / 1000
        if tools.wrong:
            raise RuntimeError(f"{tools.wrong} wrong replies")
        return found


def run_as_root(server: MariaDB, file: Path) -> None:
    with open(file, "rb") as statements:
        subprocess.run([system_program("mariadb"), "--no-defaults", f"--socket={server.socket}", "--user=root", "--database=recaudo"],
                       stdin=statements, env={"MYSQL_PWD": server.password("root")}, check=True, timeout=SECONDS_MOST)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", nargs="+", choices=("recaudo", "floor", "loop", "node", "php"), default=["recaudo", "floor"])
    parser.add_argument("--requests", type=int, default=300, help="of each operation (300)")
    parser.add_argument("--sql", type=Path, metavar="FILE", help="statements that root runs before anything is counted")
    return parser.parse_args()


def main() -> int:
    found = measure(parse())
    print(f"{'thousands of instructions':<28}" + "".join(f"{operation:>10}" for operation in OPERATIONS))
    for name, counts in found.items():
        print(f"{name:<28}" + "".join(f"{counts[operation]:>10.0f}" for operation in OPERATIONS))
    if "floor" in found:
        for name in [name for name in found if name != "floor"]:
            ratios = (found[name][operation] / found["floor"][operation] for operation in OPERATIONS)
            print(f"{name + ' / floor':<28}" + "".join(f"{ratio:>10.2f}" for ratio in ratios))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
