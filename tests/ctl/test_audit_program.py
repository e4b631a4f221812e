"""recaudo-audit: nothing is found in books that are right, and every kind of forgery is found and named."""

import io
import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any, Iterator

import pymysql
import pytest

from tests.stack import Network, Stack, wait_until
from tests.stack.mariadb import DATABASE
from tests.stack.paths import ROOT

from audit_forgeries import APPROVED, CLAIM, CLOSED_LATER, DEMANDED, ENDED_LONG_AGO, FORGERIES, LIMITED, RULED, SUMMED_ANEW, UNREADABLE
from operator_steps import COMMERCE, MERCHANT, NETWORK, add_order, fresh, fresh_number

sys.path.insert(0, str(ROOT / "audit"))
from recaudo_audit import ed25519, program  # noqa: E402: from a folder of its own
from recaudo_audit.approvals import person  # noqa: E402
from recaudo_audit.database import Database, connect  # noqa: E402
from recaudo_audit.money import ITEMS, Sheet  # noqa: E402
from recaudo_audit.report import Report  # noqa: E402
from recaudo_audit.seals import Kept, Seals  # noqa: E402

AUDIT = ROOT / "audit" / "recaudo-audit"
SETTINGS = {"worker": {"cancel_window": "1s"}, "audit": {"seal_every": "1s"}, "database": {}}
NEEDS = "needs the approval of a second user"
TOP_UP_COMMERCE = "recaudo"


def paid(stack: Stack, network: Network, reference: str, amount: str = "45000", commerce: str = COMMERCE,
         currency: str = "COP") -> str:
    transaction = fresh("T")
    assert network.register(reference, amount, transaction, commerce, currency).code == "0000"
    assert network.confirm(transaction).code == "0000"
    return transaction


def finalised(stack: Stack) -> bool:
    assert stack.dispatcher.once().returncode == 0
    return not stack.mariadb.query("SELECT 1 FROM transactions WHERE state = 'CONFIRMADA' LIMIT 1")


