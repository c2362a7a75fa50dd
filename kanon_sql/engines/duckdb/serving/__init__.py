"""Queries over a released database, and over nothing else."""
