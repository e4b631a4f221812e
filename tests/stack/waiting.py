"""Waiting for conditions instead of sleeping."""

import time
from typing import Callable, TypeVar

Result = TypeVar("Result")


LONGEST_PAUSE = 0.5


def wait_until(condition: Callable[[], Result | None], what: str, timeout: float = 60.0,
               pause: float = 0.01) -> Result:
    """Returns the first true result of `condition`; raises TimeoutError naming `what` after `timeout` seconds.

    It looks again after `pause`, and more rarely the longer it has waited: to look takes processor time from what is waited for.
    """
    begin = time.monotonic()
    while True:
        result = condition()
        if result:
            return result
        waited = time.monotonic() - begin
        if waited >= timeout:
            raise TimeoutError(f"waited {timeout:g} s for {what}")
        time.sleep(max(pause, min(waited / 20, LONGEST_PAUSE)))
