"""What the operator sees of notifications: lists, each attempt, and the story of an order."""

import json
import re

import pytest

from tests.stack.dispatch_rig import DispatchRig
from tests.stack.merchant_stub import MerchantStub, in_turn, ok, says

from operator_steps import INSTANT, instants, misused, refused

KEYS = ["id", "pv_po_id", "po_id", "merchant", "status", "state", "attempts_made", "last_attempt", "in_flight",
        "due_at", "settled_at"]
ATTEMPT_KEYS = ["number", "started_at", "ended_at", "duration_ms", "url", "address", "http_status", "verdict", "error",
                "reason", "reply", "late", "dispatcher"]


def listed(rig: DispatchRig, *options: str) -> list[int]:
    return [notification["id"] for notification in rig.stack.ctl.json("notification", "list", *options)]


def test_list(rig: DispatchRig, stub: MerchantStub) -> None:
    here, there = rig.merchant(stub.on("here", ok)), rig.merchant(None)
    pending, later = rig.notify(here, 2)
    (unaddressed,) = rig.notify(there, state="unaddressed")
    (exhausted,) = rig.notify(here, state="exhausted")
    (delivered,) = rig.notify(here, state="delivered")
    (waiting,) = rig.notify(there, state="waiting")
    rig.write("UPDATE notifications SET due_at = due_at + INTERVAL 1 HOUR WHERE id = %s", later)
    everything = [waiting, delivered, exhausted, unaddressed, later, pending]
    assert listed(rig) == everything
    assert listed(rig, "--merchant", here.name) == [delivered, exhausted, later, pending]
    by_state = {"pending": [later, pending], "unaddressed": [unaddressed], "exhausted": [exhausted],
                "delivered": [delivered], "waiting": [waiting]}
    assert {state: listed(rig, "--state", state) for state in by_state} == by_state
    assert listed(rig, "--merchant", there.name, "--state", "unaddressed") == [unaddressed]
    assert listed(rig, "--merchant", there.name, "--state", "pending") == []
    cut = rig.stack.ctl.run("--json", "notification", "list", "--limit", "2")
    assert re.findall(r'"id":(\d+)', cut.stdout) == [str(waiting), str(delivered)]
    assert "the list ends after 2" in cut.stderr
    whole = rig.stack.ctl.run("--json", "notification", "list", "--limit", str(len(everything)))
    assert len(re.findall(r'"id":(\d+)', whole.stdout)) == len(everything) and "ends" not in whole.stderr
    header, *lines = rig.stack.ctl.done("notification", "list").splitlines()
    assert header.split() == KEYS and len(lines) == len(everything)


def test_list_that_is_asked_wrongly(rig: DispatchRig) -> None:
    ctl = rig.stack.ctl
    assert misused(ctl, "notification", "list", "--state", "failed").startswith("--state is pending, delivered,")
    assert misused(ctl, "notification", "list", "--limit", "0").startswith("--limit is a number")
    assert refused(ctl, "notification", "list", "--merchant", "nobody").startswith("there is no merchant nobody")
    assert ctl.json("notification", "list") == [] and ctl.done("notification", "list") == "none\n"


