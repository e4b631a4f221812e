"""What becomes of one notification, whatever the merchant's end does."""

import hashlib
import hmac
import base64
from datetime import timedelta

import pytest

import tests.stack.merchant_stub as stub_of
from tests.stack.dispatch_rig import NO_ALLOW_LIST, DispatchRig
from tests.stack.merchant_stub import Behaviour, MerchantStub, says

FIRST_DELAY = timedelta(seconds=10)
QUICK = {"notification": {"timeout": "1500ms"}}
PATIENT = {"notification": {"timeout": "15s"}}


@pytest.mark.parametrize("reply", ["OK", "ok", " OK\n", "OK. Gracias", '{"status":"OK"}', '{"status": "ok", "id": 7}', "{status: OK}"])
def test_acknowledged(rig: DispatchRig, stub: MerchantStub, reply: str) -> None:
    merchant = rig.merchant(stub.on("a", says(reply)))
    (number,) = rig.notify(merchant)
    rig.pass_once()
    row = rig.notification(number)
    assert (row["state"], row["attempts"], row["lease"]) == ("delivered", 1, None)
    assert row["settled_at"] is not None and row["due_at"] == row["settled_at"]
    (attempt,) = rig.attempts(number)
    assert (attempt["reason"], attempt["http_status"], attempt["address"]) == ("acknowledged", 200, "127.0.0.1")
    assert attempt["reply"] == reply.encode() and attempt["late"] == 0 and attempt["number"] == 1
    assert len(stub.requests) == 1


FAILURES: list[tuple[str, Behaviour, str, int | None]] = [
    ("error", says("ERROR no such order"), "reply", 200),
    ("other text", says("thanks"), "reply", 200),
    ("okay", says("OKAY"), "reply", 200),
    ("empty", says(""), "reply", 200),
    ("no content", says("", 204), "reply", 204),
    ("json error", says('{"status":"ERROR"}'), "reply", 200),
    ("500", says("OK", 500), "status", 500),
    ("410", says("gone", 410), "status", 410),
    ("redirect", says("OK", 302, Location="http://127.0.0.1:1/"), "status", 302),
    ("hang", stub_of.hold, "timeout", None),
    ("hang in the middle", stub_of.hang_in_the_middle, "timeout", 200),
    ("drip", stub_of.drip, "timeout", 200),
    ("drip of headers", stub_of.drip_head, "timeout", 200),
    ("not HTTP", stub_of.garbage, "protocol", None),
    ("closed", stub_of.closes, "protocol", None),
    ("closed in the middle", stub_of.closes_in_the_middle, "protocol", 200),
    ("reset", stub_of.resets, "protocol", None),
]


@pytest.mark.parametrize("behaviour, reason, status", [case[1:] for case in FAILURES], ids=[case[0] for case in FAILURES])
def test_failed_attempt(rig: DispatchRig, stub: MerchantStub, behaviour: Behaviour, reason: str, status: int | None) -> None:
    merchant = rig.merchant(stub.on("a", behaviour))
    (number,) = rig.notify(merchant)
    before = rig.now()
    rig.pass_once(QUICK if reason == "timeout" else PATIENT)
    row = rig.notification(number)
    assert (row["state"], row["attempts"], row["lease"], row["settled_at"]) == ("pending", 1, None, None)
    assert before + FIRST_DELAY <= row["due_at"] <= rig.now() + FIRST_DELAY * 1.1
    (attempt,) = rig.attempts(number)
    assert attempt["reason"] == reason
    assert attempt["http_status"] in (status, None)
    assert attempt["duration_us"] < 10_000_000
    rig.pass_once(QUICK)
    assert len(rig.attempts(number)) == 1, "it is not tried again before its time"


UNREACHABLE = [("refused", "http://127.0.0.1:1/x", "connect"), ("no such name", "http://merchant.invalid/x", "dns"),
               ("not TLS", "https://127.0.0.1:{port}/a", "tls_absent")]


@pytest.mark.parametrize("url, reason", [case[1:] for case in UNREACHABLE], ids=[case[0] for case in UNREACHABLE])
def test_unreachable(rig: DispatchRig, stub: MerchantStub, url: str, reason: str) -> None:
    stub.on("a", stub_of.ok)
    (number,) = rig.notify(rig.merchant(url.format(port=stub.port)))
    rig.pass_once()
    (attempt,) = rig.attempts(number)
    assert (attempt["reason"], attempt["http_status"]) == (reason, None)
    assert rig.notification(number)["state"] == "pending"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"])
def test_private_addresses_are_refused_by_default(rig: DispatchRig, stub: MerchantStub, host: str) -> None:
    stub.on("a", stub_of.ok)
    (number,) = rig.notify(rig.merchant(f"http://{host}:{stub.port}/a"))
    rig.pass_once(NO_ALLOW_LIST)
    (attempt,) = rig.attempts(number)
    assert attempt["reason"] == "address" and not stub.requests


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_delays(rig: DispatchRig, stub: MerchantStub, status: int) -> None:
    (number,) = rig.notify(rig.merchant(stub.on("a", says("", status, Retry_After="600"))))
    before = rig.now()
    rig.pass_once()
    assert rig.notification(number)["due_at"] >= before + timedelta(seconds=600)


def test_retry_after_never_hurries(rig: DispatchRig, stub: MerchantStub) -> None:
    (number,) = rig.notify(rig.merchant(stub.on("a", says("", 503, Retry_After="1"))))
    before = rig.now()
    rig.pass_once()
    assert rig.notification(number)["due_at"] >= before + FIRST_DELAY


