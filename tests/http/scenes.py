"""Orders in every condition in which they cannot be paid, made the way they come about."""

from typing import Callable

from checked import CheckedNetwork
from world import Order, World

Change = Callable[[World, CheckedNetwork, Order], None]


def held(world: World, payer: CheckedNetwork, order: Order) -> None:
    world.keep_window_open(world.confirm(payer, order), payer.name)


def paid_not_written(world: World, payer: CheckedNetwork, order: Order) -> None:
    world.close_window(world.confirm(payer, order), payer.name)


def paid(world: World, payer: CheckedNetwork, order: Order) -> None:
    world.pay(payer, order)


def overdue_not_written(world: World, payer: CheckedNetwork, order: Order) -> None:
    world.write("UPDATE orders SET due_at = UTC_TIMESTAMP(6) WHERE id = %s", order.id)


def expired(world: World, payer: CheckedNetwork, order: Order) -> None:
    overdue_not_written(world, payer, order)
    world.dispatch()
    assert world.order_row(order)["state"] == "VENCIDA"


def deleted(world: World, payer: CheckedNetwork, order: Order) -> None:
    world.write("UPDATE orders SET state = 'CANCELADA' WHERE id = %s", order.id)


def refunded(world: World, payer: CheckedNetwork, order: Order) -> None:
    world.pay(payer, order)
    world.write("UPDATE orders SET state = 'ANULADA' WHERE id = %s", order.id)


# What happens to an order, and the CODE that lookup, registration and confirmation get from then on.
CLOSINGS: dict[str, tuple[Change, str]] = {
    "held by another payment": (held, "0106"),
    "paid, dispatcher still to come": (paid_not_written, "0102"),
    "paid": (paid, "0102"),
    "overdue, dispatcher still to come": (overdue_not_written, "0103"),
    "expired": (expired, "0103"),
    "deleted by the merchant": (deleted, "0104"),
    "refunded": (refunded, "0105"),
}
