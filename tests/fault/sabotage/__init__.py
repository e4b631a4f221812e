"""Ways to damage clean evidence, each with the invariant that is then broken and no other."""

from ..damage import SABOTAGE, Damage
from . import payments, rest, stored

__all__ = ["SABOTAGE", "Damage", "payments", "rest", "stored"]
