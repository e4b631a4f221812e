"""What each word after ./sandbox does."""

import argparse
import base64
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import FrameType

from tests.stack.client import Client
from tests.stack.mariadb import DATABASE, OWNER
from tests.stack.paths import ROOT, system_program
from tests.stack.waiting import wait_until

from .demo import Demo
from .guide import guides
from .instance import AS_CRON_DOES, COMMERCE, DOCUMENT, WINDOW, Instance, check_port
from .parts import CONSEQUENCES, FREEZE, KILL, RUNS, STOP, Holder, common_name, real_name
from .pay import Payment
from .scene import Scene
from .state import State

FAST_WINDOW = 2.0
LOG_LINES = 20
MERCHANT = """\
The merchant {name} is ready. Keep its secrets: they are shown only now.

  merchant           {name}
  country            343 (Colombia)
  FIXED_HASH         {fixed_hash}
  NOTIFICATION_HASH  {notification_hash}
  orders go to       POST {base_url}/v1/porders
  notified at        {notify_url}

Register an order from your program, then play the customer at the counter:
  ./sandbox pay REFERENCE            REFERENCE is DATA.Referencia of the reply; your program is told after {window:g} s
  ./sandbox pay REFERENCE --cancel   the counter takes it back: your program is told nothing
See what your program answered:
  ./sandbox ctl notification list --merchant {name}
  ./sandbox ctl notification show NUMBER
See it in the console, as its user "merchant":
  ./sandbox ctl user set merchant --role merchant --merchant {name}
How to compute the checksums: doc/checksums.md; every step: doc/guide-merchant.md"""
MENDING_PAUSE = 0.2
READER = "recaudo_reader"
RELOADED, NOT_RELOADED = "configuration reloaded", "not reloaded"
LOUD = re.compile(r"\S+ (warning|error) ")
CHANGED_WITHIN, READY_WITHIN, TELL_AFTER = 60.0, 60.0, 5.0


def up(options: argparse.Namespace) -> int:
    state = State()
    if state.supervisor() is not None:
        return says_that_it_runs(state, options.fresh or options.port is not None or options.window is not None)
    if options.port is not None:
        check_port(options.port)
    return start_detached(state, options) if options.detach else supervise(state, options)


def says_that_it_runs(state: State, wants_another: bool) -> int:
    print(f"The sandbox runs already{address(state)}; nothing was changed.{guide_place(state)}")
    if wants_another:
        print("Another port, another window or a fresh database need ./sandbox down first.", file=sys.stderr)
        return 1
    return 0


def address(state: State) -> str:
    """Nothing while it is still starting."""
    return f" at {state.environment()['RECAUDO_BASE_URL']}" if state.environment_file.exists() else ""


def guide_place(state: State) -> str:
    """What `up` printed may have scrolled away, or been printed in a terminal that is closed."""
    return f" Its guide is in {state.guide_file.relative_to(ROOT)}." if state.guide_file.exists() else ""


def start_detached(state: State, options: argparse.Namespace) -> int:
    """The supervisor says through a pipe that all is ready; its end without a word means failure."""
    state.log.mkdir(parents=True, exist_ok=True)
    reading, writing = os.pipe()
    command = [sys.executable, "-m", "tools.sandbox", "up", "--ready-fd", str(writing)]
    command += ["--fresh"] if options.fresh else []
    command += ["--port", str(options.port)] if options.port else []
    command += ["--window", f"{options.window}s"] if options.window is not None else []
    with open(state.supervisor_log, "wb") as log:
        subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                         pass_fds=[writing])
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    print(text or state.supervisor_log.read_text(errors="replace"), end="", file=sys.stdout if text else sys.stderr)
    return 0 if text else 1


def supervise(state: State, options: argparse.Namespace) -> int:
    if not state.acquire():
        return says_that_it_runs(state, False)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
    if options.fresh:
        clear_home(state)
    try:
        state.clear()
        with Instance(state.home, options.port, options.window or WINDOW, AS_CRON_DOES) as instance:
            holder = Holder(state)
            announce(state, instance, holder, options.ready_fd)
            try:
                watch(state, instance, holder)
            finally:
                holder.release_all(instance.parts())
    except KeyboardInterrupt:
        print("\nThe sandbox has ended; its data stays for the next ./sandbox up.", flush=True)
    finally:
        state.clear()
    return 0


