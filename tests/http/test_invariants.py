"""The checker is checked: each kind of damage is found, under its number, and nothing is found where there is none."""

from typing import Iterator

import pytest

from checked import expect
from conftest import WINDOW_SECONDS
from tests.stack import Stack
from tests.stack.invariants import BREACHES, breaches
from world import NETWORK, SERVICE_NAME, World

# Statements that do the damage. {paid}, {held}, {free}, {expired} and {deleted} are orders; {payment}, {holder},
# {topup} and {registered} are transactions.
SABOTAGE: list[tuple[int, str]] = [
    (1, "INSERT INTO event_log (subject, subject_id, what, from_state, to_state, actor, db_account)"
        " VALUES ('order', {paid}, 'state', 'PENDIENTE', 'APROBADA', 'x', 'x')"),
    (1, "UPDATE transactions SET order_id = {paid} WHERE id = {holder}"),
    (2, "INSERT INTO event_log (subject, subject_id, what, from_state, to_state, actor, db_account)"
        " VALUES ('order', {free}, 'state', 'VENCIDA', 'PENDIENTE', 'x', 'x')"),
    (2, "INSERT INTO event_log (subject, subject_id, what, from_state, to_state, actor, db_account)"
        " VALUES ('transaction', {payment}, 'state', 'CANCELADA', 'CONFIRMADA', 'x', 'x')"),
    (2, "INSERT INTO event_log (subject, subject_id, version, what, from_state, to_state, actor, db_account)"
        " VALUES ('order', {free}, 9, 'changed', 'PENDIENTE', 'PENDIENTE', 'x', 'x')"),
    (2, "INSERT INTO event_log (subject, subject_id, version, what, from_state, to_state, actor, db_account)"
        " VALUES ('transaction', {holder}, 2, 'changed', 'CONFIRMADA', 'CONFIRMADA', 'x', 'x')"),
    (3, "DELETE FROM notifications WHERE order_id = {paid}"),
    (3, "DELETE FROM notifications WHERE order_id = {expired}"),
    (3, "INSERT INTO notifications (order_id, merchant_id, status, state, amount, payment_means)"
        " VALUES ({free}, 1, 'approved', 'pending', 1, 'x')"),
    (4, "INSERT INTO notifications (order_id, merchant_id, status, state, amount, payment_means)"
        " VALUES ({deleted}, 1, 'cancelled', 'pending', 1, 'x')"),
    (5, "UPDATE transactions SET state = 'CANCELADA', cancelled_at = confirmed_at WHERE id = {holder}"),
    (6, "UPDATE transactions SET finalised_at = confirmed_at WHERE id = {payment}"),
    (6, "UPDATE transactions SET window_ends_at = window_ends_at + INTERVAL 1 MICROSECOND WHERE id = {payment}"),
    (6, "UPDATE transactions SET state = 'CANCELADA', cancelled_at = window_ends_at WHERE id = {holder}"),
    (7, "UPDATE orders SET state = 'VENCIDA', held_by = NULL, held_until = NULL WHERE id = {held}"),
    (7, "UPDATE orders SET held_by = NULL, held_until = NULL WHERE id = {held}"),
    (7, "UPDATE orders SET held_until = held_until + INTERVAL 1 SECOND WHERE id = {held}"),
    (7, "UPDATE orders SET held_by = {payment}, held_until = UTC_TIMESTAMP(6) WHERE id = {free}"),
    (7, "INSERT INTO orders (merchant_id, po_id, reference, state, amount, currency, origin, due_at, paid_by, changed_by)"
        " SELECT merchant_id, 'twice', reference, 'APROBADA', amount, currency, origin, due_at, {holder}, 'x' FROM orders"
        " WHERE id = {paid}"),
    (7, "UPDATE orders SET due_at = '2020-01-01' WHERE id = {paid}"),
    (8, "UPDATE accounts SET balance = balance + 0.0001"),
    (8, "UPDATE network_rooms SET day_room = day_room + 0.0001 WHERE part = 3"),
    (8, "UPDATE network_rooms SET day_share = day_share + 1 WHERE part = 3"),
    (8, "UPDATE network_rooms SET outstanding_room = outstanding_room - 1 WHERE part = 3"),
    (8, "UPDATE accounts SET reserved = reserved + 0.0001"),
    (8, "UPDATE accounts SET reserved = 999999999999999.9999"),
    (8, "INSERT INTO account_ledger (account_id, transaction_id, amount, balance) VALUES (1, 999999, 1, 1)"),
    (8, "INSERT INTO account_ledger (account_id, transaction_id, amount, balance) VALUES (1, {registered}, 1, 101)"),
    (8, "UPDATE transactions SET amount = amount + 1 WHERE id = {topup}"),
    (8, "UPDATE notifications SET amount = amount + 0.01 WHERE order_id = {paid}"),
    (9, "UPDATE transactions SET amount = amount + 0.01 WHERE id = {holder}"),
    (9, "UPDATE transactions SET currency = 'USD' WHERE id = {holder}"),
    (9, "UPDATE orders SET amount = 0, min_amount = 50000, max_amount = 60000 WHERE id = {held}"),
    (10,
     "INSERT INTO transactions (id, network_id, network_transaction, order_id, account_id, reference, state, version, amount, currency,"
     " commerce, description, teller, given_names, surname1, surname2, fingerprint, registered_at, confirmed_at, window_ends_at,"
     " finalised_at, cancelled_at, changed_by)"
     " SELECT id + 1000000, network_id, network_transaction, order_id, account_id, reference,"
         " 'CANCELADA', 1, amount, currency, commerce, description, teller, given_names, surname1, surname2,"
         " fingerprint, registered_at, NULL, NULL, NULL, registered_at, changed_by FROM transactions"
         " WHERE id = {holder}"),
]


