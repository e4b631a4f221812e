"""The figures of a long run over time, as SVG, by gnuplot."""

import subprocess
from pathlib import Path
from typing import Sequence

from tests.stack.paths import system_program

from .flat import Point, Series

HEAD = """set terminal svg size 1000,1300 dynamic background rgb 'white' font 'sans-serif,11'
set output '{path}'
set grid lc rgb '#dddddd'
set key outside right
set yrange [0:*]
set xlabel 'minutes'
set multiplot layout 6,1
"""
PANELS = (("memory", "MiB"), ("size", "MiB of tables"), ("files", "open files"), ("threads", "threads"), ("p50", "ms, half of the requests"),
          ("p90", "ms, nine tenths of the requests"))


def draw(every: Sequence[Series], path: Path) -> None:
    script = HEAD.format(path=str(path).replace("'", "''"))
    for word, title in PANELS:
        lines = []
        for number, series in enumerate(one for one in every if word in one.name and one.points):
            block = f"${word}{number}"
            script += block_of(block, series.points)
            lines.append(f"{block} using 1:2 with lines lw 1.5 title '{series.name}'")
        script += f"set title '{title}'\nplot {', '.join(lines)}\n" if lines else ""
    done = subprocess.run([system_program("gnuplot")], input=script + "unset multiplot\n", text=True, capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(f"gnuplot: {done.stderr}")


def block_of(name: str, points: Sequence[Point]) -> str:
    lines = "\n".join(f"{at / 60:.6g} {value:.6g}" for at, value in points)
    return f"{name} << EOD\n{lines}\nEOD\n"