def sealed(stack: Stack) -> bool:
    assert stack.dispatcher.once().returncode == 0
    (row,) = stack.mariadb.query("SELECT (SELECT MAX(id) FROM event_log) <= (SELECT MAX(last_id) FROM seals) AS whole")
    return bool(row["whole"])


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Everything that can happen to an order and a payment has happened, and the last payment is held."""
    with Stack(settings=SETTINGS, dispatcher=False, buffer_pool="64M") as stack:
        stack.mariadb.query("UPDATE settings SET cancel_window = 1000000")
        ctl = stack.ctl
        ctl.done("merchant", "add", MERCHANT, "--commerce", COMMERCE)
        ctl.done("merchant", "set", MERCHANT, "--notify-url", "https://192.0.2.1/")
        ctl.done("merchant", "set", MERCHANT, "--notify-url", "")
        ctl.done("merchant", "rotate", MERCHANT, "--overlap", "1h")
        secret = str(ctl.json("network", "add", NETWORK)["fixed_hash"])
        ctl.done("network", "limit", NETWORK, "COP", "--day", "none", "--outstanding", "1000000")
        ctl.done("integration", "add", "--merchant", MERCHANT, "--kind", "2", "--code", "9999999", "--endpoint", "https://192.0.2.1/", "--currency", "COP")
        ctl.done("user", "add", "eva", "--role", "viewer")
        stack.mariadb.query("INSERT INTO dual_changes (kind) VALUES ('notify_url'), ('secrets'), ('limits')")
        approved_changes(stack)
        stack.mariadb.query("INSERT INTO dual_control (kind, currency, above) VALUES ('claim', 'COP', 9000000)")
        stack.mariadb.query("INSERT INTO countries (code, name, currency, time_zone) VALUES (344, 'X', 'COP', 'UTC')")
        stack.mariadb.query("DELETE FROM countries WHERE code = 344")
        document = fresh_number()
        ctl.done("account", "add", "--document", document, "--type", "CC", "--name", "Ana", "--currency", "USD")
        with Network(stack.base_url, NETWORK, secret) as network:
            for order in (None, "NaN", "sNaN12"):
                paid(stack, network, add_order(ctl, **({"order": order} if order else {}))["reference"])
            claimed = add_order(ctl)["reference"]
            paid(stack, network, claimed)
            refunded = add_order(ctl, description="refunded by the merchant")["reference"]
            paid(stack, network, refunded)
            open_order = add_order(ctl, amount="0")["reference"]
            paid(stack, network, open_order, "77.50")
            cancelled = paid(stack, network, add_order(ctl)["reference"])
            assert network.confirm(cancelled, False).code == "0000"
            for _ in range(2):
                paid(stack, network, document, "3.25", TOP_UP_COMMERCE, "USD")
            assert network.register(add_order(ctl)["reference"], "45000", fresh("T"), COMMERCE).code == "0000"
            assert network.register(document, "5.25", fresh("T"), TOP_UP_COMMERCE, "USD").code == "0000"
            registered_before(stack, network)
            wait_until(lambda: finalised(stack), "the payments to be final", 60)
            ctl.done("order", "claim", claimed, "--reason", "a customer's \\ claim")
            stack.mariadb.query("SELECT order_refund(%s, 'sold out', %s)", ctl.json("order", "show", refunded)["pv_po_id"], f"merchant:{MERCHANT}")
            ctl.done("settlement", "close")
            ctl.done("network", "remit", NETWORK, "COP", "50000", "--reason", "deposit 17")
            ctl.done("network", "remit", NETWORK, "COP", "20000", "--reason", "deposit 18")
            assert NEEDS in ctl.run("network", "limit", NETWORK, "COP", "--day", "5000000", "--outstanding", "2000000").stderr
            approve(stack, 5)
            ctl.done("network", "limit", NETWORK, "COP", "--day", "5000000", "--outstanding", "2000000")
            wait_until(lambda: expired(stack), "the overdue order to be expired", 60)
            held(stack, network, document)
            wait_until(lambda: sealed(stack), "the log to be sealed", 60)
            yield stack


def approved_changes(stack: Stack) -> None:
    """As a second user lets operators make them. The end of an old secret, and another key, need nobody."""
    stack.ctl.done("merchant", "rotate", MERCHANT, "--end")
    for number, words in enumerate((("set", "--notify-url", "https://192.0.2.2/"), ("set", "--notify-url", ""), ("rotate", "--overlap", "1h"),
                                    ("rotate", "--notification", "--overlap", "1h")), 1):
        assert NEEDS in stack.ctl.run("merchant", words[0], MERCHANT, *words[1:]).stderr
        approve(stack, number)
    stack.ctl.done("key", "rotate")


def approve(stack: Stack, number: int) -> None:
    assert stack.mariadb.query("SELECT approval_answer(%s, TRUE, 'seen', 'console:eva') AS made", number) == [{"made": 1}]


def registered_before(stack: Stack, network: Network) -> None:
    """Their order gets another reference, as by its merchant: one is confirmed, the other is not."""
    for confirmed in (True, False):
        order, transaction = add_order(stack.ctl, description="another reference"), fresh("T")
        assert network.register(order["reference"], "45000", transaction, COMMERCE).code == "0000"
        stack.mariadb.query("UPDATE orders SET reference = %s, changed_by = %s WHERE reference = %s", fresh_number(), f"merchant:{MERCHANT}",
                            order["reference"])
        assert not confirmed or network.confirm(transaction).code == "0000"


def expired(stack: Stack) -> bool:
    if not stack.mariadb.query("SELECT 1 FROM orders WHERE description = 'overdue'"):
        add_order(stack.ctl, description="overdue", due=due_soon(stack))
    assert stack.dispatcher.once().returncode == 0
    return bool(stack.mariadb.query("SELECT 1 FROM orders WHERE state = 'VENCIDA'"))


def due_soon(stack: Stack) -> str:
    (row,) = stack.mariadb.query("SELECT UNIX_TIMESTAMP() + 3 AS soon")
    return str(row["soon"])


def held(stack: Stack, network: Network, document: str) -> None:
    """Their windows stay open."""
    stack.mariadb.query("UPDATE settings SET cancel_window = 3600000000")
    paid(stack, network, add_order(stack.ctl)["reference"])
    paid(stack, network, document, "1.25", TOP_UP_COMMERCE, "USD")


@pytest.fixture(scope="module")
def unguarded(books: Stack) -> Iterator["pymysql.connections.Connection[Any]"]:
    """A connection without triggers, checks and these unique keys."""
    with books.mariadb.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT trigger_name AS name FROM information_schema.triggers WHERE trigger_schema = DATABASE()")
        for row in list(cursor.fetchall()):
            cursor.execute(f"DROP TRIGGER {row['name']}")
        cursor.execute("ALTER TABLE account_ledger DROP KEY transaction_id, ADD KEY transaction_id (transaction_id)")
        cursor.execute("ALTER TABLE notifications DROP KEY order_status, ADD KEY order_status (order_id, status)")
        cursor.execute("ALTER TABLE transactions ADD KEY network_id (network_id), DROP KEY network_transaction")
        cursor.execute("ALTER TABLE refunds ADD copy INT INVISIBLE NOT NULL DEFAULT 0, DROP PRIMARY KEY, ADD PRIMARY KEY (order_id, copy)")
        cursor.execute("ALTER TABLE settlement_items ADD copy INT INVISIBLE NOT NULL DEFAULT 0, DROP PRIMARY KEY,"
                       " ADD PRIMARY KEY (transaction_id, kind, copy)")
        cursor.execute("SET foreign_key_checks = 0, check_constraint_checks = 0, time_zone = '+00:00', sql_mode = ''")
        cursor.execute("SET @paid = (SELECT MIN(id) FROM orders WHERE state = 'APROBADA'),"
                       " @payment = (SELECT MIN(id) FROM transactions WHERE state = 'FINALIZADA' AND order_id IS NOT NULL),"
                       " @cancelled = (SELECT MIN(id) FROM transactions WHERE state = 'CANCELADA'),"
                       " @free = (SELECT MIN(id) FROM orders WHERE state = 'PENDIENTE' AND held_by IS NULL),"
                       " @registered = (SELECT MIN(id) FROM transactions WHERE state = 'REGISTRADA'),"
                       " @held = (SELECT MAX(id) FROM orders WHERE held_by IS NOT NULL),"
                       " @returned = (SELECT MIN(id) FROM orders WHERE state = 'ANULADA'),"
                       " @expired = (SELECT MIN(id) FROM orders WHERE state = 'VENCIDA'),"
                       " @moved = (SELECT MAX(id) FROM orders WHERE description = 'another reference'),"
                       " @top_up = (SELECT MIN(id) FROM transactions WHERE state = 'FINALIZADA' AND account_id IS NOT NULL)")
        cursor.execute("SET @event = (SELECT MIN(id) FROM event_log WHERE subject = 'merchant' AND what = 'changed')")
        yield connection


@pytest.fixture
def forger(unguarded: "pymysql.connections.Connection[Any]") -> Iterator["pymysql.connections.Connection[Any]"]:
    """The same, in a transaction that is rolled back."""
    unguarded.begin()
    yield unguarded
    unguarded.rollback()


def findings_of(connection: "pymysql.connections.Connection[Any]", *words: str) -> list[dict[str, Any]]:
    out = io.StringIO()
    report = Report(out, True)
    program.check(program.arguments(words), Database(connection), report)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def found(connection: "pymysql.connections.Connection[Any]", *words: str) -> list[str]:
    """The names of the findings."""
    return sorted({one["finding"] for one in findings_of(connection, *words)})


def run(stack: Stack, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, AUDIT, "--socket", stack.mariadb.socket, "--password-file",
                           stack.mariadb.password_file("recaudo_reader"), *words], capture_output=True, text=True, timeout=300)


def test_nothing_is_found_in_books_that_are_right(books: Stack) -> None:
    result = run(books)
    assert (result.returncode, result.stderr) == (0, ""), result.stdout
    assert result.stdout.splitlines()[-1].endswith(": 0 findings") and "orders" in result.stdout
    as_json = json.loads(run(books, "--json").stdout)
    assert as_json["findings"] == 0 and as_json["checked"]["seals"] >= 2 and as_json["checked"]["settlements"] == 2


def summed_anew(connection: "pymysql.connections.Connection[Any]") -> str:
    database = Database(connection)
    (settlement,) = database.rows("SELECT * FROM settlements WHERE number = 1")
    sheet = Sheet(settlement)
    for row in database.rows(ITEMS, 1):
        sheet.operation(row)
    return sheet.end()


@pytest.mark.parametrize("name", FORGERIES)
def test_forgeries(forger: "pymysql.connections.Connection[Any]", name: str) -> None:
    statements, expected = FORGERIES[name]
    assert found(forger) == []
    for statement in statements.split(";"):
        with forger.cursor() as cursor:
            assert cursor.execute(statement if statement != SUMMED_ANEW else f"UPDATE settlements SET digest = '{summed_anew(forger)}'"
                                  " WHERE number = 1") > 0, statement
    assert expected in found(forger)


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_read_is_named(forger: "pymysql.connections.Connection[Any]", name: str) -> None:
    """With its table, row and column; and all others are checked."""
    statement, column, table = UNREADABLE[name]
    with forger.cursor() as cursor:
        assert cursor.execute(statement) > 0
        assert cursor.execute("UPDATE notifications SET merchant_id = merchant_id + 1 WHERE order_id = @returned") > 0
        assert cursor.execute("UPDATE accounts SET balance = balance + 1000") > 0
    findings = findings_of(forger)
    assert any(one["finding"] == "unreadable" and one["subject"] == table and column in one["text"] for one in findings), findings
    assert {"notification-content", "account-balance"} <= {one["finding"] for one in findings}
    assert "part" not in {one["subject"] for one in findings}


def test_a_hold_that_was_moved_and_has_ended(forger: "pymysql.connections.Connection[Any]") -> None:
    """The owner may move one after a wrong clock: that is one finding, and that the order was paid then is none."""
    with forger.cursor() as cursor:
        assert cursor.execute("UPDATE event_log SET changes = JSON_SET(changes, '$.held_until', JSON_ARRAY('2026-11-22 14:40:00.000000',"
                              " '2026-11-22 14:41:00.000000')) WHERE subject = 'order' AND subject_id = @paid AND what = 'created'") > 0
    assert found(forger, "--only", "orders") == ["instant-moved"]


def test_personal_data_of_a_refund_by_the_merchant_that_were_purged(forger: "pymysql.connections.Connection[Any]") -> None:
    """The event of the purge is no claim, of which the merchant would be told."""
    refunded = "description = 'refunded by the merchant' AND state = 'ANULADA'"
    with forger.cursor() as cursor:
        assert cursor.execute(f"UPDATE orders SET email = NULL, version = version + 1, changed_by = 'dispatcher' WHERE {refunded}") == 1
        cursor.execute("INSERT INTO event_log (subject, subject_id, what, from_state, to_state, version, actor, db_account) SELECT 'order', id,"
                       f" 'purged', state, state, version, 'dispatcher', 'recaudo_dispatcher@localhost' FROM orders WHERE {refunded}")
    assert found(forger, "--only", "orders") == []


def test_a_reference_that_was_changed_before_the_payment_was_confirmed(forger: "pymysql.connections.Connection[Any]") -> None:
    """The payment keeps the one that it was registered with. An event that says nothing may have changed it, as in schemas before 21."""
    payments = "SELECT t.state FROM transactions t JOIN orders o ON o.id = t.order_id WHERE t.reference <> o.reference ORDER BY t.id"
    with forger.cursor() as cursor:
        cursor.execute(payments)
        assert [row["state"] for row in cursor.fetchall()] == ["FINALIZADA", "REGISTRADA"]
        assert found(forger) == []
        cursor.execute("UPDATE event_log SET changes = NULL WHERE subject = 'order' AND subject_id = @moved AND what = 'changed'")
        assert found(forger, "--only", "orders") == ["order-value"]
        cursor.execute("UPDATE event_log SET changes = NULL WHERE subject = 'order' AND what = 'created'")
        assert found(forger, "--only", "orders") == []


def test_what_was_stored_does_not_hide_the_finding(forger: "pymysql.connections.Connection[Any]") -> None:
    """On a terminal: by its cursor, by the direction of the letters, or by a line of its own."""
    out = io.StringIO()
    with forger.cursor() as cursor:
        assert cursor.execute("UPDATE merchants SET name = %s", "ñ\r\x1b[1A\x1b[2K\u202e\nchecked 9 orders: 0 findings") > 0
    program.check(program.arguments(["--only", "parties"]), Database(forger), Report(out, False))
    assert out.getvalue() == ("merchant-value: merchant 1: name is ñ\\r\\x1b[1A\\x1b[2K\\u202e\\nchecked 9 orders: 0 findings,"
                              f" the log says {MERCHANT}\n")


def test_old_secret_of_before_the_log_said_any(forger: "pymysql.connections.Connection[Any]") -> None:
    """The log of a schema before 21 does not say until when it is valid."""
    with forger.cursor() as cursor:
        assert cursor.execute("UPDATE event_log SET changes = NULL WHERE subject = 'network' AND what = 'created'") > 0
        assert cursor.execute("UPDATE networks SET old_hash = fixed_hash, old_hash_until = '2099-01-01'") > 0
    assert found(forger, "--only", "parties") == []


def test_parts_of_a_limit_are_of_its_network(forger: "pymysql.connections.Connection[Any]") -> None:
    with forger.cursor() as cursor:
        assert cursor.execute("UPDATE network_rooms SET outstanding_room = NULL") > 0
        cursor.execute("SELECT id FROM networks")
        (network,) = cursor.fetchall()
    assert [(one["finding"], one["subject"], one["id"]) for one in findings_of(forger)] == [("limit-parts", "network", network["id"])]


def test_windows_of_before_the_log_knew_their_length(forger: "pymysql.connections.Connection[Any]") -> None:
    """An upgrade from a schema that did not log the setting leaves no findings."""
    with forger.cursor() as cursor:
        for table, column, of in (("transactions", "window_ends_at", "order_id"), ("orders", "held_until", "id")):
            cursor.execute(f"UPDATE {table} SET {column} = {column} + INTERVAL 1 MINUTE WHERE {of} = @held")
        assert found(forger) == ["window-length"]
        cursor.execute("UPDATE event_log SET changes = NULL WHERE subject IN ('network', 'order') AND what = 'created'")
        assert found(forger, "--only", "orders") == []


def test_cancelled_where_another_server_s_clock_is_late(forger: "pymysql.connections.Connection[Any]") -> None:
    """Confirmed at a server whose clock is ahead: with its event, and within a minute, that is no forgery."""
    cancelled_before = ("UPDATE transactions SET confirmed_at = cancelled_at + INTERVAL %s SECOND, window_ends_at = confirmed_at + INTERVAL 1 SECOND"
                        " WHERE id = @cancelled", "UPDATE event_log e JOIN transactions t ON t.id = e.subject_id SET e.at = t.confirmed_at"
                        " WHERE e.subject = 'transaction' AND e.to_state = 'CONFIRMADA' AND t.id = @cancelled")
    with forger.cursor() as cursor:
        for seconds, names in ((59, set()), (61, {"transaction-instant"})):
            for statement in cancelled_before:
                assert cursor.execute(statement.replace("%s", str(seconds))) > 0, statement
            assert {name for name in found(forger) if name.startswith("transaction")} == names


def test_a_setting_that_was_committed_late(forger: "pymysql.connections.Connection[Any]") -> None:
    """What was confirmed meanwhile has the length of before; the seal says when the change was there. One whose event is newer was not there,
    although the clock that was set back says so."""
    with forger.cursor() as cursor:
        for statement in ("UPDATE event_log SET at = at - INTERVAL 10 MINUTE WHERE subject = 'setting'",
                          "UPDATE seals SET sealed_at = sealed_at - INTERVAL 10 MINUTE"):
            assert found(forger, "--only", "orders") == []
            assert cursor.execute(statement) > 0
        assert found(forger, "--only", "orders") == []
        assert cursor.execute("UPDATE transactions SET window_ends_at = confirmed_at + INTERVAL 30 SECOND WHERE id = @payment") > 0
        assert "window-length" in found(forger, "--only", "orders")
        assert cursor.execute("UPDATE seals SET sealed_at = sealed_at + INTERVAL 10 MINUTE") > 0
        assert "window-length" not in found(forger, "--only", "orders")


@pytest.mark.parametrize("day, closed_by", [("DATE(closed_at)", "dispatcher"), ("DATE(closed_at - INTERVAL 1 DAY)", "operator:ana")])
def test_days_of_settlements(forger: "pymysql.connections.Connection[Any]", day: str, closed_by: str) -> None:
    """A dispatcher's may be closed at a time of its day."""
    with forger.cursor() as cursor:
        assert cursor.execute(f"UPDATE settlements SET day = {day}, zone = 'UTC', closed_by = '{closed_by}' WHERE number = 1") > 0
    assert "settlement-day" not in found(forger, "--only", "money")


