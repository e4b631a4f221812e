"""Dual control in the console: who may approve a claim, and who may not."""

import html
import json
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Iterator

import pytest

from tests.stack import Stack, wait_until
from tests.stack.merchant_stub import MerchantStub

from forms import REASON, change, events, last_event, send, shown, valid_token
from world import World

ANSWERED_OF_A_KIND, ROWS_OF_A_PAGE = 105, 50
LOCK_WAITS = "SELECT 1 FROM information_schema.INNODB_LOCK_WAITS"
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
    assert f'<a href="/orders/{controlled.orders["PO-one"]}">PO-one</a>' in controlled.get(path, OPERATOR).text
    fields, reply = change(controlled, path, OPERATOR, "seen with Ana")
    assert (reply.status, reply.headers["Location"]) == (303, "/approvals")
    assert "<bdi>seen with Ana</bdi>" in controlled.get("/approvals", SUPPORT).text, "whoever asked reads the answer"
    assert order_state(controlled, "PO-one") == "ANULADA"
    event = last_event(controlled, "approval", number, "state")
    assert (event["to_state"], event["actor"], event["reason"]) == ("approved", "console:omar", "seen with Ana")
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
    assert send(controlled, path, OPERATOR, {**early, "token": valid_token(controlled, OPERATOR, path)}).status == 409, "shown before the refusal"
    assert controlled.number("SELECT COUNT(*) AS n FROM approvals") == before[1]


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
    monkeypatch.setenv("SUDO_USER", f"EXAMPLE\\{OPERATOR}")
    controlled.stack.ctl.run("order", "claim", str(controlled.orders["PO-own"]), "--reason", "x")
    number = controlled.number("SELECT MAX(id) AS n FROM approvals")
    assert "another person approves it" in controlled.get(f"/approvals/{number}/approve?lang=en", OPERATOR).text
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


def test_waiting_ones_first_and_older_ones_by_key(controlled: World) -> None:
    """However many were answered since; each is on one page of its part, and no page has more than its rows."""
    number = claimed(controlled, "PO-waits", SUPPORT)
    order = controlled.orders["PO-waits"]
    for first, last in ((0, ANSWERED_OF_A_KIND), (ANSWERED_OF_A_KIND, 2 * ANSWERED_OF_A_KIND)):
        controlled.stack.mariadb.query(
            "INSERT INTO approvals (kind, subject_id, seen, amount, currency, reason, asked_by, expires_at) SELECT 'claim', %s, 1, 5,"
            f" 'COP', 'x', 'console:sara', UTC_TIMESTAMP(6) FROM seq_1_to_{last - first}", order)
        if not first:
            controlled.stack.mariadb.query("UPDATE approvals SET state = 'making' WHERE state = 'waiting' AND id > %s", number)
        controlled.stack.mariadb.query("UPDATE approvals SET state = %s, answered_by = 'console:omar', answered_at = UTC_TIMESTAMP(6)"
                                       " WHERE state IN ('waiting', 'making') AND id > %s", "refused" if first else "approved", number)
    text = controlled.get("/approvals?lang=en", OPERATOR).text
    tables = text.split("<table")[1:]
    assert len(tables) == 2 and f"/approvals/{number}/approve" in tables[0] and "Approved" not in tables[0]
    for part, where in (("waiting", "state = 'waiting'"), ("answered", "state <> 'waiting'")):
        wanted = [int(row["id"]) for row in controlled.stack.mariadb.query(f"SELECT id FROM approvals WHERE {where} ORDER BY id DESC")]
        seen: list[int] = []
        path: str | None = f"/approvals?part={part}"
        while path is not None:
            page = html.unescape(controlled.get(path, VIEWER).text)
            rows = [int(found) for found in re.findall(r'<tr><th scope="row">(\d+)<', page)]
            assert 0 < len(rows) <= ROWS_OF_A_PAGE
            seen += rows
            older = re.search(r'href="(/approvals\?part=\w+&before=\d+)"', page)
            path = older[1] if older else None
        assert seen == wanted
    assert controlled.get("/approvals?part=other", VIEWER).status == 404


