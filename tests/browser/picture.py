"""Draws the picture of a slip that README.md shows: /usr/bin/python3 -m tests.browser.picture doc/pictures/slip.png"""

import sys
import tempfile
from pathlib import Path

from tests.stack import Stack

from .chromium import Chromium
from .shop import Shop


def draw(picture: Path) -> None:
    with Stack(dispatcher=False, buffer_pool="16M", web="nginx") as stack, tempfile.TemporaryDirectory() as directory:
        slip = Shop(stack).order("PO-2117", "120000", reference="90971234567890", language="en",
                                 description="Zapatos rojos, talla 38")
        Chromium(Path(directory)).screenshot(slip, picture.resolve(), 700, 720)


if __name__ == "__main__":
    draw(Path(sys.argv[1]))