CLOSING = "WHERE subject = 'settlement' AND subject_id = 1"


@pytest.mark.parametrize("honest", [f"event_log SET id = (SELECT MIN(id) FROM event_log) - 1 {CLOSING}",
                                    f"event_log SET at = at - INTERVAL 2 MINUTE {CLOSING}", "seals SET sealed_at = sealed_at + INTERVAL 90 SECOND"],
                         ids=["ahead", "ahead and right again", "not committed yet"])
def test_operation_that_came_after_the_closing(forger: "pymysql.connections.Connection[Any]", honest: str) -> None:
    """Whatever its time says: the log has the order, and says where a clock was ahead, and right again before the digest. Its seal says that it
    was committed."""
    with forger.cursor() as cursor:
        for statement in CLOSED_LATER.rstrip(";").split(";"):
            assert cursor.execute(statement) > 0
        assert cursor.execute("UPDATE settlement_items SET settlement = NULL WHERE transaction_id = @payment") > 0
        assert "settlement-item-overdue" in found(forger, "--only", "money")
        assert cursor.execute(f"UPDATE {honest}") > 0
    assert "settlement-item-overdue" not in found(forger, "--only", "money")


def test_tables_that_show_each_reader_something_else(forger: "pymysql.connections.Connection[Any]") -> None:
    """A view in the place of a table, and a column that is computed for whoever reads it."""
    forged = {"dual_control": ("RENAME TABLE dual_control TO stored", "CREATE VIEW dual_control AS SELECT * FROM stored WHERE SESSION_USER() <> ''",
                               "DROP VIEW IF EXISTS dual_control", "RENAME TABLE stored TO dual_control"),
              "console_users": ("ALTER TABLE console_users ADD seen INT AS (IF(SESSION_USER() = '', 1, 2)) VIRTUAL",
                                "ALTER TABLE console_users DROP seen")}
    for table, statements in forged.items():
        half = len(statements) // 2
        with forger.cursor() as cursor:
            try:
                for statement in statements[:half]:
                    cursor.execute(statement)
                findings = findings_of(forger)
            finally:
                for statement in statements[half:]:
                    cursor.execute(statement)
        assert [(one["finding"], one["id"]) for one in findings] == [("table-replaced", table)]
    assert found(forger) == []


