"""Solvers of k-anonymity alone: each registered one is the module of its name."""
