"""What `make install` puts beside the programs: every page, picture and file of SQL that the pages name, and the auditor's program."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stack.paths import BUILD, ROOT

MAKEFILE = re.sub(r"\\\n\s*", "", (ROOT / "Makefile.am").read_text())


def installed(kind: str) -> set[str]:
    (words,) = re.findall(rf"^{kind}_DATA = (.*)$", MAKEFILE, re.MULTILINE)
    return set(str(words).split())


PAGES = sorted(name for name in installed("dist_doc") if name.endswith(".md"))


def test_every_page_is_installed() -> None:
    assert {f"doc/{page.name}" for page in (ROOT / "doc").glob("*.md")} <= installed("dist_doc")


@pytest.mark.parametrize("page", PAGES)
def test_what_it_names_is_installed(page: str) -> None:
    text = (ROOT / page).read_text()
    pictures = {f"doc/{name}" for name in re.findall(r"\bpictures/[\w-]+\.\w+", text)}
    assert pictures - installed("dist_pictures") == set()
    sql = set(re.findall(r"`(sql/(?:accounts|foundation|grants)\.sql)`", text))
    assert sql - installed("nobase_dist_example") == set()


def test_the_auditors_program_runs_from_what_is_installed(tmp_path: Path) -> None:
    modules = installed("dist_auditmodules")
    assert modules == {str(module.relative_to(ROOT)) for module in (ROOT / "audit/recaudo_audit").glob("*.py")}
    (tmp_path / "audit/recaudo_audit").mkdir(parents=True)
    for name in ("audit/recaudo-audit", *modules):
        shutil.copy(ROOT / name, tmp_path / name)
    ran = subprocess.run([sys.executable, "-B", tmp_path / "audit/recaudo-audit", "--help"], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "") and ran.stdout.startswith("usage: recaudo-audit")


def test_a_folder_whose_name_has_a_blank(tmp_path: Path) -> None:
    """Without quotes, uninstall would remove what stands at the part of the name before the blank."""
    folder = tmp_path / "a b"
    completion = folder / "completions" / "recaudoctl"
    completion.parent.mkdir(parents=True)
    (completion.parent / "recaudoctl.bash-completion").touch()
    (tmp_path / "a").touch()

    def make(*hooks: str) -> None:
        subprocess.run(["make", "-C", str(BUILD), "--silent", *hooks, f"DESTDIR={folder}", "bindir=/bin",
                        "bashcompletiondir=/completions"], check=True, capture_output=True, timeout=300)

    make("install-exec-hook", "install-data-hook")
    assert (folder / "bin/recaudo-audit").is_symlink() and completion.exists()
    make("uninstall-hook")
    assert not (folder / "bin/recaudo-audit").is_symlink() and not completion.exists() and (tmp_path / "a").exists()
