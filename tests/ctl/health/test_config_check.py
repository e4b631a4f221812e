"""config check: what it says of keys, accounts and a schema that are not there, and of what it has not looked at."""

import json
import os
import pwd
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Iterator

import pytest

from tests.stack import Ctl, Stack
from tests.stack.authority import Authority
from tests.stack.config import default_settings, write_config
from tests.stack.mariadb import DATABASE, OWNER
from tests.stack.paths import program

Findings = dict[str, tuple[str, str]]
NOBODY = "nobody"


def findings(ctl: Ctl) -> Findings:
    return {found["what"]: (found["finding"], found["detail"]) for found in json.loads(ctl.run("--json", "config", "check").stdout)}


@pytest.fixture
def folder() -> Iterator[Path]:
    """Open to all, unlike tmp_path."""
    path = Path(tempfile.mkdtemp(prefix="recaudo-key-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


def with_database(stack: Stack, folder: Path, key_file: Path, **database: object) -> Ctl:
    config = folder / "recaudo.conf"
    write_config(config, default_settings(stack.mariadb, stack.worker.socket, key_file), {"database": database})
    return Ctl(config)


def test_a_key_that_the_workers_cannot_read(stack: Stack, folder: Path) -> None:
    """Root can, and they can not. Who is not root cannot try."""
    key = folder / "secret.key"
    shutil.copy(stack.key_file, key)
    key.chmod(0o600)
    finding, detail = findings(with_database(stack, folder, key, worker_user=NOBODY, deliverer_user=NOBODY))["key file"]
    if os.geteuid() != 0:
        assert (finding, detail) == ("right", f"{key}; whether the services can read it, only root can try")
        return
    assert finding == "wrong" and detail.startswith(f"the system user {NOBODY} cannot read {key}: chgrp recaudo {key}, ")
    os.chown(key, 0, pwd.getpwnam(NOBODY).pw_gid)
    key.chmod(0o640)
    assert findings(with_database(stack, folder, key, worker_user=NOBODY, deliverer_user=NOBODY))["key file"] == ("right", str(key))
    finding, detail = findings(with_database(stack, folder, key, worker_user="recaudo_absent", deliverer_user=NOBODY))["key file"]
    assert (finding, detail) == ("right", f"{key}; whether all that need it can read it was not tried: there is no system user recaudo_absent")


def service_findings(config: Path) -> Findings:
    """What root is told of the services' own configuration file: --config may name another one."""
    result = subprocess.run([program("recaudoctl"), "--json", "config", "check"], env={**os.environ, "RECAUDO_CONFIG": str(config)},
                            capture_output=True, text=True, timeout=60)
    return {found["what"]: (found["finding"], found["detail"]) for found in json.loads(result.stdout)}


ACCOUNTS = ("worker", "dispatcher", "deliverer", "operator", "console")
# What the finding is about: where a setting names the file, and the commands that mend it.
READ_FILES = {
    "configuration file": (None, "chmod 0644 {}"),
    "database tls_ca": (("database", "tls_ca"), "chmod 0644 {}"),
    "database tls_certificate": (("database", "tls_certificate"), "chmod 0644 {}"),
    "database tls_key": (("database", "tls_key"), "give it a group that the users of all programs are in, chmod 0640 {}"),
    "trusted certificates": (("security", "ca_file"), "chmod 0644 {}"),
    "web certificate": (("security", "web_certificate"), "chmod 0644 {}"),
    "audit signing_key": (("audit", "signing_key"), f"chgrp {NOBODY} {{}}, chmod 0640 {{}}"),
    **{f"database {part}_user": (("database", f"{part}_password_file"), f"chown {NOBODY} {{}}, chmod 0600 {{}}") for part in ACCOUNTS}}


@pytest.fixture
def readable(folder: Path) -> Path:
    """A service whose programs all run as one user, who may read every file. Its database is away."""
    authority = Authority(folder)
    authority.server("own", "DNS:localhost", days=30)
    settings: dict[str, dict[str, object]] = {
        "database": {"host": "127.0.0.1:1", **{f"{part}_user": NOBODY for part in ACCOUNTS}}, "security": {}, "audit": {}}
    for what, (setting, _) in READ_FILES.items():
        if setting is not None:
            file = folder / f"{setting[1]}.file"
            shutil.copy(folder / "own.key" if setting[1] == "tls_key" else folder / "own.pem", file)
            settings[setting[0]][setting[1]] = file
    (folder / "signing_key.file").unlink()
    config = folder / "recaudo.conf"
    write_config(config, settings)
    Ctl(config).done("audit", "key", "--create")
    for file in (*folder.glob("*.file"), config):
        if os.geteuid() == 0:
            os.chown(file, 0, pwd.getpwnam(NOBODY).pw_gid)
        file.chmod(0o640)
    return config


@pytest.mark.parametrize("what", READ_FILES)
def test_a_file_that_a_service_cannot_read(readable: Path, what: str) -> None:
    """Root can read it. At the next restart the service is gone."""
    setting, remedy = READ_FILES[what]
    file = readable if setting is None else readable.parent / f"{setting[1]}.file"
    barred = f"the system user {NOBODY} cannot read {file}: {remedy.replace('{}', str(file))}"
    assert not [found for found in service_findings(readable).items() if "cannot read" in found[1][1]]
    file.chmod(0o600)
    found = service_findings(readable)
    if os.geteuid() != 0:
        assert found["configuration file"] == ("right", f"{readable}; whether the services can read it, only root can try")
        return
    assert [name for name, (_, detail) in found.items() if "cannot read" in detail] == [what]
    assert found[what][0] == "wrong" and found[what][1].startswith(barred)
    for command, value in re.findall("(ch[a-z]+) ([^ ]+) [^ ,;]+", remedy):
        group = str(pwd.getpwnam(NOBODY).pw_gid)  # Debian's name for it is nogroup
        subprocess.run([command, group if command == "chgrp" else value, file], check=True)
    assert "cannot read" not in service_findings(readable)[what][1]


def test_the_folder_of_a_file_is_closed(readable: Path) -> None:
    readable.parent.chmod(0o700)
    finding, detail = service_findings(readable)["configuration file"]
    if os.geteuid() == 0:
        assert finding == "wrong" and detail.endswith("may need the right to enter the folders above the file")


def test_another_configuration_file_than_the_services(readable: Path) -> None:
    """cluster.md has root use one that nobody else may read."""
    readable.chmod(0o600)
    finding, detail = findings(Ctl(readable))["configuration file"]
    assert finding == "right" and detail.startswith(f"{readable}; not tried: /") and detail.endswith(", which the services read")


def test_a_database_that_does_not_exist(stack: Stack, folder: Path) -> None:
    result = with_database(stack, folder, stack.key_file, name="absent").run("db", "migrate")
    assert result.returncode != 0 and "(1049): the database does not exist: see [database] name, or make it with CREATE DATABASE" in result.stderr


def test_an_account_that_does_not_exist(stack: Stack) -> None:
    """It is no right that is missing."""
    made = stack.mariadb.query("SHOW CREATE USER recaudo_reader@localhost")[0].popitem()[1]
    stack.mariadb.query("DROP USER recaudo_reader@localhost")
    try:
        finding, detail = findings(stack.ctl)["rights"]
    finally:
        stack.mariadb.query(made)
        stack.ctl.done("db", "migrate")
    assert finding == "wrong" and detail.startswith("no such account: recaudo_reader@localhost: sql/accounts.sql makes it, then ")
    assert findings(stack.ctl)["rights"][0] == "right"


@pytest.mark.parametrize("setting, user, own", [
    ("worker", OWNER, "recaudo_worker"), ("deliverer", "recaudo_dispatcher", "recaudo_deliverer"),
    ("dispatcher", "recaudo_worker", "recaudo_dispatcher"), ("operator", OWNER, "recaudo_operator"),
    ("console", "recaudo_operator", "recaudo_console")])
def test_a_program_with_another_account(stack: Stack, folder: Path, setting: str, user: str, own: str) -> None:
    """It logs in, and may do more than it should, or less than it must."""
    login = {f"{setting}_user": user, f"{setting}_password_file": stack.mariadb.password_file(user)}
    ctl = with_database(stack, folder, stack.key_file, **login)
    result = ctl.run("config", "check")
    assert findings(ctl)[f"database {setting}_user"] == ("right", user)
    assert result.returncode == 1
    assert f"wrong: database accounts: {setting}_user is {user}, not {own}; sql/grants.sql has the rights of each\n" in result.stderr


def test_a_password_that_has_expired(stack: Stack) -> None:
    """The login succeeds, and no statement after it."""
    password = stack.mariadb.password_file("recaudo_console").read_text().strip()
    stack.mariadb.query("ALTER USER recaudo_console@localhost PASSWORD EXPIRE")
    try:
        result = stack.ctl.run("config", "check")
    finally:
        stack.mariadb.query(f"ALTER USER recaudo_console@localhost IDENTIFIED BY '{password}' PASSWORD EXPIRE NEVER")
    assert result.returncode == 1 and "wrong: database console_user: the database refuses the login; " in result.stderr
    assert " (1820): the password has expired: ALTER USER " in result.stderr
    assert findings(stack.ctl)["database console_user"] == ("right", "recaudo_console")


def test_ids_that_are_nearly_used_up(stack: Stack) -> None:
    stack.mariadb.query("ALTER TABLE dispatchers AUTO_INCREMENT = 9223372036854775807")
    try:
        finding, detail = findings(stack.ctl)["ids"]
    finally:
        stack.mariadb.query("ALTER TABLE dispatchers AUTO_INCREMENT = 1")
    assert finding == "wrong" and detail.startswith("nearly used up: dispatchers: as the owner delete the row ")
    assert findings(stack.ctl)["ids"] == ("right", "every table has ids left for new rows")


def test_references_of_two_merchants(stack: Stack) -> None:
    """From before the database refused it."""
    ctl, mariadb = stack.ctl, stack.mariadb
    clear = ("right", "no prefixes or integrations of two merchants overlap")
    for merchant in ("one", "two"):
        ctl.done("merchant", "add", merchant)
    integration = ctl.json("integration", "add", "--merchant=one", "--kind=2", "--code=4455", "--endpoint=https://one.example/q")["id"]
    ctl.done("reference", "give", "44551", "--merchant=one")
    assert findings(ctl)["references"] == clear
    judge = str(mariadb.query("SHOW CREATE TRIGGER reference_prefixes_judged")[0]["SQL Original Statement"])
    mariadb.query("DROP TRIGGER reference_prefixes_judged")
    try:
        mariadb.query("INSERT INTO reference_prefixes (prefix, merchant_id, changed_by)"
                      " SELECT '445', id, 'operator:before' FROM merchants WHERE name = 'two'")
    finally:
        mariadb.query(judge)
    result = ctl.run("config", "check")
    warnings = [line for line in result.stderr.splitlines() if "warning: references: " in line]
    assert len(warnings) == 2 and any(
        f"prefix 445 of two and integration {integration} (code 4455) of one overlap" in line for line in warnings)
    ctl.done("reference", "take", "445")
    assert findings(ctl)["references"] == clear
    ctl.done("reference", "take", "44551")
    ctl.done("integration", "remove", str(integration))


def test_an_owner_that_is_a_program(stack: Stack, folder: Path) -> None:
    assert findings(stack.ctl)["database accounts"] == ("right", "each program has its own")
    finding, detail = findings(with_database(stack, folder, stack.key_file, owner_user="recaudo_worker"))["database accounts"]
    assert finding == "wrong" and detail.startswith("owner_user is recaudo_worker, which is for worker_user; ")


UNSEEN = "only the owner's account " + ("sees them, which could not log in (above); for a database on other machines cluster.md, step 5, has a "
                                        "configuration that names it" if os.geteuid() == 0 else "(above) sees them: run it as root")


def test_what_only_the_owner_sees(stack: Stack, folder: Path) -> None:
    ctl = with_database(stack, folder, stack.key_file, owner_password_file="/nowhere/password")
    assert findings(ctl)["schema, rights and passwords"] == ("not checked", UNSEEN)
    assert "schema, rights and passwords" not in findings(stack.ctl)


def test_before_the_first_migration(stack: Stack, folder: Path) -> None:
    stack.mariadb.query("CREATE DATABASE fresh")
    try:
        ctl = with_database(stack, folder, stack.key_file, name="fresh")
        assert "fresh.schema_version' doesn't exist (1146): recaudoctl db migrate makes the schema" in ctl.run("config", "check").stderr
    finally:
        stack.mariadb.query("DROP DATABASE fresh")


def test_a_password_file_for_an_account_of_a_system_user(stack: Stack, folder: Path) -> None:
    password = folder / "password"
    password.write_text("word")
    password.chmod(0o600)
    stack.mariadb.query("CREATE USER recaudo_socket@localhost IDENTIFIED VIA unix_socket")
    stack.mariadb.query(f"GRANT SELECT ON {DATABASE}.* TO recaudo_socket@localhost")
    try:
        ctl = with_database(stack, folder, stack.key_file, worker_user="recaudo_socket", worker_password_file=str(password))
        said = ctl.run("config", "check").stderr
    finally:
        stack.mariadb.query("DROP USER recaudo_socket@localhost")
    assert "take its password file out of [database]" in said, said
