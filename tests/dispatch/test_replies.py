"""What the merchant's reply means: the verdict, the attempt's row and the time of the next attempt."""

from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from typing import Any

import pytest

from tests.stack.dispatch_rig import DispatchRig
from tests.stack.merchant_stub import Behaviour, MerchantStub, in_turn, ok, ok_and_closes, says
from schedules import DEFAULT, check_next_due

KEPT_BYTES = 16 * 1024
MEBIBYTE = 1024 * 1024


def check_attempt(rig: DispatchRig, number: int, reason: str, status: int | None, reply: bytes) -> dict[str, Any]:
    """The only attempt of this notification, begun in time and by the dispatcher that ran."""
    (attempt,) = rig.attempts(number)
    kept = {name: attempt[name] for name in ("number", "reason", "http_status", "address", "late", "reply")}
    assert kept == {"number": 1, "reason": reason, "http_status": status, "address": "127.0.0.1", "late": 0,
                    "reply": reply}
    assert attempt["dispatcher_id"] == rig.value("SELECT id FROM dispatchers WHERE task = 'deliver'")
    assert attempt["started_at"] >= rig.notification(number)["created_at"]
    assert 0 < attempt["duration_us"] < 10_000_000
    return attempt


def send(rig: DispatchRig, stub: MerchantStub, behaviour: Behaviour, *options: str) -> int:
    number, = rig.notify(rig.merchant(stub.on("n", behaviour), *options))
    rig.pass_once()
    (request,) = stub.requests
    assert request.id == number
    return number


def check_delivered(rig: DispatchRig, number: int, status: int, reply: bytes) -> None:
    attempt = check_attempt(rig, number, "acknowledged", status, reply)
    row = rig.notification(number)
    assert (row["state"], row["attempts"], row["lease"]) == ("delivered", 1, None)
    assert row["settled_at"] >= attempt["started_at"] + timedelta(microseconds=attempt["duration_us"])
    rig.make_due()
    rig.pass_once()
    assert len(rig.attempts(number)) == 1


def check_to_be_tried_again(rig: DispatchRig, number: int, reason: str, status: int, reply: bytes,
                            delay: float = DEFAULT[0]) -> None:
    attempt = check_attempt(rig, number, reason, status, reply)
    row = rig.notification(number)
    assert (row["state"], row["attempts"], row["lease"], row["settled_at"]) == ("pending", 1, None, None)
    check_next_due(row, attempt, delay, rig.now())


@pytest.mark.parametrize("reply", [
    b"OK", b"ok", b"Ok", b"OK. 7 boxes", b"OK\r\n", b"  OK", b"OK - pedido recibido", b"\xef\xbb\xbfOK", b"OK\xff",
    b'{"status":"OK"}', b'{"status": "ok"}', b'{ "STATUS" : "Ok" }', b'{"a":[1,{"status":"ERROR"}],"status":"OK"}',
    b"{status: OK}", b"{status:'OK'}", b'\xef\xbb\xbf{"status":"OK"}\n',
    b'{ "status":"ok" "type":"update_status processing" }', b'{"status":"OK",}'])
def test_acknowledged(rig: DispatchRig, stub: MerchantStub, reply: bytes) -> None:
    check_delivered(rig, send(rig, stub, says(reply)), 200, reply)


@pytest.mark.parametrize("status", [200, 201, 202, 299])
def test_every_2xx_with_ok(rig: DispatchRig, stub: MerchantStub, status: int) -> None:
    check_delivered(rig, send(rig, stub, says("OK", status)), status, b"OK")


def test_ok_and_connection_closed(rig: DispatchRig, stub: MerchantStub) -> None:
    check_delivered(rig, send(rig, stub, ok_and_closes), 200, b"OK")


@pytest.mark.parametrize("reply", [
    b"ERROR", b"ERROR OK", b"OKAY", b"OK2", b"", b"O", b"recibido", b"<html>OK</html>", b'"OK"', b"\x00OK",
    b'{"status":"ERROR"}', b'{"status":"OK","status":"ERROR"}', b'{"status":"OKAY"}', b'{"status":["OK"]}',
    b'{"state":"OK"}', b'{"status":"OK"', b'["status","OK"]', b'{"data":{"status":"OK"}}'])
def test_not_acknowledged(rig: DispatchRig, stub: MerchantStub, reply: bytes) -> None:
    check_to_be_tried_again(rig, send(rig, stub, says(reply)), "reply", 200, reply)


@pytest.mark.parametrize("status", [301, 302, 304, 400, 401, 404, 408, 410, 418, 429, 500, 502, 503, 504, 599])
def test_other_status(rig: DispatchRig, stub: MerchantStub, status: int) -> None:
    body = b"" if status == 304 else b"OK"
    check_to_be_tried_again(rig, send(rig, stub, says(body, status)), "status", status, body)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(rig: DispatchRig, stub: MerchantStub, status: int) -> None:
    elsewhere = stub.on("elsewhere", ok)
    number = send(rig, stub, says("OK", status, Location=elsewhere))
    check_to_be_tried_again(rig, number, "status", status, b"OK")
    assert stub.requests_to("elsewhere") == []


