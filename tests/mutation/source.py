"""C sources as tokens: enough of the language to know what may be changed, because clang-format has laid it out."""

import re
from dataclasses import dataclass

TOKEN = re.compile(
    r"""(?P<space>\s+|/\*.*?\*/|//[^\n]*|^[ \t]*\#(?:\\\n|[^\n])*)
      | (?P<string>"(?:\\.|[^"\\])*")
      | (?P<char>'(?:\\.|[^'\\])+')
      | (?P<number>\d[\w.]*)
      | (?P<word>[A-Za-z_]\w*)
      | (?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
BRACKETS = {"(": ")", "[": "]", "{": "}"}
# What these are given is for programmers and operators; the tests of whole programs read log lines.
NOT_TESTED = {"assert", "static_assert", "_Static_assert", "log_line", "log_every"}


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    at: int

    @property
    def end(self) -> int:
        return self.at + len(self.text)


class Source:
    """The tokens of a file, for each bracket the place of its partner, and for each token what it is inside of."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [Token(str(found.lastgroup), found[0], found.start())
                       for found in TOKEN.finditer(text) if found.lastgroup != "space"]
        self.partner: dict[int, int] = {}
        self._match_brackets()
        self.function = self._find_functions()
        self.in_head = {place for start, token in enumerate(self.tokens) if token.text == "for"
                        for place in range(start, self.partner[start + 1])}
        self.untested = self._find_untested()

    def _match_brackets(self) -> None:
        open_ones: list[int] = []
        for place, token in enumerate(self.tokens):
            if token.kind == "sign" and token.text in BRACKETS:
                open_ones.append(place)
            elif token.kind == "sign" and token.text in BRACKETS.values():
                self.partner[open_ones[-1]] = place
                self.partner[place] = open_ones.pop()

    def _find_functions(self) -> dict[int, str]:
        """For each token in the body of a function, the text before the function's name."""
        inside: dict[int, str] = {}
        for place, token in enumerate(self.tokens):
            if token.text == "{" and place not in inside and place > 0 and self.tokens[place - 1].text == ")":
                name = self.tokens[self.partner[place - 1] - 1]
                head = self.text[self.text.rfind("\n", 0, name.at) + 1:name.at]
                inside.update(dict.fromkeys(range(place, self.partner[place] + 1), head))
        return inside

    def bodies(self) -> list[tuple[int, int]]:
        """Of functions, as places in the text."""
        openings = [place for place in self.function if place - 1 not in self.function]
        return [(self.tokens[place].at, self.tokens[self.partner[place]].end) for place in openings]

    def _find_untested(self) -> set[int]:
        found: set[int] = set()
        for place, token in enumerate(self.tokens[:-1]):
            if token.text in NOT_TESTED and self.tokens[place + 1].text == "(":
                found.update(range(place, self.partner[place + 1] + 1))
        return found

    def token(self, place: int) -> Token:
        """An empty one outside of the file."""
        return self.tokens[place] if 0 <= place < len(self.tokens) else Token("none", "", 0)

    def between(self, first: int, last: int) -> str:
        return self.text[self.tokens[first].at:self.tokens[last].end]

    def is_spaced(self, place: int) -> bool:
        """Written with space on both sides, as the formatter writes an operator with two operands."""
        token = self.tokens[place]
        return self.text[token.at - 1].isspace() and self.text[token.end].isspace()

    def line(self, at: int) -> int:
        return self.text.count("\n", 0, at) + 1
