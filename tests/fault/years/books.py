"""What must be so at the end of each day, by what happened and by Python's own calendar."""

from datetime import date, datetime, timedelta
from typing import Any

from tests.stack.auditor import audit
from tests.stack.dispatch_rig import DispatchRig
from tests.stack.invariants import breaches

from .life import CLOSING_ZONE, RETENTION_DAYS, SHOPS, WINDOW, Life, Order
from .zones import COUNTRIES, DAY, day_at, shown

LATELY = 40  # days: everything about an order has happened by then, but for notifications to a merchant that is away
ATTEMPTS, LAST_ATTEMPT_HOURS = 12, 94
PURGE_SLACK = 2  # days: it happens at night, by a dispatcher that comes a few times a day
PERSONAL_DAYS = 400


class Books:
    """Adds what is wrong to the findings of `life`. What has not always been promised is checked of today's release alone."""

    def __init__(self, life: Life, is_today: bool = True) -> None:
        self.is_today = is_today
        self.life = life
        self.rig = DispatchRig(life.stack)
        self.closed: date | None = None
        self.count = 0
        self.zones = [zone for _, zone in COUNTRIES.values()]

    def check(self, day: date, with_invariants: bool, with_audit: bool) -> None:
        """The audit computes all that ever was anew, so it comes less often than a day ends."""
        self.rig.database = self.life.stack.mariadb.connect()
        self.check_orders()
        self.check_closed()
        self.check_report(day - 2 * DAY, self.zones[day.toordinal() % len(self.zones)])
        self.check_notifications()
        if self.is_today:
            self.check_schema(with_invariants, with_audit)
        self.rig.database.close()

    def check_schema(self, with_invariants: bool, with_audit: bool) -> None:
        """By programs and statements that are made for today's tables."""
        self.check_retention()
        for line in audit(self.life.stack.mariadb) if with_audit else []:
            self.life.found(line)
        for line in breaches(self.rig, WINDOW.total_seconds()) if with_invariants else []:
            self.life.found(line)

    def check_orders(self) -> None:
        """States, and the instants at which their days end in their countries."""
        life = self.life
        lately = [order for order in life.orders if order.due_at > life.clock.now() - LATELY * DAY]
        rows = {row["po_id"]: row for row in self.rig.rows("SELECT po_id, state, due_at FROM orders WHERE due_at > UTC_TIMESTAMP() - INTERVAL %s DAY",
                                                           LATELY + 1)}
        for order in lately:
            self.check_order(order, rows[order.number])

    def check_order(self, order: Order, row: dict[str, Any]) -> None:
        if row["due_at"] != order.due_at:
            self.life.found(f"{order.number} in {order.zone} is due {row['due_at']}, not {order.due_at}")
        if row["state"] != order.state and not self.life.is_near(order.due_at):
            self.life.found(f"{order.number}, due {order.due_at}, is {row['state']}, not {order.state}")

    def check_closed(self) -> None:
        """Each day has one settlement, also the days that are longer or shorter."""
        rows = self.rig.rows("SELECT day, zone FROM settlements WHERE state = 'closed' ORDER BY number DESC LIMIT 1")
        yesterday = day_at(self.life.clock.now(), CLOSING_ZONE) - DAY
        if self.closed is not None and (not rows or rows[0] != {"day": yesterday.isoformat(), "zone": CLOSING_ZONE}):
            self.life.found(f"the last settlement is {rows}, not that of {yesterday}")
        count = self.rig.value("SELECT COUNT(*) FROM settlements WHERE state = 'closed'")
        if self.closed is not None and count - self.count != (yesterday - self.closed).days:
            self.life.found(f"{count - self.count} settlements were closed from {self.closed} to {yesterday}")
        self.closed, self.count = yesterday, count

    def check_report(self, day: date, zone: str) -> None:
        """The operations of a day in some zone: those whose end lies between its two midnights."""
        since, until = shown(day, zone)
        if (since, until) == shown(day, CLOSING_ZONE):
            return  # the settlement that was closed is shown, also under another name of the zone, and not the day between its midnights
        report = self.life.stack.ctl.json("report", "settlement", "--date", day.isoformat(), "--zone", zone)
        if (report["begins_at"], report["ends_at"]) != (written(since), written(until)):
            self.life.found(f"{day} in {zone} goes from {report['begins_at']} to {report['ends_at']}, not from {since} to {until}")
        listed = {row["transaction"] for row in report["operations"]}
        for payment in self.life.payments[-200:]:
            first, last = (instant + (timedelta(0) if payment.is_taken_back else WINDOW) for instant in payment.between)
            surely, perhaps = since <= first and last < until, since <= last and first < until
            if surely and payment.transaction not in listed or not perhaps and payment.transaction in listed:
                self.life.found(f"report of {day} in {zone}: {payment.transaction}, final at {last}, is {'not ' if surely else ''}in it")

    def check_notifications(self) -> None:
        """All are delivered, but for those of a merchant that is away; and those only after all attempts."""
        away = "" if self.life.away_until is None else SHOPS[0]
        late = self.rig.rows("SELECT n.id, n.state, m.name FROM notifications n JOIN merchants m ON m.id = n.merchant_id"
                             " WHERE n.state <> 'delivered' AND m.name <> %s", away)
        if late:
            self.life.found(f"not delivered: {late[:5]}")
        few = self.rig.rows("SELECT n.id, COUNT(*) AS made, TIMESTAMPDIFF(HOUR, MIN(a.started_at), MAX(a.started_at)) AS hours"
                            " FROM notifications n JOIN attempts a ON a.notification_id = n.id WHERE n.state = 'exhausted'"
                            " GROUP BY n.id HAVING made < %s OR hours < %s", ATTEMPTS, LAST_ATTEMPT_HOURS)
        if few:
            self.life.found(f"given up too early: {few[:5]}")

    def check_retention(self) -> None:
        old = self.rig.value("SELECT COUNT(*) FROM attempts a JOIN notifications n ON n.id = a.notification_id"
                             " WHERE n.settled_at < UTC_TIMESTAMP() - INTERVAL %s DAY", RETENTION_DAYS + PURGE_SLACK)
        if old:
            self.life.found(f"{old} attempts are left whose notification was delivered more than {RETENTION_DAYS} days ago")
        known = self.rig.value("SELECT COUNT(*) FROM orders WHERE changed_at < UTC_TIMESTAMP() - INTERVAL %s DAY AND state <> 'PENDIENTE'"
                               " AND customer_name IS NOT NULL", PERSONAL_DAYS + PURGE_SLACK)
        if known:
            self.life.found(f"{known} customers are still known after {PERSONAL_DAYS} days")

    def check_end(self) -> None:
        """Each notification was acknowledged once, and the books are right."""
        for line in audit(self.life.stack.mariadb):
            self.life.found(line)
        told = [request.webhook_id for request in self.life.stub.requests_to(SHOPS[1])]
        if len(told) != len(set(told)):
            self.life.found(f"{len(told) - len(set(told))} notifications came more than once")


def written(instant: datetime) -> str:
    return instant.isoformat(timespec="microseconds") + "Z"
