"""Orders that end with a day on which clocks change at midnight; the database's clock is set to these days."""

from datetime import datetime
from typing import Iterator

import pytest

from checked import expect
from tests.stack import Client, Stack
from tests.stack.false_time import Clock
from world import World

pytestmark = pytest.mark.preloads

# 23:59:59 is followed by 01:00, 00:59:59 by 00:00, and 23:59:59 by 23:00; the next day begins at the instant.
CHANGES = {"Chile in spring": (901, "America/Santiago", "07/09/2024", datetime(2024, 9, 8, 4)),
           "Cuba in autumn": (902, "America/Havana", "02/11/2024", datetime(2024, 11, 3, 4)),
           "Chile in autumn": (901, "America/Santiago", "05/04/2025", datetime(2025, 4, 6, 4))}


@pytest.fixture(scope="module")
def past() -> Iterator[tuple[World, Clock]]:
    stack = Stack(dispatcher=False, buffer_pool="64M")
    clock = Clock(stack.directory / "clock")
    clock.step_to(datetime(2024, 9, 1))
    stack.mariadb.process.environment.update(clock.environment)
    with stack:
        world = World(stack)
        world.write("INSERT INTO countries (code, name, currency, time_zone)"
                    " VALUES (901, 'Chile', 'COP', 'America/Santiago'), (902, 'Cuba', 'COP', 'America/Havana')")
        yield world, clock


@pytest.mark.parametrize("change", CHANGES)
def test_it_ends_when_the_next_day_begins(past: tuple[World, Clock], change: str) -> None:
    """And the slip says 23:59, though the clock there shows no 24:00 or shows it twice."""
    world, clock = past
    country, _, day, ends = CHANGES[change]
    clock.step_to(ends.replace(day=1))
    number = world.fresh("po")
    with world.connect_merchant() as merchant:
        expect(merchant.post(merchant.porder(number, day, country=str(country))), "0000")
    row = world.porder_row(number)
    assert row["due_at"] == ends
    with Client(world.stack.base_url) as browser:
        page = browser.request("GET", f"/pay?token={row['token']}").text
    assert f"{day[:2].lstrip('0')} de " in page and " 23:59 (" in page
