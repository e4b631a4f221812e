"""Ways to damage clean evidence, each with the invariant that is then broken and no other."""

from copy import deepcopy
from dataclasses import replace
from typing import Any, Callable

from .evidence import Evidence, Row
from .facts import Facts
from .history import Answer, Entry
from .sink import Message

Damage = Callable[[Evidence], None]
SABOTAGE: list[tuple[int, str, Damage]] = []


def breaks(number: int) -> Callable[[Damage], Damage]:
    def add(damage: Damage) -> Damage:
        SABOTAGE.append((number, damage.__name__, damage))
        return damage
    return add


# What is damaged. The first that fits; a clean run must have one of each.

def rows(evidence: Evidence, table: str, **wanted: Any) -> list[Row]:
    return [row for row in evidence.tables[table] if all(row[name] == value for name, value in wanted.items())]


def payments(evidence: Evidence, state: str, top_up: bool = False) -> list[Row]:
    """Of an order, or top-ups, in this state; acknowledged ones."""
    facts = Facts(evidence)
    kind = {"REGISTRADA": "register", "CANCELADA": "cancel", "FINALIZADA": "confirm"}[state]
    return [row for key, row in facts.transactions.items()
            if row["state"] == state and (row["account_id"] is not None) == top_up and facts.any_ok(kind, key)
            and not (state == "FINALIZADA" and facts.one("cancel", key))]


def key_of(evidence: Evidence, row: Row) -> tuple[str, str]:
    return Facts(evidence).networks[row["network_id"]], row["network_transaction"]


def add_answer(evidence: Evidence, like: Entry, code: str, **changes: Any) -> None:
    """Another request like this one, later, and what it was answered."""
    answer = Answer(200, f'{{"CODE": "{code}", "TEXT": "-"}}')
    evidence.history = [*evidence.history, replace(like, sent=like.ended + 100, ended=like.ended + 101, answer=answer,
                                                   **changes)]


def first(evidence: Evidence, kind: str, row: Row) -> Entry:
    return next(entry for entry in Facts(evidence).one(kind, key_of(evidence, row)) if entry.is_ok)


def message_of(evidence: Evidence, status: str) -> Message:
    return next(message for message in evidence.sink if message.fields["status"] == status and message.acknowledged)


def change_message(evidence: Evidence, message: Message, **changes: Any) -> None:
    fields = {**message.fields, **changes}
    evidence.sink = [replace(one, fields=fields) if one is message else one for one in evidence.sink]


def drop_messages(evidence: Evidence, notification: int) -> None:
    evidence.sink = [message for message in evidence.sink if message.notification != notification]


def remove(evidence: Evidence, table: str, row: Row) -> None:
    for tables in (evidence.tables, evidence.later):
        tables[table].remove(row)


def change(evidence: Evidence, table: str, row: Row, **changes: Any) -> None:
    """In both looks at the tables alike."""
    for tables in (evidence.tables, evidence.later):
        next(one for one in tables[table] if one["id"] == row["id"]).update(changes)


def add(evidence: Evidence, table: str, row: Row) -> None:
    for tables in (evidence.tables, evidence.later):
        tables[table].append(deepcopy(row))


# 0: the database itself.

@breaks(0)
def damaged_table(evidence: Evidence) -> None:
    evidence.damaged = ["recaudo.events: Corrupt"]


# 3 and 4: notifications.

def approved_order(evidence: Evidence) -> Row:
    """An order that was paid and nothing more; its row."""
    told = {message.fields["pv_po_id"] for message in evidence.sink if message.acknowledged}
    return next(row for row in rows(evidence, "orders", state="APROBADA") if row["id"] in told)


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
    last = max(message.at for message in evidence.sink)
    evidence.sink = [*evidence.sink, replace(like, at=last + 1, notification=10**6, fields=fields)]


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
    payment, = rows(evidence, "transactions", id=order["paid_by"])
    row, = rows(evidence, "notifications", order_id=order["id"])
    drop_others = [message for message in evidence.sink if message.notification == row["id"]]
    drop_messages(evidence, row["id"])
    evidence.sink = [*evidence.sink, replace(drop_others[-1], at=payment["window_ends_at"] - 0.01)]


