"""python3 -m tests.fault: many runs, one after the other or several at once; `make fault` calls it."""

import argparse
import signal
import sys
import time
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Collection

from .one_run import Outcome, run_once
from .plan import NAMES

TOLD = 2000


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python3 -m tests.fault", description="Faults under traffic, by seed.")
    parser.add_argument("--seeds", default="", help="which seeds, with commas between; else --runs of them from --first")
    parser.add_argument("--first", type=int, default=int(time.time()) % 1_000_000, help="the first seed (drawn)")
    parser.add_argument("--runs", type=int, default=10, help="how many runs (10)")
    parser.add_argument("--seconds", type=float, default=10.0, help="how long faults happen in each (10)")
    parser.add_argument("--together", type=int, default=1, help="how many runs at the same time (1)")
    parser.add_argument("--only", metavar="KIND", action="append", choices=NAMES, help="no other faults than this kind; can be repeated")
    parser.add_argument("--keep", type=Path, default=Path("fault-findings"), help="where findings are left (fault-findings)")
    return parser.parse_args()


def one(seed: int, seconds: float, only: Collection[str], keep: Path) -> tuple[Outcome, str]:
    lines: list[str] = []
    outcome = run_once(seed, seconds, keep / f"seed-{seed}", lines.append, restores=True, only=only)
    return outcome, "\n".join(lines)


def end_whole() -> None:
    """Told to stop, a run stops what it has started."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


def report(outcomes: list[Outcome], broken: list[str]) -> None:
    faults: Counter[str] = Counter()
    for outcome in outcomes:
        faults += outcome.faults
    print(f"\n{len(outcomes)} runs, {sum(faults.values())} faults, {sum(one.cuts for one in outcomes)} cut commits,"
          f" {sum(one.requests for one in outcomes)} requests, {sum(one.acknowledged for one in outcomes)} acknowledged,"
          f" {sum(one.unknown for one in outcomes)} unknown, {sum(one.messages for one in outcomes)} messages")
    print("\n".join(f"{number:6} {kind}" for kind, number in sorted(faults.items())))
    found = [outcome for outcome in outcomes if outcome.findings]
    print(f"{sum(len(one.findings) for one in found)} findings in {len(found)} runs:", *(one.seed for one in found))
    for line in broken:
        print(line)


def main() -> int:
    options = parse()
    seeds = [int(seed) for seed in options.seeds.split(",") if seed] or list(range(options.first, options.first + options.runs))
    outcomes: list[Outcome] = []
    broken: list[str] = []
    with ProcessPoolExecutor(options.together, initializer=end_whole) as pool:
        runs = {pool.submit(one, seed, options.seconds, options.only or NAMES, options.keep): seed for seed in seeds}
        for run in as_completed(runs):
            try:
                outcome, plan = run.result()
            except Exception as error:  # the run itself failed, which is no finding and no success
                told = "".join(traceback.format_exception(error))
                broken.append(f"seed {runs[run]}: the run could not be made: {told[-TOLD:]}")
                print(broken[-1], flush=True)
                continue
            print(f"{plan}\n{outcome}" if outcome.findings or len(seeds) == 1 else outcome, flush=True)
            outcomes.append(outcome)
    report(outcomes, broken)
    return 1 if broken or any(outcome.findings for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
