"""What must hold of the tables at any moment, whatever happened: the numbers are those of the reliability design."""

from typing import Any, Protocol, Sequence


class Database(Protocol):
    def rows(self, sql: str, *values: Any) -> list[dict[str, Any]]: ...


EDGES = """
  (from_state IS NULL AND to_state = 'PENDIENTE') OR from_state = to_state
  OR (from_state = 'PENDIENTE' AND to_state IN ('APROBADA', 'VENCIDA', 'CANCELADA'))
  OR (from_state = 'APROBADA' AND to_state = 'ANULADA')
"""
TRANSACTION_EDGES = """
  (from_state IS NULL AND to_state = 'REGISTRADA') OR from_state = to_state
  OR (from_state = 'REGISTRADA' AND to_state IN ('CONFIRMADA', 'CANCELADA'))
  OR (from_state = 'CONFIRMADA' AND to_state IN ('FINALIZADA', 'CANCELADA'))
"""

# Each statement finds what breaks its invariant.
BREACHES: Sequence[tuple[int, str, str]] = (
    (1, "an order is approved twice",
     "SELECT subject_id FROM events WHERE subject = 'order' AND what = 'state' AND to_state = 'APROBADA'"
     " GROUP BY subject_id HAVING COUNT(*) > 1"),
    (1, "two payments of one order are finalised",
     "SELECT order_id FROM transactions WHERE state = 'FINALIZADA' AND order_id IS NOT NULL GROUP BY order_id"
     " HAVING COUNT(*) > 1"),
    (1, "two payments of one order are in their window or past it",
     "SELECT order_id FROM transactions WHERE state IN ('CONFIRMADA', 'FINALIZADA') AND order_id IS NOT NULL"
     " GROUP BY order_id HAVING COUNT(*) > 1"),
    (2, "an order took a step that does not exist",
     f"SELECT id, from_state, to_state FROM events WHERE subject = 'order' AND NOT ({EDGES})"),
    (2, "a transaction took a step that does not exist",
     f"SELECT id, from_state, to_state FROM events WHERE subject = 'transaction' AND NOT ({TRANSACTION_EDGES})"),
    (2, "an order's events do not tell its versions",
     "SELECT o.id, o.version FROM orders o LEFT JOIN events e ON e.subject = 'order' AND e.subject_id = o.id"
     " GROUP BY o.id HAVING COUNT(e.id) <> o.version OR MIN(e.version) <> 1 OR MAX(e.version) <> o.version"
     " OR COUNT(DISTINCT e.version) <> o.version OR COUNT(e.id) = 0"),
    (2, "a transaction's events do not tell its versions",
     "SELECT t.id, t.version FROM transactions t"
     " LEFT JOIN events e ON e.subject = 'transaction' AND e.subject_id = t.id"
     " GROUP BY t.id HAVING COUNT(e.id) <> t.version OR MIN(e.version) <> 1 OR MAX(e.version) <> t.version"
     " OR COUNT(DISTINCT e.version) <> t.version OR COUNT(e.id) = 0"),
    (2, "an order's state is not that of its last event",
     "SELECT o.id FROM orders o JOIN events e ON e.subject = 'order' AND e.subject_id = o.id AND e.version = o.version"
     " WHERE e.to_state <> o.state"),
    (2, "a transaction's state is not that of its last event",
     "SELECT t.id FROM transactions t JOIN events e ON e.subject = 'transaction' AND e.subject_id = t.id"
     " AND e.version = t.version WHERE e.to_state <> t.state"),
    (3, "an approved order has no notification",
     "SELECT o.id FROM orders o LEFT JOIN notifications n ON n.order_id = o.id AND n.status = 'approved'"
     " WHERE o.state = 'APROBADA' AND n.id IS NULL"),
    (3, "an expired order has no notification",
     "SELECT o.id FROM orders o LEFT JOIN notifications n ON n.order_id = o.id AND n.status = 'cancelled'"
     " WHERE o.state = 'VENCIDA' AND n.id IS NULL"),
    (3, "a notification tells what never was",
     "SELECT n.id FROM notifications n LEFT JOIN events e ON e.subject = 'order' AND e.subject_id = n.order_id"
     " AND e.what = 'state'"
     " AND IF(n.status = 'approved', e.to_state = 'APROBADA', e.to_state IN ('VENCIDA', 'ANULADA'))"
     " WHERE e.id IS NULL"),
    (4, "a deleted order has a notification",
     "SELECT n.id FROM notifications n JOIN orders o ON o.id = n.order_id WHERE o.state = 'CANCELADA'"),
    (5, "a cancelled transaction paid or holds an order",
     "SELECT t.id FROM orders o JOIN transactions t ON t.id = o.held_by WHERE t.cancelled_at IS NOT NULL"
     " UNION ALL SELECT t.id FROM orders o JOIN transactions t ON t.id = o.paid_by WHERE t.cancelled_at IS NOT NULL"),
    (6, "a transaction was finalised before the end of its window, or cancelled after it",
     "SELECT id FROM transactions WHERE finalised_at < window_ends_at OR cancelled_at >= window_ends_at"),
    (6, "a window has a length of its own",
     "SELECT id FROM transactions WHERE window_ends_at <> confirmed_at + INTERVAL %s MICROSECOND"),
    (7, "an order is both expired and paid",
     "SELECT o.id FROM orders o JOIN transactions t ON t.order_id = o.id"
     " WHERE o.state = 'VENCIDA' AND t.state IN ('CONFIRMADA', 'FINALIZADA')"),
    (7, "a confirmed payment does not hold its order, or a finalised one did not pay it",
     "SELECT t.id FROM transactions t JOIN orders o ON o.id = t.order_id"
     " WHERE (t.state = 'CONFIRMADA' AND NOT (o.state = 'PENDIENTE' AND o.held_by <=> t.id"
     " AND o.held_until <=> t.window_ends_at))"
     " OR (t.state = 'FINALIZADA' AND NOT (o.paid_by <=> t.id))"),
    (7, "an order is held or paid by what is not so",
     "SELECT o.id FROM orders o LEFT JOIN transactions t ON t.id = COALESCE(o.held_by, o.paid_by)"
     " WHERE (o.held_by IS NOT NULL AND NOT (t.order_id <=> o.id AND t.state <=> 'CONFIRMADA'))"
     " OR (o.paid_by IS NOT NULL AND NOT (t.order_id <=> o.id AND t.state <=> 'FINALIZADA'))"),
    (7, "a payment was confirmed at or after the due date",
     "SELECT t.id FROM transactions t JOIN orders o ON o.id = t.order_id WHERE t.confirmed_at >= o.due_at"),
    (8, "a finalised top-up is not in the ledger once, or with another amount",
     "SELECT t.id FROM transactions t LEFT JOIN account_ledger l ON l.transaction_id = t.id"
     " WHERE t.account_id IS NOT NULL AND (t.state = 'FINALIZADA') <> (l.id IS NOT NULL)"
     " OR l.amount <> t.amount OR l.account_id <> t.account_id"),
    (8, "a balance is not the sum of its ledger",
     "SELECT a.id, a.balance FROM accounts a LEFT JOIN account_ledger l ON l.account_id = a.id GROUP BY a.id"
     " HAVING a.balance <> COALESCE(SUM(l.amount), 0)"),
    (8, "a ledger line's balance is not the running sum",
     "SELECT id FROM (SELECT id, balance, SUM(amount) OVER (PARTITION BY account_id ORDER BY id) AS total"
     "                  FROM account_ledger) l WHERE balance <> total"),
    (8, "what an account keeps room for is not the sum of its top-ups that are confirmed and not credited",
     "SELECT a.id, a.reserved FROM accounts a LEFT JOIN transactions t ON t.account_id = a.id AND t.state = 'CONFIRMADA'"
     " GROUP BY a.id HAVING a.reserved <> COALESCE(SUM(t.amount), 0)"),
    (8, "an account is to be credited with more than it can take",
     "SELECT id, balance, reserved FROM accounts WHERE balance + reserved > 999999999999999.9999"),
    (8, "what is left of a network's day is not its limit less what it confirmed, or it confirmed more",
     "SELECT l.network_id, l.day_limit, r.room, t.confirmed FROM network_limits l"
     " JOIN (SELECT network_id, currency, SUM(day_share) AS share, SUM(IF(day < UTC_DATE(), day_share, day_room)) AS room"
     "         FROM network_rooms GROUP BY network_id, currency) r USING (network_id, currency)"
     " LEFT JOIN (SELECT network_id, currency, SUM(amount) AS confirmed FROM transactions"
     "             WHERE state IN ('CONFIRMADA', 'FINALIZADA') AND confirmed_at >= UTC_DATE() GROUP BY network_id, currency) t"
     " USING (network_id, currency) WHERE l.day_limit IS NOT NULL AND (r.share <> l.day_limit"
     " OR l.day_limit - r.room <> COALESCE(t.confirmed, 0) OR t.confirmed > l.day_limit)"),
    (8, "what is left of a network's outstanding limit is not the limit less what it confirmed, or it confirmed more",
     "SELECT l.network_id, l.outstanding_limit, r.room, t.confirmed FROM network_limits l"
     " JOIN (SELECT network_id, currency, SUM(outstanding_room) AS room FROM network_rooms GROUP BY network_id, currency) r"
     " USING (network_id, currency)"
     " LEFT JOIN (SELECT network_id, currency, SUM(amount) AS confirmed FROM transactions"
     "             WHERE state IN ('CONFIRMADA', 'FINALIZADA') GROUP BY network_id, currency) t USING (network_id, currency)"
     " WHERE l.outstanding_limit IS NOT NULL AND (network_id, currency) NOT IN (SELECT network_id, currency FROM remittances)"
     " AND (l.outstanding_limit - r.room <> COALESCE(t.confirmed, 0) OR t.confirmed > l.outstanding_limit)"),
    (8, "an approved notification tells another amount than was paid",
     "SELECT n.id FROM notifications n JOIN orders o ON o.id = n.order_id JOIN transactions t ON t.id = o.paid_by"
     " WHERE n.status = 'approved' AND n.amount <> t.amount"),
    (9, "a payment is in another currency than its order, or of nothing",
     "SELECT t.id FROM transactions t JOIN orders o ON o.id = t.order_id WHERE t.currency <> o.currency"
     " OR t.amount <= 0"),
    (9, "a payment that holds or paid breaks the amount rule",
     "SELECT t.id FROM transactions t JOIN orders o ON o.id = t.order_id"
     " WHERE t.state IN ('CONFIRMADA', 'FINALIZADA') AND ((o.amount > 0 AND t.amount <> o.amount)"
     " OR (o.amount = 0 AND (t.amount < COALESCE(o.min_amount, 0) OR t.amount > COALESCE(o.max_amount, t.amount))))"),
    (10, "a transaction is stored twice",
     "SELECT network_id, network_transaction FROM transactions GROUP BY 1, 2 HAVING COUNT(*) > 1"),
)


def findings(database: Database, window_seconds: float) -> list[tuple[int, str]]:
    """What is broken: the invariant's number, and what was found in words."""
    found = []
    for number, what, sql in BREACHES:
        values = [int(window_seconds * 1_000_000)] if "%s" in sql else []
        rows = database.rows(sql, *values)
        if rows:
            found.append((number, f"{what}: {rows[:5]}"))
    return found


def breaches(database: Database, window_seconds: float) -> list[str]:
    """The same in one line each; empty when nothing is broken."""
    return [f"{number}: {what}" for number, what in findings(database, window_seconds)]


def check_invariants(database: Database, window_seconds: float) -> None:
    assert breaches(database, window_seconds) == []
