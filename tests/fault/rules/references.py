"""Whose a reference is."""

from itertools import combinations
from math import inf
from typing import NamedTuple

from ..evidence import Row
from ..facts import Facts, Findings


class Holding(NamedTuple):
    """Who has a reference from when on, and until when nobody else may have it. Accounts keep theirs for ever."""

    since: float
    until: float
    owner: str
    what: str


def references_have_one_owner(facts: Facts) -> Findings:
    """23: no reference is an account's and an order's, or two merchants' before the quarantine of the first is over."""
    accounts = {row["document"]: row for row in facts.evidence.tables["accounts"]}
    quarantine = {row["id"]: row["reference_quarantine"] for row in facts.evidence.tables["merchants"]}
    for reference, orders in facts.orders_by_reference.items():
        holdings = [_of_order(facts, row, quarantine[row["merchant_id"]]) for row in orders]
        if reference in accounts:
            account = accounts[reference]
            holdings.append(Holding(account["created_at"], inf, "", f"account {account['id']}"))
        for first, second in combinations(sorted(holdings), 2):
            if first.owner != second.owner and second.since < first.until - facts.evidence.apart:
                yield 23, f"reference {reference} is that of {first.what} and of {second.what}"


def _of_order(facts: Facts, row: Row, quarantine: int) -> Holding:
    until = inf if row["closed_at"] is None else row["closed_at"] + quarantine
    owner = facts.merchants[row["merchant_id"]]
    return Holding(row["created_at"], until, owner, f"order {row['id']} of {owner}")


RULES = (references_have_one_owner,)
