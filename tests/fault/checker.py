"""The judge: a pure function from the evidence to what is broken. The numbers are those of README.md.

What the tables alone can tell is asked of the database itself, by tests/stack/invariants.py; see there.
"""

from . import rules_clock, rules_history, rules_paid, rules_references, rules_rest, rules_sink
from .evidence import Evidence
from .facts import Facts, Finding

RULES = (*rules_history.RULES, *rules_sink.RULES, *rules_clock.RULES, *rules_paid.RULES, *rules_references.RULES,
         *rules_rest.RULES)


def check(evidence: Evidence) -> list[Finding]:
    """(number of the invariant, what was found), in the order of the rules; empty when everything holds."""
    facts = Facts(evidence)
    return [finding for rule in RULES for finding in rule(facts)]
