"""The database itself, amounts, quiet afterwards, and answers that can be read."""

import re
from collections import Counter

from ..facts import Facts, Findings

CODE = re.compile(r"[0-9]{4}")
CTL_KINDS = ("import", "claim", "close", "account")


def database_is_whole(facts: Facts) -> Findings:
    """0: the database has lost nothing of its own. Where it has, what else is found comes from that."""
    for what in facts.evidence.damaged:
        yield 0, f"the database's own files are damaged: {what}"


def amounts_fit(facts: Facts) -> Findings:
    """9: what was registered is what is due, or within the limits of an open order."""
    for row in facts.transactions.values():
        order = facts.orders.get(row["order_id"])
        if order is None:
            continue
        least, most = order["min_amount"] or 0, order["max_amount"]
        is_open = order["amount"] == 0
        inside = least <= row["amount"] and (most is None or row["amount"] <= most)
        fits = inside if is_open else row["amount"] == order["amount"]
        if not fits or row["amount"] <= 0 or row["currency"] != order["currency"]:
            told = f"{row['amount']} {row['currency']}"
            yield 9, f"transaction {row['id']} is of {told}, order {order['id']} of {order['amount']}"


def all_is_done(facts: Facts) -> Findings:
    """17: after the faults everything due is done within the time for it."""
    for what, number in facts.evidence.left.items():
        yield 17, f"{number} {what}"


def answers_can_be_read(facts: Facts) -> Findings:
    """18: every answer is a JSON object with CODE and TEXT, and no process ends by itself."""
    for entry in facts.evidence.history:
        if entry.answer is None or entry.kind in CTL_KINDS:
            continue
        if CODE.fullmatch(entry.answer.code) is None or not isinstance(entry.answer.document.get("TEXT"), str):
            yield 18, f"{entry.kind} {entry.key} was answered {entry.answer.status} {entry.answer.text[:80]!r}"
    for end in facts.evidence.ends:
        yield 18, end


def settlements_are_whole(facts: Facts) -> Findings:
    """22: every payment, cancellation and refund is in one settlement, and a closed one has its digest for ever."""
    tables = facts.evidence.tables
    final = {"FINALIZADA": "finalised", "CANCELADA": "cancelled"}
    expected = Counter((row["subject_id"], final[row["to_state"]]) for row in tables["events"]
                       if row["subject"] == "transaction" and row["what"] == "state" and row["to_state"] in final)
    expected += Counter((row["transaction_id"], "refunded") for row in tables["refunds"])
    found = Counter((row["transaction_id"], row["kind"]) for row in tables["settlement_items"] if row["settlement"])
    for transaction, kind in sorted((expected - found) + (found - expected)):
        yield 22, f"transaction {transaction}, {kind}, is in {found[transaction, kind]} settlements"
    yield from counts_are_those_of_the_items(facts)
    for what in facts.evidence.disproved:
        yield 22, what


def counts_are_those_of_the_items(facts: Facts) -> Findings:
    tables = facts.evidence.tables
    items = Counter((row["settlement"], row["kind"]) for row in tables["settlement_items"])
    for row in tables["settlements"]:
        for kind in ("finalised", "cancelled", "refunded"):
            if row["state"] == "closed" and row[kind] != items[row["number"], kind]:
                yield 22, f"settlement {row['number']} was closed with {row[kind]} {kind}, it has {items[row['number'], kind]}"


def answers_though_nobody_reads_the_log(facts: Facts) -> Findings:
    """24: the workers answer while the reader of their log stands still."""
    for entry in facts.evidence.history:
        if entry.kind == "alive" and not entry.is_ok:
            yield 24, f"nobody read the log, and request {entry.key} since then was answered {entry.outcome!r}"


def no_number_comes_again(facts: Facts) -> Findings:
    """25: what merchants and networks were told before the database was lost is not given to others after a restore."""
    for what in facts.evidence.given_again:
        yield 25, what


def merchants_are_asked_again(facts: Facts) -> Findings:
    """27: after the faults merchants are asked about what they alone know."""
    for (_, reference), entries in facts.asked("asked").items():
        if not entries[-1].is_ok:
            yield 27, f"after the faults the merchant of {reference} is not asked: {entries[-1].outcome}"


RULES = (database_is_whole, amounts_fit, all_is_done, answers_can_be_read, settlements_are_whole,
         answers_though_nobody_reads_the_log, no_number_comes_again, merchants_are_asked_again)
