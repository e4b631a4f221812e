"""The manuals: well formed, and their settings are those that the programs know."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.stack.paths import BUILD, ROOT, package_version, program

UNITS = {"m": 60, "h": 3600, "d": 86400}
CONFIGURATION = ROOT / "doc" / "configuration.md"
MANUALS = [*sorted((ROOT / "doc" / "man").glob("*.8")), BUILD / "doc" / "man" / "recaudo.conf.5"]


def documented() -> dict[str, str]:
    """Key and default of each row of the table."""
    rows = re.findall(r"^\| ([a-z_]+) \| ([a-z_]+) \| ([^|]*?) ?\|", CONFIGURATION.read_text(), re.MULTILINE)
    return {f"{section}.{key}": default.strip() for section, key, default in rows}


def in_seconds(value: str) -> str:
    """Durations as `config show` writes them."""
    return re.sub(r"\b(\d+)([mhd])\b", lambda match: f"{int(match[1]) * UNITS[match[2]]}s", value)


@pytest.mark.parametrize("manual", {path.name: path for path in MANUALS}.values(), ids=lambda path: str(path.name))
def test_manual_is_well_formed(manual: Path) -> None:
    result = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", str(manual)], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("name", ["recaudo-fcgi", "recaudo-console", "recaudo-query"])
def test_help_of_a_program_that_takes_no_other_words(name: str) -> None:
    for words, status in (["--help"], 0), (["-h"], 0), (["--nonsense"], 2), (["--help", "x"], 2):
        result = subprocess.run([program(name), *words], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
        told, silent = (result.stdout, result.stderr) if status == 0 else (result.stderr, result.stdout)
        assert result.returncode == status and silent == "" and told.startswith("usage: ") and name in told
    with open("/dev/full", "w") as full:
        result = subprocess.run([program(name), "--help"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert result.returncode == 1 and "cannot write to standard output: No space left on device" in result.stderr


@pytest.mark.parametrize("name", ["recaudo-fcgi", "recaudo-console", "recaudo-query", "recaudo-dispatch", "recaudoctl"])
def test_every_program_has_the_version_of_the_package(name: str) -> None:
    words = [program(name), "--version"]
    told = subprocess.run(words, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    assert (told.returncode, told.stdout, told.stderr) == (0, f"{name} {package_version()}\n", "")
    with open("/dev/full", "w") as full:
        result = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, stdin=subprocess.DEVNULL)
    assert result.returncode == 1 and "standard output" in result.stderr


@pytest.mark.parametrize("script", ["audit/recaudo-audit", "backup/recaudo-backup"])
def test_every_script_has_the_version_of_the_package(script: str) -> None:
    words = [ROOT / script, "--version"]
    told = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert (told.returncode, told.stdout, told.stderr) == (0, f"{Path(script).name} {package_version()}\n", "")
    with open("/dev/full", "w") as full:
        result = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert result.returncode != 0 and "No space left on device" in result.stderr


def test_debians_package_has_the_same() -> None:
    newest = (ROOT / "debian" / "changelog").read_text().splitlines()[0]
    assert newest.startswith(f"recaudo ({package_version()}-")


def test_every_setting_is_documented_with_its_default(tmp_path: Path) -> None:
    config = tmp_path / "recaudo.conf"
    config.write_text("[database]\nsocket = /nowhere\n")
    environment = {**os.environ, "RECAUDO_CONFIG": str(config)}
    shown = json.loads(subprocess.run([program("recaudoctl"), "--json", "config", "show"], env=environment, check=True,
                                      capture_output=True, text=True, timeout=60).stdout)
    in_force = {f"{section}.{key}": value or "" for section, keys in shown.items() for key, value in keys.items()}
    table = documented()
    assert set(table) == set(in_force)
    in_force["database.socket"] = ""
    in_force["security.key_file"] = re.sub(r"^.*/recaudo/", "/etc/recaudo/", in_force["security.key_file"])
    assert {key: in_seconds(value) for key, value in table.items()} == {key: in_seconds(value) for key, value in in_force.items()}


def test_every_setting_is_in_the_manual() -> None:
    manual = (BUILD / "doc" / "man" / "recaudo.conf.5").read_text()
    for setting in documented():
        section, key = setting.split(".")
        after = manual.split(f".Ss [{section}]\n")[1].split(".Ss ")[0]
        assert f".It Ic {key}\n" in after, setting
