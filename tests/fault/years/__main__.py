"""Years of a service's life, as fast as the machine can: make years YEARS=10; see tests/fault/README.md."""

import argparse
import os
import sys
import tempfile
import time
from datetime import date, datetime
from pathlib import Path
from random import Random

from tests.stack.false_time import Clock
from tests.stack import Stack
from tests.stack.merchant_stub import MerchantStub

from .books import Books
from .life import END_OF_DAY, SETTINGS, Life, PatientMariaDB
from .upgrade import OlderStack
from .zones import DAY

BEGINS = "2027-01-01"
ROTATION, KEY_ROTATION, FAILURE, INVARIANTS, AUDIT = 30, 90, 182, 28, 7  # days between two


class Years:
    """A context manager: an instance whose every process sees the clock. It begins with the programs of the build `before`."""

    def __init__(self, directory: Path, first: date, seed: int, before: Path | None = None) -> None:
        self.clock = Clock(directory / "clock")
        self.clock.step_to(datetime.combine(first, datetime.min.time()))
        os.environ.update(self.clock.environment)
        self.stack = (OlderStack(directory / "stack", SETTINGS, before) if before
                      else Stack(directory / "stack", settings=SETTINGS, dispatcher=False, database=PatientMariaDB))
        self.stub = MerchantStub()
        self.life = Life(self.stack, self.stub, self.clock, Random(seed))

    def __enter__(self) -> "Years":
        self.stack.__enter__()
        self.stub.__enter__()
        self.life.begin()
        self.books = Books(self.life, is_today=not isinstance(self.stack, OlderStack))
        return self

    def upgrade(self) -> None:
        assert isinstance(self.stack, OlderStack)
        self.stack.upgrade()
        self.books.is_today = True

    def __exit__(self, *problem: object) -> None:
        self.stub.__exit__(*problem)
        self.stack.close(problem[0])  # type: ignore[arg-type]
        for name in self.clock.environment:
            os.environ.pop(name)

    def live(self, day: date, number: int) -> None:
        """One day, and the books at its end."""
        life = self.life
        if number % ROTATION == ROTATION - 1:
            life.rotate_secret()
        if number % KEY_ROTATION == KEY_ROTATION - 1:
            life.rotate_key()
        if number % FAILURE == FAILURE - 1:
            life.power_failure()
        life.live(day)
        self.clock.step_to(datetime.combine(day, datetime.min.time()) + END_OF_DAY)
        life.dispatch()
        life.try_old_secret()
        self.books.check(day, number % INVARIANTS == INVARIANTS - 1, number % AUDIT == AUDIT - 1)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python3 -m tests.fault.years", description="Years in an hour.")
    parser.add_argument("--years", type=float, default=10, help="how many (10)")
    parser.add_argument("--first", type=date.fromisoformat, default=date.fromisoformat(BEGINS), help=f"the first day ({BEGINS})")
    parser.add_argument("--before", type=Path, metavar="BUILD", help="live the first half with the programs of another release's build")
    parser.add_argument("--seed", type=int, default=int(time.time()) % 1_000_000, help="of what happens (drawn)")
    return parser.parse_args()


def main() -> int:
    options = parse()
    days, began = round(365.25 * options.years), time.monotonic()
    print(f"seed {options.seed}, {days} days from {options.first}", flush=True)
    with (tempfile.TemporaryDirectory(prefix="recaudo-years-") as directory,
          Years(Path(directory), options.first, options.seed, options.before and options.before.resolve()) as years):
        life = years.life
        for number in range(days):
            if options.before and number == days // 2:
                years.upgrade()
                print(f"{number} days: upgraded", flush=True)
            known = len(life.findings)
            years.live(options.first + number * DAY, number)
            print("".join(f"{line}\n" for line in life.findings[known:]), end="", flush=True)
            if number % 100 == 99:
                print(f"{number + 1} days, {time.monotonic() - began:.0f} s, {len(life.orders)} orders, {len(life.payments)} payments",
                      flush=True)
        years.books.check_end()
    print(f"{days} days, {len(life.orders)} orders, {len(life.payments)} payments, {time.monotonic() - began:.0f} s,"
          f" {len(life.findings)} findings")
    return 1 if life.findings else 0


if __name__ == "__main__":
    sys.exit(main())
