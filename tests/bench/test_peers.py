"""Every system that recaudo is compared with answers like recaudo: a peer that answered wrongly, or did less, would flatter or
shame without a reason. The floors refuse nothing, so they take part only in what must succeed."""

from pathlib import Path
from typing import Iterator

import pytest

from tests.bench import systems
from tests.bench.contest import Contest
from tests.bench.instance import Instance
from tests.bench.orders import COMMERCE, FIRST_ACCOUNT, FIRST_REFERENCE, NETWORK, OPEN_FROM, SERVICE, write_accounts, write_open_orders
from tests.bench.tools import Tools
from tests.stack import Network, Reply, Stack

SYSTEMS = ("recaudo", "node", "php", "floor", "loop")
COMPLETE = ("recaudo", "node", "php")


@pytest.fixture(scope="module")
def contest() -> Iterator[Contest]:
    systems.install_packages()
    with Stack(dispatcher=False, buffer_pool="64M") as stack, Instance(stack) as instance:
        with Contest(Tools(instance, 60.0), SYSTEMS, 1) as contest:
            contest.fill(200)
            contest.add_special(50)
            yield contest


@pytest.fixture(scope="module")
def orders(contest: Contest) -> Path:
    """For the load generator; the tests of refusals use the first 200."""
    return contest.fill(400)


@pytest.fixture(params=COMPLETE)
def network(contest: Contest, request: pytest.FixtureRequest) -> Iterator[Network]:
    secret = contest.instance.hash_file.read_text().strip()
    with Network(contest.systems[request.param].url, NETWORK, secret) as network:
        yield network


@pytest.mark.parametrize("name", SYSTEMS)
def test_payments(contest: Contest, orders: Path, name: str) -> None:
    """With what each of them costs: somebody worked, and something was written."""
    run = contest.ways()[name]
    database_us = load_us = 0.0
    for mode, skip in (("lookup", 0), ("register", 0), ("flow", 200)):
        result = run(mode, orders, requests=100, skip=skip, connections=40, transactions=f"{name}-{mode}")
        count = 300 if mode == "flow" else 100
        assert (result["wrong"], result["codes"]) == (0, {"0000": count}), result["first_failure"]
        assert result["operations"][mode]["count"] == 100
        database_us, load_us = database_us + result["cost"]["database_us"], load_us + result["cost"]["load_us"]
    confirmed = run("confirm", orders, requests=100, connections=8, transactions=f"{name}-register")
    assert (confirmed["wrong"], confirmed["codes"]) == (0, {"0000": 100}), confirmed["first_failure"]
    cost = result["cost"]
    # The kernel counts in ticks of 10 ms, and 300 requests may cost each process less than one.
    assert cost["redo_bytes"] > 0 and database_us > 0 and load_us > 0
    assert cost["worker_us"] > 0 or name in ("loop", "floor", "recaudo", "php")
    assert cost["statements"] > 2.9 and cost["rows_written"] >= 2


def test_the_floor_is_one_statement(contest: Contest, orders: Path) -> None:
    for name in ("floor", "loop"):
        for mode in ("lookup", "register", "confirm"):
            cost = contest.ways()[name](mode, orders, requests=50, skip=100, connections=4, transactions=f"one-{name}")["cost"]
            assert cost["statements"] == pytest.approx(1, abs=0.3), (name, mode)


def test_the_mix(contest: Contest, orders: Path) -> None:
    """The load generator demands the CODE of each refusal."""
    looked_up = contest.instance.stack.directory / "orders-1-200"
    lines = looked_up.read_text().splitlines(keepends=True)
    looked_up.write_text("".join(lines[100:]))
    special = contest.instance.stack.directory
    files = {"looked-up": looked_up, "open": write_open_orders(special / "open", 11, 50), "accounts": write_accounts(special / "accounts")}
    for name in COMPLETE:
        result = contest.ways()[name]("mix", orders, requests=600, skip=300, connections=8, **files)
        assert result["wrong"] == 0, (name, result["first_failure"])
        requests, lookups = sum(result["codes"].values()), result["operations"]["lookup"]["count"]
        assert 0.6 < lookups / requests < 0.8 and 0.05 < result["codes"]["0101"] / lookups < 0.17
        assert set(result["operations"]) >= {"lookup", "register", "confirm", "cancel", "mix"}
        assert result["operations"]["mix"]["count"] == requests


