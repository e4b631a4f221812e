"""What an operation costs: processor time of everybody who has a part in it, and what the database did for it."""

import os
from pathlib import Path
from typing import Any, Callable, Mapping

from tests.stack import MariaDB, wait_until

from .tools import Result

Row = dict[str, float]
REORGANISATIONS = "index_page_reorg_attempts"
# A counter of the server for each figure; several are added up.
COUNTERS = {
    "redo_bytes": ("Innodb_lsn_current",),
    "statements": ("Queries",),
    "rows_read": ("Handler_read_first", "Handler_read_key", "Handler_read_last", "Handler_read_next", "Handler_read_prev",
                  "Handler_read_rnd", "Handler_read_rnd_next"),
    "rows_written": ("Handler_write", "Handler_update", "Handler_delete"),
}
CALM_HISTORY = 500  # versions of rows that the server has not removed yet
CALM_SECONDS = 5.0


def session_seconds(leaders: Mapping[str, int]) -> Row:
    """Processor time that the processes of each Unix session have used, those included that have ended and were waited for."""
    names = {leader: name for name, leader in leaders.items()}
    used = dict.fromkeys(leaders, 0.0)
    tick = os.sysconf("SC_CLK_TCK")
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            fields = Path(f"/proc/{entry}/stat").read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        name = names.get(int(fields[3]))
        if name is not None:
            used[name] += sum(int(ticks) for ticks in fields[11:15]) / tick
    return used


class Meter:
    """Reads the counters of one server. Nothing else may use the server meanwhile."""

    def __init__(self, mariadb: MariaDB) -> None:
        self.mariadb = mariadb
        mariadb.query(f"SET GLOBAL innodb_monitor_enable = '{REORGANISATIONS}'")
        idle = self._counters()
        self.own = {name: value - idle[name] for name, value in self._counters().items()}

    def measure(self, run: Callable[[], Result], sessions: Mapping[str, int], operation: str) -> Result:
        """The result of `run`, whose key `cost` says what each operation took in microseconds, bytes and so on."""
        leaders = {**sessions, "database": self.mariadb.process.pid}
        self.calm_down()
        counters, used = self._counters(), session_seconds(leaders)
        result = run()
        used_after, counters_after = session_seconds(leaders), self._counters()
        each = 1 / max(1, operations(result, operation))
        cost = {f"{name}_us": (used_after[name] - used[name]) * 1e6 * each for name in leaders}
        cost["load_us"] = result["load_seconds"] * 1e6 * each
        for name, value in counters_after.items():
            cost[name] = max(0.0, value - counters[name] - self.own[name]) * each
        result["cost"] = cost
        return result

    def calm_down(self) -> None:
        """Gives the server a moment to remove what earlier changes have left behind: that would be counted here."""
        try:
            wait_until(lambda: self._status()["Innodb_history_list_length"] < CALM_HISTORY, "old versions to go", CALM_SECONDS)
        except TimeoutError:
            pass

    def _status(self) -> dict[str, float]:
        wanted = [*(name for names in COUNTERS.values() for name in names), "Innodb_history_list_length"]
        listed = ", ".join(f"'{name}'" for name in wanted)
        rows: list[dict[str, Any]] = self.mariadb.query(f"SHOW GLOBAL STATUS WHERE Variable_name IN ({listed})")
        return {row["Variable_name"]: float(row["Value"]) for row in rows}

    def _counters(self) -> Row:
        status = self._status()
        found = {figure: sum(status[name] for name in names) for figure, names in COUNTERS.items()}
        (row,) = self.mariadb.query("SELECT COUNT AS number FROM information_schema.INNODB_METRICS WHERE NAME = %s",
                                    REORGANISATIONS)
        return {**found, "reorganisations": float(row["number"])}


def operations(result: Result, operation: str) -> int:
    """Requests that were answered, in the warm-up too; of a flow those that came to their end."""
    if operation == "flow":
        return int(result["operations"].get("flow", {"count": 0})["count"])
    if "codes" in result:
        return sum(result["codes"].values())
    return int(sum(row["count"] for row in result["operations"].values()))
