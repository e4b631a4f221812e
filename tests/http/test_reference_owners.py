"""A reference belongs to one merchant or account, and stays its own for a time after its order was closed."""

from functools import partial
from typing import Any, Callable, Iterator

import pytest

from checked import CheckedMerchant, expect
from tests.stack import wait_until
from together import at_once
from world import COMMERCE, MERCHANT, World

ROUNDS = 20


@pytest.fixture
def others_name(world: World) -> str:
    """A merchant of its own for each test, with the quarantine of 90 days."""
    name = world.fresh("tienda")
    world.add_merchant(name, COMMERCE)
    return name


@pytest.fixture
def others(world: World, others_name: str) -> Iterator[CheckedMerchant]:
    with world.connect_merchant(others_name) as merchant:
        yield merchant


@pytest.fixture
def merchant(world: World) -> Iterator[CheckedMerchant]:
    with world.connect_merchant() as merchant:
        yield merchant


def post(world: World, merchant: CheckedMerchant, **fields: str) -> str:
    return merchant.post(merchant.porder(world.fresh("po"), world.day(), **fields)).code


def closed(world: World, merchant: CheckedMerchant) -> str:
    """The reference of an order that was registered and deleted."""
    order, reference = world.fresh("po"), world.fresh_number()
    expect(merchant.post(merchant.porder(order, world.day(), reference=reference)), "0000")
    expect(merchant.delete(order), "0000")
    return reference


def add_account(world: World, document: str) -> Any:
    return world.stack.ctl.run("account", "add", "--document", document, "--type", "CC", "--name", "Ana")


def owner(world: World, reference: str) -> Any:
    return world.stack.ctl.json("reference", "show", reference)


def test_a_customers_document_cannot_be_captured(world: World, merchant: CheckedMerchant) -> None:
    """The attack: an order with the number of a customer who gets an account later, or has one."""
    document, order = world.fresh_number(), world.fresh("po")
    expect(merchant.post(merchant.porder(order, world.day(), reference=document)), "0000")
    refused = add_account(world, document)
    assert refused.returncode == 1 and f"is the reference of an open order of {MERCHANT}" in refused.stderr
    expect(merchant.delete(order), "0000")
    refused = add_account(world, document)
    assert refused.returncode == 1 and "is the reference of a closed order" in refused.stderr
    assert f"recaudoctl reference show {document} says until when" in refused.stderr
    customer = world.account()
    assert post(world, merchant, reference=customer) == "0043"
    with pytest.raises(Exception, match="reference_owner"):
        world.order(reference=customer)
    assert owner(world, customer)["owner"] == "account"


def test_a_closed_orders_reference_stays_its_merchants(world: World, merchant: CheckedMerchant, others: CheckedMerchant) -> None:
    reference = closed(world, others)
    shown = owner(world, reference)
    assert (shown["merchant"], shown["open_order"], shown["free"]) == (others.name, None, False)
    assert post(world, merchant, reference=reference) == "0043"
    assert post(world, others, reference=reference) == "0000"
    assert owner(world, reference)["kept_until"] is None


def test_the_time_runs_out(world: World, merchant: CheckedMerchant, others: CheckedMerchant) -> None:
    """By the database's clock, from when the order was closed; from then on it is the next merchant's."""
    first, second, document = (closed(world, others) for _ in range(3))
    world.stack.ctl.done("reference", "keep", "0", "--merchant", others.name)
    assert owner(world, first)["free"] is True
    assert post(world, merchant, reference=first) == "0000"
    assert owner(world, first)["merchant"] == MERCHANT
    assert post(world, others, reference=first) == "0043"
    assert add_account(world, document).returncode == 0
    world.stack.ctl.done("reference", "keep", "1d", "--merchant", others.name)
    assert post(world, merchant, reference=second) == "0043"
    closed_at = world.value("SELECT MAX(closed_at) FROM orders WHERE reference = %s", second)
    world.stack.ctl.done("reference", "keep", "3s", "--merchant", others.name)
    wait_until(lambda: post(world, merchant, reference=second) == "0000", "the reference to be free")
    taken_at = world.value("SELECT MAX(created_at) FROM orders WHERE reference = %s", second)
    assert (taken_at - closed_at).total_seconds() > 2.9  # created_at is when the statement began, which is judged later


def test_a_changed_reference_is_kept_too(world: World, merchant: CheckedMerchant, others: CheckedMerchant) -> None:
    order, first, second = world.fresh("po"), world.fresh_number(), world.fresh_number()
    expect(others.post(others.porder(order, world.day(), reference=first)), "0000")
    expect(others.patch(others.porder(order, world.day(), reference=second)), "0000")
    assert post(world, merchant, reference=first) == "0043"
    taken = closed(world, merchant)
    with world.nothing_written():
        expect(others.patch(others.porder(order, world.day(), reference=taken)), "0043")


@pytest.mark.parametrize("close", ["paid", "expired"])
def test_however_it_was_closed(world: World, merchant: CheckedMerchant, others_name: str, close: str) -> None:
    order = world.order(merchant=others_name)
    if close == "expired":
        world.write("UPDATE orders SET state = 'VENCIDA' WHERE id = %s", order.id)
    else:
        with world.connect() as network:
            world.pay(network, order)
    assert world.order_row(order)["closed_at"] is not None
    assert post(world, merchant, reference=order.reference) == "0043"


