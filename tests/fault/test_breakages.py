"""The ways to break the program on purpose still fit it; whether each is noticed takes minutes: `make fault-breakages`."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.fault.breakages import PATCHES, Breakage
from tests.stack.paths import ROOT


@pytest.mark.parametrize("path", sorted(PATCHES.glob("*.patch")), ids=lambda path: path.stem)
def test_fits(path: Path) -> None:
    result = subprocess.run(["patch", "--dry-run", "-s", "-f", "-p1", "-F0", "-i", str(path)], cwd=ROOT, text=True,
                            capture_output=True)
    assert result.returncode == 0, result.stdout + result.stderr
    assert Breakage(path).number in range(1, 28)


def test_readme_has_a_row_for_each() -> None:
    rows = re.findall(r"^\| ([a-z-]+) \| (\d+) \| \d+ \| \d+ \|$", (PATCHES.parent / "README.md").read_text(), re.MULTILINE)
    assert rows == [(path.stem, str(Breakage(path).number)) for path in sorted(PATCHES.glob("*.patch"))]
