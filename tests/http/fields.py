"""Values that a field of a request may and may not have."""

from typing import Any

ABSENT = object()

# What is no string, in JSON.
NOT_TEXT: list[Any] = [None, 0, 1, 45000, 1.5, True, False, [], ["x"], {}, {"a": "b"}]

CONTROL = ["\x01", "\t", "\n", "\r", "\x0b", "\x1b[31m", "\x1f", "\x7f", "\x80", "\x85", "\x9f"]

# Text that must be kept as it is or refused, and must have no other effect.
HOSTILE = [
    "'", "''", '"', "\\", "\\'", "'; DROP TABLE orders; -- ", "' OR '1'='1", "1) OR (1=1", "x' UNION SELECT 1 -- ", "%",
    "_", "%s%n",
    "${jndi:x}", "{{7*7}}", "$(id)", "`id`", "<script>alert(1)</script>", "../../etc/passwd", "/", "null", "true",
    "a,b\"c",
    "\u202eabc", "\ufeffx", "e\u0301", "\U0001f600", " x", "x ", "x  y", "Ñandú"]


def with_field(fields: dict[str, str], name: str, value: Any) -> dict[str, Any]:
    """The request with one field changed, or left out."""
    changed: dict[str, Any] = {**fields, name: value}
    if value is ABSENT:
        del changed[name]
    return changed
