"""Balances, settlements and their digests, and limits."""

from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from hashlib import sha256
from zoneinfo import ZoneInfo

from .database import Database, Row, grouped
from .history import CLOSE, check_values, far
from .limits import Limits
from .report import Report, instant
from .seals import sealed

SHEET = "row,kind,currency,count,amount,network,merchant,order,transaction,idservice,at,value\n"
KINDS = ("finalised", "cancelled", "refunded")
# Decimals of currencies (ISO 4217) that have another number than 2.
DECIMALS = {code: number for number, codes in {
    0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX",
    3: "BHD IQD JOD KWD LYD OMR TND", 4: "CLF UYW"}.items() for code in codes.split()}
ITEMS = ("SELECT i.at, t.id, i.kind, i.kind + 0 AS place, n.name AS network, t.network_transaction AS transaction, m.name AS merchant,"
         " o.po_id, t.currency, t.amount FROM settlement_items i JOIN transactions t ON t.id = i.transaction_id"
         " JOIN networks n ON n.id = t.network_id LEFT JOIN orders o ON o.id = t.order_id LEFT JOIN merchants m ON m.id = o.merchant_id"
         " WHERE i.settlement = %s ORDER BY i.at, i.transaction_id, i.kind")

# In a settlement, or in none: what was final a minute before the settlement was opened.
OVERDUE = ("SELECT i.transaction_id AS id, i.kind, t.order_id FROM settlement_items i JOIN transactions t ON t.id = i.transaction_id"
           " WHERE i.settlement <=> %s AND CASE i.kind WHEN 'finalised' THEN t.finalised_at WHEN 'cancelled' THEN t.cancelled_at ELSE i.at END"
           " < %s - INTERVAL 1 MINUTE ORDER BY i.transaction_id")
LAST_STATE = {"finalised": ("transaction", "FINALIZADA"), "cancelled": ("transaction", "CANCELADA"), "refunded": ("order", "ANULADA")}


def amount_text(amount: Decimal, currency: str) -> str:
    """With the currency's decimals, or as many as the amount has."""
    least = DECIMALS.get(currency, 2)
    needed = max(0, -amount.normalize().as_tuple().exponent)  # type: ignore[operator]
    return f"{amount:.{max(least, needed)}f}"


def field(value: str) -> str:
    quoted = any(each in value for each in ",;\"\t\r\n") or value[:1] == " " or value[-1:] == " "
    value = ("'" if value[:1] and value[0] in "=+-@\t\r" else "") + (value.replace('"', '""') if quoted else value)
    return f'"{value}"' if quoted else value


def sheet_line(*fields: str) -> str:
    return ",".join(fields) + "\n"


class Sheet:
    """The CSV form of a closed settlement, digested."""

    def __init__(self, settlement: Row) -> None:
        self.digest = sha256(SHEET.encode())
        self.counts = dict.fromkeys(KINDS, 0)
        self.totals: dict[tuple[int, str, str], dict[str, tuple[int, Decimal]]] = {}
        self.add("settlement", str(settlement["number"]))
        if settlement["day"]:
            self.add("date", settlement["day"])
            self.add("zone", field(settlement["zone"]))
        self.add("begins_at", instant(settlement["opened_at"]))
        self.add("ends_at", instant(settlement["closed_at"]))

    def add(self, name: str, value: str) -> None:
        self.digest.update(sheet_line(name, *[""] * 10, value).encode())

    def operation(self, row: Row) -> None:
        self.counts[row["kind"]] += 1
        self.digest.update(sheet_line(
            "operation", row["kind"], row["currency"], "", amount_text(row["amount"], row["currency"]), field(row["network"]),
            field(row["merchant"] or ""), field(row["po_id"] or ""), field(row["transaction"]), str(row["id"]), instant(row["at"]),
            "").encode())
        for scope, name in ((0, row["network"]), (1, row["merchant"] or ""), (2, "")):
            kinds = self.totals.setdefault((scope, name, row["currency"]), dict.fromkeys(KINDS, (0, Decimal(0))))
            count, total = kinds[row["kind"]]
            kinds[row["kind"]] = count + 1, total + row["amount"]

    def end(self) -> str:
        for scope, name, currency in sorted(self.totals, key=lambda key: (key[0], key[1].encode(), key[2])):
            for kind in KINDS:
                count, total = self.totals[scope, name, currency][kind]
                names = [field(name) if scope == 0 else "", field(name) if scope == 1 else ""]
                self.digest.update(sheet_line(("network", "merchant", "total")[scope], kind, currency, str(count),
                                              amount_text(total, currency), *names, *[""] * 5).encode())
        return self.digest.hexdigest()


