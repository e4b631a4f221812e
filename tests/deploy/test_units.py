"""The units of systemd: they parse, harden what they start, and name files that are installed."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.stack.paths import ROOT, program

EXPOSURE_MAX = 2.0
EXPOSURE_OF_CONSOLE_MAX = 1.5
UNITS = ROOT / "systemd"


@pytest.fixture(scope="module")
def units(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All units as they are installed, with the programs that were built."""
    folder = tmp_path_factory.mktemp("units")
    for unit in UNITS.iterdir():
        if unit.suffix == ".in":
            text = re.sub(r"@(?:sbindir|pkglibexecdir)@/(\S+)", lambda match: str(folder / match[1]), unit.read_text())
            (folder / unit.stem).write_text(text)
        else:
            shutil.copy(unit, folder)
    shutil.copy(ROOT / "backup" / "recaudo-backup", folder)
    for name in ("recaudo-console", "recaudo-fcgi", "recaudo-query", "recaudo-dispatch"):
        shutil.copy(program(name), folder)
    return folder


def analyze(*words: str) -> str:
    result = subprocess.run(["systemd-analyze", *words], capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_units_are_right(units: Path) -> None:
    files = [str(unit) for unit in units.iterdir() if unit.suffix in (".service", ".socket", ".timer")]
    assert len(files) == 12
    analyze("verify", "--man=no", "--recursive-errors=no", *files)


@pytest.mark.parametrize("service", ["recaudo-console.service", "recaudo-fcgi.service", "recaudo-query.service", "recaudo-settle.service", "recaudo-deliver.service", "recaudo-backup.service"])
def test_exposure(units: Path, service: str) -> None:
    summary = analyze("security", "--offline=yes", str(units / service)).splitlines()[-1]
    match = re.search(r"exposure level for \S+: (\d+\.\d+)", summary)
    assert match is not None, summary
    assert float(match[1]) <= (EXPOSURE_OF_CONSOLE_MAX if service == "recaudo-console.service" else EXPOSURE_MAX)


def directives(unit: str) -> dict[str, str]:
    path = UNITS / unit if (UNITS / unit).exists() else UNITS / f"{unit}.in"
    lines = path.read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


@pytest.mark.parametrize("service", ["recaudo-settle.service", "recaudo-deliver.service"])
def test_run_that_fails_is_repeated_after_a_pause_without_end(service: str) -> None:
    """The timer would repeat it ten times a second, and systemd gives up after five times in ten seconds."""
    found = directives(service)
    assert (found["Restart"], found["StartLimitIntervalSec"]) == ("on-failure", "0") and 1 <= int(found["RestartSec"]) <= 10


@pytest.mark.parametrize("service", ["recaudo-fcgi.service", "recaudo-query.service", "recaudo-console.service"])
def test_what_serves_is_started_again_without_end(service: str) -> None:
    """Once a second. Where systemd gives a service up, its socket starts it again as soon as a connection waits, without any pause."""
    found = directives(service)
    assert (found["Restart"], found["RestartSec"], found["StartLimitIntervalSec"]) == ("always", "1", "0")
    assert "RestartPreventExitStatus" not in found


@pytest.mark.parametrize("unit", sorted(UNITS.glob("*.service.in")), ids=lambda unit: unit.name)
def test_no_line_of_what_serves_is_dropped_by_its_number(unit: Path) -> None:
    """A line for each request is more than journald takes of a service by default."""
    expected = "" if unit.name == "recaudo-backup.service.in" else "0"
    assert directives(unit.stem).get("LogRateLimitIntervalSec", "") == expected


def test_workers_socket_finds_its_folder_with_their_user_as_owner() -> None:
    """Else systemd would make it as root's, and the workers' start would take the socket from the web server's group."""
    socket, service = directives("recaudo-fcgi.socket"), directives("recaudo-fcgi.service")
    assert socket["ExecStartPre"] == "-/usr/bin/systemd-tmpfiles --create recaudo.conf"
    assert socket["ListenStream"] == f"/run/{service['RuntimeDirectory']}/fcgi.sock"
    user = service["User"]
    assert f"d /run/recaudo 0755 {user} {user} -" in (ROOT / "debian" / "recaudo.tmpfiles").read_text().splitlines()


def test_settling_has_no_network() -> None:
    settle, deliver = directives("recaudo-settle.service"), directives("recaudo-deliver.service")
    assert settle["PrivateNetwork"] == "yes" and settle["RestrictAddressFamilies"] == "AF_UNIX"
    assert settle["IPAddressDeny"] == "any"
    assert settle["User"] != deliver["User"], "their database accounts are bound to their users"
    assert "SupplementaryGroups" not in settle, "the group may read the key"


def test_settling_may_write_its_seal_file() -> None:
    """Where doc/audit.md puts it: everything else is read only to it."""
    settle, page = directives("recaudo-settle.service"), (ROOT / "doc" / "audit.md").read_text()
    assert (settle["ProtectSystem"], settle["StateDirectory"], settle["StateDirectoryMode"]) == ("strict", "recaudo", "0750")
    assert f"seal_file = /var/lib/{settle['StateDirectory']}/seals" in page and "ReadWritePaths=" in page


def test_console_has_no_network_and_no_key() -> None:
    console = directives("recaudo-console.service")
    assert console["PrivateNetwork"] == "yes" and console["RestrictAddressFamilies"] == "AF_UNIX"
    assert console["IPAddressDeny"] == "any" and "SupplementaryGroups" not in console
    assert console["InaccessiblePaths"] == "-/etc/recaudo/secret.key"


def test_workers_have_no_internet_and_who_asks_merchants_has_nothing_else() -> None:
    worker, query = directives("recaudo-fcgi.service"), directives("recaudo-query.service")
    assert worker["PrivateNetwork"] == "yes" and worker["RestrictAddressFamilies"] == "AF_UNIX"
    assert worker["IPAddressDeny"] == "any"
    assert query["User"] != worker["User"] and "SupplementaryGroups" not in query, "the group may read the key"
    assert {"-/etc/recaudo/secret.key", "-/run/mysqld"} <= set(query["InaccessiblePaths"].split())
    users = (ROOT / "debian" / "recaudo.sysusers").read_text()
    assert "u recaudo_query " in users and "m recaudo_query" not in users
    assert "recaudo_query" not in (ROOT / "sql" / "accounts.sql").read_text()


def test_only_workers_and_operators_may_have_merchants_asked() -> None:
    worker, listens = directives("recaudo-fcgi.service"), directives("recaudo-query.socket")
    assert listens["SocketUser"] == worker["User"] and listens["SocketMode"] == "0660"
    assert listens["SocketGroup"] == "recaudo_operator"  # who decides about merchants' addresses
    assert worker["Environment"] == f"RECAUDO_QUERY_SOCKET={listens['ListenSequentialPacket']}"
    assert worker["PropagatesReloadTo"] == "recaudo-query.service"
    assert {"recaudo-query.socket", "recaudo-query.service"} <= set(worker["Wants"].split())


@pytest.mark.parametrize("task", ["settle", "deliver"])
def test_watchdog(task: str) -> None:
    assert directives(f"recaudo-{task}.service")["WatchdogSec"] == "90"


def test_deliveries_in_flight_may_end_and_be_recorded() -> None:
    """The longest attempt, its record, and what the parent waits beyond."""
    longest = re.search(r'"notification", "timeout",.* (\d+) \* SECOND}', (ROOT / "src/base/config/config.c").read_text())
    assert longest is not None
    assert int(directives("recaudo-deliver.service")["TimeoutStopSec"]) > int(longest[1]) + 5 + 2


@pytest.mark.parametrize("task", ["settle", "deliver"])
def test_a_changed_configuration_is_read_as_soon_as_its_page_says(task: str) -> None:
    """The dispatcher reads it when a run begins."""
    page, cron = (ROOT / "doc" / "configuration.md").read_text(), (ROOT / "cron" / "recaudo").read_text()
    assert "with the timers within 5 minutes, with cron within a minute" in page
    assert directives(f"recaudo-{task}.service")["ExecStart"].endswith(f"{task} --for 300") and f"{task} --for 60 " in cron


@pytest.mark.parametrize("task", ["settle", "deliver"])
@pytest.mark.parametrize("systemd, installed", [(True, True), (False, True), (False, False)])
def test_cron_does_nothing_where_systemd_runs(tmp_path: Path, task: str, systemd: bool, installed: bool) -> None:
    """Nor while its timer is stopped, as for an upgrade: with systemctl there, which says so. Nor once the package is removed."""
    lines = [line for line in (ROOT / "cron" / "recaudo").read_text().splitlines() if line.startswith("*")]
    (words,) = [line.split(maxsplit=6) for line in lines if f"recaudo-dispatch {task} " in line]
    assert words[5] == directives(f"recaudo-{task}.service")["User"] and "/run/systemd/system" in words[6]
    command = words[6].replace("/run/systemd/system", str(tmp_path if systemd else tmp_path / "absent"))
    programs = {"systemctl": "exit 3", "logger": f"cat >{tmp_path}/logged", "recaudo-dispatch": f"echo $* >{tmp_path}/ran"}
    for name, script in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755 if installed or name != "recaudo-dispatch" else 0o644)
    result = subprocess.run(["/bin/sh", "-c", command], env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, timeout=60, capture_output=True)
    assert (result.returncode, result.stdout + result.stderr) == (0, b"")
    assert (tmp_path / "ran").exists() == (tmp_path / "logged").exists() == (installed and not systemd)
    assert not (tmp_path / "ran").exists() or (tmp_path / "ran").read_text().split() == [task, "--for", "60"]


