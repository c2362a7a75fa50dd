"""Solvers of local recoding without a hierarchy: each class shows the ranges, or the sets, of its own values."""
