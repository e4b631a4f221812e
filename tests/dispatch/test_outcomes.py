"""What becomes of one notification, whatever the merchant's end does."""

import hashlib
import hmac
import base64
from datetime import timedelta

import pytest

import tests.stack.merchant_stub as stub_of
from tests.stack.mailroom import NO_ALLOW_LIST, Mailroom
from tests.stack.merchant_stub import Behaviour, MerchantStub, says

FIRST_DELAY = timedelta(seconds=10)
QUICK = {"notification": {"timeout": "300ms"}}


@pytest.mark.parametrize("reply", ["OK", "ok", " OK\n", "OK. Gracias", '{"status":"OK"}', '{"status": "ok", "id": 7}', "{status: OK}"])
def test_acknowledged(mailroom: Mailroom, stub: MerchantStub, reply: str) -> None:
    merchant = mailroom.merchant(stub.on("a", says(reply)))
    (number,) = mailroom.notify(merchant)
    mailroom.pass_once()
    row = mailroom.notification(number)
    assert (row["state"], row["attempts"], row["lease"]) == ("delivered", 1, None)
    assert row["settled_at"] is not None and row["due_at"] == row["settled_at"]
    (attempt,) = mailroom.attempts(number)
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
def test_failed_attempt(mailroom: Mailroom, stub: MerchantStub, behaviour: Behaviour, reason: str, status: int | None) -> None:
    merchant = mailroom.merchant(stub.on("a", behaviour))
    (number,) = mailroom.notify(merchant)
    before = mailroom.now()
    mailroom.pass_once(QUICK)
    row = mailroom.notification(number)
    assert (row["state"], row["attempts"], row["lease"], row["settled_at"]) == ("pending", 1, None, None)
    assert before + FIRST_DELAY <= row["due_at"] <= mailroom.now() + FIRST_DELAY * 1.1
    (attempt,) = mailroom.attempts(number)
    assert attempt["reason"] == reason
    assert attempt["http_status"] in (status, None)
    assert attempt["duration_us"] < 2_000_000
    mailroom.pass_once(QUICK)
    assert len(mailroom.attempts(number)) == 1, "it is not tried again before its time"


UNREACHABLE = [("refused", "http://127.0.0.1:1/x", "connect"), ("no such name", "http://merchant.invalid/x", "dns"),
               ("not TLS", "https://127.0.0.1:{port}/a", "tls")]


@pytest.mark.parametrize("url, reason", [case[1:] for case in UNREACHABLE], ids=[case[0] for case in UNREACHABLE])
def test_unreachable(mailroom: Mailroom, stub: MerchantStub, url: str, reason: str) -> None:
    stub.on("a", stub_of.ok)
    (number,) = mailroom.notify(mailroom.merchant(url.format(port=stub.port)))
    mailroom.pass_once()
    (attempt,) = mailroom.attempts(number)
    assert (attempt["reason"], attempt["http_status"]) == (reason, None)
    assert mailroom.notification(number)["state"] == "pending"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"])
def test_private_addresses_are_refused_by_default(mailroom: Mailroom, stub: MerchantStub, host: str) -> None:
    stub.on("a", stub_of.ok)
    (number,) = mailroom.notify(mailroom.merchant(f"http://{host}:{stub.port}/a"))
    mailroom.pass_once(NO_ALLOW_LIST)
    (attempt,) = mailroom.attempts(number)
    assert attempt["reason"] == "address" and not stub.requests


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_delays(mailroom: Mailroom, stub: MerchantStub, status: int) -> None:
    (number,) = mailroom.notify(mailroom.merchant(stub.on("a", says("", status, Retry_After="600"))))
    before = mailroom.now()
    mailroom.pass_once()
    assert mailroom.notification(number)["due_at"] >= before + timedelta(seconds=600)


def test_retry_after_never_hurries(mailroom: Mailroom, stub: MerchantStub) -> None:
    (number,) = mailroom.notify(mailroom.merchant(stub.on("a", says("", 503, Retry_After="1"))))
    before = mailroom.now()
    mailroom.pass_once()
    assert mailroom.notification(number)["due_at"] >= before + FIRST_DELAY


def test_large_reply_is_cut(mailroom: Mailroom, stub: MerchantStub) -> None:
    (number,) = mailroom.notify(mailroom.merchant(stub.on("a", says("OK " + "x" * (1 << 20)))))
    mailroom.pass_once()
    (attempt,) = mailroom.attempts(number)
    assert len(attempt["reply"]) == 16 * 1024 and attempt["reason"] == "acknowledged"


