"""Requests at the same moment: one wins, the others are told so, nothing is done twice, and nobody gets a 5xx."""

import time
from collections import Counter
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Iterator

import pytest

from checked import CheckedNetwork, expect
from conftest import LONG_WINDOW_SECONDS
from tests.stack import Reply, Stack, wait_until
from tests.stack.invariants import check_invariants
from together import at_once, codes, connected
from world import COMMERCE, NETWORK, OTHER_NETWORK, SERVICE_NAME, World

ROUNDS = range(8)


@pytest.fixture(scope="module")
def arena() -> Iterator[World]:
    """An instance whose tables hold nothing but what races wrote."""
    settings = {"worker": {"cancel_window": f"{LONG_WINDOW_SECONDS}s"}}
    with Stack(settings=settings, dispatcher=False, buffer_pool="32M") as stack:
        yield World(stack)


@pytest.fixture(autouse=True)
def nothing_is_broken(arena: World) -> Iterator[None]:
    yield
    check_invariants(arena, LONG_WINDOW_SECONDS)


@pytest.mark.parametrize("payers", [2, 12])
def test_several_confirm_one_order(arena: World, payers: int) -> None:
    with connected(arena, [(NETWORK, OTHER_NETWORK)[at % 2] for at in range(payers)]) as clients:
        for _ in ROUNDS:
            order = arena.order()
            transactions = [arena.register(client, order) for client in clients]
            replies = at_once([partial(client.confirm, transaction)
                               for client, transaction in zip(clients, transactions)])
            assert codes(replies) == {"0000": 1, "0106": payers - 1}
            rows = arena.rows("SELECT id, state FROM transactions WHERE order_id = %s", order.id)
            assert [row["id"] for row in rows if row["state"] == "CONFIRMADA"] == [arena.order_row(order)["held_by"]]


@pytest.mark.parametrize("target", ["order", "account"])
def test_equal_registrations(arena: World, target: str) -> None:
    with connected(arena, [NETWORK] * 20) as clients:
        for _ in ROUNDS:
            reference, commerce = ((arena.order().reference, COMMERCE) if target == "order"
                                   else (arena.account(), SERVICE_NAME))
            transaction = arena.fresh()
            replies = at_once([partial(client.register, reference, "45000", transaction, commerce)
                               for client in clients])
            assert codes(replies) == {"0000": 20}
            assert len({reply.text for reply in replies}) == 1
            assert replies[0].data["IDSERVICE"] == str(arena.transaction(transaction)["id"])


def test_different_registrations_with_one_id(arena: World) -> None:
    with connected(arena, [NETWORK] * 20) as clients:
        for _ in ROUNDS:
            orders = [arena.order() for _ in clients]
            transaction = arena.fresh()
            replies = at_once([partial(client.register, order.reference, "45000", transaction, COMMERCE)
                               for client, order in zip(clients, orders)])
            assert codes(replies) == {"0000": 1, "0016": 19}
            (winner,) = [order for order, reply in zip(orders, replies) if reply.code == "0000"]
            assert arena.transaction(transaction)["order_id"] == winner.id


def test_confirm_against_cancel(arena: World) -> None:
    """Equal transactions, true and false at once: either order is right, both at once are not."""
    with connected(arena, [NETWORK] * 8) as clients:
        for _ in ROUNDS:
            transaction = arena.register(clients[0], arena.order())
            asked = [True, False] * 4
            replies = at_once([partial(client.confirm, transaction, confirm)
                               for client, confirm in zip(clients, asked)])
            assert set(codes(replies)) <= {"0000", "0014"}
            assert all(reply.code == "0000" for reply, confirm in zip(replies, asked) if not confirm)
            assert arena.transaction(transaction)["state"] == "CANCELADA"
            expect(clients[0].confirm(transaction), "0014")


def test_cancel_against_another_confirm(arena: World) -> None:
    """The hold goes from one to the other or stays where it is, never to both or to none wrongly."""
    with connected(arena, [NETWORK, OTHER_NETWORK]) as (holder, other):
        for _ in ROUNDS:
            order = arena.order()
            waiting = arena.register(other, order)
            holding = arena.confirm(holder, order)
            arena.keep_window_open(holding)
            released, confirmed = at_once([partial(holder.confirm, holding, False), partial(other.confirm, waiting)])
            assert codes([released]) == {"0000": 1}
            assert set(codes([confirmed])) <= {"0000", "0106"}
            assert (arena.order_row(order)["held_by"] is not None) == (confirmed.code == "0000")


