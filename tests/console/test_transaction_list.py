"""A merchant's list of transactions, which goes by its orders."""

import html
import re

from world import COMMERCE, World

SHOP = "bills"
FIELD = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')
UNPAID = 30_000  # a page looks for 25 ms


def test_no_page_says_that_nothing_matches_before_the_last_order(world: World) -> None:
    """Many bills are newer than the one that was paid."""
    world.hashes[SHOP] = str(world.stack.ctl.json("merchant", "add", SHOP, "--commerce", COMMERCE)["fixed_hash"])
    world.pay(world.add("PO-old-bill", SHOP), "T-old-bill")
    merchant = world.number("SELECT id AS n FROM merchants WHERE name = %s", SHOP)
    world.stack.mariadb.query(
        "INSERT INTO orders (merchant_id, po_id, reference, amount, currency, origin, due_at, changed_by)"
        " SELECT %s, CONCAT('BILL-', seq), 3100000 + seq, 5, 'COP', 'imported', UTC_TIMESTAMP() + INTERVAL 1 DAY,"
        " 'test' FROM seq_1_to_" + str(UNPAID), merchant)
    text = html.unescape(world.get(f"/transactions?merchant={merchant}&lang=en&zone=UTC").text)
    assert "those of the newest order first" in text
    assert "Nothing matches so far" in text
    assert re.search(r"Looked at the orders created since <strong>20\d\d-\d\d-\d\d \d\d:\d\d:\d\d</strong>", text), text
    pages = 1
    while "T-old-bill" not in text:
        assert "Nothing matches." not in text, pages
        older = text.rpartition('<form class="pages"')[2].partition("</form>")[0]
        query = "&".join(f"{name}={value}" for name, value in FIELD.findall(older))
        text = html.unescape(world.get(f"/transactions?lang=en&zone=UTC&{query}").text)
        pages += 1
    assert pages > 1
    text = world.get("/log?actor=nobody&lang=en&zone=UTC").text
    assert "Nothing matches so far" in text and "Looked back to" in text, "the log is longer than a page looks"
