"""What is interrupted. Each operation sets its stage, acts once under the tracer, does afterwards what a network, a merchant or an
operator would do, and says what is wrong then."""

from abc import ABC, abstractmethod
from typing import Any, Sequence

from .control import CALLS, Whose
from .world import Answer, Point, World, traced_command


class Operation(ABC):
    """One round: stage, act, again, wrong. The next round has a stage of its own."""

    name = ""

    def __init__(self, world: World) -> None:
        self.world = world
        self.missed: list[str] = []  # points that a round did not reach

    @abstractmethod
    def stage(self) -> None: ...

    @abstractmethod
    def whose(self, kind: int) -> Sequence[Whose]:
        """Whose calls or allocations, each with a count of its own."""

    @abstractmethod
    def act(self, kind: int) -> None: ...

    @abstractmethod
    def again(self) -> None:
        """What brings the work to its end."""

    @abstractmethod
    def wrong(self) -> list[str]: ...

    def round(self, point: Point) -> list[str]:
        """What was wrong after this point; the stage is set before it."""
        try:
            self.world.run_armed(point, lambda: self.act(point.kind))
            hit = self.world.control.hit()
            self.world.control.disarm()
            self.again()
            wrong = [*self.wrong(), *self.world.broken()]
        except (AssertionError, TimeoutError, ValueError, KeyError) as error:
            wrong, hit = [f"{type(error).__name__}: {error}"], point.name
        finally:
            self.world.control.disarm()
        if point.at > 0 and hit is None:
            self.missed.append(str(point))
        return wrong



class Request(Operation):
    """Of a network to a worker; afterwards it sends the same once more, until it is answered."""

    request: tuple[str, str, Any]
    first: Answer | None
    last: Answer

    def stage(self) -> None:
        self.world.warm()

    def whose(self, kind: int) -> Sequence[Whose]:
        if kind == CALLS:
            return self.world.worker_calls(), self.world.worker_calls(others=True)
        return (self.world.worker_calls(),)

    def act(self, kind: int) -> None:
        self.first = self.world.ask(*self.request)

    def again(self) -> None:
        self.last = self.world.ask_until_answered(*self.request)

    def wrong(self) -> list[str]:
        found = []
        if self.last.code != "0000":
            found.append(f"the repetition got {self.last.body}")
        if self.first is not None and self.first.status >= 500 and not self.first.body.get("TEXT"):
            found.append(f"the answer says nothing: {self.first.body}")
        if self.first is not None and self.first.status < 500 and self.first != self.last:
            found.append(f"the same request got {self.first} and then {self.last}")
        return found


class Register(Request):
    name = "register"

    def stage(self) -> None:
        super().stage()
        self.order, reference = self.world.order()
        self.request = self.world.registration(reference)

    def wrong(self) -> list[str]:
        row = self.world.transaction(self.request[2]["transaction"])
        is_right = row is not None and row["state"] == "REGISTRADA" and row["order_id"] == self.order
        return super().wrong() + ([] if is_right else [f"not registered: {row}"])


class First(Register):
    """The first request of a process, which logs in, prepares its statements and reads secrets."""

    name = "first"

    def stage(self) -> None:
        self.world.renew()
        self.order, reference = self.world.order()
        self.request = self.world.registration(reference)


class Confirm(Request):
    name = "confirm"

    def stage(self) -> None:
        super().stage()
        self.order, self.transaction = self.world.registered()
        self.request = self.world.confirmation(self.transaction)

    def wrong(self) -> list[str]:
        row = self.world.transaction(self.transaction)
        held_by = self.world.rig.value("SELECT held_by FROM orders WHERE id = %s", self.order)
        is_right = row is not None and row["state"] == "CONFIRMADA" and held_by == row["id"]
        return super().wrong() + ([] if is_right else [f"not confirmed, or its order not held by it: {row}"])


