"""Minimum-cost covers of rows by pairs and triples."""
