"""GET /v1/porders/{order}: the order as it is at this moment."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from checked import CheckedMerchant, CheckedNetwork, expect
from scenes import CLOSINGS
from world import COLOMBIA_BEHIND, NETWORK, Order, World

pytestmark = pytest.mark.web

STATES = {"held by another payment": "PENDIENTE", "paid, dispatcher still to come": "APROBADA", "paid": "APROBADA",
          "overdue, dispatcher still to come": "VENCIDA", "expired": "VENCIDA", "deleted by the merchant": "CANCELADA",
          "refunded": "ANULADA"}


def consult(world: World, merchant: CheckedMerchant, order: Order) -> dict[str, Any]:
    return dict(expect(merchant.consult(world.order_row(order)["po_id"]), "0000").data)


def reading(at: datetime, behind: timedelta = COLOMBIA_BEHIND) -> str:
    return (at - behind).strftime("%Y-%m-%d %H:%M:%S")


def test_whole_reply(world: World, merchant: CheckedMerchant) -> None:
    number = world.fresh("po")
    expect(merchant.post(merchant.porder(number, world.day(), "120", method="PSE")), "0000")
    row = world.porder_row(number)
    reply = expect(merchant.consult(number), "0000")
    assert (reply.json["TEXT"], reply.json["DESC"]) == ("OK", "OK")
    lives = (row["due_at"] - row["created_at"]) // timedelta(hours=1)
    assert reply.data == {
        "CODE": row["id"], "ORDER": number, "REFERENCE": row["reference"], "AMOUNT": "120.00", "CURRENCY": "COP",
        "STATE": "PENDIENTE", "DESCRIPTION": "Zapatos rojos", "EMAIL": "ana@example.com", "PAYMNENT_METHOD": "PSE",
        "CREATION_DATE": reading(row["created_at"]), "UDPATE_DATE": reading(row["changed_at"]),
        "LIFE_TIME": f"{lives}h", "NOTIFICATION_RESPONSE": "", "TRANSACTION": {}, "ADITIONAL_INFO": {},
        "checkout": f"localhost/pay?token={row['token']}"}


@pytest.mark.parametrize("closing", CLOSINGS)
def test_state_by_the_clock(world: World, merchant: CheckedMerchant, network: CheckedNetwork, closing: str) -> None:
    order = world.order()
    CLOSINGS[closing][0](world, network, order)
    data = consult(world, merchant, order)
    assert data["STATE"] == STATES[closing]
    with world.nothing_written():
        assert consult(world, merchant, order) == data
    assert bool(data["TRANSACTION"]) == (STATES[closing] in ("APROBADA", "ANULADA"))


def test_transaction(world: World, merchant: CheckedMerchant, network: CheckedNetwork) -> None:
    order = world.order("0")
    paid = world.transaction(world.pay(network, order, "1234.5"))
    data = consult(world, merchant, order)
    assert data["TRANSACTION"] == {"IDSERVICE": str(paid["id"]), "DATE": reading(paid["confirmed_at"]),
                                   "AMOUNT": "1234.50", "NETWORK": NETWORK}
    assert (data["AMOUNT"], data["PAYMNENT_METHOD"]) == ("1234.50", NETWORK)


def test_open_amount_before_it_is_paid(world: World, merchant: CheckedMerchant) -> None:
    assert consult(world, merchant, world.order("0"))["AMOUNT"] == "0.00"


def attempt(world: World, notification: dict[str, Any], number: int, reply: bytes, status: int | None, reason: str) -> None:
    world.insert("attempts", notification_id=notification["id"], number=number, dispatcher_id=1,
                 started_at=world.now(), duration_us=5, address="127.0.0.1", http_status=status,
                 reason=reason, late=False, reply=reply, lease=number.to_bytes(16, "big"))


@pytest.mark.parametrize("reply, status, reason, told", [
    (b"OK", 200, "acknowledged", "OK"), (b"OK 8817", 200, "acknowledged", "OK"), (b"thanks", 204, "acknowledged", "OK"),
    (b"", 200, "acknowledged", "OK"), (b"password = hunter2", 200, "reply", ""), (b"OK", 500, "status", ""),
    (b"\xff\xfe", 200, "reply", "")])
def test_last_reply_is_told_as_its_verdict(world: World, merchant: CheckedMerchant, network: CheckedNetwork, reply: bytes,
                                           status: int, reason: str, told: str) -> None:
    """Never the reply: it is the endpoint's, and who asks may know no more than FIXED_HASH."""
    order = world.order()
    world.pay(network, order)
    (notification,) = world.notifications(order)
    attempt(world, notification, 1, b"OK earlier" if told == "" else b"ERROR earlier", 500, "status")
    attempt(world, notification, 2, reply, status, reason)
    attempt(world, notification, 3, b"", None, "connect")
    assert consult(world, merchant, order)["NOTIFICATION_RESPONSE"] == told


@pytest.mark.parametrize("reply, reason, state, told", [(b"OK", "acknowledged", "delivered", "OK"),
                                                        (b"no", "reply", "exhausted", "")])
def test_last_reply_is_told_when_its_attempt_is_purged(world: World, merchant: CheckedMerchant, network: CheckedNetwork,
                                                       reply: bytes, reason: str, state: str, told: str) -> None:
    order = world.order()
    world.pay(network, order)
    (notification,) = world.notifications(order)
    attempt(world, notification, 1, reply, 200, reason)
    world.write("UPDATE notifications SET state = %s, settled_at = UTC_TIMESTAMP(6) - INTERVAL 91 DAY WHERE id = %s", state,
                notification["id"])
    world.stack.ctl.done("purge", "--older-than", "90d", "--what", "attempts")
    assert world.rows("SELECT id FROM attempts WHERE notification_id = %s", notification["id"]) == []
    assert consult(world, merchant, order)["NOTIFICATION_RESPONSE"] == told


def test_time_of_the_orders_country(world: World, merchant: CheckedMerchant) -> None:
    """Of the country it was registered in, not that of its merchant."""
    number = world.fresh("po")
    day = (world.now() - timedelta(hours=6) + timedelta(days=1)).strftime("%d/%m/%Y")
    expect(merchant.post(merchant.porder(number, day, country="314", money="CRC")), "0000")
    row = world.porder_row(number)
    data = expect(merchant.consult(number), "0000").data
    assert data["CREATION_DATE"] == reading(row["created_at"], timedelta(hours=6))


def test_unknown(world: World, merchant: CheckedMerchant) -> None:
    expect(merchant.consult(world.fresh("none")), "0041")
    number = world.fresh("po")
    expect(merchant.post(merchant.porder(number, world.day())), "0000")
    expect(merchant.consult(number.upper()), "0041")
