"""coverage_table COVERAGE.JSON: gcovr's figures by folder of src/, as a table in Markdown."""

import json
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Tally:
    lines: int = 0
    reached_lines: int = 0
    branches: int = 0
    reached_branches: int = 0

    def add(self, file: dict) -> None:
        for line in (line for line in file["lines"] if not line["gcovr/noncode"]):
            self.lines += 1
            self.reached_lines += line["count"] > 0
            self.branches += len(line["branches"])
            self.reached_branches += sum(branch["count"] > 0 for branch in line["branches"])


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


def main(path: Path) -> None:
    tallies: dict[str, Tally] = defaultdict(Tally)
    for file in json.loads(path.read_text())["files"]:
        for name in (file["file"].split("/")[1], "all"):
            tallies[name].add(file)
    print("| folder | lines | reached | branches taken |", "|---|---:|---:|---:|", sep="\n")
    for name in sorted(tallies, key=lambda name: (name == "all", name)):
        tally = tallies[name]
        print(f"| {name} | {tally.lines} | {percent(tally.reached_lines, tally.lines)} |"
              f" {percent(tally.reached_branches, tally.branches)} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