@breaks(7)
def confirmed_order_expires(evidence: Evidence) -> None:
    order = paid_order(evidence)
    change(evidence, "orders", order, state="VENCIDA")


@breaks(7)
def another_payment_takes_the_order(evidence: Evidence) -> None:
    change(evidence, "orders", paid_order(evidence), paid_by=10**6)


def paid_order(evidence: Evidence) -> Row:
    paid = {row["order_id"] for row in payments(evidence, "FINALIZADA")}
    return next(row for row in rows(evidence, "orders", state="APROBADA") if row["id"] in paid)


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


# 11: nothing acknowledged is lost, nothing is there that nobody asked for.

@breaks(11)
def registration_is_lost(evidence: Evidence) -> None:
    remove(evidence, "transactions", payments(evidence, "REGISTRADA")[0])


@breaks(11)
def confirmation_is_lost(evidence: Evidence) -> None:
    facts = Facts(evidence)
    row = next(row for row in payments(evidence, "CANCELADA", top_up=True) if facts.any_ok("confirm", key_of(evidence, row)))
    change(evidence, "transactions", row, confirmed_at=None, window_ends_at=None)


@breaks(11)
def registration_is_stored_only_later(evidence: Evidence) -> None:
    change(evidence, "transactions", payments(evidence, "REGISTRADA")[0], registered_at=last_ended(evidence) + 1)


def last_ended(evidence: Evidence) -> float:
    return max(entry.ended for entry in evidence.history)


@breaks(11)
def refused_registration_is_stored(evidence: Evidence) -> None:
    row = payments(evidence, "REGISTRADA")[0]
    key = key_of(evidence, row)
    evidence.history = [replace(entry, answer=Answer(200, '{"CODE": "0021", "TEXT": "-"}'))
                        if (entry.kind, entry.who, entry.key) == ("register", *key) else entry for entry in evidence.history]


@breaks(11)
def payment_that_nobody_registered(evidence: Evidence) -> None:
    row = payments(evidence, "REGISTRADA")[0]
    add(evidence, "transactions", {**row, "id": 10**6, "network_transaction": "nobody"})


@breaks(11)
def deleted_order_is_back(evidence: Evidence) -> None:
    change(evidence, "orders", rows(evidence, "orders", state="CANCELADA")[0], state="PENDIENTE")


@breaks(11)
def claim_is_lost(evidence: Evidence) -> None:
    change(evidence, "orders", rows(evidence, "orders", state="ANULADA")[0], state="APROBADA")


@breaks(11)
def half_a_file(evidence: Evidence) -> None:
    paid_for = {row["order_id"] for row in evidence.tables["transactions"]}
    row = next(row for row in rows(evidence, "orders", state="PENDIENTE", origin="imported") if row["id"] not in paid_for)
    remove(evidence, "orders", row)


@breaks(11)
def row_lost_in_a_crash(evidence: Evidence) -> None:
    evidence.later["transactions"].pop()


@breaks(11)
def order_is_lost(evidence: Evidence) -> None:
    paid_for = {row["order_id"] for row in evidence.tables["transactions"]}
    row = next(row for row in rows(evidence, "orders", state="PENDIENTE", origin="registered")
               if row["po_id"].startswith("reg-") and row["id"] not in paid_for)
    remove(evidence, "orders", row)


# 12: what must change nothing.

@breaks(12)
def forged_request_is_stored(evidence: Evidence) -> None:
    forged = next(entry for entry in evidence.history if entry.kind == "register-forged")
    network, = rows(evidence, "networks", name=forged.who)
    row = payments(evidence, "REGISTRADA")[0]
    add(evidence, "transactions", {**row, "id": 10**6, "network_id": network["id"], "network_transaction": forged.key})


@breaks(12)
def forged_request_is_granted(evidence: Evidence) -> None:
    add_answer(evidence, next(entry for entry in evidence.history if entry.kind == "register-forged"), "0000")


# 13 to 16: messages.

