"""Key, schema and configuration: from nothing to an instance that works, and what is said when it does not."""

import json
import os
import pwd
import re
import signal
import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Iterator

import pytest

from tests.stack import Ctl, MariaDB, Stack
from tests.stack.authority import Authority
from tests.stack.config import default_settings, write_config
from tests.stack.database_proxy import DatabaseProxy
from tests.stack.mariadb import ACCOUNTS, DATABASE, OWNER
from tests.stack.private_files import write_private

from operator_steps import ends, refused


def changed_config(stack: Stack, directory: Path, section: str, **values: object) -> Ctl:
    """recaudoctl with the instance's configuration but for some settings."""
    config = directory / "recaudo.conf"
    write_config(config, default_settings(stack.mariadb, stack.worker.socket, stack.key_file), {section: values})
    return Ctl(config)


def test_key_is_made_once(stack: Stack, tmp_path: Path) -> None:
    key_file = tmp_path / "new.key"
    ctl = changed_config(stack, tmp_path, "security", key_file=key_file)
    assert ctl.json("key", "create", "--new-system") == {"key_file": str(key_file)}
    key = key_file.read_text()
    assert len(key.strip()) == 64 and stat.S_IMODE(os.stat(key_file).st_mode) == 0o600
    for words in (["key", "create"], ["key", "create", "--new-system"]):
        assert refused(ctl, *words).startswith(f"no key was made: {key_file} exists. If it is the wrong key, move it away first")
    assert key_file.read_text() == key


def test_key_where_nothing_can_be_written(stack: Stack, tmp_path: Path) -> None:
    ctl = changed_config(stack, tmp_path, "security", key_file=tmp_path / "absent" / "new.key")
    assert "No such file or directory" in refused(ctl, "key", "create", "--new-system")


def test_no_second_key_beside_stored_secrets(stack: Stack, tmp_path: Path) -> None:
    """It would decrypt none of them: who has lost the key restores the copy."""
    stack.ctl.done("network", "add", "stored")
    key_file = tmp_path / "lost.key"
    ctl = changed_config(stack, tmp_path, "security", key_file=key_file)
    said = refused(ctl, "key", "create")
    assert f"secrets are stored, and a new key would decrypt none of them. Restore the copy of the key file to {key_file}" in said
    assert said.endswith("merchant rotate --now and merchant rotate --notification --now")
    assert not key_file.exists()


def test_key_where_the_database_cannot_say_what_it_holds(stack: Stack, tmp_path: Path) -> None:
    config = tmp_path / "recaudo.conf"
    write_config(config, default_settings(stack.mariadb, stack.worker.socket, tmp_path / "first.key"),
                 {"database": {"socket": tmp_path / "absent.sock"}})
    assert "add --new-system" in refused(Ctl(config), "key", "create")
    Ctl(config).done("key", "create", "--new-system")


def secrets_found(ctl: Ctl) -> tuple[int, str, str]:
    checked = ctl.run("--json", "config", "check")
    (found,) = [found for found in json.loads(checked.stdout) if found["what"] == "stored secrets"]
    return checked.returncode, found["finding"], found["detail"]


def test_config_check_opens_every_secret(stack: Stack, tmp_path: Path) -> None:
    """Both halves of a rotation: what another key encrypted is counted."""
    for party in ("network", "merchant"):
        name = f"sealed-{party}"
        stack.ctl.done(party, "add", name, *(["--commerce", "Tienda"] if party == "merchant" else []))
        stack.ctl.done(party, "rotate", name)
    code, finding, detail = secrets_found(stack.ctl)
    assert (code, finding) == (0, "right") and detail.startswith("the key file decrypts all ")
    stored = int(detail.split()[-1])
    wrong = changed_config(stack, tmp_path, "security", key_file=tmp_path / "other.key")
    wrong.done("key", "create", "--new-system")
    code, finding, detail = secrets_found(wrong)
    assert (code, finding) == (1, "wrong") and detail.startswith(f"{stored} of {stored} stored secrets cannot be decrypted")
    assert detail.endswith("merchant rotate --now and merchant rotate --notification --now")
    stack.mariadb.query("UPDATE merchants SET old_hash = REVERSE(old_hash) WHERE name = 'sealed-merchant'")
    try:
        code, finding, detail = secrets_found(stack.ctl)
        assert (code, finding) == (1, "wrong")
        assert detail.startswith(f"1 of {stored} stored secrets cannot be decrypted") and "sealed-merchant, merchants.fixed_hash" in detail
    finally:
        stack.mariadb.query("UPDATE merchants SET old_hash = REVERSE(old_hash) WHERE name = 'sealed-merchant'")
    assert secrets_found(stack.ctl)[:2] == (0, "right")


def test_secret_without_a_key(stack: Stack, tmp_path: Path) -> None:
    ctl = changed_config(stack, tmp_path, "security", key_file=tmp_path / "absent.key")
    assert "restore the copy" in refused(ctl, "network", "add", "keyless")
    assert refused(stack.ctl, "network", "show", "keyless").startswith("there is no network keyless")


def test_nothing_is_sealed_with_a_key_that_opens_nothing(stack: Stack, tmp_path: Path) -> None:
    """The wrong key file lies in the place of the right one: what is made with it would be lost with it."""
    stack.ctl.done("network", "add", "before")
    key_file = tmp_path / "another.key"
    ctl = changed_config(stack, tmp_path, "security", key_file=key_file)
    ctl.done("key", "create", "--new-system")
    before = stack.mariadb.query("SELECT * FROM networks ORDER BY id"), key_file.read_text()
    for words in (["network", "add", "after"], ["merchant", "add", "after"], ["key", "rotate"], ["key", "rotate", "--prepare"]):
        said = refused(ctl, *words)
        assert said.startswith("nothing was changed: ") and "restore the copy of the key file" in said, words
    said = refused(ctl, "network", "rotate", "before")
    assert "would not stay valid beside a new one" in said and "restore the copy of the key file" in said
    assert (stack.mariadb.query("SELECT * FROM networks ORDER BY id"), key_file.read_text()) == before
    ctl.done("network", "rotate", "before", "--now")  # the old key is lost for ever
    stack.ctl.done("network", "rotate", "before", "--now")


def test_config_check_reads_lists_of_addresses(stack: Stack, tmp_path: Path) -> None:
    """The workers would not start with it."""
    ctl = changed_config(stack, tmp_path, "security", allow_addresses="127.0.0.0/33 ::1")
    result = ctl.run("config", "check")
    assert result.returncode == 1 and "allow_addresses: not an address range: 127.0.0.0/33" in result.stderr


