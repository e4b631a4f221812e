"""Each night what is older than [retention] says goes, and nothing else; whatever ends a dispatcher, the next goes on."""

from contextlib import contextmanager
from typing import Iterator

import pytest

from tests.stack import wait_until
from tests.stack.config import Settings
from tests.stack.dispatch_rig import DispatchRig

PERSON = {"customer_name": "Ana Paz", "document": "1234567", "document_type": "CC", "email": "ana@example.com"}
OF_A_MONTH: Settings = {"retention": {"begin_at": "00:00", "attempts": "30d", "queries": "30d", "personal": "30d"}}
EACH = ("attempts", "queries", "transactions", "orders")


@contextmanager
def days_ago(rig: DispatchRig, days: int) -> Iterator[None]:
    """What is written inside is as old."""
    rig.write(f"SET timestamp = UNIX_TIMESTAMP(UTC_TIMESTAMP(6) - INTERVAL {days} DAY)")
    try:
        yield
    finally:
        rig.write("SET timestamp = DEFAULT")


def paid(rig: DispatchRig, days: int, state: str = "delivered") -> tuple[int, int]:
    """An order of so many days ago, with all that the merchant was told, and the query before it; order, notification."""
    with days_ago(rig, days):
        merchant = rig.merchant(None)
        (order,) = rig.confirmed_orders(merchant, 1, rig.now())
        rig.write("UPDATE transactions SET state = 'FINALIZADA', finalised_at = UTC_TIMESTAMP(6), given_names = 'Ana', changed_by = 'test'"
                       " WHERE order_id = %s", order)
        rig.write("UPDATE orders SET state = 'APROBADA', paid_by = held_by, held_by = NULL, held_until = NULL,"
                       " customer_name = %s, document = %s, document_type = %s, email = %s, changed_by = 'test'"
                       " WHERE id = %s", *PERSON.values(), order)
        (notification,) = rig.notifications_about(merchant, [order], state=state, settled_at=rig.now())
        rig.write("INSERT INTO attempts (notification_id, number, dispatcher_id, started_at, duration_us, address,"
                       " reason, late, reply, lease) VALUES (%s, 1, 1, UTC_TIMESTAMP(6), 5, '', 'acknowledged', FALSE, '',"
                       " REPEAT('l', 16))", notification)
        rig.write("INSERT INTO external_queries (asked_at, merchant_id, integration_id, network_id, reference,"
                       " duration_us, outcome) VALUES (UTC_TIMESTAMP(6), %s, 1, 1, %s, 1, 'silent')", merchant.id, order)
    return order, notification


def left(rig: DispatchRig, order: int, notification: int) -> set[str]:
    """Which of an order's records are still there."""
    counts = {
        "attempts": rig.value("SELECT COUNT(*) FROM attempts WHERE notification_id = %s", notification),
        "queries": rig.value("SELECT COUNT(*) FROM external_queries WHERE reference = %s", str(order)),
        "transactions": rig.value("SELECT COUNT(given_names) FROM transactions WHERE order_id = %s", order),
        "orders": rig.value("SELECT COUNT(COALESCE(customer_name, document, document_type, email)) FROM orders"
                                 " WHERE id = %s", order)}
    return {kind for kind, count in counts.items() if count}


def last_night(rig: DispatchRig) -> None:
    """The last walk was two days ago, and ended."""
    rig.write("UPDATE retention SET begun_for = UTC_TIMESTAMP(6) - INTERVAL 2 DAY, last_id = 0, removed = 0,"
                   " ended_at = UTC_TIMESTAMP(6)")


def walks_ended(rig: DispatchRig) -> int:
    return int(rig.value("SELECT COUNT(*) FROM retention WHERE ended_at IS NOT NULL"
                              " AND begun_for > UTC_TIMESTAMP(6) - INTERVAL 25 HOUR"))


@pytest.fixture(autouse=True)
def clean(rig: DispatchRig) -> None:
    rig.write("TRUNCATE external_queries")
    last_night(rig)


def test_what_is_old_goes_at_night(rig: DispatchRig) -> None:
    old, young = paid(rig, 100), paid(rig, 10)
    with rig.dispatcher(OF_A_MONTH) as dispatcher:
        wait_until(lambda: walks_ended(rig) == 4, "the walks to end", 120)
        wait_until(lambda: dispatcher.log_text().count("retention: removed") == 4, "the log")
    assert left(rig, *old) == set() and left(rig, *young) == set(EACH)
    assert "retention: removed 1 delivery attempts older than 30d" in dispatcher.log_text()
    assert {row["what"]: row["removed"] for row in rig.rows("SELECT what, removed FROM retention")} == dict.fromkeys(EACH, 1)
    assert rig.value("SELECT COUNT(*) FROM events WHERE what = 'purged' AND actor = 'dispatcher'"
                          " AND reason = 'older than 30d'") == 2
    assert rig.value("SELECT COUNT(*) FROM events WHERE what = 'purged' AND actor = 'dispatcher'"
                          " AND subject IN ('order', 'transaction')") == 2