@breaks(13)
def message_with_another_amount(evidence: Evidence) -> None:
    change_message(evidence, message_of(evidence, "approved"), amount="1234567.00")


@breaks(13)
def message_with_a_wrong_checksum(evidence: Evidence) -> None:
    change_message(evidence, message_of(evidence, "approved"), pv_checksum="0" * 64)


@breaks(13)
def message_without_a_row(evidence: Evidence) -> None:
    like = message_of(evidence, "approved")
    evidence.sink = [*evidence.sink, replace(like, notification=10**6)]


def repeated(evidence: Evidence, after: float, lost_hands: int) -> None:
    """The last word about an order comes once more."""
    last = max(message.at for message in evidence.sink)
    told = Facts(evidence).told
    like = next(message for message in evidence.sink if message.acknowledged and len(told[message.fields["pv_po_id"]]) == 1)
    evidence.sink = [*evidence.sink, replace(like, at=last + after)]
    evidence.moved_at = 0.0
    evidence.lost_hands = lost_hands


@breaks(14)
def message_too_often(evidence: Evidence) -> None:
    repeated(evidence, 100.0, 0)


@breaks(15)
def message_again_inside_its_lease(evidence: Evidence) -> None:
    late = max(evidence.sink, key=lambda message: message.at)
    evidence.sink = [*evidence.sink, replace(late, at=late.at + 1)]
    evidence.moved_at = 0.0
    evidence.lost_hands = 1


@breaks(15)
def attempts_at_the_same_time(evidence: Evidence) -> None:
    row = evidence.tables["attempts"][0]
    add(evidence, "attempts", {**row, "id": 10**6, "started_at": row["started_at"] + row["duration_us"] / 2e6})


@breaks(16)
def approved_after_cancelled(evidence: Evidence) -> None:
    claimed = {message.fields["pv_po_id"] for message in evidence.sink if message.fields["status"] == "cancelled"}
    like = next(message for message in evidence.sink
                if message.fields["status"] == "approved" and message.fields["pv_po_id"] in claimed)
    evidence.sink = [*evidence.sink, replace(like, at=max(message.at for message in evidence.sink) + 100)]
    evidence.lost_hands = 1


# 17, 18, 20.

@breaks(17)
def work_is_left(evidence: Evidence) -> None:
    evidence.left = {"notifications that are neither delivered nor exhausted": 3}


@breaks(18)
def answer_is_no_json(evidence: Evidence) -> None:
    entry = next(entry for entry in evidence.history if entry.kind == "lookup")
    evidence.history = [*evidence.history, replace(entry, answer=Answer(200, "<html>"))]


@breaks(18)
def worker_crashes(evidence: Evidence) -> None:
    evidence.ends = ["worker process 4711 ended (signal 11); starting another"]


def lookup_of(evidence: Evidence, order: Row, code: str, at: float) -> None:
    like = next(entry for entry in evidence.history if entry.kind == "lookup")
    add_answer(evidence, replace(like, key=order["reference"], ended=at - 101), code)


@breaks(20)
def expired_before_it_is_due(evidence: Evidence) -> None:
    order = rows(evidence, "orders", state="PENDIENTE")[0]
    lookup_of(evidence, order, "0103", order["due_at"] - 0.01)


@breaks(20)
def paid_before_the_window_ends(evidence: Evidence) -> None:
    order = approved_order(evidence)
    payment, = rows(evidence, "transactions", id=order["paid_by"])
    lookup_of(evidence, order, "0102", payment["window_ends_at"] - 0.01)


@breaks(20)
def held_by_nobody(evidence: Evidence) -> None:
    order = approved_order(evidence)
    payment, = rows(evidence, "transactions", id=order["paid_by"])
    lookup_of(evidence, order, "0106", payment["window_ends_at"] + 10)


@breaks(20)
def can_be_paid_after_it_is_due(evidence: Evidence) -> None:
    order = next(row for row in rows(evidence, "orders", state="VENCIDA") if row["origin"] != "external")
    lookup_of(evidence, order, "0000", order["due_at"] + 10)
