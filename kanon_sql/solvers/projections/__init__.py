"""Guarantees about what an attacker knows: classes by sets of columns, the projections of the table."""