def test_confirm_against_the_due_date(arena: World) -> None:
    """Orders fall due while they are confirmed: 0000 only before, 0103 only after, by the database's clock."""
    with connected(arena, [NETWORK] * 8) as clients:
        orders = [arena.order() for _ in range(400)]
        marks = ", ".join(str(order.id) for order in orders)
        registered = [arena.register(clients[0], order) for order in orders]
        due_at = arena.value("SELECT UTC_TIMESTAMP(6) + INTERVAL 2 SECOND")
        arena.write(f"UPDATE orders SET due_at = %s WHERE id IN ({marks})", due_at)
        shares = [registered[at::8] for at in range(8)]
        replies = sum(at_once([partial(confirm_paced, client, share) for client, share in zip(clients, shares)]), [])
        assert set(codes(replies)) == {"0000", "0103"}
        late = arena.rows(f"SELECT id FROM transactions WHERE order_id IN ({marks}) AND confirmed_at >= %s", due_at)
        assert late == []
    arena.dispatch()


def confirm_paced(client: CheckedNetwork, transactions: list[str]) -> list[Reply]:
    """Confirms them spread over 3.5 s, so that some come before a due date in the middle, and some after."""
    began, replies = time.monotonic(), []
    for at, transaction in enumerate(transactions):
        time.sleep(max(0.0, began + 3.5 * at / len(transactions) - time.monotonic()))
        replies.append(client.confirm(transaction))
    return replies


def test_registrations_against_a_confirmation(arena: World) -> None:
    with connected(arena, [NETWORK, OTHER_NETWORK] * 5) as clients:
        for _ in ROUNDS:
            order = arena.order()
            transaction = arena.register(clients[0], order)
            calls = [partial(clients[0].confirm, transaction)]
            calls += [partial(client.register, order.reference, "45000", arena.fresh(), COMMERCE)
                      for client in clients[1:]]
            first, *others = at_once(calls)
            assert codes([first]) == {"0000": 1}
            assert set(codes(others)) <= {"0000", "0106"}


def test_top_ups_in_parallel(arena: World) -> None:
    document = arena.account()
    amounts = [f"{at}.0{at % 10}" for at in range(1, 13)]
    names = [(NETWORK, OTHER_NETWORK)[at % 2] for at in range(12)]
    with connected(arena, names) as clients:
        transactions = [arena.fresh() for _ in clients]
        replies = at_once([partial(client.register, document, amount, transaction, SERVICE_NAME)
                           for client, amount, transaction in zip(clients, amounts, transactions)])
        assert codes(replies) == {"0000": 12}
        replies = at_once([partial(client.confirm, transaction) for client, transaction in zip(clients, transactions)])
        assert codes(replies) == {"0000": 12}
    for transaction, name in zip(transactions, names):
        arena.close_window(transaction, name)
    results = at_once([arena.stack.dispatcher.once] * 4)
    assert {result.returncode for result in results} <= {0, 1}  # 1: what stood in another's way stays due
    arena.dispatch()
    credited = arena.value("SELECT balance FROM accounts WHERE document = %s", document)
    assert credited == sum(map(Decimal, amounts))


