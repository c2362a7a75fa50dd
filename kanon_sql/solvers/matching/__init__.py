"""Minimum-cost covers of rows by pairs and triples."""

BOUND = "odd-set cuts of pairs and triples"

MOST_ROW_TYPES = 40_000
"""Row types beyond which looking at all pairs takes too long."""
