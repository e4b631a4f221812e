"""What Prometheus reads at /metrics."""

import re
from typing import Mapping

from .client import Client

SAMPLE = re.compile(r"([a-z_]+)(?:\{(.*)\})? (\S+)")
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\\n]|\\.)*)"')
ESCAPED = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}

Key = tuple[str, frozenset[tuple[str, str]]]


def unescape(value: str) -> str:
    return re.sub(r'\\[\\"n]', lambda match: ESCAPED[match[0]], value)


class Scrape:
    """One reading of all measures."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.types: dict[str, str] = {}
        self.samples: dict[Key, float] = {}
        for line in text.splitlines():
            if line.startswith("# TYPE "):
                name, kind = line.split()[2:]
                self.types[name] = kind
            elif not line.startswith("#"):
                self._add(line)

    def _add(self, line: str) -> None:
        match = SAMPLE.fullmatch(line)
        if match is None:
            raise ValueError(f"not a sample: {line!r}")
        labels = frozenset((name, unescape(value)) for name, value in LABEL.findall(match[2] or ""))
        if (match[1], labels) in self.samples:
            raise ValueError(f"twice: {line!r}")
        self.samples[match[1], labels] = float(match[3])

    def value(self, name: str, **labels: str) -> float:
        return self.samples[name, frozenset(labels.items())]

    def names(self) -> set[str]:
        return {name for name, _ in self.samples}

    def steps(self, before: "Scrape", name: str) -> Mapping[frozenset[tuple[str, str]], float]:
        """The samples of `name` that have changed since, and by how much."""
        return {labels: value - before.samples.get((family, labels), 0.0)
                for (family, labels), value in self.samples.items()
                if family == name and value != before.samples.get((family, labels), 0.0)}


def scrape(base_url: str) -> Scrape:
    with Client(base_url) as client:
        reply = client.request("GET", "/metrics")
    if reply.status != 200:
        raise RuntimeError(f"/metrics: HTTP {reply.status} {reply.text}")
    return Scrape(reply.text)
