"""What the merchants were told, against what happened."""

import hashlib
from decimal import Decimal
from itertools import pairwise

from ..evidence import Row
from ..facts import Facts, Findings
from ..sink import Message

CLOSE = 0.05
LATEST_READ = 6.5  # a task may be stopped for 6 s between the beginning of an attempt, as it notes it, and its message
LONGEST_STOP = 10.0
KIND_OF = {"APROBADA": "approved", "VENCIDA": "cancelled"}
STATES_OF = {"approved": ("APROBADA",), "cancelled": ("VENCIDA", "ANULADA")}


def wanted(facts: Facts, order: int) -> list[str]:
    """The notifications that an order must have."""
    steps = facts.steps[order]
    kinds = [kind for state, kind in KIND_OF.items() if state in steps]
    if "ANULADA" in steps and steps["ANULADA"]["actor"].startswith("operator:"):
        kinds.append("cancelled")
    return kinds


def each_is_told_of(facts: Facts) -> Findings:
    """3: one notification for every approval, expiry and claim. 4: none for anything else."""
    for order, row in facts.orders.items():
        kinds = [told["status"] for told in facts.told.get(order, [])]
        for kind in wanted(facts, order):
            if kinds.count(kind) != 1:
                yield 3, f"order {order} is {row['state']} and has {kinds.count(kind)} notifications {kind}"
        for kind in set(kinds) - set(wanted(facts, order)):
            yield 4, f"order {order} is {row['state']} and has a notification {kind}"


def delivered_was_received(facts: Facts) -> Findings:
    """3: what counts as delivered has come, and was acknowledged."""
    for number, row in facts.notifications.items():
        if row["state"] == "delivered" and not any(message.acknowledged for message in facts.messages.get(number, [])):
            yield 3, f"notification {number} counts as delivered, and the merchant never acknowledged it"


def messages_are_true(facts: Facts) -> Findings:
    """13: every message has its row, tells what it says, is signed, and tells what was so. 4: and is to be told."""
    for message in facts.evidence.sink:
        row = facts.notifications.get(message.notification)
        if row is None:
            yield from _without_row(facts, message)
            continue
        order = facts.orders[row["order_id"]]
        happened = any(state in facts.steps[order["id"]] for state in STATES_OF[row["status"]])
        if _told(message) != _stored(row, order):
            yield 13, f"notification {row['id']} said {_told(message)}, stored is {_stored(row, order)}"
        elif message.fields["pv_checksum"] != _checksum(facts, message):
            yield 13, f"notification {row['id']} has a wrong checksum"
        elif not happened:
            yield 13, f"notification {row['id']} tells {row['status']} of an order that was not so"


def _without_row(facts: Facts, message: Message) -> Findings:
    order = message.fields["pv_po_id"]
    unasked = order in facts.orders and message.fields["status"] not in wanted(facts, order)
    yield 4 if unasked else 13, f"the merchant was told {message.fields['status']} of order {order}, of which there is no row"


def _told(message: Message) -> tuple[object, ...]:
    fields = message.fields
    return (fields["pv_po_id"], fields["po_id"], fields["status"], Decimal(fields["amount"]), fields["iso_currency"],
            fields["pv_payment"], message.sequence)


def _stored(row: Row, order: Row) -> tuple[object, ...]:
    return (row["order_id"], order["po_id"], row["status"], row["amount"], order["currency"], row["payment_means"],
            row["sequence"])


def _checksum(facts: Facts, message: Message) -> str:
    text = message.fields["po_id"] + message.fields["status"] + facts.evidence.secrets[message.merchant]
    return hashlib.sha256(text.encode()).hexdigest()


def seldom_twice(facts: Facts) -> Findings:
    """14: a message comes again only after an attempt that failed, or because who sent it did not live to record it."""
    for number, messages in facts.messages.items():
        failed = len(_failed(facts, number))
        if len(messages) > 1 + failed + facts.evidence.lost_hands:
            yield 14, f"notification {number} came {len(messages)} times, {failed} attempts failed"


def leases_exclude(facts: Facts) -> Findings:
    """15: two attempts of one notification are not under way together, and it is not sent again before its lease has ended
    unless the attempt has failed."""
    for number, attempts in facts.attempts.items():
        for first, second in pairwise(sorted(attempts, key=lambda row: row["started_at"])):
            if second["started_at"] < _end(first) - facts.evidence.apart and not first["late"]:
                yield 15, f"notification {number}: attempts {first['id']} and {second['id']} were under way together"
    for number, messages in facts.messages.items():
        for first, second in pairwise(messages):
            moved = first.at < facts.evidence.moved_at < second.at
            if second.at < _lease_end(facts, first) - facts.evidence.apart - 1 and not moved and not any(_explains(row, first, second, facts.evidence.apart) for row in _failed(facts, number)):
                yield 15, f"notification {number} was sent again after {second.at - first.at:.3f} s"


def _lease_end(facts: Facts, message: Message) -> float:
    """The earliest that it may be. A process that was stopped with the lease in hand sends the message later."""
    row = facts.notifications.get(message.notification)
    taken = message.at - LONGEST_STOP
    return (max(taken, float(row["created_at"])) if row is not None else taken) + facts.evidence.lease


def _failed(facts: Facts, number: int) -> list[Row]:
    return [row for row in facts.attempts.get(number, []) if row["reason"] != "acknowledged"]


def _end(attempt: Row) -> float:
    return float(attempt["started_at"] + attempt["duration_us"] / 1e6)


def _explains(attempt: Row, first: Message, second: Message, apart: float) -> bool:
    """Whether the first message was this attempt, which had failed when the second one came. A merchant that was late to
    read it, or was sent it late, got it after its end."""
    return bool(attempt["started_at"] <= first.at + CLOSE + apart
                and first.at - LATEST_READ - apart <= _end(attempt) <= second.at + CLOSE + apart)


def approved_comes_first(facts: Facts) -> Findings:
    """16: `approved` never comes after `cancelled`."""
    last: set[int] = set()
    for message in sorted(facts.evidence.sink, key=lambda message: message.at):
        order = message.fields["pv_po_id"]
        if message.fields["status"] == "cancelled":
            last.add(order)
        elif order in last:
            yield 16, f"order {order}: approved came after cancelled"


RULES = (each_is_told_of, delivered_was_received, messages_are_true, seldom_twice, leases_exclude, approved_comes_first)
