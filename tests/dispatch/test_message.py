"""The request that leaves, to the letter: body, checksum, headers."""

import base64
import hashlib
import hmac
import json
from datetime import datetime
from typing import Any

import pytest

from tests.stack.contract import judge_call
from tests.stack.dispatch_rig import DispatchRig, Merchant
from tests.stack.merchant_stub import MerchantStub, Request, in_turn, ok, says

FIELDS = ["pv_po_id", "po_id", "status", "pv_checksum", "amount", "iso_currency", "pv_payment"]


def sent(rig: DispatchRig, stub: MerchantStub, merchant: Merchant, **columns: Any) -> tuple[Request, dict[str, Any]]:
    """The request about a new order, and the order's row. `columns` are the notification's."""
    order, = rig.orders(merchant)
    rig.notifications_about(merchant, [order], **columns)
    rig.pass_once()
    (request,) = stub.requests
    judge_call("notification", request.headers, request.message)
    return request, rig.row("SELECT * FROM orders WHERE id = %s", order)


def signature(request: Request, secret: str) -> str:
    """As a receiver that knows Standard Webhooks computes it."""
    told = f"{request.headers['webhook-id']}.{request.headers['webhook-timestamp']}.".encode() + request.body
    return "v1," + base64.b64encode(hmac.new(secret.encode(), told, hashlib.sha256).digest()).decode()


def check_signature(request: Request, secret: str) -> None:
    assert request.headers["webhook-signature"] == signature(request, secret)


@pytest.mark.parametrize("status", ["approved", "cancelled"])
@pytest.mark.parametrize("digest", ["sha256", "sha512"])
def test_body(rig: DispatchRig, stub: MerchantStub, digest: str, status: str) -> None:
    merchant = rig.merchant(stub.on("n", ok), "--notify-digest", digest)
    request, order = sent(rig, stub, merchant, status=status, amount="45000.5", payment_means="Red Ñandú \"1\" /\\")
    told = (order["po_id"] + status + merchant.notification_hash).encode()
    checksum = hashlib.new(digest, told).hexdigest()
    expected = {"pv_po_id": order["id"], "po_id": order["po_id"], "status": status, "pv_checksum": checksum,
                "amount": "45000.50", "iso_currency": "COP", "pv_payment": "Red Ñandú \"1\" /\\"}
    pairs = json.loads(request.body, object_pairs_hook=list)
    assert pairs == list(expected.items()) and [name for name, _ in pairs] == FIELDS
    assert type(request.message["pv_po_id"]) is int
    assert checksum == checksum.lower() and len(checksum) == {"sha256": 64, "sha512": 128}[digest]


def test_sha256_is_what_merchants_get(rig: DispatchRig, stub: MerchantStub) -> None:
    merchant = rig.merchant(stub.on("n", ok))
    request, order = sent(rig, stub, merchant)
    told = f"{order['po_id']}approved{merchant.notification_hash}"
    assert request.message["pv_checksum"] == hashlib.sha256(told.encode()).hexdigest()


@pytest.mark.parametrize("currency, amount, text", [
    ("COP", "45000", "45000.00"), ("COP", "0.01", "0.01"), ("USD", "123.4", "123.40"), ("CRC", "1", "1.00"),
    ("PEN", "999999999999999.99", "999999999999999.99")])
def test_amount_and_currency(rig: DispatchRig, stub: MerchantStub, currency: str, amount: str, text: str) -> None:
    merchant = rig.merchant(stub.on("n", ok))
    orders = rig.orders(merchant, 1, currency=currency)
    rig.notifications_about(merchant, orders, amount=amount)
    rig.pass_once()
    (request,) = stub.requests
    assert (request.message["amount"], request.message["iso_currency"]) == (text, currency)


def test_expired_order_without_means(rig: DispatchRig, stub: MerchantStub) -> None:
    order, = rig.orders(rig.merchant(stub.on("n", ok)), state="PENDIENTE",
                             due_at=rig.now())
    rig.pass_once()
    assert rig.value("SELECT state FROM orders WHERE id = %s", order) == "VENCIDA"
    (request,) = stub.requests
    assert (request.message["status"], request.message["pv_payment"]) == ("cancelled", "")


