"""The evidence by what things are about, so that rules are short."""

from collections import defaultdict
from functools import cached_property
from typing import Callable, Iterable, Iterator, TypeVar

from .evidence import Evidence, Row
from .history import Entry
from .sink import Message

Finding = tuple[int, str]
Findings = Iterator[Finding]
Key = tuple[str, str]
Value = TypeVar("Value")
Group = TypeVar("Group")


def grouped(values: Iterable[Value], by: Callable[[Value], Group]) -> dict[Group, list[Value]]:
    groups: dict[Group, list[Value]] = defaultdict(list)
    for value in values:
        groups[by(value)].append(value)
    return groups


class Facts:
    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        tables = evidence.tables
        self.networks = {row["id"]: row["name"] for row in tables["networks"]}
        self.merchants = {row["id"]: row["name"] for row in tables["merchants"]}
        self.orders: dict[int, Row] = {row["id"]: row for row in tables["orders"]}
        self.notifications: dict[int, Row] = {row["id"]: row for row in tables["notifications"]}
        self.transactions: dict[Key, Row] = {
            (self.networks[row["network_id"]], row["network_transaction"]): row for row in tables["transactions"]}

    def asked(self, kind: str) -> dict[Key, list[Entry]]:
        """The requests of a kind by who asked and what they are about, in the order of their ends."""
        return self._entries[kind]

    def one(self, kind: str, key: Key) -> list[Entry]:
        return self._entries[kind].get(key, [])

    def any_ok(self, kind: str, key: Key) -> bool:
        return any(entry.is_ok for entry in self.one(kind, key))

    def maybe(self, kind: str, key: Key) -> bool:
        """Whether such a request was granted, or its outcome is open."""
        return any(entry.may_be_done for entry in self.one(kind, key))

    @cached_property
    def _entries(self) -> dict[str, dict[Key, list[Entry]]]:
        kinds = grouped(self.evidence.history, lambda entry: entry.kind)
        return defaultdict(dict, {kind: grouped(entries, lambda entry: (entry.who, entry.key))
                                  for kind, entries in kinds.items()})

    @cached_property
    def orders_by_number(self) -> dict[Key, Row]:
        """By merchant and the merchant's number."""
        return {(self.merchants[row["merchant_id"]], row["po_id"]): row for row in self.orders.values()}

    @cached_property
    def orders_by_reference(self) -> dict[str, list[Row]]:
        return grouped(self.orders.values(), lambda row: str(row["reference"]))

    @cached_property
    def payments(self) -> dict[int, list[Row]]:
        """The transactions of each order."""
        return grouped((row for row in self.transactions.values() if row["order_id"]), lambda row: int(row["order_id"]))

    @cached_property
    def steps(self) -> dict[int, dict[str, Row]]:
        """The event of each state that an order came to."""
        events: dict[int, dict[str, Row]] = defaultdict(dict)
        for row in self.evidence.tables["events"]:
            if row["subject"] == "order" and row["what"] in ("created", "state"):
                events[row["subject_id"]][row["to_state"]] = row
        return events

    @cached_property
    def told(self) -> dict[int, list[Row]]:
        """The notifications of each order."""
        return grouped(self.notifications.values(), lambda row: int(row["order_id"]))

    @cached_property
    def messages(self) -> dict[int, list[Message]]:
        """What came of each notification, in the order of arrival."""
        return grouped(sorted(self.evidence.sink, key=lambda message: message.at), lambda message: message.notification)

    @cached_property
    def attempts(self) -> dict[int, list[Row]]:
        """Of each notification."""
        return grouped(self.evidence.tables["attempts"], lambda row: int(row["notification_id"]))
