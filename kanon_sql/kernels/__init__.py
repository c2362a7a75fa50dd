"""Compiled loops on arrays: no I/O, no errors, no values, only codes."""
