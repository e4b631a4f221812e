"""A customer's refund claim, and dual control: claims above an amount that wait for a second user."""

import json
import re
import subprocess
from typing import Any, Iterator

import pymysql
import pytest

from tests.stack import Ctl, Network, Stack, wait_until

from operator_steps import MERCHANT, add_order, fresh_number, misused, refused
from test_ctl_payments import close_window, dispatch, pay

REASON = "El cliente nunca recibió el pedido; habló con Ana"


def notifications(ctl: Ctl, reference: str) -> list[tuple[str, str]]:
    return [(row["status"], row["state"]) for row in ctl.json("order", "show", reference)["notifications"]]


def test_claim_of_a_paid_order(ctl: Ctl, stack: Stack, network: Network) -> None:
    order = add_order(ctl)
    close_window(stack, pay(network, order["reference"]))
    dispatch(stack)
    claimed = ctl.json("order", "claim", order["po_id"], "--merchant", MERCHANT, "--reason", REASON)
    assert (claimed["pv_po_id"], claimed["state"], claimed["state_written"]) == (order["pv_po_id"], "ANULADA", "ANULADA")
    assert notifications(ctl, order["reference"]) == [("approved", "unaddressed"), ("cancelled", "unaddressed")]
    event = ctl.json("order", "show", order["reference"])["events"][-1]
    assert (event["what"], event["from"], event["to"], event["reason"]) == ("state", "APROBADA", "ANULADA", REASON)
    assert event["actor"].startswith("operator:") and event["actor"] == claimed["changed_by"]
    assert f"APROBADA becomes ANULADA: {REASON}" in ctl.done("order", "show", order["reference"])
    assert network.lookup(order["reference"]).code == "0105"


def test_claim_when_the_window_has_closed_and_no_dispatcher_has_passed(
        ctl: Ctl, stack: Stack, network: Network) -> None:
    order = add_order(ctl)
    transaction = pay(network, order["reference"])
    close_window(stack, transaction)
    claimed = ctl.json("order", "claim", f"id:{order['pv_po_id']}", "--reason", "x")
    assert claimed["state"] == "ANULADA"
    assert notifications(ctl, order["reference"]) == [("approved", "unaddressed"), ("cancelled", "unaddressed")]
    states = [event["to"] for event in ctl.json("order", "show", order["reference"])["events"]
              if event["what"] == "state"]
    assert states == ["APROBADA", "ANULADA"]
    dispatch(stack)
    assert len(notifications(ctl, order["reference"])) == 2
    assert network.confirm(transaction, False).code == "0015"


def test_claim_is_stored_and_cannot_be_read(ctl: Ctl, stack: Stack, network: Network) -> None:
    """Its rights are taken while it waits for a lock. Whoever gets the exit status of a refusal takes it that nothing was changed."""
    order = add_order(ctl)
    close_window(stack, pay(network, order["reference"]))
    try:
        with stack.mariadb.connect() as locker:
            locker.begin()
            locker.cursor().execute("SELECT id FROM orders WHERE id = %s FOR UPDATE", (order["pv_po_id"],))
            claim = subprocess.Popen([ctl.path, "--config", ctl.config, "order", "claim", order["reference"], "--reason", "x"],
                                     stderr=subprocess.PIPE, text=True)
            wait_until(lambda: stack.mariadb.query("SELECT 1 AS one FROM information_schema.INNODB_LOCK_WAITS"),
                       "it to wait for the row", pause=0.2)  # asked more often, it answers what it answered before
            stack.mariadb.query("REVOKE ALL, GRANT OPTION FROM recaudo_operator@localhost")
            stack.mariadb.query("GRANT EXECUTE ON recaudo.* TO recaudo_operator@localhost")
            locker.rollback()
        said = claim.communicate()[1]
    finally:
        ctl.done("db", "migrate")
    assert (claim.returncode, said.strip().endswith("; the claim is stored")) == (3, True), said
    assert ctl.json("order", "show", order["reference"])["state"] == "ANULADA"


