"""The units of systemd: they parse, harden what they start, and name files that are installed."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.stack.paths import ROOT, program

EXPOSURE_MAX = 2.0
UNITS = ROOT / "systemd"


@pytest.fixture(scope="module")
def units(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All units as they are installed, with the programs that were built."""
    folder = tmp_path_factory.mktemp("units")
    for unit in UNITS.iterdir():
        if unit.suffix == ".in":
            text = re.sub(r"@sbindir@/(\S+)", lambda match: str(folder / match[1]), unit.read_text())
            (folder / unit.stem).write_text(text)
        else:
            shutil.copy(unit, folder)
    for name in ("recaudo-fcgi", "recaudo-dispatch"):
        shutil.copy(program(name), folder)
    return folder


def analyze(*words: str) -> str:
    result = subprocess.run(["systemd-analyze", *words], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_units_are_right(units: Path) -> None:
    files = [str(unit) for unit in units.iterdir() if unit.suffix in (".service", ".socket", ".timer")]
    assert len(files) == 4
    analyze("verify", "--man=no", "--recursive-errors=no", *files)


@pytest.mark.parametrize("service", ["recaudo-fcgi.service", "recaudo-dispatch.service"])
def test_exposure(units: Path, service: str) -> None:
    summary = analyze("security", "--offline=yes", str(units / service)).splitlines()[-1]
    match = re.search(r"exposure level for \S+: (\d+\.\d+)", summary)
    assert match is not None, summary
    assert float(match[1]) <= EXPOSURE_MAX


@pytest.mark.parametrize("active, runs", [(True, False), (False, True)])
def test_cron_steps_aside_for_the_timer(tmp_path: Path, active: bool, runs: bool) -> None:
    """The line of cron, with a systemctl that says whether the timer is active."""
    line = next(line for line in (ROOT / "cron" / "recaudo").read_text().splitlines() if line.startswith("*"))
    command = line.split(maxsplit=6)[6].replace("/run/systemd/system", str(tmp_path))
    for name, script in (("systemctl", f"exit {0 if active else 3}"), ("recaudo-dispatch", f"echo $* >{tmp_path}/ran")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    subprocess.run(["/bin/sh", "-c", command], env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, check=True, timeout=10)
    assert (tmp_path / "ran").exists() == runs
    assert not runs or (tmp_path / "ran").read_text().split() == ["--for", "60"]