@pytest.fixture
def init_connect(books: Stack) -> Iterator[None]:
    """What the server does in each session before its client: the auditor's has a table and a clock of its own."""
    books.mariadb.query("CREATE TABLE kept AS SELECT * FROM accounts")
    books.mariadb.query("GRANT CREATE TEMPORARY TABLES, SELECT ON *.* TO recaudo_reader@localhost")
    books.mariadb.query("SET GLOBAL init_connect = %s", f"CREATE TEMPORARY TABLE {DATABASE}.accounts AS SELECT * FROM {DATABASE}.kept; SET timestamp = 1")
    yield
    books.mariadb.query("SET GLOBAL init_connect = ''")
    books.mariadb.query("REVOKE CREATE TEMPORARY TABLES, SELECT ON *.* FROM recaudo_reader@localhost")
    books.mariadb.query("DROP TABLE kept")


def test_session_that_the_server_has_changed(books: Stack, init_connect: None) -> None:
    findings = [json.loads(line) for line in run(books, "--json").stdout.splitlines()[:-1]]
    assert [(one["finding"], one["id"]) for one in findings] == [("table-replaced", "accounts")]
    session = connect(user="recaudo_reader", password=Path(books.mariadb.password_file("recaudo_reader")).read_text().strip(),
                      unix_socket=books.mariadb.socket, database=DATABASE)
    assert session.value("SELECT UTC_TIMESTAMP() > '2000-01-01'") == 1
    session.connection.close()