class Money:
    def __init__(self, database: Database, report: Report) -> None:
        self.database = database
        self.report = report

    def check(self) -> None:
        for accounts in self.database.chunks("accounts"):
            self.check_accounts(accounts)
        self.check_ledger_of_nobody()
        self.check_settlements()
        Limits(self.database, self.report).check()

    # Accounts.

    def check_accounts(self, accounts: list[Row]) -> None:
        numbers = [account["id"] for account in accounts]
        ledger = grouped(self.database.among(
            "SELECT l.*, t.account_id AS payment_of, t.order_id, t.state, t.amount AS paid, t.currency, t.finalised_at FROM account_ledger l LEFT JOIN transactions t"
            " ON t.id = l.transaction_id WHERE l.account_id IN %s ORDER BY l.id", numbers), "account_id")
        top_ups = grouped(self.database.among(
            "SELECT id, account_id, state, amount, currency FROM transactions WHERE order_id IS NULL AND account_id IN %s", numbers), "account_id")
        events = self.database.among("SELECT subject_id, what FROM event_log WHERE subject = 'account' AND subject_id IN %s ORDER BY id DESC", numbers)
        first = {event["subject_id"]: event["what"] for event in events}
        for account in accounts:
            if first.get(account["id"]) != "created":
                self.report.find("account-without-creation", "account", account["id"], "the log does not say that it was created")
            self.check_account(account, ledger.get(account["id"], []), top_ups.get(account["id"], []))
        self.report.count("accounts", len(accounts))

    def check_account(self, account: Row, ledger: list[Row], top_ups: list[Row]) -> None:
        find, balance = self.report.find, Decimal(0)
        credited: set[int] = set()
        for movement in ledger:
            balance += movement["amount"]
            if movement["balance"] != balance:
                find("ledger-balance", "account", account["id"], f"after movement {movement['id']} it is {balance}, not {movement['balance']}")
            if movement["payment_of"] != account["id"] or movement["state"] != "FINALIZADA" or movement["paid"] != movement["amount"] \
                    or movement["currency"] != account["currency"] or movement["order_id"] is not None or movement["transaction_id"] in credited:
                find("ledger-payment", "account", account["id"], f"movement {movement['id']} is not what a finalised top-up of it credits")
            elif far(movement["at"], movement["finalised_at"]):
                find("ledger-instant", "account", account["id"], f"movement {movement['id']} is not of the time when its top-up was finalised")
            credited.add(movement["transaction_id"])
        if account["balance"] != balance:
            find("account-balance", "account", account["id"], f"its balance is {account['balance']}, its ledger says {balance}")
        for top_up in top_ups:
            if top_up["state"] == "FINALIZADA" and top_up["id"] not in credited:
                find("ledger-missing", "transaction", top_up["id"], "a finalised top-up that its account was not credited with")
        reserved = sum((top_up["amount"] for top_up in top_ups
                        if top_up["state"] == "CONFIRMADA" and top_up["currency"] == account["currency"]), Decimal(0))
        if account["reserved"] != reserved:
            find("account-reserved", "account", account["id"], f"reserved is {account['reserved']}, its confirmed top-ups are {reserved}")

    def check_ledger_of_nobody(self) -> None:
        for row in self.database.rows("SELECT l.id FROM account_ledger l LEFT JOIN accounts a ON a.id = l.account_id WHERE a.id IS NULL"):
            self.report.find("ledger-orphan", "movement", row["id"], "its account is gone")

    # Settlements.

    def check_settlements(self) -> None:
        settlements = self.database.rows("SELECT number AS id, settlements.* FROM settlements ORDER BY number")
        events = grouped(self.database.rows("SELECT id, at, subject_id, what, actor, changes FROM event_log WHERE subject = 'settlement' ORDER BY id"),
                         "subject_id")
        first = min(events, default=None)
        of_it: list[Row] = []
        for place, settlement in enumerate(settlements, 1):
            before, of_it = of_it, events.pop(settlement["number"], [])
            with self.report.reading("settlements", settlement, before + of_it):
                self.check_overdue(settlement, before, [settlement["number"], None] if place == len(settlements) else [settlement["number"]])
                self.check_place(settlement, place, settlements)
                self.check_day(settlement)
                self.check_content(settlement)
                self.check_settlement_events(settlement, of_it, first)
        for number in events:
            self.report.find("settlement-removed", "settlement", number, "its row is gone, the log has its digest")
        self.report.count("settlements", len(settlements))
        for row in self.database.rows("SELECT i.transaction_id FROM settlement_items i LEFT JOIN transactions t ON t.id = i.transaction_id"
                                      " WHERE t.id IS NULL"):
            self.report.find("settlement-item-orphan", "transaction", row["transaction_id"], "is gone, and a settlement has it")
        for row in self.database.rows("SELECT i.transaction_id, i.settlement FROM settlement_items i LEFT JOIN settlements s ON s.number = i.settlement"
                                      " WHERE i.settlement IS NOT NULL AND s.number IS NULL"):
            self.report.find("settlement-item-orphan", "transaction", row["transaction_id"], f"is in settlement {row['settlement']}, which is gone")

    def check_place(self, settlement: Row, place: int, all_of_them: list[Row]) -> None:
        number, is_last = settlement["number"], place == len(all_of_them)
        if number != (all_of_them[place - 2]["number"] + 1 if place > 1 else 1):
            self.report.find("settlement-missing", "settlement", number, "the one before it is missing")
        elif place > 1 and settlement["opened_at"] != all_of_them[place - 2]["closed_at"]:
            self.report.find("settlement-instants", "settlement", number, "it was not opened when the one before it was closed")
        if (settlement["state"] == "open") != is_last:
            self.report.find("settlement-state", "settlement", number, f"it is {settlement['state']}, and {'the last' if is_last else 'not the last'}")

    def check_day(self, settlement: Row) -> None:
        """It was over when somebody closed it by hand. A dispatcher closes it at `close_at`, which may be a time of the day itself."""
        day, zone = settlement["day"], settlement["zone"]
        if day is None:
            return
        try:
            first = datetime.combine(date.fromisoformat(day) + timedelta(days=settlement["closed_by"] != "dispatcher"), time.min, ZoneInfo(zone))
            is_early = settlement["closed_at"] < first.astimezone(timezone.utc).replace(tzinfo=None)
        except (LookupError, OSError):
            self.report.find("settlement-day", "settlement", settlement["number"],
                             f"it was closed for {day} in {zone}, a zone that this machine does not know (Debian's tzdata-legacy has former names)")
            return
        except (ValueError, OverflowError):
            self.report.find("settlement-day", "settlement", settlement["number"], f"there is no {day} in {zone}")
            return
        if is_early:
            self.report.find("settlement-day", "settlement", settlement["number"],
                             f"it was closed for {day} in {zone} at {instant(settlement['closed_at'])}, before it could be")

    def check_overdue(self, settlement: Row, before: list[Row], places: list[int | None]) -> None:
        """What was final is collected before a settlement is closed. Its event is older than the one of the settlement before, too: where a clock
        was ahead, the times alone do not say it. Where it was right again before that one, they say nothing. And it was sealed, so its
        transaction was not waiting for its commit."""
        if not before or settlement["opened_at"] - before[0]["at"] > CLOSE:
            return
        rows = [row for place in places for row in self.database.rows(OVERDUE, place, settlement["opened_at"])]
        for kind, (subject, state) in LAST_STATE.items():
            by_subject = {row["order_id" if subject == "order" else "id"]: row for row in rows if row["kind"] == kind}
            for event in self.database.among(f"SELECT MIN(id) AS id, subject_id FROM event_log WHERE subject = '{subject}' AND to_state = '{state}'"
                                             f" AND from_state <> to_state AND id < {before[0]['id']} AND subject_id IN %s GROUP BY subject_id", by_subject):
                if sealed(self.database, event["id"]) <= settlement["opened_at"] - CLOSE:
                    self.report.find("settlement-item-overdue", "transaction", by_subject[event["subject_id"]]["id"],
                                     f"was {kind} before settlement {settlement['number'] - 1} was closed, and is in none of that time")

    def check_settlement_events(self, settlement: Row, events: list[Row], first: int | None) -> None:
        """One event has what was computed after closing; settlements that were closed before schema 21 have none."""
        find, number = self.report.find, settlement["number"]
        expected = 1 if settlement["digest"] is not None and first is not None and number >= first else len(events[:1])
        if len(events) != expected:
            find("settlement-event", "settlement", number, f"the log has {len(events)} events of it, not {expected}")
        check_values(self.report, "settlement", settlement, events)
        for event in events[:1]:
            if event["actor"] != settlement["closed_by"]:
                find("settlement-value", "settlement", number, f"closed_by is {settlement['closed_by']}, the log says {event['actor']}")

    def check_content(self, settlement: Row) -> None:
        find, number = self.report.find, settlement["number"]
        collected = self.database.value("SELECT COUNT(*) FROM settlement_items WHERE settlement = %s", number)
        if collected != settlement["collected"]:
            find("settlement-count", "settlement", number, f"{settlement['collected']} operations were collected, it has {collected}")
        if settlement["digest"] is None:
            return
        sheet = Sheet(settlement)
        for row in self.database.stream(ITEMS, number):
            with self.report.reading("settlement_items", row):
                sheet.operation(row)
        digest = sheet.end()
        for kind, name in zip(KINDS, ("finalised", "cancelled", "refunded")):
            if sheet.counts[kind] != settlement[name]:
                find("settlement-count", "settlement", number, f"{settlement[name]} were {kind}, it has {sheet.counts[kind]}")
        if digest != settlement["digest"]:
            find("settlement-digest", "settlement", number, f"its operations have the digest {digest}, its row says {settlement['digest']}")