def test_headers(rig: DispatchRig, stub: MerchantStub) -> None:
    merchant = rig.merchant(stub.on("a/b?token=c", ok))
    request, _ = sent(rig, stub, merchant)
    headers = request.headers
    assert request.path == "/a/b?token=c"
    assert headers["host"] == f"127.0.0.1:{stub.port}"
    assert headers["content-type"] == "application/json"
    assert headers["content-length"] == str(len(request.body))
    assert headers["user-agent"].startswith("recaudo/")
    assert headers["recaudo-sequence"] == "1"
    assert set(headers) <= {"host", "content-type", "content-length", "user-agent", "accept", "recaudo-sequence",
                            "webhook-id", "webhook-timestamp", "webhook-signature"}
    attempt, = rig.attempts(request.id)
    began = int((attempt["started_at"] - datetime(1970, 1, 1)).total_seconds())
    assert headers["webhook-timestamp"] == str(began) and abs(request.at - began) < 60
    check_signature(request, merchant.notification_hash)


def test_nothing_secret_is_sent_or_logged(rig: DispatchRig, stub: MerchantStub) -> None:
    merchant = rig.merchant(stub.on("n", says("ERROR")))
    rig.notify(merchant)
    result = rig.pass_once({"log": {"level": "debug"}})
    (request,) = stub.requests
    for secret in (merchant.notification_hash, merchant.fixed_hash):
        for told in (str(request.headers), request.body.decode(), result.stdout, result.stderr):
            assert secret not in told


def test_id_is_the_same_in_every_attempt(rig: DispatchRig, stub: MerchantStub) -> None:
    merchant = rig.merchant(stub.on("n", in_turn(says("ERROR"), says("", 500), ok)))
    number, = rig.notify(merchant)
    for _ in range(3):
        rig.make_due()
        rig.pass_once()
    assert rig.notification(number)["state"] == "delivered"
    assert [request.id for request in stub.requests] == [number] * 3
    assert len({request.body for request in stub.requests}) == 1
    for request in stub.requests:
        check_signature(request, merchant.notification_hash)


def test_each_order_has_an_id_of_its_own(rig: DispatchRig, stub: MerchantStub) -> None:
    numbers = rig.notify(rig.merchant(stub.on("n", ok)), 50)
    rig.pass_once()
    assert sorted(request.id for request in stub.requests) == numbers


def test_both_secrets_sign_until_the_old_one_ends(rig: DispatchRig, stub: MerchantStub) -> None:
    """The checksum, of which there is one, is made with the new secret from the start."""
    merchant = rig.merchant(stub.on("n", ok))
    new = rig.stack.ctl.json("merchant", "rotate", merchant.name, "--notification")["notification_hash"]
    rig.notify(merchant)
    rig.pass_once()
    (both,) = stub.requests
    assert both.headers["webhook-signature"] == f"{signature(both, new)} {signature(both, merchant.notification_hash)}"
    assert both.message["pv_checksum"] == hashlib.sha256(f"{both.message['po_id']}approved{new}".encode()).hexdigest()
    rig.write("UPDATE merchants SET old_notification_hash_until = UTC_TIMESTAMP(6) WHERE name = %s", merchant.name)
    rig.notify(merchant)
    rig.pass_once()
    check_signature(stub.requests[1], new)


def test_changed_merchant_is_told_by_the_new_settings(rig: DispatchRig, stub: MerchantStub) -> None:
    """URL, digest and secret are those of the moment of sending."""
    merchant = rig.merchant(stub.on("old", says("ERROR")))
    rig.notify(merchant)
    rig.pass_once()
    ctl = rig.stack.ctl
    ctl.done("merchant", "set", merchant.name, "--notify-url", stub.on("new", ok), "--notify-digest", "sha512")
    rotated = ctl.json("merchant", "rotate", merchant.name, "--notification", "--now")["notification_hash"]
    rig.make_due()
    rig.pass_once()
    (request,) = stub.requests_to("new")
    told = f"{request.message['po_id']}approved{rotated}"
    assert request.message["pv_checksum"] == hashlib.sha512(told.encode()).hexdigest()
    check_signature(request, rotated)
