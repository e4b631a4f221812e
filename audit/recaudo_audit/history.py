"""What the event log says of one thing, against what its row says."""

import json
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any, Sequence

from .database import Database, Row
from .report import Report, shown

CLOSE = timedelta(minutes=1)  # between an instant and the event that says so, and between the clocks of two database servers
NEXT: dict[str, dict[str | None, set[str]]] = {  # of a state that is not named here, any may follow
    "order": {None: {"PENDIENTE"}, "PENDIENTE": {"APROBADA", "VENCIDA", "CANCELADA"}, "APROBADA": {"ANULADA"}, "VENCIDA": set(),
              "CANCELADA": set(), "ANULADA": set()},
    "transaction": {None: {"REGISTRADA"}, "REGISTRADA": {"CONFIRMADA", "CANCELADA"}, "CONFIRMADA": {"FINALIZADA", "CANCELADA"},
                    "FINALIZADA": set(), "CANCELADA": set()},
    "notification": {None: {"unaddressed", "waiting", "pending"}},
}
# Said by the event `created`, of a payment by one or all that change its state; and never changed.
FIXED = {"order": {"merchant_id", "po_id"}, "transaction": {"network_id", "order_id", "account_id", "reference", "amount", "currency"},
         "network": {"name"}, "merchant": {"name"}, "integration": {"merchant_id", "kind", "code", "network_id"}, "user": {"name"}}


def far(one: datetime | None, other: datetime | None) -> bool:
    return one is None or other is None or abs(one - other) > CLOSE


def same(logged: Any, stored: Any) -> bool:
    """A value of the column `changes`, which is JSON, and one of the row. A text is what it says: `007`, `1e2` and `NaN` are no numbers."""
    if logged is None or stored is None:
        return logged is stored
    if isinstance(stored, str):
        return str(logged) == stored
    if isinstance(stored, datetime):
        stored = stored.strftime("%Y-%m-%d %H:%M:%S.%f")
    try:
        return Decimal(str(logged)) == Decimal(str(stored))
    except InvalidOperation:
        return str(logged) == str(stored)


def as_shown(logged: Any, stored: Any) -> str:
    """The log has instants as the database shows them."""
    return f"{str(logged).replace(' ', 'T')}Z" if isinstance(stored, datetime) and logged is not None else str(logged)


def check_states(report: Report, subject: str, row: Row, events: Sequence[Row]) -> None:
    """Each state follows the one before, and the last is the row's."""
    number, state, allowed = row["id"], None, NEXT[subject]
    if not events or events[0]["what"] != "created":
        report.find(f"{subject}-without-creation", subject, number, "the log does not say that it was created")
        state = events[0]["from_state"] if events else None
    for event in events:
        if event["to_state"] is None:
            continue
        if event["from_state"] != state and (event["what"] != "created" or event is not events[0]):
            report.find(f"{subject}-history", subject, number, f"event {event['id']} begins with {event['from_state']}, not {state}")
        if event["to_state"] != state and state in allowed and event["to_state"] not in allowed[state]:
            report.find(f"{subject}-history", subject, number, f"event {event['id']}: {state} does not become {event['to_state']}")
        state = event["to_state"]
    if state != row["state"]:
        report.find(f"{subject}-state", subject, number, f"its row says {row['state']}, the log {state}")


def check_versions(report: Report, subject: str, row: Row, events: Sequence[Row]) -> None:
    """One event for each version."""
    versions = [event["version"] for event in events]
    if versions != list(range(1, row["version"] + 1)):
        report.find(f"{subject}-versions", subject, row["id"],
                    f"its row has version {row['version']}, the log the versions {', '.join(map(str, versions[:20])) or 'none'}")


def changes_of(event: Row) -> dict[str, Any]:
    try:
        return dict(json.loads(event["changes"], parse_float=Decimal)) if event["changes"] else {}
    except (ValueError, TypeError) as error:
        raise ValueError(f"changes of event_log {event['id']} is no JSON object") from error


def is_of_state(event: Row) -> bool:
    return bool(event["what"] == "state" and event["from_state"] != event["to_state"])


def check_values(report: Report, subject: str, row: Row, events: Sequence[Row], none_at_first: Sequence[str] = ()) -> None:
    """The last logged value of each column is the row's. These columns have none at first where the event of the creation names others."""
    last: dict[str, Any] = {}
    for place, event in enumerate(events):
        first = place == 0 and event["what"] == "created"
        if first and event["changes"]:
            last = dict.fromkeys(none_at_first)
        for name, change in changes_of(event).items():
            if not isinstance(change, list) or name not in row:
                continue
            again = subject == "transaction" and is_of_state(event) and change[0] is None
            if name in FIXED.get(subject, ()) and not (again or first):
                report.find("value-moved", subject, row["id"], f"event {event['id']} changes {name}, which never changes")
            before = change[1 if again else 0]
            if name in last and not same(before, last[name]) and str(before) != str(last[name]):
                report.find(f"{subject}-history", subject, row["id"], f"event {event['id']} changes {name} from another value than it had")
            last[name] = change[1]
    for name, value in last.items():
        if not same(value, row[name]):
            report.find(f"{subject}-value", subject, row["id"], f"{name} is {shown(row[name])}, the log says {as_shown(value, row[name])}")


def had(row: Row, name: str, events: Sequence[Row]) -> set[str]:
    """What the column is, and all that the log says it was."""
    changes = [changes_of(event).get(name) for event in events]
    return {row[name], *(str(value) for change in changes if isinstance(change, list) for value in change if value is not None)}


def check_party(report: Report, finding: str, row: Row, events: Sequence[Row], names: dict[int, str]) -> None:
    """`order-merchant`, `transaction-network`: a merchant or network that did something to it is the one of its row, and nobody else registers,
    confirms or cancels a payment. Only making one final may be another's doing: whoever asks about it when its window has ended."""
    subject, party = finding.split("-")
    name = names.get(row[f"{party}_id"])
    for event in events:
        is_theirs = event["actor"].startswith(f"{party}:") or (subject == "transaction" and event["from_state"] != event["to_state"])
        if is_theirs and event["actor"] != f"{party}:{name}" and event["to_state"] != "FINALIZADA":
            report.find(finding, subject, row["id"], f"event {event['id']} is of {event['actor']}, its row says {name}")


class Terms:
    """What an order asks, and what a payment paid, stands in the event that creates the one and ends the other. From the first event on that
    says it, all do."""

    def __init__(self, database: Database, subject: str, what: str, to_state: str) -> None:
        self.subject, self.what, self.to_state = subject, what, to_state
        rows = database.rows("SELECT id FROM event_log WHERE subject = %s AND what = %s AND to_state = %s AND changes LIKE %s"
                             " ORDER BY id LIMIT 1", subject, what, to_state, '%"amount"%')
        self.first: int | None = rows[0]["id"] if rows else None

    def check(self, report: Report, row: Row, events: Sequence[Row]) -> None:
        for event in events:
            if self.first is not None and event["id"] > self.first and event["what"] == self.what and event["to_state"] == self.to_state \
                    and event["subject"] == self.subject and "amount" not in changes_of(event):
                report.find(f"{self.subject}-terms", self.subject, row["id"], f"event {event['id']} does not say its amount, as all others do")
