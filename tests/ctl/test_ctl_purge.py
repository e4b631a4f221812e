"""Retention: what is old and done goes, by whom stands in the event log."""

import pytest

from tests.stack import Ctl, Network, Stack
from tests.stack.page_blocks import block

from operator_steps import COMMERCE, INSTANT, NETWORK, add_order, fresh, fresh_number, misused, refused
from test_ctl_payments import close_window, dispatch

PERSON = {"name": "Ana Paz", "di": "1234567", "type_di": "CC", "email": "ana@example.com"}


def paid_order(ctl: Ctl, stack: Stack, network: Network) -> tuple[str, str]:
    """Reference and transaction of an order with personal data, paid and delivered 100 days ago, or so it looks."""
    order, transaction = add_order(ctl, **PERSON), fresh("T")
    assert network.register(order["reference"], "45000", transaction, COMMERCE, nombres="Ana", apellido1="Paz",
                            apellido2="Sol").code == "0000"
    assert network.confirm(transaction).code == "0000"
    close_window(stack, transaction)
    dispatch(stack)
    with stack.mariadb.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SET timestamp = UNIX_TIMESTAMP(UTC_TIMESTAMP() - INTERVAL 100 DAY)")
        cursor.execute("UPDATE orders SET created_at = UTC_TIMESTAMP(6), changed_by = 'test' WHERE id = %s",
                       order["pv_po_id"])
        cursor.execute("UPDATE notifications SET state = 'delivered', settled_at = UTC_TIMESTAMP(6) WHERE order_id = %s",
                       order["pv_po_id"])
        cursor.execute("INSERT INTO attempts (notification_id, number, dispatcher_id, started_at, duration_us, address,"
                       " reason, late, reply, lease) SELECT id, 1, 1, UTC_TIMESTAMP(6), 5, '', 'acknowledged', FALSE, '',"
                       " REPEAT('l', 16) FROM notifications WHERE order_id = %s", order["pv_po_id"])
        cursor.execute("UPDATE transactions SET window_ends_at = UTC_TIMESTAMP(6) WHERE network_transaction = %s",
                       transaction)
    return order["reference"], transaction


def person(ctl: Ctl, reference: str, transaction: str) -> list[str | None]:
    order, payment = ctl.json("order", "show", reference), ctl.json("transaction", "show", NETWORK, transaction)
    return [order["name"], order["di"], order["type_di"], order["email"], payment["nombres"], payment["apellido1"],
            payment["apellido2"]]


def test_what_is_old_and_done_goes(ctl: Ctl, stack: Stack, network: Network) -> None:
    reference, transaction = paid_order(ctl, stack, network)
    whole = person(ctl, reference, transaction)
    assert None not in whole
    planned = ctl.json("purge", "--older-than", "90d", "--dry-run")
    assert INSTANT.fullmatch(planned["before"])
    assert {key: planned[key] for key in ("dry_run", "attempts", "queries", "transactions", "orders")} == {
        "dry_run": True, "attempts": 1, "queries": 0, "transactions": 1, "orders": 1}
    assert person(ctl, reference, transaction) == whole
    done = ctl.json("purge", "--older-than", "90d")
    assert {**done, "before": "", "dry_run": True} == {**planned, "before": ""}
    assert person(ctl, reference, transaction) == [None] * 7
    for words in (("order", "show", reference), ("transaction", "show", NETWORK, transaction)):
        event = ctl.json(*words)["events"][-1]
        assert event["what"] == "purged" and event["actor"].startswith("operator:")
    history = ctl.done("order", "show", reference)
    assert "personal data of the customer taken away" in history
    assert "the attempts to deliver notification approved were removed: older than 90d" in history
    again = ctl.json("purge", "--older-than", "90d")
    assert [again[key] for key in ("attempts", "queries", "transactions", "orders")] == [0, 0, 0, 0]


def test_the_network_may_still_repeat_its_request(ctl: Ctl, stack: Stack, network: Network) -> None:
    reference, transaction = paid_order(ctl, stack, network)
    names = {"nombres": "Ana", "apellido1": "Paz", "apellido2": "Sol"}
    before = network.register(reference, "45000", transaction, COMMERCE, **names)
    ctl.done("purge", "--older-than", "90d")
    assert network.register(reference, "45000", transaction, COMMERCE, **names).data == before.data
    assert network.register(reference, "45000", transaction, COMMERCE, nombres="Eva").code == "0016"


def test_only_what_is_asked_for(ctl: Ctl, stack: Stack, network: Network) -> None:
    reference, transaction = paid_order(ctl, stack, network)
    done = ctl.json("purge", "--older-than", "90d", "--what", "attempts,queries")
    assert set(done) == {"before", "dry_run", "attempts", "queries"} and done["attempts"] == 1
    assert None not in person(ctl, reference, transaction)
    assert set(ctl.json("purge", "--older-than", "90d", "--what", "personal")) == {
        "before", "dry_run", "transactions", "orders"}
    assert person(ctl, reference, transaction) == [None] * 7


