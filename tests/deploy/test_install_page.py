"""The blocks of doc/install.md that are not the web servers': database, configuration, backup, drop-ins of the units, logs."""

import gzip
import os
import re
import subprocess
import time
from collections import defaultdict
from pathlib import Path
from typing import Iterator

import pytest

from tests.stack import Stack
from tests.stack.mariadb import MariaDB
from tests.stack.page_blocks import block, server_options, changed
from tests.stack.paths import ROOT, program, system_program

PAGE = "install.md"
BACKUP = ROOT / "backup" / "recaudo-backup"


class Server(MariaDB):
    """A server with the options of the page."""

    def __init__(self, directory: Path, sockets: Path, buffer_pool: str) -> None:
        super().__init__(directory, sockets, buffer_pool, server_options(block(PAGE, "mariadb")))


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    with Stack(dispatcher=False, buffer_pool="32M", database=Server) as stack:
        stack.ctl.done("network", "add", "red")
        stack.ctl.done("merchant", "add", "tienda", "--commerce", "Tienda")
        yield stack


def test_database_has_the_options_and_takes_the_schema(stack: Stack) -> None:
    named = stack.mariadb.query("SELECT @@skip_networking AS a, @@log_bin AS b, @@binlog_format AS c, @@innodb_flush_log_at_trx_commit AS d,"
                                " @@sync_binlog AS e, @@innodb_autoinc_lock_mode AS f, @@binlog_expire_logs_seconds AS g, @@secure_timestamp AS h,"
                                " @@innodb_lock_wait_timeout AS i")[0]
    assert list(named.values()) == [1, 1, "ROW", 1, 1, 2, 604800, "SUPER", 5]
    assert stack.ctl.succeeds("db", "status")


def test_what_shows_that_the_options_were_read(stack: Stack) -> None:
    (query,) = re.findall(r'mariadb -e "(.+)"', block(PAGE, "options"))
    (said,) = re.findall(r"^says (.+)\.$", (ROOT / "doc" / PAGE).read_text(), re.MULTILINE)
    assert [str(value) for value in stack.mariadb.query(query)[0].values()] == re.findall(r"`(\w+)`", said)


def test_configuration(tmp_path: Path) -> None:
    config = tmp_path / "recaudo.conf"
    config.write_text(block(PAGE, "recaudo"))
    shown = subprocess.run([program("recaudoctl"), "--config", str(config), "config", "show"], text=True, capture_output=True, timeout=30)
    assert shown.returncode == 0, shown.stderr
    assert "/run/mysqld/mysqld.sock" in shown.stdout and "pay.example.com" in shown.stdout


def saved(stack: Stack, folder: Path, user: str, password: str) -> tuple[list[str], str]:
    """The backup's statements, without what says when it was made, and its position in the binary log."""
    folder.mkdir()
    result = subprocess.run([str(BACKUP), "save", str(folder), "--", "--no-defaults", f"--socket={stack.mariadb.socket}", f"--user={user}",
                             f"--password={password}"], text=True, capture_output=True, timeout=120)
    assert result.returncode == 0, result.stderr
    lines = gzip.decompress(Path(result.stdout.strip()).read_bytes()).decode().splitlines()
    (position,) = [line for line in lines if "MASTER_LOG_POS" in line]
    return [line for line in lines if not line.startswith(("-- ", "INSERT INTO `last_done`", "('backup'"))], position


