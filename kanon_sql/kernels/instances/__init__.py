"""Loops over pattern instances: which there are, what they gain, and what bounds follow."""
