"""What was answered, against what is stored."""

from collections import Counter
from decimal import Decimal
from typing import Any

from ..facts import Facts, Findings, Key
from ..history import Entry

CONFIRMED = ("CONFIRMADA", "FINALIZADA")
DONE_AT = {"register": "registered_at", "confirm": "confirmed_at", "cancel": "cancelled_at"}
REFUNDED_BY = {"operator": "claim", "merchant": "refund"}


def registrations_stored(facts: Facts) -> Findings:
    """11: what was answered 0000 is there with its number; what is there was asked for and not refused."""
    for key, entries in facts.asked("register").items():
        row = facts.transactions.get(key)
        granted = [entry for entry in entries if entry.is_ok]
        if row is None:
            yield from ((11, f"registration {key} was acknowledged and is lost") for _ in granted[:1])
        elif any(str(entry.data["IDSERVICE"]) != str(row["id"]) for entry in granted):
            yield 11, f"registration {key} was acknowledged as another one than is stored as {row['id']}"
        elif not any(entry.may_be_done for entry in entries):
            yield 11, f"registration {key} was refused each time and is stored"
    for key in facts.transactions.keys() - facts.asked("register").keys():
        if not key[1].endswith(("-never", "-forged")):
            yield 11, f"transaction {key} is stored and nobody asked for it"


def confirmations_stored(facts: Facts) -> Findings:
    """11: of confirmations and cancellations, in both directions. A cancellation that has no effect is 5."""
    for key, row in facts.transactions.items():
        confirmed, cancelled = row["confirmed_at"] is not None, row["state"] == "CANCELADA"
        if facts.any_ok("confirm", key) and not confirmed:
            yield 11, f"confirmation of {key} was acknowledged and is lost"
        if confirmed and not facts.maybe("confirm", key):
            yield 11, f"{key} is confirmed and nobody asked for it, or all were refused"
        if cancelled and not facts.maybe("cancel", key):
            yield 11, f"{key} is cancelled and nobody asked for it, or all were refused"


def acknowledged_after_it_was_done(facts: Facts) -> Findings:
    """11: not only because the same request came again later."""
    for key, row in facts.transactions.items():
        for kind, column in DONE_AT.items():
            granted = min((entry.ended for entry in facts.one(kind, key) if entry.is_ok), default=None)
            if granted is not None and row[column] is not None and granted < row[column] - facts.evidence.apart:
                yield 11, f"the {kind} of {key} was acknowledged {row[column] - granted:.3f} s before it was done"


def merchant_acts_stored(facts: Facts) -> Findings:
    """11: orders of merchants and operators, deleted ones, refunds and claims."""
    for key, entries in facts.asked("porder").items():
        stored = key in facts.orders_by_number
        if any(entry.is_ok for entry in entries) and not stored:
            yield 11, f"order {key} was acknowledged and is lost"
        if stored and not any(entry.may_be_done for entry in entries):
            yield 11, f"order {key} was refused and is stored"
    for key in facts.asked("delete"):
        row = facts.orders_by_number.get(key)
        if facts.any_ok("delete", key) and (row is None or row["state"] != "CANCELADA"):
            yield 11, f"order {key} was deleted, and is not"
    for number, row in facts.orders.items():
        key = (facts.merchants[row["merchant_id"]], row["po_id"])
        if row["state"] == "CANCELADA" and not facts.maybe("delete", key):
            yield 11, f"order {key} is deleted and nobody asked for it"
        yield from _refund_stored(facts, key, number)


def _refund_stored(facts: Facts, key: Key, number: int) -> Findings:
    row = facts.orders[number]
    claim = ("operator", row["reference"])
    if (facts.any_ok("refund", key) or facts.any_ok("claim", claim)) and row["state"] != "ANULADA":
        yield 11, f"order {key} was given back, and is {row['state']}"
    if row["state"] == "ANULADA":
        who = facts.steps[number]["ANULADA"]["actor"].partition(":")[0]
        kind = REFUNDED_BY.get(who, "nobody")
        if not facts.maybe(kind, key if kind == "refund" else claim):
            yield 11, f"order {key} was given back by {who}, who was not asked"


def files_whole(facts: Facts) -> Findings:
    """11: of a file all orders are there or none."""
    for (_, merchant), entries in facts.asked("import").items():
        for entry in entries:
            stored = [number for number in entry.fields["orders"] if (merchant, number) in facts.orders_by_number]
            if stored and len(stored) < len(entry.fields["orders"]):
                yield 11, f"of the file with {stored[0]} {len(stored)} of {len(entry.fields['orders'])} orders are stored"
            elif bool(stored) != entry.is_ok and entry.outcome != "unknown":
                yield 11, f"the file with {entry.fields['orders'][0]} was answered {entry.outcome}, {len(stored)} are stored"


def stays_stored(facts: Facts) -> Findings:
    """11: a crash of the database that nobody used since changes nothing."""
    for table, rows in facts.evidence.tables.items():
        if rows != facts.evidence.later[table]:
            now = len(facts.evidence.later[table])
            yield 11, f"{table} has changed in a crash of the database: {len(rows)} rows, then {now}"


def cancelled_stay_so(facts: Facts) -> Findings:
    """5: a cancellation that was acknowledged holds."""
    for key, row in facts.transactions.items():
        if facts.any_ok("cancel", key) and row["state"] != "CANCELADA":
            yield 5, f"the cancellation of {key} was acknowledged, and it is {row['state']}"