def test_migrating_again_changes_nothing(stack: Stack) -> None:
    version = stack.ctl.json("db", "status")
    assert version["reachable"] is True and version["state"] == "current"
    assert version["version"] == version["known_version"]
    assert stack.ctl.json("db", "migrate") == {"applied": 0, "version": version["version"], "revoked": []}


def test_what_was_revoked_is_told_statement_by_statement(stack: Stack) -> None:
    stack.mariadb.query("GRANT DELETE ON orders TO 'recaudo_worker'@'localhost'")
    stack.mariadb.query("GRANT DELETE ON refunds TO 'recaudo_console'@'localhost'")
    assert [revoked["statement"] for revoked in stack.ctl.json("db", "migrate")["revoked"]] == [
        "REVOKE DELETE ON `recaudo`.`refunds` FROM 'recaudo_console'@'localhost';",
        "REVOKE DELETE ON `recaudo`.`orders` FROM 'recaudo_worker'@'localhost';"]


def test_a_right_that_cannot_be_revoked_keeps_no_other_from_being_given(stack: Stack, tmp_path: Path) -> None:
    """The owner may not revoke what it does not have itself."""
    root = stack.mariadb.query
    root("CREATE USER migrator@localhost IDENTIFIED BY 'of the migrator'")
    root("GRANT ALL ON *.* TO migrator@localhost WITH GRANT OPTION")
    root("REVOKE FILE ON *.* FROM migrator@localhost")
    root("GRANT FILE ON *.* TO recaudo_worker@localhost")
    root("GRANT DELETE ON orders TO recaudo_worker@localhost")
    root("REVOKE EXECUTE ON FUNCTION order_claim FROM recaudo_operator@localhost")
    write_private(tmp_path / "password", "of the migrator\n")
    try:
        ctl = changed_config(stack, tmp_path, "database", owner_user="migrator", owner_password_file=tmp_path / "password")
        result = ctl.run("db", "migrate")
    finally:
        root("REVOKE FILE ON *.* FROM recaudo_worker@localhost")
        root("DROP USER migrator@localhost")
    assert result.returncode == 1 and "revoke" in result.stderr, result.stderr
    assert root("SELECT COUNT(*) AS kept FROM mysql.tables_priv WHERE table_name = 'orders' AND user = 'recaudo_worker'"
                " AND FIND_IN_SET('Delete', table_priv)") == [{"kept": 0}]
    assert root("SELECT COUNT(*) AS given FROM mysql.procs_priv WHERE routine_name = 'order_claim' AND user = 'recaudo_operator'") == [{"given": 1}]


def test_a_migration_that_ends_beside_another_takes_no_rights(stack: Stack, tmp_path: Path) -> None:
    """Through another server of a cluster, where no lock keeps them apart: each drops the other's models of the accounts."""
    def rights() -> list[dict[str, object]]:
        return [row for table in ("tables_priv", "columns_priv", "procs_priv")
                for row in stack.mariadb.query(f"SELECT * FROM mysql.{table} WHERE User LIKE 'recaudo%%' ORDER BY 1, 2, 3, 4, 5")]

    def without_times(rows: list[dict[str, object]]) -> list[dict[str, object]]:
        return [{name: value for name, value in row.items() if name not in ("Timestamp", "Grantor")} for row in rows]

    before = without_times(rights())
    with DatabaseProxy(stack.mariadb.socket, str(tmp_path / "proxy.sock")) as proxy:
        ctl = changed_config(stack, tmp_path, "database", socket=proxy.path)
        proxy.hold_answer_to = b" ORDER BY p.account, p.subject, p.privilege"  # it is prepared, and not executed yet
        with ThreadPoolExecutor() as one:
            migrated = one.submit(ctl.run, "db", "migrate")
            assert proxy.held.wait(60)
            stack.mariadb.query("DROP USER " + ", ".join(f"{name}@'recaudo-grants.invalid'" for name in ACCOUNTS))
            proxy.release()
            result = migrated.result()
    assert result.returncode == 0, result.stderr
    assert without_times(rights()) == before


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ctl]:
    """recaudoctl with a database that nobody has migrated."""
    directory = tmp_path_factory.mktemp("bare")
    server = MariaDB(directory, directory, "32M")
    config = directory / "recaudo.conf"
    write_config(config, default_settings(server, str(directory / "fcgi.sock"), directory / "secret.key"))
    server.start()
    yield Ctl(config)
    server.kill()


def test_from_nothing(bare: Ctl) -> None:
    assert "recaudoctl db migrate" in refused(bare, "db", "status")
    assert bare.run("--json", "network", "list").returncode == 1
    findings = json.loads(bare.run("--json", "config", "check").stdout)
    assert [found["finding"] for found in findings] == ["right", "warning", "right", "wrong", "right", "right", "right", "right", "wrong", "wrong",
                                                        "wrong", "wrong", "wrong", "not checked"]
    bare.done("key", "create")
    assert bare.json("db", "migrate")["applied"] >= 1
    assert bare.json("network", "list") == []
    assert bare.done("network", "list") == "none\n"
    findings = {found["what"]: found["finding"] for found in bare.json("config", "check")}
    assert {what for what, finding in findings.items() if finding == "warning"} == {"worker public_base", "secure_timestamp"}
    assert set(findings.values()) == {"right", "warning"}
    assert findings["cancellation window"] == "right"


def test_other_versions_of_the_schema(stack: Stack) -> None:
    """A program that finds another schema than it knows says so and stops."""
    known = stack.ctl.json("db", "status")["known_version"]
    stack.mariadb.query("INSERT INTO schema_version (version, name, checksum, applied_at)"
                        " VALUES (%s, 'later.sql', '', UTC_TIMESTAMP(6))", known + 1)
    try:
        status = stack.ctl.run("--json", "db", "status")
        assert status.returncode == 1 and json.loads(status.stdout)["state"] == "newer"
        listed = stack.ctl.run("network", "list")
        assert listed.returncode == 1 and "install the newer program" in listed.stderr
        migrated = stack.ctl.run("db", "migrate")
        assert migrated.returncode == 1 and "later.sql" in migrated.stderr
    finally:
        stack.mariadb.query("DELETE FROM schema_version WHERE version = %s", known + 1)
    assert stack.ctl.json("network", "list") is not None


