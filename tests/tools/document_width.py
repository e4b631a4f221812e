"""document_width [--fix]: checks that the prose of every document (*.md) is wrapped at 100 columns. Prints one TAP line.

Tables, code blocks and HTML comments may be wider, and so may a line that has no blank to break at, as of a long link.
--fix refills the paragraphs in which a line is too long.
"""

import re
import sys
import textwrap
from pathlib import Path
from typing import Iterator

ROOT = Path(__file__).resolve().parents[2]
NUMBER = 5
WIDTH = 100
FOLDERS_OF_OTHERS = ("build", "var", ".git", "node_modules")
ITEM = re.compile(r"( *)([-*] |\d+\. |> )?(.*)")
LINK = re.compile(r"\[[^\]]*\]\([^)]*\)")


def documents(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*.md")
                  if not any(part.startswith(FOLDERS_OF_OTHERS) for part in path.relative_to(root).parts))


def is_breakable(line: str) -> bool:
    """Whether a blank of the line, outside links and after a list's mark, allows a break."""
    match = ITEM.fullmatch(line)
    return match is not None and " " in LINK.sub("link", match[3]).strip()


def paragraphs(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Bounds of the paragraphs and list items: lines that may be filled. Code, tables, headings and comments are left out."""
    fenced = commented = False
    begin: int | None = None
    indented = False
    for index, line in enumerate([*lines, ""]):
        text = line.strip()
        is_fence = text.startswith(("```", "~~~"))
        starts_code = line.startswith("    ") and begin is None and (index == 0 or not lines[index - 1].strip() or indented)
        opens_comment = text.startswith("<!--")
        other = fenced or is_fence or commented or opens_comment or not text or text.startswith(("|", "#"))
        indented = starts_code and not other
        if begin is not None and (other or re.match(r" *([-*] |\d+\. |> )", line)):
            yield begin, index
            begin = None
        if begin is None and not other and not indented:
            begin = index
        fenced ^= is_fence
        commented = (commented or opens_comment) and "-->" not in text


def wide_lines(text: str) -> list[int]:
    lines = text.split("\n")
    return [number + 1 for begin, end in paragraphs(lines) for number in range(begin, end)
            if len(lines[number]) > WIDTH and is_breakable(lines[number])]


def fill(lines: list[str]) -> list[str]:
    match = ITEM.fullmatch(lines[0])
    assert match
    mark = match[2] or ""
    words = " ".join([match[3], *(line.strip() for line in lines[1:])])
    # A link's text and a piece of code stay on one line, as they do in the documents.
    kept = re.sub(r"\[[^\]]*\]\([^)]*\)|`[^`]*`", lambda part: part[0].replace(" ", "\0"), words)
    filled = textwrap.wrap(kept, WIDTH, initial_indent=match[1] + mark, subsequent_indent=match[1] + " " * len(mark),
                           break_long_words=False, break_on_hyphens=False)
    return [line.replace("\0", " ") for line in filled]


def fix(text: str) -> str:
    lines = text.split("\n")
    for begin, end in reversed([*paragraphs(lines)]):
        if any(len(line) > WIDTH and is_breakable(line) for line in lines[begin:end]):
            lines[begin:end] = fill(lines[begin:end])
    return "\n".join(lines)


def main(root: Path, is_fixing: bool) -> int:
    complaints = []
    for path in documents(root):
        text = path.read_text(encoding="utf-8")
        if is_fixing and wide_lines(text):
            path.write_text(text := fix(text), encoding="utf-8")
        complaints += [f"{path.relative_to(root)}:{number}" for number in wide_lines(text)]
    if complaints:
        print(f"not ok {NUMBER} - prose is wider than {WIDTH} columns (tests/format --fix wraps it)")
        print("\n".join(f"# {complaint}" for complaint in complaints))
        return 1
    print(f"ok {NUMBER} - the prose of documents is wrapped at {WIDTH} columns")
    return 0


if __name__ == "__main__":
    sys.exit(main(ROOT, sys.argv[1:] == ["--fix"]))
