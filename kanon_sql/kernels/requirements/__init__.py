"""Loops over equivalence classes that meet requirements on sensitive values."""
