"""sizes [ROOT]: checks the limits that CONTRIBUTING.md, "Sizes and places", sets for sources.

It checks the C sources under ROOT/src, the number of sources in each folder of ROOT/src, ROOT/tests and ROOT/tools, and
that the lists of sources in ROOT/Makefile.am are sorted. Prints one TAP line, the figures and every breach; exit status 1
if there is one.
"""

import re
import statistics
import sys
from collections import Counter
from pathlib import Path

NUMBER = 4
FOLDER_FILES = 25  # sources directly in a folder
FOLDERS = ("src", "tests", "tools")
FOLDER_SUFFIXES = (".c", ".h", ".py")
FILE_LINES = 400
FILE_LINES_MEDIAN = 120
FUNCTION_LINES = 45
FUNCTION_LINES_90TH = 25
FUNCTION_LINES_MEDIAN = 12
PARAMETERS = 5

# Functions with more parameters, by file under src/ and name, and why. A new one needs a reason as good.
MORE_PARAMETERS = {
    "api/external/known_integrations.c:known_integrations_find": "what is asked of a cache that may have to read it, and its result",
    "api/merchant/porder_register.c:choose_reference": "decides between a given and an assigned reference, on the caller's connection",
    "api/monitoring/metrics_database.c:add_overdue": "two metrics with their help",
    "auth/secret_pair.c:secret_pair_open": "which secret it is, whose, and the time that its end counts from",
    "ctl/core/arguments.c:take_option_value": "hands back what it took, how many words, and a complaint",
    "settlement/comparison.c:differ": "one row of differences: where, what, here, there",
    "outbound/notify.c:sign_notification": "what a request is made of",
    "store/db/batch.c:batch_lock": "a statement, its bounds, and an array with its count",
    "store/notification/deliveries.c:deliveries_lease": "what to lease, for how long, and an array with its count",
    "store/operation/events.c:events_list": "which thing, in which arena, and an array with its count",
    "store/order/payables.c:payables_find_for": "one parameter of the statement each, and what it finds",
    "store/party/merchants.c:merchants_insert": "one parameter of the statement each",
    "store/party/merchants.c:merchants_rotate": "one parameter of the statement each",
    "store/party/party_writes.h:party_rotate": "one parameter of the statement each",
    "store/party/sealed_rows.c:sealed_rows_read": "where to go on, and an array with its count",
    "store/payment/settlements.c:read_operations": "a callback with its context",
    "wire/merchant/external_answer.c:examine_fields": "a table of fields with its count",
    "wire/object.c:object_read": "a table of fields with its count",
    "wire/object.c:object_read_inner": "a table of fields with its count, and the object inside which they stand",
    "wire/object.c:object_read_tolerant": "a table of fields with its count",
    "wire/uri.c:uri_read_query": "a table of fields with its count",
}

# clang-format puts the brace that ends a function into the first column, and nothing else that begins like one there.
FUNCTION = re.compile(r"^(?!typedef|#)\w[^;={}()]*?\b(\w+)\(((?:[^;={}()]|\([^()]*\))*)\) \{\n.*?^\}", re.M | re.S)
SOURCES = re.compile(r"^(\w+_SOURCES|\w+_common) = ((?:[^\n]*\\\n)*[^\n]*)\n", re.M)


def count_parameters(text: str) -> int:
    """Commas outside the parentheses of a function pointer."""
    return len(re.sub(r"\([^()]*\)", "", text).split(","))


def check_functions(path: Path, text: str, lengths: list[int], exceptions: set[str]) -> list[str]:
    """Takes the exceptions that it meets out of `exceptions`."""
    complaints = []
    for match in FUNCTION.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        length = match[0].count("\n") + 1
        lengths.append(length)
        if length > FUNCTION_LINES:
            complaints.append(f"{path}:{line}: {match[1]} has {length} lines, over {FUNCTION_LINES}")
        name = f"{path.relative_to('src')}:{match[1]}"
        exceptions.discard(name)
        if count_parameters(match[2]) > PARAMETERS and name not in MORE_PARAMETERS:
            complaints.append(f"{path}:{line}: {match[1]} has {count_parameters(match[2])} parameters, over {PARAMETERS}")
    return complaints


def check_folders(root: Path) -> list[str]:
    files = [path for folder in FOLDERS for path in (root / folder).rglob("*") if path.suffix in FOLDER_SUFFIXES]
    folders = Counter(path.parent for path in files)
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


def describe(what: str, lengths: list[int]) -> str:
    """The figures that the limits are about."""
    ordered = sorted(lengths)
    return f"{len(ordered)} {what}: median {statistics.median(ordered):g} lines, 90th percentile {ordered[len(ordered) * 9 // 10]}, longest {ordered[-1]}"


def check(root: Path, figures: list[str]) -> list[str]:
    """What breaks the limits. Appends to `figures` what was measured."""
    files = sorted([*(root / "src").rglob("*.c"), *(root / "src").rglob("*.h")])
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    functions: list[int] = []
    exceptions = set(MORE_PARAMETERS)
    complaints = check_folders(root) + check_makefile((root / "Makefile.am").read_text(encoding="utf-8"))
    for path, text in texts.items():
        complaints += check_functions(path.relative_to(root), text, functions, exceptions)
    complaints += [f"{name} is in MORE_PARAMETERS, but not under src/" for name in sorted(exceptions)]
    lengths = {path: text.count("\n") for path, text in texts.items()}
    complaints += [f"{path.relative_to(root)}: {length} lines, over {FILE_LINES}"
                   for path, length in lengths.items() if length > FILE_LINES]
    if functions:
        complaints += check_spread("functions", functions, FUNCTION_LINES_MEDIAN, FUNCTION_LINES_90TH)
        figures.append(describe("functions", functions))
    if files:
        complaints += check_spread("files", [*lengths.values()], FILE_LINES_MEDIAN, None)
        figures.append(describe("files", [*lengths.values()]))
    return complaints


def main(root: Path) -> int:
    figures: list[str] = []
    complaints = check(root, figures)
    print("not ok" if complaints else "ok", f"{NUMBER} - folders, files and functions keep to their sizes, lists are sorted")
    for complaint in [*figures, *complaints]:
        print(f"# {complaint}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]))
