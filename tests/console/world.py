"""A network, two merchants and their orders in every state that somebody telephones about."""

import base64
from datetime import datetime, timedelta, timezone
from itertools import count
from typing import Any

from tests.stack import Stack, wait_until
from tests.stack.client import Client, Merchant, Network, Reply
from tests.stack.merchant_stub import MerchantStub, says

USERS = {"vera": "viewer", "sara": "support", "omar": "operator", "tienda-user": "merchant"}
PASSWORD = "a password of these tests"
SHOP, OTHER, KIOSK = "tienda", "ajena", "kiosko"
COMMERCE = "Zapatería <b>Ñandú</b> & Cía"
SCRIPT = "<script>alert(1)</script>\"'&"
COLOMBIA_BEHIND = timedelta(hours=5)


def login(user: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{PASSWORD}".encode()).decode()


class World:
    """Builds it; `order` gives our number of an order by its name."""

    def __init__(self, stack: Stack, stub: MerchantStub) -> None:
        self.stack, self.stub = stack, stub
        ctl = stack.ctl
        self.hashes = {name: str(ctl.json("merchant", "add", name, "--commerce", COMMERCE,
                                          "--notify-url", stub.on(f"/{name}", reply))["fixed_hash"])
                       for name, reply in ((SHOP, says("OK")), (OTHER, says(SCRIPT, 500)))}
        self.kiosk_hash = str(ctl.json("network", "add", KIOSK)["fixed_hash"])
        self.orders: dict[str, int] = {}
        self.references = count()
        self._make_orders()
        self._make_users()

    def _make_users(self) -> None:
        shop_id = self.number("SELECT id AS n FROM merchants WHERE name = %s", SHOP)
        for name, role in USERS.items():
            self.stack.mariadb.query("INSERT INTO console_users (name, role, merchant_id, changed_by)"
                                     " VALUES (%s, %s, %s, 'test')", name, role, shop_id if role == "merchant" else None)
        self.stack.console.write_users(dict.fromkeys(USERS, PASSWORD))

    def number(self, sql: str, *values: Any) -> int:
        return int(self.stack.mariadb.query(sql, *values)[0]["n"])

    def add(self, name: str, merchant: str = SHOP, amount: str = "45000", **fields: str) -> str:
        """An order, and its reference."""
        reference = f"90{next(self.references):08d}"
        day = (datetime.now(timezone.utc) - COLOMBIA_BEHIND + timedelta(days=2)).strftime("%d/%m/%Y")
        with Merchant(self.stack.base_url, merchant, self.hashes[merchant]) as client:
            reply = client.send_json("POST", "/v1/porders",
                                     client.porder(name, day, amount, reference=reference, **fields))
        assert reply.code == "0000", reply.text
        self.orders[name] = self.number("SELECT id AS n FROM orders WHERE po_id = %s", name)
        return reference

    def pay(self, reference: str, transaction: str, amount: str = "45000", confirm: bool | None = True) -> None:
        with Network(self.stack.base_url, KIOSK, self.kiosk_hash) as network:
            assert network.register(reference, amount, transaction, COMMERCE).code == "0000"
            if confirm is not None:
                assert network.confirm(transaction).code == "0000"
                if not confirm:
                    assert network.confirm(transaction, False).code == "0000"

    def _make_orders(self) -> None:
        self.pay(self.add("PO-paid", description=SCRIPT), "T-paid")
        self.add("PO-open", description="=1+1")
        self.pay(self.add("PO-registered"), "T-registered", confirm=None)
        self.pay(self.add("PO-cancelled"), "T-cancelled", confirm=False)
        self.add("PO-late")
        self.stack.mariadb.query("UPDATE orders SET due_at = UTC_TIMESTAMP(6) - INTERVAL 1 MINUTE, changed_by = 'test'"
                                 " WHERE po_id = 'PO-late'")
        self.pay(self.add("PO-foreign", OTHER, description=SCRIPT), "T-foreign")
        self.pay(self.add("PO-refunded"), "T-refunded")
        wait_until(lambda: self.number("SELECT COUNT(*) AS n FROM orders WHERE state = 'APROBADA'") == 3, "three orders are paid")
        self.stack.ctl.done("order", "claim", str(self.orders["PO-refunded"]), "--reason", "=paid twice, says Ana")
        wait_until(lambda: self.number("SELECT COUNT(*) AS n FROM attempts") >= 4, "four attempts were made")

    def count_payments(self) -> None:
        """As a dispatcher would have counted them: a busy hour and three days in two currencies."""
        count = ("REPLACE INTO payment_counts (span, began_at, currency, payments)"
                 " SELECT '{span}', TIMESTAMPADD({span}, -seq, DATE_FORMAT(UTC_TIMESTAMP(), '%Y-%m-%d %H:{minute}:00')), '{currency}',"
                 " ROUND({most} * (2 + SIN(seq / {wave}) + SIN(seq * {noise}) / 4) / 3) FROM seq_{first}_to_{last}")
        for currency, most, noise in (("COP", 120, 2.3), ("USD", 30, 1.7)):
            self.stack.mariadb.query(count.format(span="minute", minute="%i", currency=currency, most=most, wave=20,
                                                  noise=noise, first=1, last=60))
            self.stack.mariadb.query(count.format(span="hour", minute="00", currency=currency, most=60 * most, wave=3.8,
                                                  noise=noise, first=0, last=71))

    def get(self, path: str, user: str = "vera", method: str = "GET", **headers: str) -> Reply:
        """A page as the user's browser gets it."""
        with Client(self.stack.console.base_url) as client:
            return client.request(method, path, None, {"Authorization": login(user), **headers})
