"""Who was told that an order is paid, and what was said of it afterwards."""

from typing import Iterator

from ..evidence import Row
from ..facts import Facts, Findings
from ..history import Entry

PAID, GIVEN_BACK = "paid", "given back"
NETWORK_KINDS = ("lookup", "register", "confirm")
SAID_BY_CODE = {"0102": PAID, "0105": GIVEN_BACK, "0103": "expired", "0104": "deleted", "0106": "held"}
SAID_BY_STATE = {"APROBADA": PAID, "ANULADA": GIVEN_BACK, "PENDIENTE": "pending", "VENCIDA": "expired",
                 "CANCELADA": "deleted"}
SAID_BY_SLIP = {"Pagada": PAID, "Pago en confirmaci\u00f3n": "held", "Pendiente de pago": "pending", "Vencida": "expired",
                "Cancelada": "deleted or given back"}


def statement_of(entry: Entry) -> str:
    """What an answer says of its order; "" where it says nothing."""
    if entry.kind == "consult" and entry.is_ok and isinstance(entry.data, dict):
        return SAID_BY_STATE.get(entry.data.get("STATE", ""), "")
    if entry.kind == "slip" and entry.is_ok and isinstance(entry.data, dict):
        return SAID_BY_SLIP.get(entry.data.get("STATE", ""), "")
    if entry.kind == "lookup" and entry.is_ok:
        return "payable"
    return SAID_BY_CODE.get(entry.outcome, "") if entry.kind in NETWORK_KINDS else ""


def statements(facts: Facts) -> Iterator[tuple[Row, Entry, str]]:
    """Every answer that says something of an order. A reference that several orders have had says it of none for certain."""
    for entry in facts.evidence.history:
        said = statement_of(entry)
        order = _order_of(facts, entry) if said else None
        if order is not None:
            yield order, entry, said


def _order_of(facts: Facts, entry: Entry) -> Row | None:
    if entry.kind in ("consult", "slip"):
        return facts.orders_by_number.get((entry.who, entry.key))
    if entry.kind == "confirm":
        payment = facts.transactions.get((entry.who, entry.key))
        return facts.orders.get(payment["order_id"]) if payment is not None else None
    reference = entry.key if entry.kind == "lookup" else entry.fields.get("reference")
    orders = facts.orders_by_reference.get(str(reference), [])
    return orders[0] if len(orders) == 1 and orders[0]["origin"] != "external" else None


def told_paid(facts: Facts) -> dict[int, float]:
    """From when on somebody knew that an order is paid. (6 and 20 are about what was told inside the window.)"""
    tellings = [(order["id"], entry.ended) for order, entry, said in statements(facts) if said == PAID]
    tellings += [(message.fields["pv_po_id"], message.at) for message in facts.evidence.sink
                 if message.fields["status"] == "approved"]
    told: dict[int, float] = {}
    for order, at in tellings:
        ends = [row["window_ends_at"] for row in facts.payments.get(order, []) if row["window_ends_at"]]
        if not ends or at >= min(ends):
            told[order] = min(told.get(order, at), at)
    return told


def paid_is_told_as_written(facts: Facts) -> Findings:
    """21: whoever is told that an order is paid is told so after that is written."""
    written = {row["order_id"]: row["finalised_at"] for row in facts.transactions.values() if row["finalised_at"]}
    for order, at in told_paid(facts).items():
        if order in facts.orders and (order not in written or at < written[order] - facts.evidence.apart):
            yield 21, f"order {order} was told as paid, and that was not written"


def paid_stays_paid(facts: Facts) -> Findings:
    """21: after that nobody is told anything else, but that the money was given back."""
    told = told_paid(facts)
    for order, entry, said in statements(facts):
        since = told.get(order["id"])
        if since is None or entry.sent <= since or said == PAID:
            continue
        if order["state"] != "ANULADA" or "given back" not in said:
            yield 21, f"order {order['id']} was told as paid; {entry.sent - since:.3f} s later a {entry.kind} said {said}"


RULES = (paid_is_told_as_written, paid_stays_paid)
