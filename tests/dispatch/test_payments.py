"""From a network's confirmation to the merchant: not before the window has closed, and not much later."""

from typing import Iterator

import pytest

import tests.stack.merchant_stub as stub_of
from tests.stack.dispatch_rig import DispatchRig
from tests.stack.merchant_stub import MerchantStub
from tests.stack import Stack, wait_until

PAYMENTS = 100


@pytest.fixture
def paying() -> Iterator[DispatchRig]:
    with Stack(settings={"worker": {"cancel_window": "2s"}}, dispatcher=False) as stack:
        rig = DispatchRig(stack)
        yield rig
        rig.stop_all()


def confirmed(rig: DispatchRig) -> list[dict[str, object]]:
    return rig.rows("SELECT t.order_id, t.window_ends_at FROM transactions t WHERE t.confirmed_at IS NOT NULL")


def pay(rig: DispatchRig, merchant_name: str, count: int, confirm_false: bool = False) -> None:
    name = f"red-{merchant_name}-{confirm_false}"
    network = rig.stack.network(name, rig.stack.ctl.json("network", "add", name)["fixed_hash"])
    for number in range(count):
        order = rig.stack.ctl.json("order", "add", "--merchant", merchant_name, "--order", f"p-{confirm_false}-{number}",
                                        "--amount", "45000", "--currency", "COP", "--due", "2030-01-01T00:00:00Z")
        transaction = f"t-{confirm_false}-{number}"
        assert network.register(order["reference"], "45000", transaction, f"Tienda {merchant_name}").code == "0000"
        assert network.confirm(transaction).code == "0000"
        if confirm_false:
            assert network.confirm(transaction, False).code == "0000"


def test_on_time(paying: DispatchRig, stub: MerchantStub) -> None:
    merchant = paying.merchant(stub.on("a", stub_of.ok))
    with paying.dispatcher({"worker": {"cancel_window": "2s"}}):
        pay(paying, merchant.name, PAYMENTS)
        stub.await_requests(PAYMENTS)
    ends = {row["order_id"]: row["window_ends_at"] for row in confirmed(paying)}
    late = sorted((request.arrived - ends[request.message["pv_po_id"]]).total_seconds() for request in stub.requests)
    assert len(late) == PAYMENTS and late[0] >= 0
    assert late[PAYMENTS // 2] < 1.0 and late[-1] < 15, late  # a busy machine holds up some


def test_cancelled_inside_the_window_tells_nobody(paying: DispatchRig, stub: MerchantStub) -> None:
    merchant = paying.merchant(stub.on("a", stub_of.ok))
    with paying.dispatcher({"worker": {"cancel_window": "2s"}}):
        pay(paying, merchant.name, 3, confirm_false=True)
        pay(paying, merchant.name, 1)
        wait_until(lambda: len(stub.requests) == 1, "the payment that was not cancelled")
    assert paying.value("SELECT COUNT(*) FROM notifications") == 1
