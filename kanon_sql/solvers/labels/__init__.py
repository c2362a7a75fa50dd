"""Solvers that generalize the labels of one attribute: bins, intervals, regions and rectangles of at least k rows."""