def test_schema_whose_version_is_gone(stack: Stack) -> None:
    """Nobody knows of which version the tables are, so nothing is begun that would have to be ended by hand."""
    rows = stack.mariadb.query("SELECT version, name, checksum, applied_at FROM schema_version")
    stack.mariadb.query("DELETE FROM schema_version")
    try:
        migrated = stack.ctl.run("db", "migrate")
        assert migrated.returncode == 1 and "has the tables, but schema_version is empty" in migrated.stderr
        assert stack.mariadb.query("SELECT version FROM schema_version") == []
    finally:
        for row in rows:
            stack.mariadb.query("INSERT INTO schema_version (version, name, checksum, applied_at) VALUES (%s, %s, %s, %s)",
                                *row.values())
    assert stack.ctl.json("db", "status")["state"] == "current"


@pytest.mark.parametrize("words", [["network", "list"], ["db", "status"], ["db", "migrate"], ["order", "show", "1"]])
def test_database_away(stack: Stack, tmp_path: Path, words: list[str]) -> None:
    ctl = changed_config(stack, tmp_path, "database", socket=tmp_path / "absent.sock")
    said = ends(ctl, 3, *words)
    assert "the database cannot be reached" in said and "db migrate" not in said


def test_config_check_with_the_database_away(stack: Stack, tmp_path: Path) -> None:
    ctl = changed_config(stack, tmp_path, "database", socket=tmp_path / "absent.sock")
    checked = ctl.run("--json", "config", "check")
    assert checked.returncode == 3
    assert {found["detail"] for found in json.loads(checked.stdout)[7:]} == {"the database cannot be reached"}


@pytest.mark.parametrize("text, why", [(None, "No such file or directory"), ("no certificate\n", "it holds none")])
def test_config_check_without_certificates(stack: Stack, tmp_path: Path, text: str | None, why: str) -> None:
    ca_file = tmp_path / "ca.pem"
    if text is not None:
        ca_file.write_text(text)
    checked = changed_config(stack, tmp_path, "security", ca_file=ca_file).run("--json", "config", "check")
    (found,) = [found for found in json.loads(checked.stdout) if found["what"] == "trusted certificates"]
    assert (checked.returncode, found["finding"]) == (1, "wrong")
    assert found["detail"] == (f"no certificates to trust in {ca_file} ({why}), so https to merchants fails:"
                               " mend [security] ca_file")


@pytest.fixture
def shorter_window(stack: Stack) -> Iterator[Stack]:
    stack.mariadb.query("UPDATE settings SET cancel_window = 7500000")
    yield stack
    stack.migrate()


OTHER_WINDOW = ("[worker] cancel_window is 30 s, and the database uses 7.5 s: run recaudoctl db migrate,"
                " which writes the configured one into it, or put the setting back")


def test_config_check_compares_the_windows(shorter_window: Stack) -> None:
    ctl = shorter_window.ctl
    checked = ctl.run("--json", "config", "check")
    (found,) = [found for found in json.loads(checked.stdout) if found["what"] == "cancellation window"]
    assert (checked.returncode, found["finding"], found["detail"]) == (1, "wrong", OTHER_WINDOW)
    shorter_window.migrate()
    assert ctl.run("config", "check").returncode == 0


def test_config_check_warns_of_sessions_that_may_set_the_timestamp(stack: Stack) -> None:
    (found,) = [found for found in stack.ctl.json("config", "check") if found["what"] == "secure_timestamp"]
    assert found["finding"] == "warning" and "secure_timestamp = SUPER; where MariaDB's file says so already, it was not read: chmod 0644" in found["detail"]


class KeptClock(MariaDB):
    def __init__(self, directory: Path, sockets: Path, buffer_pool: str = "16M") -> None:
        super().__init__(directory, sockets, buffer_pool, ("--secure-timestamp=SUPER",))


def test_a_server_whose_sessions_keep_the_clock() -> None:
    with Stack(dispatcher=False, buffer_pool="16M", database=KeptClock) as stack:
        (found,) = [found for found in stack.ctl.json("config", "check") if found["what"] == "secure_timestamp"]
        assert (found["finding"], found["detail"]) == ("right", "SUPER")


def test_config_check_warns_of_what_is_legal_and_strange(stack: Stack, tmp_path: Path) -> None:
    """Each is a line that says "warning:", and none changes the exit status."""
    stack.ctl.done("network", "add", "open-to-all", "--rate", "none")
    config = tmp_path / "recaudo.conf"
    write_config(config, default_settings(stack.mariadb, stack.worker.socket, stack.key_file),
                 {"worker": {"cancel_window": "20s", "threads": "4"}, "log": {"level": "debug"}})
    stack.mariadb.query("UPDATE settings SET cancel_window = 20000000")
    try:
        checked = Ctl(config).run("--json", "config", "check")
    finally:
        stack.migrate()
    assert checked.returncode == 0, checked.stdout
    warned = {found["what"]: found["detail"] for found in json.loads(checked.stdout) if found["finding"] == "warning"}
    assert warned["worker cancel_window"].startswith("20s: the specification says 30s")
    assert warned["worker public_base"].startswith("localhost: ")
    assert warned["log level"].startswith("debug")
    assert warned["removed setting"].startswith("[worker] threads is no longer a setting")
    assert "open-to-all" in warned["networks' rates"] and "--rate N/s" in warned["networks' rates"]
    assert "open-to-all" in warned["networks' addresses"] and "--allow CIDR" in warned["networks' addresses"]
    said = [line for line in checked.stderr.splitlines() if line.startswith("recaudoctl: warning: ")]
    assert len(said) == len(warned)
    stack.ctl.done("network", "set", "open-to-all", "--allow", "192.0.2.0/24", "--rate", "100/s")
    details = [found["detail"] for found in stack.ctl.json("config", "check") if found["what"].startswith("networks'")]
    assert not any("open-to-all" in detail for detail in details)
    write_config(config, default_settings(stack.mariadb, stack.worker.socket, stack.key_file),
                 {"worker": {"public_base": "pay.example.com"}})
    whats = {found["what"] for found in Ctl(config).json("config", "check")}
    assert not whats & {"worker cancel_window", "worker public_base", "log level"}


def test_config_check_refuses_a_key_that_others_can_read(stack: Stack, tmp_path: Path) -> None:
    key_file = tmp_path / "open.key"
    key_file.write_text(stack.key_file.read_text())
    key_file.chmod(0o644)
    ctl = changed_config(stack, tmp_path, "security", key_file=key_file)
    checked = ctl.run("--json", "config", "check")
    (found,) = [found for found in json.loads(checked.stdout) if found["what"] == "key file"]
    assert (checked.returncode, found["finding"]) == (1, "wrong"), found
    assert found["detail"].endswith("and recaudoctl key rotate if they did")
    how = re.search(r"chmod (\S+) it", found["detail"])
    assert how is not None
    subprocess.run(["chmod", how[1], key_file], check=True)
    assert key_file.stat().st_mode & 0o777 == 0o640, "the group of the services lost the key"
    again = json.loads(ctl.run("--json", "config", "check").stdout)
    assert not [found for found in again if found["what"] == "key file" and "others may" in found["detail"]]