def test_backup_account_saves_what_root_saves_and_writes_nothing(stack: Stack, tmp_path: Path) -> None:
    account = changed(block(PAGE, "backup account"), ("IDENTIFIED VIA unix_socket", "IDENTIFIED BY 'secret'"))
    for statement in re.sub(r"^--.*\n", "", account, flags=re.MULTILINE).split(";\n"):
        if statement.strip():
            stack.mariadb.query(statement)
    theirs = saved(stack, tmp_path / "theirs", "recaudo_backup", "secret")
    assert theirs[0] == saved(stack, tmp_path / "root", "root", stack.mariadb.password("root"))[0]
    assert theirs[1] != "" and any("CREATE DEFINER" in line for line in theirs[0])
    made = stack.mariadb.query("SELECT COUNT(*) AS n FROM information_schema.triggers WHERE trigger_schema = DATABASE()")[0]["n"]
    assert sum(line.startswith("CREATE TRIGGER ") for line in theirs[0]) == made > 50
    grants = " ".join(str(value) for row in stack.mariadb.query("SHOW GRANTS FOR 'recaudo_backup'@'localhost'") for value in row.values())
    assert set(re.findall(r"\b(INSERT|UPDATE|DELETE|DROP|ALTER|CREATE|SUPER|EXECUTE|ALL)\b", grants)) == {"EXECUTE"}
    assert grants.count("EXECUTE") == 2 and "EXECUTE ON FUNCTION `recaudo`.`backup_note`" in grants
    assert "TRIGGER" not in grants and "RELOAD" not in grants  # it could drop them, and the binary log
    assert len(stack.mariadb.query("SELECT * FROM last_done WHERE what = 'backup'")) == 1
    stack.mariadb.query("UPDATE last_done SET at = at - INTERVAL 27 HOUR WHERE what = 'backup'")
    result = stack.ctl.run("status")
    assert result.returncode == 1 and "the last backup was saved 27 hours ago" in result.stderr


def test_keep_removes_the_oldest_backups(tmp_path: Path) -> None:
    def whole(day: int, text: str = "-- Dump completed\n") -> Path:
        path = tmp_path / f"recaudo-202601{day:02}T021500Z.sql.gz"
        path.write_bytes(gzip.compress(text.encode()))
        return path

    def keep(count: str, folder: Path = tmp_path) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([str(BACKUP), "keep", str(folder), count], text=True, capture_output=True, timeout=30)

    assert keep("2").returncode == 1
    days = [whole(day) for day in range(1, 6)]
    others = [tmp_path / "other.sql.gz", tmp_path / "recaudo-2-20250101T021500Z.sql.gz"]  # the second is of a database recaudo-2
    for other in others:
        other.touch()
    for wrong in ("0", "-1", "all", ""):
        assert keep(wrong).returncode == 1 and all(day.exists() for day in days)
    ahead = tmp_path / "recaudo-29990101T000000Z.sql.gz"  # of a machine whose clock was wrong: it would count as the newest for ever
    ahead.write_bytes(days[0].read_bytes())
    refused = keep("1")
    assert refused.returncode == 1 and "a time that has not come" in refused.stderr and all(day.exists() for day in days)
    ahead.unlink()
    assert keep("3").returncode == 0 and [day.exists() for day in days] == [False, False, True, True, True]
    assert all(other.exists() for other in others)
    unfinished = [tmp_path / f"{days[-1].name}.new", tmp_path / f"{days[-2].name}.new", tmp_path / f"{others[1].name}.new"]
    for half in unfinished:
        half.touch()
    for half in unfinished[1:]:
        os.utime(half, (0, time.time() - 25 * 3600))
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    assert keep("3", link).returncode == 0 and [half.exists() for half in unfinished] == [True, False, True]
    broken = whole(9, "torn")
    assert "nothing was removed" in keep("1").stderr and days[-1].exists() and broken.exists()


@pytest.mark.parametrize("unit, name", [("recaudo-backup", "recaudo-backup.service.d/override.conf"),
                                        ("recaudo-backup", "backup over the network"),
                                        ("recaudo-fcgi", "recaudo-settle.service.d/override.conf"),
                                        ("recaudo-settle", "recaudo-settle.service.d/override.conf")])
def test_drop_in(tmp_path: Path, unit: str, name: str) -> None:
    text = re.sub(r"@\w+@/(\S+)", "/bin/true", (ROOT / "systemd" / f"{unit}.service.in").read_text())
    (tmp_path / f"{unit}.service").write_text(text)
    folder = tmp_path / f"{unit}.service.d"
    folder.mkdir()
    (folder / "override.conf").write_text(block(PAGE, name))
    result = subprocess.run(["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", str(tmp_path / f"{unit}.service")],
                            text=True, capture_output=True, timeout=60)
    assert (result.returncode, result.stderr) == (0, "")


