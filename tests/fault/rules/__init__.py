"""What must hold whatever broke: one module for each kind of rule, each with a table RULES."""
