"""Changes that needed the approval of a second user, by the log's rules and approvals."""

import re
from datetime import datetime
from decimal import Decimal
from typing import Any, Callable, NamedTuple

from .database import Database, Row
from .history import changes_of, far
from .limits import LIMITS
from .report import Report
from .seals import Change, change, in_force

RULES = "SELECT id, at, changes FROM event_log WHERE subject = 'setting' AND changes LIKE '%\"dual\\_%' ORDER BY id"
APPROVALS = "SELECT id, at, subject_id, what, to_state, actor, changes FROM event_log WHERE subject = 'approval' ORDER BY id"
CLAIM, CHANGE = "dual_control.claim.", "dual_changes."
SECRETS = {"fixed_hash": "old_hash", "notification_hash": "old_notification_hash"}  # and the one before


def person(actor: str) -> str:
    """Who it is, whatever a program calls him: `operator:RED\\ana`, `console:ana@red.example`, `console:CN=Ana,O=Red` are `ana`."""
    name = re.sub(r"^([^:=,/+@]*:)+", "", actor[actor.find(":") + 1:].lower().replace("\\", ":"))
    if name.startswith("/"):
        name = re.sub(r"[/,+][/,+ ]*", "/", name).rpartition("/cn=")[2]
    else:
        name = re.sub(r"[,+][/,+ ]*", ",", f",{name}")
        name = name.partition(",cn=")[2] if ",cn=" in name else name[1:]
    return re.split("[,+/@]", name)[0]


class Asked(NamedTuple):
    event: int
    actor: str
    changes: dict[str, Any]


class Approved(NamedTuple):
    asked: Asked
    at: datetime
    actor: str

    def makes(self, event: Row) -> bool:
        """It was asked for before, and another person approved it in the transaction that made the change."""
        return self.asked.event < event["id"] and not far(self.at, event["at"]) and person(self.asked.actor) != person(self.actor)


class Approvals:
    def __init__(self, database: Database, report: Report) -> None:
        self.rules: dict[str, list[Change]] = {}  # by name
        self.given: dict[tuple[str, int], list[Approved]] = {}  # by what is changed
        for event in database.rows(RULES):
            with report.reading("event_log", event):
                for name, (_, rule) in changes_of(event).items():
                    if name.startswith((CLAIM, CHANGE)):
                        self.rules.setdefault(name, []).append(change(database, event, rule))
        asked: dict[int, Asked] = {}
        for event in database.rows(APPROVALS):
            with report.reading("event_log", event):
                if event["what"] == "created":
                    asked[event["subject_id"]] = Asked(event["id"], event["actor"], changes_of(event))
                elif event["to_state"] == "approved" and event["subject_id"] in asked:
                    self.give(Approved(asked[event["subject_id"]], event["at"], event["actor"]))

    def give(self, approved: Approved) -> None:
        for of in ("claim", "network", "merchant"):
            if of in approved.asked.changes:
                self.given.setdefault((of, approved.asked.changes[of][1]), []).append(approved)

    def demand(self, name: str, event: Row, demands: Callable[[str], bool] = lambda rule: True) -> bool:
        """Whether each rule does that may have been in force."""
        before, unsure = in_force(self.rules.get(name, []), event["id"], event["at"])
        return bool(before) and all(rule is not None and demands(rule) for rule in before + unsure)

    def has(self, subject: tuple[str, int], event: Row, fits: Callable[[dict[str, Any]], bool] = lambda changes: True) -> bool:
        return any(approved.makes(event) and fits(approved.asked.changes) for approved in self.given.get(subject, []))

    def claim_lacks(self, claim: Row, currency: str, amount: Decimal) -> bool:
        """A rule as the log has it, `9000000.0000, 86400 s`: a greater amount needs an approval."""
        return (self.demand(CLAIM + currency, claim, lambda rule: amount > Decimal(rule.partition(",")[0]))
                and not self.has(("claim", claim["subject_id"]), claim))

    def lacking(self, subject: str, event: Row) -> list[str]:
        """What this event of a network or merchant changed, and nobody approved."""
        changes, key = changes_of(event), (subject, event["subject_id"])
        if event["what"] == "created":
            return []
        lacking = [secret for secret, old in SECRETS.items() if is_new(secret, old, event) and self.demand(CHANGE + "secrets", event)
                   and not self.has(key, event, lambda asked: secret in asked)]
        if "notify_url" in changes and self.demand(CHANGE + "notify_url", event) \
                and not self.has(key, event, lambda asked: asked.get("notify_url") == changes["notify_url"]):
            lacking.append("notify_url")
        if event["what"] == "money limits" and self.demand(CHANGE + "limits", event) and not self.has_limits(key, event):
            lacking.append("limits")
        return lacking

    def has_limits(self, key: tuple[str, int], event: Row) -> bool:
        told = LIMITS.match(event["reason"] or "")
        if told is None or (told["day"], told["outstanding"]) == (told["day_before"], told["before"]):
            return True
        return self.has(key, event, lambda asked: "day_limit" in asked and [asked["currency"][1], *map(limit, (
            *asked["day_limit"], *asked["outstanding_limit"]))] == list(map(told.group, ("currency", "day_before", "day", "before", "outstanding"))))


def limit(amount: Any) -> str:
    return "none" if amount is None else str(amount)


def is_new(secret: str, old: str, event: Row) -> bool:
    """The end of an old secret, and encryption under another key, bring none that is new."""
    changes, same = changes_of(event), event["what"] == "reencrypted"
    until = changes.get(f"{old}_until", [None, None])[1]
    return until is not None or (not same and (secret in changes or (old in changes and f"{old}_until" not in changes)))
