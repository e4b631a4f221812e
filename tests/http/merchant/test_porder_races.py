"""Merchants and networks at the same moment: one wins, the others are told so."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Iterator

import pytest

from checked import CheckedMerchant, expect
from conftest import LONG_WINDOW_SECONDS
from tests.stack import Stack
from tests.stack.invariants import check_invariants
from together import at_once, codes, connected
from world import MERCHANT, NETWORK, Order, World

ROUNDS = range(12)


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


@contextmanager
def merchants(world: World, count: int) -> Iterator[list[CheckedMerchant]]:
    """Clients of one merchant whose connections are open already."""
    with ExitStack() as open_clients:
        clients = [open_clients.enter_context(world.connect_merchant()) for _ in range(count)]
        for client in clients:
            expect(client.consult("none"), "0041")
        yield clients


def number_of(world: World, order: Order) -> str:
    return str(world.order_row(order)["po_id"])


@pytest.mark.parametrize("clients", [2, 12])
def test_registers_with_one_number(arena: World, clients: int) -> None:
    with merchants(arena, clients) as callers:
        for _ in ROUNDS:
            number = arena.fresh("po")
            replies = at_once([partial(client.post, client.porder(number, arena.day(), f"{at + 1}"))
                               for at, client in enumerate(callers)])
            assert codes(replies) == {"0000": 1, "0042": clients - 1}
            (winner,) = [reply for reply in replies if reply.code == "0000"]
            assert winner.data["Referencia"] == arena.porder_row(number)["reference"]


def test_registers_with_one_reference(arena: World) -> None:
    with merchants(arena, 12) as callers:
        for _ in ROUNDS:
            reference = arena.fresh_number()
            replies = at_once([partial(client.post, client.porder(arena.fresh("po"), arena.day(), reference=reference))
                               for client in callers])
            assert codes(replies) == {"0000": 1, "0043": 11}


def test_delete_against_confirm(arena: World) -> None:
    with merchants(arena, 1) as (merchant,), connected(arena, [NETWORK]) as (network,):
        for _ in ROUNDS:
            order = arena.order()
            transaction = arena.register(network, order)
            deleted, confirmed = at_once([partial(merchant.delete, number_of(arena, order)),
                                          partial(network.confirm, transaction)])
            codes([deleted, confirmed])
            assert (deleted.code, confirmed.code) in {("0000", "0104"), ("0041", "0000")}
            row = arena.order_row(order)
            assert (row["state"] == "CANCELADA") == (deleted.code == "0000")
            assert (row["held_by"] is not None) == (confirmed.code == "0000")


def test_change_against_confirm(arena: World) -> None:
    """What is confirmed is what was registered: nobody pays an amount that he did not agree to."""
    with merchants(arena, 1) as (merchant,), connected(arena, [NETWORK]) as (network,):
        for _ in ROUNDS:
            order = arena.order()
            transaction = arena.register(network, order)
            changed, confirmed = at_once([
                partial(merchant.patch, merchant.porder(number_of(arena, order), arena.day(), "46000")),
                partial(network.confirm, transaction)])
            codes([changed, confirmed])
            assert (changed.code, confirmed.code) in {("0000", "0021"), ("0041", "0000")}
            assert arena.order_row(order)["amount"] == (46000 if changed.code == "0000" else 45000)


def test_delete_against_delete_and_change(arena: World) -> None:
    with merchants(arena, 9) as callers:
        for _ in ROUNDS:
            order = arena.order()
            number = number_of(arena, order)
            deleters, changers = callers[:6], callers[6:]
            replies = at_once([*(partial(client.delete, number) for client in deleters),
                               *(partial(client.patch, client.porder(number, arena.day())) for client in changers)])
            assert codes(replies[:6]) == {"0000": 1, "0041": 5}
            assert set(codes(replies[6:])) <= {"0000", "0041"}
            assert arena.order_row(order)["state"] == "CANCELADA"


@pytest.mark.parametrize("act", ["change", "delete"])
def test_what_another_changed_meanwhile_is_told(arena: World, act: str) -> None:
    """The order gets another reference and amount while the request waits for it: the reply has those."""
    order, new_reference = arena.order(), arena.fresh_number()
    number = number_of(arena, order)
    with merchants(arena, 1) as (merchant,), ThreadPoolExecutor(1) as thread, arena.stack.mariadb.connect() as other:
        with other.cursor() as cursor:
            other.begin()
            cursor.execute("UPDATE orders SET reference = %s, amount = 7, changed_by = 'test' WHERE id = %s",
                           (new_reference, order.id))
        answer = (thread.submit(merchant.delete, number) if act == "delete" else
                  thread.submit(merchant.patch, merchant.porder(number, arena.day(), "8")))
        arena.await_lock_wait()
        other.commit()
        reply = expect(answer.result(60), "0000")
    told = ("Reference", "Amount", "7.0") if act == "delete" else ("Referencia", "Monto", "8.0")
    assert (reply.data[told[0]], reply.data[told[1]]) == (new_reference, told[2])


def test_refunds_at_once(arena: World) -> None:
    with merchants(arena, 8) as callers, connected(arena, [NETWORK]) as (network,):
        for _ in ROUNDS[:4]:
            order = arena.order()
            arena.pay(network, order)
            number = number_of(arena, order)
            replies = at_once([partial(client.refund, number, "45000") for client in callers])
            assert codes(replies) == {"0000": 1, "0041": 7}
            assert arena.order_row(order)["changed_by"] == f"merchant:{MERCHANT}"


def test_delete_against_the_dispatcher(arena: World) -> None:
    """Orders fall due while they are deleted: each is either CANCELADA and answered so, or VENCIDA and told so."""
    with merchants(arena, 4) as callers:
        orders = [arena.order() for _ in range(80)]
        marks = ", ".join(str(order.id) for order in orders)
        numbers = [number_of(arena, order) for order in orders]
        arena.write("UPDATE orders SET due_at = UTC_TIMESTAMP(6) + INTERVAL 50000 + (id MOD 80) * 3000 MICROSECOND"
                    f" WHERE id IN ({marks})")
        shares = [numbers[at::4] for at in range(4)]
        answered = sum(at_once([*(partial(delete_all, client, share) for client, share in zip(callers, shares)),
                                partial(dispatch_some, arena)]), [])
    arena.dispatch()
    for number, code in answered:
        assert arena.porder_row(number)["state"] == ("CANCELADA" if code == "0000" else "VENCIDA")


def delete_all(client: CheckedMerchant, numbers: list[str]) -> list[tuple[str, str]]:
    return [(number, client.delete(number).code) for number in numbers]


def dispatch_some(world: World) -> list[tuple[str, str]]:
    for _ in range(6):
        world.stack.dispatcher.once()
    return []
