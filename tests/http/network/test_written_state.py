"""Only a written state asserts a payment. The clock refuses, and a cancellation in flight may still commit after its window."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Callable, Iterator

import pytest

from checked import CheckedMerchant, CheckedNetwork, expect
from tests.stack import Client, Reply, Stack, wait_until
from world import COMMERCE, NETWORK, SERVICE_NAME, Order, World

BEFORE_THE_END = timedelta(seconds=2)
QUICKLY = 15.0  # the locks are held until everybody was asked
ATTEMPTS = 5
PAID = {"consult": "APROBADA", "slip": "Pagada", "order show": "APROBADA", "transaction show": "FINALIZADA"}
NOT_YET = {"consult": "PENDIENTE", "slip": "Pago en confirmación", "order show": "PENDIENTE",
           "transaction show": "CONFIRMADA"}
FREE = {"consult": "PENDIENTE", "slip": "Pendiente de pago", "order show": "PENDIENTE", "transaction show": "CANCELADA"}


@pytest.fixture
def browser(stack: Stack) -> Iterator[Client]:
    with Client(stack.base_url) as browser:
        yield browser


class Undone(Exception):
    """The transaction of the database is to be rolled back."""


@contextmanager
def uncommitted(world: World, transaction: str, act: str = "payment_cancel") -> Iterator[None]:
    """The cancellation is made inside the window, or the confirmation in time, and its transaction is still open."""
    with world.stack.mariadb.connect() as blocker, blocker.cursor() as cursor:
        blocker.begin()
        row = world.transaction(transaction)
        cursor.execute("SET time_zone = '+00:00'")
        cursor.execute(f"SELECT {act}(%s, %s, 'network:test') AS done", [row["network_id"], row["network_transaction"]])
        assert cursor.fetchall() == [{"done": 1}]
        try:
            yield
        except Undone:
            blocker.rollback()
            raise
        finally:
            blocker.commit()


class GivenUp(Exception):
    """The machine was so busy that the database gave up the cancellation, after 5 s, before everybody was asked."""


@contextmanager
def no_commits(world: World, transaction: str) -> Iterator[None]:
    """A network's cancellation is done but for its commit, as while a replica that must acknowledge it is away."""
    with (world.stack.mariadb.connect() as blocker, blocker.cursor() as cursor, world.connect() as canceller,
          ThreadPoolExecutor(1) as thread):
        for stage in ("START", "FLUSH", "BLOCK_DDL"):
            cursor.execute(f"BACKUP STAGE {stage}")
        world.await_instant(world.transaction(transaction)["window_ends_at"] - BEFORE_THE_END)
        cursor.execute("BACKUP STAGE BLOCK_COMMIT")
        try:
            answer = thread.submit(canceller.confirm, transaction, False)
            await_stuck(world)
            yield
        finally:
            cursor.execute("BACKUP STAGE END")
        reply = answer.result(60)
        if reply.code == "0028":  # on a busy machine the worker has not waited so long, and the network asks again
            reply = canceller.confirm(transaction, False)
        if reply.code == "0015":
            raise GivenUp
        expect(reply, "0000")


STUCK: dict[str, Callable[[World, str], Any]] = {"open transaction": uncommitted, "commit": no_commits}


def in_time(ask: Callable[[], Any]) -> Any:
    began = time.monotonic()
    answer = ask()
    assert time.monotonic() - began < QUICKLY
    return answer


class Askers:
    """Everybody who may be told that an order is paid."""

    def __init__(self, world: World, order: Order, transaction: str, merchant: CheckedMerchant,
                 browser: Client) -> None:
        self.world = world
        self.row = world.order_row(order)
        self.transaction = transaction
        self.merchant = merchant
        self.browser = browser

    def consulted(self) -> str:
        state: str = in_time(lambda: self.merchant.consult(self.row["po_id"])).data["STATE"]
        return state

    def slip(self) -> str:
        page = in_time(lambda: self.browser.request("GET", f"/pay?token={self.row['token']}")).text
        return " ".join(word for word in ("Pagada", "Pago en confirmación", "Pendiente de pago") if word in page)

    def told(self) -> dict[str, str]:
        ctl = self.world.stack.ctl
        return {"consult": self.consulted(),
                "slip": self.slip(),
                "order show": in_time(lambda: ctl.json("order", "show", f"id:{self.row['id']}"))["state"],
                "transaction show": in_time(lambda: ctl.json("transaction", "show", NETWORK, self.transaction))["state"]}


