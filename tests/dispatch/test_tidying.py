"""Records of external queries go when they are older than [external_query] keep, and no others."""

from tests.stack import wait_until
from tests.stack.mailroom import Mailroom

BATCH = 50


def queries(mailroom: Mailroom, count: int, hours: int) -> None:
    """As many records of queries that were asked so many hours ago."""
    mailroom.write("INSERT INTO external_queries (asked_at, merchant_id, integration_id, network_id, reference, duration_us, outcome)"
                   f" SELECT UTC_TIMESTAMP(6) - INTERVAL %s HOUR, 1, 1, 1, '77', 1, 'silent' FROM seq_1_to_{count}", hours)


def test_old_queries_go(mailroom: Mailroom) -> None:
    mailroom.write("TRUNCATE external_queries")
    queries(mailroom, 3 * BATCH + 7, hours=25)
    queries(mailroom, 5, hours=23)
    with mailroom.dispatcher({"external_query": {"keep": "24h"}, "dispatcher": {"batch": str(BATCH)}}):
        wait_until(lambda: mailroom.value("SELECT COUNT(*) FROM external_queries") == 5, "the old ones to go")
    assert mailroom.value("SELECT MIN(asked_at) > UTC_TIMESTAMP(6) - INTERVAL 24 HOUR FROM external_queries") == 1