# A rule that was made a second before the claim may not have been there; one that was removed before the clock was set back is gone.
JUST_MADE = (f"UPDATE event_log SET at = (SELECT at - INTERVAL 1 SECOND FROM event_log WHERE {CLAIM}) WHERE changes LIKE '%dual_control.claim%';"
             f"UPDATE seals SET sealed_at = (SELECT at - INTERVAL 1 SECOND FROM event_log WHERE {CLAIM})")
SET_BACK = ("INSERT INTO event_log (at, subject, subject_id, what, actor, changes) SELECT at + INTERVAL 1 HOUR, subject, subject_id, what, actor,"
            " JSON_OBJECT('dual_control.claim.COP', JSON_ARRAY('44999.0000, 86400 s', NULL)) FROM event_log WHERE changes LIKE '%dual_control.claim%';"
            f"UPDATE event_log SET id = (SELECT MAX(id) + 1 FROM event_log) WHERE {CLAIM}")


@pytest.mark.parametrize("statements", [f"{DEMANDED};{APPROVED.format(approver='console:eva')}", f"{DEMANDED};{JUST_MADE}", f"{DEMANDED};{SET_BACK}",
                                        DEMANDED.replace("44999", "45000")], ids=["approved", "just made", "set back", "not above"])
def test_claims_that_a_second_user_approved_or_did_not_need_to(forger: "pymysql.connections.Connection[Any]", statements: str) -> None:
    with forger.cursor() as cursor:
        for statement in statements.split(";"):
            assert cursor.execute(statement) > 0
    assert "claim-approval" not in found(forger, "--only", "orders")


