"""What networks paid in and still owe, against the events that say so."""

import re
from datetime import datetime, time, timedelta
from decimal import Decimal
from typing import Any

from .database import Database, Row, grouped
from .history import CLOSE, far
from .report import Report
from .seals import Change, change

EVENTS = "SELECT id, at, subject_id, actor, reason FROM event_log WHERE subject = 'network' AND what = %s ORDER BY id"
LIMITS = re.compile(r"(?P<currency>[A-Z]{3}): day (?P<day>\S+) \(was (?P<day_before>\S+)\), outstanding (?P<outstanding>\S+) \(was (?P<before>\S+)\)")
# Of a network and currency, without those that were cancelled. A limit that is new counts what is still in its window then, and what was
# confirmed on that day.
OWED = ("SELECT COALESCE(SUM(amount), 0) AS owed FROM transactions WHERE network_id = %s AND currency = %s"
        " AND (state = 'CONFIRMADA' OR (state = 'FINALIZADA' AND (finalised_at >= %s OR confirmed_at >= DATE(%s))))")
# What cancellations gave back is not counted.
DAYS = ("SELECT network_id, currency, DATE(confirmed_at) AS day, SUM(amount) AS confirmed FROM transactions WHERE state IN ('CONFIRMADA', 'FINALIZADA')"
        " AND confirmed_at > '0001-01-02' GROUP BY network_id, currency, day ORDER BY network_id, currency, day")
LONGEST_REASON = 250


def remitted(row: Row) -> str:
    return f"{row['currency']} {row['amount']}{': ' if row['reason'] else ''}{row['reason']}"[:LONGEST_REASON]


def says(event: Row, row: Row) -> bool:
    """An event of this remittance; a reason that the operator gave besides follows."""
    told = event["reason"] or ""
    return event["actor"] == row["actor"] and not far(event["at"], row["at"]) and (
        told == remitted(row) or told.startswith((remitted(row) + "; ")[:LONGEST_REASON]))


