"""The checker is checked: a clean run has no finding, and each kind of damage is found under its number and no other."""

import time
from collections import Counter
from copy import deepcopy
from dataclasses import replace
from typing import Callable, Iterator, Sequence

import pytest

from tests.fault.checker import check
from tests.fault.damage import change, message_sent_once, rows
from tests.fault.evidence import Evidence
from tests.fault.facts import Facts
from tests.fault.history import Entry, History
from tests.fault.one_run import run_plan
from tests.fault.rules.sink import leases_exclude
from tests.fault.sabotage import SABOTAGE, Damage
from tests.fault.stock import SERVICE_NAME

SEED, SECONDS, AT_MOST = 1, 7.0, 600.0
TAKEN_BACK = "top-up taken back inside its window"
ENOUGH = {"claim": 4, "refund": 3, "delete": 3, "cancel": 50, "confirm": 200, "consult": 20, "slip": 20, "close": 4,
          "register-forged": 2, TAKEN_BACK: 2}
BY_THE_TABLES_ALONE = {1, 2}  # sabotaged in tests/http/test_invariants.py


def of_everything(began: float) -> Callable[[History], bool]:
    """Whether there is something to damage in every way."""
    def enough(history: History) -> bool:
        if time.monotonic() - began > AT_MOST:
            raise TimeoutError(f"after {AT_MOST:g} s there was not enough of everything")
        there = counted(list(history.entries))
        return all(there[what] >= number for what, number in ENOUGH.items())
    return enough


def counted(entries: Sequence[Entry]) -> Counter[str]:
    """What was granted, and refused forgeries."""
    there = Counter(entry.kind for entry in entries if entry.is_ok or entry.kind == "register-forged")
    granted = {kind: {entry.key for entry in entries if entry.is_ok and entry.kind == kind} for kind in ("confirm", "cancel")}
    top_ups = {entry.key for entry in entries if entry.kind == "register" and entry.fields["commerce"] == SERVICE_NAME}
    there[TAKEN_BACK] = len(granted["confirm"] & granted["cancel"] & top_ups)
    return there


@pytest.fixture(scope="module")
def clean() -> Iterator[Evidence]:
    outcome, evidence = run_plan([], SEED, SECONDS, enough=of_everything(time.monotonic()))
    assert outcome.findings == []
    yield evidence


def test_nothing_is_lost_where_nothing_breaks(clean: Evidence) -> None:
    """But what `cut_confirmations` cuts off."""
    unknown = [entry for entry in clean.history if entry.outcome == "unknown"]
    assert [entry for entry in unknown if entry.kind != "confirm" or not entry.key.startswith("late-")] == []
    assert check(clean) == []


@pytest.mark.parametrize("number, damage", [(number, damage) for number, _, damage in SABOTAGE],
                         ids=[f"{number}-{name}" for number, name, _ in SABOTAGE])
def test_damage_is_found(clean: Evidence, number: int, damage: Damage) -> None:
    evidence = deepcopy(clean)
    damage(evidence)
    found = check(evidence)
    assert {finding[0] for finding in found} == {number}, found


@pytest.mark.parametrize("stopped_for, breached", [(1.0, {15}), (5.0, set())])
def test_message_that_left_late(clean: Evidence, stopped_for: float, breached: set[int]) -> None:
    """A lease counts from when it was taken: who was stopped with it in hand has sent its message late in it."""
    evidence = deepcopy(clean)
    like = message_sent_once(evidence)
    row, = rows(evidence, "notifications", id=like.notification)
    change(evidence, "notifications", row, created_at=like.at - stopped_for)
    evidence.sink, evidence.moved_at = [like, replace(like, at=like.at + evidence.lease - 4)], 0.0
    assert {number for number, _ in leases_exclude(Facts(evidence))} == breached


def test_every_invariant_is_sabotaged() -> None:
    assert {number for number, _, _ in SABOTAGE} | BY_THE_TABLES_ALONE == {*range(19), *range(20, 26), 27}
