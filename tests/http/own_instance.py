"""Fixtures of a module that has an instance of its own: `stack = own_stack(SETTINGS)` and `world = own_world`."""

from typing import Any, Callable, Iterator

import pytest

from tests.stack import Stack

from world import World


def own_stack(settings: dict[str, Any]) -> Callable[[], Iterator[Stack]]:
    @pytest.fixture(scope="module")
    def stack() -> Iterator[Stack]:
        with Stack(settings=settings, dispatcher=False, buffer_pool="32M") as stack:
            yield stack

    return stack


@pytest.fixture(scope="module")
def own_world(stack: Stack) -> World:
    return World(stack)
