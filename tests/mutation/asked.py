"""What both kinds of run are asked for, and the sample of mutants that is drawn."""

import argparse
import random

from tests.mutation.mutants import Mutant


def some_of(known: tuple[str, ...], text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    for name in names:
        if name not in known:
            raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(known)}")
    return names


def read_arguments(name: str, description: str, default: tuple[str, ...], suites: tuple[str, ...] = (), **switches: str) -> argparse.Namespace:
    """`suites`: of which some may be chosen; `switches`: more options, each with what it does."""
    parser = argparse.ArgumentParser(prog=name, description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(default), metavar="FILE|FOLDER")
    parser.add_argument("--sample", type=int, metavar="N", help="only N of them, chosen by the seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least", type=float, default=95.0, metavar="PERCENT")
    if suites:
        parser.add_argument("--suites", type=lambda text: some_of(suites, text), default=suites, metavar="NAME,...", help="only these judge")
    for switch, purpose in switches.items():
        parser.add_argument(f"--{switch}", action="store_true", help=purpose)
    return parser.parse_args()


def drawn(mutants: list[Mutant], asked: argparse.Namespace) -> list[Mutant]:
    """All, or the sample that was asked for, in the order of the files."""
    if asked.sample is None or asked.sample >= len(mutants):
        return mutants
    return sorted(random.Random(asked.seed).sample(mutants, asked.sample), key=lambda one: (one.path, one.change.at))
