"""[settlement] close_at: a settlement is closed once a day, however many dispatchers run, and after they were away."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

from tests.stack.mailroom import Mailroom

EVERY_NIGHT = {"settlement": {"close_at": "00:00", "zone": "America/Bogota"}}


def settlements(mailroom: Mailroom) -> list[dict[str, Any]]:
    return mailroom.rows("SELECT * FROM settlements ORDER BY number")


def opened_days_ago(mailroom: Mailroom, days: int) -> None:
    """As if the open settlement had been opened then. Its trigger refuses that, so it is away for a moment."""
    made = mailroom.row("SHOW CREATE TRIGGER settlements_keep")["SQL Original Statement"]
    mailroom.write("DROP TRIGGER settlements_keep")
    mailroom.write("UPDATE settlements SET opened_at = opened_at - INTERVAL %s DAY WHERE is_open = 1", days)
    mailroom.write(made.replace("%", "%%"))


def test_closes_once_after_days_without_a_dispatcher(mailroom: Mailroom) -> None:
    opened_days_ago(mailroom, 4)
    before = settlements(mailroom)
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda _: mailroom.run_once(EVERY_NIGHT), range(3)))
    mailroom.run_once(EVERY_NIGHT)
    after = settlements(mailroom)
    assert len(after) == len(before) + 1
    closed, opened = after[-2:]
    now = mailroom.now()
    assert (closed["state"], closed["closed_by"], closed["zone"]) == ("closed", "dispatcher", "America/Bogota")
    assert closed["day"] == ((now - timedelta(hours=5)).date() - timedelta(days=1)).isoformat()
    assert closed["digest"] is not None and opened["state"] == "open" and opened["opened_at"] == closed["closed_at"]


def test_closes_nothing_unless_it_is_told(mailroom: Mailroom) -> None:
    opened_days_ago(mailroom, 4)
    before = settlements(mailroom)
    mailroom.run_once()
    assert settlements(mailroom) == before
