"""Plots as SVG, by gnuplot."""

import subprocess
from pathlib import Path
from typing import Any, Sequence

from tests.stack.paths import system_program

from .contest import middle

Result = dict[str, Any]
COLOURS = {"loop": "#7f7f7f", "floor": "#000000", "node": "#2ca02c", "php": "#9467bd", "recaudo": "#d62728"}
LABELS = {"loop": "loop", "floor": "floor", "node": "Node", "php": "PHP", "recaudo": "recaudo"}
HEAD = """set terminal svg size {width},{height} dynamic background rgb 'white' font 'sans-serif,11'
set output '{path}'
set grid lc rgb '#dddddd'
set key left top
set encoding utf8
"""
PANELS = (("answered per s", "per_second", False), ("p50 ms", "p50_ms", True), ("p99 ms", "p99_ms", True), ("p99.9 ms", "p999_ms", True))


def quoted(path: Path) -> str:
    return str(path).replace("'", "''")


def data_block(name: str, points: Sequence[tuple[float, float]]) -> str:
    lines = "\n".join(f"{x:.6g} {y:.6g}" for x, y in points)
    return f"${name} << EOD\n{lines}\nEOD\n"


def line_of(block: str, name: str) -> str:
    return f"${block} using 1:2 with linespoints pt 7 ps 0.4 lw 1.5 lc rgb '{COLOURS[name]}' title '{LABELS[name]}'"


def gnuplot(script: str) -> None:
    done = subprocess.run([system_program("gnuplot")], input=script, text=True, capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(f"gnuplot: {done.stderr}")


def draw_curve(name: str, curve: Result, path: Path) -> None:
    """Four panels: what is answered, and how late, of what is offered."""
    systems = [system for system in LABELS if system in curve["points"]]
    blocks, panels = "", ""
    for title, metric, logarithmic in PANELS:
        lines = []
        for system in systems:
            points = [(point["offered"], point[metric]) for point in curve["points"][system] if point[metric] > 0]
            if points:
                blocks += data_block(f"{system}_{metric}", points)
                lines.append(line_of(f"{system}_{metric}", system))
        panels += (f"{'set' if logarithmic else 'unset'} logscale y\nset title '{title}'\n"
                   f"set xlabel '{name}s offered per s'\nplot {', '.join(lines)}\n" if lines else "")
    gnuplot(HEAD.format(width=900, height=700, path=quoted(path)) + blocks + "set multiplot layout 2,2\n" + panels + "unset multiplot\n")


def draw_sizes(sizes: Result, path: Path) -> None:
    """Processor time of a lookup against the number of orders: of mariadbd, and of everybody."""
    blocks, lines = "", []
    for name, by_count in sizes["rows"].items():
        for title, metrics, dashes in (("all", ("nginx_us", "worker_us", "database_us", "load_us"), 1), ("mariadbd", ("database_us",), 2)):
            points = [(count, sum(middle(by_count[str(count)], metric) for metric in metrics)) for count in sizes["orders"]]
            block = f"{name}_{title}"
            blocks += data_block(block, points)
            lines.append(f"${block} using 1:2 with linespoints pt 7 ps 0.4 lw 1.5 dt {dashes} lc rgb '{COLOURS[name]}'"
                         f" title '{LABELS[name]}, {title}'")
    gnuplot(HEAD.format(width=700, height=420, path=quoted(path)) + blocks +
            "set logscale x\nset format x '%.0s%c'\nset yrange [0:*]\nset xlabel 'orders'\nset ylabel 'processor time of a lookup, us'\n"
            f"plot {', '.join(lines)}\n")


def draw(result: Result, folder: Path) -> list[Path]:
    """What was measured; the files that were written."""
    written = []
    for name, curve in result.get("curves", {}).items():
        written.append(folder / f"load-{name}.svg")
        draw_curve(name, curve, written[-1])
    if "sizes" in result:
        written.append(folder / "sizes.svg")
        draw_sizes(result["sizes"], written[-1])
    return written
