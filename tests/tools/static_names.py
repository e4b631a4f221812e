"""static_names [ROOT]: checks that a static function's name leads to one file under ROOT/src (CONTRIBUTING.md, "Code").

Prints one TAP line and every name that stands in several files; exit status 1 if there is one.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

NUMBER = 6

# Names of a role that several files play, each in its own way.
ROLES = {
    "block_signals": "the main function of a server",
    "get_transactions": "a row reader of store/",
    "is_by_age": "a kind of list of the console",
    "is_digit": "a predicate of characters",
    "is_letter_or_digit": "a predicate of characters",
    "milliseconds": "the unit that a foreign interface wants",
    "open_server": "the serving part of a FastCGI program",
    "parameter": "the reading part of a FastCGI program",
    "read_request": "the reading part of a FastCGI program",
    "request_id": "the reading part of a FastCGI program",
}

FUNCTION = re.compile(r"^static [\w *]*?\b(\w+)\([^;]*?\) \{$", re.M | re.S)


def places(root: Path) -> dict[str, set[str]]:
    """Each name of a static function, and the files that define one of this name."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in sorted((root / "src").rglob("*.[ch]")):
        for match in FUNCTION.finditer(path.read_text(encoding="utf-8")):
            found[match[1]].add(str(path.relative_to(root / "src")))
    return found


def main(arguments: list[str]) -> int:
    found = places(Path(arguments[0]) if arguments else Path(__file__).resolve().parents[2])
    several = {name: files for name, files in sorted(found.items()) if len(files) > 1 and name not in ROLES}
    for name, files in several.items():
        print(f"# {name}: {', '.join(sorted(files))}")
    state = "not ok" if several else "ok"
    print(f"{state} {NUMBER} - of {len(found)} names of static functions, {len(several)} stand in several files")
    return 1 if several else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
