"""What the event log says of one thing, against what its row says."""

import json
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Sequence

from .database import Row
from .report import Report, shown

NEXT = {
    "order": {None: {"PENDIENTE"}, "PENDIENTE": {"APROBADA", "VENCIDA", "CANCELADA"}, "APROBADA": {"ANULADA"}},
    "transaction": {None: {"REGISTRADA"}, "REGISTRADA": {"CONFIRMADA", "CANCELADA"}, "CONFIRMADA": {"FINALIZADA", "CANCELADA"}},
    "notification": {None: {"unaddressed", "waiting", "pending"}},
}


def same(logged: Any, stored: Any) -> bool:
    """A value of the column `changes`, which is JSON, and one of the row."""
    if logged is None or stored is None:
        return logged is stored
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
        if event["what"] != "created" and event["from_state"] != state:
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


def check_values(report: Report, subject: str, row: Row, events: Sequence[Row]) -> None:
    """The last logged value of each column is the row's."""
    last: dict[str, Any] = {}
    for event in events:
        for name, change in (json.loads(event["changes"], parse_float=Decimal) if event["changes"] else {}).items():
            if not isinstance(change, list) or name not in row:
                continue
            if name in last and not same(change[0], last[name]) and str(change[0]) != str(last[name]):
                report.find(f"{subject}-history", subject, row["id"], f"event {event['id']} changes {name} from another value than it had")
            last[name] = change[1]
    for name, value in last.items():
        if not same(value, row[name]):
            report.find(f"{subject}-value", subject, row["id"], f"{name} is {shown(row[name])}, and was last changed to {as_shown(value, row[name])}")
