"""The solvers, by the problem that they solve."""
