"""What happens in a day: orders, payments, merchants that are away, new secrets and keys."""

import time
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import count
from pathlib import Path
from random import Random

from tests.stack import Network, Stack
from tests.stack.client import Merchant
from tests.stack.false_time import Clock
from tests.stack.mariadb import MariaDB
from tests.stack.merchant_stub import MerchantStub, ok, says

from .zones import COUNTRIES, DAY, begins, day_at

NETWORK, SHOPS = "red", ("tienda", "kiosco")
COMMERCE = {"tienda": "Tienda", "kiosco": "Kiosco"}
AWAY_EVERY, AWAY_FOR = timedelta(days=61), (timedelta(days=2), timedelta(days=12))  # the second is longer than all attempts
MARGIN = timedelta(seconds=2)
OVERLAP = timedelta(hours=48)
REMEMBERED_SECONDS = 8.0
DAYS_AHEAD = 31
WINDOW = timedelta(seconds=30)
LAST_MOMENT, END_OF_DAY = timedelta(hours=23, minutes=56), timedelta(hours=23, minutes=58)  # windows close in between
CLOSING_ZONE = "America/New_York"
RETENTION_DAYS = 90
SETTINGS: dict[str, dict[str, object]] = {
    "worker": {"processes": "1"}, "settlement": {"close_at": "00:00", "zone": CLOSING_ZONE},
    "retention": {"attempts": f"{RETENTION_DAYS}d", "personal": "400d"}, "audit": {"seal_every": "1h"}}


class PatientMariaDB(MariaDB):
    """A thread that waits for a latch while the clock is stepped has not waited for hours: it would end the server."""

    def __init__(self, directory: Path, sockets: Path, buffer_pool: str) -> None:
        super().__init__(directory, sockets, buffer_pool, ["--innodb-fatal-semaphore-wait-threshold=4294967295"])


@dataclass
class Order:
    number: str
    shop: str
    reference: str
    zone: str
    due_at: datetime
    state: str = "PENDIENTE"


@dataclass
class Payment:
    transaction: str
    order: Order
    between: tuple[datetime, datetime]  # the confirmation
    is_taken_back: bool = False