def run_script(tmp_path: Path, name: str, action: str) -> list[list[str]]:
    """Runs a script of the package as if systemd ran; what it asked of systemd."""
    script = (ROOT / "debian" / f"recaudo.{name}").read_text().replace("/run/systemd/system", str(tmp_path))
    asked = tmp_path / "asked"
    for program in ("deb-systemd-invoke", "systemctl"):
        (tmp_path / program).write_text(f'#!/bin/sh\necho {program} $* >>{asked}\nexit 1\n')
        (tmp_path / program).chmod(0o755)
    subprocess.run(["/bin/sh", "-c", script, name, action], env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, check=True, timeout=60)
    return [line.split() for line in asked.read_text().splitlines()] if asked.exists() else []


def test_removing_the_package_stops_every_unit(tmp_path: Path) -> None:
    """Timers and sockets first: they would start the services again. None stays "failed"."""
    (program, verb, *stopped), *rest = run_script(tmp_path, "prerm", "remove")
    units = {path.name.removesuffix(".in") for path in (ROOT / "systemd").iterdir()}
    first = len([name for name in units if not name.endswith(".service")])
    assert (program, verb) == ("deb-systemd-invoke", "stop") and set(stopped) == units
    assert not any(name.endswith(".service") for name in stopped[:first])
    assert rest == [["systemctl", "reset-failed", *stopped]]


def test_upgrading_the_package_stops_no_unit(tmp_path: Path) -> None:
    assert run_script(tmp_path, "prerm", "upgrade") == []


def test_installing_the_package_has_systemd_read_the_units(tmp_path: Path) -> None:
    """It may remember from an earlier removal that they are gone, and start none."""
    assert run_script(tmp_path, "postinst", "configure") == [["systemctl", "--system", "daemon-reload"]]
