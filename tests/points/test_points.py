"""A few points of each kind; all of them take hours and are `make points`."""

from errno import ECONNRESET, ENOSPC
from typing import Iterator

import pytest

from tests.points.commands import Import
from tests.points.control import ALLOCATIONS, CALLS, Whose
from tests.points.operations import Deliver, Operation, Register
from tests.points.sweep import KILLS, look, of_now, sweep
from tests.points.world import Point, World
from tests.stack.auditor import audit


ROUNDS = 10
SEEN: dict[tuple[str, int], list[str]] = {}  # in a round in which all went well


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with World() as world:
        yield world


def goes_wrong_at(operation: Operation, kind: int, call: str, which: int, error: int = 0) -> list[str]:
    """The `which`-th of these calls (negative: from the end) does not go well; what is wrong afterwards. A round that made fewer
    calls than the one that was looked at, because a worker remembers a secret for some seconds, is done again."""
    for _ in range(ROUNDS):
        seen = SEEN.get((operation.name, kind)) or look(operation, kind, 0)
        SEEN[operation.name, kind] = seen
        at = which if which > 0 else seen.count(call) + 1 + which
        operation.stage()
        wrong = operation.round(of_now(operation, 0, Point(kind, Whose(), at, call, error=error)))
        if not operation.missed:
            return wrong
        operation.missed.clear()
        del SEEN[operation.name, kind]
    raise TimeoutError(f"{call} {which} of {operation.name} was not reached in {ROUNDS} rounds")


@pytest.mark.parametrize("call, which", [("sendto", -1), ("recvfrom", -2), ("write", 1)])
def test_worker_killed_while_it_registers(world: World, call: str, which: int) -> None:
    assert goes_wrong_at(Register(world), CALLS, call, which) == []


@pytest.mark.parametrize("call, which, error", [("sendto", -1, ECONNRESET), ("pwritev", 1, ENOSPC)])
def test_call_fails_while_it_registers(world: World, call: str, which: int, error: int) -> None:
    assert goes_wrong_at(Register(world), CALLS, call, which, error) == []


@pytest.mark.parametrize("which", [1, -1])
def test_no_memory_while_it_registers(world: World, which: int) -> None:
    assert goes_wrong_at(Register(world), ALLOCATIONS, "allocation", which) == []


def test_dispatcher_killed_while_it_delivers_and_records(world: World) -> None:
    assert goes_wrong_at(Deliver(world), CALLS, "sendto", -2) == []


def test_import_killed_before_its_last_call(world: World) -> None:
    assert goes_wrong_at(Import(world), CALLS, "exit_group", 1) == []


def test_books(world: World) -> None:
    assert world.broken() == [] and audit(world.stack.mariadb) == []


class Careless(Register):
    """A network that asks something else again: what was interrupted stays undone."""

    def again(self) -> None:
        self.last = self.world.ask_until_answered(*self.world.lookup("1"))


def test_work_that_is_not_done_is_noticed(world: World) -> None:
    operation = Careless(world)
    operation.stage()
    wrong = operation.round(of_now(operation, 0, Point(CALLS, Whose(), 1, "sendto")))
    assert operation.missed == [] and any("not registered" in what for what in wrong)


class Interrupted(Import):
    """By whoever waits for it, after three rounds."""

    def stage(self) -> None:
        super().stage()
        if next(self.world.numbers) > self.last:
            raise KeyboardInterrupt

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.last = next(world.numbers) + 8


def test_interrupted_run_keeps_its_results(world: World) -> None:
    result = sweep(Interrupted(world), [KILLS])
    assert not result.is_whole and result.calls > 100 and result.rounds[KILLS] == 3


def test_point_that_is_never_reached_counts_as_missed(world: World) -> None:
    operation = Register(world)
    operation.stage()
    assert operation.round(of_now(operation, 0, Point(CALLS, Whose(), 99, "sendto"))) == []
    assert operation.missed == ["sendto 99: killed"]


def test_only_the_calls_of_the_process_count(world: World) -> None:
    world.control.arm(CALLS, Whose(1))
    world.ask_until_answered(*world.lookup("1"))
    assert world.control.calls() == []
    world.control.disarm()