@pytest.fixture
def dual_changes(controlled: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setenv("SUDO_USER", "ana")
    controlled.stack.mariadb.query("INSERT INTO dual_changes (kind) VALUES ('secrets'), ('notify_url'), ('limits')")
    yield controlled
    controlled.stack.mariadb.query("DELETE FROM dual_changes")


def test_limits_that_are_asked_for_here(dual_changes: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """They wait, also for whoever asked; the reason is the approval's, and stands in its event once."""
    network = dual_changes.number("SELECT MIN(id) AS n FROM networks")
    path = f"/networks/{network}/limits?currency=COP&day=900000000&outstanding="
    fields, reply = change(dual_changes, path, OPERATOR)
    assert (reply.status, reply.headers["Location"]) == (303, "/approvals")
    limits = "SELECT COUNT(*) AS n FROM network_limits WHERE day_limit = 900000000"
    number = dual_changes.number("SELECT MAX(id) AS n FROM approvals")
    assert dual_changes.number(limits) == 0
    page = html.unescape(dual_changes.get("/approvals?lang=en", OPERATOR).text)
    assert "Limits of the network" in page and re.search("<li>Limit per day: <bdi>COP.900,000,000.00</bdi></li>", page)
    assert "[null" not in page and "outstanding_limit" not in page
    assert last_event(dual_changes, "approval", number, "created")["reason"] == REASON
    assert send(dual_changes, path, OPERATOR, fields).status == 409 and dual_changes.number("SELECT MAX(id) AS n FROM approvals") == number
    refuses(dual_changes, f"/approvals/{number}/approve", OPERATOR, 409)
    assert dual_changes.number(limits) == 0
    done = dual_changes.stack.ctl.run("approval", "approve", str(number), "--reason", "x")
    assert done.returncode == 0 and dual_changes.number(limits) == 1
    event = last_event(dual_changes, "network", network, "money limits")
    assert event["actor"] == "operator:ana"


def test_a_payment_under_way_counts_in_limits_that_are_approved(dual_changes: World) -> None:
    """It is confirmed and not committed when the approval begins, and committed while that waits for it."""
    network, outstanding = dual_changes.number("SELECT MIN(id) AS n FROM networks"), 800_000_000
    name = dual_changes.stack.mariadb.query("SELECT name FROM networks WHERE id = %s", network)[0]["name"]
    asked = dual_changes.stack.ctl.run("network", "limit", name, "COP", "--outstanding", str(outstanding))
    assert asked.returncode == 1
    approval = dual_changes.number("SELECT MAX(id) AS n FROM approvals")
    user = dual_changes.number("SELECT id AS n FROM console_users WHERE name = %s", OPERATOR)
    dual_changes.pay(dual_changes.add("PO-under-way"), "T-under-way", confirm=None)
    mariadb = dual_changes.stack.mariadb
    with mariadb.connect() as payer, mariadb.connect() as approver, ThreadPoolExecutor(1) as apart:
        payer.begin()
        with payer.cursor() as cursor, approver.cursor() as other:
            cursor.execute("SELECT payment_confirm(%s, 'T-under-way', 'network:test')", (network,))
            answer = apart.submit(other.execute, "SELECT console_answer(%s, %s, TRUE, 'x')", (user, approval))
            wait_until(lambda: answer.done() or mariadb.query(LOCK_WAITS, account="root"), "the approval to wait", pause=0.2)
            payer.commit()
            answer.result()
            assert other.fetchone() == {f"console_answer({user}, {approval}, TRUE, 'x')": 1}
        approver.commit()
    owed = dual_changes.number("SELECT CAST(SUM(amount) AS SIGNED) AS n FROM transactions WHERE network_id = %s AND currency = 'COP'"
                               " AND state IN ('CONFIRMADA', 'FINALIZADA') AND confirmed_at >= UTC_DATE()", network)
    room = dual_changes.number("SELECT CAST(SUM(outstanding_room) AS SIGNED) AS n FROM network_rooms WHERE network_id = %s"
                               " AND currency = 'COP'", network)
    assert room == outstanding - owed


def test_a_secret_and_a_url_are_approved_here(dual_changes: World) -> None:
    """The page says what changes, and shows no secret."""
    merchant = dual_changes.stack.mariadb.query("SELECT id, name, notify_url FROM merchants ORDER BY id LIMIT 1")[0]
    done = dual_changes.stack.ctl.run("--json", "merchant", "rotate", merchant["name"])
    assert done.returncode == 1
    asked = json.loads(done.stdout)
    path = f"/approvals/{asked['approval']}/approve"
    pages = [dual_changes.get(at, OPERATOR).text for at in (f"{path}?lang=en", "/approvals?lang=en")]
    assert all("New FIXED_HASH" in page and asked["fixed_hash"] not in page for page in pages)
    assert all("<li>The previous secret stays valid for: <bdi>1d</bdi></li>" in page for page in pages)
    changed = "SELECT COUNT(*) AS n FROM events WHERE subject = 'merchant' AND what = 'rotated' AND actor = 'console:omar'"
    assert dual_changes.number(changed) == 0
    _, reply = change(dual_changes, path, OPERATOR)
    assert reply.status == 303 and dual_changes.number(changed) == 1
    dual_changes.stack.ctl.run("merchant", "set", merchant["name"], "--notify-url", "http://127.0.0.1:9/otra")
    dual_changes.stack.ctl.run("merchant", "set", merchant["name"], "--notify-url", "http://127.0.0.1:9/tercera")
    number = dual_changes.number("SELECT MAX(id) AS n FROM approvals")
    _, reply = change(dual_changes, f"/approvals/{number - 1}/approve", OPERATOR)
    assert reply.status == 303
    assert dual_changes.stack.mariadb.query("SELECT notify_url FROM merchants WHERE id = %s", merchant["id"]) == [
        {"notify_url": "http://127.0.0.1:9/otra"}]
    assert "has changed since" in dual_changes.get(f"/approvals/{number}/approve?lang=en", OPERATOR).text
    refuses(dual_changes, f"/approvals/{number}/approve", OPERATOR, 409)
    assert "Changed meanwhile" in dual_changes.get("/approvals?lang=en", OPERATOR).text