def test_claim_in_other_states(ctl: Ctl, stack: Stack, network: Network) -> None:
    order = add_order(ctl)
    words = ("order", "claim", order["reference"], "--reason", "x")
    number = order["pv_po_id"]
    assert refused(ctl, *words) == f"order {number} is PENDIENTE: nobody has paid it yet"
    transaction = pay(network, order["reference"])
    assert refused(ctl, *words).startswith(f"order {number} is PENDIENTE: the network can cancel its payment until 20")
    close_window(stack, transaction)
    ctl.done(*words)
    assert refused(ctl, *words) == f"order {number} is ANULADA: it is refunded already"
    overdue = add_order(ctl)
    stack.mariadb.query("UPDATE orders SET due_at = UTC_TIMESTAMP(6) WHERE id = %s", overdue["pv_po_id"])
    assert "is VENCIDA: it expired" in refused(ctl, "order", "claim", overdue["reference"], "--reason", "x")
    deleted = add_order(ctl)
    stack.mariadb.query("UPDATE orders SET state = 'CANCELADA' WHERE id = %s", deleted["pv_po_id"])
    assert "is CANCELADA: the merchant deleted it" in refused(ctl, "order", "claim", deleted["reference"], "--reason",
                                                              "x")
    for before in (overdue, deleted):
        assert notifications(ctl, before["reference"]) == []


def test_claim_by_a_reference_whose_newest_order_is_unpaid(ctl: Ctl, stack: Stack, network: Network) -> None:
    """The customer who claims has paid: what they mean is the older one."""
    reference = fresh_number()
    paid = add_order(ctl, reference=reference)
    close_window(stack, pay(network, reference, "45000"))
    dispatch(stack)
    newest = add_order(ctl, reference=reference)["pv_po_id"]
    said = refused(ctl, "order", "claim", reference, "--reason", "x")
    assert said.startswith(f"order {newest}, the newest with the reference {reference}, is PENDIENTE: nobody has paid it yet; nothing was changed;"
                           f" an older one is paid: if the customer means that one, claim it by its number: id:{paid['pv_po_id']} (")
    pay(network, reference, "45000")
    said = refused(ctl, "order", "claim", reference, "--reason", "x")
    assert "is PENDIENTE: the network can cancel its payment until " in said and f"claim it by its number: id:{paid['pv_po_id']} (" in said
    assert ctl.json("order", "claim", f"id:{paid['pv_po_id']}", "--reason", "x")["state"] == "ANULADA"
    assert f"order {newest} is PENDIENTE: the network can cancel" in refused(ctl, "order", "claim", reference, "--reason", "x")


def test_claim_of_one_of_several_paid_orders(ctl: Ctl, stack: Stack, network: Network) -> None:
    """The newest need not be the one that the customer means."""
    orders = []
    reference = fresh_number()
    for amount in ("45000", "30000.50", "10000"):
        orders.append(add_order(ctl, reference=reference, amount=amount))
        transaction = pay(network, reference, amount)
        close_window(stack, transaction)
        if amount != "10000":
            dispatch(stack)  # the last one's approval is written by the command
    words = ("order", "claim", reference, "--reason", "x")
    said = refused(ctl, *words)
    paid_at = r"20\d\d-\d\d-\d\dT[0-9:.]+Z"
    listed = ", ".join(rf"id:{order['pv_po_id']} \({order['po_id']} of {MERCHANT}, {order['amount']} COP, paid at {paid_at}\)"
                       for order in reversed(orders))
    assert re.fullmatch(f"reference {reference} has several paid orders, nothing was changed; claim one by its number: {listed}", said), said
    states = "SELECT state FROM orders WHERE reference = %s ORDER BY id"
    assert [row["state"] for row in stack.mariadb.query(states, reference)] == ["APROBADA"] * 3
    ctl.done("order", "claim", f"id:{orders[0]['pv_po_id']}", "--reason", "x")
    ctl.done("order", "claim", orders[1]["po_id"], "--merchant", MERCHANT, "--reason", "x")
    assert [row["state"] for row in stack.mariadb.query(states, reference)] == ["ANULADA", "ANULADA", "APROBADA"]
    ctl.done(*words)  # it is the only one that is left
    assert [row["state"] for row in stack.mariadb.query(states, reference)] == ["ANULADA"] * 3


@pytest.mark.parametrize("reason, complaint", [
    ("x" * 251, "reason: is longer than 250 characters"),
    ("line\nbreak", "reason: "),
])
def test_reason_that_will_not_do(ctl: Ctl, reason: str, complaint: str) -> None:
    assert refused(ctl, "order", "claim", add_order(ctl)["reference"], "--reason", reason).startswith(complaint)


