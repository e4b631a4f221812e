"""Tables that read well on a terminal and on a page."""

from typing import Sequence


def table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Markdown with columns of one width; every column but the first is flush right."""
    widths = [max(3, *(len(line[column]) for line in [heads, *lines])) for column in range(len(heads))]

    def row(line: Sequence[str]) -> str:
        first, *others = line
        return "| " + " | ".join([first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(others, widths[1:]))]) + " |"

    rule = "|" + "|".join(["-" * (widths[0] + 2), *("-" * (width + 1) + ":" for width in widths[1:])]) + "|"
    return "\n".join([row(heads), rule, *map(row, lines)])
