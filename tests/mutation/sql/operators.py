"""What is changed in SQL: each function yields changes of one kind. What they leave is meant to be SQL still."""

from collections.abc import Callable, Iterator

from tests.mutation.operators import Change
from tests.mutation.sql.texts import Token

Tokens = list[Token]

COMPARISONS = {"<": ("<=", ">="), ">": (">=", "<="), "<=": ("<", ">"), ">=": (">", "<"), "=": ("<>",), "<>": ("=",), "<=>": ("<>",)}
LOGIC = {"AND": "OR", "OR": "AND"}
OTHERS = {"DESC": "ASC", "MIN": "MAX", "MAX": "MIN", "LEAST": "GREATEST", "GREATEST": "LEAST", "TRUE": "FALSE", "FALSE": "TRUE"}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*"}
# The number in the parentheses after these is a size or a precision.
SIZED = {"VARCHAR", "CHAR", "BINARY", "VARBINARY", "DATETIME", "DECIMAL", "SYSDATE", "UTC_TIMESTAMP", "NOW", "INT", "BIGINT", "CONVERT"}
# What a person reads, or the server goes by.
TEXTS = {"COMMENT", "MESSAGE_TEXT", "SQLSTATE"}
STARTERS = {";", "BEGIN", "THEN", "ELSE", "DO", "ROW", "REPEAT", "LOOP"}
REMOVED = {"SET", "UPDATE", "INSERT", "DELETE", "CALL", "SIGNAL", "REPLACE"}
CLAUSE_ENDS = {"WHERE", ";", "ORDER", "LIMIT", "BEGIN"}
NOTHING = Token("sign", "", 0, 0, 0)


def beside(tokens: Tokens, place: int) -> Token:
    return tokens[place] if 0 <= place < len(tokens) else NOTHING


def assigned(tokens: Tokens) -> set[int]:
    """The places of = that assign: after SET, UPDATE of a duplicate key, and SIGNAL's SET, outside of any other parentheses."""
    found: set[int] = set()
    depth: int | None = None
    for place, token in enumerate(tokens):
        if token.text == "SET" or (token.text == "UPDATE" and beside(tokens, place - 1).text == "KEY"):
            depth = token.depth
            expected = True
        elif depth is not None and (token.text in CLAUSE_ENDS and token.depth <= depth or token.depth < depth):
            depth = None
        elif depth is not None and token.depth == depth:
            if token.text == "=" and expected:
                found.add(place)
                expected = False
            elif token.text == ",":
                expected = True
    return found


def comparison(tokens: Tokens) -> Iterator[Change]:
    assigns = assigned(tokens)
    for place, token in enumerate(tokens):
        before, after = beside(tokens, place - 1), beside(tokens, place + 1)
        if token.text in COMPARISONS and place not in assigns and before.text not in TEXTS and before.text != "MYSQL_ERRNO":
            for text in COMPARISONS[token.text]:
                yield Change(token.at, token.end, text, "comparison")
        elif token.text == "IS" and after.text == "NULL":
            yield Change(token.at, after.end, "IS NOT NULL", "comparison")
        elif token.text == "IS" and after.text == "NOT":
            yield Change(token.at, after.end, "IS", "comparison")


def logic(tokens: Tokens) -> Iterator[Change]:
    between: list[int] = []
    for place, token in enumerate(tokens):
        if token.text == "BETWEEN":
            between.append(token.depth)
        elif token.text == "AND" and between and between[-1] == token.depth:
            between.pop()
        elif token.text == "OR" and beside(tokens, place - 1).text == "CREATE":
            continue
        elif token.text in LOGIC:
            yield Change(token.at, token.end, LOGIC[token.text], "logic")
        elif token.text == "NOT" and beside(tokens, place + 1).text in ("EXISTS", "(", "IN", "LIKE", "REGEXP", "BETWEEN"):
            yield Change(token.at, token.end, "", "logic")
        elif token.text == "EXISTS" and beside(tokens, place - 1).text not in ("NOT", "IF"):
            yield Change(token.at, token.end, "NOT EXISTS", "logic")


def constant(tokens: Tokens) -> Iterator[Change]:
    sizes: list[int] = []
    for place, token in enumerate(tokens):
        before, second = beside(tokens, place - 1), beside(tokens, place - 2)
        sizes = [depth for depth in sizes if token.depth >= depth]
        if before.text == "(" and second.text in SIZED:
            sizes.append(token.depth)
        if token.kind == "number" and token.text.isdigit() and not sizes and before.text != "SELECT" and second.text != "MYSQL_ERRNO":
            yield Change(token.at, token.end, str(int(token.text) + 1), "constant")
        elif token.kind == "string" and token.text != "''" and before.text not in TEXTS and second.text not in TEXTS:
            yield Change(token.at, token.end, token.text[:-1] + "x'", "constant")


def other(tokens: Tokens) -> Iterator[Change]:
    for place, token in enumerate(tokens):
        before, after = beside(tokens, place - 1), beside(tokens, place + 1)
        if token.kind == "word" and token.text in OTHERS and (token.text in ("DESC", "TRUE", "FALSE") or after.text == "("):
            yield Change(token.at, token.end, OTHERS[token.text], "function")
        elif token.text in ARITHMETIC and before.end < token.at and token.end < after.at and before.text not in ("SELECT", ",", "="):
            yield Change(token.at, token.end, ARITHMETIC[token.text], "arithmetic")
        elif token.text == "LEFT" and after.text == "JOIN":
            yield Change(token.at, after.end, "JOIN", "join")
        elif token.text == "UNION" and after.text == "ALL":
            yield Change(token.at, after.end, "UNION", "join")
        elif token.text == "DISTINCT" and before.text == "SELECT":
            yield Change(token.at, token.end, "", "join")
        elif token.text == "FOR" and after.text == "UPDATE":
            yield Change(token.at, after.end, "", "lock")


def condition(tokens: Tokens) -> Iterator[Change]:
    """IF and WHILE of a program, the other way round and never."""
    for place, token in enumerate(tokens):
        if token.text not in ("IF", "ELSEIF", "WHILE") or beside(tokens, place - 1).text not in STARTERS | {";"} or token.text == "END":
            continue
        ends = "DO" if token.text == "WHILE" else "THEN"
        last = next((at for at in range(place, len(tokens)) if tokens[at].text == ends and tokens[at].depth == token.depth), None)
        if last is not None:
            at, end = tokens[place + 1].at, tokens[last - 1].end
            yield Change(at, end, "FALSE", "condition")


def removal(tokens: Tokens) -> Iterator[Change]:
    """A statement of a program left out."""
    for place, token in enumerate(tokens):
        if token.text in REMOVED and beside(tokens, place - 1).text in STARTERS:
            last = next((at for at in range(place, len(tokens)) if tokens[at].text == ";" and tokens[at].depth == token.depth), None)
            if last is not None:
                yield Change(token.at, tokens[last].at, "DO 0", "removal")


OPERATORS: tuple[Callable[[Tokens], Iterator[Change]], ...] = (comparison, logic, constant, other, condition, removal)


def changes(regions: Iterator[Tokens]) -> list[Change]:
    """All of them, in the order of the file."""
    found = {change for tokens in regions for operator in OPERATORS for change in operator(tokens)}
    return sorted(found, key=lambda change: (change.at, change.end, change.text))