def codes(world: World, other: CheckedNetwork, order: Order, early: str) -> set[str]:
    """What another network is told of the order."""
    replies: list[Reply] = [in_time(lambda: other.lookup(order.reference)), in_time(lambda: other.confirm(early)),
                            in_time(lambda: other.register(order.reference, "45000", world.fresh(), COMMERCE))]
    return {reply.code for reply in replies}


def await_stuck(world: World) -> None:
    """The cancellation has begun, by the database's clock, and does not come to its end. So may be what a worker notes."""
    waiting = ("SELECT 1 AS waits FROM information_schema.processlist WHERE user = 'recaudo_worker' AND command <> 'Sleep'"
               " AND time_ms > 50 AND info LIKE '%payment_cancel%'")
    wait_until(lambda: world.stack.mariadb.query(waiting), "the cancellation to be stuck")


@pytest.mark.parametrize("how", STUCK)
def test_cancellation_stuck_beyond_the_window(world: World, merchant: CheckedMerchant, network: CheckedNetwork,
                                              other: CheckedNetwork, browser: Client, how: str) -> None:
    """Nobody is told that the order is paid: it is cancelled in the end."""
    for _ in range(ATTEMPTS):
        try:
            ask_while_stuck(world, merchant, network, other, browser, how)
            return
        except GivenUp:
            pass
    pytest.fail("the database gave up each cancellation")


def ask_while_stuck(world: World, merchant: CheckedMerchant, network: CheckedNetwork, other: CheckedNetwork, browser: Client,
                    how: str) -> None:
    order = world.order()
    early = world.register(other, order)
    transaction = world.confirm(network, order)
    ends = world.transaction(transaction)["window_ends_at"]
    askers = Askers(world, order, transaction, merchant, browser)
    with STUCK[how](world, transaction):
        world.await_instant(ends)
        assert askers.told() == NOT_YET
        assert codes(world, other, order, early) == {"0106"}
        assert world.rows("SELECT state_now, window_closed FROM orders_now WHERE id = %s", order.id) == [
            {"state_now": "PENDIENTE", "window_closed": 1}]
        expect(in_time(lambda: merchant.refund(askers.row["po_id"], "45000")), "0028")
    assert askers.told() == FREE
    expect(other.lookup(order.reference), "0000")
    world.dispatch()
    assert world.notifications(order) == []


def topped_up(world: World, network: CheckedNetwork) -> str:
    document, transaction = world.account(), world.fresh()
    expect(network.register(document, "45000", transaction, SERVICE_NAME), "0000")
    expect(network.confirm(transaction), "0000")
    return transaction


PAID_FOR: dict[str, Callable[[World, CheckedNetwork], str]] = {
    "order": lambda world, network: world.confirm(network, world.order()), "account": topped_up}


@pytest.mark.parametrize("what", PAID_FOR)
def test_cancellation_repeated_while_it_is_stuck(world: World, network: CheckedNetwork, what: str) -> None:
    """Nobody says that the payment stands (0015) as long as it may be cancelled still."""
    transaction = PAID_FOR[what](world, network)
    ends = world.transaction(transaction)["window_ends_at"]
    with uncommitted(world, transaction):
        world.await_instant(ends)
        expect(in_time(lambda: network.confirm(transaction, False)), "0028")
    expect(network.confirm(transaction, False), "0000")


def fall_due(world: World, order: Order) -> None:
    world.write("UPDATE orders SET due_at = UTC_TIMESTAMP(6) + INTERVAL 5 SECOND, changed_by = 'test' WHERE id = %s", order.id)


def test_confirmation_repeated_while_it_is_stuck(world: World, network: CheckedNetwork) -> None:
    """Nobody says that it comes too late (0103) as long as it may be confirmed still."""
    order = world.order()
    transaction = world.register(network, order)
    fall_due(world, order)
    with uncommitted(world, transaction, "payment_confirm"):
        world.await_instant(world.order_row(order)["due_at"])
        expect(in_time(lambda: network.confirm(transaction)), "0028")
    expect(network.confirm(transaction), "0000")


