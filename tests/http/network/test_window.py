"""The cancellation window and the due date: refused by the database's clock, paid as it is written (test_written_state.py)."""

from datetime import datetime, timedelta
from typing import Iterator

import pytest

from checked import CheckedNetwork, expect
from conftest import WINDOW_SECONDS
from tests.stack import Stack, wait_until
from world import COMMERCE, SERVICE_NAME, Order, World


def test_length_of_the_window(world: World, network: CheckedNetwork) -> None:
    before = world.now()
    row = world.transaction(world.confirm(network, world.order()))
    assert row["window_ends_at"] - row["confirmed_at"] == timedelta(seconds=WINDOW_SECONDS)
    assert before <= row["confirmed_at"] <= world.now()


def ask_all(world: World, network: CheckedNetwork, other: CheckedNetwork, order: Order, early: str) -> set[str]:
    """The codes that lookup, registration and confirmation of a held or paid order get, from both networks."""
    replies = [network.lookup(order.reference), other.lookup(order.reference), other.confirm(early)]
    replies += [payer.register(order.reference, "45000", world.fresh(), COMMERCE) for payer in (network, other)]
    return {reply.code for reply in replies}


def test_others_during_and_after_the_window(world: World, network: CheckedNetwork, other: CheckedNetwork) -> None:
    order = world.order()
    early = world.register(other, order)
    transaction = world.confirm(network, order)
    ends = world.transaction(transaction)["window_ends_at"]
    during = ask_all(world, network, other, order, early)
    if world.now() < ends:
        assert during == {"0106"}
    else:
        assert during <= {"0106", "0102"}
    world.await_instant(ends)
    assert ask_all(world, network, other, order, early) == {"0102"}
    assert world.order_row(order)["state"] == "APROBADA"
    world.dispatch()
    assert ask_all(world, network, other, order, early) == {"0102"}
    assert world.order_row(order)["state"] == "APROBADA"


def test_true_again_does_not_restart_the_window(world: World, network: CheckedNetwork) -> None:
    transaction = world.confirm(network, world.order())
    ends = world.transaction(transaction)["window_ends_at"]
    while world.now() < ends:
        expect(network.confirm(transaction), "0000")
    expect(network.confirm(transaction), "0000")
    expect(network.confirm(transaction, False), "0015")
    assert world.transaction(transaction)["window_ends_at"] == ends


def test_false_up_to_the_end_and_not_after(world: World, network: CheckedNetwork) -> None:
    """Many payments are confirmed together and cancelled one by one across the end of their windows."""
    transactions = [world.confirm(network, world.order()) for _ in range(40)]
    transactions.insert(0, world.confirm(network, world.order()))  # in its window, however long the others took
    codes = []
    for transaction in transactions:
        ends = world.transaction(transaction)["window_ends_at"]
        before = world.now()
        code = network.confirm(transaction, False).code
        after = world.now()
        assert code == "0000" if after < ends else code in ("0000", "0015")
        assert code == "0015" if before >= ends else code in ("0000", "0015")
        codes.append(code)
        wait_until(lambda: world.now() >= before + timedelta(milliseconds=WINDOW_SECONDS * 1500 / 40), "the next step")
    assert {"0000", "0015"} == set(codes)
    for transaction, code in zip(transactions, codes):
        row = world.transaction(transaction)
        if code == "0000":
            assert row["state"] == "CANCELADA" and row["cancelled_at"] < row["window_ends_at"]
        else:
            assert row["state"] == "FINALIZADA"


def test_top_up_after_its_window(world: World, network: CheckedNetwork) -> None:
    transaction = world.fresh()
    expect(network.register(world.account(), "100", transaction, SERVICE_NAME), "0000")
    expect(network.confirm(transaction), "0000")
    world.close_window(transaction)
    expect(network.confirm(transaction, False), "0015")
    assert world.transaction(transaction)["state"] == "FINALIZADA"


def test_order_falls_due_without_dispatcher(world: World, network: CheckedNetwork) -> None:
    order = world.order(due_in=3)
    transaction = world.register(network, order)
    due_at = world.order_row(order)["due_at"]
    world.await_instant(due_at)
    with world.nothing_written():
        expect(network.lookup(order.reference), "0103")
        expect(network.register(order.reference, "45000", world.fresh(), COMMERCE), "0103")
        expect(network.confirm(transaction), "0103")
    assert world.order_row(order)["state"] == "PENDIENTE"


def test_a_held_order_never_expires(world: World, network: CheckedNetwork) -> None:
    order = world.order(due_in=60)
    transaction = world.confirm(network, order)
    world.keep_window_open(transaction)
    world.write("UPDATE orders SET due_at = UTC_TIMESTAMP(6) - INTERVAL 1 MINUTE WHERE id = %s", order.id)
    world.dispatch()
    expect(network.lookup(order.reference), "0106")
    expect(network.confirm(transaction), "0000")
    world.move_window(transaction, network.name, -2)
    expect(network.lookup(order.reference), "0102")
    world.dispatch()
    assert world.order_row(order)["state"] == "APROBADA"


def test_cancelled_after_the_due_date_is_expired(world: World, network: CheckedNetwork) -> None:
    order = world.order()
    transaction = world.confirm(network, order)
    world.keep_window_open(transaction)
    world.write("UPDATE orders SET due_at = UTC_TIMESTAMP(6) WHERE id = %s", order.id)
    expect(network.confirm(transaction, False), "0000")
    expect(network.lookup(order.reference), "0103")
    world.dispatch()
    assert world.order_row(order)["state"] == "VENCIDA"


@pytest.fixture(scope="module")
def standard() -> Iterator[World]:
    """An instance with nothing configured, so with the window of the specification."""
    with Stack(dispatcher=False, buffer_pool="16M") as stack:
        yield World(stack)


def instants_around_the_end(world: World, network: CheckedNetwork, order: Order) -> tuple[datetime, datetime]:
    """Between which two instants the answer about the order went from 0106 to 0102."""
    last_held = asked_at = world.now()
    while network.lookup(order.reference).code == "0106":
        last_held, asked_at = asked_at, world.now()
    return last_held, world.now()


@pytest.mark.slow
def test_thirty_seconds(standard: World) -> None:
    with standard.connect() as network:
        late, order = standard.order(), standard.order()
        cancelled, paid = standard.confirm(network, late), standard.confirm(network, order)
        for transaction in (cancelled, paid):
            row = standard.transaction(transaction)
            assert row["window_ends_at"] - row["confirmed_at"] == timedelta(seconds=30)
        ends = standard.transaction(cancelled)["window_ends_at"]
        standard.await_instant(ends - timedelta(seconds=1))
        code = network.confirm(cancelled, False).code
        assert code == "0000" or standard.now() >= ends
        ends = standard.transaction(paid)["window_ends_at"]
        held, free = instants_around_the_end(standard, network, order)
        assert held <= ends <= free
        expect(network.lookup(order.reference), "0102")
        expect(network.confirm(paid, False), "0015")
        standard.dispatch()
        assert standard.order_row(order)["state"] == "APROBADA"
