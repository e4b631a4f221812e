"""The command line behind ./sandbox, which has installed and built what is needed."""

import argparse
import os
import sys

from tests.stack.programs import CtlError

from . import commands
from .parts import ALIASES, NAMES


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="./sandbox")
    verbs = top.add_subparsers(dest="verb", required=True, metavar="up|down|status|logs|demo|pay|merchant|stop|start|reload|sql|ctl|audit")
    up = verbs.add_parser("up", help="start it; runs until Ctrl-C")
    up.add_argument("--detach", action="store_true", help="return once everything is ready")
    up.add_argument("--port", type=int, metavar="N", help="the port of nginx")
    up.add_argument("--fresh", action="store_true", help="start from an empty database")
    up.add_argument("--window", type=window, metavar="SECONDSs", help="the cancellation window, 30s without it")
    up.add_argument("--ready-fd", type=int, help=argparse.SUPPRESS)
    up.set_defaults(command=commands.up)
    verbs.add_parser("down", help="end it; its data stays").set_defaults(command=commands.down)
    verbs.add_parser("status", help="what runs").set_defaults(command=commands.status)
    logs = verbs.add_parser("logs", help="the end of all logs, or one part's whole log")
    logs.add_argument("part", nargs="?", help="access, console, console-access, database, dispatcher, merchant, sandbox, web, worker")
    logs.set_defaults(command=commands.logs)
    demo = verbs.add_parser("demo", help="one whole payment, step by step")
    demo.add_argument("--fast", action="store_true", help="an instance of its own with a short cancellation window")
    demo.set_defaults(command=commands.demo)
    # Here and for sql no options of our own, so that those of the program are handed on.
    ctl = verbs.add_parser("ctl", help="recaudoctl in the sandbox", add_help=False, prefix_chars="\0")
    ctl.add_argument("words", nargs=argparse.REMAINDER)
    ctl.set_defaults(command=commands.ctl)
    pay = verbs.add_parser("pay", help="pay as a customer at a network's counter does")
    pay.add_argument("reference", metavar="REFERENCE")
    pay.add_argument("amount", nargs="?", metavar="AMOUNT", help="where the order leaves it open")
    pay.add_argument("--cancel", action="store_true", help="take the confirmation back")
    pay.set_defaults(command=commands.pay)
    merchant = verbs.add_parser("merchant", help="make a merchant for your own program")
    merchant.add_argument("name", nargs="?", metavar="NAME")
    merchant.add_argument("--notify-url", required=True, metavar="URL")
    merchant.add_argument("--ack", choices=["strict", "http2xx"], default="strict")
    merchant.set_defaults(command=commands.merchant)
    add_parts(verbs)
    sql = verbs.add_parser("sql", help="MariaDB's client, as the reader's account or with --owner", add_help=False, prefix_chars="\0")
    sql.add_argument("words", nargs="*")
    sql.set_defaults(command=commands.sql)
    audit = verbs.add_parser("audit", help="the auditor's program", add_help=False, prefix_chars="\0")
    audit.add_argument("words", nargs="*")
    audit.set_defaults(command=commands.audit)
    return top


def add_parts(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The words that hold a part and let it go."""
    stop = verbs.add_parser("stop", help="stop a part, to simulate a failure")
    how = stop.add_mutually_exclusive_group()
    how.add_argument("--kill", action="store_true", help="as a crash does")
    how.add_argument("--freeze", action="store_true", help="it stays, and does nothing")
    stop.set_defaults(command=commands.stop)
    start = verbs.add_parser("start", help="let it run again")
    start.set_defaults(command=commands.start)
    reload = verbs.add_parser("reload", help="let the worker read the configuration again")
    reload.set_defaults(command=commands.reload)
    for verb in (stop, start):
        verb.add_argument("part", metavar="PART", choices=[*NAMES, *ALIASES.values()])


def window(text: str) -> float:
    """Seconds of 2s or 1500ms."""
    number, unit = (text[:-2], 1000) if text.endswith("ms") else (text.removesuffix("s"), 1)
    return float(number) / unit


def main() -> int:
    options = parser().parse_args()
    try:
        return int(options.command(options))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing more is written at the end
    except PermissionError as error:
        print(f"{error}: does var/sandbox belong to another user?", file=sys.stderr)
    except (ConnectionError, TimeoutError) as error:
        waited = str(error).startswith("waited")  # for a condition, not for a reply
        print(error if waited else f"no reply: {error}; ./sandbox status shows which part does not run", file=sys.stderr)
    except (CtlError, FileNotFoundError, RuntimeError) as error:
        print(error, file=sys.stderr)
        if "is not one that this program knows" in str(error):  # a schema that was changed before its release
            print("The sandbox's data is of another version of the programs: ./sandbox up --fresh begins anew.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