def test_claim_of_nothing(ctl: Ctl) -> None:
    number = fresh_number()
    assert refused(ctl, "order", "claim", number, "--reason", "x") == (
        f"no order has the reference or the number (pv_po_id) {number}; the merchant's own number (po_id) goes with "
        "--merchant NAME")
    assert misused(ctl, "order", "claim", number).startswith("--reason is missing")
    assert misused(ctl, "order", "claim", number, "--reason", "").startswith("--reason is empty")


# Dual control.

OPERATOR = "recaudo_operator"


@pytest.fixture
def rule(stack: Stack) -> Iterator[None]:
    """Claims in COP above 40000 need a second user; others of these tests share the database."""
    stack.mariadb.query("INSERT INTO dual_control (kind, currency, above) VALUES ('claim', 'COP', 40000)")
    yield
    stack.mariadb.query("DELETE FROM dual_control")


def paid_order(ctl: Ctl, stack: Stack, network: Network, amount: str = "45000") -> Any:
    order = add_order(ctl, amount=amount)
    close_window(stack, pay(network, order["reference"], amount))
    dispatch(stack)
    return order


def state(ctl: Ctl, order: Any) -> str:
    return str(ctl.json("order", "show", order["reference"])["state_written"])


def asked(ctl: Ctl, order: Any, reason: str = "el cliente no lo recibió") -> int:
    """Claims the order; the number of what waits."""
    result = ctl.run("order", "claim", order["reference"], "--reason", reason)
    number = int(ctl.json("approval", "list")[0]["id"])
    assert result.returncode == 1 and "needs the approval of a second user" in result.stderr, result.stderr
    assert f"recaudoctl approval approve {number} --reason TEXT" in result.stderr, result.stderr
    shown = ctl.json("order", "show", order["reference"])["waiting_claim"]
    assert (shown["approval"], shown["reason"]) == (number, reason)
    return number


def claimed_again(ctl: Ctl, stack: Stack, order: Any, number: int) -> None:
    """A second claim is not the first one: it says so, and stores nothing."""
    before = stack.mariadb.query("SELECT * FROM approvals"), log_of(stack, number)
    said = refused(ctl, "order", "claim", order["reference"], "--reason", "again")
    assert "is claimed by operator:ana already" in said and f"recaudoctl approval show {number}" in said, said
    assert "nothing was changed" in said
    assert before == (stack.mariadb.query("SELECT * FROM approvals"), log_of(stack, number))


def expire(stack: Stack, number: int) -> None:
    """As the owner could, who drops triggers."""
    guards = [stack.mariadb.query(f"SHOW CREATE TRIGGER {name}")[0]["SQL Original Statement"]
              for name in ("approvals_keep", "approvals_answered")]
    stack.mariadb.query("DROP TRIGGER approvals_keep")
    stack.mariadb.query("DROP TRIGGER approvals_answered")
    stack.mariadb.query("UPDATE approvals SET expires_at = UTC_TIMESTAMP(6) WHERE id = %s", number)
    for guard in guards:
        stack.mariadb.query(guard)


def log_of(stack: Stack, number: int) -> list[tuple[str, str, str, str]]:
    return [(row["what"], row["to_state"], row["actor"], row["reason"]) for row in stack.mariadb.query(
        "SELECT what, to_state, actor, reason FROM events WHERE subject = 'approval' AND subject_id = %s ORDER BY id", number)]


