"""Loops that divide a table: cuts, subsets, balls, pairs and triples of rows."""
