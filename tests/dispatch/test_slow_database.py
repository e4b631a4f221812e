"""A database that takes long for each statement is no hang of the dispatcher that waits for it."""

import pytest

from tests.stack import wait_until
from tests.stack.database_proxy import DatabaseProxy
from tests.stack.dispatch_rig import DispatchRig
from tests.stack.merchant_stub import MerchantStub, ok

STATEMENT_TAKES = 0.1
MERCHANTS = 64  # a claim may be for so many


@pytest.mark.slow
def test_many_merchants_are_due(rig: DispatchRig, stub: MerchantStub, proxy: DatabaseProxy) -> None:
    """Sixty-four questions, one a merchant, take more than the time of a hang; so would they in one claim."""
    proxy.answers_take = STATEMENT_TAKES
    url = stub.on("n", ok)
    for _ in range(MERCHANTS):
        rig.notify(rig.merchant(url))
    settings = {"database": {"socket": proxy.path, "read_timeout": "1s"}, "dispatcher": {"hang_after": "1s"}}
    with rig.dispatcher(settings) as dispatcher:
        wait_until(lambda: rig.count("delivered") == MERCHANTS or "no progress" in dispatcher.log_text(),
                   "all to be delivered", 120)
        assert "no progress" not in dispatcher.log_text()
    assert len(stub.requests) == len({request.id for request in stub.requests}) == MERCHANTS
