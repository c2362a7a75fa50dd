"""Guarantees that are counted in a table of the population."""
