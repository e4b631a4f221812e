"""Networks, merchants, orders and accounts of an instance, and a look at its tables."""

from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from typing import Any, Iterator

from tests.stack import Stack, wait_until
from tests.stack.client import Network

from checked import CheckedMerchant, CheckedNetwork

NETWORK = "Red Ñandú 1"
OTHER_NETWORK = "kiosko-24"
MERCHANT = "tienda"
COMMERCE = "Tienda Única & Cía"
SERVICE_NAME = "recaudo"
COLOMBIA_BEHIND = timedelta(hours=5)
APPROVAL = ("state", "open_reference", "version", "held_by", "held_until", "paid_by", "closed_at", "changed_by",
            "changed_at")
COUNTED = ("transactions", "orders", "accounts", "account_ledger", "notifications", "event_log")


@dataclass(frozen=True)
class Order:
    id: int
    reference: str


class World:
    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.database = stack.mariadb.connect()
        self.numbers = count(1)
        self.hashes: dict[str, str] = {}
        self.merchant_hashes: dict[str, str] = {}
        for name in (NETWORK, OTHER_NETWORK):
            self.add_network(name)
        self.add_merchant(MERCHANT, COMMERCE)

    def add_network(self, name: str) -> None:
        self.hashes[name] = self.stack.ctl.json("network", "add", name)["fixed_hash"]

    def add_merchant(self, name: str, commerce: str, *options: str) -> None:
        made = self.stack.ctl.json("merchant", "add", name, "--commerce", commerce, *options)
        self.merchant_hashes[name] = made["fixed_hash"]

    def connect(self, name: str = NETWORK, timeout: float = 60.0) -> CheckedNetwork:
        return CheckedNetwork(self.stack.base_url, name, self.hashes[name], timeout)

    def connect_merchant(self, name: str = MERCHANT, timeout: float = 60.0,
                         base: str = "/v1/porders") -> CheckedMerchant:
        return CheckedMerchant(self.stack.base_url, name, self.merchant_hashes[name], timeout, base)

    # Names and numbers that nothing else has.

    def fresh(self, prefix: str = "t") -> str:
        return f"{prefix}-{next(self.numbers)}"

    def fresh_number(self) -> str:
        return str(7_000_000_000 + next(self.numbers))

    # Rows, written as the owner: the state machine's guards hold for it too.

    def rows(self, sql: str, *values: Any) -> list[dict[str, Any]]:
        self.database.ping()
        with self.database.cursor() as cursor:
            cursor.execute(sql, values or None)
            return list(cursor.fetchall())

    def value(self, sql: str, *values: Any) -> Any:
        (row,) = self.rows(sql, *values)
        (value,) = row.values()
        return value

    def await_lock_wait(self) -> None:
        """Until a statement waits for a lock. The server renews this table only when nobody has read it for a tenth of a second."""
        waiting = "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"
        wait_until(lambda: self.value(waiting) > 0, "a statement to wait for a lock", pause=0.3)

    def write(self, sql: str, *values: Any) -> int:
        self.database.ping()
        with self.database.cursor() as cursor:
            return int(cursor.execute(sql, values))

    def insert(self, table: str, **columns: Any) -> int:
        names = ", ".join(columns)
        marks = ", ".join(["%s"] * len(columns))
        self.database.ping()
        with self.database.cursor() as cursor:
            cursor.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(columns.values()))
            return int(cursor.lastrowid)

    def now(self) -> datetime:
        return self.value("SELECT UTC_TIMESTAMP(6)")

    def order(self, amount: str = "45000", due_in: float = 86400, merchant: str = MERCHANT, **columns: Any) -> Order:
        """A PENDIENTE order that falls due `due_in` seconds from now."""
        merchant_id = self.value("SELECT id FROM merchants WHERE name = %s", merchant)
        due_at = self.value("SELECT UTC_TIMESTAMP(6) + INTERVAL %s SECOND", due_in)
        row = {"merchant_id": merchant_id, "po_id": self.fresh("po"), "reference": self.fresh_number(),
               "amount": amount, "currency": "COP", "origin": "registered", "due_at": due_at, "changed_by": "test",
               **columns}
        return Order(self.insert("orders", **row), row["reference"])

    def insert_orders(self, count: int, amount: str = "45000") -> list[Order]:
        """Many PENDIENTE orders in one statement."""
        first = int(self.fresh_number()) * 10_000
        self.write("INSERT INTO orders (merchant_id, po_id, reference, amount, currency, origin, due_at, changed_by)"
                   " SELECT (SELECT id FROM merchants WHERE name = %s), %s + seq, %s + seq, %s, 'COP', 'imported',"
                   f" UTC_TIMESTAMP(6) + INTERVAL 1 DAY, 'test' FROM seq_1_to_{count}", MERCHANT, first, first, amount)
        rows = self.rows("SELECT id, reference FROM orders WHERE reference > %s AND reference <= %s", str(first),
                         str(first + count))
        assert len(rows) == count
        return [Order(row["id"], row["reference"]) for row in rows]

    def account(self, **columns: Any) -> str:
        """An account; its document number."""
        row = {"document": self.fresh_number(), "document_type": "CC", "name": "Ana", "currency": "COP",
               "changed_by": "test", **columns}
        self.insert("accounts", **row)
        return str(row["document"])

    # What the tables say.

    def order_row(self, order: Order) -> dict[str, Any]:
        (row,) = self.rows("SELECT * FROM orders WHERE id = %s", order.id)
        return row

    def transactions(self, transaction: str, network: str = NETWORK) -> list[dict[str, Any]]:
        return self.rows("SELECT t.* FROM transactions t JOIN networks n ON n.id = t.network_id"
                         " WHERE n.name = %s AND t.network_transaction = %s", network, transaction)

    def transaction(self, transaction: str, network: str = NETWORK) -> dict[str, Any]:
        (row,) = self.transactions(transaction, network)
        return row

    def notifications(self, order: Order) -> list[dict[str, Any]]:
        return self.rows("SELECT * FROM notifications WHERE order_id = %s ORDER BY id", order.id)

    def check_unchanged(self, order: Order, before: dict[str, Any]) -> None:
        """Nothing was written, but for the approval where the window had closed."""
        after = self.order_row(order)
        if before["held_until"] is not None and before["held_until"] <= self.now():
            assert (after["state"], after["paid_by"]) == ("APROBADA", before["held_by"])
            before = {**before, **{name: after[name] for name in APPROVAL}}
        assert after == before

    def counts(self) -> dict[str, int]:
        return {table: self.value(f"SELECT COUNT(*) FROM {table}") for table in COUNTED}

    @contextmanager
    def nothing_written(self) -> Iterator[None]:
        before = self.counts()
        yield
        assert self.counts() == before

    # Days, as merchants give them.

    def day(self, ahead: int = 1) -> str:
        """So many days after today in Colombia."""
        return (self.now() - COLOMBIA_BEHIND + timedelta(days=ahead)).strftime("%d/%m/%Y")

    def porder_row(self, number: str, merchant: str = MERCHANT) -> dict[str, Any]:
        """The row of a merchant's order."""
        (row,) = self.rows("SELECT o.* FROM orders o JOIN merchants m ON m.id = o.merchant_id"
                           " WHERE m.name = %s AND o.po_id = %s", merchant, number)
        return row

    # Steps that many tests take.

    def register(self, network: Network, order: Order, amount: str = "45000", **fields: str) -> str:
        """Registers a payment of `order`; its transaction id."""
        transaction = self.fresh()
        reply = network.register(order.reference, amount, transaction, COMMERCE, **fields)
        assert reply.code == "0000", reply.text
        return transaction

    def confirm(self, network: Network, order: Order, amount: str = "45000") -> str:
        """Registers and confirms a payment of `order`; its transaction id."""
        transaction = self.register(network, order, amount)
        reply = network.confirm(transaction)
        assert reply.code == "0000", reply.text
        return transaction

    def await_window_end(self, transaction: str, network: str = NETWORK) -> None:
        end = self.transaction(transaction, network)["window_ends_at"]
        self.await_instant(end)

    def await_database(self, network: Network) -> None:
        """Until every worker process has it back. Nobody says which one answers, so many are asked."""
        wait_until(lambda: all(network.lookup("1").code == "0101" for _ in range(20)), "the database to be back", 60)

    def await_instant(self, instant: datetime) -> None:
        wait_until(lambda: self.now() >= instant, f"the database's clock to reach {instant}", 120)

    def move_window(self, transaction: str, network: str, hours: int) -> None:
        row = self.transaction(transaction, network)
        self.write("UPDATE transactions SET confirmed_at = confirmed_at + INTERVAL %s HOUR,"
                   " window_ends_at = window_ends_at + INTERVAL %s HOUR WHERE id = %s", hours, hours, row["id"])
        self.write("UPDATE orders SET held_until = held_until + INTERVAL %s HOUR WHERE held_by = %s", hours, row["id"])

    def close_window(self, transaction: str, network: str = NETWORK) -> None:
        """Lets the window be over by moving it back, for tests that are not about its length."""
        self.move_window(transaction, network, -1)

    def keep_window_open(self, transaction: str, network: str = NETWORK) -> None:
        """Lets the window be far from its end, for tests that must not depend on how fast they are."""
        self.move_window(transaction, network, 1)

    def dispatch(self) -> None:
        """One pass of the dispatcher."""
        result = self.stack.dispatcher.once()
        assert result.returncode == 0, result.stderr

    def pay(self, network: Network, order: Order, amount: str = "45000") -> str:
        """A whole payment, up to APROBADA; its transaction id."""
        transaction = self.confirm(network, order, amount)
        self.close_window(transaction, network.name)
        self.dispatch()
        assert self.order_row(order)["state"] == "APROBADA"
        return transaction
