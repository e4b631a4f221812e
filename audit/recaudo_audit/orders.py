"""Orders with their payments, refunds, settlement items and notifications: some at a time, all of a moment."""

from datetime import datetime, timedelta
from typing import Any, Iterable

from .approvals import Approvals
from .database import Database, Row, grouped
from .history import CLOSE, Terms, changes_of, check_party, check_states, check_values, check_versions, far, had
from .report import Report, shown
from .seals import Change, change, in_force

LOG = ("SELECT id, at, subject, subject_id, version, what, from_state, to_state, actor, changes, order_id, order_version FROM event_log"
       " WHERE subject = '{subject}' AND subject_id IN %s ORDER BY id")
OF_NO_ORDER = ("(SELECT t.*, a.id AS account, a.document FROM transactions t LEFT JOIN orders o ON o.id = t.order_id"
               " LEFT JOIN accounts a ON a.id = t.account_id WHERE o.id IS NULL) AS others")
# The dispatcher makes payments of orders final by the end of their windows, and top-ups too; each can be late, and one whose account has no
# room waits.
NEWEST = ("SELECT MAX(window_ends_at) FROM (SELECT window_ends_at FROM transactions WHERE state = 'FINALIZADA'"
          " AND changed_by = 'dispatcher' AND {target} IS NOT NULL ORDER BY window_ends_at DESC LIMIT 1) AS newest")
PASSED_OVER = ("SELECT t.id FROM transactions t FORCE INDEX (window_end) LEFT JOIN accounts a ON a.id = t.account_id WHERE t.state = 'CONFIRMADA'"
               " AND t.window_ends_at < LEAST(UTC_TIMESTAMP(6), %s) - INTERVAL 1 HOUR AND t.{target} IS NOT NULL"
               " AND (a.id IS NULL OR a.balance <= 999999999999999.9999 - t.amount) ORDER BY t.id")
PAID = ("APROBADA", "ANULADA")
BOUNDS = ("min_amount", "max_amount")
ASKED = {"reference", "amount", "currency"}  # changes only while the order can be paid and nobody pays it
AT_EVENT = {"CONFIRMADA": "confirmed_at", "FINALIZADA": "finalised_at", "CANCELADA": "cancelled_at"}
INSTANTS = {"transaction": ("confirmed_at", "window_ends_at", "finalised_at", "cancelled_at"), "order": ("held_until",)}
TOLD = {"CONFIRMADA": "held", "FINALIZADA": "state", "CANCELADA": "released"}


def microseconds(number: Any) -> timedelta:
    return timedelta(microseconds=int(number))


def told_by_payment(event: Row) -> Row:
    """The event of an order that stands in that of its transaction."""
    return {**event, "version": event["order_version"], "what": TOLD[event["to_state"]], "from_state": "PENDIENTE",
            "to_state": "APROBADA" if event["to_state"] == "FINALIZADA" else "PENDIENTE", "changes": None}


def says_references(events: Iterable[Row]) -> bool:
    """The log has all that the order had. Schemas before 21 logged that an order was changed, and not what of it."""
    return all(event["changes"] or event["what"] != "changed" for event in events) or any(
        event["what"] == "created" and "reference" in changes_of(event) for event in events)


class WindowLengths:
    """How long the cancellation window was, and when that changed: after its event, and before the seal that covers this."""

    def __init__(self, database: Database, report: Report) -> None:
        (row,) = database.rows("SELECT cancel_window FROM settings")
        self.first = microseconds(row["cancel_window"])  # before all changes
        self.changes: list[Change] = []
        for event in database.rows("SELECT id, at, changes FROM event_log WHERE subject = 'setting' AND changes LIKE %s ORDER BY id",
                                   '%"cancel_window"%'):
            with report.reading("event_log", event):
                old, new = map(microseconds, changes_of(event)["cancel_window"])
                self.first = self.first if self.changes else old
                self.changes.append(change(database, event, new))
        # Schemas before 21 did not log what the setting was, nor what was created. The log says when they began; schema_version is its owner's.
        begun = database.rows("SELECT at FROM event_log FORCE INDEX (PRIMARY) WHERE subject IN ('network', 'order') AND what = 'created' AND changes IS NOT NULL"
                              " ORDER BY id LIMIT 1")
        self.since = begun[0]["at"] if begun else None

    def around(self, instant: datetime, confirmation: int) -> set[timedelta] | None:
        """Those in force within a minute of it; None: the log does not say."""
        if self.since is None or instant < self.since:
            return None
        before, unsure = in_force(self.changes, confirmation, instant)
        return {*(before or [self.first]), *unsure}


