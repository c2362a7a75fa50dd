"""Connections to DuckDB: what they run, what they register, and how they report errors."""
