"""Building a program with one changed file, and running suites of the unit tests under limits."""

import os
import re
import resource
import shlex
import shutil
import subprocess
import time
from pathlib import Path

from tests.stack.paths import ROOT

COMPILE_SECONDS = 60
# A mutant may never end, or wait for what never comes. The first is seen by the processor's time, which does not depend on
# what else the machine does: this more than twice what the suite took before.
PROCESSOR_SECONDS = 1
WALL_SECONDS = 120
MEMORY = 2 << 30
FILE_SIZE = 64 << 20
UNIT, STORE, CTL = "tests/unit/unit", "tests/store/store", "recaudoctl"
MAIN = {UNIT: "tests/unit/main.c", STORE: "tests/store/main.c", CTL: "src/ctl/main.c"}
WARNINGS = re.compile(r"^-W(?!l,).*|^-g$|^-O\d$")
# Arguments of other types are not swapped.
FAST_LINKER = ("-fuse-ld=gold",) if shutil.which("ld.gold") else ()
TYPES_FIT = ("-Werror=incompatible-pointer-types", "-Werror=int-conversion")


def quiet() -> None:
    """In the child: last in the queue for the processor, and limited."""
    os.setpriority(os.PRIO_PROCESS, 0, 19)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def made(build: Path, changed: str, target: str) -> list[str]:
    """The words of the command with which make makes the target when the file has changed."""
    steps = subprocess.run(["make", "-n", "V=1", "-W", changed, target], cwd=build, capture_output=True, text=True, check=True)
    joined = steps.stdout.replace("\\\n", " ")
    command = next(line for line in re.split(r"\n|&&|;", joined) if f"-o {target} " in line + " ")
    words = shlex.split(command.replace("$depbase", "unused"))
    return words[1:] if words[0] == "ccache" else words


class Program:
    """How a program is built in a directory, and what it is built of."""

    def __init__(self, build: Path, target: str = UNIT) -> None:
        self.build = build.resolve()
        self.prefix = target.replace("/", "_")
        self.top = re.findall(r"^srcdir = (.+)$", (self.build / "Makefile").read_text(), re.MULTILINE)[0]  # as make calls it
        self.link_words = made(self.build, f"{self.top}/{MAIN[target]}", target)

    def object_of(self, path: str) -> str | None:
        """The object of a source in the program; None if it is not in it."""
        folder, stem = os.path.split(path.removesuffix(".c"))
        for name in (f"{folder}/{self.prefix}-{stem}.o", f"{folder}/lib{path.split('/')[1]}_a-{stem}.o", f"{folder}/{stem}.o"):
            if name in self.link_words or (self.prefix not in name and (self.build / name).exists()):
                return name
        return None

    def compile_words(self, path: str) -> list[str]:
        """The compiler and its options, without input and output."""
        generated = (self.build / path).exists()
        words = made(self.build, path if generated else f"{self.top}/{path}", str(self.object_of(path)))
        kept = [word for word in words[:words.index("-MT")] if not WARNINGS.match(word)]
        return [word if not word.startswith("-I") else f"-I{(self.build / word[2:]).resolve()}" for word in kept]

    def compiled(self, words: list[str], source: Path, out: Path) -> bool:
        """In the directory of the source's copy, so that its name in the object is the same for every copy."""
        command = [*words, "-c", source.name, "-o", str(out)]
        return subprocess.run(command, cwd=source.parent, capture_output=True, preexec_fn=quiet,
                              timeout=COMPILE_SECONDS).returncode == 0

    def linked(self, objects: dict[str, Path], out: Path, *options: str) -> bool:
        """The program with other objects in the place of its own."""
        words = [str(objects.get(word, word)) for word in self.link_words if not WARNINGS.match(word)]
        at = words.index("-o")
        words[at:at + 2] = ["-o", str(out), *options, *FAST_LINKER,
                            *(str(path) for name, path in objects.items() if name not in self.link_words)]
        return subprocess.run(words, cwd=self.build, capture_output=True, preexec_fn=quiet,
                              timeout=COMPILE_SECONDS).returncode == 0


def run_suite(program: Path, suite: str, directory: Path, fork: bool, processor: int) -> bool:
    """Whether every test of the suite passes."""

    def limit() -> None:
        quiet()
        resource.setrlimit(resource.RLIMIT_CPU, (processor, processor + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE, FILE_SIZE))
        os.setsid()

    environment = {**os.environ, "CK_RUN_SUITE": suite, "CK_FORK": "yes" if fork else "no", "CK_VERBOSITY": "silent",
                   "TMPDIR": str(directory)}
    process = subprocess.Popen([program], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, preexec_fn=limit, cwd=directory)
    try:
        return process.wait(WALL_SECONDS) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        end_group(process)


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Nothing that a mutant has started stays."""
    try:
        os.killpg(process.pid, 9)
    except ProcessLookupError:
        pass
    process.wait()


def timed_suite(program: Path, suite: str, directory: Path, fork: bool) -> tuple[bool, float]:
    begin = time.monotonic()
    return run_suite(program, suite, directory, fork, processor=300), time.monotonic() - begin