def test_cancellation_of_what_cannot_be_written_as_final(world: World, network: CheckedNetwork) -> None:
    """The account has become full by hand: nobody can take the payment back any more, and nobody is changing it."""
    document, transaction = world.account(), world.fresh()
    expect(network.register(document, "45000", transaction, SERVICE_NAME), "0000")
    expect(network.confirm(transaction), "0000")
    world.close_window(transaction)
    world.write("UPDATE accounts SET balance = 999999999999999, changed_by = 'test' WHERE document = %s", document)
    try:
        expect(network.confirm(transaction, False), "0015")
        assert world.transaction(transaction)["state"] == "CONFIRMADA"
    finally:
        world.write("UPDATE accounts SET balance = 0, changed_by = 'test' WHERE document = %s", document)
    expect(network.confirm(transaction, False), "0015")
    assert world.transaction(transaction)["state"] == "FINALIZADA"


def test_order_that_may_have_been_paid_in_time(world: World, merchant: CheckedMerchant, network: CheckedNetwork,
                                                other: CheckedNetwork, browser: Client) -> None:
    """Nobody is told that it has expired while its confirmation, which came in time, is not committed."""
    order = world.order()
    early = world.register(other, order)
    transaction = world.register(network, order)
    fall_due(world, order)
    askers = Askers(world, order, transaction, merchant, browser)
    with uncommitted(world, transaction, "payment_confirm"):
        world.await_instant(askers.row["due_at"])
        assert (askers.consulted(), askers.slip()) == ("PENDIENTE", "Pago en confirmación")
        assert codes(world, other, order, early) == {"0106"}
        expect(in_time(lambda: merchant.delete(askers.row["po_id"])), "0028")
    assert (askers.consulted(), askers.slip()) in (("PENDIENTE", "Pago en confirmación"), ("APROBADA", "Pagada"))
    assert world.transaction(transaction)["state"] in ("CONFIRMADA", "FINALIZADA")


def test_order_that_may_be_due_later(world: World, merchant: CheckedMerchant, network: CheckedNetwork) -> None:
    """Nor while a later due date is not committed; and when that is undone, it has."""
    order = world.order(due_in=3)
    row = world.order_row(order)
    with world.stack.mariadb.connect() as blocker, blocker.cursor() as cursor:
        blocker.begin()
        cursor.execute("UPDATE orders SET due_at = due_at + INTERVAL 1 DAY, changed_by = 'test' WHERE id = %s", (order.id,))
        world.await_instant(row["due_at"])
        expect(in_time(lambda: network.lookup(order.reference)), "0106")
        expect(in_time(lambda: merchant.delete(row["po_id"])), "0028")
        blocker.rollback()
    expect(network.lookup(order.reference), "0103")
    assert merchant.consult(row["po_id"]).data["STATE"] == "VENCIDA"


def test_confirmation_that_comes_while_another_is_undone(world: World, network: CheckedNetwork) -> None:
    """It is refused as what is stored then demands."""
    order = world.order()
    transaction = world.register(network, order)
    fall_due(world, order)
    with ThreadPoolExecutor(1) as thread:
        with pytest.raises(Undone), uncommitted(world, transaction, "payment_confirm"):
            world.await_instant(world.order_row(order)["due_at"])
            answer = thread.submit(network.confirm, transaction)
            world.await_lock_wait()
            raise Undone
        assert answer.result(60).code in ("0103", "0106")  # 0106: it had waited so long that it was judged before the end
    expect(network.confirm(transaction), "0103")


@pytest.mark.parametrize("what", PAID_FOR)
def test_cancellation_after_the_window_writes_that_the_payment_stands(world: World, network: CheckedNetwork, what: str) -> None:
    """Before it says so."""
    transaction = PAID_FOR[what](world, network)
    world.close_window(transaction)
    expect(network.confirm(transaction, False), "0015")
    assert world.transaction(transaction)["state"] == "FINALIZADA"
    (event,) = world.rows("SELECT actor FROM events WHERE subject = 'transaction' AND subject_id = %s AND to_state = 'FINALIZADA'",
                          world.transaction(transaction)["id"])
    assert event["actor"] == f"network:{NETWORK}"


