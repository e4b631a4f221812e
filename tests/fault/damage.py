"""What the ways to damage evidence are made of: the first thing that fits, and changes to it."""

from copy import deepcopy
from dataclasses import replace
from typing import Any, Callable

from .evidence import Evidence, Row
from .facts import Facts
from .history import Answer, Entry
from .sink import Message

Damage = Callable[[Evidence], None]
SABOTAGE: list[tuple[int, str, Damage]] = []  # number of the invariant, name, what does it


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


def approved_order(evidence: Evidence) -> Row:
    """An order that was paid and nothing more, and whose merchant acknowledged that; its row. No other payment ever had a
    window: whoever says "paid" inside this payment's window is early, whatever else the order went through."""
    facts = Facts(evidence)
    told = {message.fields["pv_po_id"] for message in evidence.sink if message.acknowledged}
    return next(row for row in rows(evidence, "orders", state="APROBADA")
                if row["id"] in told and sum(one["window_ends_at"] is not None for one in facts.payments[row["id"]]) == 1)


def payment_of(evidence: Evidence, order: Row) -> Row:
    """The payment that paid it."""
    payment, = rows(evidence, "transactions", id=order["paid_by"])
    return payment


def message_sent_once(evidence: Evidence) -> Message:
    """The only notification of its order: acknowledged at its only attempt, and no lease was ended by hand just then."""
    facts = Facts(evidence)
    return next(message for message in evidence.sink
                if message.acknowledged and len(facts.messages[message.notification]) == 1
                and [row["reason"] for row in facts.attempts[message.notification]] == ["acknowledged"]
                and abs(message.at - evidence.moved_at) > 1.5 and len(facts.told[message.fields["pv_po_id"]]) == 1)


def paid_order(evidence: Evidence) -> Row:
    paid = {row["order_id"] for row in payments(evidence, "FINALIZADA")}
    return next(row for row in rows(evidence, "orders", state="APROBADA") if row["id"] in paid)


def last_ended(evidence: Evidence) -> float:
    return max(entry.ended for entry in evidence.history)


def last_message_at(evidence: Evidence) -> float:
    return max(message.at for message in evidence.sink)
