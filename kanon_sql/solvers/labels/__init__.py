"""Solvers that generalize the labels of one attribute: bins, intervals, regions and rectangles of at least k rows.

Each is the module of its name, with ``group(weight, k, budget)``: the rows of each label, int64 [n], the least rows of a group,
and the time left. It returns a `Grouping`, and raises `InfeasibleError` if all labels together have fewer than k rows.
"""
