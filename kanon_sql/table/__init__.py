"""The table as the solvers see it: integer codes in place of values."""