class Limits:
    def __init__(self, database: Database, report: Report) -> None:
        self.database = database
        self.report = report
        self.of_days: dict[tuple[int, str], list[Change]] = {}  # by network and currency: the day's limits
        self.paid_in: dict[tuple[int, str], list[tuple[int, Decimal]]] = {}  # by network and currency: number of the event, amount

    def check(self) -> None:
        self.check_remittances()
        newest, begun = self.told_limits()
        limits = self.database.rows("SELECT l.*, COUNT(r.part) AS parts, MAX(r.part) AS last_part, SUM(r.outstanding_room) AS room,"
                                    " COUNT(r.outstanding_room) AS outstanding_parts, COUNT(r.day_share + r.day_room) AS day_parts,"
                                    " SUM(r.day_share) AS of_a_day FROM network_limits l"
                                    " LEFT JOIN network_rooms r ON r.network_id = l.network_id AND r.currency = l.currency"
                                    " GROUP BY l.network_id, l.currency")
        for limit in limits:
            key = limit["network_id"], limit["currency"]
            self.check_value(limit, newest.pop(key, ("no", "no")))
            if (limit["parts"], limit["last_part"]) != (16, 15):
                self.report.find("limit-parts", "network", key[0], f"its limit in {key[1]} has {limit['parts']} parts, and not those from 0 to 15")
            elif self.check_bounds(limit) and limit["outstanding_limit"] is not None and key in begun:
                with self.report.reading("event_log", begun[key]):
                    self.check_owed(limit, begun[key])
        for (network, currency), told in newest.items():
            if told != ("none", "none"):
                self.report.find("limit-value", "network", network, f"it has no limit in {currency}, the log says {told[0]} and {told[1]}")
        for row in self.database.rows(DAYS) if self.of_days else []:
            self.check_confirmed(row, self.of_days.get((row["network_id"], row["currency"]), []))
        self.report.count("limits", len(limits))

    def check_remittances(self) -> None:
        told = grouped(self.database.rows(EVENTS, "remitted"), "subject_id")
        for row in self.database.rows("SELECT * FROM remittances ORDER BY id"):
            of_network = told.get(row["network_id"], [])
            with self.report.reading("remittances", row, of_network):
                event = next((event for event in of_network if says(event, row)), None)
                if event is None:
                    self.report.find("remittance", "network", row["network_id"], f"no event says remittance {row['id']}, {remitted(row)}")
                else:
                    of_network.remove(event)
                    self.paid_in.setdefault((row["network_id"], row["currency"]), []).append((event["id"], row["amount"]))
        for event in (event for events in told.values() for event in events):
            self.report.find("remittance", "network", event["subject_id"], f"event {event['id']} says {event['reason']}; no remittance does")

    def told_limits(self) -> tuple[dict[tuple[int, str], tuple[str, str]], dict[tuple[int, str], Row]]:
        """By network and currency the newest limits of the log, and the event from which on it counts what is owed."""
        newest: dict[tuple[int, str], tuple[str, str]] = {}
        begun: dict[tuple[int, str], Row] = {}
        for event in self.database.rows(EVENTS, "money limits"):
            told = LIMITS.match(event["reason"] or "")
            if told is not None:
                key = event["subject_id"], told["currency"]
                before = newest.get(key, ("none", "none"))
                if (told["day_before"], told["before"]) != before:
                    self.report.find("limit-history", "network", key[0], f"event {event['id']} says {told[0]}, and the limits were {before[0]} and {before[1]}")
                newest[key] = told["day"], told["outstanding"]
                if told["day"] != told["day_before"]:
                    with self.report.reading("event_log", event):
                        self.of_days.setdefault(key, []).append(change(self.database, event, None if told["day"] == "none" else Decimal(told["day"])))
                if told["before"] == "none":
                    begun[key] = event
        return newest, begun

    def check_value(self, limit: Row, told: tuple[str, str]) -> None:
        for value, logged, name in ((limit["day_limit"], told[0], "day"), (limit["outstanding_limit"], told[1], "outstanding")):
            if str("none" if value is None else value) != logged:
                self.report.find("limit-value", "network", limit["network_id"],
                                 f"its {name} limit in {limit['currency']} is {value}, the log says {logged}")

    def check_bounds(self, limit: Row) -> bool:
        """A part that has no number lets everything be confirmed."""
        without = [f"{16 - limit[f'{name}_parts']} of its {name} limit" for name in ("day", "outstanding")
                   if limit[f"{name}_limit"] is not None and limit[f"{name}_parts"] != 16]
        if without:
            self.report.find("limit-parts", "network", limit["network_id"],
                             f"parts that have no bound in {limit['currency']}: {', '.join(without)}")
        elif limit["of_a_day"] != limit["day_limit"]:
            self.report.find("limit-parts", "network", limit["network_id"],
                             f"its parts begin a day in {limit['currency']} with {limit['of_a_day']} together, not with {limit['day_limit']}")
        return not without

    def check_confirmed(self, row: Row, changes: list[Change]) -> None:
        """Where there was a limit on the whole day, it bounds what was confirmed; where there were several, the greatest does."""
        begin = datetime.combine(row["day"], time.min)
        before = [each.value for each in changes if each.end <= begin][-1:]
        limits = before + [each.value for each in changes if each.end > begin and each.begin < begin + timedelta(days=1)]
        if before and None not in limits and row["confirmed"] > max(limits):
            self.report.find("limit-day", "network", row["network_id"],
                             f"{row['confirmed']} {row['currency']} were confirmed on {row['day']}, and its limit was {max(limits)}")

    def check_owed(self, limit: Row, begun: Row) -> None:
        """What became final within a minute of the first setting was counted then or was not, which the log does not say."""
        network, currency = limit["network_id"], limit["currency"]
        paid_in = sum((amount for event, amount in self.paid_in.get((network, currency), []) if event > begun["id"]), Decimal(0))
        least, most = (self.owed(limit, begun["at"] + moment) - paid_in for moment in (CLOSE, -CLOSE))
        owed = limit["outstanding_limit"] - limit["room"]
        if not least <= owed <= most:
            self.report.find("limit-owed", "network", network,
                             f"it owes {least} {currency} by its payments and remittances{'' if least == most else f', or up to {most}'};"
                             f" {owed} of its limit is used")

    def owed(self, limit: Row, since: Any) -> Decimal:
        found: Decimal = self.database.value(OWED, limit["network_id"], limit["currency"], since, since)
        return found
