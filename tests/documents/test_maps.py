"""The maps of the repository: tests/README.md names every folder and script of tests/."""

from tests.stack.paths import ROOT


def test_map_of_the_tests_names_each_folder_and_script() -> None:
    text = (ROOT / "tests" / "README.md").read_text()
    entries = [entry.name for entry in (ROOT / "tests").iterdir() if not entry.name.startswith(("__", "."))]
    missing = [name for name in sorted(entries) if name != "README.md" and f"| `{name}" not in text]
    assert missing == []
