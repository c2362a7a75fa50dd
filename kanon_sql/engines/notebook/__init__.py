"""Notebooks: the magic, and live progress under a cell."""
