"""Solvers where classes show the range or the set of their own values: they divide rows, and know no patterns."""

ALGORITHM = "mondrian"
"""The one algorithm that makes RANGES and SETS."""
