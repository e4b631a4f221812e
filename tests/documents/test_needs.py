"""tests/need: each make target that needs more than the programs says in one line what is missing and how to install it."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.stack.paths import ROOT

MAKEFILE = (ROOT / "Makefile.am").read_text()
TARGETS = re.findall(r"need-(\S+)", re.findall(r"^needs = (.*)$", MAKEFILE, re.MULTILINE)[0])


def need(target: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(["/bin/bash", str(ROOT / "tests" / "need"), target], text=True, capture_output=True, timeout=60,
                          env={**os.environ, **environment})


@pytest.mark.parametrize("target", TARGETS)
def test_target_asks_first(target: str) -> None:
    (prerequisites,) = re.findall(rf"^{target}:(.*)$", MAKEFILE, re.MULTILINE)
    assert prerequisites.split()[0] == f"need-{target}"


def test_every_target_of_its_own_asks() -> None:
    """Every phony target but the sections of another one."""
    phony = {word for line in re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE) for word in line.split()} - {"$(needs)"}
    assert phony - set(TARGETS) == {"fuzzers"}


@pytest.mark.parametrize("target", TARGETS)
def test_what_is_missing_is_one_line(tmp_path: Path, target: str) -> None:
    said = need(target, RECAUDO_NEED_PATH=str(tmp_path), RECAUDO_NEED_LIBRARIES=str(tmp_path))
    assert said.returncode == 1 and said.stdout == ""
    match = re.fullmatch(rf"make {target} lacks (.+)\. On Debian: apt-get install (.+)\n", said.stderr)
    assert match is not None and match[1] == match[2], said.stderr


def test_library_is_looked_for(tmp_path: Path) -> None:
    assert "libfaketime" in need("fault", RECAUDO_NEED_LIBRARIES=str(tmp_path)).stderr
    (tmp_path / "libfaketimeMT.so.1").touch()
    assert "libfaketime" not in need("fault", RECAUDO_NEED_LIBRARIES=str(tmp_path)).stderr


def test_unknown_target() -> None:
    assert need("nosuch").returncode == 2