def test_config_check_finds_a_mistake(tmp_path: Path) -> None:
    config = tmp_path / "recaudo.conf"
    config.write_text("[database]\nsocket = /x\ncolour = red\n")
    checked = Ctl(config).run("--json", "config", "check")
    (found,) = json.loads(checked.stdout)
    assert checked.returncode == 1 and found["finding"] == "wrong" and f"{config}:3" in found["detail"]


def test_config_check_cannot_try_other_peoples_logins(stack: Stack, tmp_path: Path) -> None:
    config = tmp_path / "recaudo.conf"
    config.write_text(f"[database]\nsocket = {stack.mariadb.socket}\n[security]\nkey_file = {stack.key_file}\n")
    findings = {found["what"]: found for found in json.loads(Ctl(config).run("--json", "config", "check").stdout)}
    assert findings["database worker_user"]["finding"] == "not checked"


@pytest.mark.parametrize("folder, code, finding", [("absent", 1, "wrong"), ("/run/recaudo-absent", 0, "not checked"), ("", 0, "right")])
def test_config_check_looks_for_the_folders(stack: Stack, tmp_path: Path, folder: str, code: int, finding: str) -> None:
    """What systemd makes below /run/ is not there before the workers start."""
    ctl = changed_config(stack, tmp_path, "worker", rate_file=tmp_path / folder / "rates")
    checked = ctl.run("--json", "config", "check")
    findings = {found["what"]: found["finding"] for found in json.loads(checked.stdout)}
    assert (checked.returncode, findings["worker rate_file"], findings["worker socket"]) == (code, finding, "right")
    assert ("if a drop-in of recaudo-fcgi.service names it in RuntimeDirectory" in checked.stdout) == folder.startswith("/run/")


def test_config_check_before_settling_ran_once(stack: Stack, tmp_path: Path) -> None:
    """As doc/audit.md has it. The unit makes its folder, and none below it or beside it."""
    folder = Path("/var/lib/recaudo")
    for path, code, finding in ((folder / "seals", 0, "right" if folder.exists() else "not checked"),
                                (folder / "absent" / "seals", 1, "wrong"), (Path("/var/lib/recaudo-absent/seals"), 1, "wrong")):
        checked = changed_config(stack, tmp_path, "audit", seal_file=path).run("--json", "config", "check")
        (found,) = [found for found in json.loads(checked.stdout) if found["what"] == "audit seal_file"]
        assert (checked.returncode, found["finding"]) == (code, finding), found
        assert ("; systemd makes it when recaudo-settle starts" in found["detail"]) == (finding == "not checked")


def test_config_check_tries_what_sealing_needs(stack: Stack, tmp_path: Path) -> None:
    """Else nothing is sealed, and only the dispatcher's log says so."""
    def found(key: str, file: str) -> tuple[int, str, str]:
        checked = changed_config(stack, tmp_path, "audit", signing_key=tmp_path / key, seal_file=tmp_path / file).run(
            "--json", "config", "check")
        findings = {one["what"]: one["finding"] for one in json.loads(checked.stdout)}
        for what, finding in findings.items():
            assert (f"wrong: {what}: " in checked.stderr) == (finding == "wrong"), (what, checked.stderr)
        return checked.returncode, findings["audit signing_key"], findings["audit seal_file"]
    assert found("absent.key", "absent/seals") == (1, "wrong", "wrong")
    (tmp_path / "no.key").write_text("no key\n")
    assert found("no.key", "seals") == (1, "wrong", "right")
    changed_config(stack, tmp_path, "audit", signing_key=tmp_path / "seal.key").done("audit", "key", "--create")
    assert found("seal.key", "seals") == (0, "right", "right")
    said = changed_config(stack, tmp_path, "audit", seal_file=tmp_path / "seals").run("config", "check").stdout
    assert "not seen is whether recaudo-settle.service may write there: ReadWritePaths (audit.md)" in said


def test_config_check_knows_that_nobody_logs_in_over_tcp_without_a_password(stack: Stack, tmp_path: Path) -> None:
    """A web host of a cluster: root's own name is the owner's, and the owner's account is not used there."""
    config = tmp_path / "recaudo.conf"
    me = pwd.getpwuid(os.geteuid()).pw_name
    write_config(config, {"database": {"host": "127.0.0.1:1", "tls": "off", "owner_user": me},
                          "security": {"key_file": stack.key_file}})
    findings = {found["what"]: found for found in json.loads(Ctl(config).run("--json", "config", "check").stdout)}
    assert findings["database owner_user"]["finding"] == "not checked"
    assert findings["database worker_user"]["finding"] == "wrong"
    assert findings["database worker_user"]["detail"] == "recaudo_worker has no password file: without one, nobody logs in over TCP"
    assert findings[CONTENT]["detail"] == "mend the login of recaudo_operator (above), and run it again"


def test_a_server_that_is_not_there(stack: Stack, tmp_path: Path) -> None:
    """Over the network no socket file is at fault."""
    config = tmp_path / "recaudo.conf"
    write_config(config, {"database": {"host": "127.0.0.1:1", "tls": "off", "operator_password_file": stack.mariadb.password_file("recaudo_operator")},
                          "security": {"key_file": stack.key_file}})
    said = Ctl(config).run("network", "list").stderr
    assert "MariaDB does not run there (or its disk is full), [database] host and port name another server, or a firewall is between" in said and "socket" not in said


CONTENT = "stored secrets, settings, networks and references"


def with_logins(stack: Stack, directory: Path, key_file: Path, **owner: object) -> Ctl:
    """recaudoctl where all log in by system user, but for the owner's settings."""
    config = directory / "recaudo.conf"
    write_config(config, {"database": {**stack.mariadb.address(), "name": DATABASE, **owner},
                          "security": {"key_file": key_file}})
    return Ctl(config)


def test_config_check_says_when_nobody_read_the_database(stack: Stack, tmp_path: Path) -> None:
    """Neither the operator's account nor the owner's can be used: that is not well, nor is `status`."""
    ctl = with_logins(stack, tmp_path, stack.key_file, owner_user="recaudo_absent")
    checked = ctl.run("--json", "config", "check")
    findings = {found["what"]: found for found in json.loads(checked.stdout)}
    assert checked.returncode == 1 and "wrong" not in {found["finding"] for found in findings.values()}
    assert findings[CONTENT]["finding"] == "not checked"
    assert findings[CONTENT]["detail"] == "run it as recaudo_operator: sudo -u recaudo_operator recaudoctl config check"
    assert (ctl.run("status").returncode, json.loads(ctl.run("--json", "status").stdout)["state"]) == (1, "unknown")


