"""The map of the tests: tests/README.md names every folder and script of tests/, and the groups of the divided folders."""

import re
from pathlib import Path

from tests.stack.paths import ROOT

TEXT = (ROOT / "tests" / "README.md").read_text()
GROUPED = ("bench", "fault", "http", "store")


def entries(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir() if not entry.name.startswith(("__", ".")))


def test_map_of_the_tests_names_each_folder_and_script() -> None:
    missing = [name for name in entries(ROOT / "tests") if name != "README.md" and f"| `{name}" not in TEXT]
    assert missing == []


def test_map_of_the_tests_names_each_group() -> None:
    for folder in GROUPED:
        rows = re.findall(rf"^\| `{folder}` \| (.*) \|$", TEXT, re.M)
        groups = [name for name in entries(ROOT / "tests" / folder) if (ROOT / "tests" / folder / name).is_dir()]
        assert [name for name in groups if f"`{name}`" not in rows[-1]] == []


def test_unit_tests_have_the_groups_of_the_sources() -> None:
    groups = [name for name in entries(ROOT / "tests" / "unit") if (ROOT / "tests" / "unit" / name).is_dir()]
    assert [name for name in groups if not (ROOT / "src" / name).is_dir()] == []


def test_what_the_pages_for_developers_name_is_there() -> None:
    """Paths in backquotes with a folder of the sources, and names as C has them."""
    folders = {folder: [str(path.relative_to(ROOT)) for path in (ROOT / folder).rglob("*")] for folder in ("src", "sql", "tests", "doc")}
    sources = "".join((ROOT / path).read_text() for path in sum(folders.values(), []) if path.endswith((".c", ".h", ".py", ".sql")))
    for page in ("CONTRIBUTING.md", "doc/architecture.md"):
        words = set(re.findall(r"`([\w./-]+)`", (ROOT / page).read_text()))
        paths = {word.rstrip("/") for word in words if word.split("/")[0] in folders and "/" in word.rstrip("/") and "NAME" not in word}
        assert len(paths) > 2 and sorted(path for path in paths if not (ROOT / path).exists()) == [], page
        names = {word for word in words if re.fullmatch(r"[a-z]+(_[a-z0-9]+)+", word)}
        assert sorted(name for name in names if not re.search(rf"\b{name}\b", sources)) == [], page
