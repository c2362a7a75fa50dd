"""Columns and row types of a DataFrame, and whom its rows describe."""