def interrupt(_number: int, _frame: FrameType | None) -> None:
    """A second signal does not disturb the ending that the first one began."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def clear_home(state: State) -> None:
    """Everything but the lock that is held and the log that is being written."""
    for entry in [*state.home.iterdir(), *state.log.glob("*")]:
        if entry in (state.lock_file, state.log, state.supervisor_log):
            continue
        if entry.is_dir():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def announce(state: State, instance: Instance, holder: Holder, ready_fd: int | None) -> None:
    state.write_environment(instance.environment())
    state.write_parts(conditions(instance, holder))
    text, whole = guides(instance.scene(), DOCUMENT, COMMERCE, str(state.guide_file.relative_to(ROOT)),
                         instance.console_facts())
    state.write_guide(whole)
    if ready_fd is None:
        print(text + "\nCtrl-C ends the sandbox.", flush=True)
        return
    with os.fdopen(ready_fd, "w") as pipe:
        pipe.write(text)


def conditions(instance: Instance, holder: Holder) -> dict[str, tuple[int, str]]:
    return {part.name: (part.pid, holder.condition(part)) for part in instance.parts()}


def watch(state: State, instance: Instance, holder: Holder) -> None:
    """Until a signal comes."""
    told = conditions(instance, holder)
    while True:
        time.sleep(MENDING_PAUSE)
        for message in [*holder.reconcile(instance.parts()), *instance.mend(holder.held)]:
            print(message, flush=True)
        now = conditions(instance, holder)
        if now != told:
            state.write_parts(now)
            told = now


def down(_options: argparse.Namespace) -> int:
    state = State()
    supervisor = state.supervisor()
    if supervisor is None:
        print("The sandbox is not running.")
        return 0
    os.kill(supervisor, signal.SIGTERM)
    wait_until(lambda: state.supervisor() is None, "the sandbox to end", 120, 0.05)
    print("The sandbox has ended; its data stays for the next ./sandbox up.")
    return 0


def status(_options: argparse.Namespace) -> int:
    state = State()
    if state.supervisor() is None:
        print("The sandbox is not running.")
        return 1
    if not state.parts_file.exists():
        print("The sandbox is starting.")
        return 1
    window = Scene(state.environment()).window
    print(f"The sandbox runs{address(state)}, supervised by process {state.supervisor()}. "
          f"A confirmation can be taken back for {window:g} s.\n")
    parts = state.parts()
    for name, (pid, condition) in parts.items():
        again = "" if condition == RUNS or name not in state.wanted() else f"; ./sandbox start {common_name(name)}"
        print(f"  {common_name(name):<12}{pid:>8}  {condition}{again}")
    well, said = readiness()
    print(f"\n  /readyz: {said}")
    return 0 if well and all(condition == RUNS for _, condition in parts.values()) else 1


def readiness() -> tuple[bool, str]:
    try:
        reply = Scene(State().environment()).network.request("GET", "/readyz")
    except OSError as error:
        return False, f"no reply: {error}"
    return reply.status == 200, f"HTTP {reply.status} {reply.text.strip()}"


def console_answers() -> bool:
    environment = State().environment()
    login = "Basic " + base64.b64encode(environment["RECAUDO_CONSOLE_VIEWER"].encode()).decode()
    with Client(environment["RECAUDO_CONSOLE_URL"]) as client:
        return client.request("GET", "/", None, {"Authorization": login}).status == 200


def merchant_answers() -> bool:
    try:
        with Client(State().environment()["RECAUDO_SAMPLE_MERCHANT_URL"]) as client:
            return client.request("GET", "/").status > 0
    except OSError:
        return False


ANSWERS = {"console": console_answers, "merchant": merchant_answers}


def stop(options: argparse.Namespace) -> int:
    """Holds a part, until ./sandbox start PART."""
    running()
    name, how = real_name(options.part), KILL if options.kill else FREEZE if options.freeze else STOP
    State().want(name, how)
    await_condition(name, how)
    print(f"{options.part} is {how}. {CONSEQUENCES[name]}\n./sandbox start {options.part} lets it run again.")
    return 0


def start(options: argparse.Namespace) -> int:
    running()
    state = State()
    name = real_name(options.part)
    if name not in state.wanted():
        print(f"{options.part} is not stopped; nothing was changed.")
        return 0
    state.want(name, None)
    await_condition(name, RUNS)
    if name in ANSWERS:
        wait_until(ANSWERS[name], f"the {name} to answer; ./sandbox logs {name} shows why it does not", READY_WITHIN, 0.2)
    if not state.wanted():
        await_readiness(options.part)
    print(f"{options.part} runs again.")
    return 0


def reload(_options: argparse.Namespace) -> int:
    """What systemctl reload recaudo-fcgi does; the worker's log tells how it ended."""
    running()
    state = State()
    pid, condition = state.parts()["worker"]
    if condition != RUNS:
        then = ", then ./sandbox reload" if condition == FREEZE else " reads the configuration"
        print(f"The worker is {condition}: ./sandbox start worker{then}.", file=sys.stderr)
        return 1
    log = state.log / "worker.log"
    before = log.stat().st_size
    os.kill(pid, signal.SIGHUP)
    lines: list[str] = wait_until(lambda: reload_lines(log, before),
                                  "the worker to say how the reload ended; ./sandbox logs worker shows more", READY_WITHIN, 0.1)
    print("\n".join(lines))
    return 0 if RELOADED in lines[-1] else 1