@pytest.fixture(scope="module")
def clean() -> Iterator[tuple[World, dict[str, int]]]:
    """An instance with a little of everything, and its rows by name."""
    with Stack(settings={"worker": {"cancel_window": f"{WINDOW_SECONDS}s"}}, dispatcher=False,
               buffer_pool="16M") as stack:
        world = World(stack)
        stack.ctl.done("network", "limit", NETWORK, "COP", "--outstanding", "800000")
        # While this key is not unique the same transaction can be put in twice, as invariant 10 needs it.
        world.write("ALTER TABLE transactions DROP FOREIGN KEY transaction_network, DROP KEY network_transaction")
        world.write("ALTER TABLE transactions ADD KEY network_transaction (network_id, network_transaction)")
        with world.connect() as network:
            orders = {name: world.order() for name in ("paid", "held", "free", "expired", "deleted")}
            document = world.account()
            topup, registered = world.fresh(), world.fresh()
            for transaction in (topup, registered):
                expect(network.register(document, "100", transaction, SERVICE_NAME), "0000")
            expect(network.confirm(topup), "0000")
            world.close_window(topup)
            world.write("UPDATE orders SET state = 'CANCELADA' WHERE id = %s", orders["deleted"].id)
            world.write("UPDATE orders SET due_at = UTC_TIMESTAMP(6) WHERE id = %s", orders["expired"].id)
            payment = world.pay(network, orders["paid"])
            # The day's after what was moved back by an hour, which may have been yesterday.
            stack.ctl.done("network", "limit", NETWORK, "COP", "--day", "900000")
            holder = world.confirm(network, orders["held"])
        rows = {name: order.id for name, order in orders.items()}
        transactions = {"payment": payment, "holder": holder, "topup": topup, "registered": registered}
        rows.update({name: world.transaction(id)["id"] for name, id in transactions.items()})
        # What they let nobody change is damaged here.
        for table in ("orders", "transactions"):
            world.write(f"CREATE OR REPLACE TRIGGER {table}_guard BEFORE UPDATE ON {table} FOR EACH ROW"
                        " SET NEW.version = OLD.version + 1")
        world.write("DROP TRIGGER notifications_guard")
        world.write("DROP TRIGGER notifications_stay")
        yield world, rows


def test_nothing_is_found_where_nothing_is_broken(clean: tuple[World, dict[str, int]]) -> None:
    assert breaches(clean[0], WINDOW_SECONDS) == []


@pytest.mark.parametrize("number, statement", SABOTAGE,
                         ids=[f"{number}-{at}" for at, (number, _) in enumerate(SABOTAGE)])
def test_damage_is_found(clean: tuple[World, dict[str, int]], number: int, statement: str) -> None:
    world, rows = clean
    world.write("SET check_constraint_checks = 0")
    world.database.begin()
    try:
        assert world.write(statement.format(**rows)) >= 1
        found = breaches(world, WINDOW_SECONDS)
    finally:
        world.database.rollback()
        world.write("SET check_constraint_checks = 1")
    assert any(breach.startswith(f"{number}: ") for breach in found), found


def test_every_invariant_is_sabotaged() -> None:
    assert {number for number, _, _ in BREACHES} == {number for number, _ in SABOTAGE}