class Cancel(Request):
    name = "cancel"

    def stage(self) -> None:
        super().stage()
        self.order, self.transaction = self.world.confirmed()
        self.request = self.world.confirmation(self.transaction, confirm=False)

    def wrong(self) -> list[str]:
        row = self.world.transaction(self.transaction)
        held_by = self.world.rig.value("SELECT held_by FROM orders WHERE id = %s", self.order)
        is_right = row is not None and row["state"] == "CANCELADA" and held_by is None
        return super().wrong() + ([] if is_right else [f"not cancelled, or its order still held: {row}"])


class Pass(Operation):
    """One pass of a dispatcher's task; afterwards another pass, as cron and the unit start it."""

    task = "settle"

    def whose(self, kind: int) -> Sequence[Whose]:
        """The child that does the work, its threads, and the parent."""
        if kind == CALLS:
            return Whose(number=1), Whose(number=1, others=True), traced_command()
        return (Whose(),)

    def act(self, kind: int) -> None:
        self.world.run(kind, "recaudo-dispatch", self.task, "--once")

    def again(self) -> None:
        """What a dead dispatcher had in hand is taken up when its lease ends, which is now."""
        self.world.rig.make_due()
        self.world.rig.end_rests()
        self.world.rig.pass_once(self.world.stack.settings)


class Finalise(Pass):
    name = "finalise"

    def stage(self) -> None:
        self.order, self.transaction = self.world.confirmed(window_is_over=True)

    def wrong(self) -> list[str]:
        row = self.world.transaction(self.transaction)
        order = self.world.rig.row("SELECT state, paid_by FROM orders WHERE id = %s", self.order)
        told = self.world.rig.rows("SELECT status, state FROM notifications WHERE order_id = %s", self.order)
        is_right = (row is not None and row["state"] == "FINALIZADA" and (order["state"], order["paid_by"]) ==
                    ("APROBADA", row["id"]) and told == [{"status": "approved", "state": "delivered"}])
        return [] if is_right else [f"not finalised and told once: {row} {order} {told}"]


class Expire(Pass):
    name = "expire"

    def stage(self) -> None:
        self.order, _ = self.world.order(due_in=-1)

    def wrong(self) -> list[str]:
        state = self.world.rig.value("SELECT state FROM orders WHERE id = %s", self.order)
        told = self.world.rig.rows("SELECT status, state FROM notifications WHERE order_id = %s", self.order)
        is_right = state == "VENCIDA" and told == [{"status": "cancelled", "state": "delivered"}]
        return [] if is_right else [f"not expired and told once: {state} {told}"]


class Deliver(Pass):
    """The request to the merchant, and the record of what came back."""

    name, task = "deliver", "deliver"

    def stage(self) -> None:
        order, _ = self.world.order(due_in=-1)
        self.world.run_plain("recaudo-dispatch", "settle", "--once")
        self.number = int(self.world.rig.value("SELECT id FROM notifications WHERE order_id = %s", order))
        self.webhook = self.world.rig.value("SELECT webhook_id FROM notifications WHERE id = %s", self.number)

    def wrong(self) -> list[str]:
        row, attempts = self.world.rig.notification(self.number), self.world.rig.attempts(self.number)
        arrived = [request for request in list(self.world.stub.requests) if request.webhook_id == self.webhook]
        found = []
        if row["state"] != "delivered" or [attempt["reason"] for attempt in attempts].count("acknowledged") != 1:
            found.append(f"not delivered and recorded once: {row} {attempts}")
        if not 1 <= len(arrived) <= 2 or len({request.body for request in arrived}) != 1:
            found.append(f"the merchant received it {len(arrived)} times")
        if len(attempts) != row["attempts"]:
            found.append(f"{row['attempts']} attempts counted, {len(attempts)} recorded")
        return found


REQUESTS_AND_PASSES = (Register, First, Confirm, Cancel, Finalise, Expire, Deliver)
