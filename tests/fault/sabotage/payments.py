"""Damage to the database itself, to notifications, payments, money and replays."""

from dataclasses import replace

from ..damage import (add, add_answer, approved_order, breaks, change, drop_messages, first, last_message_at, message_of,
                     paid_order, payment_of, payments, remove, rows)
from ..evidence import Evidence
from ..facts import Facts
from ..history import Answer

# 0: the database itself.

@breaks(0)
def damaged_table(evidence: Evidence) -> None:
    evidence.damaged = ["recaudo.events: Corrupt"]


# 3 and 4: notifications.

@breaks(3)
def notification_left_out(evidence: Evidence) -> None:
    row, = rows(evidence, "notifications", order_id=approved_order(evidence)["id"])
    remove(evidence, "notifications", row)
    drop_messages(evidence, row["id"])


@breaks(3)
def expiry_not_told(evidence: Evidence) -> None:
    expired = rows(evidence, "orders", state="VENCIDA")[0]
    row, = rows(evidence, "notifications", order_id=expired["id"])
    remove(evidence, "notifications", row)
    drop_messages(evidence, row["id"])


@breaks(3)
def delivered_and_never_received(evidence: Evidence) -> None:
    row, = rows(evidence, "notifications", order_id=approved_order(evidence)["id"])
    drop_messages(evidence, row["id"])


@breaks(4)
def deletion_has_a_notification(evidence: Evidence) -> None:
    deleted = rows(evidence, "orders", state="CANCELADA")[0]
    like = evidence.tables["notifications"][0]
    add(evidence, "notifications", {**like, "id": 10**6, "order_id": deleted["id"], "status": "cancelled", "state": "pending"})


@breaks(4)
def refund_is_told(evidence: Evidence) -> None:
    facts = Facts(evidence)
    order = next(row for row in rows(evidence, "orders", state="ANULADA")
                 if facts.steps[row["id"]]["ANULADA"]["actor"].startswith("merchant:"))
    like = message_of(evidence, "approved")
    fields = {**like.fields, "pv_po_id": order["id"], "status": "cancelled"}
    evidence.sink = [*evidence.sink, replace(like, at=last_message_at(evidence) + 1, notification=10**6, fields=fields)]


# 5 to 7: payments.

@breaks(5)
def cancelled_is_finalised(evidence: Evidence) -> None:
    change(evidence, "transactions", payments(evidence, "CANCELADA")[0], state="FINALIZADA", cancelled_at=None)


@breaks(5)
def cancellation_is_lost(evidence: Evidence) -> None:
    row = next(row for row in payments(evidence, "CANCELADA") if row["confirmed_at"] is None)
    change(evidence, "transactions", row, state="REGISTRADA", cancelled_at=None)


@breaks(6)
def window_is_longer(evidence: Evidence) -> None:
    row = payments(evidence, "FINALIZADA", top_up=True)[0]
    change(evidence, "transactions", row, window_ends_at=row["window_ends_at"] + 0.001)


@breaks(6)
def cancelled_after_the_window(evidence: Evidence) -> None:
    row = next(row for row in payments(evidence, "CANCELADA", top_up=True) if row["confirmed_at"] is not None)
    ended = row["cancelled_at"] - 0.001
    change(evidence, "transactions", row, confirmed_at=ended - evidence.window, window_ends_at=ended)


@breaks(6)
def cancellation_refused_inside_the_window(evidence: Evidence) -> None:
    row = payments(evidence, "FINALIZADA")[0]
    like = first(evidence, "confirm", row)
    add_answer(evidence, replace(like, kind="cancel", ended=row["window_ends_at"] - 102), "0015")


@breaks(6)
def approved_leaves_early(evidence: Evidence) -> None:
    order = approved_order(evidence)
    like = next(message for message in evidence.sink if message.fields["pv_po_id"] == order["id"] and message.acknowledged)
    drop_messages(evidence, like.notification)
    evidence.sink = [*evidence.sink, replace(like, at=payment_of(evidence, order)["window_ends_at"] - 0.01)]


@breaks(7)
def confirmed_order_expires(evidence: Evidence) -> None:
    order = paid_order(evidence)
    change(evidence, "orders", order, state="VENCIDA")


@breaks(7)
def another_payment_takes_the_order(evidence: Evidence) -> None:
    change(evidence, "orders", paid_order(evidence), paid_by=10**6)


# 8 and 9: money.

@breaks(8)
def balance_is_off(evidence: Evidence) -> None:
    row = evidence.tables["accounts"][0]
    change(evidence, "accounts", row, balance=row["balance"] + 1)


@breaks(8)
def ledger_line_left_out(evidence: Evidence) -> None:
    remove(evidence, "account_ledger", evidence.tables["account_ledger"][0])


@breaks(8)
def finalised_amount_is_another(evidence: Evidence) -> None:
    row = payments(evidence, "FINALIZADA", top_up=True)[0]
    change(evidence, "transactions", row, amount=row["amount"] + 1)


@breaks(9)
def registered_amount_is_not_the_due_one(evidence: Evidence) -> None:
    orders = {row["id"]: row["amount"] for row in evidence.tables["orders"]}
    row = next(row for row in payments(evidence, "REGISTRADA") if orders[row["order_id"]] > 0)
    change(evidence, "transactions", row, amount=row["amount"] + 1)


# 10: replays.

@breaks(10)
def replay_has_another_reply(evidence: Evidence) -> None:
    entry = first(evidence, "register", payments(evidence, "FINALIZADA")[0])
    assert entry.answer is not None
    text = entry.answer.text.replace('"REFERENCE":"', '"REFERENCE":"9')
    assert text != entry.answer.text
    again = replace(entry, sent=entry.ended + 1, ended=entry.ended + 2, answer=Answer(200, text))
    evidence.history = [*evidence.history, again]


@breaks(10)
def replay_is_refused(evidence: Evidence) -> None:
    add_answer(evidence, first(evidence, "register", payments(evidence, "FINALIZADA")[0]), "0101")


@breaks(10)
def other_body_is_not_told_apart(evidence: Evidence) -> None:
    entry = first(evidence, "register", payments(evidence, "FINALIZADA")[0])
    evidence.history = [*evidence.history, replace(entry, sent=entry.ended + 1, ended=entry.ended + 2,
                                                   fields={**entry.fields, "amount": "1"})]


@breaks(10)
def confirmed_again_is_refused(evidence: Evidence) -> None:
    add_answer(evidence, first(evidence, "confirm", payments(evidence, "FINALIZADA")[0]), "0023")


@breaks(10)
def cancelled_can_be_confirmed(evidence: Evidence) -> None:
    row = next(row for row in payments(evidence, "CANCELADA") if row["confirmed_at"] is not None)
    add_answer(evidence, first(evidence, "cancel", row), "0000", kind="confirm")
