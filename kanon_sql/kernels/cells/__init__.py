"""Loops over the cells of a table of counts: witnesses that no suppressed cell is disclosed."""
