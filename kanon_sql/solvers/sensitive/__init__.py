"""Solvers for requirements on sensitive values: what a class must meet depends on its rows, not only on their number."""
