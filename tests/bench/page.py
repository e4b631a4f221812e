"""The figures as text, for the terminal and for doc/performance.md."""

from typing import Any, Iterator, Sequence

from tests.stack.paths import ROOT

from . import plots, verdict
from .contest import DIRECT, middle
from .markdown import table

Result = dict[str, Any]
PAGE = ROOT / "doc" / "performance.md"
PICTURES = ROOT / "doc" / "pictures"
BEGIN, END = "<!-- figures: written by tests/bench/run --write doc -->\n", "<!-- end of the figures -->\n"
ORDER = ("loop", "floor", "node", "php", DIRECT, "recaudo")
TITLES = {"loop": "loop", "floor": "floor", "node": "Node", "php": "PHP", DIRECT: "our statements directly", "recaudo": "**recaudo**"}
SPEED_HEADS = ("", "per s", "lowest", "highest", "/ floor", "p50 ms", "p99 ms", "p99.9 ms")
COST_HEADS = ("", "nginx us", "worker us", "mariadbd us", "load us", "redo B", "reorganised", "statements", "rows read", "rows written")
COSTS = (("nginx_us", 0), ("worker_us", 0), ("database_us", 0), ("load_us", 0), ("redo_bytes", 0), ("reorganisations", 3),
         ("statements", 1), ("rows_read", 1), ("rows_written", 1))
PARTS = {
    "lookup": "Lookup, {connections} connections",
    "lookup_many": "Lookup, {many} connections",
    "register": "Register, {connections} connections",
    "confirm": "Confirm, {connections} connections",
    "flow": "Flow (lookup, register, confirm), {connections} connections; a row counts flows",
    "mix": "Mix, {connections} connections; a row counts requests",
}


def speed_line(name: str, rows: Sequence[dict[str, float]], floor: Sequence[dict[str, float]] | None) -> list[str]:
    rates = [row["per_second"] for row in rows]
    ratios = verdict.quotients(rows, floor, "per_second") if floor else []
    ratio = f"{sorted(ratios)[len(ratios) // 2]:.2f}" if ratios else ""
    return [TITLES[name], f"{middle(rows, 'per_second'):.0f}", f"{min(rates):.0f}", f"{max(rates):.0f}", ratio,
            *(f"{middle(rows, metric):.2f}" for metric in ("p50_ms", "p99_ms", "p999_ms"))]


def cost_line(name: str, rows: Sequence[dict[str, float]]) -> list[str]:
    return [TITLES[name], *(f"{middle(rows, metric):.{digits}f}" if metric in rows[0] else "-" for metric, digits in COSTS)]


def contest_part(title: str, rows: dict[str, list[dict[str, float]]]) -> str:
    names = [name for name in ORDER if name in rows]
    speed = table(SPEED_HEADS, [speed_line(name, rows[name], rows.get("floor")) for name in names])
    cost = table(COST_HEADS, [cost_line(name, rows[name]) for name in names])
    return f"### {title}\n\n{speed}\n\n{cost}\n"


