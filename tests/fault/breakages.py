"""python3 -m tests.fault.breakages [NAME...]: the program is broken on purpose in every way of breakages/, one at a time, in a
copy that is built apart; the checker must notice each, under the number that the patch says. `make fault-breakages` calls it.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.stack.paths import ROOT

PATCHES = Path(__file__).parent / "breakages"
LEFT_BEHIND = shutil.ignore_patterns(".git", "build*", "var", "__pycache__", "fault-findings", "autom4te.cache", "*.o",
                                     "*.a", "Makefile", "config.status", "config.log", ".deps")
BREAKS = re.compile(r"^Breaks: (\d+)$", re.MULTILINE)
FINDING = re.compile(r"^  (\d+): ", re.MULTILINE)


@dataclass(frozen=True)
class Breakage:
    path: Path

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def number(self) -> int:
        match = BREAKS.search(self.path.read_text())
        if match is None:
            raise ValueError(f"{self.path} does not say which invariant it breaks")
        return int(match[1])


class Copy:
    """A copy of the sources with a build of its own."""

    def __init__(self, directory: Path) -> None:
        self.sources = directory / "sources"
        self.build = self.sources / "build"
        shutil.copytree(ROOT, self.sources, ignore=LEFT_BEHIND)
        self.build.mkdir()
        if not (self.sources / "configure").exists():
            self.done("autoreconf", "-fi", where=self.sources)
        self.done("../configure", "--enable-silent-rules", where=self.build)
        self.make()

    def done(self, *command: str, where: Path) -> None:
        result = subprocess.run(command, cwd=where, capture_output=True, text=True)
        if result.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {result.stdout[-2000:]}{result.stderr[-2000:]}")

    def make(self) -> None:
        self.done("make", "-s", f"-j{os.cpu_count()}", where=self.build)

    def patch(self, breakage: Breakage, *options: str) -> None:
        self.done("patch", "-s", "-p1", *options, "-i", str(breakage.path), where=self.sources)
        self.make()

    def run(self, seed: int, seconds: float) -> list[int]:
        """The numbers of what a run finds."""
        command = [sys.executable, "-m", "tests.fault", "--seeds", str(seed), "--seconds", str(seconds), "--keep",
                   str(self.sources / "fault-findings")]
        result = subprocess.run(command, cwd=ROOT, env={**os.environ, "RECAUDO_BUILD": str(self.build)},
                                capture_output=True, text=True)
        if "could not be made" in result.stdout or result.returncode not in (0, 1):
            print(f"  seed {seed}: {result.stdout[-500:]}{result.stderr[-500:]}", file=sys.stderr)
        return [int(number) for number in FINDING.findall(result.stdout)]


def notice(copy: Copy, breakage: Breakage, seeds: list[int], seconds: float) -> bool:
    """Runs seeds until one finds what is broken."""
    copy.patch(breakage)
    try:
        for tries, seed in enumerate(seeds, 1):
            found = copy.run(seed, seconds)
            if breakage.number in found:
                others = sorted(set(found) - {breakage.number})
                print(f"noticed  {breakage.name}: {found.count(breakage.number)} findings of {breakage.number}"
                      f"{f', also of {others}' if others else ''}, in run {tries} (seed {seed})", flush=True)
                return True
    finally:
        copy.patch(breakage, "-R")
    print(f"MISSED   {breakage.name}: {len(seeds)} runs found nothing of {breakage.number}", flush=True)
    return False


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python3 -m tests.fault.breakages", description=__doc__)
    parser.add_argument("names", nargs="*", help="patches of breakages/, without .patch; else all")
    parser.add_argument("--seeds", default="19235,11207,1,2,3,4,5,6,7,8", help="which seeds to try, one after the other")
    parser.add_argument("--seconds", type=float, default=6.0, help="how long faults happen in each run (6)")
    return parser.parse_args()


def main() -> int:
    options = parse()
    wanted = options.names or sorted(path.stem for path in PATCHES.glob("*.patch"))
    breakages = [Breakage(PATCHES / f"{name}.patch") for name in wanted]
    seeds = [int(seed) for seed in options.seeds.split(",")]
    with tempfile.TemporaryDirectory(prefix="recaudo-broken-") as directory:
        copy = Copy(Path(directory))
        unbroken = copy.run(seeds[0], options.seconds)
        print(f"unbroken: findings {unbroken}", flush=True)
        noticed = [notice(copy, breakage, seeds, options.seconds) for breakage in breakages]
    print(f"{sum(noticed)} of {len(noticed)} noticed")
    return 0 if all(noticed) and not unbroken else 1


if __name__ == "__main__":
    sys.exit(main())