@pytest.mark.parametrize("room, taken", [("45000", 1), ("89999.9999", 1), ("134999.99", 2)])
def test_top_ups_of_an_account_that_is_nearly_full(arena: World, room: str, taken: int) -> None:
    """All were registered while there was room for each: as many are confirmed as fit, and all those are credited."""
    balance = Decimal("999999999999999.9999") - Decimal(room)
    document = arena.account(balance=balance)
    arena.write("INSERT INTO account_ledger (account_id, transaction_id, amount, balance) SELECT id, 1000000 + id, balance, balance"
                " FROM accounts WHERE document = %s", document)
    with connected(arena, [NETWORK] * 8) as clients:
        transactions = [arena.fresh() for _ in clients]
        for client, transaction in zip(clients, transactions):
            expect(client.register(document, "45000", transaction, SERVICE_NAME), "0000")
        replies = at_once([partial(client.confirm, transaction) for client, transaction in zip(clients, transactions)])
        assert codes(replies) == Counter({"0000": taken, "0112": 8 - taken})
        expect(clients[0].register(document, "135000", arena.fresh(), SERVICE_NAME), "0112")
        confirmed = [transaction for transaction, reply in zip(transactions, replies) if reply.code == "0000"]
        refused = [transaction for transaction, reply in zip(transactions, replies) if reply.code == "0112"]
        expect(clients[0].confirm(confirmed[0], False), "0000")
        expect(clients[0].confirm(refused[0]), "0000")
        confirmed[0] = refused[0]
    for transaction in confirmed:
        arena.close_window(transaction)
    arena.dispatch()
    assert {arena.transaction(transaction)["state"] for transaction in confirmed} == {"FINALIZADA"}
    left = arena.value("SELECT room FROM accounts WHERE document = %s", document)
    assert left == Decimal(room) - 45000 * taken


def test_dispatchers_at_once(arena: World) -> None:
    """Several passes over the same work: each thing is done once."""
    with connected(arena, [NETWORK]) as (client,):
        paid = [arena.confirm(client, arena.order()) for _ in range(60)]
    overdue = [arena.order() for _ in range(60)]
    for transaction in paid:
        arena.close_window(transaction)
    marks = ", ".join(str(order.id) for order in overdue)
    arena.write(f"UPDATE orders SET due_at = UTC_TIMESTAMP(6) WHERE id IN ({marks})")
    results = at_once([arena.stack.dispatcher.once] * 6)
    assert [result.returncode for result in results] == [0] * 6, [result.stderr for result in results]
    arena.dispatch()
    assert {arena.transaction(transaction)["state"] for transaction in paid} == {"FINALIZADA"}
    assert arena.value(f"SELECT COUNT(*) FROM orders WHERE id IN ({marks}) AND state <> 'VENCIDA'") == 0


def test_cancel_against_the_dispatcher(arena: World) -> None:
    """At the end of a window, false and the dispatcher meet: what was answered 0000 is cancelled, the rest is paid."""
    with connected(arena, [NETWORK] * 6) as clients:
        orders = [arena.order() for _ in range(60)]
        transactions = [arena.confirm(clients[0], order) for order in orders]
        ends = arena.value("SELECT UTC_TIMESTAMP(6) + INTERVAL 400000 MICROSECOND")
        marks = ", ".join(str(order.id) for order in orders)
        arena.write("UPDATE transactions SET confirmed_at = %s - INTERVAL %s SECOND, window_ends_at = %s"
                    f" WHERE order_id IN ({marks})", ends, LONG_WINDOW_SECONDS, ends)
        arena.write(f"UPDATE orders SET held_until = %s WHERE id IN ({marks})", ends)
        shares = [transactions[at::6] for at in range(6)]
        calls = [partial(cancel_paced, client, share) for client, share in zip(clients, shares)]
        answered = dict(sum(at_once([*calls, partial(dispatch_until, arena, ends)]), []))
    arena.dispatch()
    assert set(answered.values()) <= {"0000", "0015"}
    for transaction, code in answered.items():
        assert arena.transaction(transaction)["state"] == ("CANCELADA" if code == "0000" else "FINALIZADA")


def cancel_paced(client: CheckedNetwork, transactions: list[str]) -> list[tuple[str, str]]:
    began, answered = time.monotonic(), []
    for at, transaction in enumerate(transactions):
        time.sleep(max(0.0, began + 0.8 * at / len(transactions) - time.monotonic()))
        answered.append((transaction, cancelled_at_last(client, transaction)))
    return answered


def cancelled_at_last(client: CheckedNetwork, transaction: str) -> str:
    """As networks do: what got 0028, because the dispatcher has its row locked, is sent again."""
    return wait_until(lambda: code if (code := client.confirm(transaction, False).code) != "0028" else None, f"an answer about {transaction}")


def dispatch_until(world: World, ends: datetime) -> list[tuple[str, str]]:
    """Passes of the dispatcher until the windows are over and its work is done."""
    over = False
    while not over:
        over = world.value("SELECT UTC_TIMESTAMP(6) >= %s + INTERVAL 500000 MICROSECOND", ends) == 1
        world.stack.dispatcher.once()
    return []
