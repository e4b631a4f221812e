"""notification test: one marked message to a merchant, now, and what came back."""

import base64
import hashlib
import hmac
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.stack import Ctl, free_port, wait_until
from tests.stack.config import Settings
from tests.stack.contract import judge_call
from tests.stack.dispatch_rig import NO_ALLOW_LIST, DispatchRig, Merchant
from tests.stack.merchant_stub import Behaviour, MerchantStub, hold, ok, says

from operator_steps import misused, refused

KEYS = ["merchant", "request", "address", "http_status", "duration_ms", "reply", "verdict", "error", "reason"]


def send(rig: DispatchRig, merchant: Merchant, status: int = 0, settings: Settings | None = None) -> Any:
    """Sends a test message that ends with this exit status; the document."""
    ctl = Ctl(rig.config(settings))
    result = ctl.run("--json", "notification", "test", "--merchant", merchant.name)
    assert result.returncode == status, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize("digest", ["sha256", "sha512"])
def test_message(rig: DispatchRig, stub: MerchantStub, digest: str) -> None:
    url = stub.on("n", says("OK. received"))
    merchant = rig.merchant(url, "--notify-digest", digest, "--country", "345")
    shown = send(rig, merchant)
    (request,) = stub.requests
    judge_call("notification", request.headers, request.message)
    checksum = hashlib.new(digest, f"recaudo.testcancelled{merchant.notification_hash}".encode()).hexdigest()
    assert list(request.message.items()) == [
        ("pv_po_id", 0), ("po_id", "recaudo.test"), ("status", "cancelled"), ("pv_checksum", checksum),
        ("amount", "0.00"), ("iso_currency", "USD"), ("pv_payment", "TEST")]
    headers = request.headers
    assert headers["recaudo-test"] == "1" and "recaudo-sequence" not in headers
    assert headers["webhook-id"].startswith("test_") and headers["content-type"] == "application/json"
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + request.body
    signature = hmac.new(merchant.notification_hash.encode(), signed, "sha256").digest()
    assert headers["webhook-signature"] == "v1," + base64.b64encode(signature).decode()
    assert abs(int(headers["webhook-timestamp"]) - request.at) < 60

    assert list(shown) == KEYS
    assert [shown[key] for key in KEYS if key not in ("request", "duration_ms")] == [
        merchant.name, "127.0.0.1", 200, "OK. received", "acknowledged", None, "acknowledged"]
    assert (shown["request"]["method"], shown["request"]["url"]) == ("POST", url)
    assert shown["request"]["body"].encode() == request.body
    assert {name.lower(): value for name, value in shown["request"]["headers"].items()}.items() <= headers.items()


def test_each_message_has_an_id_of_its_own(rig: DispatchRig, stub: MerchantStub) -> None:
    merchant = rig.merchant(stub.on("n", ok))
    send(rig, merchant)
    send(rig, merchant)
    assert len({request.headers["webhook-id"] for request in stub.requests}) == 2


@pytest.mark.parametrize("reply, error, http_status", [
    (says("ERROR. unknown order"), "reply", 200),
    (says("OK", status=500), "status", 500),
    (says("", status=302, Location="http://127.0.0.1:1/"), "status", 302),
    (lambda exchange: exchange.close(), "protocol", None),
])
def test_what_is_not_acknowledged(rig: DispatchRig, stub: MerchantStub, reply: Behaviour, error: str,
                                  http_status: int | None) -> None:
    shown = send(rig, rig.merchant(stub.on("n", reply)), 1)
    assert (shown["verdict"], shown["error"], shown["http_status"]) == ("failed", error, http_status)
    assert len(stub.requests) == 1


def test_any_2xx(rig: DispatchRig, stub: MerchantStub) -> None:
    assert send(rig, rig.merchant(stub.on("n", says("", 204)), "--ack", "http2xx"))["http_status"] == 204


def test_nobody_there(rig: DispatchRig) -> None:
    shown = send(rig, rig.merchant(f"http://127.0.0.1:{free_port()}/"), 1)
    assert (shown["error"], shown["http_status"], shown["reply"]) == ("connect", None, "")