def test_changes_that_a_second_user_approved_or_did_not_need_to(forger: "pymysql.connections.Connection[Any]") -> None:
    with forger.cursor() as cursor:
        for statement in RULED.rstrip(";").split(";"):
            assert cursor.execute(statement) > 0
        assert "change-approval" not in found(forger, "--only", "parties")
        assert cursor.execute("UPDATE event_log SET actor = 'operator:eva' WHERE subject = 'approval' AND what = 'created'") > 0
    assert [one["finding"] for one in findings_of(forger, "--only", "parties")].count("change-approval") == 5


LOWERED = ("INSERT INTO event_log (subject, subject_id, what, actor, reason) SELECT 'network', id, 'money limits', 'x',"
           " 'COP: day 50000.0000 (was 5000000.0000), outstanding 2000000.0000 (was 2000000.0000)' FROM networks")
SET_TODAY = "UPDATE event_log SET reason = REPLACE(reason, 'day 5000000', 'day 50000') WHERE what = 'money limits'"


@pytest.mark.parametrize("statements", [LIMITED, f"{LIMITED};{LOWERED}", SET_TODAY], ids=["kept", "lowered today", "set today"])
def test_days_whose_limit_was_kept(forger: "pymysql.connections.Connection[Any]", statements: str) -> None:
    with forger.cursor() as cursor:
        for statement in statements.split(";"):
            assert cursor.execute(statement) > 0
    assert "limit-day" not in found(forger, "--only", "money")


def test_person_is_the_one_that_the_database_knows(books: Stack) -> None:
    """Whatever a program calls him."""
    for actor in ("operator:eva", "operator:EVA", "console:eva@x.example", "console:CN=Eva,CN=Users,DC=x", "console:OU=Caja, CN=Eva", "eva:ivo", "eve",
                  "console:serialNumber=7+CN=eva,O=Red", "user:/O=Red/CN=eva/OU=Caja", "console:/UID=7+CN=Eva/O=Red", "console:O=Red,/CN=Eva",
                  "operator:red.example\\Eva@red.example", "console:CN=Eva,O=Red\\, SA", "console:CN=Ivo\\eva", "console:xcn=eva", "console:ivo@eva", ""):
        assert books.mariadb.query("SELECT actor_person(%s) AS person", actor) == [{"person": person(actor)}], actor


def test_payments_that_no_dispatcher_has_passed_over(forger: "pymysql.connections.Connection[Any]") -> None:
    """Where none runs, all that were confirmed later wait, too. A top-up waits where its account is full."""
    with forger.cursor() as cursor:
        assert cursor.execute(ENDED_LONG_AGO.format(where="state IN ('CONFIRMADA', 'FINALIZADA')")) > 0
        assert "payment-passed-over" not in found(forger, "--only", "orders")
        assert cursor.execute(ENDED_LONG_AGO.format(where="state = 'CONFIRMADA'")) > 0
        assert cursor.execute("UPDATE accounts SET balance = 999999999999999.9999") > 0
    assert [one["finding"] for one in findings_of(forger, "--only", "orders")].count("payment-passed-over") == 1


@pytest.mark.parametrize("minutes, names", [(59, []), (61, ["event-backdated"])])
def test_times_that_go_back(forger: "pymysql.connections.Connection[Any]", minutes: int, names: list[str]) -> None:
    """A statement may run for long, and its events have the time when it began. Each step back is one finding."""
    with forger.cursor() as cursor:
        for earlier in (minutes, minutes, 0):
            cursor.execute("INSERT INTO event_log (at, subject, subject_id, what, actor) SELECT MAX(at) - INTERVAL %s MINUTE, 'setting', 1, 'test', 'x'"
                           " FROM event_log", earlier)
    assert [one["finding"] for one in findings_of(forger)] == names


# The last events of a seal are late ones of another, made two hours later; between the two, one was made.
LATE = ("UPDATE seals SET late = (SELECT s.last_id FROM seals s WHERE s.number = 1), sealed_at = sealed_at + INTERVAL 2 HOUR WHERE number = 3;"
        "UPDATE seals SET sealed_at = sealed_at + INTERVAL {minutes} MINUTE WHERE number = 2")