def test_config_check_reads_the_database_as_its_owner(stack: Stack, tmp_path: Path) -> None:
    """Root's case: the operator's account is bound to another system user."""
    stack.ctl.done("network", "add", "seen-by-owner")
    owner = {"owner_user": OWNER, "owner_password_file": stack.mariadb.password_file(OWNER)}
    ctl = with_logins(stack, tmp_path, stack.key_file, **owner)
    assert secrets_found(ctl)[:2] == (0, "right")
    findings = {found["what"]: found["finding"] for found in ctl.json("config", "check")}
    assert findings["database operator_user"] == "not checked" and CONTENT not in findings
    assert {"cancellation window", "secure_timestamp", "money limits"} <= set(findings)
    wrong = with_logins(stack, tmp_path, tmp_path / "other.key", **owner)
    wrong.done("key", "create", "--new-system")
    assert secrets_found(wrong)[:2] == (1, "wrong")


def schema_findings(stack: Stack) -> list[tuple[str, str]]:
    checked = json.loads(stack.ctl.run("--json", "config", "check").stdout)
    return [(found["finding"], found["detail"]) for found in checked if found["what"] == "schema"]


AS_MADE = [("right", "has its tables, triggers, functions and views as sql/foundation.sql makes them")]


def test_config_check_finds_what_was_dropped(stack: Stack) -> None:
    """Without it a rule is kept no more, and nothing else would tell."""
    assert schema_findings(stack) == AS_MADE
    trigger = stack.mariadb.query("SHOW CREATE TRIGGER refunds_keep")[0]["SQL Original Statement"]
    view = stack.mariadb.query("SHOW CREATE VIEW id_counters")[0]["Create View"]
    stack.mariadb.query("DROP TRIGGER refunds_keep")
    stack.mariadb.query("DROP VIEW id_counters")
    try:
        ((finding, detail),) = schema_findings(stack)
        assert finding == "wrong" and "somebody has dropped TRIGGER refunds_keep, VIEW id_counters: " in detail
    finally:
        stack.mariadb.query(trigger)
        stack.mariadb.query(view)
    assert schema_findings(stack) == AS_MADE


@pytest.mark.parametrize(("name", "statement"), [
    ("TRIGGER refunds_keep", "CREATE OR REPLACE TRIGGER refunds_keep BEFORE UPDATE ON refunds FOR EACH ROW SET @x = 1"),
    ("TRIGGER refunds_keep", "CREATE OR REPLACE TRIGGER refunds_keep BEFORE UPDATE ON refunds FOR EACH ROW"
                             " SIGNAL SQLSTATE '45000'"),
    ("TRIGGER refunds_keep", "CREATE OR REPLACE TRIGGER refunds_keep BEFORE INSERT ON refunds FOR EACH ROW"
                             " SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'refunds: append only'"),
    ("FUNCTION utc_now", "CREATE OR REPLACE FUNCTION utc_now() RETURNS DATETIME(6) RETURN SYSDATE(6)"),
    ("TRIGGER of_mine", "CREATE TRIGGER of_mine BEFORE INSERT ON orders FOR EACH ROW SET NEW.amount = 1"),
    ("EVENT of_mine", "CREATE EVENT of_mine ON SCHEDULE EVERY 1 DAY DISABLE DO DELETE FROM attempts"),
])
def test_config_check_finds_what_was_replaced_or_added(stack: Stack, name: str, statement: str) -> None:
    made = stack.mariadb.query(f"SHOW CREATE {name}")[0] if "of_mine" not in name else {}
    stack.mariadb.query(statement)
    try:
        ((finding, detail),) = schema_findings(stack)
        assert finding == "wrong" and detail.startswith(f"not as sql/foundation.sql makes it: {name}: ")
    finally:
        stack.mariadb.query(f"DROP {name}")
        if made:
            stack.mariadb.query(made.get("SQL Original Statement") or made["Create Function"])
            stack.ctl.done("db", "migrate")
    assert schema_findings(stack) == AS_MADE


@pytest.mark.parametrize(("name", "was", "becomes"), [
    ("top_up_confirm", "payment BIGINT UNSIGNED", "payment INT UNSIGNED"),
    ("top_up_confirm", "(payment BIGINT UNSIGNED, who VARCHAR(80))", "(who VARCHAR(80), payment BIGINT UNSIGNED)"),
    ("top_up_confirm", "RETURNS int(11)", "RETURNS tinyint(4)"),
    ("top_up_confirm", "who VARCHAR(80)", "who VARCHAR(80) CHARACTER SET latin1"),
    ("top_up_confirm", "MODIFIES SQL DATA", "READS SQL DATA"),
])
def test_config_check_finds_a_function_that_was_declared_anew(stack: Stack, name: str, was: str, becomes: str) -> None:
    """Its body is as it was."""
    made = stack.mariadb.query(f"SHOW CREATE FUNCTION {name}")[0]["Create Function"].replace("CREATE", "CREATE OR REPLACE", 1)
    assert was in made, made
    stack.mariadb.query(made.replace(was, becomes))
    try:
        ((finding, detail),) = schema_findings(stack)
        assert finding == "wrong" and detail.startswith(f"not as sql/foundation.sql makes it: FUNCTION {name}: ")
    finally:
        stack.mariadb.query(made)
        stack.ctl.done("db", "migrate")
    assert schema_findings(stack) == AS_MADE


@pytest.mark.parametrize(("kind", "name"), [("TRIGGER", "refunds_keep"), ("FUNCTION", "top_up_confirm"), ("VIEW", "due_now")])
def test_config_check_finds_what_has_the_rights_of_another_account(stack: Stack, kind: str, name: str) -> None:
    """It fails when that account is dropped. A view of one's own may be anybody's."""
    row = stack.mariadb.query(f"SHOW CREATE {kind} {name}")[0]
    made = next(str(row[column]) for column in ("SQL Original Statement", "Create Function", "Create View") if column in row)
    made = made.replace("CREATE", "CREATE OR REPLACE", 1)
    owner = re.search("DEFINER=(`[^`]*`@`[^`]*`)", made)
    assert owner is not None
    stack.mariadb.query("CREATE USER of_mine@localhost")
    stack.mariadb.query("CREATE DEFINER=of_mine@localhost VIEW view_of_mine AS SELECT 1")
    try:
        assert schema_findings(stack) == AS_MADE
        stack.mariadb.query(made.replace(owner[1], "of_mine@localhost"))
        ((finding, detail),) = schema_findings(stack)
        assert finding == "wrong"
        assert detail.startswith(f"not as sql/foundation.sql makes it: {kind} {name} (with the rights of of_mine@localhost): ")
    finally:
        stack.mariadb.query(made)
        stack.mariadb.query("DROP VIEW view_of_mine")
        stack.mariadb.query("DROP USER of_mine@localhost")
        stack.ctl.done("db", "migrate")
    assert schema_findings(stack) == AS_MADE


