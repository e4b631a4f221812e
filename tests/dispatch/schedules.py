"""When the next attempt is due, and whether a row says so."""

from datetime import datetime, timedelta
from typing import Any

DEFAULT = [10, 60, 300, 900, 3600, 10800, 21600, 43200, 86400, 86400, 86400]
MOST_JITTER = 0.1


def check_next_due(notification: dict[str, Any], attempt: dict[str, Any], delay: float, looked_at: datetime) -> None:
    """`delay` seconds after the attempt's outcome was recorded, or up to a tenth later, never earlier.

    It was recorded after the attempt's end and before `looked_at`.
    """
    ended_at = attempt["started_at"] + timedelta(microseconds=attempt["duration_us"])
    earliest = ended_at + timedelta(seconds=delay)
    latest = looked_at + timedelta(seconds=delay * (1 + MOST_JITTER))
    assert earliest <= notification["due_at"] <= latest, (earliest, notification["due_at"], latest)