def test_time_out(rig: DispatchRig, stub: MerchantStub) -> None:
    shown = send(rig, rig.merchant(stub.on("n", hold)), 1, {"notification": {"timeout": "300ms"}})
    assert shown["error"] == "timeout" and 290 <= shown["duration_ms"] < 15000


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0x7f.1"])
def test_address_that_may_not_be_connected_to(rig: DispatchRig, stub: MerchantStub, host: str) -> None:
    shown = send(rig, rig.merchant(stub.on("n", ok, host)), 1, NO_ALLOW_LIST)
    assert shown["error"] == "address" and "allow_addresses" in shown["reason"]
    assert stub.connections == 0


def test_for_people(rig: DispatchRig, stub: MerchantStub) -> None:
    merchant = rig.merchant(stub.on("n", says("ERROR.\n\x1b[31mno")))
    result = rig.stack.ctl.run("notification", "test", "--merchant", merchant.name)
    assert result.returncode == 1 and result.stderr == "recaudoctl: not acknowledged: the reply is not OK: answer OK, nothing else\n"
    for words in ('request.body', '"po_id":"recaudo.test"', "request.headers.Recaudo-Test", "127.0.0.1", "ERROR."):
        assert words in result.stdout
    assert "\x1b" not in result.stdout
    assert merchant.notification_hash not in result.stdout


def test_reply_in_utf_16_is_shown_to_its_end(rig: DispatchRig, stub: MerchantStub) -> None:
    merchant = rig.merchant(stub.on("n", says("OK".encode("utf-16-le"))))
    result = rig.stack.ctl.run("notification", "test", "--merchant", merchant.name)
    assert [line.split()[1] for line in result.stdout.splitlines() if line.startswith("reply ")] == ["O\u2400K\u2400"]


def test_nothing_is_stored_and_nothing_held(rig: DispatchRig, stub: MerchantStub) -> None:
    """No row, and no connection to the database while the merchant thinks."""
    merchant = rig.merchant(stub.on("n", hold))
    counts = "SELECT (SELECT COUNT(*) FROM events) + (SELECT COUNT(*) FROM notifications) + (SELECT COUNT(*) FROM attempts)"
    connections = "SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'recaudo_operator'"
    before = rig.value(counts)
    with ThreadPoolExecutor(1) as pool:
        sent = pool.submit(send, rig, merchant)
        stub.await_requests(1)
        wait_until(lambda: rig.value(connections) == 0, "the connection to the database to be closed")
        stub.release()
        assert sent.result()["verdict"] == "acknowledged"
    assert rig.value(counts) == before


def test_merchant_that_cannot_be_notified(rig: DispatchRig, stub: MerchantStub) -> None:
    ctl = rig.stack.ctl
    silent = rig.merchant(None)
    assert refused(ctl, "notification", "test", "--merchant", silent.name) == (
        f"merchant {silent.name} has no notify_url: recaudoctl merchant set {silent.name} --notify-url URL")
    assert refused(ctl, "notification", "test", "--merchant", "nobody").startswith("there is no merchant nobody")
    assert misused(ctl, "notification", "test") == "--merchant is missing: --merchant NAME"
    merchant = rig.merchant(stub.on("n", ok))
    rig.write("UPDATE merchants SET notification_hash = REVERSE(notification_hash) WHERE id = %s", merchant.id)
    said = refused(ctl, "notification", "test", "--merchant", merchant.name)
    rig.write("UPDATE merchants SET notification_hash = REVERSE(notification_hash) WHERE id = %s", merchant.id)
    assert said.startswith(f"the NOTIFICATION_HASH of {merchant.name} cannot be decrypted") and stub.requests == []
    bad = Ctl(rig.config({"security": {"allow_addresses": "10.0.0.0/33"}}))
    good = rig.merchant(stub.on("n", ok))
    assert "[security] allow_addresses: not an address range: 10.0.0.0/33" in refused(
        bad, "notification", "test", "--merchant", good.name)
