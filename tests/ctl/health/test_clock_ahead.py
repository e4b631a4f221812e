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
    wait_until(lambda: is_final(stack, transaction), "the payment to be final", 60)
    last = pay(stack, network)
    assert used(stack) == before + 2 * 45000
    wait_until(lambda: is_final(stack, last), "the last payment to be final", 60)
    stack.ctl.done("network", "limit", network.name, "COP", "--day", "none")
