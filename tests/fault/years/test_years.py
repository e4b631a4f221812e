"""Some days around those that are longer, shorter or rare; and the books do notice what is wrong."""

from datetime import date
from pathlib import Path
from typing import Callable

import pytest

from tests.stack.paths import BUILD

from .__main__ import Years
from .zones import DAY, begins, first_shown

pytestmark = [pytest.mark.slow, pytest.mark.preloads]


def live(directory: Path, first: date, days: int, before: Callable[[Years], object] = lambda years: None) -> list[str]:
    with Years(directory, first, seed=first.toordinal()) as years:
        before(years)
        for number in range(days):
            years.live(first + number * DAY, number)
        years.books.check_end()
    return years.life.findings


@pytest.mark.parametrize("zone, day, hours", [
    ("America/New_York", date(2027, 3, 14), 23), ("America/New_York", date(2027, 11, 7), 25), ("America/Havana", date(2027, 11, 7), 24),
    ("America/Havana", date(2027, 11, 6), 25), ("Asia/Beirut", date(2027, 3, 28), 23), ("Australia/Lord_Howe", date(2027, 4, 4), 24.5),
    ("America/Bogota", date(2028, 2, 29), 24)])
def test_lengths_of_days(zone: str, day: date, hours: float) -> None:
    assert (begins(day + DAY, zone) - begins(day, zone)).total_seconds() == hours * 3600


def test_a_report_counts_an_hour_to_the_date_that_the_clock_shows() -> None:
    """In Havana it is 00:00 of 7 November twice."""
    first, second = first_shown(date(2027, 11, 7), "America/Havana"), begins(date(2027, 11, 7), "America/Havana")
    assert (first.hour, second.hour) == (4, 5) and first_shown(date(2027, 11, 8), "America/Havana").hour == 5


@pytest.mark.parametrize("first, days", [(date(2027, 10, 30), 10), (date(2028, 2, 27), 4), (date(2028, 12, 30), 4)], ids=str)
def test_days_that_are_rare(tmp_path: Path, first: date, days: int) -> None:
    assert live(tmp_path, first, days) == []


def test_upgrade_in_the_middle(tmp_path: Path) -> None:
    """From a build that has other paths and nothing else of its own; `--before` is for one of an earlier release."""
    before, first = tmp_path / "before", date(2027, 6, 1)
    before.symlink_to(BUILD)
    with Years(tmp_path, first, 1, before) as years:
        programs = [{part.command[0] for part in (years.stack.worker, years.stack.dispatcher)}]
        for number in range(4):
            if number == 2:
                years.upgrade()
            years.live(first + number * DAY, number)
        programs.append({part.command[0] for part in (years.stack.worker, years.stack.dispatcher)})
        years.books.check_end()
    assert programs == [{str(build / name) for name in ("recaudo-fcgi", "recaudo-dispatch")} for build in (before, BUILD)]
    assert years.life.findings == [] and years.life.payments


def test_a_wrong_zone_is_noticed(tmp_path: Path) -> None:
    """Orders of all countries end by the clocks of another one."""
    found = live(tmp_path, date(2027, 6, 1), 3, lambda years: years.stack.mariadb.query(
        "UPDATE countries SET time_zone = 'Asia/Tokyo'"))
    assert any(" is due " in line for line in found), found


def test_a_settlement_that_was_not_closed_is_noticed(tmp_path: Path) -> None:
    def never_close(years: Years) -> None:
        years.stack.write_config({**years.stack.settings, "settlement": {"close_at": "off"}})

    found = live(tmp_path, date(2027, 6, 1), 3, never_close)
    assert any("the last settlement is" in line for line in found), found