def test_large_reply_is_cut(rig: DispatchRig, stub: MerchantStub) -> None:
    (number,) = rig.notify(rig.merchant(stub.on("a", says("OK " + "x" * (1 << 20)))))
    rig.pass_once()
    (attempt,) = rig.attempts(number)
    assert len(attempt["reply"]) == 16 * 1024 and attempt["reason"] == "acknowledged"


def test_any_2xx_where_the_merchant_settles_for_it(rig: DispatchRig, stub: MerchantStub) -> None:
    (number,) = rig.notify(rig.merchant(stub.on("a", says("", 204)), "--ack", "http2xx"))
    rig.pass_once()
    assert rig.notification(number)["state"] == "delivered"


def test_whole_schedule_then_exhausted(rig: DispatchRig, stub: MerchantStub) -> None:
    hours = 3600
    delays = [10, 60, 300, 900, hours, 3 * hours, 6 * hours, 12 * hours, 24 * hours, 24 * hours, 24 * hours]
    (number,) = rig.notify(rig.merchant(stub.on("a", says("ERROR"))))
    for attempts, seconds in enumerate(delays, 1):
        before = rig.now()
        rig.pass_once()
        row = rig.notification(number)
        assert (row["state"], row["attempts"]) == ("pending", attempts)
        delay = timedelta(seconds=seconds)
        assert before + delay <= row["due_at"] <= rig.now() + delay * 1.1
        rig.make_due()
    rig.pass_once()
    row = rig.notification(number)
    assert (row["state"], row["attempts"]) == ("exhausted", 12) and row["settled_at"] is not None
    rig.pass_once()
    assert len(stub.requests) == 12


@pytest.mark.parametrize("digest", ["sha256", "sha512"])
def test_message_to_the_letter(rig: DispatchRig, stub: MerchantStub, digest: str) -> None:
    merchant = rig.merchant(stub.on("a", stub_of.in_turn(says("ERROR"), stub_of.ok)), "--notify-digest", digest)
    (order,) = rig.orders(merchant, amount="45000.5")
    (number,) = rig.notifications_about(merchant, [order], amount="45000.5")
    rig.pass_once()
    rig.make_due()
    rig.pass_once()
    first, second = stub.requests
    po_id = rig.value("SELECT po_id FROM orders WHERE id = %s", order)
    checksum = hashlib.new(digest, f"{po_id}approved{merchant.notification_hash}".encode()).hexdigest()
    assert first.body == second.body
    assert list(first.message.items()) == [
        ("pv_po_id", order), ("po_id", po_id), ("status", "approved"), ("pv_checksum", checksum), ("amount", "45000.50"),
        ("iso_currency", "COP"), ("pv_payment", "EFECTIVO")]
    for request in (first, second):
        assert request.headers["content-type"] == "application/json"
        assert request.id == number and request.headers["recaudo-sequence"] == "1"
        signed = f"{request.headers['webhook-id']}.{request.headers['webhook-timestamp']}.".encode() + request.body
        mac = hmac.new(merchant.notification_hash.encode(), signed, hashlib.sha256).digest()
        assert request.headers["webhook-signature"] == "v1," + base64.b64encode(mac).decode()


def test_cancelled_waits_for_approved(rig: DispatchRig, stub: MerchantStub) -> None:
    merchant = rig.merchant(stub.on("a", stub_of.in_turn(says("ERROR"), stub_of.ok)))
    orders = rig.orders(merchant)
    rig.notifications_about(merchant, orders)
    (later,) = rig.notifications_about(merchant, orders, status="cancelled", state="waiting", sequence=2)
    rig.pass_once()
    assert rig.notification(later)["state"] == "waiting"
    rig.make_due()
    rig.pass_once()
    assert rig.notification(later)["state"] == "delivered"
    assert [request.message["status"] for request in stub.requests] == ["approved", "approved", "cancelled"]


def test_cancelled_leaves_when_approved_is_given_up(rig: DispatchRig, stub: MerchantStub) -> None:
    merchant = rig.merchant(stub.on("a", stub_of.in_turn(says("ERROR"), stub_of.ok)))
    orders = rig.orders(merchant)
    (earlier,) = rig.notifications_about(merchant, orders, attempts=11)
    (later,) = rig.notifications_about(merchant, orders, status="cancelled", state="waiting", sequence=2)
    rig.pass_once()
    assert (rig.notification(earlier)["state"], rig.notification(later)["state"]) == ("exhausted", "delivered")


def test_merchant_without_an_address_is_told_later(rig: DispatchRig, stub: MerchantStub) -> None:
    merchant = rig.merchant(None)
    (number,) = rig.notify(merchant, state="unaddressed")
    rig.pass_once()
    assert rig.notification(number)["state"] == "unaddressed"
    rig.stack.ctl.json("merchant", "set", merchant.name, "--notify-url", stub.on("a", stub_of.ok))
    rig.pass_once()
    assert rig.notification(number)["state"] == "delivered"


def test_secret_of_another_key(rig: DispatchRig, stub: MerchantStub) -> None:
    merchant = rig.merchant(stub.on("a", stub_of.ok))
    (number,) = rig.notify(merchant)
    rig.write("UPDATE merchants SET notification_hash = fixed_hash WHERE id = %s", merchant.id)
    log = rig.pass_once().stderr
    (attempt,) = rig.attempts(number)
    assert attempt["reason"] == "secret" and not stub.requests
    assert f"the NOTIFICATION_HASH of merchant {merchant.name} cannot be decrypted: " in log
    assert "restore the copy of the key file, then recaudoctl config check" in log
    assert rig.notification(number)["state"] == "pending"
