"""python3 -m tests.mutation [--sample N] [--seed S] [--least PERCENT] [FILE|FOLDER...]: do the unit tests notice it when a source is changed?

Each mutant is one small change; tests/mutation/README.md says which there are and how they are counted. Prints every
mutant that survives and a table by file. Exit status 1 if fewer than PERCENT (95) are killed.
"""

import os
import sys
from pathlib import Path

from tests.mutation.accepted import Accepted
from tests.mutation.asked import drawn, read_arguments
from tests.mutation.mutants import Mutant
from tests.mutation.operators import changes, read_enumerations
from tests.mutation.program import Program
from tests.mutation.reach import known_reach
from tests.mutation.report import report
from tests.mutation.unit_campaign import UnitCampaign
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


def main() -> int:
    asked = read_arguments("mutation", __doc__, DEFAULT)
    build = Path(os.environ.get("RECAUDO_BUILD", "build")).resolve()
    program = Program(build)
    paths = [path for path in sources(asked.names) if program.object_of(path)]
    mutants = drawn(all_mutants(paths), asked)
    directory = build.parent / f"{build.name}-mutation"
    directory.mkdir(exist_ok=True)
    campaign = UnitCampaign(program, known_reach(program, paths, directory / "reach"), directory)
    for path in paths:
        campaign.prepare(path, (ROOT / path).read_text())
    complete = set(paths) if asked.sample is None else set()
    return 0 if report(campaign.try_all(mutants), Accepted.read(), complete) >= asked.least else 1


if __name__ == "__main__":
    sys.exit(main())
