"""sizes [ROOT]: checks the sizes that CONTRIBUTING.md, "Sizes", sets for the C sources under ROOT/src, and that the lists
of sources in ROOT/Makefile.am are sorted. Prints one TAP line, and every breach; exit status 1 if there is one.
"""

import re
import statistics
import sys
from pathlib import Path

NUMBER = 4
FOLDER_FILES = 25  # sources directly in a folder
FILE_LINES = 400
FILE_LINES_MEDIAN = 120
FUNCTION_LINES = 45
FUNCTION_LINES_90TH = 25
FUNCTION_LINES_MEDIAN = 12
PARAMETERS = 5

# Functions with more parameters, and why. A new one needs a reason as good.
MORE_PARAMETERS = {
    "add_overdue": "two metrics with their help",
    "batch_lock": "a statement, its bounds, and an array with its count",
    "choose_reference": "decides between a given and an assigned reference, on the caller's connection",
    "deliveries_lease": "what to claim, for how long, and an array with its count",
    "differ": "one row of differences: where, what, here, there",
    "events_list": "which thing, in which arena, and an array with its count",
    "examine_fields": "a table of fields with its count",
    "integrations_find": "what is asked of a cache that may have to read it, and its result",
    "merchants_insert": "one parameter of the statement each",
    "merchants_rotate": "one parameter of the statement each",
    "object_read": "a table of fields with its count",
    "object_read_inner": "a table of fields with its count, and the object inside which they stand",
    "object_read_tolerant": "a table of fields with its count",
    "payables_find_for": "one parameter of the statement each, and what it finds",
    "read_body": "a table of fields with its count, and how its values are read",
    "read_fields": "a table of fields with its count, and how its values are read",
    "read_strict": "one signature for all ways to read a field",
    "read_tolerant": "one signature for all ways to read a field",
    "party_rotate": "one parameter of the statement each",
    "run": "a callback with its context",
    "sealed_rows_read": "where to go on, and an array with its count",
    "secret_pair_open": "which secret it is, whose, and the time that its end counts from",
    "sign": "what a request is made of",
    "take_slot": "one entry of the shared table, field by field",
    "take_value": "hands back what it took, how many words, and a complaint",
    "uri_read_query": "a table of fields with its count",
}

# clang-format puts the brace that ends a function into the first column, and nothing else that begins like one there.
FUNCTION = re.compile(r"^(?!typedef|#)\w[^;={}()]*?\b(\w+)\(((?:[^;={}()]|\([^()]*\))*)\) \{\n.*?^\}", re.M | re.S)
SOURCES = re.compile(r"^(\w+_SOURCES|\w+_common) = ((?:[^\n]*\\\n)*[^\n]*)\n", re.M)


def count_parameters(text: str) -> int:
    """Commas outside the parentheses of a function pointer."""
    return len(re.sub(r"\([^()]*\)", "", text).split(","))


def check_functions(path: Path, text: str, lengths: list[int]) -> list[str]:
    complaints = []
    for match in FUNCTION.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        length = match[0].count("\n") + 1
        lengths.append(length)
        if length > FUNCTION_LINES:
            complaints.append(f"{path}:{line}: {match[1]} has {length} lines, over {FUNCTION_LINES}")
        if count_parameters(match[2]) > PARAMETERS and match[1] not in MORE_PARAMETERS:
            complaints.append(f"{path}:{line}: {match[1]} has {count_parameters(match[2])} parameters, over {PARAMETERS}")
    return complaints


def check_folders(root: Path, files: list[Path]) -> list[str]:
    folders: dict[Path, int] = {}
    for path in files:
        folders[path.parent] = folders.get(path.parent, 0) + 1
    return [f"{folder.relative_to(root)}: {count} sources, over {FOLDER_FILES}: divide it"
            for folder, count in sorted(folders.items()) if count > FOLDER_FILES]


def check_makefile(text: str) -> list[str]:
    complaints = []
    for name, words in SOURCES.findall(text):
        sources = [word for word in words.replace("\\\n", " ").split() if not word.startswith("$")]
        if sources != sorted(sources):
            complaints.append(f"Makefile.am: {name} is not sorted")
    return complaints


def check_spread(what: str, lengths: list[int], median: int, tenth: int | None) -> list[str]:
    complaints = []
    if statistics.median(lengths) > median:
        complaints.append(f"{what}: the median is {statistics.median(lengths)} lines, over {median}")
    if tenth is not None and sorted(lengths)[len(lengths) * 9 // 10] > tenth:
        complaints.append(f"{what}: one in ten has over {tenth} lines")
    return complaints


def check(root: Path) -> list[str]:
    files = sorted([*(root / "src").rglob("*.c"), *(root / "src").rglob("*.h")])
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    functions: list[int] = []
    complaints = check_folders(root, files) + check_makefile((root / "Makefile.am").read_text(encoding="utf-8"))
    for path, text in texts.items():
        complaints += check_functions(path.relative_to(root), text, functions)
    lengths = {path: text.count("\n") for path, text in texts.items()}
    complaints += [f"{path.relative_to(root)}: {length} lines, over {FILE_LINES}"
                   for path, length in lengths.items() if length > FILE_LINES]
    if functions:
        complaints += check_spread("functions", functions, FUNCTION_LINES_MEDIAN, FUNCTION_LINES_90TH)
    if files:
        complaints += check_spread("files", [*lengths.values()], FILE_LINES_MEDIAN, None)
    return complaints


def main(root: Path) -> int:
    complaints = check(root)
    print("not ok" if complaints else "ok", f"{NUMBER} - folders, files and functions keep to their sizes, lists are sorted")
    for complaint in complaints:
        print(f"# {complaint}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]))
