"""Lookups that merchants answer: how fast, and what a merchant that hangs does to others."""

import json
import socket
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.stack import Network, Process, free_port, wait_until
from tests.stack.paths import program
from tests.stack.private_files import write_private

from .instance import Instance
from .orders import NETWORK
from .measures import interleave, medians, with_cpu
from .tools import Result, Tools

REFERENCES = 1000
AMOUNT = "45000.00"
IN_VAIN_PER_SECOND = 200
IN_VAIN_CONNECTIONS = 64
QUICK_MS, SLOW_MS = 1.0, 20.0
OTHERS_PER_SECOND = 50
PER_MERCHANT = 4  # external_query.in_flight_per_merchant; more lookups at once would be refused


class AskedMerchant:
    """A merchant with an integration for `prefix`, answering after `delay` milliseconds; None: never."""

    def __init__(self, instance: Instance, prefix: str, delay: float | None) -> None:
        stack = instance.stack
        self.instance = instance
        self.prefix = prefix
        self.commerce = f"Comercio {prefix}"
        self.port = free_port()
        name = f"asked-{prefix}"
        made = stack.ctl.json("merchant", "add", name, "--commerce", self.commerce, "--country", "343")
        hash_file = stack.directory / f"{name}.hash"
        write_private(hash_file, made["fixed_hash"] + "\n")
        path = "hang" if delay is None else "answer"
        stack.mariadb.query("INSERT INTO integrations (merchant_id, kind, code, endpoint, currency, changed_by)"
                            f" SELECT id, 2, '{prefix}', 'http://127.0.0.1:{self.port}/{path}', 'COP', 'bench'"
                            f" FROM merchants WHERE name = '{name}'")
        command = [program("tests/bench/recaudo-merchant"), "--port", str(self.port), "--hash-file", str(hash_file),
                   "--delay", str(delay or 0), "--amount", AMOUNT]
        self.process = Process(name, command, stack.directory / "log" / f"{name}.log",
                               self._listens)

    def __enter__(self) -> "AskedMerchant":
        self.process.start()
        with network_of(self.instance) as network:
            wait_until(lambda: network.lookup(self.reference(0)).code != "0101", "the integration to be known", 10)
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stop()

    def _listens(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def reference(self, number: int) -> str:
        return f"{self.prefix}{number:09d}"

    def list_orders(self) -> Path:
        """A file for the load generator."""
        return list_references(self.instance, self.prefix, self.commerce)


def list_references(instance: Instance, prefix: str, commerce: str) -> Path:
    path = instance.stack.directory / f"orders-{prefix}"
    path.write_text("".join(f"{prefix}{number:09d}\t{AMOUNT}\t{commerce}\tCOP\n" for number in range(REFERENCES)))
    return path


def network_of(instance: Instance) -> Network:
    return Network(instance.stack.base_url, NETWORK, instance.hash_file.read_text().strip())


class LookupsInVain:
    """Lookups at a fixed rate that get no order: for a merchant that hangs, or of references that nobody knows. They go on for at least as long as the measurement beside them."""

    def __init__(self, tools: Tools, orders: Path, codes: dict[str, int]) -> None:
        """`codes` counts what they got."""
        instance = tools.instance
        self.report = orders.with_suffix(".json")
        self.codes = codes
        self.command = [program("tests/bench/recaudo-load"), "--url", instance.stack.base_url, "--network", NETWORK,
                        "--hash-file", str(instance.hash_file), "--mode", "lookup", "--orders", str(orders), "--rate",
                        str(IN_VAIN_PER_SECOND), "--connections", str(IN_VAIN_CONNECTIONS), "--threads", "1",
                        "--seconds", str(tools.seconds + 1), "--json", str(self.report)]

    def __enter__(self) -> "LookupsInVain":
        self.load = subprocess.Popen(self.command, stdout=subprocess.DEVNULL)
        return self

    def __exit__(self, *_: object) -> None:
        """None of its replies is one that the load generator takes for right: exit status 1."""
        if self.load.wait(60) != 1:
            raise RuntimeError(f"recaudo-load ended with {self.load.returncode}: {' '.join(self.command)}")
        for code, count in json.loads(self.report.read_text())["codes"].items():
            self.codes[code] = self.codes.get(code, 0) + count


def measure(tools: Tools, orders: Path, rounds: int, connections: int) -> dict[str, Any]:
    instance = tools.instance
    with AskedMerchant(instance, "81", QUICK_MS) as quick, AskedMerchant(instance, "82", SLOW_MS) as slow, \
            AskedMerchant(instance, "83", None) as hanging:
        work = Work(tools, orders, connections, quick.list_orders(), slow.list_orders(), hanging.list_orders(),
                    list_references(instance, "99", "Nobody"))
        work.external()  # the orders come into being
        results = interleave(rounds, {"ordinary": work.ordinary, "external": work.external, "delayed": work.delayed,
                                      "beside": work.beside,
                                      "beside_unknown": work.beside_unknown, "others": work.others})
    rows = {name: medians(found, "lookup") for name, found in results.items()}
    return {**rows, "overhead_ms": rows["delayed"]["p50_ms"] - SLOW_MS, "quick_delay_ms": QUICK_MS,
            "slow_delay_ms": SLOW_MS, "others_per_second": OTHERS_PER_SECOND, "hanging_codes": work.codes,
            "hanging_per_second": IN_VAIN_PER_SECOND}


@dataclass
class Work:
    """What is measured in each round."""

    tools: Tools
    orders: Path
    connections: int
    quick_orders: Path
    slow_orders: Path
    hanging_orders: Path
    unknown_orders: Path
    codes: dict[str, int] = field(default_factory=dict)

    def ordinary(self) -> Result:
        return self.tools.load(self.tools.instance.stack.base_url, "lookup", self.orders, connections=self.connections)

    def external(self) -> Result:
        return with_cpu(lambda: self._load(self.quick_orders), self.tools.instance,
                        self.tools.instance.processes())

    def delayed(self) -> Result:
        return self._load(self.slow_orders, rate=OTHERS_PER_SECOND)

    def beside(self) -> Result:
        with LookupsInVain(self.tools, self.hanging_orders, self.codes):
            return self.ordinary()

    def beside_unknown(self) -> Result:
        """What as many lookups cost that ask nobody."""
        with LookupsInVain(self.tools, self.unknown_orders, {}):
            return self.ordinary()

    def others(self) -> Result:
        with LookupsInVain(self.tools, self.hanging_orders, self.codes):
            return self.delayed()

    def _load(self, orders: Path, **options: object) -> Result:
        return self.tools.load(self.tools.instance.stack.base_url, "lookup", orders, connections=PER_MERCHANT, **options)
