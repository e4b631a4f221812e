"""recaudoctl db migrate on databases of older schemas: the same schema as a new one, every row as it was, and payments go on."""

import json
import signal
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

import pytest

from tests.stack import Ctl, MariaDB, Stack, wait_until
from tests.stack.auditor import audit
from tests.stack.config import default_settings, write_config
from tests.stack.mariadb import DATABASE
from tests.stack.private_files import write_private

import old_schema

FRESH = "recaudo_fresh"
OF_SAMPLES = ("transaction-instant", "transaction-network", "notification-history", "notification-orphan", "settlement-digest")
RED = "a-fixed-hash-of-the-network-red-0001"


@pytest.fixture(scope="module", params=[11, 20])
def upgraded(request: pytest.FixtureRequest) -> Iterator[tuple[Stack, dict[str, object]]]:
    """An instance on a database that was upgraded, and what was in it before."""
    before: dict[str, object] = {}

    class OldMariaDB(MariaDB):
        def start(self) -> None:
            super().start()
            old_schema.load(self, request.param)
            before["columns"] = old_schema.stored_columns(self)
            before["rows"] = old_schema.rows(self, before["columns"])

    stack = Stack(dispatcher=False, buffer_pool="64M", database=OldMariaDB)
    write_private(stack.key_file, old_schema.KEY + "\n")
    with stack:
        yield stack, before


def test_schema_is_that_of_a_new_database(upgraded: tuple[Stack, dict[str, object]]) -> None:
    stack, _ = upgraded
    config = stack.directory / "fresh.conf"
    stack.mariadb.query(f"CREATE DATABASE {FRESH} CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin")
    write_config(config, default_settings(stack.mariadb, stack.worker.socket, stack.key_file), {"database": {"name": FRESH}})
    Ctl(config).done("db", "migrate")
    new, old = old_schema.shape(stack.mariadb, FRESH), old_schema.shape(stack.mariadb, DATABASE)
    assert sorted(new - old) == sorted(old - new) == []
    assert len(new) > 700
    versions = [stack.mariadb.query(f"SELECT version, name, checksum FROM {name}.schema_version ORDER BY version DESC LIMIT 1")
                for name in (FRESH, DATABASE)]
    assert versions[0] == versions[1]


def test_every_row_is_as_it_was(upgraded: tuple[Stack, dict[str, object]]) -> None:
    stack, before = upgraded
    columns, rows = before["columns"], before["rows"]
    assert isinstance(columns, dict) and isinstance(rows, dict)
    assert [table for table, found in rows.items() if not found] == []
    after = old_schema.rows(stack.mariadb, {table: columns[table] for table in rows})
    for table, found in rows.items():  # settings are written from the configuration, which is the same
        assert after[table] == found, table


def test_what_is_new_is_filled(upgraded: tuple[Stack, dict[str, object]]) -> None:
    stack, _ = upgraded
    query = stack.mariadb.query
    assert query("SELECT COUNT(DISTINCT webhook_id) AS n FROM notifications WHERE webhook_id LIKE 'ntf\\_%%'")[0]["n"] == 5
    owners = {row["reference"]: row["merchant_id"] for row in query("SELECT reference, merchant_id FROM reference_owners")}
    assert owners == {**{f"80000000{i}": 1 for i in range(1, 9)}, "D-1": None, "79000111": None}
    assert [row["reserved"] for row in query("SELECT reserved FROM accounts ORDER BY id")] == [0, 5000]
    items = query("SELECT transaction_id AS id, kind, settlement FROM settlement_items ORDER BY transaction_id, kind")
    assert [(row["id"], row["kind"], row["settlement"]) for row in items] == [
        (3, "finalised", 1), (4, "finalised", 1), (4, "refunded", 1), (6, "cancelled", 1), (7, "finalised", 1),
        (9, "cancelled", 1)]


def test_payments_go_on(upgraded: tuple[Stack, dict[str, object]]) -> None:
    """A registration of before is confirmed, a confirmation of before is cancelled, and one is made whole."""
    stack, _ = upgraded
    with stack.network("red", RED) as red:
        assert red.confirm("TX-1").code == "0000"
        assert red.confirm("TX-2", confirm=False).code == "0000"
        assert red.lookup("800000003").code == "0000"
        assert red.register("800000003", "45000", "TX-10", "Tienda").code == "0000"
        assert red.confirm("TX-10").code == "0000"
    rows = stack.mariadb.query("SELECT id, held_by, state FROM orders WHERE id IN (1, 3) ORDER BY id")
    assert [(row["id"], row["state"]) for row in rows] == [(1, "PENDIENTE"), (3, "PENDIENTE")]
    assert rows[0]["held_by"] == 1 and rows[1]["held_by"] > 9
    assert stack.ctl.run("db", "status").returncode == 0


