"""Waiting for conditions instead of sleeping."""

import time
from typing import Callable, TypeVar

Result = TypeVar("Result")


def wait_until(condition: Callable[[], Result | None], what: str, timeout: float = 60.0,
               pause: float = 0.01) -> Result:
    """Returns the first true result of `condition`; raises TimeoutError naming `what` after `timeout` seconds."""
    end = time.monotonic() + timeout
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() >= end:
            raise TimeoutError(f"waited {timeout:g} s for {what}")
        time.sleep(pause)