def confirmed_are_paid(facts: Facts) -> Findings:
    """7: what was confirmed and not taken back has paid its order or filled its account."""
    for key, row in facts.transactions.items():
        if facts.any_ok("confirm", key) and row["confirmed_at"] is not None and not facts.maybe("cancel", key):
            if row["state"] not in CONFIRMED:
                continue
            order = facts.orders.get(row["order_id"])
            if order is not None and order["state"] not in ("APROBADA", "ANULADA"):
                yield 7, f"{key} was confirmed, and its order {order['id']} is {order['state']}"
            elif order is not None and order["paid_by"] != row["id"]:
                yield 7, f"{key} was confirmed, and another transaction paid its order {order['id']}"


def money_adds_up(facts: Facts) -> Findings:
    """8: what the networks were told is paid, what is finalised, and what accounts were credited are the same sums. A top-up that
    is still confirmed at the end has found no room in its account: it was told, and is never credited."""
    told: Counter[str] = Counter()
    stored: Counter[str] = Counter()
    for key, row in facts.transactions.items():
        is_left = row["state"] == "CONFIRMADA" and row["account_id"]
        if row["state"] != "FINALIZADA" and not is_left:
            continue
        where = f"account {row['account_id']}" if row["account_id"] else f"merchant {_merchant_of(facts, row)}"
        stored[where] += 0 if is_left else row["amount"]
        told[where] += _told(facts, key, row["amount"])
    for where in sorted(stored.keys() | told.keys()):
        if stored[where] != told[where]:
            yield 8, f"{where}: the networks paid {told[where]}, finalised is {stored[where]}"
    credited: Counter[str] = Counter()
    for line in facts.evidence.tables["account_ledger"]:
        credited[f"account {line['account_id']}"] += line["amount"]
    for account in facts.evidence.tables["accounts"]:
        where = f"account {account['id']}"
        if not stored[where] == credited[where] == account["balance"]:
            yield 8, f"{where}: finalised {stored[where]}, credited {credited[where]}, balance {account['balance']}"


def _told(facts: Facts, key: Key, stored: Decimal) -> Decimal:
    """The amount that the network was told is registered; what it asked for, where it was told nothing."""
    entries = facts.one("register", key)
    heard = [entry for entry in entries if entry.is_ok] or [entry for entry in entries if entry.may_be_done]
    amounts = [Decimal(entry.fields["amount"]) for entry in heard]
    return stored if stored in amounts else sum(amounts[:1], Decimal(0))


def _merchant_of(facts: Facts, row: dict[str, Any]) -> str:
    return str(facts.merchants[facts.orders[row["order_id"]]["merchant_id"]])


def replays_answer_the_same(facts: Facts) -> Findings:
    """10: the same request again gets the same reply, another one with the same id is refused."""
    for key, entries in facts.asked("register").items():
        granted = [entry for entry in entries if entry.is_ok]
        for entry in granted[1:]:
            if entry.fields != granted[0].fields:
                yield 10, f"registration {key} was acknowledged with two bodies"
            elif entry.data != granted[0].data:
                yield 10, f"registration {key} was answered {granted[0].data}, then {entry.data}"
        yield from _repeats(key, entries, granted)


def _repeats(key: Key, entries: list[Entry], granted: list[Entry]) -> Findings:
    for entry in entries:
        if granted and entry.sent > granted[0].ended and not entry.may_be_done:
            same = entry.fields == granted[0].fields
            if same or entry.outcome != "0016":
                how = "again" if same else "with another body"
                yield 10, f"registration {key} was acknowledged; {how} it got {entry.outcome}"


def confirmations_repeat(facts: Facts) -> Findings:
    """10: confirmations and cancellations too."""
    for key in facts.transactions:
        confirms, cancels = facts.one("confirm", key), facts.one("cancel", key)
        cancelled = min((entry.ended for entry in cancels if entry.is_ok), default=None)
        confirmed = min((entry.ended for entry in confirms if entry.is_ok), default=None)
        for entry in confirms:
            if cancelled is not None and entry.sent > cancelled and entry.outcome not in ("0014", "unknown"):
                yield 10, f"{key} was cancelled; confirmed again it got {entry.outcome}"
            elif confirmed is not None and entry.sent > confirmed and not entry.may_be_done and not facts.maybe("cancel", key):
                yield 10, f"{key} was confirmed; confirmed again it got {entry.outcome}"
        for entry in cancels:
            if cancelled is not None and entry.sent > cancelled and not entry.may_be_done:
                yield 10, f"{key} was cancelled; cancelled again it got {entry.outcome}"


def refused_changes_nothing(facts: Facts) -> Findings:
    """12: a wrong checksum and an unknown transaction."""
    for kind, code in (("register-forged", "0025"), ("confirm-unregistered", "0013")):
        for key, entries in facts.asked(kind).items():
            if key in facts.transactions:
                yield 12, f"{kind} {key} is stored"
            for entry in entries:
                if entry.outcome not in (code, "unknown"):
                    yield 12, f"{kind} {key} was answered {entry.outcome}"


RULES = (registrations_stored, confirmations_stored, acknowledged_after_it_was_done, merchant_acts_stored, files_whole,
         stays_stored, cancelled_stay_so, confirmed_are_paid, money_adds_up, replays_answer_the_same, confirmations_repeat,
         refused_changes_nothing)
