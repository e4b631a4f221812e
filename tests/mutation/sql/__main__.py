"""python3 -m tests.mutation.sql [--sample N] [--seed S] [--least PERCENT] [--suites NAME,...] [--wholly] [FILE|FOLDER...]: do the store tests notice it when SQL is changed?

Each mutant is one small change of a routine, a trigger, a view or a constraint of sql/foundation.sql, or of a statement in src/store;
tests/mutation/README.md says which there are and how they are counted. Exit status 1 if fewer than PERCENT (95) are killed.
"""

import os
import sys
from pathlib import Path

from tests.mutation.accepted import Accepted
from tests.mutation.asked import drawn, read_arguments
from tests.mutation.mutants import Mutant
from tests.mutation.report import report
from tests.mutation.sql.campaign import SUITES, StoreCampaign
from tests.mutation.sql.operators import changes
from tests.mutation.sql.texts import FOUNDATION, files, regions
from tests.stack.mariadb import UNSYNCED
from tests.stack.paths import ROOT

DEFAULT = (FOUNDATION, "src/store")


def mutants_of(path: str) -> list[Mutant]:
    text = (ROOT / path).read_text()
    return [Mutant(path, text, change) for change in changes(regions(path, text))]


def main() -> int:
    os.environ[UNSYNCED] = "yes"
    asked = read_arguments("mutation.sql", __doc__, DEFAULT, SUITES, wholly="what the store tests do not notice is tried with whole programs, too")
    build = Path(os.environ.get("RECAUDO_BUILD", "build")).resolve()
    paths = files(asked.names)
    mutants = drawn([mutant for path in paths for mutant in mutants_of(path)], asked)
    directory = build.parent / f"{build.name}-mutation-sql"
    directory.mkdir(exist_ok=True)
    campaign = StoreCampaign(build, directory, asked.suites, asked.wholly)
    campaign.prepare(paths)
    complete = set(paths) if asked.sample is None else set()
    return 0 if report(campaign.try_all(mutants), Accepted.read(), complete) >= asked.least else 1


if __name__ == "__main__":
    sys.exit(main())
