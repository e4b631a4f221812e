"""The file through which tracer.c and allocations.c are told what to do (control.h), and the programs made of them."""

import ctypes
import mmap
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
CALLS_MAX = 4000
CALLS, ALLOCATIONS = 1, 2
FLAGS = ("-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-O1")
NAMES_OF_CALLS = re.compile(r"^#define __NR_(\w+) (\d+)$", re.MULTILINE)


class Fields(ctypes.Structure):
    _fields_ = [("armed", ctypes.c_uint32), ("process", ctypes.c_int32), ("number", ctypes.c_uint32),
                ("others", ctypes.c_uint32), ("begin", ctypes.c_uint32), ("only", ctypes.c_uint32),
                ("at", ctypes.c_uint32), ("error", ctypes.c_int32), ("seen", ctypes.c_uint32), ("hit", ctypes.c_uint32),
                ("calls", ctypes.c_uint32 * CALLS_MAX)]


@dataclass(frozen=True)
class Whose:
    """The process whose calls count: this one, or the one of this number of a command; of its threads which; and of their calls
    from which one on, and which alone."""
    process: int = 0
    number: int = 0
    others: bool = False
    begin: str = ""
    only: str = ""


class Control:
    """In `directory`, with the programs that read it."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / "control"
        self.path.write_bytes(bytes(ctypes.sizeof(Fields)))
        with open(self.path, "r+b") as file:
            self.fields = Fields.from_buffer(mmap.mmap(file.fileno(), 0))
        self.tracer, self.allocations = directory / "tracer", directory / "allocations.so"
        compile_c("tracer.c", self.tracer)
        compile_c("allocations.c", self.allocations, "-shared", "-fPIC")
        self.names = names_of_calls()
        self.numbers = {name: number for number, name in self.names.items()}

    def arm(self, kind: int, whose: Whose, at: int = 0, error: int = 0) -> None:
        """What happens from now on counts; the one at `at` fails with `error`, or kills where that is 0."""
        fields = self.fields
        fields.armed = fields.seen = fields.hit = 0
        fields.process, fields.number, fields.others = whose.process, whose.number, whose.others
        fields.begin = self.numbers[whose.begin] + 1 if whose.begin else 0
        fields.only = self.numbers[whose.only] + 1 if whose.only else 0
        fields.at, fields.error = at, error
        fields.armed = kind

    def disarm(self) -> None:
        self.fields.armed = 0

    def seen(self) -> int:
        return int(self.fields.seen)

    def hit(self) -> str | None:
        """The system call that did not go well, "allocation" for an allocation; None if the point was not reached."""
        if self.fields.hit == 0:
            return None
        return "allocation" if self.fields.armed == ALLOCATIONS else self.names[self.fields.hit - 1]

    def calls(self) -> list[str]:
        return [self.names[number] for number in self.fields.calls[:min(self.seen(), CALLS_MAX)]]

    def traced(self, *command: str) -> list[str]:
        return [str(self.tracer), str(self.path), *command]

    def preloaded(self) -> dict[str, str]:
        """The environment of a program whose allocations count."""
        return {"LD_PRELOAD": str(self.allocations), "RECAUDO_TEST_POINTS": str(self.path)}


def compile_c(source: str, program: Path, *options: str) -> None:
    subprocess.run(["cc", *FLAGS, *options, "-o", str(program), str(HERE / source)], check=True)


def names_of_calls() -> dict[int, str]:
    """Of this machine's system calls, by number."""
    defined = subprocess.run(["cc", "-E", "-dM", "-include", "asm/unistd.h", "-x", "c", "/dev/null"], check=True,
                             capture_output=True, text=True).stdout
    return {int(number): name for name, number in NAMES_OF_CALLS.findall(defined)}
