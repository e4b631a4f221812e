"""Damage to what is stored, to messages, and to answers."""

import json
from dataclasses import replace

from ..damage import (add, add_answer, approved_order, breaks, change, change_message, key_of, last_ended,
                     last_message_at, message_of, message_sent_once, payment_of, payments, remove, rows)
from ..evidence import Evidence, Row
from ..facts import Facts
from ..history import Answer, Entry
from ..rules.paid import statements
from ..sink import Message

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
    """Nobody has heard of the claim since, whatever was asked: who was told of it is 21."""
    order = rows(evidence, "orders", state="ANULADA")[0]
    heard = [id(entry) for about, entry, said in statements(Facts(evidence)) if about is order and "given back" in said]
    evidence.history = [entry for entry in evidence.history if id(entry) not in heard]
    change(evidence, "orders", order, state="APROBADA")


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


def say_again(evidence: Evidence, like: Message, at: float, lost_hands: int) -> None:
    """The same message once more; `lost_hands` is how many repetitions dead dispatchers excuse."""
    evidence.sink = [*evidence.sink, replace(like, at=at)]
    evidence.lost_hands = lost_hands


@breaks(14)
def message_too_often(evidence: Evidence) -> None:
    say_again(evidence, message_sent_once(evidence), last_message_at(evidence) + 100, 0)


@breaks(15)
def message_again_inside_its_lease(evidence: Evidence) -> None:
    like = message_sent_once(evidence)
    say_again(evidence, like, like.at + 1, evidence.lost_hands + 1)


@breaks(15)
def attempts_at_the_same_time(evidence: Evidence) -> None:
    row = next(row for row in rows(evidence, "attempts", late=0) if row["duration_us"] > 1)
    add(evidence, "attempts", {**row, "id": 10**6, "started_at": row["started_at"] + row["duration_us"] / 2e6})


@breaks(16)
def approved_after_cancelled(evidence: Evidence) -> None:
    claimed = {message.fields["pv_po_id"] for message in evidence.sink if message.fields["status"] == "cancelled"}
    like = next(message for message in evidence.sink
                if message.fields["status"] == "approved" and message.fields["pv_po_id"] in claimed)
    say_again(evidence, like, last_message_at(evidence) + 100, evidence.lost_hands + 1)


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
    lookup_of(evidence, order, "0102", payment_of(evidence, order)["window_ends_at"] - 0.01)


@breaks(20)
def held_by_nobody(evidence: Evidence) -> None:
    paid_for = {row["order_id"] for row in evidence.tables["transactions"]}
    order = next(row for row in rows(evidence, "orders", state="PENDIENTE") if row["id"] not in paid_for)
    lookup_of(evidence, order, "0106", order["due_at"] - 0.01)


@breaks(20)
def can_be_paid_after_it_is_due(evidence: Evidence) -> None:
    order = next(row for row in rows(evidence, "orders", state="VENCIDA") if row["origin"] != "external")
    lookup_of(evidence, order, "0000", order["due_at"] + 10)


# 21: paid is told as written, and stays so.

def say(evidence: Evidence, kind: str, order: Row, state: str, at: float) -> None:
    """A consult or a slip said this of the order."""
    merchant = Facts(evidence).merchants[order["merchant_id"]]
    answer = Answer(200, json.dumps({"CODE": "0000", "TEXT": "OK", "DATA": {"STATE": state}}))
    evidence.history = [*evidence.history, Entry(kind, merchant, order["po_id"], {}, at, at, answer)]


def before_it_is_written(evidence: Evidence, order: Row) -> float:
    """The window is over, the approval not yet written."""
    payment = payment_of(evidence, order)
    return float(payment["window_ends_at"] + payment["finalised_at"]) / 2


@breaks(21)
def paid_by_the_clock(evidence: Evidence) -> None:
    order = approved_order(evidence)
    say(evidence, "consult", order, "APROBADA", before_it_is_written(evidence, order))


@breaks(21)
def slip_says_paid_by_the_clock(evidence: Evidence) -> None:
    order = approved_order(evidence)
    say(evidence, "slip", order, "Pagada", before_it_is_written(evidence, order))


def said_later(evidence: Evidence, kind: str, state: str) -> None:
    """Told as paid, and something else afterwards."""
    say(evidence, kind, approved_order(evidence), state, max(last_ended(evidence), last_message_at(evidence)) + 1)


@breaks(21)
def paid_is_withdrawn(evidence: Evidence) -> None:
    said_later(evidence, "consult", "PENDIENTE")


@breaks(21)
def paid_is_withdrawn_on_the_slip(evidence: Evidence) -> None:
    said_later(evidence, "slip", "Pago en confirmaci\u00f3n")


@breaks(21)
def given_back_and_never_refunded(evidence: Evidence) -> None:
    said_later(evidence, "consult", "ANULADA")


@breaks(21)
def held_after_it_was_told_as_paid(evidence: Evidence) -> None:
    """Soon enough to be no matter of 20, which lets an order be held until its approval may be written."""
    order = next(row for row in rows(evidence, "orders", state="APROBADA") if row["origin"] != "external")
    written = payment_of(evidence, order)["finalised_at"]
    say(evidence, "consult", order, "APROBADA", written + 1)
    lookup_of(evidence, order, "0106", written + 7)


# 22: settlements.

@breaks(22)
def operation_is_in_no_settlement(evidence: Evidence) -> None:
    remove(evidence, "settlement_items", rows(evidence, "settlement_items", kind="refunded")[0])


@breaks(22)
def operation_joins_a_closed_settlement(evidence: Evidence) -> None:
    closed = rows(evidence, "settlements", state="closed")[0]["number"]
    row = next(row for row in evidence.tables["settlement_items"] if row["settlement"] != closed)
    remove(evidence, "settlement_items", row)
    add(evidence, "settlement_items", {**row, "settlement": closed})


@breaks(22)
def digest_is_another_one(evidence: Evidence) -> None:
    evidence.disproved = ["settlement 1 has another digest than when it was closed"]
