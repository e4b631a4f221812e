"""repeat RESULTS NAME COMMAND...: runs each test of the run NAME that failed once more, alone. Used by ./check --repeat.

COMMAND is pytest, or a program of Check's tests. The second run of the N-th failure leaves NAME.N.status and NAME.N.xml
(or .tap) in RESULTS/again, where summary.py finds them. Nothing is repeated when more tests failed than may. A test marked
`once` or `last` is not repeated: by chance it finds what is wrong, or what other tests have done.
"""

import os
import subprocess
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.tools.summary import REPEATED_MAX, read_run


def node_id(test: str) -> str:
    """What pytest calls a test that is `folder.test_file.test_name[parameters]` in JUnit's file."""
    name, bracket, parameters = test.partition("[")
    path, _, function = name.rpartition(".")
    return f"{path.replace('.', '/')}.py::{function}{bracket}{parameters}"


def run_alone(command: list[str], test: str, target: Path, is_tap: bool) -> int:
    if not is_tap:
        return subprocess.run([*command, "-m", "not (once or last)", f"--junitxml={target}.xml", node_id(test)]).returncode
    environment = {"CK_RUN_CASE": test.partition(":")[0], "CK_TAP_LOG_FILE_NAME": f"{target}.tap", "CK_VERBOSITY": "normal"}
    return subprocess.run(command, env={**os.environ, **environment}).returncode


def count_failures(results: Path) -> int:
    return sum(len(read_run(path).failed) for path in results.glob("*.status"))


def main(results: Path, name: str, command: list[str]) -> None:
    tests = {failure.test for failure in read_run(results / f"{name}.status").failed if failure.test}
    if count_failures(results) > REPEATED_MAX:
        return
    (results / "again").mkdir(exist_ok=True)
    for number, test in enumerate(sorted(tests), 1):
        print(f"\n== {name}: second attempt: {test}", flush=True)
        target = results / "again" / f"{name}.{number}"
        status = run_alone(command, test, target, (results / f"{name}.tap").exists())
        Path(f"{target}.status").write_text(f"{status}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
