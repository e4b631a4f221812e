"""When a folder is configured again, which builds everything in it from the start (tests/stack/build.sh); what is in a distribution; and whether the next release knows its schema."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.stack.paths import BUILD, ROOT


def is_configured(folder: Path, *options: str) -> bool:
    script = f'. "{ROOT}/tests/stack/build.sh"; is_configured "$@"'
    return subprocess.run(["bash", "-c", script, "build", folder, *options]).returncode == 0


@pytest.mark.parametrize("printed", ["--enable-silent-rules --enable-werror", "'--enable-silent-rules' '--enable-werror'"])
def test_a_folder_is_configured_once(tmp_path: Path, printed: str) -> None:
    """Releases of autoconf differ in whether config.status prints the options with quotes."""
    assert not is_configured(tmp_path)
    (tmp_path / "Makefile").touch()
    status = tmp_path / "config.status"
    status.write_text(f'#!/bin/sh\necho "{printed}"\n')
    status.chmod(0o755)
    assert is_configured(tmp_path)
    assert is_configured(tmp_path, "--enable-werror") and is_configured(tmp_path, "--enable-silent-rules", "--enable-werror")
    assert not is_configured(tmp_path, "--enable-wer") and not is_configured(tmp_path, "--enable-werror", "--enable-fuzz")


def test_the_distribution_has_every_file() -> None:
    """And none that make would make first: `check` is a file, and the target that runs the tests."""
    listed = subprocess.run(["make", "-s", "-C", str(BUILD), "--eval", "say-files: ; @echo $(patsubst $(srcdir)/%,%,$(DISTFILES))", "say-files"],
                            text=True, capture_output=True, check=True).stdout.split()
    there = subprocess.run(["git", "ls-files"], cwd=ROOT, text=True, capture_output=True).stdout.split()
    if not there:
        pytest.skip("no repository")
    missing = [name for name in there if not any(name == of or name.startswith(f"{of}/") for of in listed)]
    assert missing == [".gitignore", "check"] and "check" not in listed
    assert "check '$(distdir)/check'" in (ROOT / "Makefile.am").read_text()


def test_fuzz_targets_compile() -> None:
    """Only the whole check builds and runs them. Like the rest, they fit to what they test at every commit."""
    rule = "compile-fuzz-targets: ; @$(COMPILE) -Werror -fsyntax-only $(srcdir)/tests/fuzz/*.c"
    result = subprocess.run(["make", "-s", "-C", str(BUILD), "--eval", rule, "compile-fuzz-targets"], text=True, capture_output=True, timeout=300)
    assert (result.returncode, result.stderr) == (0, "")


def embed(sql: Path) -> str:
    return subprocess.run(["sh", ROOT / "src" / "store" / "schema" / "embed-sql", sql], text=True, capture_output=True, check=True).stdout


def test_the_schema_of_a_release_is_known_to_the_next(tmp_path: Path) -> None:
    """doc/releasing.md: its row of schema_version, as a database has it, becomes a line of sql/upgrade/released."""
    sql = tmp_path / "sql"
    shutil.copytree(ROOT / "sql", sql)
    own = re.search(r'embedded_foundation = (\{\d+, "([^"]+)", "([0-9a-f]{64})"\});', embed(sql))
    assert own
    with open(sql / "upgrade" / "released", "a") as released:
        released.write(f"{own[3]}  {own[2]}\n")
    assert own[1] in embed(sql).split("embedded_released[]")[1]
