"""The orders and accounts that every system is filled with: the same references and amounts everywhere."""

from pathlib import Path

NETWORK = "bench"
MERCHANT = "bench"
COMMERCE = "Comercio de prueba"
SERVICE = "recaudo"
FIRST_REFERENCE = 7_000_000_000
OPEN_FROM = 8_000_000_000  # of orders whose amount the customer chooses
FIRST_ACCOUNT = 5_000_000
ACCOUNTS = 500
OPEN_AMOUNT = "25000.00"
SAMPLE = 100_000  # orders that are looked up where there are more
ROWS = {"reference": f"{FIRST_REFERENCE} + seq", "amount": "CONCAT(1000 + seq MOD 90000, '.', LPAD(seq MOD 100, 2, '0'))",
        "commerce": COMMERCE}


def line(number: int) -> str:
    """The order with this number, for the load generator."""
    return f"{FIRST_REFERENCE + number}\t{1000 + number % 90000}.{number % 100:02d}\t{COMMERCE}\tCOP\n"


def write_orders(path: Path, first: int, last: int, most: int | None = None) -> Path:
    """The orders number `first` to `last`; about `most` of them, evenly spread, where they are more."""
    step = 1 if most is None else max(1, (last - first + 1) // most)
    with open(path, "w") as file:
        file.writelines(line(number) for number in range(first, last + 1, step))
    return path


def write_open_orders(path: Path, first: int, last: int) -> Path:
    path.write_text("".join(f"{OPEN_FROM + number}\t{OPEN_AMOUNT}\t{COMMERCE}\tCOP\n" for number in range(first, last + 1)))
    return path


def write_accounts(path: Path) -> Path:
    path.write_text("".join(f"{FIRST_ACCOUNT + number}\t{OPEN_AMOUNT}\t{SERVICE}\tCOP\n" for number in range(1, ACCOUNTS + 1)))
    return path