@pytest.mark.parametrize(("name", "was", "becomes"), [
    ("orders_now", "`o`.`merchant_id`)", "`o`.`merchant_id` and `o`.`amount` < 1000)"),
    ("due_now", "'PENDIENTE'", "'VENCIDA'"),
    ("transactions_to_purge", "`t`.`account_id`", "`o`.`id`"),
    ("notifications_stuck", "limit 10000", "limit 1"),
    ("events", "SECURITY DEFINER", "SECURITY INVOKER"),
])
def test_config_check_finds_a_view_that_was_rewritten(stack: Stack, name: str, was: str, becomes: str) -> None:
    made = stack.mariadb.query(f"SHOW CREATE VIEW {name}")[0]["Create View"]
    assert was in made
    made = made.replace("CREATE", "CREATE OR REPLACE", 1)
    stack.mariadb.query(made.replace(was, becomes))
    try:
        ((finding, detail),) = schema_findings(stack)
        assert finding == "wrong" and detail.startswith(f"not as sql/foundation.sql makes it: VIEW {name}: ")
    finally:
        stack.mariadb.query(made)
    assert schema_findings(stack) == AS_MADE


REFERENCE = "VARCHAR(25) CHARACTER SET ascii COLLATE ascii_nopad_bin"


@pytest.mark.parametrize(("name", "alter", "mend"), [
    ("orders UNIQUE KEY open_reference", "DROP KEY open_reference", "ADD UNIQUE KEY open_reference (open_reference)"),
    ("orders UNIQUE KEY merchant_order", "DROP KEY merchant_order, ADD UNIQUE KEY merchant_order (merchant_id, po_id, id)",
     "DROP KEY merchant_order, ADD UNIQUE KEY merchant_order (merchant_id, po_id)"),
    ("orders KEY due", "DROP KEY due", "ADD KEY due (state, due_at, id)"),
    ("seals PRIMARY KEY", "DROP PRIMARY KEY", "ADD PRIMARY KEY (number)"),
    ("orders CONSTRAINT order_amount_sign", "DROP CONSTRAINT order_amount_sign",
     "ADD CONSTRAINT order_amount_sign CHECK (amount >= 0)"),
    ("transactions CONSTRAINT transaction_amount_sign",
     "DROP CONSTRAINT transaction_amount_sign, ADD CONSTRAINT transaction_amount_sign CHECK (amount > -1000000)",
     "DROP CONSTRAINT transaction_amount_sign, ADD CONSTRAINT transaction_amount_sign CHECK (amount > 0)"),
    ("settlement_items CONSTRAINT item_settlement", "DROP FOREIGN KEY item_settlement",
     "ADD CONSTRAINT item_settlement FOREIGN KEY (settlement) REFERENCES settlements (number)"),
    ("orders COLUMN open_reference",
     f"DROP KEY open_reference, DROP open_reference, ADD open_reference {REFERENCE} AS (NULL) STORED,"
     " ADD UNIQUE KEY open_reference (open_reference)",
     f"DROP KEY open_reference, DROP open_reference, ADD open_reference {REFERENCE}"
     " AS (IF(state = 'PENDIENTE', reference, NULL)) STORED, ADD UNIQUE KEY open_reference (open_reference)"),
    ("orders COLUMN state", "ALTER state SET DEFAULT 'APROBADA'", "ALTER state SET DEFAULT 'PENDIENTE'"),
    ("networks COLUMN enabled", "ALTER enabled SET DEFAULT FALSE", "ALTER enabled SET DEFAULT TRUE"),
    ("accounts COLUMN balance", "ALTER balance SET DEFAULT 0.5", "ALTER balance SET DEFAULT 0"),
    ("event_log COLUMN at", "ALTER at DROP DEFAULT", "ALTER at SET DEFAULT UTC_TIMESTAMP(6)"),
    ("orders COLUMN held_until", "ALTER held_until SET DEFAULT UTC_TIMESTAMP(6)", "ALTER held_until DROP DEFAULT"),
    ("refunds COLUMN at", "MODIFY at DATETIME(6) NULL DEFAULT UTC_TIMESTAMP(6)", "MODIFY at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6)"),
    ("orders KEY document", "ALTER KEY document IGNORED", "ALTER KEY document NOT IGNORED"),
    ("refunds ENGINE", "ENGINE=MyISAM", "ENGINE=InnoDB"),
    ("event_log PARTITIONED BY", "PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN MAXVALUE)", "REMOVE PARTITIONING"),
])
def test_config_check_finds_what_was_altered(stack: Stack, name: str, alter: str, mend: str) -> None:
    """Keys and constraints are what holds where two come at once, or somebody writes by hand."""
    table = name.split()[0]
    stack.mariadb.query(f"ALTER TABLE {table} {alter}")
    try:
        ((finding, detail),) = schema_findings(stack)
        assert finding == "wrong" and detail.startswith(f"dropped, or not as sql/foundation.sql makes it: {name}: ")
    finally:
        stack.mariadb.query(f"ALTER TABLE {table} {mend}")
    assert schema_findings(stack) == AS_MADE


def test_config_check_names_a_table_that_was_dropped(stack: Stack) -> None:
    """Once, and not with all its columns."""
    made = stack.mariadb.query("SHOW CREATE TABLE payment_counts")[0]["Create Table"]
    stack.mariadb.query("DROP TABLE payment_counts")
    try:
        ((finding, detail),) = schema_findings(stack)
        assert finding == "wrong" and detail.startswith("dropped, or not as sql/foundation.sql makes it: TABLE payment_counts: make it again")
    finally:
        stack.mariadb.query(made)
    assert schema_findings(stack) == AS_MADE


