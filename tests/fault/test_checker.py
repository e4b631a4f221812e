"""The checker is checked: a clean run has no finding, and each kind of damage is found under its number and no other."""

import time
from collections import Counter
from copy import deepcopy
from typing import Callable, Iterator

import pytest

from tests.fault.checker import check
from tests.fault.evidence import Evidence
from tests.fault.history import History
from tests.fault.one_run import run_plan
from tests.fault.sabotage import SABOTAGE, Damage

SEED, SECONDS, AT_MOST = 1, 7.0, 90.0
ENOUGH = {"claim": 4, "refund": 3, "delete": 3, "cancel": 50, "confirm": 200, "consult": 20, "slip": 20}
BY_THE_TABLES_ALONE = {1, 2}  # sabotaged in tests/http/test_invariants.py


def of_everything(began: float) -> Callable[[History], bool]:
    """Whether there is something to damage in every way."""
    def enough(history: History) -> bool:
        if time.monotonic() - began > AT_MOST:
            raise TimeoutError(f"after {AT_MOST:g} s there was not enough of everything")
        granted = Counter(entry.kind for entry in list(history.entries) if entry.is_ok)
        return all(granted[kind] >= number for kind, number in ENOUGH.items())
    return enough


@pytest.fixture(scope="module")
def clean() -> Iterator[Evidence]:
    outcome, evidence = run_plan([], SEED, SECONDS, enough=of_everything(time.monotonic()))
    assert outcome.findings == []
    yield evidence


def test_nothing_is_lost_where_nothing_breaks(clean: Evidence) -> None:
    assert [entry for entry in clean.history if entry.outcome == "unknown"] == []
    assert check(clean) == []


@pytest.mark.parametrize("number, damage", [(number, damage) for number, _, damage in SABOTAGE],
                         ids=[f"{number}-{name}" for number, name, _ in SABOTAGE])
def test_damage_is_found(clean: Evidence, number: int, damage: Damage) -> None:
    evidence = deepcopy(clean)
    damage(evidence)
    found = check(evidence)
    assert {finding[0] for finding in found} == {number}, found


def test_every_invariant_is_sabotaged() -> None:
    assert {number for number, _, _ in SABOTAGE} | BY_THE_TABLES_ALONE == {*range(19), 20, 21, 22}