@dataclass
class Life:
    """Everything runs under `clock`, which is stepped to one moment after the other."""

    stack: Stack
    stub: MerchantStub
    clock: Clock
    chance: Random
    orders: list[Order] = field(default_factory=list)
    payments: list[Payment] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    numbers: "count[int]" = field(default_factory=lambda: count(1))
    away_until: datetime | None = None
    next_away: int = 0
    old_secret: tuple[str, datetime] | None = None
    over_since: float | None = None  # by the clock that waiting goes by: workers remember secrets for some seconds of it

    def begin(self) -> None:
        """Parties, and countries whose clocks change."""
        for code, (currency, zone) in COUNTRIES.items():
            self.stack.mariadb.query("INSERT IGNORE INTO countries (code, name, currency, time_zone) VALUES (%s, %s, %s, %s)",
                                     code, zone, currency, zone)
        self.hashes = {NETWORK: self.stack.ctl.json("network", "add", NETWORK)["fixed_hash"]}
        for shop in SHOPS:
            made = self.stack.ctl.json("merchant", "add", shop, "--commerce", COMMERCE[shop], "--notify-url", self.stub.on(shop, ok))
            self.hashes[shop] = made["fixed_hash"]
        self.away_since = self.clock.now()

    def found(self, what: str) -> None:
        self.findings.append(f"{self.clock.now():%Y-%m-%d %H:%M:%S}: {what}")

    def expect(self, what: str, code: str, wanted: str) -> bool:
        if code != wanted:
            self.found(f"{what}: {code}, not {wanted}")
        return code == wanted

    def network(self, secret: str | None = None) -> Network:
        return self.stack.network(NETWORK, secret or self.hashes[NETWORK])

    def live(self, day: date) -> None:
        """One day in UTC: some moments drawn at random, and those just before and after orders fall due."""
        midnight = datetime.combine(day, datetime.min.time())
        moments = [midnight + LAST_MOMENT * self.chance.random() for _ in range(2)]
        ends = sorted({order.due_at for order in self.orders if order.state == "PENDIENTE" and midnight <= order.due_at < midnight + DAY})
        for due_at in self.chance.sample(ends, min(1, len(ends))):
            moments += [due_at - MARGIN, due_at + MARGIN]
        for moment in sorted(moments):
            if moment > self.clock.now():
                self.clock.step_to(moment)
            self.moment()

    def moment(self) -> None:
        self.answer_or_not()
        self.dispatch()
        with self.network() as network:
            self.look_up(network)
            self.pay(network)
        self.register_order()

    def dispatch(self) -> None:
        done = self.stack.dispatcher.once()
        if done.returncode != 0:
            self.found(f"the dispatcher ended with {done.returncode}: {done.stderr[-500:]}")
        for order in self.orders:
            if order.state == "PENDIENTE" and order.due_at <= self.clock.now() and not self.is_near(order.due_at):
                order.state = "VENCIDA"

    def is_near(self, instant: datetime) -> bool:
        """What happens at the same moment may fall on either side."""
        return abs(self.clock.now() - instant) < MARGIN / 2

    # Merchants.

    def answer_or_not(self) -> None:
        """One merchant's endpoint fails for days, from time to time."""
        now = self.clock.now()
        if self.away_until is not None and now >= self.away_until:
            self.stub.on(SHOPS[0], ok)
            self.away_until = None
            self.stack.ctl.done("notification", "retry", "--merchant", SHOPS[0], "--since", self.away_since.strftime("%Y-%m-%dT%H:%M:%SZ"),
                                "--reason", "was away")
        elif self.away_until is None and now - self.away_since >= AWAY_EVERY:
            self.away_since = now
            self.away_until = now + AWAY_FOR[self.next_away % len(AWAY_FOR)]
            self.next_away += 1
            self.stub.on(SHOPS[0], says("ERROR", 500))

    def register_order(self) -> None:
        """In any country, for any day that is allowed there, and now and then for one that is not."""
        country, (currency, zone) = self.chance.choice(list(COUNTRIES.items()))
        before = self.clock.now()
        today, today_in_utc = day_at(before, zone), before.date()
        last = max(today, today_in_utc) + DAYS_AHEAD * DAY
        day = self.chance.choice([today, today + DAY, today + self.chance.randrange(2, 30) * DAY, last, last + DAY, today - DAY])
        shop = self.chance.choice(SHOPS)
        number, reference = f"po-{next(self.numbers)}", str(7_000_000_000 + next(self.numbers))
        with Merchant(self.stack.base_url, shop, self.hashes[shop]) as merchant:
            fields = merchant.porder(number, day.strftime("%d/%m/%Y"), country=country, money=currency, reference=reference,
                                     user_di="1", user_type_di="CC", user_name="Ana")
            reply = merchant.send_json("POST", "/v1/porders", fields)
        after = self.clock.now()
        if (day_at(after, zone), after.date()) != (today, today_in_utc):
            return  # which day it was cannot be told
        allowed = today <= day <= last
        if self.expect(f"an order for {day} in {zone}", reply.code, "0000" if allowed else "0032") and allowed:
            self.orders.append(Order(number, shop, reference, zone, begins(day + DAY, zone)))

    # Networks.

    def look_up(self, network: Network) -> None:
        """An open order is found until its day has ended, to the second."""
        now = self.clock.now()
        closest = sorted(self.orders[-200:], key=lambda order: abs(order.due_at - now))[:2]
        for order in closest:
            before = self.clock.now()
            code = network.lookup(order.reference).code
            after = self.clock.now()
            if order.state in ("PENDIENTE", "VENCIDA") and not before <= order.due_at <= after:
                expected = "0000" if after < order.due_at else "0106" if code == "0106" and order.state == "PENDIENTE" else "0103"
                self.expect(f"lookup of {order.number}, due {order.due_at}", code, expected)

    def pay(self, network: Network) -> None:
        now = self.clock.now()
        open_ones = [order for order in self.orders[-200:] if order.state == "PENDIENTE" and order.due_at > now + MARGIN]
        if not open_ones or self.chance.random() < 0.3:
            return
        order = self.chance.choice(open_ones)
        transaction = f"t-{next(self.numbers)}"
        currency = next(currency for currency, zone in COUNTRIES.values() if zone == order.zone)
        reply = network.register(order.reference, "45000", transaction, COMMERCE[order.shop], currency)
        if not self.expect(f"registration of {order.number}", reply.code, "0000"):
            return
        before = self.clock.now()
        if self.expect(f"confirmation of {order.number}", network.confirm(transaction).code, "0000"):
            payment = Payment(transaction, order, (before, self.clock.now()))
            self.payments.append(payment)
            if self.chance.random() < 0.2:
                payment.is_taken_back = self.expect("a cancellation", network.confirm(transaction, False).code, "0000")
            else:
                order.state = "APROBADA"

    # The operator.

    def rotate_secret(self) -> None:
        """Both are good until the end of the overlap."""
        made = self.stack.ctl.json("network", "rotate", NETWORK, "--overlap", f"{OVERLAP // timedelta(hours=1)}h")
        self.old_secret = (self.hashes[NETWORK], self.clock.now() + OVERLAP)
        self.hashes[NETWORK] = made["fixed_hash"]

    def try_old_secret(self) -> None:
        if self.old_secret is None:
            return
        secret, until = self.old_secret
        with self.network(secret) as network:
            code = network.lookup("1").code
        if self.clock.now() < until - MARGIN:
            self.expect(f"the old secret, good until {until}", code, "0101")
            return
        self.over_since = self.over_since or time.monotonic()
        if time.monotonic() - self.over_since > REMEMBERED_SECONDS:
            self.expect(f"the old secret, good until {until}", code, "0025")
            self.old_secret = self.over_since = None

    def rotate_key(self) -> None:
        self.stack.ctl.done("key", "rotate")
        self.stack.ctl.done("key", "rotate", "--finish")

    def power_failure(self) -> None:
        """Everything ends at once, and begins again."""
        self.stack.mariadb.kill()
        self.stack.worker.kill()
        self.stack.mariadb.start()
        self.stack.worker.start()