@pytest.mark.parametrize("minutes, every, is_late", [(61, 60, True), (59, 60, False), (61, 1, True), (61, 3600, False)])
def test_events_that_came_more_than_an_hour_late(forger: "pymysql.connections.Connection[Any]", minutes: int, every: int, is_late: bool) -> None:
    """Its range was searched meanwhile. Where seals are made each hour, it was not."""
    with forger.cursor() as cursor:
        for statement in LATE.format(minutes=minutes).split(";"):
            assert cursor.execute(statement) > 0
    assert ("event-late" in found(forger, "--only", "seals", "--seal-every", str(every))) == is_late


def test_exit_status(books: Stack, tmp_path: Path) -> None:
    assert run(books, "--user", "nobody").returncode == 3
    assert run(books, "--public-key", str(tmp_path / "none")).returncode == 2
    assert run(books, "--only", "else").returncode == 2
    for every in ("0", "-1", "inf", "nan", "3601", "1h"):
        assert run(books, "--seal-every", every).returncode == 2
    books.mariadb.query("UPDATE accounts SET name = name")
    books.mariadb.query("UPDATE accounts SET balance = balance + 1")
    result = run(books, "--only", "money")
    books.mariadb.query("UPDATE accounts SET balance = balance - 1")
    assert result.returncode == 1 and result.stdout.startswith("account-balance: account ")


def test_a_missing_module_is_no_finding(tmp_path: Path) -> None:
    """As where the package was installed without what it recommends."""
    (tmp_path / "pymysql.py").write_text("raise ModuleNotFoundError('none', name='pymysql')\n")
    result = subprocess.run([sys.executable, AUDIT], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "recaudo-audit: the Python module pymysql is missing (Debian: apt-get install python3-pymysql)\n"


@pytest.mark.parametrize("buffered", ["", "1"])
@pytest.mark.parametrize("words", [[], ["--json"], ["--help"]])
def test_a_report_that_cannot_be_written_is_no_finding(books: Stack, buffered: str, words: list[str]) -> None:
    command = [sys.executable, AUDIT, "--socket", books.mariadb.socket, "--password-file",
               books.mariadb.password_file("recaudo_reader"), *words]
    environment = {**os.environ, "PYTHONUNBUFFERED": buffered}
    with open("/dev/full", "w") as full:
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=environment)
    assert (result.returncode, result.stderr) == (2, "recaudo-audit: standard output could not be written: No space left on device\n")
    reader, writer = os.pipe()
    os.close(reader)
    result = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, env=environment)
    os.close(writer)
    assert (result.returncode, result.stderr) == (2, "recaudo-audit: standard output could not be written: Broken pipe\n")
    closed = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *command], stderr=subprocess.PIPE, text=True, env=environment)
    assert (closed.returncode, closed.stderr) == (2, "recaudo-audit: standard output is closed\n")


def test_events_that_no_seal_covers(books: Stack) -> None:
    """They are no findings, and the program says how many there are, and since when."""
    result = run(books, "--only", "seals", "--json")
    assert json.loads(result.stdout.splitlines()[-1])["events_after_the_last_seal"] == 0
    (row,) = books.mariadb.query("SELECT DATE_FORMAT(UTC_TIMESTAMP() - INTERVAL 30 MINUTE, '%Y-%m-%dT%H:%i:%s.%fZ') AS since")
    books.mariadb.query("INSERT INTO event_log (at, subject, subject_id, what, actor, db_account) VALUES (%s, 'setting', 1, 'test', 'test', 'test'),"
                        " (UTC_TIMESTAMP(6), 'setting', 1, 'test', 'test', 'test')", row["since"].rstrip("Z"))
    result = run(books, "--only", "seals")
    assert (result.returncode, result.stdout.splitlines()[:2]) == (
        0, ["events after the last seal: 2", f"not sealed since: {row['since']}"]), result
    verdict = books.ctl.json("audit", "verify")
    assert (verdict["waiting_events"], verdict["waiting_since"]) == (2, row["since"])
    wait_until(lambda: sealed(books), "the log to be sealed", 60)


def test_events_that_no_program_wrote_are_counted(forger: "pymysql.connections.Connection[Any]") -> None:
    """Sealed or not. They are no findings: upgrades and rules of approval are among them."""
    counted = []
    for account in ("recaudo_worker@10.0.0.1", "root@localhost", "recaudo_worker2@localhost"):
        report = Report(io.StringIO(), True)
        program.check(program.arguments(["--only", "seals"]), Database(forger), report)
        counted.append(report.notes["events_by_accounts_of_no_program"])
        with forger.cursor() as cursor:
            cursor.execute("INSERT INTO event_log (subject, subject_id, what, actor, db_account) VALUES ('setting', 1, 'test', 'x', %s)", account)
    assert counted[0] > 0 and counted == [counted[0], counted[0], counted[0] + 1]