def test_config_check_tells_what_was_added_to_a_table(stack: Stack) -> None:
    """An index of one's own refuses nothing, nor does a table or a view."""
    stack.mariadb.query("CREATE TABLE of_mine (id INT PRIMARY KEY)")
    stack.mariadb.query("CREATE VIEW view_of_mine AS SELECT id FROM of_mine")
    stack.mariadb.query("ALTER TABLE refunds ADD KEY of_mine (transaction_id)")
    try:
        assert schema_findings(stack) == AS_MADE
        stack.mariadb.query("ALTER TABLE refunds ADD UNIQUE KEY one (transaction_id), ADD CONSTRAINT two CHECK (order_id > 0)")
        ((finding, detail),) = schema_findings(stack)
        assert finding == "wrong"
        assert detail.startswith("not of sql/foundation.sql: refunds UNIQUE KEY one, refunds CONSTRAINT two: ")
    finally:
        stack.mariadb.query("ALTER TABLE refunds DROP KEY IF EXISTS one, DROP CONSTRAINT IF EXISTS two, DROP KEY of_mine")
        stack.mariadb.query("DROP VIEW view_of_mine")
        stack.mariadb.query("DROP TABLE of_mine")
    assert schema_findings(stack) == AS_MADE


def test_config_check_finds_a_trigger_that_runs_out_of_turn(stack: Stack) -> None:
    """One that was made again runs last; making those again that follow it in the file mends it."""
    made = {name: stack.mariadb.query(f"SHOW CREATE TRIGGER {name}")[0]["SQL Original Statement"]
            for name in ("merchants_stamp", "merchants_approved")}

    def make_again(name: str) -> None:
        stack.mariadb.query(f"DROP TRIGGER {name}")
        stack.mariadb.query(made[name])

    make_again("merchants_stamp")
    try:
        ((finding, detail),) = schema_findings(stack)
        assert finding == "wrong"
        assert "makes it: TRIGGER merchants_approved (it runs before TRIGGER merchants_stamp): " in detail
    finally:
        make_again("merchants_approved")
    assert schema_findings(stack) == AS_MADE


def test_config_check_reads_the_web_servers_certificate(stack: Stack, tmp_path: Path) -> None:
    ctl = changed_config(stack, tmp_path, "security", web_certificate=tmp_path / "absent.pem")
    checked = ctl.run("--json", "config", "check")
    found = {found["what"]: found for found in json.loads(checked.stdout)}["web certificate"]
    assert checked.returncode == 1 and found["finding"] == "wrong" and "absent.pem" in found["detail"]


def without_clock(lines: list[str]) -> list[str]:
    return [re.sub(r"clock says \S+:", "clock says TIME:", line) for line in lines]


@pytest.mark.parametrize("days, made, code, finding, words", [
    (15, {}, 0, "right", None), (13, {}, 0, "warning", "expires within 14 days"), (2, {"expired": True}, 1, "wrong", "has expired"),
    (90, {"early": True}, 1, "wrong", "is not valid before 20")])
def test_config_check_says_when_the_certificate_expires(stack: Stack, tmp_path: Path, days: int, made: dict[str, bool], code: int,
                                                        finding: str, words: str | None) -> None:
    """As `status` does, in the same words."""
    Authority(tmp_path).server("web", "DNS:localhost", days=days, **made)
    ctl = changed_config(stack, tmp_path, "security", web_certificate=tmp_path / "web.pem")
    checked = ctl.run("--json", "config", "check")
    found = {found["what"]: found for found in json.loads(checked.stdout)}["web certificate"]
    assert (checked.returncode, found["finding"]) == (code, finding), checked.stderr
    problems = [problem["problem"] for problem in json.loads(ctl.run("--json", "status").stdout)["problems"]]
    told = [problem for problem in problems if "certificate" in problem]
    assert without_clock(told) == without_clock([] if words is None else [found["detail"]])
    assert words is None or f"{finding}: web certificate: the web server's certificate, or an issuer in its file, {words}" in checked.stderr


def test_a_read_only_database_is_among_the_causes(stack: Stack) -> None:
    stack.ctl.done("network", "add", "read-only")
    stack.mariadb.query("SET GLOBAL read_only = 1")
    try:
        said = stack.ctl.run("network", "disable", "read-only")
        assert said.returncode == 1 and "or the database is read only (recaudoctl status says so)" in said.stderr
    finally:
        stack.mariadb.query("SET GLOBAL read_only = 0")


def test_config_check_takes_what_a_restore_leaves(stack: Stack) -> None:
    """The mariadb client drops comments when it reads a dump."""
    made = stack.mariadb.query("SHOW CREATE TRIGGER orders_guard")[0]["SQL Original Statement"]
    restored = re.sub(r"\n *--[^\n]*", "", made)
    assert restored != made
    stack.mariadb.query("DROP TRIGGER orders_guard")
    stack.mariadb.query(restored)
    try:
        assert schema_findings(stack) == AS_MADE
    finally:
        stack.mariadb.query("DROP TRIGGER orders_guard")
        stack.mariadb.query(made)


def test_config_check_finds_a_function_that_nobody_may_call(stack: Stack) -> None:
    """As one that was dropped and made again: without its right each confirmation fails, and nothing else would tell."""
    def rights() -> tuple[str, str]:
        (found,) = [found for found in json.loads(stack.ctl.run("--json", "config", "check").stdout) if found["what"] == "rights"]
        return found["finding"], found["detail"]

    assert rights() == ("right", "the accounts have those of sql/grants.sql")
    stack.mariadb.query("REVOKE EXECUTE ON FUNCTION payments_confirm FROM 'recaudo_worker'@'localhost'")
    finding, detail = rights()
    assert finding == "wrong" and detail.startswith("missing: FUNCTION payments_confirm for recaudo_worker; what needs them fails")
    stack.ctl.done("db", "migrate")
    assert rights()[0] == "right"
    stack.mariadb.query("REVOKE ALL PRIVILEGES, GRANT OPTION FROM 'recaudo_worker'@'localhost'")
    finding, detail = rights()
    assert finding == "wrong" and re.search(r", and \d{2,3} more; what needs them fails: recaudoctl db migrate gives them again$", detail)
    assert detail.count(" for recaudo_worker") == 8
    stack.ctl.done("db", "migrate")
    assert rights()[0] == "right"


def test_config_check_warns_of_who_may_drop_triggers(stack: Stack) -> None:
    """As the account of a backup that saves them in MariaDB's way. For the owner it is no finding."""
    def found() -> list[tuple[str, str]]:
        return [(one["finding"], one["detail"]) for one in json.loads(stack.ctl.run("--json", "config", "check").stdout) if one["what"] == "rights"]

    (right,) = found()
    stack.mariadb.query("CREATE USER saver@localhost")
    try:
        for where in ("recaudo.*", "recaudo.orders"):
            stack.mariadb.query(f"GRANT TRIGGER ON {where} TO saver@localhost")
            assert found() == [right, ("warning", found()[1][1])] and found()[1][1].startswith("'saver'@'localhost': may drop the triggers, ")
            stack.mariadb.query(f"REVOKE TRIGGER ON {where} FROM saver@localhost")
        assert found() == [right]
    finally:
        stack.mariadb.query("DROP USER saver@localhost")


