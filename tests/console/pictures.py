"""Draws the pictures of the console that README.md shows: PYTHONPATH=.:tests/console /usr/bin/python3 -m pictures doc/pictures"""

import sys
import tempfile
from pathlib import Path

from tests.browser.driven import Driven
from tests.stack import Stack
from tests.stack.merchant_stub import MerchantStub

from world import PASSWORD, World

SETTINGS = {"worker": {"cancel_window": "2s"}, "security": {"allow_addresses": "127.0.0.0/8"}}


def draw(world: World, browser: Driven, folder: Path) -> None:
    base = world.stack.console.base_url
    world.count_payments()
    for name, path, height in (("console-now", "/", 820), ("console-order", f"/orders/{world.orders['PO-refunded']}", 820)):
        browser.show_as(1100, "light", height)
        browser.open(f"{base}{path}?lang=en&zone=America/Bogota")
        browser.picture(folder / f"{name}.png")


def main(folder: Path) -> None:
    with MerchantStub() as stub, Stack(settings=SETTINGS, buffer_pool="64M", console=True) as stack, \
            tempfile.TemporaryDirectory() as directory, Driven(Path(directory), ("vera", PASSWORD)) as browser:
        draw(World(stack, stub), browser, folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
