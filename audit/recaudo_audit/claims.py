"""Claims that needed the approval of a second user, by the log's rules and approvals."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from .database import Database, Row
from .history import CLOSE, changes_of
from .report import Report
from .seals import sealed

RULE = "dual_control.claim."
SETTINGS = f"SELECT id, at, changes FROM event_log WHERE subject = 'setting' AND changes LIKE '%\"{RULE}%' ORDER BY id"
APPROVALS = "SELECT id, subject_id, what, to_state, actor, changes FROM event_log WHERE subject = 'approval' ORDER BY id"


def above(rule: str | None) -> Decimal | None:
    """Of a rule as the log has it, `9000000.0000, 86400 s`: a greater amount needs an approval; None: none does."""
    return None if rule is None else Decimal(rule.partition(",")[0])


class Claims:
    def __init__(self, database: Database, report: Report) -> None:
        self.report = report
        # By currency: the event, between which two times it came into force, and the amount.
        self.rules: dict[str, list[tuple[int, datetime, datetime, Decimal | None]]] = {}
        self.approved: set[int] = set()  # orders
        self.read_rules(database, report)
        self.read_approvals(database, report)

    def read_rules(self, database: Database, report: Report) -> None:
        for event in database.rows(SETTINGS):
            with report.reading("event_log", event):
                for name, (_, rule) in changes_of(event).items():
                    if name.startswith(RULE):
                        self.rules.setdefault(name.removeprefix(RULE), []).append(
                            (event["id"], event["at"] - CLOSE, sealed(database, event["id"]) + CLOSE, above(rule)))

    def read_approvals(self, database: Database, report: Report) -> None:
        asked: dict[int, tuple[Any, str]] = {}  # by approval: the order, and who asked
        for event in database.rows(APPROVALS):
            with report.reading("event_log", event):
                if event["what"] == "created" and "claim" in changes_of(event):
                    asked[event["subject_id"]] = changes_of(event)["claim"][1], event["actor"]
                elif event["to_state"] == "approved" and event["subject_id"] in asked and asked[event["subject_id"]][1] != event["actor"]:
                    self.approved.add(asked[event["subject_id"]][0])

    def demands(self, claim: Row, currency: str, amount: Decimal) -> bool:
        """Whether each rule does that may have been in force. One that has an older event and a later time may have been: the clock was set back."""
        rules = self.rules.get(currency, [])
        before = [least for _, _, end, least in rules if end <= claim["at"]][-1:]
        unsure = [least for number, begin, end, least in rules if (begin <= claim["at"] or number < claim["id"]) and claim["at"] < end]
        return bool(before) and all(least is not None and amount > least for least in before + unsure)

    def check(self, order: Row, events: list[Row], payment: Row | None) -> None:
        """What made an order ANULADA, and is not of its merchant, is a claim."""
        if payment is None or order["id"] in self.approved:
            return
        for event in events:
            is_claim = event["to_state"] == "ANULADA" and event["from_state"] != "ANULADA" and not event["actor"].startswith("merchant:")
            if is_claim and self.demands(event, order["currency"], payment["amount"]):
                self.report.find("claim-approval", "order", order["id"], f"event {event['id']} claims it, and the log has no approval of a second user")
