"""The judge: a pure function from the evidence to what is broken. The numbers are those of README.md.

What the tables alone can tell is asked of the database itself, by tests/stack/invariants.py; see there.
"""

from .evidence import Evidence
from .facts import Facts, Finding
from .rules import clock, history, paid, references, rest, sink

RULES = (*history.RULES, *sink.RULES, *clock.RULES, *paid.RULES, *references.RULES,
         *rest.RULES)


def check(evidence: Evidence) -> list[Finding]:
    """(number of the invariant, what was found), in the order of the rules; empty when everything holds."""
    facts = Facts(evidence)
    return [finding for rule in RULES for finding in rule(facts)]
