"""A customer's refund claim: the merchant hears `cancelled` after `approved`, never before."""

import threading
from datetime import timedelta
from typing import Any

from tests.stack.config import Settings
from tests.stack.dispatch_rig import DispatchRig, Merchant
from tests.stack.merchant_stub import MerchantStub, ok

SHORT: Settings = {"notification": {"schedule": "100ms 100ms"}}


def closed_orders(rig: DispatchRig, merchant: Merchant, count: int) -> list[int]:
    """Orders whose payment's window closed a minute ago; nobody has written it yet."""
    return rig.confirmed_orders(merchant, count, rig.now() - timedelta(minutes=1))


def claim(rig: DispatchRig, *orders: int) -> None:
    for order in orders:
        rig.stack.ctl.done("order", "claim", f"id:{order}", "--reason", "the customer asked")


def told(stub: MerchantStub) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for request in stub.requests:
        found.setdefault(request.message["pv_po_id"], []).append(request.message["status"])
    return found


def test_claim_before_the_dispatcher_has_passed(rig: DispatchRig, stub: MerchantStub) -> None:
    order, = closed_orders(rig, rig.merchant(stub.on("n", ok)), 1)
    claim(rig, order)
    rig.pass_once()
    assert told(stub) == {order: ["approved", "cancelled"]}
    first, second = (request.message for request in stub.requests)
    assert {**first, "status": "", "pv_checksum": ""} == {**second, "status": "", "pv_checksum": ""}
    assert rig.count("delivered") == 2


def test_claim_while_approved_is_refused_until_it_is_exhausted(rig: DispatchRig, stub: MerchantStub) -> None:
    def refuses_approved(exchange: Any) -> None:
        exchange.reply(200, b"ERROR" if exchange.request.message["status"] == "approved" else b"OK")

    order, = closed_orders(rig, rig.merchant(stub.on("n", refuses_approved)), 1)
    rig.pass_once()
    assert told(stub) == {order: ["approved"]}
    claim(rig, order)
    with rig.dispatcher(SHORT):
        rig.make_due()
        rig.await_count("delivered", 1)
    assert told(stub) == {order: ["approved"] * 3 + ["cancelled"]}
    assert rig.count("exhausted") == 1


def test_claims_race_with_dispatchers(rig: DispatchRig, stub: MerchantStub) -> None:
    """Claims come before, during and after the delivery of `approved`; each order hears both, in order, once."""
    orders = closed_orders(rig, rig.merchant(stub.on("n", ok)), 60)
    shares = [threading.Thread(target=claim, args=(rig, *orders[part::2])) for part in range(2)]
    with rig.dispatcher(), rig.dispatcher():
        for share in shares:
            share.start()
        for share in shares:
            share.join()
        rig.await_count("delivered", 2 * len(orders))
    assert told(stub) == {order: ["approved", "cancelled"] for order in orders}
    assert rig.value("SELECT COUNT(*) FROM orders WHERE state = 'ANULADA'") == len(orders)