def test_a_second_user_approves(ctl: Ctl, stack: Stack, network: Network, rule: None, monkeypatch: pytest.MonkeyPatch) -> None:
    order = paid_order(ctl, stack, network)
    monkeypatch.setenv("SUDO_USER", "ana")
    number = asked(ctl, order)
    claimed_again(ctl, stack, order, number)
    assert state(ctl, order) == "APROBADA"
    shown = ctl.json("approval", "show", str(number))
    assert (shown["state"], shown["pv_po_id"], shown["asked_by"]) == ("waiting", order["pv_po_id"], "operator:ana")
    for name in ("ana", "Ana"):
        monkeypatch.setenv("SUDO_USER", name)
        assert "needs another user" in refused(ctl, "approval", "approve", str(number), "--reason", "x")
    assert state(ctl, order) == "APROBADA"
    monkeypatch.setenv("SUDO_USER", "bea")
    assert ctl.json("approval", "approve", str(number), "--reason", "visto")["state"] == "approved"
    assert state(ctl, order) == "ANULADA"
    event = ctl.json("order", "show", order["reference"])["events"][-1]
    assert (event["to"], event["actor"], event["reason"]) == ("ANULADA", "operator:bea", f"el cliente no lo recibió; approval {number}, asked by operator:ana")
    assert log_of(stack, number) == [("created", "waiting", "operator:ana", "el cliente no lo recibió"),
                                     ("state", "approved", "operator:bea", "visto")]
    assert "does not wait" in refused(ctl, "approval", "approve", str(number), "--reason", "x")
    assert ctl.json("approval", "list") == [] and ctl.json("approval", "list", "--all")[0]["id"] == number


@pytest.mark.parametrize("asker, approver", [
    ("operator:ana", "console:ana@example.com"), ("console:Ana@example.com", "operator:ana"), ("operator:ana", "console:CN=ana,O=Example"),
    ("operator:ana", "console:/O=Example/CN=Ana"), ("console:ana@example.com", "console:CN=ana"),
    ("operator:ana", "console:CN=Ana,CN=Users,DC=example,DC=com"), ("console:CN=ana+serialNumber=123,O=Example", "operator:ana")])
def test_one_person_under_two_names(ctl: Ctl, stack: Stack, network: Network, rule: None, asker: str, approver: str) -> None:
    order = paid_order(ctl, stack, network)
    assert stack.mariadb.query("SELECT order_claim(%s, 'x', %s) AS done", order["pv_po_id"], asker) == [{"done": 2}]
    number = int(ctl.json("approval", "list")[0]["id"])
    assert stack.mariadb.query("SELECT approval_answer(%s, TRUE, 'x', %s) AS done", number, approver) == [{"done": 3}]
    assert state(ctl, order) == "APROBADA"
    assert stack.mariadb.query("SELECT approval_answer(%s, TRUE, 'x', %s) AS done", number, "console:anabel@example.com") == [{"done": 1}]
    assert state(ctl, order) == "ANULADA"


def test_refused_and_withdrawn(ctl: Ctl, stack: Stack, network: Network, rule: None, monkeypatch: pytest.MonkeyPatch) -> None:
    order = paid_order(ctl, stack, network)
    for name in ("bea", "ana"):
        monkeypatch.setenv("SUDO_USER", "ana")
        number = asked(ctl, order)
        monkeypatch.setenv("SUDO_USER", name)
        ctl.done("approval", "refuse", str(number), "--reason", "no")
        assert log_of(stack, number)[-1] == ("state", "refused", f"operator:{name}", "no")
        monkeypatch.setenv("SUDO_USER", "bea")
        assert "does not wait" in refused(ctl, "approval", "approve", str(number), "--reason", "x")
    assert state(ctl, order) == "APROBADA"


def test_what_needs_no_approval(ctl: Ctl, stack: Stack, network: Network, rule: None) -> None:
    """At the amount and below, and in another currency; above it where an open order was paid with more."""
    ctl.done("order", "claim", paid_order(ctl, stack, network, "40000")["reference"], "--reason", "x")
    stack.mariadb.query("UPDATE dual_control SET above = 0, currency = currency")
    stack.mariadb.query("DELETE FROM dual_control")
    stack.mariadb.query("INSERT INTO dual_control (kind, currency, above) VALUES ('claim', 'USD', 0)")
    ctl.done("order", "claim", paid_order(ctl, stack, network)["reference"], "--reason", "x")
    stack.mariadb.query("INSERT INTO dual_control (kind, currency, above) VALUES ('claim', 'COP', 40000)")
    order = add_order(ctl, amount="0")
    close_window(stack, pay(network, order["reference"], "40000.01"))
    asked(ctl, order)  # no dispatcher has passed: the claim itself writes the approval of the payment
    assert state(ctl, order) == "APROBADA"


