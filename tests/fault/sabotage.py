"""Ways to damage clean evidence, each with the invariant that is then broken and no other."""

from . import sabotage_payments, sabotage_rest, sabotage_stored
from .damage import SABOTAGE, Damage

__all__ = ["SABOTAGE", "Damage", "sabotage_payments", "sabotage_rest", "sabotage_stored"]
