"""Dual control in the console: who may approve a claim, and who may not."""

from typing import Iterator

import pytest

from tests.stack import Stack, wait_until
from tests.stack.merchant_stub import MerchantStub

from forms import REASON, change, events, last_event, send, shown, valid_token
from world import World

SUPPORT, OPERATOR, VIEWER, MERCHANT = "sara", "omar", "vera", "tienda-user"


@pytest.fixture(scope="module")
def controlled() -> Iterator[World]:
    settings = {"worker": {"cancel_window": "2s"}, "security": {"allow_addresses": "127.0.0.0/8"}}
    with MerchantStub() as stub, Stack(settings=settings, buffer_pool="64M", console=True) as stack:
        world = World(stack, stub)
        stack.mariadb.query("INSERT INTO dual_control (kind, currency, above) VALUES ('claim', 'COP', 1000)")
        yield world


def claimed(world: World, name: str, user: str) -> int:
    """Pays a new order and claims it as this user: the number of what waits."""
    world.pay(world.add(name), f"T-{name}")
    number = world.orders[name]
    wait_until(lambda: world.number("SELECT state = 'APROBADA' AS n FROM orders WHERE id = %s", number) == 1, "the payment to be final")
    _, reply = change(world, f"/orders/{number}/claim", user)
    assert (reply.status, reply.headers["Location"]) == (303, "/approvals")
    return world.number("SELECT MAX(id) AS n FROM approvals")


def order_state(world: World, name: str) -> str:
    return str(world.stack.mariadb.query("SELECT state FROM orders WHERE id = %s", world.orders[name])[0]["state"])


def refuses(world: World, path: str, user: str, status: int) -> None:
    before = events(world)
    fields = {"token": valid_token(world, user, path), "seen": "waiting", "reason": REASON}
    assert send(world, path, user, fields).status == status, (path, user)
    assert events(world) == before


def test_another_user_approves(controlled: World) -> None:
    number = claimed(controlled, "PO-one", SUPPORT)
    path = f"/approvals/{number}/approve"
    for user, post in ((VIEWER, 403), (SUPPORT, 403), (MERCHANT, 404)):
        assert controlled.get(path, user).status == 404
        refuses(controlled, path, user, post)
    assert "PO-one" in controlled.get("/approvals?lang=en", VIEWER).text and controlled.get("/approvals", MERCHANT).status == 404
    assert path not in controlled.get("/approvals", SUPPORT).text and path in controlled.get("/approvals", OPERATOR).text
    assert order_state(controlled, "PO-one") == "APROBADA"
    fields, reply = change(controlled, path, OPERATOR)
    assert (reply.status, reply.headers["Location"]) == (303, "/approvals")
    assert order_state(controlled, "PO-one") == "ANULADA"
    event = last_event(controlled, "approval", number, "state")
    assert (event["to_state"], event["actor"], event["reason"]) == ("approved", "console:omar", REASON)
    assert last_event(controlled, "approval", number, "created")["actor"] == "console:sara"
    assert send(controlled, path, OPERATOR, fields).status == 409


def test_a_second_claim_says_that_one_waits(controlled: World) -> None:
    """Whether its form was shown before the first claim or after it, and whoever enters it."""
    controlled.pay(controlled.add("PO-twice"), "T-PO-twice")
    number = controlled.orders["PO-twice"]
    path = f"/orders/{number}/claim"
    wait_until(lambda: order_state(controlled, "PO-twice") == "APROBADA", "the payment to be final")
    early = {**shown(controlled, path, OPERATOR), "reason": REASON}
    _, reply = change(controlled, path, SUPPORT)
    assert (reply.status, reply.headers["Location"]) == (303, "/approvals")
    before = events(controlled), controlled.number("SELECT COUNT(*) AS n FROM approvals")
    reply = send(controlled, f"{path}?lang=en", OPERATOR, {**early, "token": valid_token(controlled, OPERATOR, path)})
    assert reply.status == 409 and "A claim of this order waits" in reply.text and "console:sara" in reply.text
    for user in (SUPPORT, OPERATOR):
        page = controlled.get(f"{path}?lang=en", user).text
        assert "A claim of this order waits" in page and 'name="reason"' not in page, page
    assert "ya espera la aprobación" in controlled.get(f"{path}?lang=es", SUPPORT).text
    assert before == (events(controlled), controlled.number("SELECT COUNT(*) AS n FROM approvals"))
    controlled.stack.ctl.done("approval", "refuse", str(controlled.number("SELECT MAX(id) AS n FROM approvals")), "--reason", "no")
    assert 'name="reason"' in controlled.get(path, SUPPORT).text


def test_nobody_approves_their_own(controlled: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither in the console, nor with recaudoctl what was asked for in the console, nor the other way round."""
    number = claimed(controlled, "PO-own", OPERATOR)
    path = f"/approvals/{number}/approve"
    assert "another person approves it" in controlled.get(f"{path}?lang=en", OPERATOR).text
    refuses(controlled, path, OPERATOR, 409)
    monkeypatch.setenv("SUDO_USER", OPERATOR)
    assert "needs another user" in controlled.stack.ctl.run("approval", "approve", str(number), "--reason", "x").stderr
    _, reply = change(controlled, f"/approvals/{number}/refuse", OPERATOR)
    assert reply.status == 303
    controlled.stack.ctl.run("order", "claim", str(controlled.orders["PO-own"]), "--reason", "x")
    number = controlled.number("SELECT MAX(id) AS n FROM approvals")
    refuses(controlled, f"/approvals/{number}/approve", OPERATOR, 409)
    assert order_state(controlled, "PO-own") == "APROBADA"


def test_an_approval_that_has_expired(controlled: World) -> None:
    number = claimed(controlled, "PO-late-approval", SUPPORT)
    guard = controlled.stack.mariadb.query("SHOW CREATE TRIGGER approvals_keep")[0]["SQL Original Statement"]
    controlled.stack.mariadb.query("DROP TRIGGER approvals_keep")
    answered = controlled.stack.mariadb.query("SHOW CREATE TRIGGER approvals_answered")[0]["SQL Original Statement"]
    controlled.stack.mariadb.query("DROP TRIGGER approvals_answered")
    controlled.stack.mariadb.query("UPDATE approvals SET expires_at = UTC_TIMESTAMP(6) WHERE id = %s", number)
    controlled.stack.mariadb.query(guard)
    controlled.stack.mariadb.query(answered)
    assert "It has expired" in controlled.get(f"/approvals/{number}/approve?lang=en", OPERATOR).text
    refuses(controlled, f"/approvals/{number}/approve", OPERATOR, 409)
    assert order_state(controlled, "PO-late-approval") == "APROBADA"