def test_unsigned_seals_and_lines_that_are_none(books: Stack, tmp_path: Path) -> None:
    """As recaudoctl audit verify finds them."""
    key, public, kept = (tmp_path / name for name in ("key", "public", "kept"))
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", key], check=True, capture_output=True)
    subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-out", public], check=True, capture_output=True)
    (row,) = books.mariadb.query("SELECT COUNT(*) AS seals FROM seals")
    result = run(books, "--only", "seals", "--public-key", str(public))
    assert (result.returncode, result.stdout.count("seal-unsigned: ")) == (1, row["seals"])
    assert run(books, "--only", "seals", "--public-key", str(public), "--signed-from", str(row["seals"] + 1)).returncode == 0
    alone = run(books, "--only", "seals", "--signed-from", "1")
    assert (alone.returncode, alone.stdout) == (2, "") and "--signed-from requires --public-key" in alone.stderr
    seal = "recaudo-seal\t1\t1\t2026-01-01 00:00:00.000000\t1\t1\t1\t\t" + 64 * "a" + "\t" + 64 * "b" + "\t\t\n"
    resumed = f"recaudo-seal-resume\t1\t0\t\t{64 * '0'}\t2026-01-01T00:00:00Z\toperator:ana\ta reason\n"
    for text, wrong in ((seal[:20] + "\n" + seal + resumed, 0), (seal + seal[:20], 1), (seal + "\n" + seal, 1), ("\0\0\n", 1),
                        (seal.replace("\t1\t2026", "\t0\t2026"), 1), (seal.replace("bb\t", "bx\t"), 1)):
        kept.write_text(text)
        result = run(books, "--only", "seals", "--against", str(kept))
        assert result.stdout.count("kept-unreadable: ") == wrong, (text, result)


def test_line_of_a_signed_seal_that_was_cut_is_none(books: Stack, tmp_path: Path) -> None:
    """Wherever it was cut; as recaudoctl audit verify finds it."""
    kept = tmp_path / "kept"
    seal = "\t".join(["recaudo-seal", "1", "1", "2026-01-01 00:00:00.000000", "1", "1", "1", "", *(size * "a" for size in (64, 64, 16, 128))])
    kept.write_text("".join(seal[:size] + "\n" for size in range(len(seal), 0, -1)))  # none is the beginning of the next
    verdict = books.ctl.run("audit", "verify", "--against", str(kept))
    assert verdict.stderr.count("kept-unreadable: ") == len(seal) - 1
    assert Kept(kept).unreadable == list(range(2, len(seal) + 1))


@pytest.mark.parametrize("every, days, waiting", [(60, 0.9, 1), (60, 1.1, 0), (3600, 59, 1), (3600, 61, 0), (1, 0.1, 0)])
def test_late_events_are_searched_for_by_the_interval_of_the_seals(forger: "pymysql.connections.Connection[Any]", every: float, days: float,
                                                                   waiting: int) -> None:
    """One in the range of a seal that is so many days old."""
    out = io.StringIO()
    given = program.arguments(["--seal-every", str(every)])
    seals = Seals(Database(forger), Report(out, True), None, 1, None, given.seal_every)
    assert seals.name_events({"number": 1, "made": seals.newest - timedelta(days=days)}, {7: bytes(32)}, {}) == 0
    assert (seals.waiting, out.getvalue().count("event-added")) == (waiting, 1 - waiting)


def test_signatures(tmp_path: Path) -> None:
    """As OpenSSL makes them."""
    key, public, message, signature = (tmp_path / name for name in ("key", "public", "message", "signature"))
    message.write_bytes(b"recaudo-seal 1\n")
    for words in (["genpkey", "-algorithm", "ed25519", "-out", key], ["pkey", "-in", key, "-pubout", "-out", public],
                  ["pkeyutl", "-sign", "-inkey", key, "-rawin", "-in", message, "-out", signature]):
        subprocess.run(["openssl", *words], check=True, capture_output=True)
    ((_, raw),) = ed25519.read_public_keys(public.read_text()).items()
    assert ed25519.verify(raw, message.read_bytes(), signature.read_bytes())
    assert not ed25519.verify(raw, b"recaudo-seal 2\n", signature.read_bytes())
    assert not ed25519.verify(raw, message.read_bytes(), bytes(64))


def test_signature_that_is_no_number(forger: "pymysql.connections.Connection[Any]", tmp_path: Path) -> None:
    """It is wrong, and the others are looked at."""
    key, public = tmp_path / "key", tmp_path / "public"
    for words in (["genpkey", "-algorithm", "ed25519", "-out", key], ["pkey", "-in", key, "-pubout", "-out", public]):
        subprocess.run(["openssl", *words], check=True, capture_output=True)
    (name,) = ed25519.read_public_keys(public.read_text())
    with forger.cursor() as cursor:
        assert cursor.execute("UPDATE seals SET key_id = %s, signature = IF(number = 1, 'x', REPEAT('0', 128))", name) > 1
        cursor.execute("SELECT number FROM seals")
        numbers = {row["number"] for row in cursor.fetchall()}
    findings = findings_of(forger, "--only", "seals", "--public-key", str(public))
    assert {one["id"] for one in findings if one["finding"] == "signature-wrong"} == numbers, findings