class Orders:
    def __init__(self, database: Database, report: Report) -> None:
        self.database = database
        self.report = report

    def check(self) -> None:
        self.lengths = WindowLengths(self.database, self.report)
        self.approvals = Approvals(self.database, self.report)
        self.terms = [Terms(self.database, "order", "created", "PENDIENTE"), Terms(self.database, "transaction", "state", "FINALIZADA"),
                      Terms(self.database, "transaction", "state", "CONFIRMADA")]
        self.networks, self.merchants = ({row["id"]: row["name"] for row in self.database.rows(f"SELECT id, name FROM {table}")}
                                         for table in ("networks", "merchants"))
        for orders in self.database.chunks("orders"):
            self.check_chunk(orders)
        for others in self.database.chunks(OF_NO_ORDER):
            self.check_payments(others)
            self.check_top_ups(others)
        self.check_passed_over()
        for rows in self.database.chunks("(SELECT n.* FROM notifications n LEFT JOIN orders o ON o.id = n.order_id"
                                         " WHERE o.id IS NULL) AS orphans"):
            self.check_notifications(rows)
            for row in rows:
                self.report.find("notification-orphan", "notification", row["id"], "its order is gone")
        for row in self.database.rows("SELECT r.order_id FROM refunds r LEFT JOIN orders o ON o.id = r.order_id WHERE o.id IS NULL"):
            self.report.find("refund-orphan", "order", row["order_id"], "is gone, and has a refund")

    def check_chunk(self, orders: list[Row]) -> None:
        numbers = [order["id"] for order in orders]
        payments = self.database.among("SELECT * FROM transactions WHERE order_id IN %s ORDER BY id", numbers)
        moved = self.check_payments(payments)
        own = self.database.among(LOG.format(subject="order"), numbers)
        events = grouped(own, "subject_id")
        for order_id, of_payments in moved.items():
            events[order_id] = sorted(events.get(order_id, []) + of_payments, key=lambda event: int(event["version"] or 0))
        told = grouped(self.database.among("SELECT * FROM notifications WHERE order_id IN %s ORDER BY sequence", numbers), "order_id")
        refunds = grouped(self.database.among("SELECT * FROM refunds WHERE order_id IN %s", numbers), "order_id")
        of_order = grouped(payments, "order_id")
        for order in orders:
            with self.report.reading("orders", order, events.get(order["id"], [])):
                self.check_told(order, events.get(order["id"], []), of_order.get(order["id"], []), told.get(order["id"], []))
                self.check_order(order, events.get(order["id"], []), of_order.get(order["id"], []), refunds.get(order["id"], []))
        self.check_notifications([row for rows in told.values() for row in rows])

    # Payments.

    def check_passed_over(self) -> None:
        for target in ("order_id", "account_id"):
            newest = self.database.value(NEWEST.format(target=target))
            for payment in self.database.rows(PASSED_OVER.format(target=target), newest):
                self.report.find("payment-passed-over", "transaction", payment["id"], f"is confirmed; windows that ended until {shown(newest)} are final")

    def check_top_ups(self, payments: list[Row]) -> None:
        """And what is of no order either."""
        accounts = {payment["account"] for payment in payments} - {None}
        events = grouped(self.database.among(LOG.format(subject="account"), accounts), "subject_id")
        for payment in payments:
            of_account = events.get(payment["account"], [])
            if payment["account"] is None:
                self.report.find("transaction-orphan", "transaction", payment["id"], "its order or account is gone")
                continue
            with self.report.reading("transactions", payment, of_account):
                self.check_reference(payment, had(payment, "document", of_account), f"account {payment['account']}")

    def check_reference(self, payment: Row, references: set[str], of: str) -> None:
        if payment["reference"] not in references:
            self.report.find("payment-reference", "transaction", payment["id"], f"its reference {payment['reference']} was never that of {of}")

    def check_payments(self, payments: list[Row]) -> dict[int, list[Row]]:
        """Also their items of settlements. What they say of orders, by order."""
        numbers = [payment["id"] for payment in payments]
        events = grouped(self.database.among(LOG.format(subject="transaction"), numbers), "subject_id")
        items = grouped(self.database.among("SELECT * FROM settlement_items WHERE transaction_id IN %s", numbers), "transaction_id")
        refunded = {row["transaction_id"]: row for row in self.database.among(
            "SELECT r.* FROM refunds r JOIN transactions t ON t.order_id = r.order_id WHERE t.id IN %s", numbers)}
        moved: dict[int, list[Row]] = {}
        for payment in payments:
            of_it = events.get(payment["id"], [])
            with self.report.reading("transactions", payment, of_it):
                check_versions(self.report, "transaction", payment, of_it)
                check_states(self.report, "transaction", payment, of_it)
                check_values(self.report, "transaction", payment, of_it)
                check_party(self.report, "transaction-network", payment, of_it, self.networks)
                if payment["amount"] <= 0:
                    self.report.find("payment-amount", "transaction", payment["id"], f"its amount is {payment['amount']}")
                if payment["order_id"] is not None and payment["account_id"] is not None:
                    self.report.find("transaction-target", "transaction", payment["id"], "it pays an order and tops up an account")
                for terms in self.terms[1:3 if payment["account_id"] is not None else 2]:
                    terms.check(self.report, payment, of_it)
                self.check_items(payment, items.get(payment["id"], []), refunded.get(payment["id"]))
                self.check_instants(payment, of_it)
            for event in of_it:
                if event["order_id"] not in (None, payment["order_id"]):
                    self.report.find("transaction-order", "transaction", payment["id"],
                                     f"event {event['id']} is also of order {event['order_id']}, its row says {payment['order_id']}")
                if event["order_version"] is not None and event["to_state"] in TOLD:
                    moved.setdefault(event["order_id"], []).append(told_by_payment(event))
        self.report.count("transactions", len(payments))
        return moved

    def check_instants(self, payment: Row, events: list[Row]) -> None:
        find = self.report.find
        for event in events:
            if event["what"] == "created" and far(payment["registered_at"], event["at"]):
                find("transaction-instant", "transaction", payment["id"], f"registered_at is not the time of event {event['id']}")
            name = AT_EVENT.get(event["to_state"]) if event["what"] == "state" else None
            if name is not None and event["from_state"] != event["to_state"] and far(payment[name], event["at"]):
                find("transaction-instant", "transaction", payment["id"], f"{name} is not the time of event {event['id']}")
        reached = {event["to_state"] for event in events}
        for state, name in AT_EVENT.items():
            if payment[name] is not None and state not in reached:
                find("transaction-instant", "transaction", payment["id"], f"it has {name}, and no event that says so")
        confirmed, window = payment["confirmed_at"], payment["window_ends_at"]
        confirmation = next((event["id"] for event in events if event["to_state"] == "CONFIRMADA"), 0)
        if (confirmed is None) != (window is None) or (confirmed is not None and window <= confirmed):
            find("transaction-instant", "transaction", payment["id"], "its window does not end after its confirmation")
        elif confirmed is not None and window - confirmed not in (self.lengths.around(confirmed, confirmation) or {window - confirmed}):
            find("window-length", "transaction", payment["id"],
                 f"its window is {(window - confirmed).total_seconds():g} s long, which no setting of that time says")
        self.check_moved("transaction", payment, events)
        if payment["finalised_at"] is not None and (window is None or payment["finalised_at"] < window):
            find("transaction-instant", "transaction", payment["id"], "it was finalised before its window had ended")
        elif payment["cancelled_at"] is not None and window is not None and payment["cancelled_at"] > window + CLOSE:
            find("transaction-instant", "transaction", payment["id"], "it was cancelled after its window had ended")
        elif payment["cancelled_at"] is not None and confirmed is not None and payment["cancelled_at"] < confirmed - CLOSE:
            find("transaction-instant", "transaction", payment["id"], "it was cancelled before it was confirmed")

    def check_moved(self, subject: str, row: Row, events: Iterable[Row]) -> None:
        """Instants are written once, with a state."""
        for event in events:
            moved = [name for name in INSTANTS[subject] if name in changes_of(event)]
            if moved:
                self.report.find("instant-moved", subject, row["id"], f"event {event['id']} moved {', '.join(moved)}")

    def check_asked(self, order: Row, events: list[Row]) -> None:
        held = False
        for event in events[1:]:
            was = "held" if held or event["what"] == "held" else event["from_state"]
            changed = sorted(ASKED & changes_of(event).keys())
            if changed and was != "PENDIENTE":
                self.report.find("value-moved", "order", order["id"], f"event {event['id']} changes {', '.join(changed)} when the order is {was}")
            held = event["what"] == "held" or (held and event["what"] != "released" and event["to_state"] == "PENDIENTE")

    def check_items(self, payment: Row, items: list[Row], refund: Row | None) -> None:
        expected = {"FINALIZADA": {"finalised": payment["window_ends_at"]}, "CANCELADA": {"cancelled": payment["cancelled_at"]}}.get(
            payment["state"], {})
        if refund is not None:
            expected = {**expected, "refunded": refund["at"]}
        there = {item["kind"]: item["at"] for item in items}
        for kind in expected.keys() - there.keys():
            self.report.find("settlement-item-missing", "transaction", payment["id"], f"no settlement has that it was {kind}")
        for kind in there.keys() - expected.keys():
            self.report.find("settlement-item-extra", "transaction", payment["id"], f"a settlement has that it was {kind}, which it was not")
        if len(items) > len(there):
            self.report.find("settlement-item-extra", "transaction", payment["id"], "settlements have more than once what became of it")
        for kind in there.keys() & expected.keys():
            if there[kind] != expected[kind]:
                self.report.find("settlement-item-instant", "transaction", payment["id"], f"a settlement has another time of its being {kind}")

    # Orders.

    def check_order(self, order: Row, events: list[Row], payments: list[Row], refunds: list[Row]) -> None:
        report, number = self.report, order["id"]
        check_versions(report, "order", order, events)
        check_states(report, "order", order, events)
        # The log does not name held_until where a hold ends; check_hold and check_moved judge it.
        check_values(report, "order", {name: value for name, value in order.items() if name != "held_until"}, events, BOUNDS)
        check_party(report, "order-merchant", order, events, self.merchants)
        self.terms[0].check(report, order, events)
        by_id = {payment["id"]: payment for payment in payments}
        self.check_hold(order, events, by_id)
        self.check_closed(order, events)
        self.check_moved("order", order, events)
        self.check_asked(order, events)
        self.check_payer(order, by_id, payments)
        self.check_in_time(order, events, by_id)
        self.check_claims(order, events, by_id.get(order["paid_by"]))
        if says_references(events):
            references = had(order, "reference", events)
            for payment in payments:
                self.check_reference(payment, references, f"order {number}")
        refund = refunds[0] if refunds else None
        if len(refunds) > 1:
            report.find("refund", "order", number, f"it has {len(refunds)} refunds")
        if (refund is not None) != (order["state"] == "ANULADA"):
            report.find("refund", "order", number, f"it is {order['state']}, and {'has no' if refund is None else 'has a'} refund")
        elif refund is not None and refund["transaction_id"] != order["paid_by"]:
            report.find("refund", "order", number, "its refund is of another payment")
        for event in events:
            if refund is not None and event["to_state"] == "ANULADA" and event["from_state"] != "ANULADA" and far(refund["at"], event["at"]):
                report.find("refund-instant", "order", number, f"its refund is not of the time of event {event['id']}")
            if event["to_state"] == "VENCIDA" and event["from_state"] != "VENCIDA" and event["at"] < order["due_at"] - CLOSE:
                report.find("order-expiry", "order", number, f"event {event['id']} expired it before it was due")
        report.count("orders")

    def check_claims(self, order: Row, events: list[Row], payer: Row | None) -> None:
        """What made an order ANULADA, and is not of its merchant, is a claim."""
        for event in events:
            is_claim = event["to_state"] == "ANULADA" and event["from_state"] != "ANULADA" and not event["actor"].startswith("merchant:")
            if is_claim and payer is not None and self.approvals.claim_lacks(event, order["currency"], payer["amount"]):
                self.report.find("claim-approval", "order", order["id"], f"event {event['id']} claims it, and the log has no approval of a second user")

    def check_hold(self, order: Row, events: list[Row], payments: dict[int, Row]) -> None:
        holds = [event for event in events if event["what"] in ("held", "released") or event["to_state"] == "APROBADA"]
        held = bool(holds) and holds[-1]["what"] == "held"
        holder = payments.get(order["held_by"])
        if held != (order["held_by"] is not None):
            self.report.find("order-hold", "order", order["id"], f"the log says that it is {'held' if held else 'free'}, its row does not")
        if order["held_by"] is not None and (holder is None or holder["state"] != "CONFIRMADA"
                                             or holder["window_ends_at"] != order["held_until"]):
            self.report.find("order-hold", "order", order["id"], "what holds it is no confirmed payment of it with this window")
        for payment in payments.values():
            if payment["state"] == "CONFIRMADA" and payment["id"] != order["held_by"]:
                self.report.find("order-hold", "order", order["id"], f"transaction {payment['id']} is confirmed and does not hold it")

    def check_closed(self, order: Row, events: list[Row]) -> None:
        """Orders that were closed before schema 12 do not have the time; those that say what they ask are younger."""
        ends = [event for event in events if event["from_state"] == "PENDIENTE" and event["to_state"] not in (None, "PENDIENTE")]
        if order["closed_at"] is None:
            wrong = bool(ends) and "amount" in changes_of(events[0])
        else:
            wrong = not ends or far(order["closed_at"], ends[0]["at"])
        if wrong:
            self.report.find("order-closed", "order", order["id"], "closed_at is not the time of the event that closed it")

    def check_payer(self, order: Row, by_id: dict[int, Row], payments: list[Row]) -> None:
        find = self.report.find
        payer = by_id.get(order["paid_by"])
        if (order["paid_by"] is not None) != (order["state"] in PAID):
            find("order-payer", "order", order["id"], f"it is {order['state']}, and paid_by is {order['paid_by']}")
        elif order["paid_by"] is not None and (payer is None or payer["state"] != "FINALIZADA"):
            find("order-payer", "order", order["id"], f"transaction {order['paid_by']} is no finalised payment of it")
        for payment in payments:
            if payment["state"] == "FINALIZADA" and payment["id"] != order["paid_by"]:
                find("order-payer", "order", order["id"], f"transaction {payment['id']} is final and did not pay it")
            if payment["state"] in ("CONFIRMADA", "FINALIZADA") and not self.fits(order, payment):
                find("payment-amount", "transaction", payment["id"], f"its amount or currency is not that of order {order['id']}")

    def check_in_time(self, order: Row, events: list[Row], by_id: dict[int, Row]) -> None:
        """A payment was confirmed when its order was not due. One clock judged it."""
        due: Any = None
        for event in events:
            due = changes_of(event).get("due_at", [None, due])[1]
            payment = by_id.get(event["subject_id"]) if event["what"] == "held" and event["subject"] == "transaction" else None
            if due is not None and payment is not None and payment["confirmed_at"] is not None and f"{payment['confirmed_at']:%F %T.%f}" >= due:
                self.report.find("payment-overdue", "transaction", payment["id"], f"event {event['id']} confirms it, and order {order['id']} was due at {due}")

    @staticmethod
    def fits(order: Row, payment: Row) -> bool:
        if payment["currency"] != order["currency"]:
            return False
        if order["amount"] > 0:
            return bool(payment["amount"] == order["amount"])
        return bool((order["min_amount"] or 0) <= payment["amount"]
                    and (order["max_amount"] is None or payment["amount"] <= order["max_amount"]))

    # What the merchant is told.

    def check_told(self, order: Row, events: list[Row], payments: list[Row], told: list[Row]) -> None:
        find, number = self.report.find, order["id"]
        claimed = any(event["to_state"] == "ANULADA" and event["from_state"] != "ANULADA" and not event["actor"].startswith("merchant:") for event in events)
        expected = {"APROBADA": ["approved"], "VENCIDA": ["cancelled"],
                    "ANULADA": ["approved", "cancelled"] if claimed else ["approved"]}.get(order["state"], [])
        there = [row["status"] for row in told]
        for status in expected:
            if status not in there:
                find("notification-missing", "order", number, f"the merchant is not told that it is {status}")
        if len(set(there)) < len(there):
            find("notification-extra", "order", number, f"the merchant is told more than once: {', '.join(there)}")
        for row in told:
            if row["status"] not in expected:
                find("notification-extra", "notification", row["id"], f"order {number} is {order['state']}, of which no merchant is told {row['status']}")
            payer = next((payment for payment in payments if payment["id"] == order["paid_by"]), None)
            amount = payer["amount"] if payer is not None else order["amount"]
            if row["amount"] != amount or row["merchant_id"] != order["merchant_id"]:
                find("notification-content", "notification", row["id"], f"its amount or merchant is not that of order {number}")

    def check_notifications(self, notifications: list[Row]) -> None:
        events = grouped(self.database.among(LOG.format(subject="notification"), [row["id"] for row in notifications]), "subject_id")
        for row in notifications:
            states = [event for event in events.get(row["id"], []) if event["what"] in ("created", "state")]
            check_states(self.report, "notification", row, states)
        self.report.count("notifications", len(notifications))