def test_what_is_young_or_under_way_stays(ctl: Ctl, stack: Stack, network: Network) -> None:
    pending = add_order(ctl, **PERSON)["reference"]
    stack.mariadb.query("UPDATE orders SET created_at = created_at - INTERVAL 100 DAY WHERE reference = %s", pending)
    reference, transaction = paid_order(ctl, stack, network)
    stack.mariadb.query("UPDATE notifications n JOIN orders o ON o.id = n.order_id SET n.state = 'exhausted'"
                        " WHERE o.reference = %s", reference)
    ctl.json("purge", "--older-than", "1d", "--what", "personal")
    assert ctl.json("order", "show", pending)["name"] == PERSON["name"]
    assert None not in person(ctl, reference, transaction)


def test_top_ups(ctl: Ctl, stack: Stack, network: Network) -> None:
    document, transaction = fresh_number(), fresh("T")
    ctl.done("account", "add", "--document", document, "--type", "CC", "--name", "Ana")
    network.register(document, "5", transaction, "recaudo")
    network.confirm(transaction)
    close_window(stack, transaction)
    dispatch(stack)
    with stack.mariadb.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SET timestamp = UNIX_TIMESTAMP(UTC_TIMESTAMP() - INTERVAL 2 DAY)")
        cursor.execute("UPDATE transactions SET window_ends_at = UTC_TIMESTAMP(6) WHERE network_transaction = %s", transaction)
    ctl.done("purge", "--older-than", "1d", "--what", "personal")
    assert ctl.json("transaction", "show", NETWORK, transaction)["description"] == ""
    assert ctl.json("account", "show", document)["balance"] == "5.00"


def test_one_customer_by_the_page(ctl: Ctl, stack: Stack, network: Network) -> None:
    """Orders with the document and their payments, and what was paid into the account that has it."""
    document, top_up = fresh_number()[:15], fresh("T")
    ctl.done("account", "add", "--document", document, "--type", "CC", "--name", "Ana")
    network.register(document, "5", top_up, "recaudo", nombres="Ana", apellido1="Paz")
    network.confirm(top_up)
    close_window(stack, top_up)
    reference, transaction = paid_order(ctl, stack, network)
    stack.mariadb.query("UPDATE orders SET document = %s, changed_by = 'test', created_at = created_at - INTERVAL 2 DAY"
                        " WHERE reference = %s", document, reference)
    with stack.mariadb.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SET timestamp = UNIX_TIMESTAMP(UTC_TIMESTAMP() - INTERVAL 2 DAY)")
        cursor.execute("UPDATE orders SET payment_means = 'x' WHERE reference = %s", reference)
        cursor.execute("UPDATE transactions SET window_ends_at = UTC_TIMESTAMP(6) WHERE network_transaction = %s", top_up)
    with stack.mariadb.connect("recaudo_operator") as connection, connection.cursor() as cursor:
        for statement in filter(str.strip, block("database.md", "one customer").replace("1032456789", document).split(";")):
            cursor.execute(statement)
    assert person(ctl, reference, transaction) == [None] * 7
    paid_in = ctl.json("transaction", "show", NETWORK, top_up)
    assert [paid_in["nombres"], paid_in["apellido1"], paid_in["description"]] == [None, None, ""]


@pytest.mark.parametrize("words, complaint", [
    ((), "--older-than is missing"),
    (("--older-than", "90"), "--older-than is a number with its unit (s, m, h or d), and at least 1d"),
    (("--older-than", "0d"), "--older-than is a number with its unit (s, m, h or d), and at least 1d"),
    (("--older-than", "-1d"), "--older-than is a number with its unit (s, m, h or d), and at least 1d"),
    (("--older-than", "23h"), "--older-than is a number with its unit (s, m, h or d), and at least 1d"),
    (("--older-than", "3 months"), "--older-than is a number with its unit (s, m, h or d), and at least 1d"),
    (("--older-than", "90d", "--what", "orders"), "--what is attempts, queries or personal"),
    (("--older-than", "90d", "--what", "attempts,"), "--what is attempts, queries or personal"),
])
def test_words_that_will_not_do(ctl: Ctl, words: tuple[str, ...], complaint: str) -> None:
    assert misused(ctl, "purge", *words).startswith(complaint)


def test_help_offers_no_word_that_is_refused(ctl: Ctl) -> None:
    """All three are purged without --what, and not by a word for them."""
    assert misused(ctl, "purge", "--older-than", "90d", "--what", "all").startswith("--what is attempts, queries or personal")
    assert "some of attempts,queries,personal; without it, all three" in ctl.done("purge", "--help")


def test_longer_ago_than_anything(ctl: Ctl) -> None:
    assert "reaches back before 1970" in refused(ctl, "purge", "--older-than", "90000d")