def test_backup_unit_calls_what_there_is(tmp_path: Path) -> None:
    """Its lines run, with the words that systemd would make of them."""
    unit = (ROOT / "systemd" / "recaudo-backup.service.in").read_text()
    verbs = re.findall(r"^ExecStart=@pkglibexecdir@/recaudo-backup (\w+) \$\{FOLDER\}", unit, re.MULTILINE)
    assert verbs == ["save", "keep"] and system_program("mariadb-dump")
    assert "recaudo_backup" in (ROOT / "debian" / "recaudo.sysusers").read_text()
    assert "/var/backups/recaudo 0700 recaudo_backup" in (ROOT / "debian" / "recaudo.tmpfiles").read_text()


@pytest.mark.parametrize("server, folder", [("nginx", "/var/log/nginx"), ("apache", "/var/log/apache2")])
def test_logs_are_where_the_packages_rotate_them(server: str, folder: str) -> None:
    text = (ROOT / server / "recaudo.conf").read_text()
    assert set(re.findall(r"/var/log/\S+?(?=[; \n])", text)) == {f"{folder}/recaudo.access.log", f"{folder}/recaudo.error.log"}


def test_restore_stops_what_would_start_the_programs_again() -> None:
    """Of each program that doc/operations.md stops, the socket and the timer too."""
    text = (ROOT / "doc" / "operations.md").read_text()
    restore = text[text.index("### Restore\n"):text.index("### Restore to a point in time\n")]
    stopped = {word for line in re.findall(r"^ *systemctl stop (.*)$", restore, re.MULTILINE) for word in line.split()}
    programs = {word for word in stopped if "." not in word}
    assert programs == {"recaudo-fcgi", "recaudo-settle", "recaudo-deliver", "recaudo-console"}
    starters = {f"{name}.{kind}" for name in programs for kind in ("socket", "timer") if (ROOT / "systemd" / f"{name}.{kind}").exists()}
    assert len(starters) == 4 and starters <= stopped


def test_a_web_host_that_leaves() -> None:
    """doc/cluster.md disables each socket and timer of a web host, and has the statement that `status` names."""
    disabled = {word for line in block("cluster.md", "web host leaves").splitlines() if "disable --now" in line for word in line.split()}
    assert {path.name for path in (ROOT / "systemd").iterdir() if path.suffix in (".socket", ".timer")} <= disabled | {"recaudo-backup.timer"}
    source = "".join(re.findall(r'"(.*?)"', (ROOT / "src" / "ctl" / "status" / "worker_status.c").read_text()))
    assert block("cluster.md", "web host leaves, statement").rstrip(";\n").replace("web2", "%.*s") in source


def test_galera_file_has_only_options_that_there_are(tmp_path: Path) -> None:
    """doc/cluster.md; tests/http/server/test_cluster_page.py starts three servers with it."""
    file = tmp_path / "60-recaudo.cnf"
    file.write_text(block("cluster.md", "galera"))
    told = subprocess.run([system_program("mariadbd"), f"--defaults-file={file}", "--user=root", "--verbose", "--help"], text=True,
                          capture_output=True, timeout=60)
    assert told.returncode == 0, told.stderr
    values: dict[str, str] = defaultdict(str)  # MariaDB 11.8 has a plugin with the name of a variable, and hides a password
    for line in told.stdout.split("--------- ")[-1].splitlines():
        name, _, value = line.partition(" ")
        values[name] += value.strip() + "\n"
    for name, value in re.findall(r"^(wsrep_\w+|innodb_\w+|bind_address|skip_name_resolve) = (.*)$", block("cluster.md", "galera"), re.MULTILINE):
        shown = values[name.replace("_", "-")]
        assert {"ON": "TRUE"}.get(value, value).strip('"') in shown or (name, shown) == ("wsrep_sst_auth", "********\n"), name


