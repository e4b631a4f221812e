"""doc/database.md: its queries run with a reader's rights, and its list of tables is whole."""

import os
import re
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Iterator

import pytest

from tools.sandbox.instance import Instance
from tests.stack import wait_until
from tests.stack.mariadb import DATABASE
from tests.stack.page_blocks import block
from tests.stack.paths import ROOT, system_program

PAGE = ROOT / "doc" / "database.md"
NEW = 0.2  # seconds: the server looks at transactions anew when it was not asked for a tenth of one


def queries(page: Path) -> list[str]:
    blocks = re.findall(r"^```sql\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)
    return [query.strip() for block in blocks for query in re.sub(r"^--.*\n", "", block, flags=re.MULTILINE).split(";\n")
            if query.strip()]


QUERIES = [(page.name, query) for page in sorted((ROOT / "doc").glob("*.md")) for query in queries(page)]


@pytest.mark.parametrize("page, query", QUERIES, ids=lambda text: str(text)[:50])
def test_queries_run(sandbox: Instance, page: str, query: str) -> None:
    with sandbox.stack.mariadb.connect("recaudo_reader") as connection, connection.cursor() as cursor:
        cursor.execute(query)
        cursor.fetchall()
        assert cursor.description is not None


EVENTS, SEALS, MINUTES_APART = 15000, 1500, 45  # of the log below: 47 days


@pytest.fixture(scope="module")
def long_log(shared_sandbox: Instance) -> Iterator[str]:
    """A schema with a long event log and many seals, and nothing else."""
    query = shared_sandbox.stack.mariadb.query
    query("CREATE OR REPLACE DATABASE long_log")
    query("CREATE TABLE long_log.event_log LIKE event_log")
    query("CREATE TABLE long_log.seals LIKE seals")
    back = "UTC_TIMESTAMP(6) - INTERVAL (%s - seq) * %s SECOND"
    query(f"INSERT INTO long_log.event_log (at, subject, subject_id, what, actor) SELECT {back}, 'setting', seq, 'references', 'operator:ana'"
          " FROM seq_1_to_%s", EVENTS, MINUTES_APART * 60 * SEALS // EVENTS, EVENTS)
    query("INSERT INTO long_log.seals (number, sealed_at, first_id, last_id, count, events, digest, marks)"
          f" SELECT seq, {back}, (seq - 1) * %s + 1, seq * %s, %s, '', '', '' FROM seq_1_to_%s",
          SEALS, MINUTES_APART * 60, *3 * [EVENTS // SEALS], SEALS)
    query("ANALYZE TABLE long_log.event_log, long_log.seals")
    yield "long_log"
    query("DROP DATABASE long_log")


OF_A_TIME = [query for page, query in QUERIES if "FROM seals" in query]


@pytest.mark.parametrize("query", OF_A_TIME, ids=lambda text: str(text)[:50])
def test_queries_of_a_time_read_its_events(sandbox: Instance, long_log: str, query: str) -> None:
    """Not the whole log, however many seals there are; and they find what they should."""
    yesterday = datetime.now(timezone.utc) - timedelta(days=1)
    query = re.sub(r"'\d{4}-\d\d-\d\d (?=\d\d:\d\d')", yesterday.strftime("'%Y-%m-%d "), query)
    days = 31 if "30 DAY" in query else 2
    with sandbox.stack.mariadb.connect(database=long_log) as connection, connection.cursor() as cursor:
        cursor.execute("EXPLAIN " + query)
        (events,) = [row for row in cursor.fetchall() if row["table"] == "e"]
        assert (events["type"], events["key"]) == ("range", "PRIMARY")
        cursor.execute("FLUSH STATUS")
        cursor.execute(query)
        found = cursor.fetchall()
        cursor.execute("SHOW SESSION STATUS LIKE 'Handler\\_read\\_%'")
        assert sum(int(row["Value"]) for row in cursor.fetchall()) < 2 * EVENTS * days * 1440 / (MINUTES_APART * SEALS)
    assert 0 < len(found) < EVENTS


@pytest.mark.parametrize("ahead", [0, 10])
def test_what_happened_between_two_instants(sandbox: Instance, long_log: str, ahead: int) -> None:
    """Also where seals were made by a clock that was `ahead` by some days, and have times of then."""
    (query,) = [query for query in OF_A_TIME if "BETWEEN '" in query]
    since, until = (datetime.now(timezone.utc) - timedelta(days=10, minutes=minutes) for minutes in (50, 0))
    for instant, example in ((since, "2026-11-05 10:00"), (until, "2026-11-05 10:05")):
        assert example in query
        query = query.replace(example, instant.strftime("%Y-%m-%d %H:%M"))
    with sandbox.stack.mariadb.connect(database=long_log) as connection, connection.cursor() as cursor:
        cursor.execute("START TRANSACTION")
        cursor.execute("UPDATE seals SET sealed_at = sealed_at + INTERVAL %s DAY WHERE sealed_at BETWEEN %s AND %s",
                       (ahead, until - timedelta(days=11), until - timedelta(days=9)))
        cursor.execute(query)
        found = [row["id"] for row in cursor.fetchall()]
        cursor.execute("SELECT id FROM event_log WHERE at BETWEEN %s AND %s ORDER BY id",
                       (since.strftime("%Y-%m-%d %H:%M"), until.strftime("%Y-%m-%d %H:%M")))
        assert found == [row["id"] for row in cursor.fetchall()] and len(found) >= 10


def dumped(sandbox: Instance) -> str:
    """The schema, as the page says to compare it."""
    (options,) = re.findall(r"`mariadb-dump (--[^`]+)`", PAGE.read_text())
    return client(sandbox, "mariadb-dump", *options.split())


def client(sandbox: Instance, name: str, *options: str, typed: str = "") -> str:
    mariadb = sandbox.stack.mariadb
    return subprocess.run([system_program(name), "--no-defaults", *options, f"--socket={mariadb.socket}", "--user=root", DATABASE], input=typed,
                          env={**os.environ, "MYSQL_PWD": mariadb.password("root")}, capture_output=True, text=True, check=True).stdout


def test_a_rule_that_was_made_again_differs_in_nothing(sandbox: Instance) -> None:
    (options,) = re.findall(r"`mariadb (--[^`]+) recaudo`", PAGE.read_text())
    foundation = (ROOT / "sql" / "foundation.sql").read_text()
    dump = dumped(sandbox)
    for name in ("TRIGGER orders_guard", "FUNCTION payment_confirm", "SQL SECURITY INVOKER VIEW due_now"):
        (statement,) = re.findall(rf"^CREATE OR REPLACE {name} .*?;\n\n", foundation, re.DOTALL | re.MULTILINE)
        client(sandbox, "mariadb", *options.split(), typed=block(PAGE.name, "made again").replace("(its statement of sql/foundation.sql)", statement))
    sandbox.stack.ctl.done("db", "migrate")
    assert without_counters(dumped(sandbox)) == without_counters(dump)


def without_counters(dump: str) -> str:
    return re.sub(r" AUTO_INCREMENT=\d+", "", dump)


def test_the_comparison_shows_a_scheduled_event(sandbox: Instance) -> None:
    sandbox.stack.mariadb.query("CREATE EVENT of_mine ON SCHEDULE EVERY 1 DAY DISABLE DO DELETE FROM attempts")
    try:
        assert "of_mine" in dumped(sandbox)
    finally:
        sandbox.stack.mariadb.query("DROP EVENT of_mine")


def test_rights_on_routines(sandbox: Instance) -> None:
    """The query for an administrator, of a schema that a reader may not read."""
    query = block(PAGE.name, "administrator").rstrip(";\n")
    rows = sandbox.stack.mariadb.query(query)
    assert {"'recaudo_worker'@'localhost'", "'recaudo_dispatcher'@'localhost'"} <= {row["grantee"] for row in rows}
    assert "payment_confirm" in {row["name"] for row in rows}


def test_who_is_idle_in_a_transaction(sandbox: Instance) -> None:
    mariadb = sandbox.stack.mariadb
    with mariadb.connect() as idle, idle.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("SELECT COUNT(*) FROM orders")
        query = block(PAGE.name, "administrator idle").rstrip(";\n")
        wait_until(lambda: idle.thread_id() in {row["id"] for row in mariadb.query(query)}, "the idle session to be named", pause=NEW)


def test_a_prepared_transaction_without_a_client(sandbox: Instance) -> None:
    """Both queries for an administrator show it, by what they have no session for."""
    mariadb = sandbox.stack.mariadb
    locks, idle = (block(PAGE.name, f"administrator {name}").rstrip(";\n") for name in ("locks", "idle"))
    with mariadb.connect("root") as holder, holder.cursor() as cursor:
        for statement in ("XA START 'left'", "SELECT id FROM settings FOR UPDATE", "UPDATE merchants SET name = name", "XA END 'left'", "XA PREPARE 'left'"):
            cursor.execute(statement)
    try:
        with mariadb.connect("root") as waiter, ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(waiter.query, "SELECT id FROM settings FOR UPDATE")
            told = wait_until(lambda: mariadb.query(locks), "the one that waits", pause=NEW)
            assert [(row["waits"], row["holds"]) for row in told] == [(waiter.thread_id(), None)]
            wait_until(lambda: None in {row["id"] for row in mariadb.query(idle)}, "the prepared one to be named", pause=NEW)
            mariadb.query("XA ROLLBACK 'left'")
            waiting.result(60)
    finally:
        for row in mariadb.query("XA RECOVER FORMAT = 'SQL'"):
            mariadb.query(f"XA ROLLBACK {row['data']}")


def test_changes_without_the_programs_are_those_of_no_program() -> None:
    """The accounts that the query leaves out are those that the triggers know as the programs'."""
    (query,) = [query for name, query in QUERIES if name == PAGE.name and "db_account, '@', 1) NOT IN" in query]
    trigger = (ROOT / "sql" / "foundation.sql").read_text().split("TRIGGER accounts_changed")[1].split("asker NOT IN")[1].split(" THEN")[0]
    assert set(re.findall(r"'(recaudo_\w+)'", query)) == set(re.findall(r"'(recaudo_\w+)'", trigger))


def test_who_waits_for_whom(sandbox: Instance) -> None:
    """The query for an administrator names both sessions, with what the one waits for."""
    mariadb = sandbox.stack.mariadb
    with mariadb.connect("root") as holder, mariadb.connect("root") as waiter:
        for connection in (holder, waiter):
            connection.autocommit(False)
        with holder.cursor() as cursor:
            cursor.execute("SELECT id FROM settings FOR UPDATE")

        def wait() -> None:
            with waiter.cursor() as cursor:
                cursor.execute("SELECT id FROM settings FOR UPDATE")

        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(wait)
            told = wait_until(lambda: mariadb.query(block(PAGE.name, "administrator locks").rstrip(";\n")), "the one that waits", pause=NEW)
            assert [(row["waits"], row["holds"]) for row in told] == [(waiter.thread_id(), holder.thread_id())]
            assert told[0]["statement"] == "SELECT id FROM settings FOR UPDATE" and told[0]["does_now"] is None
            holder.rollback()
            waiting.result(60)


def test_growth_adds_up() -> None:
    """The sizes make the sum, and without the attempts what is permanent."""
    table = PAGE.read_text().split("| Table | Rows | Size |\n|---|---|---|\n")[1].split("\n\n")[0]
    sizes = {cells[1].strip(): float(re.findall(r"([\d.]+) GB", cells[3])[0]) for cells in (line.split("|") for line in table.splitlines())}
    permanent = float(re.findall(r"of which ([\d.]+) GB are permanent", table)[0])
    together = sizes.pop("together")
    assert together == pytest.approx(sum(sizes.values()), abs=0.051)
    assert permanent == pytest.approx(together - sizes["attempts"], abs=0.051)
    assert "| event_log | 6 million |" in table and "about 6 rows per paid order" in PAGE.read_text()


def test_there_are_queries() -> None:
    assert len([query for name, query in QUERIES if name == PAGE.name]) >= 15


@pytest.mark.parametrize("kind, heading", [("BASE TABLE", "| Table | One row is | Grows with |"), ("VIEW", "## Views")])
def test_tables_and_views_are_all_named(sandbox: Instance, kind: str, heading: str) -> None:
    section = PAGE.read_text().split(heading)[1].split("\n\n" if kind == "BASE TABLE" else "```")[0]
    named = set(re.findall(r"\b[a-z]+(?:_[a-z]+)*\b", "\n".join(
        line.split("|")[1] if line.startswith("|") else line for line in section.splitlines())))
    there = {row["name"] for row in sandbox.stack.mariadb.query(
        "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_type = %s", kind)}
    assert there - named == set()


def test_tables_that_are_not_logged(sandbox: Instance) -> None:
    (said,) = re.findall(r"in which no trigger looks at an UPDATE: ([^.]+)\.", PAGE.read_text())
    unwatched = {row["name"] for row in sandbox.stack.mariadb.query(
        "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE'"
        " AND table_name NOT IN (SELECT event_object_table FROM information_schema.triggers"
        "  WHERE trigger_schema = DATABASE() AND event_manipulation = 'UPDATE')")}
    assert set(re.findall(r"`(\w+)`", said)) == unwatched


def test_columns_of_views(sandbox: Instance) -> None:
    """Each column of each view has its line, in the order of the view, with a comment; and no other has."""
    section = PAGE.read_text().split("| View | Column | What it says |\n|---|---|---|\n")[1].split("\n\n")[0]
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines()]
    assert all(len(line) == 3 and len(line[2]) > 3 for line in lines)
    named: dict[str, list[str]] = {}
    for view, column, _ in lines:
        named.setdefault(view, []).append(column)
    there: dict[str, list[str]] = {}
    for row in sandbox.stack.mariadb.query(
            "SELECT c.table_name AS view, c.column_name AS name FROM information_schema.columns c JOIN information_schema.views v"
            "  ON v.table_schema = c.table_schema AND v.table_name = c.table_name"
            " WHERE c.table_schema = DATABASE() ORDER BY c.table_name, c.ordinal_position"):
        there.setdefault(row["view"], []).append(row["name"])
    assert named == there


def test_reader_sees_how_views_are_made(sandbox: Instance) -> None:
    with sandbox.stack.mariadb.connect("recaudo_reader") as connection, connection.cursor() as cursor:
        cursor.execute("SHOW CREATE VIEW orders_now")
        assert cursor.fetchall()
        cursor.execute("EXPLAIN SELECT * FROM orders_now WHERE reference = '1234567890128'")
        assert cursor.fetchall()


def test_reader_reads_everything_but_secrets(sandbox: Instance) -> None:
    tables = {row["name"] for row in sandbox.stack.mariadb.query(
        "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()")}
    with sandbox.stack.mariadb.connect("recaudo_reader") as connection, connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT table_name AS name FROM information_schema.columns WHERE table_schema = DATABASE()")
        readable = {row["name"] for row in cursor.fetchall()}
    assert tables - readable == {"always", "console_keys", "id_counters"}


def test_account_that_only_looks_like_ours(sandbox: Instance) -> None:
    """It did not say who it is, so the log does."""
    mariadb = sandbox.stack.mariadb
    mariadb.query("CREATE OR REPLACE USER recaudo_ana@localhost IDENTIFIED BY %s", mariadb.password("recaudo_ana"))
    try:
        mariadb.query("GRANT SELECT, UPDATE ON recaudo.orders TO recaudo_ana@localhost")
        merchant = mariadb.query("SELECT name FROM merchants WHERE enabled ORDER BY id LIMIT 1")[0]["name"]
        order = sandbox.stack.ctl.json("order", "add", "--merchant", merchant, "--order", "po-ana", "--amount", "1000",
                                       "--currency", "COP", "--due", str(int(time.time()) + 86400))["pv_po_id"]
        mariadb.query("UPDATE orders SET payment_means = 'TARJETA' WHERE id = %s", order, account="recaudo_ana")
        last = mariadb.query("SELECT actor FROM events WHERE subject = 'order' AND subject_id = %s ORDER BY id DESC LIMIT 1", order)
        assert last[0]["actor"] == "db:recaudo_ana@localhost"
    finally:
        mariadb.query("DROP USER recaudo_ana@localhost")
