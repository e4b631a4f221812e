"""References of new orders keep clear of those that merchants answer for themselves in external queries."""

import time
from typing import Iterator

import pytest

from asked import await_in_force
from checked import CheckedMerchant, expect
from tests.stack import Stack
from world import COMMERCE, MERCHANT, World

OWN, OTHER = "91", "92"


@pytest.fixture(scope="module")
def covered() -> Iterator[World]:
    """Another merchant answers for what begins with 1 to 8 and with 92, ours for what begins with 91."""
    with Stack(dispatcher=False, buffer_pool="32M") as stack:
        world = World(stack)
        world.add_merchant("other", COMMERCE)
        for code in (*"12345678", OTHER, OWN):
            name = MERCHANT if code == OWN else "other"
            merchant_id = world.value("SELECT id FROM merchants WHERE name = %s", name)
            world.insert("integrations", merchant_id=merchant_id, kind=2, code=code, endpoint="http://127.0.0.1:9/",
                         currency="COP", changed_by="test")
        await_in_force(time.monotonic())
        yield world


@pytest.fixture
def merchant(covered: World) -> Iterator[CheckedMerchant]:
    with covered.connect_merchant() as merchant:
        yield merchant


def test_assigned(covered: World, merchant: CheckedMerchant) -> None:
    """One draw in nine or so is free."""
    assigned = []
    for _ in range(40):
        reply = expect(merchant.post(merchant.porder(covered.fresh("po"), covered.day())), "0000")
        assigned.append(reply.data["Referencia"])
    assert all(reference[0] == "9" and reference[:2] not in (OWN, OTHER) for reference in assigned)


@pytest.mark.parametrize("reference, code", [(OTHER + "0000001", "0043"), ("1" * 16, "0043"), (OWN + "0000001", "0000"),
                                             (OTHER + "000002", "0000"), ("1" * 17, "0000"), ("900000001", "0000")])
def test_given(covered: World, merchant: CheckedMerchant, reference: str, code: str) -> None:
    """A prefix covers 9 to 16 digits; a merchant may register what it answers for itself."""
    expect(merchant.post(merchant.porder(covered.fresh("po"), covered.day(), reference=reference)), code)


def test_changed(covered: World, merchant: CheckedMerchant) -> None:
    order = covered.fresh("po")
    expect(merchant.post(merchant.porder(order, covered.day(), reference="900000777")), "0000")
    expect(merchant.patch(merchant.porder(order, covered.day(), reference=OTHER + "0000777")), "0043")
    expect(merchant.patch(merchant.porder(order, covered.day(), reference=OWN + "0000777")), "0000")
