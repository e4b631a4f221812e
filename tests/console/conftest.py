"""One instance with the console and a small world in it, for all tests of pages that only read."""

from typing import Iterator

import pytest

from tests.stack import Stack
from tests.stack.merchant_stub import MerchantStub
from tests.stack.inspection.observable import stay_observable

from browsing import DISABLED, MINE, OTHERS, ROLES, STRANGER, Browser
from world import World


def pytest_configure() -> None:
    stay_observable()


@pytest.fixture(scope="session")
def world() -> Iterator[World]:
    settings = {"worker": {"cancel_window": "2s"}, "security": {"allow_addresses": "127.0.0.0/8"}}
    with MerchantStub() as stub, Stack(settings=settings, buffer_pool="64M", console=True) as stack:
        yield World(stack, stub)


@pytest.fixture(scope="session", params=["nginx", "apache"])
def browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    with Stack(dispatcher=False, buffer_pool="64M", web=request.param, console=True) as stack:
        for merchant in (MINE, OTHERS):
            stack.ctl.done("merchant", "add", merchant)
        for role in ROLES:
            stack.ctl.done("user", "add", role, "--role", role, *(["--merchant", MINE] if role == "merchant" else []))
        stack.ctl.done("user", "add", DISABLED, "--role", "operator")
        stack.ctl.done("user", "disable", DISABLED)
        stack.console.write_users({name: f"password of {name}" for name in (*ROLES, DISABLED, STRANGER)})
        yield Browser(stack)
