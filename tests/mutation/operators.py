"""What is changed in a C source: each function yields changes of one kind."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from tests.mutation.source import Source


@dataclass(frozen=True)
class Change:
    at: int
    end: int
    text: str
    kind: str
    in_function: bool = True

    def applied(self, source: str) -> str:
        """The changed source; every other line keeps its number."""
        lost = source.count("\n", self.at, self.end) - self.text.count("\n")
        return source[:self.at] + self.text + "\n" * lost + source[self.end:]


COMPARISONS = {"<": ("<=", ">="), ">": (">=", "<="), "<=": ("<", ">"), ">=": (">", "<"), "==": ("!=",), "!=": ("==",)}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "&": "|", "|": "&", "^": "&", "<<": ">>", ">>": "<<",
              "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "|=": "&=", "&=": "|=", "^=": "|=", "++": "--", "--": "++"}
LOGIC = {"&&": "||", "||": "&&"}
TRUTH = {"true": "false", "false": "true"}
ENUMERATION = re.compile(r"\benum\s+\w+\s*\{([^{}]*)\}")
RELEASES = re.compile(r"(^|_)(free|close|destroy|put)$")
LEADS_OVER = {"break", "continue", "goto"}
NO_STATEMENT = {"if", "for", "while", "switch", "do", "else", "case", "default", "struct", "enum", "static", "const",
                "union", "typedef", "return", "unsigned"}
NO_CALL = NO_STATEMENT | {"sizeof", "COUNT_OF", "offsetof", "OWNER_OF"}
SYMMETRIC = {"text_equal", "text_equal_any_case", "money_equal", "CRYPTO_memcmp", "strcmp"}


def comparison(source: Source) -> Iterator[Change]:
    for place, token in enumerate(source.tokens):
        if token.text in COMPARISONS and source.is_spaced(place):
            for text in COMPARISONS[token.text]:
                yield Change(token.at, token.end, text, "comparison")


def arithmetic(source: Source) -> Iterator[Change]:
    for place, token in enumerate(source.tokens):
        if token.text in ARITHMETIC and (source.is_spaced(place) or token.text in ("++", "--")):
            yield Change(token.at, token.end, ARITHMETIC[token.text], "arithmetic")


def logic(source: Source) -> Iterator[Change]:
    for token in source.tokens:
        if token.text in LOGIC:
            yield Change(token.at, token.end, LOGIC[token.text], "logic")
        elif token.text == "!":
            yield Change(token.at, token.end, "", "logic")


def declares_size(source: Source, place: int) -> bool:
    """The number of elements in a declaration: most are bounds that nothing reaches."""
    before = source.token(place - 3)
    return source.token(place - 1).text == "[" and (before.kind == "word" or before.text == "*") and before.text != "return"


def constant(source: Source) -> Iterator[Change]:
    for place, token in enumerate(source.tokens):
        if token.kind == "number" and "." not in token.text and not declares_size(source, place):
            yield Change(token.at, token.end, f"({token.text} + 1)", "constant")
            if token.text != "0":
                yield Change(token.at, token.end, f"({token.text} - 1)", "constant")
        elif token.kind == "char":
            yield Change(token.at, token.end, f"({token.text} + 1)", "constant")
        elif token.kind == "string" and token.text != '""':
            yield Change(token.at, token.end, '""', "constant")
        elif token.text in TRUTH:
            yield Change(token.at, token.end, TRUTH[token.text], "constant")


def condition(source: Source) -> Iterator[Change]:
    """if: the other way round. A loop: never, because one that never ends takes the whole time limit."""
    for place, token in enumerate(source.tokens):
        if token.text in ("if", "while") and source.token(place + 1).text == "(":
            inner = source.tokens[place + 1].end, source.tokens[source.partner[place + 1]].at
            text = f"!({source.text[slice(*inner)]})" if token.text == "if" else "false"
            yield Change(*inner, text, "condition")


def statement_end(source: Source, start: int) -> int | None:
    """The place of the semicolon; None if what starts there is no simple statement."""
    place = start
    while place < len(source.tokens):
        text = source.tokens[place].text
        if text == ";":
            return place
        if text in ("}", ")", "]"):
            return None
        place = source.partner.get(place, place) + 1
    return None


def begins_statement(source: Source, place: int) -> bool:
    before, token, after = source.token(place - 1), source.token(place), source.token(place + 1)
    follows_label = before.text == ":" and (source.token(place - 2).text == "default" or source.token(place - 3).text == "case")
    if not (before.text in ("{", "}", ";") or follows_label) or place in source.in_head or token.text in NO_STATEMENT:
        return False
    if token.text in LEADS_OVER or token.text in ("++", "--", "*"):
        return True
    return token.kind == "word" and after.kind == "sign" and after.text not in ("*", ":", ",", ";", ")", "}")


def removal(source: Source) -> Iterator[Change]:
    for place, token in enumerate(source.tokens):
        is_one = place in source.function and begins_statement(source, place) and not RELEASES.search(token.text)
        end = statement_end(source, place) if is_one else None
        if end is not None:
            yield Change(token.at, source.tokens[end].end, ";", "removal")


def returned(source: Source) -> Iterator[Change]:
    """A return left out, unless it is the function's last statement; the opposite of a truth value returned."""
    for place, token in enumerate(source.tokens):
        end = statement_end(source, place) if token.text == "return" and place in source.function else None
        if end is None:
            continue
        closes = source.token(end + 1).text == "}" and source.partner[end + 1] not in source.function
        ends_function = source.token(end + 2).at == 0 or end + 2 not in source.function
        if not (closes or ends_function):
            yield Change(token.at, source.tokens[end].end, ";", "return")
        value = source.between(place + 1, end - 1) if end > place + 1 else ""
        head = source.function[place]
        if re.search(r"\bbool $", head) and value and value not in TRUTH:
            yield Change(source.tokens[place + 1].at, source.tokens[end].at, f"!({value})", "return")


