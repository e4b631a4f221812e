"""Lookups that merchants answer: how fast, and what a merchant that hangs does to others."""

import socket
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterator

from tests.stack import Network, Process, free_port, wait_until
from tests.stack.paths import program
from tests.stack.private_files import write_private

from .instance import NETWORK, Instance
from .measures import interleave, medians, with_cpu
from .tools import Result, Tools

REFERENCES = 1000
AMOUNT = "45000.00"
HANGING_PER_SECOND = 200
HANGING_CLIENTS = 40
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
        path = self.instance.stack.directory / f"orders-{self.prefix}"
        path.write_text("".join(f"{self.reference(number)}\t{AMOUNT}\t{self.commerce}\tCOP\n"
                                for number in range(REFERENCES)))
        return path


def network_of(instance: Instance) -> Network:
    return Network(instance.stack.base_url, NETWORK, instance.hash_file.read_text().strip())


class HangingLookups:
    """So many lookups per second for a merchant that hangs, from a thread for each that may wait."""

    def __init__(self, instance: Instance, merchant: AskedMerchant, codes: dict[str, int]) -> None:
        """`codes` counts what they got."""
        self.instance = instance
        self.merchant = merchant
        self.interval = HANGING_CLIENTS / HANGING_PER_SECOND
        self.ending = threading.Event()
        self.codes = codes
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self._run, args=(number,)) for number in range(HANGING_CLIENTS)]

    def __enter__(self) -> "HangingLookups":
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ending.set()
        for thread in self.threads:
            thread.join()

    def _run(self, number: int) -> None:
        due = time.monotonic() + number * self.interval / HANGING_CLIENTS
        with network_of(self.instance) as network:
            for turn in self._turns(number):
                if self.ending.wait(max(0.0, due - time.monotonic())):
                    return
                due += self.interval
                code = network.lookup(self.merchant.reference(turn)).code
                with self.lock:
                    self.codes[code] = self.codes.get(code, 0) + 1

    @staticmethod
    def _turns(number: int) -> Iterator[int]:
        turn = number
        while True:
            yield turn % REFERENCES
            turn += HANGING_CLIENTS


def measure(tools: Tools, orders: Path, rounds: int, connections: int) -> dict[str, Any]:
    instance = tools.instance
    with AskedMerchant(instance, "81", QUICK_MS) as quick, AskedMerchant(instance, "82", SLOW_MS) as slow, \
            AskedMerchant(instance, "83", None) as hanging:
        work = Work(tools, orders, connections, quick.list_orders(), slow.list_orders(), hanging)
        work.external()  # the orders come into being
        results = interleave(rounds, {"ordinary": work.ordinary, "external": work.external, "delayed": work.delayed,
                                      "beside": work.beside, "others": work.others})
    rows = {name: medians(found, "lookup") for name, found in results.items()}
    return {**rows, "overhead_ms": rows["delayed"]["p50_ms"] - SLOW_MS, "quick_delay_ms": QUICK_MS,
            "slow_delay_ms": SLOW_MS, "others_per_second": OTHERS_PER_SECOND, "hanging_codes": work.codes,
            "hanging_per_second": HANGING_PER_SECOND}


@dataclass
class Work:
    """What is measured in each round."""

    tools: Tools
    orders: Path
    connections: int
    quick_orders: Path
    slow_orders: Path
    hanging: AskedMerchant
    codes: dict[str, int] = field(default_factory=dict)

    def ordinary(self) -> Result:
        return self.tools.load(self.tools.instance.stack.base_url, "lookup", self.orders, connections=self.connections)

    def external(self) -> Result:
        return with_cpu(lambda: self._load(self.quick_orders), self.tools.instance, "recaudo")

    def delayed(self) -> Result:
        return self._load(self.slow_orders, rate=OTHERS_PER_SECOND)

    def beside(self) -> Result:
        with HangingLookups(self.tools.instance, self.hanging, self.codes):
            return self.ordinary()

    def others(self) -> Result:
        with HangingLookups(self.tools.instance, self.hanging, self.codes):
            return self.delayed()

    def _load(self, orders: Path, **options: object) -> Result:
        return self.tools.load(self.tools.instance.stack.base_url, "lookup", orders, connections=PER_MERCHANT, **options)