def by_consult(askers: Askers) -> None:
    assert askers.merchant.consult(askers.row["po_id"]).data["STATE"] == "APROBADA"


def by_slip(askers: Askers) -> None:
    assert "Pagada" in askers.browser.request("GET", f"/pay?token={askers.row['token']}").text


def by_order_list(askers: Askers) -> None:
    listed = askers.world.stack.ctl.json("order", "list", "--limit", "1000")
    assert {row["state"] for row in listed if row["pv_po_id"] == askers.row["id"]} == {"APROBADA"}


def by_transaction_list(askers: Askers) -> None:
    listed = askers.world.stack.ctl.json("transaction", "list", "--limit", "1000")
    assert {row["state"] for row in listed if row["transaction"] == askers.transaction} == {"FINALIZADA"}


def by_order_show(askers: Askers) -> None:
    assert askers.world.stack.ctl.json("order", "show", f"id:{askers.row['id']}")["state"] == "APROBADA"


def by_transaction_show(askers: Askers) -> None:
    assert askers.world.stack.ctl.json("transaction", "show", NETWORK, askers.transaction)["state"] == "FINALIZADA"


ASKING: dict[str, Callable[[Askers], None]] = {
    "merchant": by_consult, "slip": by_slip, "order list": by_order_list, "order show": by_order_show,
    "transaction list": by_transaction_list, "transaction show": by_transaction_show}


@pytest.mark.parametrize("how", ASKING)
def test_closed_window_is_written_before_it_is_told(world: World, merchant: CheckedMerchant, network: CheckedNetwork,
                                                    browser: Client, how: str) -> None:
    """Also with every dispatcher away; the merchant is notified by the same database transaction."""
    order = world.order()
    transaction = world.confirm(network, order)
    world.close_window(transaction)
    ASKING[how](Askers(world, order, transaction, merchant, browser))
    assert world.order_row(order)["state"] == "APROBADA"
    assert world.transaction(transaction)["state"] == "FINALIZADA"
    assert [told["status"] for told in world.notifications(order)] == ["approved"]


def test_networks_write_it_too(world: World, network: CheckedNetwork, other: CheckedNetwork) -> None:
    """Lookup, registration and first confirmation by others."""
    def lookup(order: Order, early: str) -> Reply:
        return other.lookup(order.reference)

    def register(order: Order, early: str) -> Reply:
        return other.register(order.reference, "45000", world.fresh(), COMMERCE)

    def confirm(order: Order, early: str) -> Reply:
        return other.confirm(early)

    for ask in (lookup, register, confirm):
        order = world.order()
        early = world.register(other, order)
        world.close_window(world.confirm(network, order))
        expect(ask(order, early), "0102")
        assert world.order_row(order)["state"] == "APROBADA"


def test_read_only_database_tells_what_is_written(world: World, merchant: CheckedMerchant, network: CheckedNetwork,
                                                  other: CheckedNetwork, browser: Client) -> None:
    order = world.order()
    transaction = world.confirm(network, order)
    world.close_window(transaction)
    askers = Askers(world, order, transaction, merchant, browser)
    world.write("SET GLOBAL read_only = 1")
    try:
        assert askers.told() == NOT_YET
        expect(other.lookup(order.reference), "0106")
    finally:
        world.write("SET GLOBAL read_only = 0")
    assert askers.told() == PAID


def test_top_up_is_told_as_written(world: World, network: CheckedNetwork) -> None:
    """Credited by the ledger alone."""
    transaction = world.fresh()
    expect(network.register(world.account(), "100", transaction, SERVICE_NAME), "0000")
    expect(network.confirm(transaction), "0000")
    world.close_window(transaction)
    shown = world.stack.ctl.json("transaction", "show", NETWORK, transaction)
    assert (shown["state"], shown["window_closed"]) == ("CONFIRMADA", True)
    world.dispatch()
    shown = world.stack.ctl.json("transaction", "show", NETWORK, transaction)
    assert (shown["state"], shown["window_closed"]) == ("FINALIZADA", False)
