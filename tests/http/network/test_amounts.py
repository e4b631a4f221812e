"""Amounts at registration: which texts are amounts, which amounts are equal, and that none is ever rounded."""

import pytest

from checked import CheckedNetwork, amount_text, expect
from tests.stack.client import registration_checksum
from world import COMMERCE, SERVICE_NAME, World

NO_AMOUNT = [
    "", " ", " 45000", "45000 ", "45000\u00a0", "+45000", "-45000", "--1", "45,000.00", "45.000,00", "45000,00",
    "45'000", "45_000",
    "4.5e4", "45000e0", "45e3", "0x1", "0b1", "45000.", ".5", ".", "45000..0", "45000.0.0", "45000.00000",
    "0045000.12345",
    "1234567890123456", "9" * 400, "NaN", "nan", "Infinity", "inf", "-0", "４５０００", "٤٥٠٠٠", "45000$", "$45000",
    "45000 COP",
    "cuarenta", "null", "45000;", "45000/1", "1/2", "1%"]


@pytest.mark.parametrize("amount", NO_AMOUNT)
@pytest.mark.parametrize("due", ["45000", "0"])
def test_text_that_is_no_amount(world: World, network: CheckedNetwork, amount: str, due: str) -> None:
    order = world.order(due)
    with world.nothing_written():
        expect(network.register(order.reference, amount, world.fresh(), COMMERCE), "0021", "amount")


@pytest.mark.parametrize("amount", ["45000", "45000.0", "45000.00", "045000",
                                    "000000000045000.00"])
def test_equal_amounts(world: World, network: CheckedNetwork, amount: str) -> None:
    order = world.order("45000")
    transaction = world.fresh()
    reply = expect(network.register(order.reference, amount, transaction, COMMERCE), "0000")
    assert amount_text(reply) == "45000.00"
    assert str(world.transaction(transaction)["amount"]) == "45000.0000"


@pytest.mark.parametrize("due, amount", [
    ("45000", "44999.99"), ("45000", "45000.01"), ("45000", "0"), ("45000", "450000"), ("45000", "4500"),
    ("45000", "45000.0001"), ("45000", "45000.000"), ("45", "45.000"), ("45000", "45000.0000"),
    ("0.10", "0.1001"), ("999999999999999.99", "999999999999999.98"), ("70368744177664.07", "70368744177664.08"),
    ("0.30", "0.3000000000000000444"), ("45000.50", "45000.5001")])
def test_amount_that_differs(world: World, network: CheckedNetwork, due: str, amount: str) -> None:
    order = world.order(due)
    with world.nothing_written():
        expect(network.register(order.reference, amount, world.fresh(), COMMERCE), "0021")


@pytest.mark.parametrize("amount", ["0", "0.0", "0.00", "000", "0.001", "0.0001", "100.005", "1.0001", "45.000"])
@pytest.mark.parametrize("target", ["order", "account"])
def test_open_amount_must_be_above_zero_and_payable(world: World, network: CheckedNetwork, amount: str,
                                                    target: str) -> None:
    reference, commerce = ((world.order("0").reference, COMMERCE) if target == "order"
                           else (world.account(), SERVICE_NAME))
    with world.nothing_written():
        expect(network.register(reference, amount, world.fresh(), commerce), "0021")


@pytest.mark.parametrize("amount, code", [("999.99", "0021"), ("1000", "0000"), ("1000.01", "0000"), ("5000", "0000"),
                                          ("5000.01", "0021"), ("0", "0021"), ("999999999999999.99", "0021")])
def test_limits_of_an_open_amount(world: World, network: CheckedNetwork, amount: str, code: str) -> None:
    order = world.order("0", min_amount="1000", max_amount="5000")
    expect(network.register(order.reference, amount, world.fresh(), COMMERCE), code)


@pytest.mark.parametrize("amount", ["0.01", "1.50", "999999999999999.99", "70368744177664.07"])
def test_top_up_amounts(world: World, network: CheckedNetwork, amount: str) -> None:
    transaction = world.fresh()
    reply = expect(network.register(world.account(), amount, transaction, SERVICE_NAME), "0000")
    assert amount_text(reply) == amount
    assert str(world.transaction(transaction)["amount"]) == amount.ljust(len(amount.partition(".")[0]) + 5, "0")


@pytest.mark.parametrize("sent, summed",
                         [("45000", "45000.00"), ("45000.0", "45000"), ("45000.00", "45000.0"), ("045000", "45000")])
def test_checksum_is_over_the_text_received(world: World, network: CheckedNetwork, sent: str, summed: str) -> None:
    order = world.order("45000")
    fields = network.registration(order.reference, sent, world.fresh(), COMMERCE)
    wrong = registration_checksum({**fields, "amount": summed}, network.fixed_hash)
    with world.nothing_written():
        expect(network.post({**fields, "checksum": wrong}), "0025")
    expect(network.post(fields), "0000")
