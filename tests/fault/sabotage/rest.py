"""Damage to whose a reference is, and to answers while nobody reads the log."""

from dataclasses import replace
from decimal import Decimal

from ..damage import add, breaks, last_ended, rows
from ..evidence import Evidence, Row

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
