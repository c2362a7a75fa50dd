"""Solvers for requirements on sensitive values: what a class promises depends on its rows, not only on their number."""
