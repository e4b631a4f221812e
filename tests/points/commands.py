"""What an operator runs: afterwards he runs the same command once more, and reads what it says."""

from typing import Sequence

from tests.stack import wait_until

from .control import CALLS, Whose
from .operations import Operation, Pass
from .world import AMOUNT, MERCHANT, PATIENCE, World, traced_command


LINES = 5


class Command(Operation):
    words: list[str]

    def whose(self, kind: int) -> Sequence[Whose]:
        return (traced_command() if kind == CALLS else Whose(),)

    def act(self, kind: int) -> None:
        self.result = self.world.run(kind, "recaudoctl", *self.words)

    def says_it_is_done(self) -> bool:
        return self.result.returncode == 0


class Import(Command):
    """A file of orders: all of it or nothing; a second time it is refused."""

    name = "import"

    def stage(self) -> None:
        self.prefix = self.world.fresh("imported")
        file = self.world.stack.directory / "orders.csv"
        file.write_text("order,amount,currency,due\n" + "".join(
            f"{self.prefix}-{line},{AMOUNT},COP,2100-01-01T00:00:00Z\n" for line in range(LINES)))
        self.words = ["order", "import", "--merchant", MERCHANT, "--file", str(file)]

    def stored(self) -> int:
        return int(self.world.rig.value("SELECT COUNT(*) FROM orders WHERE po_id LIKE %s", f"{self.prefix}-%"))

    def again(self) -> None:
        self.before = self.stored()
        self.repeated = self.world.stack.ctl.run(*self.words)

    def wrong(self) -> list[str]:
        found = []
        if self.before != LINES and (self.before != 0 or self.says_it_is_done()):
            found.append(f"{self.before} of {LINES} orders were stored, and it said {self.result}")
        if self.repeated.returncode != (1 if self.before else 0):
            found.append(f"{self.before} orders were there, and the repetition said {self.repeated}")
        return found if self.stored() == LINES else [*found, f"{self.stored()} of {LINES} orders are stored at last"]


class Rotate(Command):
    """A network gets a secret that the operator has in a file. The one before is good beside it, and nobody is cut off."""

    name = "rotate"

    def stage(self) -> None:
        self.network = self.world.add_network(self.world.fresh("red"))
        self.secret = self.world.fresh("secret") * 5
        file = self.world.stack.directory / "secret"
        file.write_text(self.secret)
        self.words = ["network", "rotate", self.network.name, "--hash-file", str(file)]

    def again(self) -> None:
        self.repeated = self.world.stack.ctl.run(*self.words)

    def code(self, secret: str) -> str:
        old, self.network.fixed_hash = self.network.fixed_hash, secret
        code = self.world.ask_until_answered(*self.world.lookup("1", self.network)).code
        self.network.fixed_hash = old
        return code

    def wrong(self) -> list[str]:
        codes = [self.code(self.network.fixed_hash), self.code(self.secret)]
        return [] if codes == ["0101", "0101"] else [
            f"the secrets before and after get {codes}; the command said {self.result}, then {self.repeated}"]


class Seal(Pass):
    """Events are sealed, in the database and in a file beside it."""

    name = "seal"

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.ctl = world.stack.ctl

    def stage(self) -> None:
        self.world.order()
        wait_until(self.is_due, "the next seal to be due", PATIENCE)

    def is_due(self) -> bool:
        return bool(self.world.rig.value(
            "SELECT COALESCE((SELECT MAX(sealed_at) FROM seals) < UTC_TIMESTAMP(6) - INTERVAL 1 SECOND, TRUE)"
            " AND (SELECT MAX(at) FROM event_log) < UTC_TIMESTAMP(6) - INTERVAL 1 SECOND"))

    def again(self) -> None:
        wait_until(self.is_due, "the next seal to be due", PATIENCE)
        super().again()

    def wrong(self) -> list[str]:
        left = self.world.rig.value("SELECT COUNT(*) FROM event_log WHERE id > (SELECT MAX(last_id) FROM seals)")
        verified = self.ctl.run("audit", "verify")
        found = [f"{left} events are not sealed"] if left else []
        return found if verified.returncode == 0 else [*found, f"audit verify: {verified.stdout}{verified.stderr}"]


COMMANDS = (Seal, Import, Rotate)