def test_replicas_start_read_only_and_acknowledge_what_they_have(tmp_path: Path) -> None:
    """doc/cluster.md; tests/fault/cluster/replicas.py promotes servers with it."""
    server = MariaDB(tmp_path, tmp_path, "32M", server_options(block("cluster.md", "replicas")))
    server.start()
    try:
        named = server.query("SELECT @@read_only AS a, @@log_bin AS b, @@rpl_semi_sync_slave_enabled AS c, @@rpl_semi_sync_master_enabled AS d,"
                             " @@rpl_semi_sync_master_wait_point AS e, @@gtid_strict_mode AS f, @@skip_name_resolve AS g")[0]
        retry = re.findall(r"MASTER_(?:CONNECT_RETRY|HEARTBEAT_PERIOD) = [0-9.]+", (ROOT / "doc" / "cluster.md").read_text())
        server.query(f"CHANGE MASTER TO MASTER_HOST = '127.0.0.1', {', '.join(retry)}")
    finally:
        server.stop()
    assert list(named.values()) == [1, 1, 1, 0, "AFTER_SYNC", 1, 1]
    harness = (ROOT / "tests" / "fault" / "cluster" / "replicas.py").read_text()
    assert len(retry) == 2 and all(option in harness for option in retry)


def test_firewall_lets_in_who_must_reach_a_database_server() -> None:
    """doc/cluster.md: the web hosts, and the database servers each other: by Galera's ports, or as replicas by that of SQL."""
    page = (ROOT / "doc" / "cluster.md").read_text()
    hosts = {row[0]: set(re.findall(r"10\.1\.2\.\d+", row[1])) for row in re.findall(r"^\| (web|db)1, .*? \| (10\..*?) \|", page, re.MULTILINE)}
    assert (len(hosts["web"]), len(hosts["db"])) == (2, 3)

    def let_in(name: str) -> dict[str, set[str]]:
        opened: dict[str, set[str]] = defaultdict(set)
        for line in block("cluster.md", name).splitlines():
            (callers, protocol, ports), = re.findall(r"^ip saddr \{ (.*) \} (tcp|udp) dport \{?([0-9, ]+)\}? accept$", line)
            for port in ports.split(","):
                opened[f"{port.strip()} {protocol}"] |= set(callers.split(", "))
        return opened

    among_themselves = dict.fromkeys(("4444 tcp", "4567 tcp", "4567 udp", "4568 tcp"), hosts["db"])
    assert let_in("galera firewall") == {"3306 tcp": hosts["web"], **among_themselves}
    assert let_in("replicas firewall") == {"3306 tcp": hosts["web"] | hosts["db"]}
    (callers,) = re.findall(r"^\| 3306 \| db \| (.*?) \|", page, re.MULTILINE)
    assert "web" in callers and "db" in callers


def test_settings_of_web_hosts(tmp_path: Path) -> None:
    """doc/cluster.md's recaudo.conf, alone and with the owner's lines below it, with files that are there."""
    assert "owner" not in block("cluster.md", "cluster recaudo")
    text = re.sub(r"/(?:etc/recaudo|root)/(\S+)", rf"{tmp_path}/\1",
                  block("cluster.md", "cluster recaudo") + block("cluster.md", "cluster recaudo owner"))
    for name in re.findall(rf"{tmp_path}/(\S+)", text):
        (tmp_path / name).write_text("x\n")
        (tmp_path / name).chmod(0o600)
    config = tmp_path / "recaudo.conf"
    config.write_text(text)
    shown = subprocess.run([program("recaudoctl"), "--config", str(config), "config", "show"], text=True, capture_output=True, timeout=30)
    assert shown.returncode == 0 and "db1.example" in shown.stdout and "recaudo_owner" in shown.stdout, shown.stderr


def test_certificates_of_the_cluster(tmp_path: Path) -> None:
    made = subprocess.run(["bash", "-euc", block("cluster.md", "cluster certificates")], cwd=tmp_path, text=True, capture_output=True, timeout=120)
    assert made.returncode == 0, made.stderr
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("database-ca.pem", "authority.key", "db1/server.key")] == [0o644, 0o600, 0o600]
    for name, address in (("db1", "10.1.2.11"), ("db3", "10.1.2.13")):
        for option, value in (("-verify_hostname", f"{name}.example"), ("-verify_ip", address)):
            fits = subprocess.run(["openssl", "verify", "-CAfile", "database-ca.pem", option, value, f"{name}/server.pem"], cwd=tmp_path,
                                  text=True, capture_output=True, timeout=30)
            assert fits.returncode == 0, fits.stderr