def sizes_part(sizes: Result) -> str:
    lines = []
    for count in sizes["orders"]:
        for name, by_count in sizes["rows"].items():
            rows, fewest = by_count[str(count)], by_count[str(sizes["orders"][0])]
            ratio = sorted(verdict.quotients(rows, fewest, "per_second"))[len(rows) // 2]
            lines.append([f"{count:,}", TITLES[name], *(f"{middle(rows, metric):.{digits}f}" for metric, digits in (
                ("per_second", 0), ("p99_ms", 2), ("database_us", 0), ("rows_read", 1))), f"{ratio:.2f}"])
    heads = ("orders", "", "per s", "p99 ms", "mariadbd us", "rows read", f"/ {sizes['orders'][0]:,}")
    return f"### Lookups and the number of orders\n\n{table(heads, lines)}\n"


def disk_part(disk: Result) -> str:
    lines = [[name, f"{size:.0f}"] for name, size in disk["tables"].items()] + [["all", f"{disk['bytes']:.0f}"]]
    return (f"### Disk space of a paid order\n\nWith its transaction, events, notification and attempt; of {disk['orders']:,} orders.\n\n"
            f"{table(('table', 'bytes'), lines)}\n")


def curve_part(name: str, curve: Result) -> str:
    lines = []
    for system in (name for name in ORDER if name in curve["points"]):
        lines += [[TITLES[system], f"{point['offered']:.0f}", f"{point['per_second']:.0f}",
                   *(f"{point[metric]:.2f}" for metric in ("p50_ms", "p99_ms", "p999_ms")), f"{point['unsent']:.0f}"]
                  for point in curve["points"][system]]
    heads = ("", "offered per s", "answered per s", "p50 ms", "p99 ms", "p99.9 ms", "never sent")
    return (f"### {name.capitalize()}s at fixed rates\n\n![{name}s against the offered load](pictures/load-{name}.svg)\n\n"
            f"Open loop, {curve['connections']} connections, {curve['seconds']:g} s for each point. Latency counts from the moment at\n"
            f"which a request was meant to start.\n\n{table(heads, lines)}\n")


def conditions(result: Result) -> str:
    machine, options = result["machine"], result["options"]
    load = machine["load_before"]
    busy = ("The machine was **busy** with other work: the load before the run was"
            f" {load:.1f} on {machine['processors']} processors. Only the ratios mean something, and these roughly."
            if load > machine["processors"] / 4 else f"The machine was quiet: a load of {load:.1f} before the run.")
    text = (f"Measured on {machine['date']} at commit {machine['commit']}: {machine['processors']} processors, {machine['memory_mib']:,} MiB,"
            f" Linux {machine['kernel']}, {machine['versions']}. {options['rounds']} rounds, {options['seconds']:g} s for each measurement,"
            f" {options['orders']:,} orders. {busy}")
    note = "\n" + wrapped(options["note"]) + "\n" if "note" in options else ""
    return wrapped(text) + f"\n\n    {options['command']}\n{note}"


def keep_systems(result: Result, names: Sequence[str]) -> None:
    """Leaves other systems' rows out."""
    tables = [result[part] for part in PARTS if part in result]
    tables += [curve["points"] for curve in result.get("curves", {}).values()]
    for rows in tables:
        for name in [name for name in rows if name not in names]:
            del rows[name]


def wrapped(text: str) -> str:
    """At 100 columns."""
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > 100:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join([*lines, line])


def sections(result: Result) -> Iterator[str]:
    """What was measured, one after the other."""
    options = result["options"]
    for part, title in PARTS.items():
        if part in result:
            yield contest_part(title.format(**options), result[part])
    for name, curve in result.get("curves", {}).items():
        yield curve_part(name, curve)
    if "sizes" in result:
        yield sizes_part(result["sizes"])
        yield "![Cost of a lookup against the number of orders](pictures/sizes.svg)\n"
    if "disk" in result:
        yield disk_part(result["disk"])


def must_reach(result: Result) -> str:
    return table(verdict.HEADS, verdict.cells(verdict.judge(result)))


def write(result: Result) -> None:
    """Puts plots into doc/pictures and the figures into doc/performance.md, whose own text stays."""
    plots.draw(result, PICTURES)
    text = PAGE.read_text()
    head, found, rest = text.partition(BEGIN)
    _, ended, tail = rest.partition(END)
    if not found or not ended:
        raise ValueError(f"{PAGE}: the lines around the figures are not there")
    body = "\n".join([conditions(result), "### Must reach\n\n" + must_reach(result) + "\n", *sections(result)])
    PAGE.write_text(f"{head}{BEGIN}\n{body}\n{END}{tail}")


def show(result: Result) -> None:
    for section in sections(result):
        print("\n" + section, end="")
