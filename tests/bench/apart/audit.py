"""How long it takes to check the sealed event log, and how long to seal it:

    /usr/bin/python3 -m tests.bench.apart.audit --orders 5000000 --keep DIRECTORY

An order that is filled in has one event, one that was paid has more. What is filled under --keep is used again by the next run.
Exit status 1 if 10,000,000 events would take longer than wanted.
"""

import argparse
import time
from pathlib import Path

from tests.stack import Stack, wait_until

from . import console
from ..instance import Instance, processor_seconds
from ..sizes import buffer_pool

MANY = 10_000_000
WANTED_SECONDS = 60.0
SEALED_WITHIN = 3600.0
UNSEALED = ("SELECT (SELECT COALESCE(MAX(id), 0) FROM event_log) - COALESCE((SELECT last_id FROM seals ORDER BY number DESC LIMIT 1), 0)"
            " AS n")


def seal(stack: Stack) -> None:
    """A dispatcher seals everything, and goes."""
    stack.dispatcher.start()
    wait_until(lambda: stack.mariadb.query(UNSEALED)[0]["n"] == 0, "all events to be sealed", SEALED_WITHIN, 0.2)
    stack.dispatcher.stop()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--orders", type=int, default=5_000_000)
    parser.add_argument("--keep", type=Path, required=True)
    given = parser.parse_args()
    given.keep.mkdir(parents=True, exist_ok=True)
    settings: dict[str, dict[str, object]] = {"audit": {"seal_every": "1s"}}
    with Stack(given.keep, settings=settings, dispatcher=False, buffer_pool=buffer_pool(given.orders)) as stack, \
            Instance(stack) as instance:
        console.fill(instance, given.orders)
        events = stack.mariadb.query("SELECT COUNT(*) AS n FROM event_log")[0]["n"]
        began = time.monotonic()
        seal(stack)
        print(f"{events} events sealed after {time.monotonic() - began:.1f} s (some may have been before)")
        database = [stack.mariadb.process.pid]
        began, used = time.monotonic(), processor_seconds(database)
        stack.ctl.done("audit", "verify")
        took = time.monotonic() - began
        print(f"checked in {took:.1f} s, of which MariaDB worked {processor_seconds(database) - used:.1f} s")
    print(f"{took * MANY / events:.1f} s for {MANY} events, wanted {WANTED_SECONDS:g}")
    return 0 if took * MANY / events <= WANTED_SECONDS else 1


if __name__ == "__main__":
    raise SystemExit(main())
