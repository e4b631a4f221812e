"""python3 -m tests.fault.soak: one long run; `make soak` calls it."""

import argparse
import gc
import math
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Sequence

from tests.stack.inspection.observable import stay_observable

from ..arena import Arena
from ..history import History
from ..one_run import Outcome, run_plan
from ..plan import Scale, draw_plan
from .flat import Series, growth, series_of, what_grows
from .plot import draw
from .watch import MINUTE, Watch

SAMPLES = 360
SHORTEST_SPAN = 0.5
LONG = Scale(file=120, day=10**12, outstanding=10**12, buffer_pool="256M")  # limits that are not reached: short runs have those
PLOT = "soak.svg"


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python3 -m tests.fault.soak", description="One long run with faults.")
    parser.add_argument("--hours", type=float, default=1.0, help="how long faults happen (1)")
    parser.add_argument("--faults", type=float, default=6.0, help="how many a minute (6)")
    parser.add_argument("--payers", type=int, default=8, help="how many pay at once through each of two networks (8)")
    parser.add_argument("--seed", type=int, default=int(time.time()) % 1_000_000, help="of the plan (drawn)")
    parser.add_argument("--keep", type=Path, default=Path("soak-results"), help="where the plot and findings are left (soak-results)")
    return parser.parse_args()


def soak(seed: int, seconds: float, scale: Scale, keep: Path) -> tuple[Outcome, list[Series]]:
    """A run that is watched."""
    span = max(SHORTEST_SPAN, seconds / SAMPLES)
    watches: list[Watch] = []

    def watched(arena: Arena, history: History) -> Watch:
        watches.append(Watch(arena, history, span))
        return watches[0]

    outcome, evidence = run_plan(draw_plan(seed, seconds, scale.pause), seed, seconds, keep / "findings", scale=scale, watch=watched)
    watch, = watches
    return outcome, series_of(watch.samples, evidence.history, watch.began, span)


def report(outcome: Outcome, every: Sequence[Series]) -> None:
    print(f"\n{outcome}")
    for series in every:
        compared = growth(series, outcome.seconds)
        if compared is not None:
            print(f"  {series.name}: {compared[0]:.1f} after the first tenth, {compared[1]:.1f} at the end {series.unit}".rstrip())


def main() -> int:
    options = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    stay_observable()
    gc.disable()  # a collection looks at millions of entries, and meanwhile no merchant reads: none of them is in a cycle
    pause = MINUTE / options.faults if options.faults else math.inf
    options.keep.mkdir(parents=True, exist_ok=True)
    print(f"seed {options.seed}, {options.hours:g} hours, {options.faults:g} faults a minute", flush=True)
    outcome, every = soak(options.seed, 3600 * options.hours, replace(LONG, pause=pause, payers=options.payers), options.keep)
    report(outcome, every)
    draw(every, options.keep / PLOT)
    print(f"The plot is in {options.keep / PLOT}.")
    grown = what_grows(every, outcome.seconds)
    print("\n".join(grown) if grown else "Nothing grows.")
    return 1 if grown or outcome.findings else 0


if __name__ == "__main__":
    sys.exit(main())
