"""A migration that was killed, or lost its server, goes on, and ends with the same schema and the same rows."""

import hashlib
import json
import re
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator

import pymysql
import pytest
from pymysql.constants import CLIENT

from tests.stack import Ctl, MariaDB, wait_until
from tests.stack.config import default_settings, write_config
from tests.stack.mariadb import DATABASE, OWNER
from tests.stack.paths import ROOT

import old_schema

SQL = ROOT / "sql"
BEGUN = "SELECT version FROM schema_version WHERE applied_at IS NULL"
WAITS = "SELECT id FROM information_schema.processlist WHERE state LIKE '%metadata lock%'"
Rows = dict[str, list[dict[str, Any]]]
Popen = subprocess.Popen


class Place:
    """A server, a recaudoctl for it, and what a new schema is made of."""

    def __init__(self, directory: Path) -> None:
        self.server = MariaDB(directory, directory, "32M")
        config = directory / "recaudo.conf"
        write_config(config, default_settings(self.server, str(directory / "fcgi.sock"), directory / "secret.key"))
        self.ctl = Ctl(config)
        self.shape: set[tuple[str, ...]] = set()

    def load(self, version: int) -> Rows:
        """The rows that are there then."""
        self.server.recreate_database()
        if version == 0:
            return {}
        old_schema.load(self.server, version)
        return old_schema.rows(self.server, old_schema.stored_columns(self.server))

    def run(self, text: str) -> None:
        """As db migrate sends a script."""
        with pymysql.connect(unix_socket=self.server.socket, user=OWNER, password=self.server.password(OWNER), database=DATABASE,
                             autocommit=True, client_flag=CLIENT.MULTI_STATEMENTS) as connection, connection.cursor() as cursor:
            cursor.execute(text)
            while cursor.nextset():
                pass

    def note_begun(self) -> None:
        """As db migrate begins."""
        checksum = hashlib.sha256((SQL / "foundation.sql").read_bytes()).hexdigest()
        self.run((SQL / "versions.sql").read_text())
        self.server.query("INSERT INTO schema_version (version, name, checksum) VALUES (21, '0021_foundation.sql', %s)", checksum)

    @contextmanager
    def held_up(self, table: str) -> "Iterator[tuple[Popen[str], pymysql.connections.Connection[Any]]]":
        """A migration that waits before it changes this table, because of the transaction of this connection."""
        with Popen([self.ctl.path, "--config", self.ctl.config, "db", "migrate"], stdout=subprocess.DEVNULL, text=True) as migration, \
                self.server.connect() as reader, reader.cursor() as cursor:
            wait_until(lambda: self.server.query(BEGUN), "the migration to begin")
            cursor.execute("START TRANSACTION")
            cursor.execute(f"SELECT COUNT(*) FROM {table}")
            wait_until(lambda: self.server.query(WAITS), "the migration to wait")
            yield migration, reader

    def assert_whole(self, before: Rows) -> None:
        assert sorted(old_schema.shape(self.server, DATABASE) ^ self.shape) == []
        there = {table: rows for table, rows in before.items() if rows}
        assert old_schema.rows(self.server, {table: list(rows[0]) for table, rows in there.items()}) == there
        assert self.server.query("SELECT COUNT(*) AS open FROM settlements WHERE state = 'open'") == [{"open": 1}]
        assert self.server.query("SELECT COUNT(*) AS odd FROM settlements s WHERE s.collected <>"
                                 " (SELECT COUNT(*) FROM settlement_items i WHERE i.settlement = s.number)") == [{"odd": 0}]
        assert self.ctl.json("db", "status")["state"] == "current"
        assert self.ctl.json("db", "migrate")["applied"] == 0


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    place = Place(tmp_path_factory.mktemp("stopped"))
    place.server.start()
    try:
        place.ctl.done("db", "migrate")
        place.shape = old_schema.shape(place.server, DATABASE)
        yield place
    finally:
        place.server.kill()


PLACES = [(11, "orders"), (11, "transactions"), (11, "dispatchers"), (20, "endpoints"), (20, "orders"), (20, "transactions"),
          (20, "integrations"), (20, "external_queries"), (20, "accounts")]


@pytest.mark.parametrize(("version", "table"), PLACES)
def test_a_migration_that_lost_its_server_goes_on(place: Place, version: int, table: str) -> None:
    before = place.load(version)
    with place.held_up(table) as (migration, _):
        place.server.kill()
        assert migration.wait(30) == 3
    place.server.start()
    assert "which goes on" in place.ctl.run("db", "status").stderr
    assert place.ctl.json("db", "migrate")["applied"] == 1
    place.assert_whole(before)


@pytest.mark.parametrize(("version", "table"), PLACES)
def test_a_migration_that_was_killed_goes_on(place: Place, version: int, table: str) -> None:
    """The server ends a session that waits for a table once its program is gone."""
    before = place.load(version)
    with place.held_up(table) as (migration, _):
        migration.kill()
        wait_until(lambda: not place.server.query(WAITS), "the server to notice it")
    assert place.ctl.json("db", "migrate")["applied"] == 1
    place.assert_whole(before)