def test_old_dispatchers_work_is_finished(upgraded: tuple[Stack, dict[str, object]]) -> None:
    """What was confirmed and not written before is written by the first dispatcher after."""
    stack, _ = upgraded
    assert stack.mariadb.query("SELECT payments_finalise(10) AS n")[0]["n"] == 1
    assert stack.mariadb.query("SELECT state, paid_by FROM orders WHERE id = 8") == [{"state": "APROBADA", "paid_by": 5}]


def test_auditor_compares_only_what_was_logged(upgraded: tuple[Stack, dict[str, object]]) -> None:
    """What older releases did not log is no finding; the samples were made by hand, which is."""
    stack, _ = upgraded
    findings = [line for line in audit(stack.mariadb) if json.loads(line)["finding"] not in OF_SAMPLES]
    assert not findings, "\n".join(findings)


@pytest.fixture
def old(tmp_path: Path) -> Iterator[tuple[MariaDB, Ctl]]:
    """A database of schema 20 that nobody has upgraded yet, with a binary log."""
    server = MariaDB(tmp_path, tmp_path, "32M", ("--log-bin=binlog", "--server-id=1", "--log-bin-trust-function-creators=1"))
    config = tmp_path / "recaudo.conf"
    write_config(config, default_settings(server, str(tmp_path / "fcgi.sock"), tmp_path / "secret.key"))
    server.start()
    try:
        old_schema.load(server, 20, rows=False)
        ctl = Ctl(config)
        ctl.done("key", "create")
        yield server, ctl
    finally:
        server.kill()


def test_a_version_that_no_release_had_is_refused(old: tuple[MariaDB, Ctl]) -> None:
    server, ctl = old
    server.query("DELETE FROM schema_version WHERE version > 15")
    shape = old_schema.shape(server, DATABASE)
    refused = ctl.run("db", "migrate")
    assert refused.returncode == 1 and "version 15 was never released" in refused.stderr
    assert old_schema.shape(server, DATABASE) == shape


def test_an_open_transaction_is_found_before_the_migration_begins(old: tuple[MariaDB, Ctl]) -> None:
    """All payments would wait behind the migration, and the migration for a session that somebody forgot."""
    server, ctl = old
    shape = old_schema.shape(server, DATABASE)
    with server.connect() as forgotten, forgotten.cursor() as cursor:
        cursor.execute("START TRANSACTION")
        cursor.execute("SELECT COUNT(*) FROM orders")
        refused = ctl.run("db", "migrate")
        assert refused.returncode == 1 and "(max_statement_time exceeded)" in refused.stderr
        assert "a transaction has used a table and is still open" in refused.stderr
        assert old_schema.shape(server, DATABASE) == shape
        assert server.query("SELECT COUNT(*) AS open FROM information_schema.processlist WHERE state LIKE '%metadata lock%'") == [{"open": 0}]
        cursor.execute("ROLLBACK")
        assert ctl.json("db", "migrate")["applied"] == 1


@pytest.mark.parametrize(("setting", "refusing", "mended"), [("log_bin_trust_function_creators", 0, 1), ("max_allowed_packet", 16384, 16777216)])
def test_what_the_server_would_refuse_midway_is_found_before(old: tuple[MariaDB, Ctl], setting: str, refusing: int, mended: int) -> None:
    """Half a migration keeps the programs out. One that goes on asks too, and does not say that it did not begin."""
    server, ctl = old
    shape = old_schema.shape(server, DATABASE)
    server.query(f"SET GLOBAL {setting} = {refusing}")
    refused = ctl.run("db", "migrate")
    server.query(f"SET GLOBAL {setting} = {mended}")
    assert refused.returncode == 1 and "nothing was changed: the server would refuse the migration's" in refused.stderr
    assert f"SET GLOBAL {setting} = {mended}, and write it" in refused.stderr
    assert old_schema.shape(server, DATABASE) == shape
    assert ctl.json("db", "migrate")["applied"] == 1

    server.query("UPDATE schema_version SET applied_at = NULL ORDER BY version DESC LIMIT 1")
    server.query(f"SET GLOBAL {setting} = {refusing}")
    refused = ctl.run("db", "migrate")
    server.query(f"SET GLOBAL {setting} = {mended}")
    assert refused.returncode == 3 and "nothing was changed: the server would refuse the migration's" in refused.stderr
    assert "did not begin" not in refused.stderr and "run recaudoctl db migrate again, which goes on" in refused.stderr
    assert ctl.json("db", "migrate")["applied"] == 1


