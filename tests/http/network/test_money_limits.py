"""What a network may confirm in a day, and owe: to the last cent, whoever confirms at the same time, whatever is killed."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from decimal import ROUND_DOWN, Decimal
from functools import partial
from typing import Any, Iterator

import pymysql
import pytest

from checked import CheckedNetwork, expect
from conftest import LONG_WINDOW_SECONDS
from tests.stack import Stack, wait_until
from tests.stack.invariants import check_invariants
from together import at_once, connected
from world import COMMERCE, NETWORK, OTHER_NETWORK, SERVICE_NAME, World

LOCK_WAITS = "SELECT 1 FROM information_schema.INNODB_LOCK_WAITS"


@pytest.fixture(scope="module")
def arena() -> Iterator[World]:
    settings = {"worker": {"cancel_window": f"{LONG_WINDOW_SECONDS}s", "processes": 2, "connections": 6}}
    with Stack(settings=settings, dispatcher=False, buffer_pool="32M") as stack:
        yield World(stack)


@pytest.fixture(autouse=True)
def counted_exactly(arena: World) -> Iterator[None]:
    yield
    check_invariants(arena, LONG_WINDOW_SECONDS)
    for network in (NETWORK, OTHER_NETWORK):
        limit(arena, network, "--day", "none", "--outstanding", "none")


def limit(arena: World, network: str, *options: str) -> list[dict[str, Any]]:
    shown = arena.stack.ctl.json("network", "limit", network, "COP", *options)
    return shown["money_limits"]  # type: ignore[no-any-return]


def set_room(arena: World, room: str, kind: str = "day") -> Decimal:
    """Sets a limit that leaves so much; returns what was used before."""
    limit(arena, NETWORK, f"--{kind}", "999999999999")
    used = Decimal(str(used_now(arena, kind)))
    limit(arena, NETWORK, f"--{kind}", f"{used + Decimal(room):.2f}")
    return used


def used_now(arena: World, kind: str = "day", network: str = NETWORK) -> Decimal:
    return arena.value(f"SELECT {kind}_used FROM network_limits_now WHERE network = %s", network)  # type: ignore[no-any-return]


def registered(arena: World, network: CheckedNetwork, amount: str = "100.01") -> str:
    order = arena.order(amount=amount)
    transaction = arena.fresh()
    expect(network.register(order.reference, amount, transaction, COMMERCE), "0000")
    return transaction


@pytest.mark.parametrize("kind", ["day", "outstanding"])
def test_to_the_last_cent(arena: World, kind: str) -> None:
    with arena.connect() as network:
        used = set_room(arena, "200.02", kind)
        first, second, third = (registered(arena, network) for _ in range(3))
        cent = registered(arena, network, "0.01")
        expect(network.confirm(first), "0000")
        expect(network.confirm(second), "0000")
        assert used_now(arena, kind) == used + Decimal("200.02")
        name = {"day": "the limit of the day", "outstanding": "the outstanding limit"}[kind]
        expect(network.confirm(third), "0113", f"exceeds a limit of the network: {name} in COP has too little left for it")
        expect(network.confirm(cent), "0113", name)
        expect(network.confirm(first), "0000")
        expect(network.confirm(second, False), "0000")
        expect(network.confirm(third), "0000")
        expect(network.confirm(cent), "0113")
        limit(arena, NETWORK, f"--{kind}", f"{used + Decimal('200.03'):.2f}")
        expect(network.confirm(cent), "0000")


def test_top_ups_count(arena: World) -> None:
    with arena.connect() as network:
        set_room(arena, "100")
        for code in ("0000", "0113"):
            transaction = arena.fresh()
            expect(network.register(arena.account(), "60", transaction, SERVICE_NAME), "0000")
            reply = expect(network.confirm(transaction), code)
        assert "the limit of the day in COP" in reply.text


def test_rows_that_somebody_holds_are_told_of(arena: World) -> None:
    """The reply says only to try again. The log says it once for all tries of a request."""
    def told() -> int:
        return arena.stack.worker.log_text().count("gave up waiting for a row that another session has locked: database.md")

    with arena.connect() as network, arena.stack.mariadb.connect() as holder, holder.cursor() as cursor:
        set_room(arena, "1000")
        transaction = registered(arena, network)
        assert told() == 0
        cursor.execute("BEGIN")
        cursor.execute("SELECT * FROM network_rooms FOR UPDATE")
        expect(network.confirm(transaction), "0028")
        wait_until(lambda: told() > 0, "the line about the row")
        assert told() == 1
        holder.rollback()
        expect(network.confirm(transaction), "0000")


def test_other_networks_and_currencies_are_free(arena: World) -> None:
    with arena.connect() as network, arena.connect(OTHER_NETWORK) as other:
        set_room(arena, "0")
        expect(network.confirm(registered(arena, network)), "0113")
        expect(other.confirm(registered(arena, other)), "0000")


@pytest.mark.parametrize("room, taken", [("450.00", 4), ("499.99", 4), ("500.00", 5), ("1600.00", 16)])
def test_many_at_once_never_exceed(arena: World, room: str, taken: int) -> None:
    """As many as fit, exactly: nobody is refused while there is room."""
    with connected(arena, [NETWORK] * 20) as clients:
        transactions = [registered(arena, client, "100.00") for client in clients]
        used = set_room(arena, room)
        replies = at_once([partial(client.confirm, transaction) for client, transaction in zip(clients, transactions)])
        while busy := [at for at, reply in enumerate(replies) if reply.code == "0028"]:
            for at in busy:
                replies[at] = clients[at].confirm(transactions[at])
        assert Counter(reply.code for reply in replies) == {"0000": taken, "0113": 20 - taken}
        assert used_now(arena) == used + 100 * taken


def test_limits_that_are_removed_while_another_sets_them(arena: World) -> None:
    """One who sets limits has done the first two of the three steps; another one removes them, a payment is confirmed, and another
    one sets them again. The payment is counted: its transaction is under way when the third step is done."""
    with arena.connect() as network, arena.stack.mariadb.connect() as setter, arena.stack.mariadb.connect() as payer:
        limit(arena, NETWORK, "--day", "999999")
        transaction = registered(arena, network)
        number = arena.value("SELECT id FROM networks WHERE name = %s", NETWORK)

        def ask(connection: Any, *statements: str) -> None:
            with connection.cursor() as cursor:
                for statement in statements:
                    cursor.execute(statement)

        begin = f"SELECT network_limit_begin({number}, 'COP')"
        ask(setter, begin, "SELECT network_limit_settle()")
        limit(arena, NETWORK, "--day", "none", "--outstanding", "none")
        payer.begin()
        ask(payer, f"SELECT payment_confirm({number}, '{transaction}', 'network:{NETWORK}')")
        with ThreadPoolExecutor(1) as apart:
            setting = apart.submit(ask, setter, begin, f"SELECT network_limit_set({number}, 'COP', 999999, NULL, history_end('network', {number}), 'x')")
            wait_until(lambda: setting.done() or arena.stack.mariadb.query(LOCK_WAITS, account="root"),
                       "the limit to be set, or to wait for the payment",
                       pause=0.2)  # the server shows this table anew only when nobody has read it for a tenth of a second
            payer.commit()
            setting.result()
        check_invariants(arena, LONG_WINDOW_SECONDS)


def test_first_limit_after_none_counts_what_another_node_was_confirming(arena: World) -> None:
    """Locks do not cross nodes: the first step is done without waiting for the payment, which has looked for portions already."""
    name = arena.fresh("nodo")
    arena.add_network(name)
    number = arena.value("SELECT id FROM networks WHERE name = %s", name)
    with arena.connect(name) as network, arena.stack.mariadb.connect() as setter, arena.stack.mariadb.connect() as payer:
        transaction = registered(arena, network, "100.00")
        payer.begin()
        payer.query(f"SELECT payment_confirm({number}, '{transaction}', 'network:{name}')")
        for step in (f"network_limit_begin({number}, 'COP')",
                     f"network_limit_set({number}, 'COP', NULL, NULL, history_end('network', {number}), 'x')"):
            setter.query(f"SELECT {step}")
        payer.commit()
        limit(arena, name, "--day", "999999", "--outstanding", "999999")
        assert (used_now(arena, "day", name), used_now(arena, "outstanding", name)) == (100, 100)
        limit(arena, name, "--day", "none", "--outstanding", "none")


def test_setting_a_limit_while_others_confirm(arena: World) -> None:
    """Whatever is under way is counted."""
    with connected(arena, [NETWORK] * 6) as clients:
        over = threading.Event()

        def go_on(client: CheckedNetwork) -> None:
            while not over.is_set():
                transaction = registered(arena_of(client), client, "1.00")
                assert client.confirm(transaction).code in ("0000", "0028", "0113")

        worlds = {id(client): World.__new__(World) for client in clients}
        for world in worlds.values():
            world.__dict__ = dict(arena.__dict__, database=arena.stack.mariadb.connect())

        def arena_of(client: CheckedNetwork) -> World:
            return worlds[id(client)]

        def set_often() -> None:
            try:
                for _ in range(3):
                    limit(arena, NETWORK, "--day", "999999", "--outstanding", "999999")
                    check_invariants(arena, LONG_WINDOW_SECONDS)
                    limit(arena, NETWORK, "--day", "none", "--outstanding", "none")
                limit(arena, NETWORK, "--day", "999999", "--outstanding", "999999")
            finally:
                over.set()

        at_once([set_often, *[partial(go_on, client) for client in clients]])
    check_invariants(arena, LONG_WINDOW_SECONDS)


def test_a_killed_worker_keeps_nothing(arena: World) -> None:
    set_room(arena, "99999999")
    with connected(arena, [NETWORK] * 6) as clients:
        transactions = [[registered(arena, client, "7.00") for _ in range(10)] for client in clients]

        def confirm_all(client: CheckedNetwork, mine: list[str]) -> None:
            for transaction in mine:
                try:
                    client.confirm(transaction)
                except (OSError, AssertionError):
                    return

        at_once([arena.stack.worker.kill,
                 *[partial(confirm_all, client, mine) for client, mine in zip(clients, transactions)]])
    arena.stack.worker.spawn()
    arena.stack.worker.await_ready()
    check_invariants(arena, LONG_WINDOW_SECONDS)


def test_a_new_day_begins_with_the_whole_limit(arena: World) -> None:
    with arena.connect() as network:
        set_room(arena, "100.00")
        yesterday = registered(arena, network, "60.00")
        expect(network.confirm(yesterday), "0000")
        bound = arena.value("SELECT day_limit FROM network_limits_now WHERE network = %s", NETWORK)
        # As if all that were yesterday.
        arena.write("UPDATE network_rooms SET day = day - INTERVAL 1 DAY")
        arena.write("UPDATE transactions SET confirmed_at = confirmed_at - INTERVAL 1 DAY WHERE confirmed_at IS NOT NULL")
        assert used_now(arena) == 0
        expect(network.confirm(registered(arena, network, f"{bound - 1:.2f}")), "0000")
        expect(network.confirm(registered(arena, network, "1.01")), "0113")
        expect(network.confirm(yesterday, False), "0000")
        expect(network.confirm(registered(arena, network, "1.01")), "0113")
        expect(network.confirm(registered(arena, network, "1.00")), "0000")
        arena.write("UPDATE network_rooms SET day = day + INTERVAL 1 DAY")
        assert network.confirm(registered(arena, network, "1.00")).code == "0028"  # of a day that others have left behind
        arena.write("UPDATE network_rooms SET day = day - INTERVAL 1 DAY")
    # So that windows have their length again.
    arena.write("UPDATE transactions SET confirmed_at = confirmed_at + INTERVAL 1 DAY"
                " WHERE window_ends_at > confirmed_at + INTERVAL 12 HOUR")
    limit(arena, NETWORK, "--day", "none")


def test_what_is_remitted_is_room_again(arena: World) -> None:
    ctl = arena.stack.ctl
    with arena.connect() as network:
        used = set_room(arena, "100.00", "outstanding")
        expect(network.confirm(registered(arena, network, "100.00")), "0000")
        waiting = registered(arena, network, "30.00")
        expect(network.confirm(waiting), "0113")
        ctl.done("network", "remit", NETWORK, "COP", "30.00", "--reason", "deposit 17")
        expect(network.confirm(waiting), "0000")
        assert used_now(arena, "outstanding") == used + 100
        too_much = ctl.run("network", "remit", NETWORK, "COP", f"{used + Decimal('100.01'):.2f}")
        assert too_much.returncode == 1 and "more than the network owes" in too_much.stderr
        ctl.done("network", "remit", NETWORK, "COP", f"{used + 100:.2f}")
        ctl.done("network", "remit", NETWORK, "COP", "5", "--back")
        assert used_now(arena, "outstanding") == 5
    told = arena.rows("SELECT reason FROM events WHERE subject = 'network' AND what = 'remitted' ORDER BY id")
    assert told[0]["reason"] == "COP 30.0000: deposit 17" and len(told) == 3
    assert ctl.run("network", "remit", OTHER_NETWORK, "COP", "1").returncode == 1
    nothing = ctl.run("network", "remit", NETWORK, "COP", "0.00", "--back")
    assert nothing.returncode == 1 and "amount: must be above 0" in nothing.stderr


def test_the_workers_account_cannot_raise_it(arena: World) -> None:
    """Nor any other account but through the functions that leave an event."""
    for account in ("worker", "dispatcher", "operator", "reader"):
        for statement in ("UPDATE network_limits SET day_limit = 1", "UPDATE network_rooms SET day_room = 1",
                          "DELETE FROM network_rooms", "INSERT INTO remittances SET amount = 1",
                          "CALL limit_count(1, 'COP', -1, UTC_DATE())", "SELECT network_limit_set(1, 'COP', 9, 9, 0, 'x')",
                          "SELECT network_remit(1, 'COP', 1, '', 'x')"):
            if account == "operator" and statement.startswith("SELECT"):
                continue
            with pytest.raises(pymysql.err.MySQLError) as refused:
                arena.stack.mariadb.query(statement, account=f"recaudo_{account}")
            assert refused.value.args[0] in (1142, 1143, 1370), (account, statement, refused.value)


def test_the_log_warns_once_a_day(arena: World) -> None:
    """Of a limit that is used by 80 percent, in each currency, whichever dispatcher sees it."""
    def warnings() -> list[str]:
        done = arena.stack.dispatcher.once()
        assert done.returncode == 0, done.stderr
        return [line for line in done.stderr.splitlines() if f"network {NETWORK} has used" in line]

    set_room(arena, "1000000000000")
    assert warnings() == []
    used = used_now(arena)
    with arena.connect() as network:
        expect(network.confirm(registered(arena, network)), "0000")
    at_eighty_percent = ((used + Decimal("100.01")) / Decimal("0.8")).quantize(Decimal("0.01"), ROUND_DOWN)
    limit(arena, NETWORK, "--day", f"{at_eighty_percent}")
    (told,) = warnings()
    assert "has used 80 % of what it may confirm in a day in COP" in told and " warning " in told
    assert warnings() == []
    arena.write("UPDATE network_limits SET warned_at = warned_at - INTERVAL 1 DAY")
    assert len(warnings()) == 1
    set_room(arena, "0")  # a limit that is set anew is told of anew
    assert len(warnings()) == 1