def test_prefixes(world: World, merchant: CheckedMerchant, others: CheckedMerchant) -> None:
    prefix = world.fresh_number()[-6:]
    world.stack.ctl.done("reference", "give", prefix, "--merchant", others.name)
    try:
        assert post(world, merchant, reference=prefix + "1") == "0043"
        assert post(world, others, reference=prefix + "1") == "0000"
        assert post(world, others, reference=world.fresh_number()) == "0000"
        order = world.fresh("po")
        expect(merchant.post(merchant.porder(order, world.day())), "0000")
        expect(merchant.patch(merchant.porder(order, world.day(), reference=prefix + "2")), "0043")
        shown = owner(world, prefix + "9")
        assert (shown["owner"], shown["prefix_of"], shown["free"]) == ("nobody", others.name, False)
    finally:
        world.stack.ctl.done("reference", "take", prefix)
    assert owner(world, prefix + "9")["free"] is True
    assert post(world, merchant, reference=prefix + "2") == "0000"


def test_assigned_references_keep_clear_of_prefixes(world: World, others: CheckedMerchant) -> None:
    """Also of the merchant's own: nine of ten draws fall under one."""
    codes = [row["code"] for row in world.rows("SELECT code FROM integrations WHERE removed_at IS NULL")]
    prefixes = [f"{number}" for number in range(100, 1000) if number % 10 != 7
                and not any(code.startswith(f"{number}") or f"{number}".startswith(code) for code in codes)]
    merchant_id = world.value("SELECT id FROM merchants WHERE name = %s", others.name)
    world.write("INSERT INTO reference_prefixes (prefix, merchant_id, changed_by) VALUES " + ", ".join(
        f"('{prefix}', {merchant_id}, 'test')" for prefix in prefixes))
    try:
        for _ in range(5):
            reply = others.post(others.porder(world.fresh("po"), world.day()))
            assert reply.code == "0028" or not reply.data["Referencia"].startswith(tuple(prefixes))
        added = world.stack.ctl.json("order", "add", "--merchant", others.name, "--order", world.fresh("po"), "--amount", "1",
                                     "--currency", "COP", "--due", "4102444800")
        assert not added["reference"].startswith(tuple(prefixes))
    finally:
        world.write("DELETE FROM reference_prefixes WHERE merchant_id = %s", merchant_id)


def outcome(write: Callable[[], Any]) -> bool:
    """True: written. A key that is taken and a deadlock are refusals, all else is a fault."""
    try:
        write()
    except Exception as error:  # pylint: disable=broad-except
        assert error.args[0] in (1062, 1213), error
        return False
    return True


def test_account_and_order_at_once(world: World) -> None:
    """One of the two is there in the end, never both."""
    merchant_id = world.value("SELECT id FROM merchants WHERE name = %s", MERCHANT)
    with world.stack.mariadb.connect() as left, world.stack.mariadb.connect() as right:
        for _ in range(ROUNDS):
            number, po_id = world.fresh_number(), world.fresh("po")

            def write(connection: Any, sql: str) -> None:
                with connection.cursor() as cursor:
                    cursor.execute(sql)

            won = at_once([partial(outcome, partial(write, left, "INSERT INTO accounts (document, document_type, name, currency,"
                                                    f" changed_by) VALUES ('{number}', 'CC', 'Ana', 'COP', 'test')")),
                           partial(outcome, partial(write, right, "INSERT INTO orders (merchant_id, po_id, reference, amount,"
                                                    f" currency, origin, due_at, changed_by) VALUES ({merchant_id}, '{po_id}',"
                                                    f" '{number}', 1, 'COP', 'imported', '2099-01-01', 'test')"))])
            assert sorted(won) == [False, True]
            assert world.value("SELECT (SELECT COUNT(*) FROM accounts WHERE document = %s)"
                               " + (SELECT COUNT(*) FROM orders WHERE reference = %s)", number, number) == 1


def test_the_second_waits_for_the_first(world: World, others_name: str) -> None:
    """Two transactions: the one that is not the first learns what became of it."""
    ids = [world.value("SELECT id FROM merchants WHERE name = %s", name) for name in (MERCHANT, others_name)]
    insert = ("INSERT INTO orders (merchant_id, po_id, reference, amount, currency, origin, due_at, changed_by, state)"
              " VALUES (%s, %s, %s, 1, 'COP', 'imported', '2099-01-01', 'test', 'CANCELADA')")
    with world.stack.mariadb.connect() as first, world.stack.mariadb.connect() as second:
        for ends, written in (("COMMIT", False), ("ROLLBACK", True)):
            number = world.fresh_number()
            with first.cursor() as cursor, second.cursor() as waiting:
                cursor.execute("START TRANSACTION")
                cursor.execute(insert, (ids[0], world.fresh("po"), number))

                def end() -> bool:
                    world.await_lock_wait()
                    cursor.execute(ends)
                    return True

                won = at_once([end, partial(outcome, partial(waiting.execute, insert, (ids[1], world.fresh("po"), number)))])
                assert won == [True, written]


def test_no_reference_has_two_owners(world: World) -> None:
    """Of everything that the tests of this module have written."""
    assert world.rows("SELECT a.document FROM accounts a JOIN orders o ON o.reference = a.document WHERE o.state = 'PENDIENTE'") == []
    assert world.rows("SELECT o.reference FROM orders o LEFT JOIN reference_owners r ON r.reference = o.reference"
                      " WHERE o.state = 'PENDIENTE' AND NOT r.merchant_id <=> o.merchant_id") == []
