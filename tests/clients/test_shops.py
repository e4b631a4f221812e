"""Shops and clients that others wrote, by what they send and answer: register, follow the slip, pay, be notified."""

from typing import Any

import pytest

from shops import NETWORK, SHOPS, Receiver, Shop, exchange, pay
from tests.stack import Stack, wait_until
from tests.stack.dispatch_rig import DispatchRig, Merchant
from tests.stack.merchant_stub import MerchantStub


def receiver_of(shop: Shop, stub: MerchantStub, rig: DispatchRig) -> tuple[Receiver, Merchant]:
    receiver = Receiver(stub, "notify", shop.right, shop.wrong, shop.algorithm, shop.media)
    receiver.merchant = rig.merchant(receiver.url, *shop.options)
    return receiver, receiver.merchant


def first_attempt(rig: DispatchRig, merchant: Merchant) -> dict[str, Any]:
    """What the service has recorded about the notification, once it was sent."""
    attempts = wait_until(lambda: rig.rows(
        "SELECT n.state, n.attempts, n.settled_at IS NULL AS waits, a.reason, a.http_status, a.reply FROM notifications n"
        " JOIN attempts a ON a.notification_id = n.id JOIN orders o ON o.id = n.order_id WHERE o.merchant_id = %s",
        merchant.id), "the attempt to be recorded", 60)
    (attempt,) = attempts
    return attempt


@pytest.mark.parametrize("shop", SHOPS.values(), ids=SHOPS.keys())
def test_from_the_order_to_the_delivery(stack: Stack, rig: DispatchRig, stub: MerchantStub, network_hash: str,
                                        shop: Shop) -> None:
    receiver, merchant = receiver_of(shop, stub, rig)
    data = shop.register(stack, rig, merchant)
    slip = exchange(stack, f"GET {shop.follow(data['checkout'])} HTTP/1.1", {"Accept": "text/html"})
    assert slip.status == 200 and data["Referencia"] in slip.text.replace(" ", "")
    pay(stack, data["Referencia"], network_hash)
    (request,) = stub.await_requests(1, 60)
    message = request.message
    assert receiver.verifies(request)
    assert {name: message[name] for name in ("po_id", "status", "amount", "iso_currency", "pv_payment")} == {
        "po_id": data["OrdenID"], "status": "approved", "amount": "45000.00", "iso_currency": "COP",
        "pv_payment": NETWORK}
    assert str(message["pv_po_id"]) == data["PVordenID"]
    assert first_attempt(rig, merchant) == {"state": "delivered", "attempts": 1, "waits": 0, "http_status": 200,
                                                 "reason": "acknowledged", "reply": shop.right.encode()}


@pytest.mark.parametrize("rule", ["strict", "http2xx"])
@pytest.mark.parametrize("name", ["plugin 2.5 and its receiver", "plugin 3.2 and its receiver",
                                  "CodeIgniter client, Express receiver"])
def test_a_receiver_that_says_error_is_not_taken_for_one_that_knows(
        stack: Stack, rig: DispatchRig, stub: MerchantStub, network_hash: str, name: str, rule: str) -> None:
    shop = SHOPS[name]
    receiver, merchant = receiver_of(shop, stub, rig)
    stack.ctl.done("merchant", "set", merchant.name, "--ack", rule)
    receiver.secret = "another one"
    pay(stack, shop.register(stack, rig, merchant)["Referencia"], network_hash)
    assert first_attempt(rig, merchant) == {"state": "pending", "attempts": 1, "waits": 1, "http_status": 200,
                                                 "reason": "reply", "reply": shop.wrong.encode()}