def test_any_2xx_where_the_merchant_settles_for_it(mailroom: Mailroom, stub: MerchantStub) -> None:
    (number,) = mailroom.notify(mailroom.merchant(stub.on("a", says("", 204)), "--ack", "http2xx"))
    mailroom.pass_once()
    assert mailroom.notification(number)["state"] == "delivered"


def test_whole_schedule_then_exhausted(mailroom: Mailroom, stub: MerchantStub) -> None:
    hours = 3600
    delays = [10, 60, 300, 900, hours, 3 * hours, 6 * hours, 12 * hours, 24 * hours, 24 * hours, 24 * hours]
    (number,) = mailroom.notify(mailroom.merchant(stub.on("a", says("ERROR"))))
    for attempts, seconds in enumerate(delays, 1):
        before = mailroom.now()
        mailroom.pass_once()
        row = mailroom.notification(number)
        assert (row["state"], row["attempts"]) == ("pending", attempts)
        delay = timedelta(seconds=seconds)
        assert before + delay <= row["due_at"] <= mailroom.now() + delay * 1.1
        mailroom.make_due()
    mailroom.pass_once()
    row = mailroom.notification(number)
    assert (row["state"], row["attempts"]) == ("exhausted", 12) and row["settled_at"] is not None
    mailroom.pass_once()
    assert len(stub.requests) == 12


@pytest.mark.parametrize("digest", ["sha256", "sha512"])
def test_message_to_the_letter(mailroom: Mailroom, stub: MerchantStub, digest: str) -> None:
    merchant = mailroom.merchant(stub.on("a", stub_of.in_turn(says("ERROR"), stub_of.ok)), "--notify-digest", digest)
    (order,) = mailroom.orders(merchant, amount="45000.5")
    (number,) = mailroom.notifications_about(merchant, [order], amount="45000.5")
    mailroom.pass_once()
    mailroom.make_due()
    mailroom.pass_once()
    first, second = stub.requests
    po_id = mailroom.value("SELECT po_id FROM orders WHERE id = %s", order)
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


def test_cancelled_waits_for_approved(mailroom: Mailroom, stub: MerchantStub) -> None:
    merchant = mailroom.merchant(stub.on("a", stub_of.in_turn(says("ERROR"), stub_of.ok)))
    orders = mailroom.orders(merchant)
    mailroom.notifications_about(merchant, orders)
    (later,) = mailroom.notifications_about(merchant, orders, status="cancelled", state="waiting", sequence=2)
    mailroom.pass_once()
    assert mailroom.notification(later)["state"] == "waiting"
    mailroom.make_due()
    mailroom.pass_once()
    assert mailroom.notification(later)["state"] == "delivered"
    assert [request.message["status"] for request in stub.requests] == ["approved", "approved", "cancelled"]


def test_cancelled_leaves_when_approved_is_given_up(mailroom: Mailroom, stub: MerchantStub) -> None:
    merchant = mailroom.merchant(stub.on("a", stub_of.in_turn(says("ERROR"), stub_of.ok)))
    orders = mailroom.orders(merchant)
    (earlier,) = mailroom.notifications_about(merchant, orders, attempts=11)
    (later,) = mailroom.notifications_about(merchant, orders, status="cancelled", state="waiting", sequence=2)
    mailroom.pass_once()
    assert (mailroom.notification(earlier)["state"], mailroom.notification(later)["state"]) == ("exhausted", "delivered")


def test_merchant_without_an_address_is_told_later(mailroom: Mailroom, stub: MerchantStub) -> None:
    merchant = mailroom.merchant(None)
    (number,) = mailroom.notify(merchant, state="unaddressed")
    mailroom.pass_once()
    assert mailroom.notification(number)["state"] == "unaddressed"
    mailroom.stack.ctl.json("merchant", "set", merchant.name, "--notify-url", stub.on("a", stub_of.ok))
    mailroom.pass_once()
    assert mailroom.notification(number)["state"] == "delivered"


def test_secret_of_another_key(mailroom: Mailroom, stub: MerchantStub) -> None:
    merchant = mailroom.merchant(stub.on("a", stub_of.ok))
    (number,) = mailroom.notify(merchant)
    mailroom.write("UPDATE merchants SET notification_hash = fixed_hash WHERE id = %s", merchant.id)
    mailroom.pass_once()
    (attempt,) = mailroom.attempts(number)
    assert attempt["reason"] == "secret" and not stub.requests
    assert mailroom.notification(number)["state"] == "pending"
