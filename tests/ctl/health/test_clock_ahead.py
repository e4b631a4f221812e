"""What was confirmed while the database's clock was ahead: status names it, and the page's statements mend it."""

from decimal import Decimal

from tests.stack import Network, Stack, wait_until
from tests.stack.page_blocks import block

from operator_steps import COMMERCE, add_order, fresh


def ahead(stack: Stack) -> list[str]:
    return [line for line in stack.ctl.run("status").stderr.splitlines() if "clock was ahead (" in line]


def used(stack: Stack) -> Decimal:
    """What the networks with a limit have used of their day."""
    (row,) = stack.mariadb.query("SELECT SUM(day_used) AS used FROM network_limits_now")
    return Decimal(row["used"])


def pay(stack: Stack, network: Network) -> str:
    transaction = fresh("T")
    assert network.register(add_order(stack.ctl)["reference"], "45000", transaction, COMMERCE).code == "0000"
    assert network.confirm(transaction).code == "0000"
    return transaction


def run(stack: Stack, statements: str) -> None:
    with stack.mariadb.connect() as connection, connection.cursor() as cursor:
        for statement in filter(str.strip, statements.split(";")):
            cursor.execute(statement)


def is_final(stack: Stack, transaction: str) -> bool:
    stack.dispatcher.show_life()
    (row,) = stack.mariadb.query("SELECT t.state, o.state AS of_order FROM transactions t JOIN orders o ON o.id = t.order_id"
                                 " WHERE t.network_transaction = %s", transaction)
    return bool((row["state"], row["of_order"]) == ("FINALIZADA", "APROBADA"))


def test_windows_of_a_clock_that_was_ahead(stack: Stack, network: Network) -> None:
    stack.ctl.done("network", "limit", network.name, "COP", "--day", "200000000")
    before = used(stack)
    transaction = pay(stack, network)
    assert ahead(stack) == []
    run(stack, "START TRANSACTION; UPDATE transactions SET confirmed_at = confirmed_at + INTERVAL 100 DAY, window_ends_at = window_ends_at"
               f" + INTERVAL 100 DAY WHERE network_transaction = '{transaction}'; UPDATE orders o JOIN transactions t ON t.id = o.held_by"
               f" SET o.held_until = t.window_ends_at WHERE t.network_transaction = '{transaction}';"
               " UPDATE network_rooms SET day = day + INTERVAL 100 DAY, day_room = 100000 WHERE part <> 3 AND network_id ="
               f" (SELECT id FROM networks WHERE name = '{network.name}'); COMMIT")
    payments, limits = ahead(stack)
    assert payments.startswith("recaudoctl: payments were confirmed while the database's clock was ahead (1): ")
    assert limits.startswith("recaudoctl: limits of networks are of a day to come, because the database's clock was ahead (1): ")
    run(stack, "UPDATE settings SET cancel_window = 1000000")
    try:
        run(stack, block("operations.md", "clock ahead"))
    finally:
        run(stack, "UPDATE settings SET cancel_window = 30000000")
    assert ahead(stack) == []
    assert used(stack) == before + 45000
    assert stack.ctl.run("status").stderr.count("the database's clock was ahead") == 0
    wait_until(lambda: is_final(stack, transaction), "the payment to be final", 60)
    last = pay(stack, network)
    assert used(stack) == before + 2 * 45000
    wait_until(lambda: is_final(stack, last), "the last payment to be final", 60)
    stack.ctl.done("network", "limit", network.name, "COP", "--day", "none")


def test_attempts_of_a_clock_that_was_ahead(stack: Stack, network: Network) -> None:
    """An endpoint that has failed is asked again a day later, and a notification sent, unless somebody says so."""
    def waits() -> dict[str, object]:
        (row,) = stack.mariadb.query("SELECT (SELECT MAX(due_at) FROM notifications WHERE state = 'pending') < UTC_TIMESTAMP(6) + INTERVAL 1"
                                     " SECOND AS sent, (SELECT MAX(resting_until) FROM endpoints) < UTC_TIMESTAMP(6) + INTERVAL 1 SECOND AS"
                                     " ended, (SELECT COUNT(*) FROM payment_counts WHERE began_at > UTC_TIMESTAMP(6)) AS counted")
        return dict(row)

    assert "clock was ahead" not in stack.ctl.run("status").stderr
    pay(stack, network)
    stack.dispatcher.show_life()
    run(stack, "UPDATE notifications SET state = 'pending', attempts = 1, settled_at = NULL, due_at = UTC_TIMESTAMP(6) + INTERVAL 14 HOUR"
               " WHERE id = (SELECT MAX(id) FROM notifications);"
               " INSERT INTO endpoints (merchant_id, failures, resting_until, failing_since) SELECT merchant_id, 5,"
               " UTC_TIMESTAMP(6) + INTERVAL 14 HOUR, UTC_TIMESTAMP(6) + INTERVAL 14 HOUR FROM notifications ORDER BY id DESC LIMIT 1"
               " ON DUPLICATE KEY UPDATE resting_until = VALUES(resting_until), failing_since = VALUES(failing_since);"
               " INSERT INTO payment_counts (span, began_at, currency, payments) VALUES ('minute', DATE_FORMAT(UTC_TIMESTAMP(6) + INTERVAL"
               " 14 HOUR, '%Y-%m-%d %H:%i:00'), '', 0)")
    assert "recaudoctl: the database's clock was ahead, as far as " in stack.ctl.run("status").stderr
    run(stack, block("operations.md", "clock ahead"))
    assert waits() == {"sent": 1, "ended": 1, "counted": 0}
    assert "clock was ahead" not in stack.ctl.run("status").stderr


def test_settlement_that_a_clock_ahead_has_closed(stack: Stack) -> None:
    guard = stack.mariadb.query("SHOW CREATE TRIGGER settlements_keep")[0]["SQL Original Statement"]
    opened = "UPDATE settlements SET opened_at = opened_at + INTERVAL %d HOUR WHERE is_open = 1"
    stack.mariadb.query("DROP TRIGGER settlements_keep")
    run(stack, opened % 14)
    try:
        assert "recaudoctl: a settlement was closed while the database's clock was ahead, too early" in stack.ctl.run("status").stderr
    finally:
        run(stack, opened % -14)
        stack.mariadb.query(guard)
    assert "clock was ahead" not in stack.ctl.run("status").stderr