def read_enumerations(texts: list[str]) -> dict[str, str]:
    """For each enumerator of a named enumeration the one after it."""
    following: dict[str, str] = {}
    for text in texts:
        for found in ENUMERATION.finditer(re.sub(r"/\*.*?\*/", "", text, flags=re.S)):
            names = re.findall(r"(?:^|,)\s*([A-Z_][A-Z0-9_]*)\b(?!\()", found[1])
            following.update(zip(names, names[1:] + names[:1]))
    return {name: other for name, other in following.items() if name != other}


def status(source: Source, following: dict[str, str]) -> Iterator[Change]:
    for place, token in enumerate(source.tokens):
        before, after = source.token(place - 1), source.token(place + 1)
        if token.text in following and before.text not in ("case", "[") and after.text != "]" and before.text != ",":
            yield Change(token.at, token.end, following[token.text], "status")


def arguments(source: Source, place: int) -> list[tuple[int, int]]:
    """First and last token of each argument of the call whose parenthesis opens at `place`."""
    found, start, at = [], place + 1, place + 1
    while at <= source.partner[place]:
        if source.tokens[at].text == "," or at == source.partner[place]:
            if at > start:
                found.append((start, at - 1))
            start = at + 1
        at = source.partner[at] + 1 if source.tokens[at].text in "([{" else at + 1
    return found


def swap(source: Source) -> Iterator[Change]:
    """Neighbours in a call; the compiler rejects those of other types."""
    for place, token in enumerate(source.tokens):
        if place not in source.function or token.kind != "word" or token.text in NO_CALL | SYMMETRIC or source.token(place + 1).text != "(":
            continue
        given = arguments(source, place + 1)
        for one, two in zip(given, given[1:]):
            first, second = source.between(*one), source.between(*two)
            if first != second:
                middle = source.text[source.tokens[one[1]].end:source.tokens[two[0]].at]
                yield Change(source.tokens[one[0]].at, source.tokens[two[1]].end, second + middle + first, "swap")


OPERATORS: tuple[Callable[[Source], Iterator[Change]], ...] = (
    comparison, arithmetic, logic, constant, condition, removal, returned, swap)


def changes(text: str, following: dict[str, str]) -> list[Change]:
    """All of them, in the order of the file."""
    source = Source(text)
    left_out = [(source.tokens[place].at, source.tokens[place].end) for place in source.untested]
    found = [change for operator in OPERATORS for change in operator(source)] + list(status(source, following))
    bodies = source.bodies()
    tested = [replace(change, in_function=any(at <= change.at < end for at, end in bodies)) for change in found
              if not any(at <= change.at < end for at, end in left_out)]
    return sorted(set(tested), key=lambda change: (change.at, change.end, change.text))