# Each is met by a statement of the migration, or by the grants behind it.
RIGHTS = [(right, "recaudo.*") for right in ("UPDATE", "DELETE", "DROP", "ALTER", "CREATE VIEW", "SHOW VIEW", "CREATE ROUTINE", "ALTER ROUTINE",
                                             "TRIGGER", "GRANT OPTION")] + [("SELECT", "mysql.*"), ("CREATE USER", "*.*")]


def test_a_right_that_the_owner_lacks_is_found_before(old: tuple[MariaDB, Ctl], tmp_path: Path) -> None:
    server, _ = old
    write_private(tmp_path / "password", "of the migrator\n")
    config = tmp_path / "migrator.conf"
    write_config(config, default_settings(server, str(tmp_path / "fcgi.sock"), tmp_path / "secret.key"),
                 {"database": {"owner_user": "migrator", "owner_password_file": tmp_path / "password"}})
    ctl, shape = Ctl(config), old_schema.shape(server, DATABASE)
    server.query("CREATE USER migrator@localhost IDENTIFIED BY 'of the migrator'")
    server.query("GRANT SELECT ON mysql.* TO migrator@localhost")
    server.query("GRANT CREATE USER ON *.* TO migrator@localhost")
    for right, on in RIGHTS:
        server.query("GRANT ALL ON recaudo.* TO migrator@localhost WITH GRANT OPTION")
        server.query(f"REVOKE {right} ON {on} FROM migrator@localhost")
        refused = ctl.run("db", "migrate")
        assert refused.returncode == 1 and "nothing was changed: the migration would fail midway" in refused.stderr, right
        assert old_schema.shape(server, DATABASE) == shape, right
        server.query(f"GRANT {right} ON {on} TO migrator@localhost")
    assert ctl.json("db", "migrate")["applied"] == 1


def test_an_account_that_is_missing_is_found_before(old: tuple[MariaDB, Ctl]) -> None:
    """Such as one that the new release brings."""
    server, ctl = old
    shape = old_schema.shape(server, DATABASE)
    server.query("RENAME USER recaudo_console@localhost TO somebody@localhost")
    refused = ctl.run("db", "migrate")
    assert refused.returncode == 1 and "nothing was changed: accounts that the migration gives rights to do not exist: recaudo_console@localhost:" in refused.stderr
    assert old_schema.shape(server, DATABASE) == shape
    server.query("RENAME USER somebody@localhost TO recaudo_console@localhost")
    assert ctl.json("db", "migrate")["applied"] == 1


def test_how_the_server_alters_by_default(old: tuple[MariaDB, Ctl]) -> None:
    """It would refuse to write a table anew, midway."""
    server, ctl = old
    server.query("SET GLOBAL alter_algorithm = 'INSTANT'")
    assert ctl.json("db", "migrate")["applied"] == 1


@contextmanager
def begun_migration(server: MariaDB, ctl: Ctl) -> "Iterator[subprocess.Popen[str]]":
    """It must end well, whatever is done to it."""
    begun = "SELECT version FROM schema_version WHERE applied_at IS NULL"
    with subprocess.Popen([ctl.path, "--config", ctl.config, "--json", "db", "migrate"], stdout=subprocess.PIPE, text=True) as migration:
        wait_until(lambda: server.query(begun), "the migration to begin")
        yield migration
        assert json.loads(migration.communicate(timeout=60)[0])["applied"] == 1
    assert migration.returncode == 0 and not server.query(begun)


@pytest.mark.parametrize("interruption", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM])
def test_a_migration_that_began_is_not_interrupted(old: tuple[MariaDB, Ctl], interruption: signal.Signals) -> None:
    """By an operator's connection that breaks, for example."""
    with begun_migration(*old) as migration:
        migration.send_signal(interruption)


def test_a_migration_that_began_waits_for_readers(old: tuple[MariaDB, Ctl]) -> None:
    """Of the table that it changes last, for longer than the server lets others wait."""
    server, _ = old
    server.query("SET GLOBAL lock_wait_timeout = 1")
    with begun_migration(*old) as migration, server.connect() as reader, reader.cursor() as cursor:
        cursor.execute("START TRANSACTION")
        cursor.execute("SELECT COUNT(*) FROM external_queries")
        waits = "SELECT id FROM information_schema.processlist WHERE state LIKE '%%metadata lock%%' AND time_ms > 2000"
        wait_until(lambda: server.query(waits) or migration.poll() is not None, "the migration to wait")
        cursor.execute("ROLLBACK")
