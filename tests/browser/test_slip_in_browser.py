"""The payment slip as a customer's browser shows and prints it, and as a scanner at the counter reads it."""

from pathlib import Path
from typing import Iterator

import pytest

from tests.stack import Stack, wait_until

from . import png
from .chromium import Chromium, codes_in
from .shop import Shop

# The longest reference, a usual one, the shortest.
LONG, USUAL, SHORT = "1234567890123456789012345", "90971234567890", "7"
LONGEST = {"reference": "9876543210987654321098765", "amount": "999999999999999.99", "description": "Muy largo " * 25}
# Width, height and pixels per pixel of the page.
DESKTOP, PHONE, DENSE_PHONE = (1280, 1000, 1), (360, 1400, 1), (360, 1400, 3)


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    with Stack(settings={"worker": {"cancel_window": "10m"}}, dispatcher=False, buffer_pool="16M", web="nginx") as stack:
        yield Shop(stack)


@pytest.fixture
def chromium(tmp_path: Path) -> Chromium:
    return Chromium(tmp_path)


def requests_served(shop: Shop) -> int:
    """But for its own. Lines of the access log leave together, in their order."""
    with shop.stack.client() as client:
        number = client.request("GET", "/healthz").headers["X-Request-Id"]
    log = shop.stack.web.access_log
    wait_until(lambda: number in log.read_text(), "the access log")
    return sum("/healthz" not in line for line in log.read_text().splitlines())


@pytest.fixture(scope="module")
def slips(shop: Shop) -> dict[str, str]:
    return {reference: shop.order(f"scan-{reference}", reference=reference) for reference in (LONG, USUAL, SHORT)}


@pytest.mark.parametrize("reference, screen", [(LONG, PHONE), (USUAL, PHONE), (SHORT, PHONE), (LONG, DESKTOP), (USUAL, DESKTOP),
                                               (LONG, DENSE_PHONE)])
def test_both_codes_can_be_scanned(shop: Shop, slips: dict[str, str], chromium: Chromium, tmp_path: Path, reference: str,
                                   screen: tuple[int, int, int]) -> None:
    """One request, nothing on the console, and the codes say the reference."""
    served = requests_served(shop)
    console = chromium.screenshot(slips[reference], tmp_path / "slip.png", *screen)
    assert console == ""
    assert requests_served(shop) == served + 1
    assert codes_in(tmp_path / "slip.png") == {"CODE-128": reference, "QR-Code": reference}


def test_much_text_fits(shop: Shop, chromium: Chromium, tmp_path: Path) -> None:
    """On a phone nothing reaches into the margin; it prints on one sheet of Letter, which is lower than A4 and not narrower
    than the page's widest line."""
    slip = shop.order("o" * 200, **LONGEST)
    assert chromium.screenshot(slip, tmp_path / "slip.png", 360, 1600) == ""
    margin = {pixel for row in png.rows(tmp_path / "slip.png") for pixel in row[:12] + row[-12:]}
    assert margin == {(255, 255, 255)}
    assert chromium.print_pages(slip) == 1


def test_what_is_paid_is_not_to_be_scanned(shop: Shop, chromium: Chromium, tmp_path: Path) -> None:
    slip = shop.order("paid", "45000", reference="555666777888")
    picture = tmp_path / "slip.png"
    chromium.screenshot(slip, picture, 360, 1000)
    assert len(codes_in(picture)) == 2
    shop.pay("555666777888", "45000")
    assert chromium.screenshot(slip, picture, 360, 1000) == ""
    assert codes_in(picture) == {}


def test_a_refusal_is_a_whole_page_too(shop: Shop, chromium: Chromium, tmp_path: Path) -> None:
    assert chromium.screenshot(f"{shop.stack.base_url}/pay?token=none", tmp_path / "page.png", 360, 800) == ""
    colours = {pixel for row in png.rows(tmp_path / "page.png") for pixel in row}
    assert len(colours) > 10
