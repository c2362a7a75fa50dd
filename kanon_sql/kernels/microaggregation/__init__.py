"""Loops over equivalence classes that show the means of their numbers."""
