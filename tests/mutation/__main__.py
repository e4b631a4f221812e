"""python3 -m tests.mutation [--sample N] [--seed S] [--least PERCENT] [FILE|FOLDER...]: do the unit tests notice it when a source is changed?

Each mutant is one small change; tests/mutation/README.md says which there are and how they are counted. Prints every
mutant that survives and a table by file. Exit status 1 if fewer than PERCENT (95) are killed.
"""

import argparse
import os
import random
import sys
from pathlib import Path

from tests.mutation.accepted import Accepted
from tests.mutation.campaign import Campaign
from tests.mutation.mutants import Mutant
from tests.mutation.operators import changes, read_enumerations
from tests.mutation.program import Program
from tests.mutation.reach import known_reach
from tests.mutation.report import counts_of, print_survivor, print_table, share
from tests.stack.paths import ROOT

DEFAULT = ("src/auth", "src/domain", "src/wire")


def sources(names: list[str]) -> list[str]:
    found: list[str] = []
    for name in names:
        path = (ROOT / name).resolve()
        if not path.exists():
            sys.exit(f"there is no {name}")
        files = sorted(path.rglob("*.c")) if path.is_dir() else [path]
        found += [str(file.relative_to(ROOT)) for file in files]
    return found


def all_mutants(paths: list[str]) -> list[Mutant]:
    headers = [path.read_text() for path in sorted((ROOT / "src").rglob("*.h"))]
    following = read_enumerations(headers)
    texts = {path: (ROOT / path).read_text() for path in paths}
    return [Mutant(path, text, change) for path, text in texts.items() for change in changes(text, following)]


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="mutation", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(DEFAULT), metavar="FILE|FOLDER")
    parser.add_argument("--sample", type=int, metavar="N", help="only N of them, chosen by the seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least", type=float, default=95.0, metavar="PERCENT")
    return parser.parse_args()


def main() -> int:
    asked = read_arguments()
    build = Path(os.environ.get("RECAUDO_BUILD", "build")).resolve()
    program = Program(build)
    paths = [path for path in sources(asked.names) if program.object_of(path)]
    mutants = all_mutants(paths)
    if asked.sample is not None and asked.sample < len(mutants):
        mutants = sorted(random.Random(asked.seed).sample(mutants, asked.sample), key=lambda one: (one.path, one.change.at))
    directory = build.parent / f"{build.name}-mutation"
    directory.mkdir(exist_ok=True)
    campaign = Campaign(program, known_reach(program, paths, directory / "reach"), directory)
    for path in paths:
        campaign.prepare(path, (ROOT / path).read_text())
    accepted = Accepted.read()
    results = []
    for mutant, fate in campaign.try_all(mutants):
        results.append((mutant, fate))
        print_survivor(mutant, fate, accepted)
    counts = counts_of(results, accepted)
    print_table(counts)
    if asked.sample is None:
        for path, before, after in accepted.unmet(set(paths)):
            print(f"no mutant any more, to be removed from the list: {path}\n- {before}\n+ {after}")
    return 0 if share(counts[""]) >= asked.least else 1


if __name__ == "__main__":
    sys.exit(main())