@contextmanager
def waiting_for_a_row(place: Place) -> "Iterator[tuple[Popen[str], pymysql.connections.Connection[Any]]]":
    """An upgrade from schema 20 that waits for a row that somebody writes."""
    place.server.query("UPDATE external_queries SET outcome = 'answered', order_id = 1")
    with place.held_up("external_queries") as (migration, reader), place.server.connect() as maker:
        maker.begin()
        maker.cursor().execute("INSERT INTO offers (order_id, network_id) VALUES (1, 1)")
        reader.rollback()
        waits = "SELECT trx_mysql_thread_id AS id FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"
        wait_until(lambda: place.server.query(waits), "the migration to wait")
        yield migration, maker


def test_a_migration_waits_for_rows(place: Place) -> None:
    """For as long as their transaction takes, which may be longer than a payment would wait."""
    place.load(20)
    with waiting_for_a_row(place) as (migration, maker):
        with pytest.raises(subprocess.TimeoutExpired):
            migration.wait(6)
        maker.rollback()
        assert migration.wait(60) == 0
    place.assert_whole({})


def test_the_server_ends_what_a_killed_program_sent(place: Place) -> None:
    """Another migration waits meanwhile, and has nothing left to do."""
    place.load(20)
    with waiting_for_a_row(place) as (migration, maker):
        migration.kill()
        migration.wait()
        with Popen([place.ctl.path, "--config", place.ctl.config, "--json", "db", "migrate"], stdout=subprocess.PIPE,
                   stderr=subprocess.PIPE, text=True) as second:
            assert second.stderr is not None
            said = second.stderr.readline()
            maker.rollback()
            assert "another process is migrating it, or was killed and the server still works on what it was sent" in said
            assert json.loads(second.communicate(timeout=60)[0])["applied"] == 0
    place.assert_whole({})


@pytest.mark.parametrize("version", [0, 11, 20])
def test_each_statement_takes_what_it_finds_made(place: Place, version: int) -> None:
    """All of part 1 was made but its last table, so that all of it is begun again; of a new database, all tables and rows."""
    before = place.load(version)
    file = SQL / ("foundation.sql" if version == 0 else f"upgrade/{version}.sql")
    part = file.read_text().split("\n-- Part 2\n")[0]
    if last := re.search(r"^-- Last of part 1: (\w+)$", part, re.MULTILINE):
        part = re.split(rf"\n(?:CREATE TABLE IF NOT EXISTS|RENAME TABLE \w+ TO) {last[1]}\b", part)[0]
    place.note_begun()
    place.run(part)
    assert place.ctl.json("db", "migrate")["applied"] == 1
    place.assert_whole(before)


@pytest.mark.parametrize("version", [11, 20])
def test_what_is_new_is_made_once_all_before_it_is(place: Place, version: int) -> None:
    """Where the last table of part 1 is there, part 1 is left out: the old triggers do not come back."""
    before = place.load(version)
    place.note_begun()
    for old in (11, 20)[(11, 20).index(version):]:
        place.run((SQL / "upgrade" / f"{old}.sql").read_text().split("\n-- Part 2\n")[0])
    assert place.ctl.json("db", "migrate")["applied"] == 1
    place.assert_whole(before)


def test_triggers_of_before_write_events_under_the_new_name(place: Place) -> None:
    """Workers of the old release go on, also where the server is midway in the triggers."""
    place.load(20)
    with place.held_up("accounts") as (migration, reader):
        place.server.query("UPDATE networks SET enabled = 0, changed_by = 'operator:test' WHERE id = 1")
        assert place.server.query("SELECT actor FROM event_log ORDER BY id DESC LIMIT 1") == [{"actor": "operator:test"}]
        reader.rollback()
        assert migration.wait(60) == 0


def test_another_table_of_a_name_that_the_upgrade_makes(place: Place) -> None:
    place.load(20)
    shape = old_schema.shape(place.server, DATABASE)
    for name in ("offers", "event_log"):
        place.server.query(f"CREATE TABLE {name} (id INT)")
        refused = place.ctl.run("db", "migrate")
        place.server.query(f"DROP TABLE {name}")
        assert refused.returncode == 1 and f"nothing was changed: it makes a table or view {name}, and the database has" in refused.stderr
        assert old_schema.shape(place.server, DATABASE) == shape


def test_models_of_accounts_that_a_lost_server_left(place: Place) -> None:
    """From its tables it does not replace several accounts at once: it does not find them any more."""
    place.load(0)
    place.ctl.done("db", "migrate")
    accounts = ("worker", "dispatcher", "deliverer", "operator", "reader", "console")
    models = ", ".join(f"'recaudo_{account}'@'recaudo-grants.invalid'" for account in accounts)
    place.server.query(f"CREATE USER {models} ACCOUNT LOCK")
    place.server.kill()
    place.server.start()
    assert place.ctl.json("db", "migrate")["revoked"] == []
