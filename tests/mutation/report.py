"""What a run says: survivors by file and line, and a table by file."""

from collections import Counter
from collections.abc import Iterable

from tests.mutation.accepted import Accepted
from tests.mutation.mutants import Fate, Mutant

COLUMNS = "{:<46} {:>7} {:>7} {:>9} {:>9} {:>9} {:>8}"


def counts_of(results: list[tuple[Mutant, Fate]], accepted: Accepted) -> dict[str, Counter[str]]:
    """By file, and in all under the empty name."""
    counts: dict[str, Counter[str]] = {}
    for mutant, fate in results:
        survived = fate in (Fate.SURVIVED, Fate.UNREACHED)
        listed = survived and accepted.reason(mutant.path, mutant.before, mutant.after) is not None
        name = "listed" if listed else str(fate)
        for path in (mutant.path, ""):
            counts.setdefault(path, Counter())[name] += 1
    return counts


def share(count: Counter[str]) -> float:
    """Of the mutants that are neither listed nor the same program, those that a test kills, in per cent."""
    open_ones = count[Fate.SURVIVED] + count[Fate.UNREACHED]
    tried = count[Fate.KILLED] + open_ones
    return 100 * count[Fate.KILLED] / tried if tried else 100.0


def print_table(counts: dict[str, Counter[str]]) -> None:
    print(COLUMNS.format("file", "mutants", "killed", "survived", "unreached", "accepted", "killed %"))
    for path in sorted(counts, key=lambda path: (path == "", path)):
        count = counts[path]
        mutants = count[Fate.KILLED] + count[Fate.SURVIVED] + count[Fate.UNREACHED] + count["listed"]
        print(COLUMNS.format(path or "all", mutants, count[Fate.KILLED], count[Fate.SURVIVED], count[Fate.UNREACHED],
                             count["listed"], f"{share(count):.1f}"))
    uncounted = (Fate.REJECTED, Fate.SAME, Fate.TWIN)
    print("not counted: " + ", ".join(f"{counts[''][fate]} {fate}" for fate in uncounted))


def print_survivor(mutant: Mutant, fate: Fate, accepted: Accepted) -> None:
    if fate in (Fate.SURVIVED, Fate.UNREACHED) and accepted.reason(mutant.path, mutant.before, mutant.after) is None:
        print(f"{mutant.path}:{mutant.line}: {fate} ({mutant.change.kind})\n- {mutant.before}\n+ {mutant.after}", flush=True)


def report(results: Iterable[tuple[Mutant, Fate]], accepted: Accepted, paths: set[str]) -> float:
    """Prints each survivor as it is found, then the table, and which of these files' entries no mutant has. The share that was killed."""
    kept = []
    for mutant, fate in results:
        kept.append((mutant, fate))
        print_survivor(mutant, fate, accepted)
    counts = counts_of(kept, accepted)
    print_table(counts)
    for path, before, after in accepted.unmet(paths):
        print(f"no mutant any more, to be removed from the list: {path}\n- {before}\n+ {after}")
    return share(counts[""])