def test_show_every_attempt(rig: DispatchRig, stub: MerchantStub) -> None:
    fails = says(b"boom\x00\xff\n\x1b[31m" + b"x" * 20000, status=500)
    (number,) = rig.notify(rig.merchant(stub.on("n", in_turn(fails, says("OK. Gracias, ñandú")))))
    rig.pass_once()
    waits = rig.stack.ctl.json("notification", "show", str(number))
    assert (waits["state"], waits["attempts_made"], waits["last_attempt"]) == ("pending", 1, "status")
    rig.make_due()
    rig.pass_once()
    shown = rig.stack.ctl.json("notification", "show", str(number))
    order = rig.row("SELECT id, po_id FROM orders")
    expected = {"id": number, "pv_po_id": order["id"], "po_id": order["po_id"], "status": "approved",
                "state": "delivered", "attempts_made": 2, "last_attempt": "acknowledged", "in_flight": False,
                "sequence": 1, "amount": "45000.00", "iso_currency": "COP", "pv_payment": "EFECTIVO"}
    assert {key: shown[key] for key in expected} == expected and shown["notify_url"].endswith("/n")
    first, second = shown["attempts"]
    assert list(first) == ATTEMPT_KEYS
    assert [first[key] for key in ("number", "address", "http_status", "verdict", "error", "reason")] == [
        1, "127.0.0.1", 500, "failed", "status", "the HTTP status is not 2xx"]
    assert first["reply"] == "boom\x00\ufffd\n\x1b[31m" + "x" * (16 * 1024 - len(b"boom\x00\xff\n\x1b[31m"))
    assert [second[key] for key in ("number", "http_status", "verdict", "error", "reply", "late")] == [
        2, 200, "acknowledged", None, "OK. Gracias, ñandú", False]
    assert first["url"] == second["url"] == shown["notify_url"]
    assert first["dispatcher"] and first["started_at"] <= first["ended_at"] <= second["started_at"]
    assert all(INSTANT.fullmatch(text) for text in instants(shown))
    assert [(event["what"], event["to"]) for event in shown["events"]] == [
        ("created", "pending"), ("changed", "pending"), ("state", "delivered")]  # made due by hand


def test_attempts_keep_the_url_they_used(rig: DispatchRig, stub: MerchantStub) -> None:
    """A merchant that moves: where each attempt went is still to be seen, and from where to where it moved."""
    before, after = stub.on("old", says("no")), stub.on("new", ok)
    merchant = rig.merchant(before)
    (number,) = rig.notify(merchant)
    rig.pass_once()
    rig.stack.ctl.done("merchant", "set", merchant.name, "--notify-url", after)
    rig.make_due()
    rig.pass_once()
    shown = rig.stack.ctl.json("notification", "show", str(number))
    assert [attempt["url"] for attempt in shown["attempts"]] == [before, after] and shown["notify_url"] == after
    changed = rig.stack.ctl.json("merchant", "show", merchant.name)["events"][-1]
    assert changed["what"] == "changed" and json.loads(changed["changes"]) == {"notify_url": [before, after]}


def test_found_by_the_webhook_id(rig: DispatchRig, stub: MerchantStub) -> None:
    """What a merchant sees and asks about: random, the same in every attempt, and no number of ours."""
    first, second = rig.notify(rig.merchant(stub.on("n", in_turn(says("no"), ok, ok))), 2)
    rig.pass_once()
    rig.make_due()
    rig.pass_once()
    ids = {request.id: request.webhook_id for request in stub.requests}
    assert len(stub.requests) == 3 and set(ids) == {first, second} and len({*ids.values()}) == 2
    assert all(re.fullmatch("ntf_[0-9a-f]{32}", webhook_id) for webhook_id in ids.values())
    shown = rig.stack.ctl.json("notification", "show", ids[second])
    assert (shown["id"], shown["webhook_id"]) == (second, ids[second])
    assert rig.stack.ctl.json("notification", "show", str(second)) == shown
    retried = rig.stack.ctl.json("notification", "retry", ids[second], str(first), "--again")
    assert sorted(row["id"] for row in retried["notifications"]) == [first, second]
    rig.pass_once()
    assert {request.webhook_id for request in stub.requests} == {*ids.values()} and len(stub.requests) == 5
    assert refused(rig.stack.ctl, "notification", "retry", "ntf_0").startswith("there is no notification ntf_0")
    assert refused(rig.stack.ctl, "notification", "show", "ntf_0").startswith("there is no notification ntf_0")


def test_show_for_people(rig: DispatchRig, stub: MerchantStub) -> None:
    fails = says(b"boom\x00\n\x1b[31m\xff" + "ñ".encode() * 60, status=500)
    (number,) = rig.notify(rig.merchant(stub.on("n", fails)))
    rig.pass_once()
    attempts = rig.stack.ctl.done("notification", "show", str(number)).split("attempts:\n")[1]
    assert "boom   [31m\ufffd" + "ñ" * 38 + "..." in attempts and "ñ" * 39 not in attempts
    assert "\x1b" not in attempts and "127.0.0.1" in attempts and "the HTTP status is not 2xx" in attempts


