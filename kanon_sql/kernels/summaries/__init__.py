"""Loops over equivalence classes that show the range or the set of their values."""