def reload_lines(log: Path, since: int) -> list[str]:
    """How it ended, after what was said of the new configuration before that; empty: it has not ended."""
    with open(log, "rb") as file:
        file.seek(since)
        lines = file.read().decode(errors="replace").split("\n")[:-1]  # whole ones
    ends = [number for number, line in enumerate(lines) if RELOADED in line or NOT_RELOADED in line]
    if not ends:
        return []
    end = lines[ends[0]]
    return [line for line in lines[:ends[0]] if LOUD.match(line) and line.split(" ", 2)[2] not in end] + [end]


def await_readiness(part: str) -> None:
    """Says after some seconds what it waits for."""
    begun, told = time.monotonic(), False

    def ready() -> bool:
        nonlocal told
        well, said = readiness()
        if not well and not told and time.monotonic() > begun + TELL_AFTER:
            told = True
            print(f"{part} was started; /readyz says: {said}\nWaiting for it to answer 200, {READY_WITHIN:g} s at most; "
                  f"./sandbox logs {part} shows more.", flush=True)
        return well

    wait_until(ready, "/readyz to answer 200; ./sandbox logs shows why it does not", READY_WITHIN, 0.2)


def await_condition(name: str, wanted: str) -> None:
    state = State()
    wait_until(lambda: state.parts()[name][1] == wanted, f"{name} to be {wanted}; ./sandbox logs sandbox shows more",
               CHANGED_WITHIN, 0.05)


def sql(options: argparse.Namespace) -> int:
    """MariaDB's client takes the place of this process. The password does not stand in its command line."""
    running()
    state = State()
    owner = options.words[:1] == ["--owner"]
    account = OWNER if owner else READER
    os.environ["MYSQL_PWD"] = (state.home / "secrets" / f"{account}.password").read_text().strip()
    program = system_program("mariadb")
    os.execv(program, ["mariadb", "--no-defaults", f"--socket={state.environment()['RECAUDO_DB_SOCKET']}", f"--user={account}",
                       "--default-character-set=utf8mb4", f"--database={DATABASE}", *options.words[owner:]])


def audit(options: argparse.Namespace) -> int:
    """recaudo-audit takes the place of this process, as the reader's account."""
    running()
    state = State()
    os.execv(sys.executable, [sys.executable, str(ROOT / "audit" / "recaudo-audit"), "--socket", state.environment()["RECAUDO_DB_SOCKET"],
                              "--password-file", str(state.home / "secrets" / f"{READER}.password"), *options.words])


def logs(options: argparse.Namespace) -> int:
    """The end of every log, or one part's whole log."""
    files = {common_name(path.stem): path for path in sorted(State().log.glob("*.log"))}
    if options.part is None:
        for name, path in files.items():
            print(f"--- {name}: {os.path.relpath(path, ROOT)}")
            print("\n".join(path.read_text(errors="replace").splitlines()[-LOG_LINES:]))
        return 0
    if options.part not in files:
        print(f"No part is called {options.part}. There are: {', '.join(files) or 'none yet'}", file=sys.stderr)
        return 2
    sys.stdout.write(files[options.part].read_text(errors="replace"))
    return 0


def demo(options: argparse.Namespace) -> int:
    if options.fast:
        print(f"An instance of its own, with a cancellation window of {FAST_WINDOW:g} s instead of {WINDOW:g}.")
        with Instance(window=FAST_WINDOW) as instance:
            return 0 if Demo(instance.scene()).run() else 1
    return 0 if Demo(running("./sandbox demo --fast")).run() else 1


def running(otherwise: str = "") -> Scene:
    """The sandbox that runs. RuntimeError where there is none."""
    state = State()
    if state.supervisor() is None or not state.environment_file.exists():
        raise RuntimeError("The sandbox is not running: ./sandbox up first" + (f", or {otherwise}." if otherwise else "."))
    return Scene(state.environment())


def ctl(options: argparse.Namespace) -> int:
    """recaudoctl takes the place of this process."""
    program = running().ctl
    os.execv(program.path, ["recaudoctl", "--config", program.config, *options.words])


def pay(options: argparse.Namespace) -> int:
    return 0 if Payment(running(), options.reference, options.amount, options.cancel).run() else 1


EXISTS = """\
The merchant {name} exists already. Its secrets are shown only once.
  ./sandbox ctl merchant rotate {name} --now                  a new FIXED_HASH
  ./sandbox ctl merchant rotate {name} --notification --now   a new NOTIFICATION_HASH
  ./sandbox ctl merchant set {name} --notify-url URL          another URL"""


def merchant(options: argparse.Namespace) -> int:
    """Adds a merchant, and shows all that its program needs."""
    scene = running()
    name = options.name or f"tienda-{int(time.time())}"
    if scene.ctl.run("merchant", "show", name).returncode == 0:
        print(EXISTS.format(name=name), file=sys.stderr)
        return 1
    made = scene.ctl.json("merchant", "add", name, "--notify-url", options.notify_url, "--ack", options.ack)
    print(MERCHANT.format(name=made["name"], base_url=scene.base_url, notify_url=options.notify_url, window=scene.window,
                          fixed_hash=made["fixed_hash"], notification_hash=made["notification_hash"]))
    return 0