def test_once_a_night(rig: DispatchRig) -> None:
    rig.pass_once(OF_A_MONTH)
    assert walks_ended(rig) == 4
    old = paid(rig, 100)
    assert "retention" not in rig.pass_once(OF_A_MONTH).stderr
    assert left(rig, *old) == set(EACH)


@pytest.mark.parametrize("ended", [True, False])
def test_a_night_of_the_future(rig: DispatchRig, ended: bool) -> None:
    """The clock was a year ahead: nothing young goes, and this night's walk is not held up for a year."""
    old, young = paid(rig, 100), paid(rig, 10)
    rig.write("UPDATE retention SET begun_for = UTC_TIMESTAMP(6) + INTERVAL 365 DAY, ended_at = IF(%s, UTC_TIMESTAMP(6), NULL)", ended)
    rig.pass_once(OF_A_MONTH)
    assert left(rig, *old) == set() and left(rig, *young) == set(EACH)
    assert rig.value("SELECT COUNT(*) FROM retention WHERE begun_for <= UTC_TIMESTAMP(6)") == 4


@pytest.mark.parametrize("state", ("pending", "waiting", "exhausted", "unaddressed"))
def test_personal_data_stays_while_the_merchant_is_not_told(rig: DispatchRig, state: str) -> None:
    order = paid(rig, 100, state)
    rig.pass_once({**OF_A_MONTH, "security": {"allow_addresses": None}})
    assert left(rig, *order) >= {"transactions", "orders"}
    assert ("attempts" in left(rig, *order)) == (state != "exhausted")


@pytest.mark.parametrize("settings, stay", [
    ({"begin_at": "off"}, set(EACH)),
    ({"attempts": "off"}, {"attempts"}),
    ({"queries": "off"}, {"queries"}),
    ({"personal": "off"}, {"transactions", "orders"}),
])
def test_off(rig: DispatchRig, settings: dict[str, str], stay: set[str]) -> None:
    order = paid(rig, 100)
    rig.pass_once({"retention": {**OF_A_MONTH["retention"], **settings}})
    assert left(rig, *order) == stay


def test_personal_data_is_kept_unless_asked_for(rig: DispatchRig) -> None:
    order = paid(rig, 100)
    rig.pass_once({"retention": {"begin_at": "00:00"}})
    assert left(rig, *order) == {"transactions", "orders"}


def test_the_next_one_goes_on(rig: DispatchRig) -> None:
    """As after a dispatcher that was killed behind the first order: its walk is not begun again."""
    first, second = paid(rig, 100), paid(rig, 100)
    rig.write("UPDATE retention SET begun_for = UTC_TIMESTAMP(6), last_id = %s, removed = 7, ended_at = NULL"
                   " WHERE what = 'orders'", first[0])
    rig.pass_once(OF_A_MONTH)
    assert "orders" in left(rig, *first) and "orders" not in left(rig, *second)
    assert rig.value("SELECT removed FROM retention WHERE what = 'orders'") == 8


@pytest.mark.parametrize("table, when, kept", [("attempts", "DELETE", {"attempts"}), ("external_queries", "DELETE", {"queries"}),
                                               ("transactions", "UPDATE", {"transactions"})])
def test_a_kind_that_is_refused_keeps_no_other(rig: DispatchRig, table: str, when: str, kept: set[str]) -> None:
    """By a trigger of the operator's own, say. The exit status says it, and the next run removes it."""
    old = paid(rig, 100)
    with rig.refusing(when, table):
        result = rig.run_once(OF_A_MONTH)
    assert result.returncode == 1 and "failed: refused" in result.stderr
    assert left(rig, *old) == kept and walks_ended(rig) == 3
    rig.pass_once(OF_A_MONTH)
    assert left(rig, *old) == set() and walks_ended(rig) == 4


def test_a_refusal_is_told_though_another_goes_on(rig: DispatchRig) -> None:
    """A trigger does what another dispatcher would do: it continues the walk of the next kind meanwhile."""
    paid(rig, 100)
    rig.write("CREATE TRIGGER another BEFORE DELETE ON external_queries FOR EACH ROW"
              " UPDATE retention SET last_id = last_id + 1 WHERE what = 'queries'")
    try:
        with rig.refusing("DELETE", "attempts"):
            assert rig.run_once(OF_A_MONTH).returncode == 1
    finally:
        rig.write("DROP TRIGGER another")
    assert rig.value("SELECT last_id FROM retention WHERE what = 'queries'") == 0 and walks_ended(rig) == 0


def test_more_than_a_batch_and_several_dispatchers(rig: DispatchRig) -> None:
    count = 4321
    rig.write("INSERT INTO external_queries (asked_at, merchant_id, integration_id, network_id, reference, duration_us,"
                   f" outcome) SELECT UTC_TIMESTAMP(6) - INTERVAL 40 DAY, 1, 1, 1, '77', 1, 'silent' FROM seq_1_to_{count}")
    with rig.dispatcher(OF_A_MONTH), rig.dispatcher(OF_A_MONTH), rig.dispatcher(OF_A_MONTH):
        wait_until(lambda: walks_ended(rig) == 4, "the walks to end", 120)
    assert rig.value("SELECT COUNT(*) FROM external_queries") == 0
    assert rig.value("SELECT removed FROM retention WHERE what = 'queries'") == count
