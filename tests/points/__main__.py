"""python3 -m tests.points [OPERATION...]: every system call and every allocation of an operation goes wrong once; see README.md."""

import argparse
import sys

from tests.stack.auditor import audit

from .commands import COMMANDS
from .operations import REQUESTS_AND_PASSES
from .sweep import KINDS, Result, sweep
from .world import World

OPERATIONS = {operation.name: operation for operation in (*REQUESTS_AND_PASSES, *COMMANDS)}
HEAD = ("operation", "system calls", "killed", "failures", "allocations", "missed", "findings", "seconds")


def row(result: Result) -> tuple[str, ...]:
    numbers = [result.calls, *(result.rounds[kind] for kind in KINDS), result.missed, len(result.findings), result.seconds]
    return (result.name + ("" if result.is_whole else " (interrupted)"), *(f"{number:,.0f}" for number in numbers))


def show(rows: list[tuple[str, ...]]) -> str:
    widths = [max(len(line[at]) for line in (HEAD, *rows)) for at in range(len(HEAD))]
    return "\n".join("  ".join(text.ljust(width) if at == 0 else text.rjust(width)
                               for at, (text, width) in enumerate(zip(line, widths))) for line in (HEAD, *rows))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m tests.points")
    parser.add_argument("operations", nargs="*", metavar="OPERATION", help=f"all without this; of: {', '.join(OPERATIONS)}")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every N-th point (default: each)")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS, help="of points (default: all)")
    chosen = parser.parse_args()
    unknown = sorted(set(chosen.operations) - set(OPERATIONS))
    if unknown:
        parser.error(f"no operation is called {unknown[0]}; there are {', '.join(OPERATIONS)}")
    rows, findings = [], 0
    with World() as world:
        for name in chosen.operations or OPERATIONS:
            result = sweep(OPERATIONS[name](world), chosen.kinds, chosen.every)
            findings += len(result.findings)
            rows.append(row(result))
            print(show(rows[-1:]), flush=True)
            if not result.is_whole:
                break
        found_by_auditor = audit(world.stack.mariadb)
    print("\n" + show(rows))
    print("recaudo-audit, at the end: " + ("no findings" if not found_by_auditor else "\n".join(found_by_auditor)))
    return 1 if findings or found_by_auditor else 0


if __name__ == "__main__":
    sys.exit(main())
