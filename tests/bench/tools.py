"""Running recaudo-load and recaudo-direct."""

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Sequence

from tests.stack.paths import program

from .instance import Instance
from .orders import MERCHANT, NETWORK

Result = dict[str, Any]

# What merchants ask for; everything else comes from networks.
MERCHANT_MODES = ("porder", "consult")


def _words(options: dict[str, object]) -> list[str]:
    """seconds=3 as --seconds 3; None is left out."""
    return [word for name, value in options.items() if value is not None for word in (f"--{name}", str(value))]


def _run(command: Sequence[str], seconds: float) -> Result:
    with tempfile.NamedTemporaryFile("r", prefix="recaudo-bench-", suffix=".json") as report:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([*command, "--json", report.name], capture_output=True, text=True,
                              timeout=60 + 3 * seconds, start_new_session=True)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{Path(command[0]).name} cannot run: {done.stderr}")
        result: Result = json.load(report)
    result["load_seconds"] = used.ru_utime - before.ru_utime + used.ru_stime - before.ru_stime
    if result["wrong"]:
        print(f"WRONG REPLIES: {' '.join(command)}\n{done.stdout}", file=sys.stderr)
    return result


class Tools:
    """Both measure `seconds` unless told otherwise and give the program's JSON report, with its own processor time. `wrong` sums what went wrong."""

    def __init__(self, instance: Instance, seconds: float) -> None:
        self.instance = instance
        self.seconds = seconds
        self.wrong = 0

    def load(self, url: str, mode: str, orders: Path, **options: object) -> Result:
        """Requests over HTTP."""
        by_merchant = mode in MERCHANT_MODES
        hash_file = self.instance.merchant_hash_file if by_merchant else self.instance.hash_file
        fixed = ["--url", url, "--network", MERCHANT if by_merchant else NETWORK, "--hash-file", str(hash_file)]
        return self._counted([program("tests/bench/recaudo-load"), *fixed], mode, orders, options)

    def direct(self, mode: str, orders: Path, **options: object) -> Result:
        """The statements without HTTP."""
        caller = MERCHANT if mode in MERCHANT_MODES else NETWORK
        fixed = ["--config", str(self.instance.stack.config), "--network", caller]
        return self._counted([program("tests/bench/recaudo-direct"), *fixed], mode, orders, options)

    def _counted(self, command: list[str], mode: str, orders: Path, options: dict[str, object]) -> Result:
        chosen = {"mode": mode, "orders": orders, "seconds": self.seconds, **options}
        result = _run(command + _words(chosen), float(str(chosen["seconds"])))
        self.wrong += int(result["wrong"])
        return result