def test_migrate_makes_no_account(stack: Stack, tmp_path: Path) -> None:
    """A GRANT would make it, without a password."""
    def accounts() -> set[tuple[str, str]]:
        return {(row["User"], row["Host"]) for row in stack.mariadb.query("SELECT User, Host FROM mysql.user")}

    before = accounts()
    elsewhere = changed_config(stack, tmp_path, "database", account_host="192.0.2.%").run("db", "migrate")
    assert elsewhere.returncode != 0 and accounts() == before
    assert "an account of sql/accounts.sql does not exist at '192.0.2.%', which [database] account_host names" in elsewhere.stderr
    stack.ctl.done("db", "migrate")


def test_config_check_finds_an_account_without_a_password(stack: Stack) -> None:
    stack.mariadb.query("CREATE USER recaudo_worker@'192.0.2.7'")
    try:
        checked = stack.ctl.run("--json", "config", "check")
        (found,) = [found for found in json.loads(checked.stdout) if found["what"] == "passwords"]
        assert checked.returncode == 1 and found["finding"] == "wrong"
        assert found["detail"].startswith("anybody can log in as recaudo_worker@192.0.2.7: ")
    finally:
        stack.mariadb.query("DROP USER recaudo_worker@'192.0.2.7'")
    checked = stack.ctl.run("--json", "config", "check")
    assert [found["finding"] for found in json.loads(checked.stdout) if found["what"] == "passwords"] == ["right"]


def test_config_check_without_the_owners_password(stack: Stack, tmp_path: Path) -> None:
    """It may be kept away from the hosts between upgrades."""
    absent = tmp_path / "owner.password"
    ctl = changed_config(stack, tmp_path, "database", owner_password_file=absent)
    checked = ctl.run("--json", "config", "check")
    findings = {found["what"]: found for found in json.loads(checked.stdout)}
    assert checked.returncode == 0 and "wrong" not in {found["finding"] for found in findings.values()}
    owner = findings["database owner_user"]
    assert owner["finding"] == "not checked" and f"cannot be read: {absent}: No such file" in owner["detail"]
    assert findings["stored secrets"]["finding"] == "right"


@pytest.mark.parametrize("part", ["worker", "dispatcher", "deliverer", "operator"])
def test_config_check_names_a_password_file_that_is_missing(stack: Stack, tmp_path: Path, part: str) -> None:
    absent = tmp_path / "absent.password"
    ctl = changed_config(stack, tmp_path, "database", **{f"{part}_password_file": absent})
    checked = ctl.run("--json", "config", "check")
    findings = {found["what"]: found for found in json.loads(checked.stdout)}
    account = findings[f"database {part}_user"]
    assert (checked.returncode, account["finding"]) == (1, "wrong")
    assert account["detail"] == (f"the password file of recaudo_{part} cannot be read: {absent}:"
                                 " No such file or directory")


def without_roots_power() -> list[str]:
    """Words before a command: it may read what its user may, also as root."""
    return [] if os.geteuid() else ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--"]


@pytest.mark.parametrize("part, code, finding", [("worker", 0, "not checked"), ("console", 0, "not checked"), ("operator", 1, "wrong")])
def test_config_check_by_whom_a_password_file_is_not_for(stack: Stack, tmp_path: Path, part: str, code: int, finding: str) -> None:
    """Each program's file is for its own system user: the operator, who cannot read the others', is told of nothing wrong."""
    closed = tmp_path / "closed.password"
    closed.write_text("x\n")
    closed.chmod(0)
    ctl = changed_config(stack, tmp_path, "database", **{f"{part}_password_file": closed})
    checked = subprocess.run([*without_roots_power(), ctl.path, "--config", ctl.config, "--json", "config", "check"], text=True,
                             capture_output=True, timeout=60)
    findings = {found["what"]: found for found in json.loads(checked.stdout)}
    account = findings[f"database {part}_user"]
    assert (checked.returncode, account["finding"]) == (code, finding), checked.stderr
    assert f"cannot be read: {closed}: Permission denied" in account["detail"]
    assert ("only root and the user that the file is for can try" in account["detail"]) == (code == 0)


def test_config_show(stack: Stack) -> None:
    shown = stack.ctl.json("config", "show")
    assert shown["database"]["socket"] == stack.mariadb.socket and shown["database"]["host"] is None
    assert shown["worker"]["cancel_window"] == "30s" and shown["dispatcher"]["batch"] == "500"
    assert stack.mariadb.password("recaudo_operator") not in stack.ctl.done("config", "show")
    assert f"database.name {DATABASE}" in " ".join(stack.ctl.done("config", "show").split())


def test_output_that_cannot_be_written(ctl: Ctl) -> None:
    with open("/dev/full", "w") as full:
        result = subprocess.run([ctl.path, "--config", ctl.config, "merchant", "list"], stdout=full,
                                stderr=subprocess.PIPE, text=True)
    assert result.returncode == 1 and "standard output could not be written" in result.stderr


def test_output_of_a_change_that_cannot_be_written(ctl: Ctl) -> None:
    """Nobody may take it for refused, and close a second settlement."""
    before = len(ctl.json("settlement", "list"))
    with open("/dev/full", "w") as full:
        result = subprocess.run([ctl.path, "--config", ctl.config, "settlement", "close"], stdout=full,
                                stderr=subprocess.PIPE, text=True)
        refused = subprocess.run([ctl.path, "--config", ctl.config, "settlement", "show", "99999"], stdout=full,
                                 stderr=subprocess.PIPE, text=True)
    assert result.returncode == 1 and "not be written; the command itself succeeded" in result.stderr
    assert refused.returncode == 1 and "carried out" not in refused.stderr
    assert len(ctl.json("settlement", "list")) == before + 1


def test_output_that_nobody_reads(ctl: Ctl) -> None:
    """As in `recaudoctl merchant list | head -1`, but for a reader that is surely gone."""
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w") as gone:
        result = subprocess.run([ctl.path, "--config", ctl.config, "merchant", "list"], stdout=gone,
                                stderr=subprocess.PIPE, text=True)
    assert (result.returncode, result.stderr) == (-signal.SIGPIPE, "")
