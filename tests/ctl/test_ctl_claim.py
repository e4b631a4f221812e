"""A customer's refund claim."""

import pytest

from tests.stack import Ctl, Network, Stack

from operator_steps import add_order, fresh_number, misused, refused
from test_ctl_payments import close_window, dispatch, pay

REASON = "El cliente nunca recibió el pedido; habló con Ana"


def notifications(ctl: Ctl, reference: str) -> list[tuple[str, str]]:
    return [(row["status"], row["state"]) for row in ctl.json("order", "show", reference)["notifications"]]


def test_claim_of_a_paid_order(ctl: Ctl, stack: Stack, network: Network) -> None:
    order = add_order(ctl)
    close_window(stack, pay(network, order["reference"]))
    dispatch(stack)
    claimed = ctl.json("order", "claim", order["reference"], "--reason", REASON)
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


@pytest.mark.parametrize("reason, complaint", [
    ("x" * 251, "reason: is longer than 250 characters"),
    ("line\nbreak", "reason: "),
])
def test_reason_that_will_not_do(ctl: Ctl, reason: str, complaint: str) -> None:
    assert refused(ctl, "order", "claim", add_order(ctl)["reference"], "--reason", reason).startswith(complaint)


def test_claim_of_nothing(ctl: Ctl) -> None:
    number = fresh_number()
    assert refused(ctl, "order", "claim", number, "--reason", "x") == (
        f"no order has the reference or the number (pv_po_id) {number}")
    assert misused(ctl, "order", "claim", number).startswith("--reason is missing")
    assert misused(ctl, "order", "claim", number, "--reason", "").startswith("--reason is empty")
