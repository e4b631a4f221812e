"""What a lookup costs with few orders and with very many: an instance of each size, all of them measured in every round."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any, Callable, Sequence

from tests.stack import Stack

from .contest import Contest, figures
from .instance import Instance
from .measures import interleave
from .tools import Tools

NAMES = ("recaudo", "floor")
WARM_SECONDS_MOST = 90.0


def memory_mib() -> int:
    """Of this machine."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemTotal:"):
            return int(line.split()[1]) // 1024
    raise RuntimeError("/proc/meminfo has no MemTotal")


def buffer_pool(orders: int) -> str:
    """All of it in memory up to some millions of orders; then what the machine can spare."""
    return f"{min(512 + orders // 700, memory_mib() // 3)}M"


def measure(orders: Sequence[int], rounds: int, connections: int, seconds: float, keep: Path | None) -> dict[str, Any]:
    """Lookups of orders that are spread over all there are. What is filled under `keep` is used again by the next run."""
    with ExitStack() as exits:
        runs: dict[str, Callable[[], dict[str, float]]] = {}
        wrong: list[Tools] = []
        for count in orders:
            directory = None if keep is None else keep / f"orders-{count}"
            if directory is not None:
                directory.mkdir(parents=True, exist_ok=True)
            stack = exits.enter_context(Stack(directory, dispatcher=False, buffer_pool=buffer_pool(count)))
            tools = Tools(exits.enter_context(Instance(stack)), seconds)
            contest = exits.enter_context(Contest(tools, NAMES, rounds))
            wrong.append(tools)
            runs.update(ways(contest, count, connections))
        results = interleave(rounds, runs)
    return {"orders": list(orders), "wrong": sum(tools.wrong for tools in wrong),
            "rows": {name: {str(count): results[f"{name} {count}"] for count in orders} for name in NAMES}}


def ways(contest: Contest, count: int, connections: int) -> dict[str, Callable[[], dict[str, float]]]:
    """Fills the databases and reads once what is going to be looked up."""
    listed = contest.instance.grow(count)
    contest.fill_others()
    found: dict[str, Callable[[], dict[str, float]]] = {}
    for name, way in contest.ways().items():
        contest.tools.load(contest.systems[name].url, "lookup", listed, connections=connections,
                           seconds=min(WARM_SECONDS_MOST, max(1.0, count / 100_000)))
        found[f"{name} {count}"] = lambda way=way: figures(way("lookup", listed, connections=connections), "lookup")  # type: ignore[misc]
    return found
