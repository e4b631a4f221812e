"""Several dispatchers while half of the endpoints hang, drip or lie: the small form of tests/dispatch/crowd/run.py."""

from tests.dispatch.crowd.run import Crowd, run_crowd
from tests.stack.dispatch_rig import DispatchRig
from tests.stack.merchant_stub import MerchantStub


def test_healthy_ones_are_on_time_and_none_comes_twice(rig: DispatchRig, stub: MerchantStub) -> None:
    found = run_crowd(rig, stub, Crowd(dispatchers=3, each=200, merchants=16, seconds=4.0))
    assert found.healthy == 300 and found.twice == 0, found.lines()
    assert found.delays[0] >= 0, "none before its time"
    assert found.quantile(0.5) < 1.0 and found.delays[-1] < 8.0, found.lines()
