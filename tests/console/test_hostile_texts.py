"""Names and texts that are HTML: no page of the console takes them for its own."""

import html
from typing import Iterator

import pytest

from world import SCRIPT, World

SHORT = "<b>x</b>\"'&"


@pytest.fixture(scope="module")
def addresses(world: World) -> Iterator[list[str]]:
    """The pages that show rows whose every text is a script, written as no program would write them."""
    query = world.stack.mariadb.query
    query("INSERT INTO networks (name, fixed_hash, changed_by) VALUES (%s, '', %s)", SCRIPT, SCRIPT)
    query("INSERT INTO merchants (name, commerce, country, notify_url, fixed_hash, notification_hash, changed_by)"
          " VALUES (%s, %s, 343, %s, '', '', %s)", SCRIPT, SCRIPT, SCRIPT, SCRIPT)
    network, merchant = (world.number(f"SELECT id AS n FROM {table} WHERE name = %s", SCRIPT) for table in ("networks", "merchants"))
    query("INSERT INTO orders (merchant_id, po_id, reference, amount, currency, description, payment_means, email, document,"
          " document_type, customer_name, origin, due_at, changed_by) VALUES (%s, 'PO-script', '870000001', 5, 'COP', %s, %s, %s, %s,"
          " %s, %s, 'imported', UTC_TIMESTAMP() + INTERVAL 1 DAY, %s)", merchant, SCRIPT, SCRIPT, SCRIPT, SHORT, SCRIPT, SCRIPT, SCRIPT)
    order = world.number("SELECT id AS n FROM orders WHERE po_id = 'PO-script'")
    query("INSERT INTO transactions (network_id, network_transaction, order_id, reference, amount, currency, commerce, description,"
          " teller, given_names, surname1, surname2, fingerprint, changed_by) VALUES (%s, %s, %s, '870000001', 5, 'COP', %s, %s, %s,"
          " %s, %s, %s, REPEAT('f', 32), %s)", network, SCRIPT, order, *[SCRIPT] * 7)
    transaction = world.number("SELECT id AS n FROM transactions WHERE order_id = %s", order)
    query("INSERT INTO integrations (merchant_id, kind, code, network_id, endpoint, currency, changed_by)"
          " VALUES (%s, 2, '8711', NULL, %s, 'COP', %s)", merchant, SCRIPT, SCRIPT)
    query("INSERT INTO dispatchers (host, pid, task) VALUES (%s, 1, 'settle')", SCRIPT)
    query("INSERT INTO console_users (name, role, changed_by) VALUES (%s, 'viewer', %s)", SCRIPT, SCRIPT)
    integration = world.number("SELECT id AS n FROM integrations WHERE code = '8711'")
    yield ["/", f"/find?q={SCRIPT.replace('<', '%3C').replace('&', '%26')}", "/find?q=PO-script", f"/orders/{order}", "/orders",
           f"/orders?merchant={merchant}", "/transactions", f"/transactions/{transaction}", "/merchants", f"/merchants/{merchant}",
           "/networks", f"/networks/{network}", f"/settlement?merchant={merchant}", "/log", f"/log?subject=merchant&id={merchant}",
           "/users", f"/merchants/{merchant}/disable", f"/merchants/{merchant}/test", f"/networks/{network}/disable",
           f"/networks/{network}/limits?currency=COP", f"/integrations/{integration}/disable"]
    query("DELETE FROM dispatchers WHERE host = %s", SCRIPT)


@pytest.mark.parametrize("language", ["es", "en"])
def test_no_text_becomes_a_part_of_a_page(world: World, addresses: list[str], language: str) -> None:
    shown = 0
    for address in addresses:
        reply = world.get(f"{address}{'&' if '?' in address else '?'}lang={language}", "omar")
        assert reply.status in (200, 303), (address, reply.status)
        assert "<script" not in reply.text and "<b>" not in reply.text and SCRIPT[-3:] not in reply.text, address
        shown += html.escape(SCRIPT)[:20] in reply.text
    assert shown >= len(addresses) - 4
