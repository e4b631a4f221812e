"""A long run, made short; and the judge of what must not grow."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fault.history import Answer, Entry
from tests.fault.plan import draw_plan
from tests.fault.soak.__main__ import LONG, soak
from tests.fault.soak.flat import Series, latencies, what_grows
from tests.fault.soak.plot import draw

SECONDS = 100.0
GRANTED = Answer(200, '{"CODE": "0000"}')


def series(*values: float, slack: float = 2.0) -> Series:
    """A figure that was taken ten times."""
    return Series("memory of worker", "MiB", slack, [(10.0 * number, value) for number, value in enumerate(values)])


def test_what_stays_the_same() -> None:
    assert what_grows([series(9, 10, 10, 10, 99, 10, 10, 10, 11, 10)], SECONDS) == []


def test_what_grows_is_named() -> None:
    assert what_grows([series(9, 10, 10, 11, 12, 13, 14, 15, 16, 17)], SECONDS) == ["memory of worker grows from 10.0 to 16.5 MiB"]


def test_beginning_and_little_do_not_count() -> None:
    assert what_grows([series(1, 10, 10, 10, 10, 10, 10, 10, 10, 10)], SECONDS) == []
    assert what_grows([series(2, 2, 2, 2, 3, 3, 3, 3, 3, 3)], SECONDS) == []


def test_nothing_to_compare_is_no_success() -> None:
    assert what_grows([series(1, 1, 1)], SECONDS) == ["memory of worker: nothing to compare"]


def test_latencies_are_those_of_what_was_acknowledged() -> None:
    history = [Entry("lookup", "norte", f"{number}", {}, 100 + number, 100 + number + 0.01 * number, GRANTED) for number in range(10)]
    lost = Entry("lookup", "norte", "lost", {}, 103.0, 115.0, None)
    told = latencies("lookup", [*history, lost], 100.0, 5.0)
    assert told["p50"] == [(0.0, pytest.approx(20.0)), (5.0, pytest.approx(70.0))]
    assert told["p90"] == [(0.0, pytest.approx(40.0)), (5.0, pytest.approx(90.0))]


def test_fewer_faults_than_in_a_short_run() -> None:
    assert 4 <= len(draw_plan(5, 60.0, 10.0)) < len(draw_plan(5, 60.0)) / 5


@pytest.mark.slow
@pytest.mark.once
@pytest.mark.preloads
def test_run(tmp_path: Path) -> None:
    seconds = 10.0
    outcome, every = soak(5, seconds, replace(LONG, pause=2.0), tmp_path)
    assert outcome.findings == []
    assert outcome.acknowledged > 100 and sum(outcome.faults.values()) > 0
    assert {"memory of worker", "files of mariadbd", "threads of dispatcher", "size of the tables", "confirm, p50"} <= {
        one.name for one in every if one.points}
    draw(every, tmp_path / "soak.svg")
    assert (tmp_path / "soak.svg").read_text().count("<path") > 20