def registration(network: Network, transaction: str, number: int, **changes: str) -> dict[str, str]:
    """Of the order with this number."""
    amount = f"{1000 + number}.{number % 100:02d}"
    fields = {"reference": str(FIRST_REFERENCE + number), "amount": amount, "transaction": transaction, "commerce": COMMERCE,
              "teller": "t", "money": "COP", **changes}
    return network.registration(**fields)


def post(network: Network, fields: dict[str, str]) -> Reply:
    return network.send_json("POST", "/v1/transactions/", fields)


def test_refusals(network: Network) -> None:
    """Each of them changes nothing: afterwards the same order is paid."""
    def register(transaction: str, **changes: str) -> str:
        return post(network, registration(network, transaction, 7, **changes)).code

    assert network.lookup("99999").code == "0101"
    assert network.lookup(str(FIRST_REFERENCE + 7)).code == "0000"
    assert register("a", amount="1.00") == "0021"
    assert register("a", amount="1007.070") == "0021"
    assert register("a", commerce="Otro") == "0111"
    assert register("a", money="USD") == "0023"
    assert register("a", reference="99999") == "0101"
    assert network.confirm("a").code == "0013"
    assert register("a") == "0000"
    assert network.confirm("a").code == "0000"


def test_states(network: Network) -> None:
    first, second = registration(network, "s1", 8), registration(network, "s2", 8)
    made = post(network, first)
    again = post(network, first)
    assert made.code == again.code == "0000" and made.data["IDSERVICE"] == again.data["IDSERVICE"]
    assert post(network, registration(network, "s1", 9)).code == "0016"
    assert post(network, second).code == "0000"
    assert network.confirm("s1").code == "0000"
    assert network.confirm("s1").code == "0000"
    assert network.lookup(first["reference"]).code == "0106"
    assert network.confirm("s2").code == "0106"
    assert post(network, registration(network, "s3", 8)).code == "0106"
    assert post(network, first).code == "0000"
    assert network.confirm("s1", False).code == "0000"
    assert network.confirm("s1").code == "0014"
    assert network.confirm("s2").code == "0000"


def test_open_amounts_and_top_ups(network: Network) -> None:
    opened, account = str(OPEN_FROM + 3), str(FIRST_ACCOUNT + 3)
    for number, (reference, commerce) in enumerate(((opened, COMMERCE), (account, SERVICE))):
        found = network.lookup(reference)
        assert found.code == "0000" and float(found.data["AMOUNT"]) == 0
        assert post(network, registration(network, f"o{number}", 0, reference=reference, commerce=commerce, amount="0")).code == "0021"
        made = post(network, registration(network, f"o{number}", 0, reference=reference, commerce=commerce, amount="250.5"))
        assert made.code == "0000" and '"AMOUNT":250.50' in made.text.replace(": ", ":")
        assert network.confirm(f"o{number}").code == "0000"
    assert found.data["NAME"] == "Ana" and found.data["DI"] == account


def test_wrong_checksums(network: Network) -> None:
    changed = registration(network, "w", 11)
    changed["checksum"] = changed["checksum"][:-1] + ("0" if changed["checksum"][-1] != "0" else "1")
    assert post(network, changed).code == "0025"
    with Network(f"http://{network.host}:{network.port}", NETWORK, "another secret") as stranger:
        assert stranger.lookup(str(FIRST_REFERENCE + 11)).code == "0025"
        assert stranger.confirm("w").code == "0025"
