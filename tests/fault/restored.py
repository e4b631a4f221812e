"""After a run: its database is lost, a backup from before its traffic is restored, and payments go on. No number comes again."""

import subprocess
from pathlib import Path

from tests.stack import wait_until
from tests.stack.paths import ROOT

from .arena import NETWORKS, Arena
from .evidence import Tables
from .stock import Item
from .traffic import PATIENCE

PROGRAM = ROOT / "backup" / "recaudo-backup"
MERCHANT = "firme"
PAYMENTS = 3
NUMBERS = {"pv_po_id": ("orders", "id"), "IDSERVICE": ("transactions", "id"), "webhook-id": ("notifications", "webhook_id"),
           "event": ("events", "id")}
PAID_AND_TOLD = "SELECT COUNT(*) AS n FROM notifications WHERE status = 'approved' AND state = 'delivered'"


def run_backup(arena: Arena, *words: str) -> str:
    database = arena.stack.mariadb
    login = [f"--socket={database.socket}", "--user=root", f"--password={database.password('root')}"]
    result = subprocess.run([str(PROGRAM), *words, "--", "--no-defaults", *login], capture_output=True, text=True, timeout=300)
    if result.returncode != 0:
        raise RuntimeError(f"recaudo-backup {words[0]}: {result.stderr}")
    return result.stdout.strip()


def save(arena: Arena) -> Path:
    """Before the traffic: networks, merchants and accounts, and no order."""
    folder = arena.stack.directory / "backup"
    folder.mkdir()
    return Path(run_backup(arena, "save", str(folder)))


def numbers_given_again(arena: Arena, file: Path, tables: Tables) -> list[str]:
    """`tables` are those that are lost; all programs have stopped serving when it is called."""
    arena.stack.worker.stop(60)
    arena.stack.mariadb.recreate_database()
    run_backup(arena, "restore", str(file))
    arena.stack.ctl.done("db", "migrate")
    arena.stack.worker.start()
    kept = given(arena)
    again = [] if pay(arena) else ["payments after a restore are not told to their merchant"]
    for what, numbers in given(arena).items():
        table, column = NUMBERS[what]
        lost = {row[column] for row in tables[table]}
        again += [f"{what} {number} came again after a restore" for number in sorted(lost & (numbers - kept[what]))[:3]]
    return again


def given(arena: Arena) -> dict[str, set[int | str]]:
    """By what they are called."""
    query = arena.stack.mariadb.query
    return {what: {row[column] for row in query(f"SELECT {column} FROM {table}")} for what, (table, column) in NUMBERS.items()}


def pay(arena: Arena) -> bool:
    """Whether the merchant is told of every payment."""
    ctl, network = arena.stack.ctl, NETWORKS[0]
    dispatcher = arena.dispatchers[-1]
    dispatcher.spawn()
    with arena.stack.network(network, arena.secrets[network]["fixed_hash"], PATIENCE) as client:
        for number in range(PAYMENTS):
            item = Item(f"34{number:08d}", "45000", MERCHANT, f"again-{number}")
            ctl.done("order", "add", "--merchant", MERCHANT, "--order", item.po_id, "--amount", item.amount, "--currency", "COP",
                     "--reference", item.reference, "--due", "2100000000")
            for send in (lambda: client.register(item.reference, item.amount, item.po_id, item.commerce),
                         lambda: client.confirm(item.po_id)):
                wait_until(lambda: send().code == "0000", "a payment after the restore", 60)
    try:
        wait_until(lambda: arena.stack.mariadb.query(PAID_AND_TOLD)[0]["n"] == PAYMENTS, "them to be paid and told", 60)
    except TimeoutError:
        return False
    finally:
        dispatcher.stop(60)
    return True
