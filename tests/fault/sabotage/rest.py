"""Damage to whose a reference is, and to answers while nobody reads the log."""

from dataclasses import replace
from decimal import Decimal

from ..damage import add, add_answer, breaks, change, key_of, last_ended, payments, rows
from ..evidence import Evidence, Row
from ..facts import Facts

# 23: references.

def unpaid_order(evidence: Evidence) -> Row:
    paid_for = {row["order_id"] for row in evidence.tables["transactions"]}
    return next(row for row in rows(evidence, "orders", state="PENDIENTE") if row["id"] not in paid_for)


def another_order(evidence: Evidence, like: Row, since: float) -> None:
    """An order of another merchant with the same reference, which nobody has paid."""
    other = next(row["id"] for row in evidence.tables["merchants"] if row["id"] != like["merchant_id"])
    fields = {"id": 10**6, "po_id": "other", "merchant_id": other, "state": "PENDIENTE", "created_at": since, "closed_at": None,
              "held_by": None, "paid_by": None}
    add(evidence, "orders", {**like, **fields})


@breaks(23)
def account_has_the_reference_of_an_order(evidence: Evidence) -> None:
    order = unpaid_order(evidence)
    fields = {"id": 10**6, "document": order["reference"], "created_at": last_ended(evidence), "balance": Decimal(0)}
    add(evidence, "accounts", {**evidence.tables["accounts"][0], **fields})


@breaks(23)
def open_reference_is_two_merchants(evidence: Evidence) -> None:
    order = unpaid_order(evidence)
    another_order(evidence, order, last_ended(evidence))


@breaks(23)
def reference_in_quarantine_is_another_merchants(evidence: Evidence) -> None:
    order = next(row for row in rows(evidence, "orders", state="VENCIDA") if row["origin"] != "external")
    another_order(evidence, order, last_ended(evidence))


# 24: the reader of the log.

@breaks(24)
def silent_while_nobody_reads_the_log(evidence: Evidence) -> None:
    like = next(entry for entry in evidence.history if entry.kind == "alive")
    evidence.history = [*evidence.history, replace(like, answer=None)]


# 27: the process that asks merchants.

@breaks(27)
def merchants_are_never_asked_again(evidence: Evidence) -> None:
    add_answer(evidence, next(entry for entry in evidence.history if entry.kind == "asked"), "0108")


# 25: after a restore.

@breaks(25)
def order_number_comes_again(evidence: Evidence) -> None:
    evidence.given_again = ["pv_po_id 2 came again after a restore"]


# 20: registrations and confirmations of what cannot be paid.

def register_at(evidence: Evidence, row: Row, at: float) -> None:
    """As if this registration, with its repeats, had come at that moment."""
    asked = {id(entry) for entry in Facts(evidence).one("register", key_of(evidence, row))}
    evidence.history = [replace(one, sent=at, ended=at + 0.002) if id(one) in asked else one for one in evidence.history]
    change(evidence, "transactions", row, registered_at=at + 0.001)


@breaks(20)
def registered_after_the_due_date(evidence: Evidence) -> None:
    orders = Facts(evidence).orders
    row = next(row for row in payments(evidence, "REGISTRADA") if orders[row["order_id"]]["origin"] != "external")
    register_at(evidence, row, orders[row["order_id"]]["due_at"] + 1)


@breaks(20)
def registered_while_another_holds(evidence: Evidence) -> None:
    facts = Facts(evidence)
    held = {row["order_id"]: row for row in payments(evidence, "FINALIZADA")}
    row = next(row for row in payments(evidence, "REGISTRADA") if row["order_id"] in held and not facts.maybe("confirm", key_of(evidence, row)))
    paid_by = held[row["order_id"]]
    register_at(evidence, row, max(entry.ended for entry in facts.one("confirm", key_of(evidence, paid_by))) + 0.01)


@breaks(20)
def confirmed_after_the_due_date(evidence: Evidence) -> None:
    """Its order was due while nobody looked it up any more."""
    orders = Facts(evidence).orders
    row = next(row for row in payments(evidence, "FINALIZADA") if orders[row["order_id"]]["origin"] != "external")
    change(evidence, "orders", orders[row["order_id"]], due_at=row["confirmed_at"] - 0.001)
