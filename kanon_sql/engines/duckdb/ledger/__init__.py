"""Ledgers: database files that hold what was published about the same people, by whatever tool."""
