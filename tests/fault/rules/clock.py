"""Windows and due dates, as those who asked have seen them. Their clock is the database's, because both run on one machine, unless the
clocks of several database servers are made to differ."""

from typing import Iterator

from ..evidence import Row
from ..facts import Facts, Findings
from ..history import Entry

MICROSECONDS = 1e-5  # what the seconds of a float can tell apart
PAYABLE_KINDS = ("lookup", "register", "confirm")
LATEST_WRITE = 8.0  # a write that began is committed by then, whatever is broken


def windows_keep_their_length(facts: Facts) -> Findings:
    """6: `false` is refused only when the window has ended, and accepted only before."""
    for key, row in facts.transactions.items():
        if row["window_ends_at"] is None:
            continue
        end = row["window_ends_at"]
        for entry in facts.one("cancel", key):
            if entry.outcome == "0015" and entry.ended < end - facts.evidence.apart:
                yield 6, f"{key}: a cancellation was refused {end - entry.ended:.3f} s before the window's end"
        if row["cancelled_at"] is not None and row["cancelled_at"] >= end:
            yield 6, f"{key} was cancelled {row['cancelled_at'] - end:.3f} s after the window's end"
        if abs(end - row["confirmed_at"] - facts.evidence.window) > MICROSECONDS:
            yield 6, f"{key} has a window of {end - row['confirmed_at']:.6f} s"


def approved_leaves_after_the_window(facts: Facts) -> Findings:
    """6: not before its end."""
    ends = {row["id"]: row["window_ends_at"] for row in facts.transactions.values()}
    for message in facts.evidence.sink:
        order = facts.orders.get(message.fields["pv_po_id"])
        end = ends.get(order["paid_by"]) if order is not None and message.fields["status"] == "approved" else None
        if end is not None and message.at < end - facts.evidence.apart:
            yield 6, f"approved of order {message.fields['pv_po_id']} left before its window's end"


def answered_by_the_clock(facts: Facts) -> Findings:
    """20: held and expired are judged at the moment of asking, by the database's clock, and nothing is paid inside a window."""
    apart = facts.evidence.apart
    for entry, order in _about_orders(facts):
        payments = facts.payments.get(order["id"], [])
        if entry.outcome == "0103" and entry.ended < order["due_at"] - apart:
            early = order["due_at"] - entry.ended
            yield 20, f"order {order['id']} was expired for a {entry.kind} {early:.3f} s before it was due"
        if entry.outcome == "0102" and not any(_has_ended(row, entry.ended + apart) for row in payments):
            yield 20, f"order {order['id']} was paid for a {entry.kind} before a window had ended"
        if entry.outcome == "0106" and not any(_holds(facts, row, entry) for row in payments) and not _expires(facts, order, entry):
            yield 20, f"order {order['id']} was held for a {entry.kind}, and nobody held it"
        if entry.kind == "lookup" and entry.is_ok and order["origin"] != "external" and entry.sent >= order["due_at"] + apart:
            yield 20, f"order {order['id']} could be paid {entry.sent - order['due_at']:.3f} s after it was due"


def registered_while_it_can_be_paid(facts: Facts) -> Findings:
    """20: what was asked after the due date, or while everybody knew of a payment that holds the order, is not registered."""
    for key, row in facts.transactions.items():
        order = facts.orders.get(row["order_id"])
        new = [entry for entry in facts.one("register", key) if entry.is_ok and entry.sent <= row["registered_at"] <= entry.ended]
        if order is None or not new:
            continue
        if order["origin"] != "external" and new[0].sent >= order["due_at"] + facts.evidence.apart:
            yield 20, f"{key} was registered {new[0].sent - order['due_at']:.3f} s after order {order['id']} was due"
        if any(_holds_all_the_time(facts, other, new[0]) for other in facts.payments[order["id"]] if other is not row):
            yield 20, f"{key} was registered while another payment held or had paid order {order['id']}"


def confirmed_while_it_can_be_paid(facts: Facts) -> Findings:
    """20: what has fallen due is not confirmed. An order that is held keeps its due date, and a later one is only later."""
    for key, row in facts.transactions.items():
        order = facts.orders.get(row["order_id"])
        if order is None or order["origin"] == "external" or row["confirmed_at"] is None:
            continue
        if row["confirmed_at"] >= order["due_at"]:
            yield 20, f"{key} was confirmed {row['confirmed_at'] - order['due_at']:.3f} s after order {order['id']} was due"


def _holds_all_the_time(facts: Facts, row: Row, entry: Entry) -> bool:
    """Whether it was acknowledged before the question, and nobody asked for its end before the answer."""
    key = (facts.networks[row["network_id"]], row["network_transaction"])
    confirmed = any(one.is_ok and one.ended <= entry.sent for one in facts.one("confirm", key))
    return confirmed and all(one.sent >= entry.ended for one in facts.one("cancel", key))


def _about_orders(facts: Facts) -> Iterator[tuple[Entry, Row]]:
    for entry in facts.evidence.history:
        if entry.kind not in PAYABLE_KINDS:
            continue
        reference = entry.key if entry.kind == "lookup" else entry.fields.get("reference")
        if entry.kind == "confirm":
            row = facts.transactions.get((entry.who, entry.key))
            orders = [facts.orders[row["order_id"]]] if row is not None and row["order_id"] else []
        else:
            orders = facts.orders_by_reference.get(str(reference), [])
        yield from ((entry, order) for order in orders)


def _is_seen_cancelled(facts: Facts, row: Row, at: float) -> bool:
    """Whether everybody sees the cancellation."""
    key = (facts.networks[row["network_id"]], row["network_transaction"])
    return any(entry.is_ok and entry.ended < at for entry in facts.one("cancel", key))


def _has_ended(row: Row, at: float) -> bool:
    return row["confirmed_at"] is not None and bool(row["window_ends_at"] <= at)


def _holds(facts: Facts, row: Row, entry: Entry) -> bool:
    """Whether this transaction may have held its order at a moment between question and answer. It holds beyond its window
    until the approval is written, which takes as long as the database needs: 21 is about what was told then."""
    if row["confirmed_at"] is None or row["confirmed_at"] > entry.ended + facts.evidence.apart:
        return False
    written = row["finalised_at"]
    return (written is None or entry.sent < written + LATEST_WRITE + facts.evidence.apart) and not _is_seen_cancelled(facts, row, entry.sent)


def _expires(facts: Facts, order: Row, entry: Entry) -> bool:
    """Whether somebody may have been writing that the order has expired, or another due date: then it is held for whoever asks."""
    closed = order["closed_at"]
    return bool(entry.ended >= order["due_at"] - facts.evidence.apart
                and (closed is None or entry.sent < closed + LATEST_WRITE + facts.evidence.apart))


RULES = (windows_keep_their_length, approved_leaves_after_the_window, answered_by_the_clock,
         registered_while_it_can_be_paid, confirmed_while_it_can_be_paid)