@pytest.mark.parametrize("status, reply", [(200, b""), (200, b"ERROR"), (202, b"recibido"), (204, b"")])
def test_any_2xx(rig: DispatchRig, stub: MerchantStub, status: int, reply: bytes) -> None:
    check_delivered(rig, send(rig, stub, says(reply, status), "--ack", "http2xx"), status, reply)


@pytest.mark.parametrize("options", [(), ("--ack", "http2xx")])
@pytest.mark.parametrize("reply", [
    b'{ "status":"error" "type":"pv_checksum invalid" }', b'{"status":"ERROR"}', b'{"status":"error"',
    b'OK {"status":"error"}', b'{"status":"ok","status":"error"}'])
def test_status_error_acknowledges_under_no_rule(rig: DispatchRig, stub: MerchantStub, reply: bytes,
                                                 options: tuple[str, ...]) -> None:
    check_to_be_tried_again(rig, send(rig, stub, says(reply), *options), "reply", 200, reply)


@pytest.mark.parametrize("status", [302, 404, 500])
def test_any_2xx_is_no_other_status(rig: DispatchRig, stub: MerchantStub, status: int) -> None:
    number = send(rig, stub, says("OK", status), "--ack", "http2xx")
    check_to_be_tried_again(rig, number, "status", status, b"OK")


def test_long_reply_is_kept_in_part(rig: DispatchRig, stub: MerchantStub) -> None:
    body = b"OK. " + b"\x00\xff'\"\\" * (MEBIBYTE // 5)
    check_delivered(rig, send(rig, stub, says(body)), 200, body[:KEPT_BYTES])


def test_long_reply_that_is_not_ok(rig: DispatchRig, stub: MerchantStub) -> None:
    body = b"x" * MEBIBYTE
    check_to_be_tried_again(rig, send(rig, stub, says(body)), "reply", 200, body[:KEPT_BYTES])


@pytest.mark.slow
def test_many_long_replies_at_once(rig: DispatchRig, stub: MerchantStub) -> None:
    """What is recorded together stays within what the database takes in one statement."""
    settings = {"dispatcher": {"in_flight": 512, "in_flight_per_endpoint": 512}}
    reply = b"OK." + b"x" * KEPT_BYTES
    rig.notify(rig.merchant(stub.on("n", says(reply))), 3000)
    rig.pass_once(settings)
    assert rig.count("delivered") == 3000
    assert rig.value("SELECT COUNT(*) FROM attempts WHERE LENGTH(reply) = %s", KEPT_BYTES) == 3000
    assert len(stub.requests) == 3000


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("said, delay", [
    ("30", 30), ("11", 11), ("3", DEFAULT[0]), ("0", DEFAULT[0]), ("-5", DEFAULT[0]), ("soon", DEFAULT[0]),
    ("999999999", 86400)])
def test_retry_after(rig: DispatchRig, stub: MerchantStub, status: int, said: str, delay: float) -> None:
    """It can only delay, and by no more than a day."""
    number = send(rig, stub, says("later", status, Retry_After=said))
    check_to_be_tried_again(rig, number, "status", status, b"later", delay)


def test_retry_after_a_date(rig: DispatchRig, stub: MerchantStub) -> None:
    date = datetime.now(timezone.utc).replace(microsecond=0) + timedelta(seconds=120)
    number = send(rig, stub, says("later", 503, Retry_After=format_datetime(date, usegmt=True)))
    due_at = rig.notification(number)["due_at"].replace(tzinfo=timezone.utc)
    assert date - timedelta(seconds=1) <= due_at <= date + timedelta(seconds=0.1 * 120 + 1)


@pytest.mark.parametrize("status", [200, 404, 500, 502])
def test_retry_after_elsewhere_means_nothing(rig: DispatchRig, stub: MerchantStub, status: int) -> None:
    number = send(rig, stub, says("later", status, Retry_After="3000"))
    check_to_be_tried_again(rig, number, "reply" if status == 200 else "status", status, b"later")


def test_second_attempt_delivers(rig: DispatchRig, stub: MerchantStub) -> None:
    number, = rig.notify(rig.merchant(stub.on("n", in_turn(says("ERROR", 500), ok))))
    rig.pass_once()
    rig.pass_once()
    assert len(stub.requests) == 1
    rig.make_due()
    rig.pass_once()
    assert [attempt["reason"] for attempt in rig.attempts(number)] == ["status", "acknowledged"]
    assert [attempt["number"] for attempt in rig.attempts(number)] == [1, 2]
    assert rig.notification(number)["state"] == "delivered"
