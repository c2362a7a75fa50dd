"""Loops over equivalence classes that hold k rows: opening, filling, destroying and repairing them."""