@pytest.mark.parametrize("word", ["0", "abc", "-1", "18446744073709551616", "1; DROP"])
def test_show_what_is_not_there(rig: DispatchRig, word: str) -> None:
    reason = refused(rig.stack.ctl, "notification", "show", "--", word)
    assert reason.startswith(f"there is no notification {word} (see recaudoctl notification list")


def test_every_reason_has_words(rig: DispatchRig) -> None:
    """The reasons that the table knows are those that the program can explain."""
    column = rig.row("SELECT column_type AS type FROM information_schema.columns"
                          " WHERE table_name = 'attempts' AND column_name = 'reason'")
    reasons = re.findall(r"'(\w+)'", column["type"])
    (number,) = rig.notify(rig.merchant(None))
    for reason in reasons:
        rig.write("INSERT INTO attempts (notification_id, number, dispatcher_id, started_at, duration_us, address,"
                       " reason, late, reply, lease) VALUES (%s, 1, 1, UTC_TIMESTAMP(6), 5000, '', %s, FALSE, '',"
                       " LEFT(MD5(%s), 16))", number, reason, reason)
    attempts = rig.stack.ctl.json("notification", "show", str(number))["attempts"]
    assert [attempt["error"] or attempt["verdict"] for attempt in attempts] == reasons
    assert len({attempt["reason"] for attempt in attempts}) == len(reasons) > 10
    assert {(attempt["address"], attempt["http_status"], attempt["duration_ms"]) for attempt in attempts} == {
        (None, None, 5)}


def test_order_show_has_the_attempts(rig: DispatchRig, stub: MerchantStub) -> None:
    merchant = rig.merchant(stub.on("n", in_turn(says("ERROR. no such order"), ok)))
    (order,) = rig.confirmed_orders(merchant, 1, rig.now())
    rig.pass_once()
    rig.make_due()
    rig.pass_once()
    ctl = rig.stack.ctl
    (notification,) = ctl.json("order", "show", f"id:{order}")["notifications"]
    assert list(notification) == ["id", "status", "state", "in_flight", "due_at", "settled_at", "attempts"]
    assert (notification["status"], notification["state"]) == ("approved", "delivered")
    assert [list(attempt) for attempt in notification["attempts"]] == [ATTEMPT_KEYS] * 2
    assert [(attempt["verdict"], attempt["error"], attempt["reply"]) for attempt in notification["attempts"]] == [
        ("failed", "reply", "ERROR. no such order"), ("acknowledged", None, "OK")]

    ctl.done("notification", "retry", str(notification["id"]), "--again", "--reason", "lost it")
    history = ctl.done("order", "show", f"id:{order}").split("history:\n")[1]
    places = [history.index(words) for words in (
        "PENDIENTE becomes APROBADA", "the merchant is to be notified: approved (pending)",
        "notification approved, attempt 1: HTTP 200, the reply is not OK: answer OK, nothing else",
        "notification approved, attempt 2: HTTP 200, acknowledged",
        "notification approved: pending becomes delivered", "notification approved is to be sent again: lost it",
        'notification approved: changed {"due_at":[')]
    moments = [line[:20] for line in history.splitlines()[1:]]
    assert moments == sorted(moments) and places[0] < places[2] < places[6] < places[3] < places[4] < places[5]


def test_order_with_two_notifications(rig: DispatchRig, stub: MerchantStub) -> None:
    """Each attempt stands under its own notification."""
    merchant = rig.merchant(stub.on("n", ok))
    (order,) = rig.orders(merchant)
    rig.notifications_about(merchant, [order])
    rig.notifications_about(merchant, [order], status="cancelled", sequence=2, state="waiting")
    rig.pass_once()
    rig.pass_once()
    shown = rig.stack.ctl.json("order", "show", f"id:{order}")["notifications"]
    assert [(one["status"], one["state"], len(one["attempts"])) for one in shown] == [
        ("approved", "delivered", 1), ("cancelled", "delivered", 1)]