def test_an_order_that_changed_and_one_that_expired(ctl: Ctl, stack: Stack, network: Network, rule: None,
                                                    monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUDO_USER", "ana")
    order = paid_order(ctl, stack, network)
    number = asked(ctl, order)
    stack.mariadb.query("UPDATE orders SET version = version + 1, customer_name = 'otra' WHERE id = %s", order["pv_po_id"])
    monkeypatch.setenv("SUDO_USER", "bea")
    assert "has changed since" in refused(ctl, "approval", "approve", str(number), "--reason", "x")
    assert ctl.json("approval", "show", str(number))["state"] == "stale"
    monkeypatch.setenv("SUDO_USER", "ana")
    expire(stack, asked(ctl, order))
    (late,) = [each for each in ctl.json("approval", "list") if each["state"] == "expired"]
    monkeypatch.setenv("SUDO_USER", "bea")
    assert "has expired" in refused(ctl, "approval", "approve", str(late["id"]), "--reason", "x")
    monkeypatch.setenv("SUDO_USER", "ana")
    again = asked(ctl, order)
    assert again > late["id"] and state(ctl, order) == "APROBADA"
    monkeypatch.setenv("SUDO_USER", "bea")
    ctl.done("approval", "approve", str(again), "--reason", "x")
    assert state(ctl, order) == "ANULADA"


@pytest.mark.parametrize("statement", [
    "SELECT order_claim_now({order}, 'x', 'operator:ana')", "SELECT order_refund({order}, 'x', 'operator:ana')",
    "UPDATE orders SET state = 'ANULADA' WHERE id = {order}", "DELETE FROM dual_control", "UPDATE dual_control SET above = 1000000",
    "UPDATE approvals SET state = 'approved'", "UPDATE approvals SET asked_by = 'operator:bea'", "DELETE FROM approvals",
    "INSERT INTO approvals (kind, subject_id, seen, amount, currency, reason, asked_by, expires_at)"
    " VALUES ('claim', {order}, 1, 1, 'COP', 'x', 'operator:bea', '2099-01-01')"])
def test_the_operators_account_has_no_way_round(ctl: Ctl, stack: Stack, network: Network, rule: None, statement: str) -> None:
    order = paid_order(ctl, stack, network)
    asked(ctl, order)
    with pytest.raises(pymysql.err.OperationalError) as error, stack.mariadb.connect(OPERATOR) as connection:
        connection.cursor().execute(statement.format(order=order["pv_po_id"]))
    assert error.value.args[0] in (1044, 1142, 1143, 1370) and state(ctl, order) == "APROBADA"


@pytest.mark.parametrize("statement, refusal", [
    ("UPDATE approvals SET asked_by = 'operator:eva'", "otherwise never changed"),
    ("UPDATE approvals SET amount = 1", "otherwise never changed"), ("DELETE FROM approvals", "never deleted"),
    ("UPDATE dual_control SET currency = 'USD'", "delete the row")])
def test_what_is_kept_from_the_owner_too(ctl: Ctl, stack: Stack, network: Network, rule: None, statement: str, refusal: str) -> None:
    """Without removing a trigger, that is."""
    asked(ctl, paid_order(ctl, stack, network))
    with pytest.raises(pymysql.err.MySQLError, match=refusal):
        stack.mariadb.query(statement)


def test_the_rule_is_in_the_log(stack: Stack, rule: None) -> None:
    stack.mariadb.query("UPDATE dual_control SET above = 50000, valid_for = 3600")
    stack.mariadb.query("DELETE FROM dual_control")
    changes = [json.loads(row["changes"]) for row in reversed(stack.mariadb.query(
        "SELECT changes FROM event_log WHERE subject = 'setting' ORDER BY id DESC LIMIT 3"))]
    first, second = "40000.0000, 86400 s", "50000.0000, 3600 s"
    assert changes == [{"dual_control.claim.COP": each} for each in ([None, first], [first, second], [second, None])]


def test_wrong_words(ctl: Ctl) -> None:
    assert "there is no approval 999" in refused(ctl, "approval", "show", "999")
    assert "there is no approval x" in refused(ctl, "approval", "approve", "x", "--reason", "x")
    assert "--reason is missing" in misused(ctl, "approval", "approve", "1")
    assert "longer than 250" in refused(ctl, "approval", "refuse", "1", "--reason", 251 * "x")
