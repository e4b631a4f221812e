"""Short runs with fixed seeds, whose plans have every kind of fault; and what makes a run repeatable."""

from pathlib import Path

import pytest

from tests.fault.one_run import run_once
from tests.fault.plan import KINDS, draw_plan

SECONDS = 6.0
SEEDS = (19235, 11207)


def test_same_seed_same_plan() -> None:
    assert draw_plan(7, SECONDS) == draw_plan(7, SECONDS) != draw_plan(8, SECONDS)


def test_plans_have_every_kind() -> None:
    assert {fault.kind for seed in SEEDS for fault in draw_plan(seed, SECONDS)} == {kind.name for kind in KINDS}


def test_plan_of_some_kinds() -> None:
    only = ["kill the database", "full disk"]
    assert {fault.kind for fault in draw_plan(7, 60.0, only=only)} == set(only)


@pytest.mark.once
@pytest.mark.preloads
@pytest.mark.parametrize("seed", SEEDS)
def test_run(seed: int, tmp_path: Path) -> None:
    outcome = run_once(seed, SECONDS, tmp_path)
    assert outcome.findings == []
    assert outcome.acknowledged > 100 and outcome.messages > 10 and sum(outcome.faults.values()) > 10
